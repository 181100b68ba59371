"""Ranges against the truth when all that is known of the labels is how often they are right.

Wrong labels are then a budget that may be spent anywhere in the observed table: a programme over the joint law of
label, truth and prediction. A measure that is a ratio of linear functions of the true table has its extremes there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth.corrections.ratio_programme import RatioProgramme
from softtruth.errors import NotAnswerableError
from softtruth.measures.measure import Measure
from softtruth.measures.operators import Averaged, macro, micro
from softtruth.measures.rates import recall

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.statistics.table import Table

_LARGEST = 64  # classes: a measure of the whole table has K^3 unknowns


@dataclass(frozen=True)
class Budget:
    """What is known of the labels.

    Attributes
    ----------
    accuracy : float, optional
        The share of right labels.
    precision : ndarray, shape (K,), optional
        The share of right labels among those that name each class.
    """

    accuracy: float | None = None
    precision: NDArray[np.float64] | None = None


def programme_of(question: Averaged | Measure, table: Table, budget: Budget) -> RatioProgramme | None:
    """Return the programme whose extremes are those of the measure, or None where it is no such ratio.

    The prediction's margin is a fact, so chance agreement is linear in the truth, and kappa is a ratio too.

    Raises
    ------
    NotAnswerableError
        For a measure of the whole table of more classes than the programme is made for.
    """
    k = table.n_classes
    same, ones = np.eye(k), np.ones((k, k))
    name = question.name if isinstance(question, Measure) else question.measure.name
    binary = table.task == "binary"
    if name == "cohen_kappa" or (name == "kappa" and binary):
        shares = np.asarray(table.columns, np.float64) / float(table.masses.sum())
        chance = shares[:, None] * ones
        return _of_table(table, budget, same - chance, 1 - chance)
    if isinstance(question, Measure):
        return _of_table(table, budget, same, ones) if name == "accuracy" else None
    if question.operator is not micro or question.measure.linear is None:
        return None
    if binary:
        return of_class(question.measure, 1, table, budget)
    pooled = np.array([same, 1 - same, 1 - same, same + k - 2])
    if table.task == "ordinal":
        pooled = np.sum([_of_threshold(k, at) for at in range(1, k)], axis=0)
    return _of_table(table, budget, *_sides(question.measure, pooled))


def _of_threshold(k: int, at: int) -> NDArray[np.float64]:
    """Return which pairs of true and predicted grade are tp, fp, fn and tn of the threshold below a grade."""
    above = np.arange(k) >= at
    truth, said = above[:, None], above
    return np.array([truth & said, ~truth & said, truth & ~said, ~truth & ~said], np.float64)


def _sides(measure: Measure, cells: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return numerator and denominator of a ratio, from its four cells as functions of the true table."""
    return [np.tensordot(np.array(side), cells, 1) for side in measure.linear or ()]


def _of_table(
    table: Table, budget: Budget, numerator: NDArray[np.float64], denominator: NDArray[np.float64]
) -> RatioProgramme:
    """Return the programme of a ratio of functions of the true table, each an array (K, K)."""
    k = table.n_classes
    if k > _LARGEST:
        msg = (
            f"the range of this measure for {k} classes needs a programme with {k}^3 unknowns, and the limit is "
            f"{_LARGEST} classes. Ask for accuracy or macro f1, or say with a transition matrix which class the wrong "
            "labels name."
        )
        raise NotAnswerableError(msg)
    masses = _shares(table)
    top, bottom = (np.broadcast_to(side, (k, k, k)) for side in (numerator, denominator))
    return RatioProgramme(masses, np.eye(k, dtype=bool), np.ones((k, k), bool), top, bottom, _known(masses, budget))


def of_class(measure: Measure, which: int, table: Table, budget: Budget) -> RatioProgramme | None:
    """Return the programme of a measure of one class against the rest, or None where it is no ratio.

    Only whether the truth is that class matters, so the truth has three states: what the label says, the class, and
    elsewhere; the prediction has two. Where only the accuracy of all labels is known, so do the labels.
    """
    if measure.linear is None:
        return None
    masses = _shares(table)
    k = len(masses)
    own = np.arange(k) == which
    by_prediction = np.stack([masses[:, own].sum(axis=1), masses[:, ~own].sum(axis=1)], axis=1)
    known = _known(masses, budget)
    if budget.accuracy is not None:
        by_prediction = np.stack([by_prediction[own].sum(axis=0), by_prediction[~own].sum(axis=0)])
        own = np.array([True, False])
    right = np.broadcast_to([True, False, False], (len(own), 3))
    allowed = np.stack([np.ones(len(own), bool), ~own, own | (k > 2)], axis=1)
    truth = np.stack([own, np.ones(len(own), bool), np.zeros(len(own), bool)], axis=1)[:, :, None]
    said = np.array([True, False])
    cells = np.array([truth & said, ~truth & said, truth & ~said, ~truth & ~said], np.float64)
    top, bottom = (np.tensordot(np.array(side), cells, 1) for side in measure.linear)
    return RatioProgramme(by_prediction, right, allowed, top, bottom, known)


def measure_of_macro(question: Averaged | Measure, table: Table) -> Measure | None:
    """Return the measure of one class or threshold whose plain mean over the classes the question is, or None."""
    if isinstance(question, Averaged) and question.operator is macro and table.task != "binary":
        return question.measure
    if isinstance(question, Measure) and question.name == "multiclass_balanced_accuracy":
        return recall
    return None


def programmes_of_parts(
    question: Averaged | Measure, measure: Measure, table: Table, budget: Budget
) -> list[RatioProgramme]:
    """Return the programme of the measure for each class, or threshold of grades; none where it is no ratio."""
    if table.task == "ordinal" and isinstance(question, Averaged):
        if measure.linear is None:
            return []
        cells = [_of_threshold(table.n_classes, at) for at in range(1, table.n_classes)]
        return [_of_table(table, budget, *_sides(measure, each)) for each in cells]
    parts = [of_class(measure, k, table, budget) for k in range(table.n_classes)]
    return [part for part in parts if part is not None]


def _shares(table: Table) -> NDArray[np.float64]:
    return np.asarray(table.masses, np.float64) / float(table.masses.sum())


def _known(masses: NDArray[np.float64], budget: Budget) -> NDArray[np.float64]:
    if budget.accuracy is not None:
        return np.array([budget.accuracy])
    return np.asarray(masses.sum(axis=1) * np.asarray(budget.precision))
