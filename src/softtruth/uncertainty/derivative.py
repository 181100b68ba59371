"""One derivative for every measure: the formula itself, evaluated with a small imaginary step.

For an analytic f, Im f(x + ih) / h is the derivative to full precision for a tiny h, since nothing is subtracted
(Squire & Trapp 1998, SIAM Rev. 40:110, doi:10.1137/S003614459631241X). Formulas reach the array library only through
``_arrays``, whose functions accept complex numbers, so no measure needs a gradient of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.conventions import Convention, settle
from softtruth.measures.operators import Averaged, evaluate, macro, micro

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table

_STEP = 1e-100  # far below any mass that is not scaled up first, and far above underflow
_LARGEST_BLOCK = 4_000_000  # complex numbers evaluated at a time
_TABLE_BLOCK = 30_000  # the same for tables: what a formula makes on its way stays in cache


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
        return _by_direction(question, cells, convention, columns)
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
    steps = 1j * _STEP * np.eye(4, 5, 1).reshape(4, 5, *[1] * (cells.masses.ndim - 1))
    answers = measure(replace(cells, masses=cells.masses[:, None] + steps))
    return np.asarray(answers[0].real), _where_used(cells, answers[1:].imag / _STEP)


def _where_used(cells: Cells, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the slopes, zero at empty cells: no example pulls there, and a root has an infinite slope at zero."""
    return np.where(cells.masses == 0, 0.0, slopes)


def _by_differences(measure: Measure, cells: Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same for a formula that may not accept complex numbers: central differences.

    The relative step is 1e-6, of a cell that is empty that share of its class; where the formula has no value on one
    side, the other side alone is used.
    """
    step = 1e-6 * np.where(cells.masses > 0, cells.masses, cells.masses.sum(axis=0))
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


def _by_direction(question: Any, cells: Cells, convention: Convention, columns: Any) -> NDArray[np.float64]:
    masses = cells.masses
    k = masses.shape[-1]
    slopes = np.empty((4 * k, *masses.shape[1:-1]))
    block = max(1, _LARGEST_BLOCK // max(1, masses.size))
    for start in range(0, 4 * k, block):
        stop = min(start + block, 4 * k)
        cell, column = np.divmod(np.arange(start, stop), k)
        moved = np.repeat(masses[:, None].astype(complex), stop - start, axis=1)
        moved[cell, np.arange(stop - start), ..., column] += 1j * _STEP
        answers = evaluate(question, replace(cells, masses=moved), convention, columns)
        slopes[start:stop] = np.asarray(answers).imag / _STEP
    return _where_used(cells, np.moveaxis(slopes.reshape(4, k, *masses.shape[1:-1]), 1, -1))


def table_gradient(question: Measure, table: Table, convention: Convention) -> NDArray[np.float64]:
    """Return the derivative of a measure of the table by every entry, (K, K); zero where the table is empty.

    No example pulls at an empty entry. The other directions are tried in blocks, so that memory stays bounded: a full
    table of 100 classes takes seconds, and the time grows with K^2 times the entries in use.
    """
    k = table.n_classes
    flat = table.masses.reshape(-1)
    slopes = np.zeros(flat.size)
    used = np.flatnonzero(flat)
    block = max(1, _TABLE_BLOCK // flat.size)
    for start in range(0, used.size, block):
        entries = used[start : start + block]
        moved = np.repeat(flat[None, :].astype(complex), entries.size, axis=0)
        moved[np.arange(entries.size), entries] += 1j * _STEP
        answers = evaluate(question, replace(table, masses=moved.reshape(-1, k, k), counts=False), convention)
        slopes[entries] = np.asarray(answers).imag / _STEP
    return slopes.reshape(k, k)
