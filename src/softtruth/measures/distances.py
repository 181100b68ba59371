"""Measures of the K x K table that know how far classes are apart: weighted kappa and costs.

Classes are grades 0..K-1 in their order, absent ones included, or a matrix says what each confusion weighs.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from softtruth._arrays import constant, magnitude, total
from softtruth.conventions import ratio
from softtruth.errors import InputError, shown
from softtruth.measures.measure import Measure, measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.table import Table

Matrix = tuple[tuple[float, ...], ...]


def checked_matrix(given: Any, name: str) -> Matrix:
    """Return a square matrix of finite numbers as tuples.

    Raises
    ------
    InputError
        If it is something else.
    """
    try:
        entries = given.to_numpy() if hasattr(given, "to_numpy") else given  # iterating a frame gives column names
        rows = tuple(tuple(float(x) for x in row) for row in entries)
    except (TypeError, ValueError):
        msg = f"{name} is {shown(given)}, expected K rows of K numbers."
        raise InputError(msg) from None
    if not rows or any(len(row) != len(rows) for row in rows):
        msg = f"{name} has rows of {sorted({len(row) for row in rows})} numbers, expected K rows of K numbers."
        raise InputError(msg)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not abs(x) < float("inf"):
                msg = f"{name} holds {shown(x)} in row {i}, column {j}, expected a finite number."
                raise InputError(msg)
    return rows


def _weights(t: Table, given: float | Matrix) -> Array:
    if not isinstance(given, tuple):
        grades = constant(range(t.n_classes), t.masses)
        return magnitude(grades[:, None] - grades[None, :]) ** given
    if len(given) != t.n_classes:
        msg = f"the matrix is of {len(given)} classes but the table has {t.n_classes}; expected one row for each class."
        raise InputError(msg)
    return constant(given, t.masses)


def _weighted_kappa(t: Table, weights: float | Matrix) -> Array:
    """How much of the agreement beyond chance is reached, where far errors count more than near ones?

    ``1 - sum W O / sum W E`` with O the table, E what its margins give by chance and ``W = |k - l|^power``, or any
    matrix with a zero diagonal. Undefined when both sides are the same constant.

    >>> from softtruth.statistics import Table
    >>> from softtruth.measures.distances import weighted_kappa
    >>> round(float(weighted_kappa(2)(Table.of([[8, 2, 0], [1, 7, 2], [0, 1, 9]]))), 4)
    0.85

    Source: Cohen 1968, Psychol. Bull. 70:213, doi:10.1037/h0026256.
    """
    w = _weights(t, weights)
    found = total(total(w * t.masses)) * total(t.rows)
    chance = total((t.rows @ w) * t.columns)
    return ratio(chance - found, chance)


def weighted_kappa(weights: Any) -> Measure:
    """Return the weighted kappa of distances between grades, or of a matrix.

    Parameters
    ----------
    weights : float or matrix
        A power of the distance (1 linear, 2 quadratic; above 0, at most 2, where the value stays at or above -1), or K
        rows of K weights of at least 0 with a zero diagonal. With a matrix the measure has no name to be parsed.

    Raises
    ------
    InputError
        If the weights are something else.
    """
    if isinstance(weights, (int, float, str)):
        try:
            power = float(weights)
        except ValueError:
            power = float("nan")
        if not 0 < power <= 2:
            msg = f"weighted_kappa's power is {shown(weights)}, expected a number above 0 and at most 2."
            raise InputError(msg)
        return _kappa_of_power(power)
    matrix = checked_matrix(weights, "weights")
    for i, row in enumerate(matrix):
        if row[i] != 0 or min(row) < 0:
            msg = f"weights row {i} is {shown(list(row))}, expected weights of at least 0, and 0 on the diagonal."
            raise InputError(msg)
    return Measure(
        name="weighted_kappa of a matrix",
        formula=_weighted_kappa,
        rung="table",
        range=(-float("inf"), 1.0),
        symmetric=all(matrix[i][j] == matrix[j][i] for i in range(len(matrix)) for j in range(i)),
        parameters=(matrix,),
    )


@cache
def _kappa_of_power(power: float) -> Measure:
    short = {
        1.0: ("linear_weighted_kappa", ("linear_kappa",)),
        2.0: ("quadratic_weighted_kappa", ("quadratic_kappa", "qwk")),
    }
    name, aliases = short.get(power, (f"weighted_kappa {power!r}", ()))
    return Measure(
        name=name,
        formula=_weighted_kappa,
        rung="table",
        range=(-1.0, 1.0),
        symmetric=True,
        aliases=aliases,
        parameters=(power,),
    )


linear_weighted_kappa = _kappa_of_power(1.0)
quadratic_weighted_kappa = _kappa_of_power(2.0)


@measure(rung="table", better="lower", range=(0.0, float("inf")), joint="falls", traits="symmetric", aliases=("mae",))
def mean_absolute_error(t: Table) -> Array:
    """By how many grades does the prediction miss, on average?

    The mean of ``|k - l|`` over the table. Undefined without data.

    >>> from softtruth.statistics import Table
    >>> round(float(mean_absolute_error(Table.of([[8, 2, 0], [1, 7, 2], [1, 0, 9]]))), 4)
    0.2333

    Source: Gaudette & Japkowicz 2009, Canadian AI, doi:10.1007/978-3-642-01818-3_25.
    """
    return _mean(t, 1.0)


@measure(rung="table", better="lower", range=(0.0, float("inf")), joint="falls", traits="symmetric", aliases=("mse",))
def mean_squared_error(t: Table) -> Array:
    """What is the mean squared number of grades that the prediction misses by?

    The mean of ``(k - l)^2`` over the table. Undefined without data.

    >>> from softtruth.statistics import Table
    >>> round(float(mean_squared_error(Table.of([[8, 2, 0], [1, 7, 2], [1, 0, 9]]))), 4)
    0.3

    Source: Gaudette & Japkowicz 2009, Canadian AI, doi:10.1007/978-3-642-01818-3_25.
    """
    return _mean(t, 2.0)


def _mean(t: Table, weights: float | Matrix) -> Array:
    """What does a prediction cost, on average?

    The mean of a cost matrix (rows the reference) over the table; with a soft side it is the expected cost if both are
    independent. Undefined without data.

    Source: Elkan 2001, IJCAI, The foundations of cost-sensitive learning.
    """
    return ratio(total(total(_weights(t, weights) * t.masses)), total(t.rows))


def mean_cost(matrix: Any) -> Measure:
    """Return the mean cost under a matrix (rows the reference, columns the prediction) as a measure of the table.

    Raises
    ------
    InputError
        If it is not square or a number is not finite.

    Examples
    --------
    >>> from softtruth import Table
    >>> float(mean_cost([[0, 1], [5, 0]])(Table.of([[8, 2], [1, 9]])))
    0.35
    """
    rows = checked_matrix(matrix, "cost")
    every = [x for row in rows for x in row]
    dearer = all(row[i] <= min(row) for i, row in enumerate(rows))
    return Measure(
        name="mean_cost of a matrix",
        formula=_mean,
        rung="table",
        better="lower",
        range=(min(every), max(every)) if min(every) < max(every) else (-float("inf"), float("inf")),
        joint="falls" if dearer else "varies",
        symmetric=all(rows[i][j] == rows[j][i] for i in range(len(rows)) for j in range(i)),
        parameters=(rows,),
    )
