"""The least and the greatest value of a measure while only the shared mass moves, margins being fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.statistics.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure

_INSIDE = 2.0**-100  # so near an end that nothing but a structural zero changes
_GRID = np.linspace(0, 1, 129)
_ROUNDS = 5
_PARTS = 4096  # searched at a time: 129 values of four cells each fit in a cache of ordinary size


def ends_of(measure: Measure, ends: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the greatest value of every part.

    Parameters
    ----------
    measure
        A measure of cells. Where it moves one way with the shared mass (its trait ``joint``), the ends are the answer;
        where it dips to zero at independence, that decides; any other is searched on a grid that is refined around the
        best point.
    ends : ndarray, shape (4, 2, P)
        The cells of each part at its least and at its most shared mass.
    """

    def at(cells: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(measure(Cells(cells, "multilabel")))

    values = _with_limits(at, ends)
    low, high = values.min(axis=0), values.max(axis=0)
    if measure.joint == "dips":
        tp, fp, fn, _ = ends
        with quiet():
            chance = (tp + fn)[0] * (tp + fp)[0] / ends[:, 0].sum(axis=0)
        return np.where((tp[0] <= chance) & (chance <= tp[1]) & ~np.isnan(low), 0.0, low), high
    if measure.joint in ("rises", "falls", "constant"):
        return low, high
    for start in range(0, low.size, _PARTS):
        part = slice(start, start + _PARTS)
        low[part] = np.fmin(low[part], -_highest(lambda cells: -at(cells), ends[..., part]))
        high[part] = np.fmax(high[part], _highest(at, ends[..., part]))
    return low, high


def _with_limits(
    at: Callable[[NDArray[np.float64]], NDArray[np.float64]], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values at both ends, (2, P); where there is none at an end but there are inside, their limit."""
    values = at(ends)
    missing = np.isnan(values)
    if missing.any():
        values = np.where(missing, at((1 - _INSIDE) * ends + _INSIDE * ends[:, ::-1]), values)
    return values


def _highest(
    at: Callable[[NDArray[np.float64]], NDArray[np.float64]], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    parts = np.arange(ends.shape[-1])
    below, above = np.zeros(parts.size), np.ones(parts.size)
    best = np.full(parts.size, -np.inf)
    for _ in range(_ROUNDS):
        share = below + (above - below) * _GRID[:, None]
        values = at((1 - share) * ends[:, :1] + share * ends[:, 1:])
        values = np.where(np.isnan(values), -np.inf, values)
        top = values.argmax(axis=0)
        best = np.maximum(best, values[top, parts])
        below, above = share[np.maximum(top - 1, 0), parts], share[np.minimum(top + 1, _GRID.size - 1), parts]
    return np.where(np.isneginf(best), np.nan, best)
