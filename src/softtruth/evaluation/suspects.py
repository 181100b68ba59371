"""The labels of a problem that are most doubtful, with the names of their items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import Answers
from softtruth.corrections.suspects import BIASED, Suspects, suspects
from softtruth.evaluation.noise import decisions, labelled, majority_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.evaluation.noise import NoiseReport
    from softtruth.inputs.problem import Problem

SHOWN = 20  # labels in a report
DOUBT = 0.01  # the least that is worth a look
LARGEST = 20_000_000  # numbers of items times classes beyond which a report lists no suspects


def find_suspects(problem: Problem, name: str, answers: Answers | None, right: float | None) -> Suspects:
    """Rank the labels of a problem by how doubtful they are.

    Parameters
    ----------
    problem : Problem
        Of items that have a label (``noise.labelled``).
    name : str
        Of the prediction.
    answers : Answers, optional
        Who answered what.
    right : float, optional
        How often the labels are right.
    """
    prediction = problem.predictions[name]
    shares: Any = decisions(problem, name)
    if prediction.kind == "probabilities":
        values = prediction.values
        shares = np.stack([1 - values, values], axis=1) if problem.task == "binary" else values
    return suspects(
        majority_codes(problem)[0],
        shares,
        votes=answers,
        n_classes=len(problem.labels),
        reference_accuracy=right,
        items=problem.items.tolist(),
    )


def settled_suspects(found: Suspects, problem: Problem) -> Suspects:
    """Return the suspects without tied items: where classes share the most votes there is no label to doubt."""
    single = majority_codes(problem)[1]
    if single.all():
        return found
    at = np.cumsum(single) - 1
    order = at[found.order[single[found.order]]]
    named = {name: getattr(found, name)[single] for name in ("score", "probability", "label", "model", "right")}
    return replace(
        found,
        order=order,
        items=tuple(item for item, one in zip(found.items, single, strict=True) if one),
        reference_accuracy=float(1 - named["probability"].mean()) if single.any() else math.nan,
        **named,
    )


def tied_words(problem: Problem) -> str:
    """Say how many items are no suspects because no class has the most votes; nothing where there are none."""
    n = int((~majority_codes(problem)[1]).sum())
    if not n:
        return ""
    items = "1 item is tied and has" if n == 1 else f"{n:,} items are tied and have"
    return f"{items} no label to doubt: left out of this list and of what is expected of a review."


def agreeing_words(rows: Sequence[dict[str, Any]]) -> str:
    """Say why a label may be doubtful that the model repeats; nothing where there is none."""
    if all(row["label"] != row["model"] for row in rows):
        return ""
    return (
        "Where label and model are the same, the votes make the doubt: those for other classes come from annotators "
        "whose answers say more."
    )


def _notes(rows: Sequence[dict[str, Any]], problem: Problem) -> tuple[str, ...]:
    return tuple(filter(None, [agreeing_words(rows), tied_words(problem)]))


def suspect_labels(found: Suspects, problem: Problem, n: int) -> list[dict[str, Any]]:
    """Return the n most doubtful labels as JSON values."""
    names = problem.labels
    return [
        {"item": s.item, "label": names[s.label], "model": names[s.model], "doubt": s.score} for s in found.first(n)
    ]


@dataclass(frozen=True)
class DoubtfulLabels:
    """The most doubtful labels, as `softtruth noise` lists them.

    Attributes
    ----------
    rows : list of dict
        As ``suspect_labels`` returns them.
    effect : str
        What a review of them is expected to settle; empty where that is not known.
    notes : tuple of str
        What the list leaves out, and why the model may repeat a doubtful label.
    """

    rows: list[dict[str, Any]]
    effect: str
    notes: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Return them as a table, with what a review would settle and what it must not be taken for."""
        width = max([len(str(row["item"])) for row in self.rows] + [4])
        lines = [f"{'item':<{width}}  doubt  label -> model"]
        lines += [f"{row['item']:<{width}}  {row['doubt']:.3f}  {row['label']} -> {row['model']}" for row in self.rows]
        return "\n".join([*lines, *filter(None, [self.effect]), *self.notes, BIASED])


def doubtful_labels(
    problem: Problem,
    report: NoiseReport,
    n: int,
    answers: Answers | None = None,
    *,
    reference_accuracy: float | None = None,
) -> DoubtfulLabels:
    """Return the n most doubtful labels by the first prediction.

    Parameters
    ----------
    problem : Problem
        Of items that have a label (``noise.labelled``).
    report : NoiseReport
        Of the problem: says how often the labels are right where ``reference_accuracy`` does not.
    n : int
    answers : Answers, optional
        Who answered what.
    reference_accuracy : float, optional
        How often the labels are right.
    """
    right = reference_accuracy
    if right is None and problem.reference_kind == "labels":
        right = min(report.views[0].accuracy.reference_accuracy.value, 1.0)
    found = settled_suspects(find_suspects(problem, next(iter(problem.predictions)), answers, right), problem)
    rows = suspect_labels(found, problem, n)
    return DoubtfulLabels(rows, effect(found, n) if rows else "", _notes(rows, problem))


def effect(found: Suspects, n: int) -> str:
    """Return what a review of the n most doubtful labels is expected to settle; nothing where that is not known."""
    if math.isnan(found.reference_accuracy):
        return ""
    before, after = found.review_effect([0, n])
    labels = "this label" if after.reviewed == 1 else f"these {after.reviewed} labels"
    return (
        f"Reviewing {labels} is expected to find {after.found:.1f} that are wrong. Of the {len(found):,} items "
        f"with a label of their own, if {100 * found.reference_accuracy:.1f} % of these labels are right, it would "
        f"leave a true accuracy between {after.low:.4f} and {after.high:.4f} (now {before.low:.4f} and "
        f"{before.high:.4f})."
    )


def suspects_of(problem: Problem, answers: Any, right: float | None) -> list[dict[str, Any]]:
    """Return the most doubtful labels by the first prediction, as a section of a report.

    Parameters
    ----------
    problem : Problem
        Labels that hold together have no suspects: each is a question of its own.
    answers : Answers, optional
        Who answered what.
    right : float, optional
        How often labels are right.
    """
    if problem.task == "multilabel" or len(problem.items) * len(problem.labels) > LARGEST:
        return []
    kept = labelled(problem)
    if not len(kept.items):
        return []
    voted = isinstance(answers, Answers) and answers.n_items == len(kept.items)
    name = next(iter(kept.predictions))
    given = right if kept.reference_kind == "labels" else None  # of votes the majority is the label
    found = settled_suspects(find_suspects(kept, name, answers if voted else None, given), kept)
    n = min(SHOWN, int((found.score >= DOUBT).sum()))
    rows = suspect_labels(found, kept, n)
    return [
        {
            "prediction": name,
            "items": len(found),
            "voted": voted,
            "labels": [{**row, "item": str(row["item"])} for row in rows],
            "effect": effect(found, n),
            "caution": " ".join([*_notes(rows, kept), BIASED]),
        }
    ][: int(n > 0)]
