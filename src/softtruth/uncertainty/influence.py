"""Sampling intervals by linearisation: how much each example pulls the value.

A value is a function of totals over examples, so to first order it moves by ``h_i = gradient . cells_i`` when example
i is counted once more. Its squared standard error is the sum of the squared influences: times N/(N-1) for soft and
weighted data, added within clusters and times G/(G-1) for clustered data, and as it stands for hard counts, where it
is the multinomial delta variance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.conventions import Convention, convention_of
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.statistics.cells import Cells, power_of_two
from softtruth.statistics.examples import Examples
from softtruth.statistics.means import Means
from softtruth.statistics.table import LARGEST_TABLE, Table
from softtruth.uncertainty.derivative import gradient
from softtruth.uncertainty.interval import checked_level, wald, wilson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.moments import Moments
    from softtruth.uncertainty.interval import Interval

INDEPENDENT = "examples drawn independently"
CLUSTERED = "clusters drawn independently"


def _blocks(measure: Measure, examples: Examples, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    for part, cells in examples.rows(columns):
        with quiet():  # cells of rows are of ordinary size: no need to look for extremes
            yield part, measure.formula(Cells(cells, "binary", examples.coupling.name), *measure.parameters)


def example_values(measure: Measure, examples: Examples, columns: Any = None) -> NDArray[np.float64]:
    """Return the measure of every example, pooled over its columns; NaN where it is undefined."""
    values = np.empty(len(examples))
    for part, block in _blocks(measure, examples, columns):
        values[part] = block
    return values


def example_means(measure: Measure, examples: Examples, columns: Any = None) -> Means:
    """Return the mean of a measure over the examples; hard unweighted multiclass data are answered from their table."""
    if (
        examples.indexed
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
    weight = examples.weight
    blocks = (
        Means.of(values, None if weight is None else weight[part])
        for part, values in _blocks(measure, examples, columns)
    )
    return sum(blocks, Means())


def influence_interval(
    question: Averaged | Measure,
    statistic: Examples | Table | Cells,
    *,
    convention: str | Convention = Convention.EXCLUDE,
    columns: Any = None,
    level: float = 0.95,
    moments: Moments | None = None,
) -> Interval:
    """Return the value with its sampling interval.

    Parameters
    ----------
    question
        What is asked.
    statistic
        The examples; or a table of hard unweighted counts; or cells, with ``moments`` for soft or weighted streams.
    convention, columns, level
        As everywhere.
    moments
        Second moments of the example cells.
    """
    convention, level = convention_of(convention), checked_level(level)
    clusters = statistic.clusters if isinstance(statistic, Examples) else None
    assumption = INDEPENDENT if clusters is None else CLUSTERED
    if isinstance(question, Averaged) and question.operator is exemplar:
        return _of_exemplar(question, statistic, convention, columns=columns, level=level, assumption=assumption)
    value = float(evaluate(question, statistic, convention, columns))
    limits = question.measure.range if isinstance(question, Averaged) else question.range
    if math.isnan(value):
        return wald(value, math.nan, level, limits, assumption=assumption)
    hard = (statistic.hard and statistic.weight is None) if isinstance(statistic, Examples) else moments is None
    if hard and clusters is None:
        counts = _binomial(question, statistic.cells, columns)
        if counts is not None:
            return wilson(*counts, level, assumption=assumption)
    if not limits[0] < value < limits[1]:  # on the edge, or past it by rounding
        return wald(value, 0.0, level, limits, assumption=assumption)
    variance = _variance(question, statistic, convention, columns, moments)
    error = math.sqrt(variance) if variance >= 0 else math.nan
    # A standard error at the size of rounding is none: every example pulls alike.
    return wald(value, error, level, limits, assumption=assumption)


def _variance(question: Any, statistic: Any, convention: Convention, columns: Any, moments: Moments | None) -> float:
    cells = statistic.cells
    factor = power_of_two(cells.masses) or 1.0
    if factor != 1.0:
        cells = Cells(cells.masses * factor, cells.task, cells.coupling)
    slopes = gradient(question, cells, convention, columns) * factor
    if moments is not None:
        return moments.variance(slopes)
    if isinstance(statistic, Examples):
        plain = statistic.hard and statistic.weight is None and statistic.clusters is None
        if not (plain and statistic.indexed and statistic.n_classes <= LARGEST_TABLE):
            return variance_of(influences(slopes, statistic), statistic, corrected=not plain)
    table: Table = statistic.table
    pulls = _pull_of_pair(slopes, table.n_classes, binary=table.task == "binary")
    n = float(table.masses.sum())
    centre = float((table.masses * pulls).sum()) / n
    return float((table.masses * (pulls - centre) ** 2).sum())


def variance_of(pulls: NDArray[np.float64], examples: Examples, *, corrected: bool) -> float:
    """Return the variance of a value from the influences of the examples, added within clusters where there are any."""
    if examples.weight is not None and examples.clusters is None:
        pulls = pulls[examples.weight > 0]
    if examples.clusters is not None:
        counted = examples.clusters if examples.weight is None else examples.clusters[examples.weight > 0]
        pulls = np.bincount(examples.clusters, weights=pulls)[np.unique(counted)]
        corrected = True
    n = pulls.size
    if n < 2:
        return math.nan
    spread = float(((pulls - pulls.mean()) ** 2).sum())
    return spread * n / (n - 1) if corrected else spread


def influences(slopes: NDArray[np.float64], examples: Examples) -> NDArray[np.float64]:
    """Return the influence of every example on a value with that gradient (4, K) by its cell totals."""
    if examples.indexed and examples.n_classes <= LARGEST_TABLE:
        pulls = _pull_of_pair(slopes, examples.n_classes, binary=False)[examples.reference, examples.prediction]
    else:
        pulls = np.empty(len(examples))
        for part, cells in examples.entries():
            pulls[part] = np.einsum("ck,cnk->n", slopes, cells)
    return pulls if examples.weight is None else pulls * examples.weight


def _pull_of_pair(slopes: NDArray[np.float64], n_classes: int, *, binary: bool) -> NDArray[np.float64]:
    """Return the influence of an example of each (reference, predicted) class, (K, K)."""
    if binary:
        tp, fp, fn, tn = slopes[:, 0]
        return np.array([[tn, fp], [fn, tp]])
    tp, fp, fn, tn = slopes
    pulls = tn.sum() + (fn - tn)[:, None] + (fp - tn)[None, :]
    pulls[np.arange(n_classes), np.arange(n_classes)] = tn.sum() + tp - tn
    return pulls


def _of_exemplar(
    question: Averaged, statistic: Any, convention: Convention, *, columns: Any, level: float, assumption: str
) -> Interval:
    limits = question.measure.range
    if not isinstance(statistic, Examples):
        value = float(evaluate(question, statistic, convention, columns))  # refuses, and says what would answer
        return wald(value, math.nan, level, limits, assumption=assumption)
    corrected = not (statistic.hard and statistic.weight is None)
    if statistic.clusters is None:
        means = example_means(question.measure, statistic, columns)
        return wald(
            means.value(convention),
            means.standard_error(convention, corrected=corrected),
            level,
            limits,
            assumption=assumption,
        )
    values = example_values(question.measure, statistic, columns)
    means = Means.of(values, statistic.weight)
    value = means.value(convention)
    if math.isnan(value):
        return wald(value, math.nan, level, limits, assumption=assumption)
    weight = np.ones(len(values)) if statistic.weight is None else statistic.weight
    number = convention.substitute
    if number is not None:
        values = np.where(np.isnan(values), number, values)
    weight = np.where(np.isnan(values), 0.0, weight)
    pulls = weight * (np.where(weight > 0, values, 0.0) - value) / weight.sum()
    variance = variance_of(pulls, statistic, corrected=True)
    return wald(value, math.sqrt(variance) if variance >= 0 else math.nan, level, limits, assumption=assumption)


def _binomial(question: Averaged | Measure, cells: Cells, columns: Any) -> tuple[float, float] | None:
    """Return successes and trials where the value is a plain proportion of one column of counts, or of all examples."""
    if not isinstance(question, Averaged):
        if question.name != "accuracy":
            return None
        both = cells.classes
        return float(both.tp.sum()), float((both.tp + both.fn).sum())
    linear = question.measure.linear
    part = cells.subset(columns)
    if linear is None or part.n_classes != 1 or not set(linear[0]) | set(linear[1]) <= {0.0, 1.0}:
        return None
    if sum(linear[1]) == 3:
        return None
    if any(a > b for a, b in zip(*linear, strict=True)):
        return None
    counts = part.masses[:, 0]
    return float(np.dot(linear[0], counts)), float(np.dot(linear[1], counts))
