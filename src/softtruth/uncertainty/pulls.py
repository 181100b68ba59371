"""How much each example pulls a value: the influences that intervals, comparisons and bootstraps share.

A value is a function of totals over examples, so to first order it moves by ``h_i = gradient . cells_i`` when example
i is counted once more. For ratios the ``h_i`` sum to zero.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.statistics.cells import Cells, power_of_two
from softtruth.statistics.examples import Examples
from softtruth.statistics.means import Means
from softtruth.statistics.table import LARGEST_TABLE
from softtruth.uncertainty.derivative import gradient, table_gradient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure


def _blocks(measure: Measure, examples: Examples, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    for part, cells in examples.rows(columns):
        with quiet():  # cells of rows are of ordinary size: no need to look for extremes
            yield part, measure.formula(Cells(cells, "binary", examples.coupling.name), *measure.parameters)


def example_values(measure: Measure, examples: Examples, columns: Any = None) -> NDArray[np.float64]:
    """Return the measure of every example, pooled over its columns; NaN where it is undefined."""
    values = np.empty(examples.n)
    for part, block in _blocks(measure, examples, columns):
        values[part] = block
    return values


def example_means(measure: Measure, examples: Examples, columns: Any = None) -> Means:
    """Return the mean of a measure over the examples; hard unweighted multiclass data are answered from their table."""
    if (
        examples.indexed
        and examples.task == "multiclass"
        and examples.within is None
        and examples.weight is None
        and columns is None
        and examples.n_classes <= LARGEST_TABLE
        and len(examples)
    ):
        k = examples.n_classes
        # A row is right or wrong, and that is all its cells say.
        outcomes = Cells(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [k - 1.0, max(k - 2.0, 0.0)]]), "multilabel")
        values = measure(outcomes)
        right = float(np.add.reduce(examples.table.diagonal))
        return Means.of_counts(values, np.array([right, len(examples) - right]))
    weight = examples.example_weight
    blocks = (
        Means.of(values, None if weight is None else weight[part])
        for part, values in _blocks(measure, examples, columns)
    )
    return sum(blocks, Means())


def value_of(question: Averaged | Measure, statistic: Any, convention: Convention, columns: Any) -> float:
    """Return the value of any question, as ``IndicatorMatrix.compute`` does."""
    if isinstance(question, Averaged) and question.operator is exemplar and isinstance(statistic, Examples):
        return example_means(question.measure, statistic, columns).value(convention)
    return float(evaluate(question, statistic, convention, columns))


def slopes_of(
    question: Averaged | Measure, statistic: Any, convention: Convention, columns: Any
) -> NDArray[np.float64]:
    """Return the derivative of a value by every cell of the statistic, (4, K)."""
    cells = statistic.cells
    factor = power_of_two(cells.masses) or 1.0
    if factor != 1.0:
        cells = Cells(cells.masses * factor, cells.task, cells.coupling)
    with quiet():  # the slope at masses of the smallest numbers may be infinite
        return gradient(question, cells, convention, columns) * factor


def of_pairs(question: Averaged | Measure, statistic: Any) -> bool:
    """Whether a value depends on which class was taken for which, so that its derivative is one by pairs of classes."""
    if isinstance(question, Averaged) or question.rung == "cells":
        return False
    return question.rung == "table" or statistic.task == "ordinal"


def pair_slopes(
    question: Averaged | Measure, statistic: Any, convention: Convention, columns: Any = None
) -> NDArray[np.float64]:
    """Return the influence of an example of each (reference, predicted) class on any value, (K, K).

    For a measure of the table it is 0 where the table is empty.
    """
    table = statistic.table
    if isinstance(question, Averaged) or not of_pairs(question, statistic):
        slopes = slopes_of(question, statistic, convention, columns)
        if table.task == "ordinal":
            return threshold_pulls(slopes)
        return pair_pulls(slopes, table.n_classes, binary=table.task == "binary")
    factor = power_of_two(table.masses) or 1.0
    table = table if factor == 1 else replace(table, masses=table.masses * factor)
    if question.rung == "table":
        return table_gradient(question, table, convention) * factor
    return pair_pulls(gradient(question, table.classes, convention, columns), table.n_classes, binary=False) * factor


def example_pulls(
    question: Averaged | Measure, examples: Examples, convention: Convention, columns: Any = None
) -> NDArray[np.float64]:
    """Return the influence of every example on a value, times its weight, (N,).

    Parameters
    ----------
    question
        What is asked, under any operator.
    examples, convention, columns
        As everywhere.
    """
    if not (isinstance(question, Averaged) and question.operator is exemplar):
        if of_pairs(question, examples):
            pairs = pair_slopes(question, examples, convention, columns)
            if examples.task == "binary":  # its four cells are the table, under any coupling
                (tn, fp), (fn, tp) = pairs
                return influences(np.array([[tp], [fp], [fn], [tn]]), examples)
            return pair_influences(pairs, examples)
        return influences(slopes_of(question, examples, convention, columns), examples)
    values, weight = settled_values(question.measure, examples, convention, columns)
    whole = weight.sum()
    with quiet():
        pulls = weight * (values - np.dot(weight, values) / whole) / whole
    return examples.at_first_parts(pulls)


def settled_values(
    measure: Measure, examples: Examples, convention: Convention, columns: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the measure of every example under the convention, and its weight: 0 where it does not count."""
    values = example_values(measure, examples, columns)
    weight = np.ones(len(values)) if examples.example_weight is None else examples.example_weight
    undefined = np.isnan(values)
    if not undefined.any():
        return values, weight
    number = convention.substitute
    if number is not None:
        return np.where(undefined, number, values), weight
    return np.where(undefined, 0.0, values), np.where(undefined, 0.0, weight)


