"""Ranges against the truth of anything that can be asked of two classes, by searching.

A wrong label of two classes flips the truth, so the true table has few enough degrees of freedom to search for the
extremes of any measure, when all that is known of the labels is how often they are right.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.measures.operators import Averaged, evaluate, formula_of
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure

_GRID, _ZOOM = 513, 33  # points of the first search, and of each closer look


def two_class_extremes(
    question: Averaged | Measure, table: Table, accuracy: float, convention: Convention
) -> tuple[float, float]:
    """Return the least and greatest value of any measure of two classes, by searching.

    How much of the label errors falls on the first label fixes the truth's margin, and the trace fixes the rest: two
    numbers, of which a measure that moves one way with the shared mass needs only the ends of the second.
    """
    masses = np.asarray(table.masses, np.float64) / float(table.masses.sum())
    labels, wrong = masses.sum(axis=1), 1 - accuracy
    first = max(0.0, wrong - labels[1]), min(wrong, labels[0])
    measure = formula_of(question)
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
    while True:
        seen = sign * values(points).reshape(len(points), -1)
        seen = np.where(np.isnan(seen), -np.inf, seen).max(axis=1)
        best = int(np.argmax(seen))
        if np.isneginf(seen[best]):
            break
        found = float(seen[best]) if math.isnan(found) else max(found, float(seen[best]))
        around = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
        if around[1] - around[0] <= 1e-15:
            break
        points = np.linspace(*around, _ZOOM)
    return sign * found
