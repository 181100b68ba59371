"""One derivative for every measure: that of the formula itself, so that no measure needs a gradient of its own.

Where a value hangs on its own four cells, the formula is evaluated with a small imaginary step. For an analytic f,
Im f(x + ih) / h is the derivative to full precision for a tiny h, since nothing is subtracted (Squire & Trapp 1998,
SIAM Rev. 40:110, doi:10.1137/S003614459631241X). Where one value hangs on all classes, the formula is followed once and
its chain rule walked backwards (see ``reverse``): the time is that of a few values, however many classes there are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.conventions import Convention, settle
from softtruth.measures.operators import Averaged, evaluate, macro, micro
from softtruth.uncertainty.reverse import Followed, slopes_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table

_DIFFERENCE = 1e-6  # as a share of each mass, where real steps have to do
_STEP = 1e-20  # as a share of each mass: its square is below the last digit, and nothing underflows


def gradient(
    question: Averaged | Measure, cells: Cells, convention: Convention, columns: Any = None
) -> NDArray[np.float64]:
    """Return the derivative of the answer by every cell, (4, ..., K); zero for classes that take no part.

    Parameters
    ----------
    question
        A measure of cells under micro, macro or weighted, or a measure of the diagonal and margins.
    cells
        The cells (4, ..., K) of the data, of ordinary size: axes between are carried along.
    convention
        What undefined parts become: they then have no influence.
    columns
        The classes that take part; None for all.
    """
    if not isinstance(question, Averaged):
        masses = cells.masses
        each = ((cell, ..., k) for cell in range(4) for k in range(cells.n_classes))
        return _of_all(lambda x: evaluate(question, replace(cells, masses=x), convention, columns), masses, each)
    result = np.zeros(cells.masses.shape)
    part = cells.subset(columns)
    where = slice(None) if columns is None else columns
    if question.operator is micro:
        result[..., where] = _of_each(question.measure, part.pooled)[1]
        return result
    values, slopes = _of_each(question.measure, part)
    counted = np.isfinite(values)
    values = settle(values, convention)
    slopes = np.where(counted, slopes, 0.0)
    if convention is not Convention.EXCLUDE:
        counted = ~np.isnan(values)
    if question.operator is macro:
        result[..., where] = slopes / np.maximum(np.count_nonzero(counted, axis=-1, keepdims=True), 1)
        return result
    weights = np.where(counted, part.positives, 0.0)
    whole = np.add.reduce(weights, -1, keepdims=True)
    with quiet():
        mean = np.add.reduce(weights * np.where(weights > 0, values, 0.0), -1, keepdims=True) / whole
        own = np.where(weights > 0, (values - mean) / whole, 0.0)
        mine = np.where(whole > 0, slopes * (weights / whole), 0.0)
    mine[[0, 2]] += own  # the weight of a class is its tp + fn
    result[..., where] = mine
    return result


def _of_each(measure: Measure, cells: Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values (..., K) of a measure and their derivatives (4, ..., K) by the cells of the same class."""
    if not measure.analytic:
        return _by_differences(measure, cells)
    # The first is not moved: where a value is 0/0, that of moved cells is not.
    steps = 1 + 1j * _STEP * np.eye(4, 5, 1).reshape(4, 5, *[1] * (cells.masses.ndim - 1))
    answers = measure(replace(cells, masses=cells.masses[:, None] * steps))
    return np.asarray(answers[0].real), _per_mass(answers[1:].imag, cells.masses)


def _per_mass(moved: NDArray[np.float64], masses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return slopes from what steps of a share of each mass did.

    They are zero where nothing is: no example pulls there, and a root has an infinite slope at zero.
    """
    with quiet():
        return np.where(masses == 0, 0.0, moved / (_STEP * masses))


def _by_differences(measure: Measure, cells: Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same for a formula that may not accept complex numbers: central differences.

    The relative step is 1e-6, of a cell that is empty that share of its class; where the formula has no value on one
    side, the other side alone is used.
    """
    step = _DIFFERENCE * np.where(cells.masses > 0, cells.masses, cells.masses.sum(axis=0))
    back = np.where(cells.masses > 0, step, 0.0)
    unit = np.eye(4).reshape(4, 4, *[1] * (cells.masses.ndim - 1))
    values = measure(cells)
    ahead, behind = (
        measure(replace(cells, masses=cells.masses[:, None] + unit * move[:, None])) for move in (step, -back)
    )
    with quiet():
        both = (ahead - behind) / (step + back)
        one_side = np.where(np.isfinite(ahead), (ahead - values) / step, (values - behind) / back)
    slopes = np.where(np.isfinite(both), both, one_side)
    return np.asarray(values), np.where(np.isfinite(slopes), slopes, 0.0)


def table_gradient(question: Measure, table: Table, convention: Convention) -> NDArray[np.float64]:
    """Return the derivative of a measure of the table by every entry, (..., K, K); zero where the table is empty."""
    k = table.n_classes
    each = ((..., i, j) for i in range(k) for j in range(k))
    made = replace(table, counts=False)
    return _of_all(lambda x: evaluate(question, replace(made, masses=x), convention), table.masses, each)


def _of_all(
    ask: Callable[[Any], Any], masses: NDArray[np.float64], each: Iterable[tuple[Any, ...]]
) -> NDArray[np.float64]:
    """Return the derivative of an answer by all masses; where the formula cannot be followed, by one after the other.

    A formula of one's own may call NumPy by itself, also functions such as ``abs`` that make nothing of an imaginary
    step without a word. It is asked a step to both sides of each place.
    """
    entries = Followed(masses)
    with quiet():
        try:
            return np.where(masses == 0, 0.0, slopes_by(ask(entries), entries))
        except (TypeError, AttributeError):  # a fault of the formula's own comes again below
            slopes = np.zeros(masses.shape)
            for at in each:
                ahead, behind = (ask(_times(masses, at, 1 + step)) for step in (_DIFFERENCE, -_DIFFERENCE))
                slopes[at] = (ahead - behind) / (2 * _DIFFERENCE)
            return np.where(masses == 0, 0.0, slopes / masses)


def _times(masses: NDArray[np.float64], at: tuple[Any, ...], factor: float) -> NDArray[np.float64]:
    moved = masses.copy()
    moved[at] *= factor
    return moved
