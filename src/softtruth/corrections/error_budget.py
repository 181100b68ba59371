"""Ranges against the truth when all that is known of the labels is how often they are right.

Wrong labels are then a budget that may be spent anywhere in the observed table: a programme over the joint law of
label, truth and prediction. A ratio of linear functions of the true table has its extremes by one linear programme
(Charnes & Cooper 1962, Nav. Res. Logist. Q. 9:181, doi:10.1002/nav.3800090303). With two classes the table has few
enough degrees of freedom to search for the extremes of anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, NotAnswerableError
from softtruth.measures.measure import Measure
from softtruth.measures.operators import Averaged, evaluate, macro, micro
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth.conventions import Convention

_LARGEST = 64  # classes: the programme has K^3 unknowns
_GRID, _ZOOM, _ROUNDS = 513, 33, 14  # the first search, each closer look, and how many of them


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


@dataclass(frozen=True)
class Ratio:
    """A measure as a ratio of two linear functions of the true table, each an array (K, K)."""

    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]


def as_ratio(question: Averaged | Measure, table: Table) -> Ratio | None:
    """Return the measure as such a ratio, or None where it is none.

    The prediction's margin is a fact, and so chance agreement is linear in the truth: kappa is a ratio too.
    """
    k = table.n_classes
    same = np.eye(k)
    name = question.name if isinstance(question, Measure) else question.measure.name
    binary = table.task == "binary"
    if name == "cohen_kappa" or (name == "kappa" and binary):
        return _kappa(table)
    if isinstance(question, Measure):
        return Ratio(same, np.ones((k, k))) if name == "accuracy" else None
    if question.operator is not micro or binary:
        return of_class(question.measure, 1, k) if question.operator is micro else None
    if question.measure.linear is None:
        return None
    pooled = np.array([same, 1 - same, 1 - same, same + k - 2])
    return Ratio(*(np.tensordot(np.array(side), pooled, 1) for side in question.measure.linear))


def of_class(measure: Measure, which: int, n_classes: int) -> Ratio | None:
    """Return a measure of one class against the rest as a ratio, or None where it is none."""
    if measure.linear is None:
        return None
    own = (np.arange(n_classes) == which).astype(np.float64)
    cells = np.array([np.outer(own, own), np.outer(1 - own, own), np.outer(own, 1 - own), np.outer(1 - own, 1 - own)])
    return Ratio(*(np.tensordot(np.array(side), cells, 1) for side in measure.linear))


def _kappa(table: Table) -> Ratio:
    shares = np.asarray(table.columns, np.float64) / float(table.masses.sum())
    chance = np.broadcast_to(shares[:, None], (table.n_classes, table.n_classes))
    return Ratio(np.eye(table.n_classes) - chance, 1 - chance)


def parts_of_macro(question: Averaged | Measure, table: Table) -> list[Ratio] | None:
    """Return the ratios of the classes whose mean the question is, or None where it is no such mean."""
    if isinstance(question, Averaged) and question.operator is macro and table.task != "binary":
        measure = question.measure
    elif isinstance(question, Measure) and question.name == "multiclass_balanced_accuracy":
        from softtruth.measures.rates import recall as measure
    else:
        return None
    parts = [of_class(measure, k, table.n_classes) for k in range(table.n_classes)]
    return None if any(part is None for part in parts) else [part for part in parts if part is not None]


def extremes(ratio: Ratio, table: Table, budget: Budget) -> tuple[float, float]:
    """Return the least and greatest value of a ratio over every truth that fits; NaN where none defines it.

    Raises
    ------
    NotAnswerableError
        For more classes than the programme is made for.
    """
    from scipy.optimize import linprog
    from scipy.sparse import bmat, csr_array

    k = table.n_classes
    if k > _LARGEST:
        msg = (
            f"the range of this measure for {k} classes needs a programme with {k}^3 unknowns, and the limit is "
            f"{_LARGEST} classes. Give transition= or label_truth=, or ask for accuracy."
        )
        raise NotAnswerableError(msg)
    masses = np.asarray(table.masses, np.float64) / float(table.masses.sum())
    label, truth, prediction = (axis.reshape(-1) for axis in np.indices((k, k, k)))
    unknown = np.arange(k**3)
    rows, known = [label * k + prediction], [masses.reshape(-1)]
    right = label == truth
    if budget.accuracy is not None:
        known.append(np.array([budget.accuracy]))
        groups = np.full(int(right.sum()), k * k)
    else:
        known.append(masses.sum(axis=1) * np.asarray(budget.precision))
        groups = k * k + label[right]
    rows.append(groups)
    target = np.concatenate(known)
    sums = csr_array(
        (np.ones(k**3 + groups.size), (np.concatenate(rows), np.concatenate([unknown, unknown[right]]))),
        shape=(target.size, k**3),
    )
    top, bottom = (np.append(side[truth, prediction], 0.0) for side in (ratio.numerator, ratio.denominator))
    equal = bmat([[sums, -target[:, None]], [bottom[None, :-1], np.zeros((1, 1))]], format="csr")
    right_side = np.append(np.zeros(target.size), 1.0)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(sign * top, A_eq=equal, b_eq=right_side, bounds=(0, None), method="highs")
        if found.status == 2:  # no truth that fits gives the measure a value
            return math.nan, math.nan
        ends.append(sign * float(found.fun) if found.status == 0 else sign * -math.inf)
    return ends[0], ends[1]


def two_class_extremes(
    question: Averaged | Measure, table: Table, accuracy: float, convention: Convention
) -> tuple[float, float]:
    """Return the least and greatest value of any measure of two classes, by searching.

    A wrong label of two classes flips the truth. How much of the budget falls on the first label fixes the truth's
    margin, and the trace fixes the rest: two numbers, of which a measure that moves one way with the shared mass
    needs only the ends of the second.
    """
    masses = np.asarray(table.masses, np.float64) / float(table.masses.sum())
    labels, wrong = masses.sum(axis=1), 1 - accuracy
    first = max(0.0, wrong - labels[1]), min(wrong, labels[0])
    if first[0] > first[1] + 1e-12:
        msg = f"reference_accuracy {accuracy:.4g} leaves more wrong labels than there are labels."
        raise InputError(msg)
    measure = question.measure if isinstance(question, Averaged) else question
    if measure.joint in {"rises", "falls", "constant"}:
        up, down = (1.0, 0.0) if measure.joint != "falls" else (0.0, 1.0)
        shares = {-1.0: np.array([down]), 1.0: np.array([up])}
    else:
        shares = dict.fromkeys((-1.0, 1.0), np.linspace(0, 1, 129))
    knots = np.array([masses[0, 0], masses[0, 1], wrong - masses[1, 0], wrong - masses[1, 1]])

    def best(sign: float) -> float:
        def values(on_first: NDArray[np.float64]) -> NDArray[np.float64]:
            return _over_shares(question, table, masses, wrong, on_first, shares[sign], convention)

        return _searched(values, first, knots, sign)

    return best(-1.0), best(1.0)


def _over_shares(  # noqa: PLR0917  the parts of one formula
    question: Any,
    table: Table,
    masses: NDArray[np.float64],
    wrong: float,
    on_first: NDArray[np.float64],
    shares: NDArray[np.float64],
    convention: Convention,
) -> NDArray[np.float64]:
    """Return the values (points, shares) where ``on_first`` of the label errors fall on the first label."""
    spent = np.stack([on_first, wrong - on_first], axis=-1)[:, :, None]  # by label
    same, other = masses[[0, 1], [0, 1]][:, None], masses[[0, 1], [1, 0]][:, None]
    gaining = np.clip(spent, 0, other)  # a flip where model and label differ makes the model right
    losing = np.clip(spent, 0, same)
    differ = gaining * shares + (spent - losing) * (1 - shares)
    agree = spent - differ
    true = np.empty((*differ.shape[::2], 2, 2))
    for label in (0, 1):
        true[..., label, label] = masses[label, label] - agree[:, label] + differ[:, 1 - label]
        true[..., 1 - label, label] = masses[1 - label, label] - differ[:, 1 - label] + agree[:, label]
    return np.asarray(evaluate(question, Table(np.maximum(true, 0.0), table.task), convention))


def _searched(
    values: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ends: tuple[float, float],
    knots: NDArray[np.float64],
    sign: float,
) -> float:
    """Return the extreme over a line: a grid with the kinks in it, then closer looks around the best point."""
    inside = knots[(knots > ends[0]) & (knots < ends[1])]
    points = np.unique(np.concatenate([np.linspace(*ends, _GRID), inside]))
    found = math.nan
    for _ in range(_ROUNDS):
        seen = sign * values(points).reshape(len(points), -1)
        seen = np.where(np.isnan(seen), -np.inf, seen).max(axis=1)
        best = int(np.argmax(seen))
        if np.isneginf(seen[best]):
            return found if not math.isnan(found) else math.nan
        found = float(seen[best]) if math.isnan(found) else max(found, float(seen[best]))
        around = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
        if around[1] - around[0] <= 1e-15:
            break
        points = np.linspace(*around, _ZOOM)
    return sign * found