def influences(slopes: NDArray[np.float64], examples: Examples) -> NDArray[np.float64]:
    """Return the influence of every example on a value with that gradient (4, K) by its cell totals."""
    if examples.indexed:
        of_labels = _threshold_pulls if examples.task == "ordinal" else _class_pulls
        pulls = of_labels(slopes, examples.reference, examples.prediction)
    else:
        pulls = np.empty(len(examples))
        for part, cells in examples.entries():
            pulls[part] = np.einsum("ck,cnk->n", slopes, cells)
    return pulls if examples.weight is None else pulls * examples.weight


def pair_influences(pairs: NDArray[np.float64], examples: Examples) -> NDArray[np.float64]:
    """Return the influence of every example, given that of each (reference, predicted) class, (K, K)."""
    if examples.indexed:
        pulls = pairs[examples.reference, examples.prediction]
    else:
        pulls = np.empty(len(examples))
        for part, y, p in examples.class_shares():
            pulls[part] = np.einsum("nk,kl,nl->n", y, pairs, p, optimize=True)
    return pulls if examples.weight is None else pulls * examples.weight


def threshold_pulls(slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the influence of an example of each pair of grades, (K, K), of slopes (4, K - 1) by the thresholds."""
    grades = np.arange(slopes.shape[-1] + 1)
    return _threshold_pulls(slopes, grades[:, None], grades)


def _threshold_pulls(slopes: NDArray[np.float64], y: NDArray[Any], p: NDArray[Any]) -> NDArray[np.float64]:
    """Return the influence of examples of grades y and p: both are above each threshold below the lower, and so on."""
    tp, fp, fn, tn = np.cumsum(np.pad(slopes, ((0, 0), (1, 0))), axis=-1)  # entry j: of the thresholds below j
    low, high = np.minimum(y, p), np.maximum(y, p)
    between = np.where(y > p, fn[high] - fn[low], fp[high] - fp[low])
    return np.asarray(tp[low] + between + (tn[-1] - tn[high]))


def pair_pulls(slopes: NDArray[np.float64], n_classes: int, *, binary: bool) -> NDArray[np.float64]:
    """Return the influence of an example of each (reference, predicted) class, (..., K, K), of slopes (4, ..., K)."""
    if binary:
        tp, fp, fn, tn = slopes[..., 0]
        return np.moveaxis(np.array([[tn, fp], [fn, tp]]), (0, 1), (-2, -1))
    each = np.arange(n_classes)
    return _class_pulls(slopes, each[:, None], each)


def _class_pulls(slopes: NDArray[np.float64], y: NDArray[Any], p: NDArray[Any]) -> NDArray[np.float64]:
    """Return the influence of examples of classes y and p, which are true negatives of every other class."""
    tp, fp, fn, tn = slopes
    y, p = np.broadcast_arrays(y, p)  # so that both are the last axes, whatever stands in front of the classes
    rest = tn.sum(-1).reshape(*tn.shape[:-1], *(1,) * y.ndim)
    return np.where(y == p, rest + (tp - tn)[..., y], rest + (fn - tn)[..., y] + (fp - tn)[..., p])


def variance_of(pulls: NDArray[np.float64], examples: Examples, *, corrected: bool) -> Any:
    """Return the variance of a value (or of several, one in each column) from the influences of the examples.

    Parameters
    ----------
    pulls
        Influences, (N,) or (N, values).
    examples
        Their weights and clusters.
    corrected
        Whether the factor N/(N-1) is due where there are no clusters; between G clusters it is always G/(G-1).
    """
    groups = examples.clusters
    if examples.weight is not None:
        counted = examples.weight > 0
        pulls, groups = pulls[counted], None if groups is None else groups[counted]
    return clustered_variance(pulls, groups, corrected=corrected)


def clustered_variance(pulls: NDArray[np.float64], groups: NDArray[Any] | None, *, corrected: bool = True) -> Any:
    """Return the variance of a value (or of several, one in each column) from influences, added within clusters.

    With two clusterings that cross, such as items and annotators, it is the sum of both variances less that of their
    intersection, and at least the larger one (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29:238,
    doi:10.1198/jbes.2010.07136).

    Parameters
    ----------
    pulls
        Influences, (N,) or (N, values).
    groups
        Cluster codes, (N,), or (N, 2) for two clusterings; None where there are none.
    corrected
        As in ``variance_of``.
    """
    spreads = [(sign, _spread(x, corrected=corrected or groups is not None)) for sign, x in clusterings(pulls, groups)]
    whole = sum(sign * spread for sign, spread in spreads)
    return np.maximum.reduce([whole, *(spread for sign, spread in spreads if sign > 0)])[()]


def clusterings(pulls: NDArray[np.float64], groups: NDArray[Any] | None) -> list[tuple[int, NDArray[np.float64]]]:
    """Return the influences added within clusters, each time with the sign with which its squares count.

    With two clusterings that cross, what both have in common is counted twice and taken off once.
    """
    if groups is None:
        return [(1, pulls)]
    if groups.ndim == 1:
        return [(1, within(pulls, groups))]
    return [*((1, within(pulls, codes)) for codes in groups.T), (-1, within(pulls, crossing(groups)))]


def crossing(groups: NDArray[Any]) -> NDArray[Any]:
    """Return one code for each pair of codes, (N, 2) to (N,)."""
    first, second = groups.T
    return np.asarray(first * (int(second.max(initial=0)) + 1) + second)


def within(pulls: NDArray[np.float64], groups: NDArray[Any]) -> NDArray[np.float64]:
    """Return the influences added within each group that occurs."""
    codes = np.unique(groups, return_inverse=True)[1]
    if pulls.ndim == 1:
        return np.bincount(codes, weights=pulls).astype(np.float64)
    from scipy.sparse import csr_matrix

    member = csr_matrix((np.ones(codes.size), (codes, np.arange(codes.size))))
    return np.asarray(member @ pulls)


def _spread(pulls: NDArray[np.float64], *, corrected: bool) -> Any:
    n = pulls.shape[0]
    if n < 2:
        return np.full(pulls.shape[1:], math.nan)[()]
    spread = ((pulls - pulls.mean(axis=0)) ** 2).sum(axis=0)
    return spread * n / (n - 1) if corrected else spread
