"""A problem whose labels are wrong at some rate: what is left of accuracies, measures and the order of models."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.noisy_table import noisy_bounds
from softtruth.corrections.shared_errors import SharedErrors, shared_errors
from softtruth.corrections.true_accuracy import TrueAccuracy, true_accuracy
from softtruth.corrections.two_models import Ranking, ranking_is_robust
from softtruth.errors import InputError, NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers
    from softtruth.inputs.problem import Problem
    from softtruth.uncertainty.interval import Interval


@dataclass(frozen=True, eq=False)
class NoisyView:
    """One prediction.

    Attributes
    ----------
    name : str
    accuracy : TrueAccuracy
    shared : SharedErrors, optional
        Where between the ends the truth lies, when the annotators are known.
    bounds : dict
        Ranges of measures, by name; a text says why one is not known.
    against : str
        What it was measured with, in words.
    """

    name: str
    accuracy: TrueAccuracy
    shared: SharedErrors | None = None
    bounds: dict[str, Interval | str] = field(default_factory=dict)
    against: str = "the labels"

    @property
    def contradiction(self) -> str:
        """That the annotators make another accuracy of the labels likely than the one that was given; else empty."""
        given = self.accuracy.reference_accuracy.value
        if self.shared is None or math.isnan((judged := self.shared.annotators.interval).low) or given in judged:
            return ""
        return (
            f"The annotators contradict that {given:.4g} of the labels are right: by their answers it is "
            f"{judged.value:.3f} [{judged.low:.3f}, {judged.high:.3f}] ({100 * judged.level:g} % interval, if "
            f"{judged.assumption}). What is said above rests on the share that was given, what follows on the answers."
        )

    def lines(self) -> list[str]:
        """Return the findings in words."""
        said = self.accuracy.sentences(annotated=self.shared is not None)
        said += [self.contradiction] if self.contradiction else []
        lines = [f"{self.name}, against {self.against}", *(f"  {line}" for line in said)]
        if self.shared is not None:
            lines += ["  By the answers of the annotators:", *(f"    {line}" for line in str(self.shared).splitlines())]
        lines += [f"  {name}: {self._range_words(found)}" for name, found in self.bounds.items()]
        return lines

    def _range_words(self, found: Interval | str) -> str:
        """Return a range in words; a text says why there is none."""
        if isinstance(found, str):
            return found
        right = 100 * self.accuracy.reference_accuracy.value
        note = f" ({found.note})" if found.note else ""
        return (
            f"{found.value:.4f}, true between {found.low:.4f} and {found.high:.4f} if {right:.4g} % of the labels are "
            f"right{note}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        bounds = {
            name: {"unknown": found}
            if isinstance(found, str)
            else {"value": found.value, "low": found.low, "high": found.high, "method": found.method}
            for name, found in self.bounds.items()
        }
        return {
            "prediction": self.name,
            "against": self.against,
            "true_accuracy": self.accuracy.to_dict(),
            "shared_errors": None if self.shared is None else self.shared.to_dict(),
            "contradiction": self.contradiction,
            "bounds": bounds,
        }


@dataclass(frozen=True, eq=False)
class NoiseReport:
    """Every prediction, and the order of each two.

    Attributes
    ----------
    views : tuple of NoisyView
    rankings : tuple of (str, str, Ranking)
    notes : tuple of str
    """

    views: tuple[NoisyView, ...]
    rankings: tuple[tuple[str, str, Ranking], ...]
    notes: tuple[str, ...]

    def to_text(self) -> str:
        """Return the findings in words."""
        lines = [line for view in self.views for line in [*view.lines(), ""]]
        for a, b, ranking in self.rankings:
            lines += [f"{a} and {b}", *(f"  {line}" for line in str(ranking).splitlines()), ""]
        return "\n".join([*lines, *self.notes]).rstrip()

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        return {
            "schema_version": 1,
            "predictions": [view.to_dict() for view in self.views],
            "rankings": [
                {
                    "a": a,
                    "b": b,
                    "difference": r.difference,
                    "low": r.low,
                    "high": r.high,
                    "interval": [r.interval.low, r.interval.high],
                    "robust": r.robust,
                }
                for a, b, r in self.rankings
            ],
            "notes": list(self.notes),
        }


def labelled(problem: Problem) -> Problem:
    """Return the problem of the items that have a label; the account of the problem says how many have none.

    Raises
    ------
    NotAnswerableError
        For multilabel data.
    """
    if problem.task == "multilabel":
        msg = (
            f"label noise is taken up one label at a time, and there are {len(problem.labels)}; name one: "
            f"{shlex.join(['--labels', problem.labels[0]])}, without --task."
        )
        raise NotAnswerableError(msg)
    if problem.mask is None or problem.mask.all():
        return problem
    rows = problem.mask
    optional: dict[str, Any] = {
        name: None if (values := getattr(problem, name)) is None else values[rows]
        for name in ("clusters", "groups", "sample_weight")
    }
    predictions = {name: p._replace(values=p.values[rows]) for name, p in problem.predictions.items()}
    return replace(
        problem,
        items=problem.items[rows],
        reference=problem.reference[rows],
        predictions=predictions,
        mask=None,
        **optional,
    )


def decisions(problem: Problem, name: str) -> NDArray[np.intp]:
    """Return the class that a prediction names for each item."""
    prediction = problem.predictions[name]
    if prediction.kind == "labels":
        return prediction.values.astype(np.intp)
    if problem.task == "binary":
        return (prediction.values > problem.threshold).astype(np.intp)
    return prediction.values.argmax(axis=1).astype(np.intp)


def majority_codes(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the class that the reference names for each item, the first of tied ones, and where it is the only one."""
    shares, known = problem.majority_reference()
    if problem.task == "binary":
        return (shares > 0.5).astype(np.intp), known & (shares != 0.5)
    return shares.argmax(axis=1).astype(np.intp), known & (shares.max(axis=1) == 1)


