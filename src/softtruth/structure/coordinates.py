"""What is left of a problem when the class frequencies are taken off: the rates, and whose are better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

BY_PAIRS = ("multiclass", "ordinal")  # tasks whose classes exclude each other: what was taken for what is free


def statistic_of(given: Any) -> Any:
    """Return a statistic, also of what holds one (an IndicatorMatrix).

    Raises
    ------
    InputError
        If it is something else.
    """
    found = getattr(given, "statistic", given)
    if not hasattr(type(found), "cells"):
        msg = f"the statistic is {shown(given)}, expected cells, a table, examples, or an IndicatorMatrix."
        raise InputError(msg)
    return found


def degrees_of_freedom(statistic: Any) -> int:
    """How many numbers say all that a classifier does to these classes, whatever their frequencies?

    2 for a binary problem (recall and specificity), K(K-1) for K classes that exclude each other (the rates of each
    error), 2m for m labels. A suite of more measures repeats itself.

    Examples
    --------
    >>> from softtruth import Table
    >>> degrees_of_freedom(Table.of([[8, 2, 0], [1, 7, 2], [0, 1, 9]]))
    6
    """
    statistic = statistic_of(statistic)
    if statistic.task in BY_PAIRS:
        k = statistic.classes.n_classes
        return int(k * (k - 1))
    return 2 * int(statistic.cells.n_classes)


def canonical_coordinates(statistic: Any) -> NDArray[np.float64]:
    """Which rates does the classifier have, whatever the class frequencies?

    Returns
    -------
    ndarray
        Shape (K, K) for classes that exclude each other: the share of class k (row) that is predicted as l (column).
        Shape (m, 2) otherwise: recall and specificity of every column. NaN where a class does not occur.

    Examples
    --------
    >>> from softtruth import Cells, Table
    >>> canonical_coordinates(Table.of([[8, 2], [1, 9]])).tolist()
    [[0.8, 0.2], [0.1, 0.9]]
    >>> canonical_coordinates(Cells.of(3, 1, 1, 4)).tolist()
    [[0.75, 0.8]]
    """
    statistic = statistic_of(statistic)
    with quiet():
        if statistic.task in BY_PAIRS:
            table = statistic.table
            return np.asarray(table.masses / table.rows[..., None])
        cells = statistic.cells
        return np.stack([cells.tp / (cells.tp + cells.fn), cells.tn / (cells.tn + cells.fp)], axis=-1)


def dominance(first: Any, second: Any) -> str:
    """Is one classifier better by every measure that falls with errors?

    It is if none of its error rates is higher and one is lower. Otherwise the ranking depends on the measure.

    Parameters
    ----------
    first, second
        Statistics of two predictions of the same reference, or what holds them (IndicatorMatrix).

    Returns
    -------
    {"first", "second", "equal", "neither"}
        Who is better; ``neither`` where it depends on the measure.

    Raises
    ------
    InputError
        If the two are not about the same classes.

    Examples
    --------
    >>> from softtruth import Cells
    >>> dominance(Cells.of(4, 1, 0, 4), Cells.of(3, 1, 1, 4))
    'first'
    >>> dominance(Cells.of(4, 2, 0, 3), Cells.of(3, 1, 1, 4))
    'neither'
    """
    first, second = statistic_of(first), statistic_of(second)
    a, b = _error_rates(first), _error_rates(second)
    if first.task != second.task or a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
        msg = "the two are about different classes; dominance compares two predictions of the same reference."
        raise InputError(msg)
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    better, worse = bool((a < b).any()), bool((a > b).any())
    return "neither" if better and worse else "first" if better else "second" if worse else "equal"


def _error_rates(statistic: Any) -> NDArray[np.float64]:
    """Return the rates of all errors: lower is better."""
    rates = canonical_coordinates(statistic)
    if statistic.task not in BY_PAIRS:
        return 1 - rates
    return rates[~np.eye(len(rates), dtype=bool)]
