"""The labels of a problem that are most doubtful, with the names of their items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import Answers
from softtruth.corrections.annotated_reference import majority_accuracy_where
from softtruth.corrections.suspects import BIASED, Suspects, suspects
from softtruth.evaluation.noise import decisions, labelled, majority_codes
from softtruth.uncertainty.interval import Interval, wilson

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
    n_reference: int | None = None,
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
    n_reference : int, optional
        How many items that comes from.
    """
    right = reference_accuracy
    if right is None and problem.reference_kind == "labels":
        right = min(report.views[0].accuracy.reference_accuracy.value, 1.0)
    found = settled_suspects(find_suspects(problem, next(iter(problem.predictions)), answers, right), problem)
    rows = suspect_labels(found, problem, n)
    if not rows or math.isnan(found.reference_accuracy):
        return DoubtfulLabels(rows, "", _notes(rows, problem))
    level = report.views[0].accuracy.level
    rate = _judged_rate(problem, report, answers, level)
    if reference_accuracy is not None:
        rate = _given_rate(reference_accuracy, n_reference, level)
    given = None if problem.reference_kind != "labels" else reference_accuracy
    kind = next(iter(problem.predictions.values())).kind
    promised = promise(found, n, kind, voted=answers is not None, given=given)
    return DoubtfulLabels(rows, f"{promised} {_settled(found, n, rate)}", _notes(rows, problem))


def _given_rate(right: float, n: int | None, level: float) -> Interval:
    return Interval(right, right, right, 1.0) if n is None else wilson(right * n, n, level)


def _judged_rate(problem: Problem, report: NoiseReport, answers: Answers | None, level: float) -> Interval | None:
    """Return how often the labels that are not tied are right, by the annotators.

    Near 1 a jackknife sees a handful of wrong labels or none, and is too narrow: it is at least as wide as if each of
    these labels had been checked.
    """
    single = majority_codes(problem)[1]
    shared = report.views[0].shared
    if shared is None or answers is None:
        return None
    judged = shared.annotators.interval
    if not single.all():
        judged = majority_accuracy_where(answers, single, clusters=problem.clusters, level=level)
    n = int(single.sum())
    checked = wilson(min(judged.value, 1.0) * n, n, level)
    return replace(judged, low=min(judged.low, checked.low), high=max(judged.high, checked.high))


def promise(found: Suspects, n: int, kind: str, *, voted: bool, given: float | None) -> str:
    """Return how many of the n most doubtful labels should be wrong, and on what that rests.

    Parameters
    ----------
    found : Suspects
    n : int
    kind : str
        Of the prediction: probabilities or not.
    voted : bool
        Whether the doubts come from the answers of annotators too.
    given : float, optional
        The accuracy of the labels that somebody gave, where the doubts rest on it.
    """
    if math.isnan(found.reference_accuracy):
        return ""
    effect = found.review_effect([n])[0]
    if effect.reviewed == 1:
        about = f"This label is wrong with probability {effect.found:.2f}"
    else:
        number = f"{effect.found:.0f}" if effect.found >= 1 else f"{effect.found:.1g}"
        about = f"Reviewing these {effect.reviewed} labels should find about {number} wrong"
    sure = "the model's probabilities are right" if kind == "probabilities" else "no item is harder for the model"
    grounds = [
        sure,
        *(["the annotators err independently"] if voted else []),
        *([f"{100 * given:.3g} % of all labels are right, as given"] if given is not None else []),
    ]
    return f"{about}, if {', and '.join(grounds)}; where that is off, so is this number."


def _settled(found: Suspects, n: int, rate: Interval | None) -> str:
    """Return what such a review would make of the range of the true accuracy, for every rate of right labels."""
    before, after = found.review_effect([0, n], reference_accuracy=rate)
    if rate is None or rate.low == rate.high or math.isnan(rate.low):
        share = found.reference_accuracy if rate is None else rate.value
        right = f"{100 * share:.3g} % of their labels are right"
    else:
        ends = f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %"
        right = f"{ends} of their labels are right ({100 * rate.level:g} % interval)"
    return (
        f"On the {len(found):,} items with a label of their own the true accuracy lies between {before.low:.3f} and "
        f"{before.high:.3f} if {right}, and between {after.low:.3f} and {after.high:.3f} once as many as expected are "
        "found and put right."
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
            "effect": promise(found, n, kept.predictions[name].kind, voted=voted, given=given),
            "caution": " ".join([*_notes(rows, kept), BIASED]),
        }
    ][: int(n > 0)]
