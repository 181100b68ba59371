"""What do the errors cost? A matrix of costs, summed over all examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.errors import InputError
from softtruth.measures.distances import checked_matrix
from softtruth.measures.operators import exemplar, macro, operator_of, weighted
from softtruth.statistics.examples import Examples
from softtruth.structure.coordinates import statistic_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.operators import Operator


@checked
def total_cost(statistic: Any, matrix: Any, operator: str | Operator = "micro", *, normalize: bool = False) -> float:
    """What do the errors cost in all?

    Where a side is soft it is the expected cost if both are independent given their probabilities. ``mean_cost`` is
    the same as a measure, with intervals.

    Parameters
    ----------
    statistic
        Examples, a table, or cells of a binary problem.
    matrix
        K rows (the reference) of K costs (the prediction).
    operator : {"micro", "macro", "exemplar"}
        The sum over all examples; its mean over predicted classes; its mean over examples.
    normalize : bool
        Divide micro and macro by the total weight. With ``|k - l|`` micro is then the mean absolute error.

    Raises
    ------
    InputError
        If the matrix does not fit the classes, or the operator is ``weighted``.

    Examples
    --------
    >>> from softtruth import Table
    >>> total_cost(Table.of([[8, 2], [1, 9]]), [[0, 1], [5, 0]])
    7.0
    """
    operator = operator_of(operator)
    if operator is weighted:
        msg = "a cost has no weighted average over classes; ask for micro, macro or exemplar."
        raise InputError(msg)
    statistic = statistic_of(statistic)
    table = statistic.table
    costs = _fitting(matrix, table.n_classes)
    with quiet():
        by_column = (costs * table.masses).sum(axis=0)
    if not np.isfinite(by_column.sum()):
        msg = "the costs are so large that their sum is no number; divide them all by one number."
        raise InputError(msg)
    whole = float(table.masses.sum())
    if operator is exemplar:
        return float(by_column.sum()) / _examples(statistic, whole)
    cost = float(by_column.mean() if operator is macro else by_column.sum())
    return cost / whole if normalize else cost


@checked
def example_costs(examples: Examples, matrix: Any) -> NDArray[np.float64]:
    """Return the cost of every row, before its weight, (N,).

    Raises
    ------
    InputError
        If the matrix does not fit the classes.
    """
    found = np.empty(len(examples))
    for part, y, p in examples.class_shares():
        found[part] = ((y @ _fitting(matrix, y.shape[1])) * p).sum(axis=1)
    return found


def _examples(statistic: Any, whole: float) -> float:
    """Return the total weight of the examples, which may have several rows each."""
    if not isinstance(statistic, Examples) or statistic.within is None:
        return whole
    weight = statistic.example_weight
    return float(statistic.n if weight is None else weight.sum())


def _fitting(matrix: Any, k: int) -> NDArray[np.float64]:
    costs = np.array(checked_matrix(matrix, "cost"))
    if len(costs) != k:
        msg = f"the cost matrix is of {len(costs)} classes but there are {k}; expected one row for each class."
        raise InputError(msg)
    return costs
