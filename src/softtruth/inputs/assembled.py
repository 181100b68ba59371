"""Sides in, problem out: plan, match, arrange, and account for what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softtruth.inputs.arranged import arranged_prediction, arranged_reference, tied
from softtruth.inputs.binary import refuse_threshold
from softtruth.inputs.extras import clusters_of, groups_of, weights_of
from softtruth.inputs.matching import Match, match
from softtruth.inputs.one_label import one_label
from softtruth.inputs.plan import is_multilabel, make_plan
from softtruth.inputs.problem import Accounting, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.inputs.extras import Place
    from softtruth.inputs.one_label import Question
    from softtruth.inputs.problem import Prediction, Task
    from softtruth.inputs.settings import Settings
    from softtruth.inputs.side import Side


def assemble(sides: Sequence[Side], settings: Settings, places: Sequence[Place]) -> Problem:
    """Return the problem that the sides make together.

    Parameters
    ----------
    sides
        The reference first, then the predictions.
    settings
        What the user asked for.
    places
        Tables in which weights, clusters and groups are looked up.
    """
    question = question_of(sides, settings)
    sides = [question.sides[0], *(with_votes(side) for side in question.sides[1:])]
    plan = make_plan(sides, task=settings.task, labels=question.labels, positive=question.positive)
    found = match(sides, filtered=bool(settings.where))
    matched = [side.taken(rows) for side, rows in zip(sides, found.rows, strict=True)]
    reference, kind, known = arranged_reference(matched[0], plan, plan.lookups[0])
    predictions = {
        side.name: arranged_prediction(side, plan, lookup)
        for side, lookup in zip(matched[1:], plan.lookups[1:], strict=True)
    }
    highest = [side for side in matched[1:] if has_scores(side) and predictions[side.name].kind == "labels"]
    for side in highest if plan.task == "binary" else ():
        refuse_threshold(settings.threshold, f"{side.path}: ")
    ignored = set(settings.ignore) & set(plan.labels) if plan.task == "multiclass" else set()
    groups, group_names = groups_of(settings.by, places, found.items) if settings.by else (None, ())
    losses = Losses(tied(reference, kind, plan.task), int(np.count_nonzero(~known)))
    return Problem(
        task=plan.task,
        labels=plan.labels,
        items=found.items,
        reference=reference,
        reference_kind=kind,
        predictions=predictions,
        accounting=_account(sides, found, predictions, losses, plan.task),
        mask=None if known.all() else known,
        subset=tuple(name for name in plan.labels if name not in ignored) if ignored else None,
        clusters=clusters_of(settings.cluster, places, found.items) if settings.cluster else None,
        cluster_name=settings.cluster,
        groups=groups,
        group_names=group_names,
        group_column=settings.by,
        sample_weight=weights_of(settings.weight, places, found.items) if settings.weight else None,
        weight_name=settings.weight,
        threshold=settings.threshold,
        highest=() if plan.task == "multilabel" else tuple(side.name for side in highest),
        guesses=(*(g for side in sides for g in side.guesses), *question.guesses, *plan.guesses, *found.guesses),
    )


def question_of(sides: Sequence[Side], settings: Settings) -> Question:
    """Return the sides as they answer the only label that is asked, where only one is."""
    task = None if settings.task == "binary" else settings.task
    multilabel = is_multilabel(sides[0], sides[1:], task)
    return one_label(
        sides, multilabel=multilabel, task=settings.task, labels=settings.labels, positive=settings.positive
    )


def has_scores(side: Side) -> bool:
    """Whether a side has a number for each class that is no probability."""
    return side.form in {"scores", "indicators"}


class Losses(NamedTuple):
    """Ties and gaps of the reference."""

    tied: int
    without: int


def with_votes(side: Side) -> Side:
    """Refuse a prediction made of votes where an item has none."""
    if side.form == "counts":
        return side.complete(side.values.sum(axis=1) == 0)
    if side.form == "answers":
        return side.complete((side.values.sum(axis=-1) == 0).any(axis=1))
    return side


def _account(
    sides: Sequence[Side], found: Match, predictions: Mapping[str, Prediction], losses: Losses, task: Task
) -> Accounting:
    what = "entries (an item and a label)" if task == "multilabel" else "items"
    sentences = [f"Items in all files: {len(found.items):,}.", *found.sentences]
    sentences += [sentence for side in sides for sentence in side.sentences]
    duplicated = sum({id(side.source.columns): side.source.duplicated for side in sides}.values())
    ignored = sides[0].ignored
    facts = (
        ("Rows that repeat another one, settled by --duplicates", duplicated),
        ("Reference votes or labels left out by --ignore", ignored),
        (f"Reference {what} without any vote or label, masked", losses.without),
        (f"Reference {what} tied between their most likely classes", losses.tied),
    )
    sentences += [f"{words}: {n:,}." for words, n in facts if n]
    for side in sides[1:]:
        prediction = predictions[side.name]
        if side.form in {"counts", "answers"} and prediction.kind == "probabilities":
            n = tied(prediction.values, prediction.kind, task)
            sentences.append(
                f"{side.path} as a prediction is the share of votes, and its decision the most voted class; "
                f"tied {what}, given to the first of the tied classes: {n:,}."
            )
    return Accounting(
        items=len(found.items),
        reference_only=found.reference_only,
        prediction_only=found.prediction_only,
        duplicated=duplicated,
        tied=losses.tied,
        without_votes=losses.without,
        ignored=ignored,
        sentences=tuple(sentences),
    )
