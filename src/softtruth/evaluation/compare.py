"""Predictions in, a comparison out: which is better, how sure is that, and what would turn it around?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Seed, checked
from softtruth.corrections.annotated_reference import reference_accuracy_from_annotators
from softtruth.corrections.sharp_range import checked_share
from softtruth.evaluation.comparison.asked import Asked, comparison_of
from softtruth.evaluation.comparison.groups import checked_groups
from softtruth.evaluation.noise import labelled, majority_codes
from softtruth.evaluation.problems import sides_of
from softtruth.evaluation.sides import Sides
from softtruth.inputs.frames import library_of
from softtruth.report.questions import kept
from softtruth.report.rows import Way
from softtruth.uncertainty.interval import Interval, checked_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from softtruth.annotations.answers import Answers
    from softtruth.inputs.problem import Problem
    from softtruth.measures import Averaged, Measure, Operator
    from softtruth.report.comparison import ComparisonReport


@checked
def compare_predictions(
    reference: Any,
    predictions: Mapping[str, Any],
    task: str | None = None,
    *,
    baseline: str | None = None,
    groups: Sequence[Any] | None = None,
    reference_accuracy: float | Interval | None = None,
    threshold: float = 0.5,
    reference_kind: str = "auto",
    prediction_kind: str | Mapping[str, str] = "auto",
    tnorm: Any = None,
    coupling: Any = None,
    mask: Any = None,
    ignore: Any = None,
    subset: Any = None,
    sample_weight: Any = None,
    n_classes: int | None = None,
    labels: Any = None,
    clusters: Any = None,
    measures: Iterable[str | Measure | Averaged] | str | None = None,
    operators: Iterable[str | Operator] | str | None = None,
    convention: str = "exclude",
    level: float = 0.95,
    interval: str = "influence",
    draws: int = 2000,
    seed: Seed = 0,
    ties: str = "share",
) -> ComparisonReport:
    """Which of these predictions is better, and how sure is that?

    Differences are paired: what both predictions have in common cancels. A prediction is *better* only where chance is
    ruled out, at the level of the intervals and after Holm's correction over the pairs. The report then says what would
    put another one ahead: class frequencies, dependence, measures and conventions, wrong labels, groups of items.

    Parameters
    ----------
    reference : array-like
        Labels, distributions or votes.
    predictions : dict of name to array-like
        Two or more predictions of the same items.
    baseline : str, optional
        The prediction that all others are compared with. By default each two are compared, and of more than four each
        with the first.
    groups : array-like, shape (N,), optional
        The group of each item, to see where the order reverses.
    reference_accuracy : float or Interval, optional
        How often the labels are right, where that is known.
    measures : list of str or Measure, optional
        What the verdicts are about. A name alone ("f1") is asked under every operator, "macro f1" under its own. By
        default the one or two that head a report.
    task, threshold, reference_kind, prediction_kind, tnorm, coupling, mask, ignore, subset, sample_weight, n_classes,
    labels, clusters, operators, convention, level, interval, draws, seed, ties
        As for ``evaluate``.

    Returns
    -------
    ComparisonReport

    Raises
    ------
    InputError
        If there are fewer than two predictions, or what is given does not fit.
    NotAnswerableError
        If no question has an answer.

    Examples
    --------
    >>> y = [0, 0, 1, 1, 1, 0, 1, 0] * 25
    >>> models = {"old": [0, 1, 1, 0, 1, 0, 0, 0] * 25, "new": [0, 1, 1, 1, 1, 0, 0, 0] * 25}
    >>> report = compare_predictions(y, models, "binary")
    >>> for verdict in report.verdicts:
    ...     print(verdict.sentence)
    new is better than old in accuracy by 0.125 [0.079, 0.171].
    new is better than old in f1 by 0.179 [0.113, 0.244].
    >>> report.row("f1", "new", "old").verdict
    'first'
    """
    settings = {
        "task": task,
        "threshold": threshold,
        "reference_kind": reference_kind,
        "mask": mask,
        "ignore": ignore,
        "subset": subset,
        "sample_weight": sample_weight,
        "n_classes": n_classes,
        "labels": labels,
        "clusters": clusters,
    }
    sides = Sides(reference, predictions, prediction_kind, settings)
    asked = Asked(
        kept(measures),
        kept(operators),
        Way(checked_level(level), interval, draws, seed),
        convention=convention,
        tnorm=tnorm,
        coupling=coupling,
        ties=ties,
        baseline=baseline,
    )
    right = _checked_accuracy(reference_accuracy)
    given = None if groups is None else checked_groups(groups, sides.n_given)
    report = comparison_of(sides, asked, groups=given, reference_accuracy=right)
    return replace(report, frames=library_of(reference, *sides.predictions.values()))


def compare_problem(
    problem: Problem,
    *,
    baseline: str | None = None,
    reference_accuracy: float | Interval | None = None,
    answers: Answers | None = None,
    measures: Sequence[str] | None = None,
    also: Sequence[str] = (),
    convention: str = "exclude",
    level: float = 0.95,
    interval: str = "influence",
    draws: int = 2000,
    seed: int = 0,
    ties: str = "share",
    tnorm: Any = None,
    coupling: Any = None,
) -> ComparisonReport:
    """Which of the predictions of this problem is better, and how sure is that? See ``compare_predictions``.

    Parameters
    ----------
    problem : Problem
        What ``load_problem`` read and aligned; its ``groups`` are looked at where it has any.
    baseline, reference_accuracy, measures, convention, level, interval, draws, seed, ties, tnorm, coupling
        As for ``compare_predictions``.
    also : sequence of str
        Measures that have rows, in every view, but no verdict.
    answers : Answers, optional
        Who answered what on these items: says how often the labels are right where ``reference_accuracy`` is not given.
    """
    if problem.task != "multilabel":  # items without a label say nothing, and other priors are those of the rest
        problem = labelled(problem)
    asked = Asked(
        None if not measures else list(measures),
        None,
        Way(checked_level(level), interval, draws, seed),
        convention=convention,
        tnorm=tnorm,
        coupling=coupling,
        ties=ties,
        baseline=baseline,
        also=tuple(also),
    )
    right = _checked_accuracy(reference_accuracy)
    if right is None and answers is not None and problem.task != "multilabel":
        given = majority_codes(problem)[0] if problem.reference_kind == "labels" else None
        judged = reference_accuracy_from_annotators(
            answers, reference=given, clusters=problem.clusters, level=asked.way.level
        )
        right = judged.interval
    groups_given = None
    if problem.groups is not None:
        groups_given = checked_groups(np.asarray(problem.group_names)[problem.groups], problem.n)
    report = comparison_of(
        sides_of(problem, tnorm, coupling),
        asked,
        groups=groups_given,
        group_column=problem.group_column or "group",
        reference_accuracy=right,
    )
    columns = {"weight": problem.weight_name, "cluster": problem.cluster_name, "by": problem.group_column}
    return replace(
        report,
        settings={**report.settings, **{key: name for key, name in columns.items() if name is not None}},
        provenance=problem.provenance(),
    )


def _checked_accuracy(given: float | Interval | None) -> float | Interval | None:
    """Return how often labels are right: a share, or what was found with its interval."""
    return given if given is None or isinstance(given, Interval) else checked_share(given, "reference_accuracy")
