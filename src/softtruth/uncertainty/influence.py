"""Sampling intervals by linearisation: how much each example pulls the value.

A value is a function of totals over examples, so to first order it moves by ``h_i = gradient . cells_i`` when example
i is counted once more. Its squared standard error is the sum of the squared influences: times N/(N-1) for soft and
weighted data, added within clusters and times G/(G-1) for clustered data, and as it stands for hard counts, where it
is the multinomial delta variance.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import Table
from softtruth.uncertainty.interval import Interval, checked_level, wald, wilson
from softtruth.uncertainty.pulls import (
    example_means,
    example_pulls,
    of_pairs,
    pair_slopes,
    settled_values,
    slopes_of,
    variance_of,
)

if TYPE_CHECKING:
    from softtruth.measures.measure import Measure
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.moments import Moments

INDEPENDENT = "examples drawn independently"
CLUSTERED = "clusters drawn independently"


@checked
def influence_interval(  # noqa: PLR0911  one case after another
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
    if isinstance(question, Averaged) and question.operator is exemplar and isinstance(statistic, Examples):
        return _of_exemplar(question, statistic, convention, columns=columns, level=level, assumption=assumption)
    value = float(evaluate(question, statistic, convention, columns))
    limits = formula_of(question).range
    if math.isnan(value):
        return wald(value, math.nan, level, limits, assumption=assumption)
    if not isinstance(statistic, Examples) and moments is None:
        unknown = why_unknown(statistic)
        if unknown:
            return Interval(value, math.nan, math.nan, level, method="influence", assumption=assumption, note=unknown)
    hard = (statistic.hard and statistic.weight is None) if isinstance(statistic, Examples) else moments is None
    if hard and clusters is None:
        counts = _binomial(question, statistic, columns)
        if counts is not None and counts[1] > 0:
            return wilson(*counts, level, assumption=assumption)
    if not limits[0] < value < limits[1]:  # on the edge, or past it by rounding
        return wald(value, 0.0, level, limits, assumption=assumption)
    if moments is not None and of_pairs(question, statistic):
        note = "sums over the examples do not say how the whole table varies; keep the examples"
        return replace(wald(value, math.nan, level, limits, assumption=assumption), note=note)
    variance = _variance(question, statistic, convention, columns, moments)
    error = math.sqrt(variance) if variance >= 0 else math.nan
    return wald(value, error, level, limits, assumption=assumption)


def why_unknown(statistic: Table | Cells) -> str:
    """Return why sums alone do not say how much they vary; nothing for whole counts of exclusive outcomes."""
    if statistic.task == "multilabel" and statistic.n_classes > 1:
        return "the labels of an example vary together, which their counts do not say; give moments or the examples"
    masses = statistic.masses
    if not (isinstance(statistic, Table) and statistic.counts) and not bool((masses == np.floor(masses)).all()):
        return "the masses are not whole counts, so how much they vary is not known; give moments or the examples"
    return ""


def _variance(question: Any, statistic: Any, convention: Convention, columns: Any, moments: Moments | None) -> float:
    if moments is not None:
        return float(moments.variance(slopes_of(question, statistic, convention, columns)))
    if isinstance(statistic, Examples):
        plain = statistic.hard and statistic.weight is None and statistic.clusters is None
        if not (plain and statistic.indexed and statistic.n_classes**2 <= len(statistic)):  # a table of ones says less
            return float(
                variance_of(example_pulls(question, statistic, convention, columns), statistic, corrected=not plain)
            )
    table: Table = statistic.table
    pulls = pair_slopes(question, statistic, convention, columns)
    n = float(table.masses.sum())
    if not n > 0:
        return math.nan
    centre = float((table.masses * pulls).sum()) / n
    return float((table.masses * (pulls - centre) ** 2).sum())


def _of_exemplar(
    question: Averaged, statistic: Examples, convention: Convention, *, columns: Any, level: float, assumption: str
) -> Interval:
    limits = question.measure.range
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
    value = example_means(question.measure, statistic, columns).value(convention)
    if math.isnan(value):
        return wald(value, math.nan, level, limits, assumption=assumption)
    # An example without a value is left out, and so is a cluster that has no others.
    weight = settled_values(question.measure, statistic, convention, columns)[1]
    counted = replace(statistic, weight=statistic.at_first_parts(weight))
    variance = variance_of(example_pulls(question, statistic, convention, columns), counted, corrected=True)
    return wald(value, math.sqrt(variance) if variance >= 0 else math.nan, level, limits, assumption=assumption)


def _binomial(question: Averaged | Measure, statistic: Any, columns: Any) -> tuple[float, float] | None:
    """Return successes and trials where the value is a plain proportion of one column of counts, or of all examples."""
    if not isinstance(question, Averaged):
        if question.name != "accuracy":
            return None
        both = statistic.classes
        return float(both.tp.sum()), float((both.tp + both.fn).sum())
    linear = question.measure.linear
    part = statistic.cells.subset(columns)
    if linear is None or part.n_classes != 1 or not set(linear[0]) | set(linear[1]) <= {0.0, 1.0}:
        return None
    if sum(linear[1]) == 3:
        return None
    if any(a > b for a, b in zip(*linear, strict=True)):
        return None
    counts = part.masses[:, 0]
    return float(np.dot(linear[0], counts)), float(np.dot(linear[1], counts))
