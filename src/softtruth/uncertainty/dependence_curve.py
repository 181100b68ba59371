"""A value at each degree of dependence between a soft reference and a soft prediction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.conventions import Convention, convention_of
from softtruth.errors import InputError, shown
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupling import INDEPENDENT, LEAST, MOST
from softtruth.statistics.means import Means
from softtruth.uncertainty.dependence import by_class, tables_of, why_fixed
from softtruth.uncertainty.pulls import value_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.examples import Examples


def dependence_curve(
    question: Averaged | Measure,
    statistic: Any,
    rhos: ArrayLike,
    *,
    convention: str | Convention = Convention.EXCLUDE,
    columns: Any = None,
) -> NDArray[np.float64]:
    """What is the value at each degree of dependence, from -1 (least shared mass) over 0 (independence) to 1 (most)?

    The shared mass of every entry is the mixture ``(1 - |rho|) y p + |rho| end``, so that all cells are.

    Parameters
    ----------
    question, statistic, convention, columns
        As in ``dependence_bounds``.
    rhos : array-like
        Degrees of dependence in [-1, 1].

    Returns
    -------
    ndarray
        One value for each rho, the same everywhere where one side is crisp.

    Raises
    ------
    InputError
        If a rho lies outside [-1, 1].
    NotAnswerableError
        As in ``dependence_bounds``.
    """
    rho = np.atleast_1d(np.asarray(rhos, np.float64))
    if rho.ndim != 1 or not np.all(np.abs(rho) <= 1):
        msg = f"rhos are {shown(rhos)}, expected numbers from -1 (least shared mass) to 1 (most)."
        raise InputError(msg)
    convention = convention_of(convention)
    if why_fixed(statistic):
        return np.full(rho.shape, value_of(question, statistic, convention, columns))
    if isinstance(question, Averaged) and question.operator is exemplar:
        return _exemplar_curve(question.measure, statistic, rho, convention, columns)
    if not isinstance(question, Averaged) and question.rung == "table" and statistic.task != "binary":
        independent = replace(statistic, coupling=INDEPENDENT).table
        least, most = tables_of(question, statistic, convention).masses
        masses = _mixed(np.stack([least, independent.masses, most]), rho[:, None, None])
        return np.asarray(evaluate(question, replace(independent, masses=masses), convention, columns))
    if not isinstance(question, Averaged):
        statistic = by_class(question, statistic)
    cells = statistic.cells_under([LEAST, INDEPENDENT, MOST])
    masses = _mixed(np.moveaxis(cells.masses, 1, 0)[:, :, None], rho[:, None])
    return np.asarray(evaluate(question, replace(cells, masses=masses), convention, columns))


def _mixed(three: NDArray[np.float64], rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mixture of what ``least``, ``independent`` and ``most`` give."""
    least, independent, most = three
    return np.asarray((1 - np.abs(rho)) * independent + np.maximum(rho, 0) * most + np.maximum(-rho, 0) * least)


def _exemplar_curve(
    measure: Measure, examples: Examples, rho: NDArray[np.float64], convention: Convention, columns: Any
) -> NDArray[np.float64]:
    totals = [Means() for _ in rho]
    blocks = (replace(examples, coupling=c).rows(columns) for c in (LEAST, INDEPENDENT, MOST))
    for (part, least), (_, independent), (_, most) in zip(*blocks, strict=True):
        weight = None if examples.example_weight is None else examples.example_weight[part]
        three = np.stack([least, independent, most])
        for i, each in enumerate(rho):
            with quiet():
                values = measure.formula(Cells(_mixed(three, each)), *measure.parameters)
            totals[i] += Means.of(values, weight)
    return np.array([total.value(convention) for total in totals])
