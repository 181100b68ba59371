"""One number from several folds: pool what was counted, or average what came out."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import Convention, average, convention_of
from softtruth.errors import InputError, shown
from softtruth.measures.catalogue import parse
from softtruth.structure.coordinates import statistic_of
from softtruth.uncertainty.pulls import value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged, Operator


@checked
def over_folds(
    measure: str | Measure | Averaged,
    folds: Iterable[Any],
    *,
    operator: str | Operator = "micro",
    how: str = "pooled",
    convention: str | Convention = Convention.EXCLUDE,
) -> float:
    """What is the value over all folds of a cross-validation?

    Parameters
    ----------
    measure, operator, convention
        As everywhere.
    folds
        A statistic of every fold (cells, a table, examples), or anything with one as its ``statistic``, such as an
        IndicatorMatrix.
    how : {"pooled", "averaged"}
        ``pooled`` adds the folds and asks once; ``averaged`` takes the mean of the folds' values, each with the total
        weight of its fold, undefined ones under the convention. They differ for every measure that is not linear.

    Raises
    ------
    InputError
        If there is no fold, or ``how`` is not known.

    Examples
    --------
    >>> from softtruth import Cells
    >>> folds = [Cells.of(3, 1, 1, 4), Cells.of(0, 0, 2, 7)]
    >>> round(over_folds("f1", folds), 4), over_folds("f1", folds, how="averaged")
    (0.6, 0.375)

    Source: Forman & Scholz 2010, SIGKDD Explor. 12:49, doi:10.1145/1882471.1882479.
    """
    statistics = [statistic_of(fold) for fold in folds]
    if not statistics:
        msg = "there are no folds; expected at least one."
        raise InputError(msg)
    if how not in {"pooled", "averaged"}:
        msg = f"how is {shown(how)}, expected 'pooled' or 'averaged'."
        raise InputError(msg)
    question, under = parse(measure, operator), convention_of(convention)
    if how == "pooled":
        return value_of(question, reduce(add, statistics), under, None)
    values = np.array([value_of(question, statistic, under, None) for statistic in statistics])
    return float(average(values, np.array([_weight(statistic) for statistic in statistics]), under))


def _weight(statistic: Any) -> float:
    """Return the total weight of the examples of a fold."""
    weight = getattr(statistic, "example_weight", None)
    if weight is not None:
        return float(weight.sum())
    if hasattr(statistic, "n"):
        return float(statistic.n)
    return float(np.asarray(statistic.cells.masses)[:, 0].sum())
