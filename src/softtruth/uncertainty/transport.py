"""The K x K tables at the two ends of dependence between ordered classes.

Each example joins two distributions over the same ordered classes. The comonotone coupling pairs low with low and high
with high; the countermonotone one pairs low with high. Where a measure rises with concordance (mass moved from (k, l+1)
and (k+1, l) to (k, l) and (k+1, l+1)), as weighted kappa does for weights |k - l|^q with q >= 1, no coupling of the
examples lies beyond these two (Cambanis, Simons & Stout 1976, Z. Wahrscheinlichkeitstheorie 36:285,
doi:10.1007/BF00532695). Sorting finds both, and no programme is solved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.statistics.table import Table
from softtruth.uncertainty.pulls import pair_slopes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure
    from softtruth.statistics.examples import Examples

_ENTRIES = 500_000  # cumulative shares sorted at a time
_ROUNDING = 1e-9


def end_tables(examples: Examples) -> Table:
    """Return the expected tables of the countermonotone and of the comonotone coupling, (2, K, K)."""
    k = examples.n_classes
    masses = np.zeros((2, k * k))
    for end in (0, 1):
        for part, pairs, mass in _steps(examples, end):
            weighted = mass if examples.weight is None else mass * examples.weight[part, None]
            masses[end] += np.bincount(pairs.ravel(), weights=weighted.ravel(), minlength=k * k)
    return Table(masses.reshape(2, k, k), "multiclass", "countermonotone, comonotone")


def end_pulls(examples: Examples, slopes: NDArray[np.float64], end: int) -> NDArray[np.float64]:
    """Return the influence of every example on a measure with that derivative (K, K) by one of the two tables."""
    pulls = np.empty(len(examples))
    for part, pairs, mass in _steps(examples, end):
        pulls[part] = np.vecdot(slopes.ravel()[pairs], mass)
    return pulls if examples.weight is None else pulls * examples.weight


def _steps(examples: Examples, end: int) -> Iterator[tuple[slice, NDArray[Any], NDArray[np.float64]]]:
    """Yield the pairs of classes that an end gives mass to, as row * K + column, and the mass, each (n, 2K)."""
    k = examples.n_classes
    rows = max(1, _ENTRIES // (2 * k))
    for start in range(0, len(examples), rows):
        part = slice(start, min(start + rows, len(examples)))
        y = np.asarray(examples.reference[part], np.float64)
        p = np.asarray(examples.prediction[part], np.float64)
        reference, prediction, width = _paired(y, p if end else p[:, ::-1])
        yield part, reference * k + (prediction if end else k - 1 - prediction), width


def _paired(y: NDArray[np.float64], p: NDArray[np.float64]) -> tuple[Any, Any, Any]:
    """Return the steps (class of y, class of p, mass) of two distributions laid along each other, each (n, 2K)."""
    n, k = y.shape
    cumulative = np.concatenate([np.cumsum(y, axis=1), np.cumsum(p, axis=1)], axis=1)
    order = np.argsort(cumulative, axis=1, kind="stable")
    width = np.diff(np.take_along_axis(cumulative, order, axis=1), axis=1, prepend=np.zeros((n, 1)))
    of_y = order < k
    reference = np.cumsum(of_y, axis=1) - of_y
    prediction = np.cumsum(~of_y, axis=1) - ~of_y
    return np.minimum(reference, k - 1), np.minimum(prediction, k - 1), width


def follows_concordance(question: Measure, table: Table, convention: Convention) -> bool:
    """Whether the measure moves one way with every elementary gain in concordance at these margins.

    That is asked of its derivative at independence, where what depends on the margins cancels. For a measure that is
    linear in the table once its margins are given, as weighted kappa and mean errors are, the answer holds at every
    table with these margins.
    """
    masses = np.asarray(table.masses, np.float64)
    rows, columns = masses.sum(axis=1), masses.sum(axis=0)
    if not masses.any():
        return True
    independent = replace(table, masses=np.outer(rows, columns) / masses.sum())
    slopes = pair_slopes(question, independent, convention)[np.ix_(np.flatnonzero(rows), np.flatnonzero(columns))]
    gains = slopes[1:, 1:] + slopes[:-1, :-1] - slopes[1:, :-1] - slopes[:-1, 1:]
    slack = _ROUNDING * float(np.abs(slopes).max())
    return bool((gains >= -slack).all() or (gains <= slack).all())