def majority_shares(problem: Problem) -> NDArray[np.float64]:
    """Return the class that the reference names for each item as shares, (N, K); tied classes share the item."""
    shares = problem.majority_reference()[0]
    return np.stack([1 - shares, shares], axis=1) if problem.task == "binary" else shares


def reference_words(problem: Problem) -> str:
    """Return what the predictions are measured with here, in words."""
    if problem.reference_kind == "labels":
        return "the labels"
    return f"the majority of the {'votes' if problem.reference_kind == 'votes' else 'shares'}"


def noise_report(
    problem: Problem,
    *,
    reference_accuracy: float | None = None,
    n_reference: int | None = None,
    answers: Answers | None = None,
    measures: Sequence[str] = (),
    coincidence: float | None = None,
    level: float = 0.95,
) -> NoiseReport:
    """What can be said of the predictions, when the reference is wrong at some rate?

    Parameters
    ----------
    problem : Problem
    reference_accuracy : float, optional
        How often the labels are right; by default it is estimated from ``answers``.
    n_reference : int, optional
        How many items it comes from.
    answers : Answers, optional
        The annotators' answers to the problem's items.
    measures : sequence of str
        Measures whose ranges are wanted.
    coincidence : float, optional
        The probability that two wrong answers are the same.
    level : float

    Raises
    ------
    InputError
        If neither the accuracy of the labels nor the answers are given.
    """
    if reference_accuracy is None and answers is None:
        msg = (
            "how often the labels are right is not known: give --reference-accuracy, or --annotations with one row for "
            "each annotator and item."
        )
        raise InputError(msg)
    problem = labelled(problem)
    codes, single = majority_codes(problem)
    said = {name: decisions(problem, name) for name in problem.predictions}
    views, right = [], reference_accuracy
    for name in problem.predictions:
        matrix = IndicatorMatrix(**problem.arguments(name, "majority"))
        shared = None
        if answers is not None:
            given = codes if problem.reference_kind == "labels" else None
            shared = shared_errors(answers, said[name], reference=given, clusters=problem.clusters, level=level)
        known: Any = reference_accuracy
        if known is None and shared is not None:
            known = shared.annotators.interval
            right = min(known.value, 1.0)
        accuracy = true_accuracy(
            matrix.interval("accuracy", level=level),
            known,
            len(problem.labels),
            n_reference=n_reference,
            coincidence=coincidence,
            level=level,
        )
        bounds = {measure: _bounds(matrix, measure, accuracy.reference_accuracy.value) for measure in measures}
        views.append(NoisyView(name, accuracy, shared, bounds, reference_words(problem)))
    k, rankings = len(problem.labels), []
    for a, b in combinations(problem.predictions, 2):
        sides = (codes[single], said[a][single], said[b][single])
        rankings.append((a, b, ranking_is_robust(*sides, right or 0.0, k, names=(a, b))))
    notes = []
    if n_tied := int((~single).sum()):
        items = "1 item is tied: it is" if n_tied == 1 else f"{n_tied:,} items are tied: each is"
        notes.append(
            f"{items} shared among the tied classes in the observed accuracy"
            f"{'; the comparisons of two leave such items out' if rankings else ''}."
        )
    if problem.sample_weight is not None:
        notes.append("Weights count in the observed values; annotators and comparisons are without weights.")
    return NoiseReport(tuple(views), tuple(rankings), tuple(notes))


def _bounds(matrix: IndicatorMatrix, measure: str, right: float) -> Interval | str:
    try:
        return noisy_bounds(matrix, measure, reference_accuracy=right)
    except NotAnswerableError as error:
        return str(error)
