"""Intervals from replicates: percentile, and bias-corrected and accelerated."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention, convention_of
from softtruth.errors import InputError, listed, shown
from softtruth.measures.operators import Averaged, exemplar
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import Interval, checked_level
from softtruth.uncertainty.pulls import example_pulls, pair_slopes, value_of, within
from softtruth.uncertainty.resampling import drawn_as_table, replicate_values, whole_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table
    from softtruth.uncertainty.keyed import Draws

METHODS = ("percentile", "bca")
_NORMAL = NormalDist()


def bootstrap_interval(
    question: Averaged | Measure,
    statistic: Any,
    *,
    convention: str | Convention = Convention.EXCLUDE,
    columns: Any = None,
    level: float = 0.95,
    method: str = "percentile",
    draws: Draws,
    resampled: Callable[[], Table | Cells] | None = None,
) -> Interval:
    """Return the value with the interval that its replicates span.

    Parameters
    ----------
    question, statistic, convention, columns, level
        As everywhere.
    method : {"percentile", "bca"}
        The quantiles of the replicates, or those corrected for bias and skewness (Efron 1987, J. Am. Stat. Assoc.
        82:171, doi:10.1080/01621459.1987.10478410).
    draws
        How many replicates, and from which seed.
    resampled : callable, optional
        Gives the replicates of ``resampling.resample``, where they may have been drawn before.
    """
    if method not in METHODS:
        msg = f"method {shown(method)} is not known; expected one of {listed(['influence', *METHODS])}."
        raise InputError(msg)
    convention, level = convention_of(convention), checked_level(level)
    value = value_of(question, statistic, convention, columns)
    clustered = isinstance(statistic, Examples) and statistic.clusters is not None
    values = replicate_values(question, statistic, draws, convention=convention, columns=columns, resampled=resampled)
    skewness = acceleration(question, statistic, convention, columns) if method == "bca" else 0.0
    weights = "multinomial" if drawn_as_table(statistic) else "poisson"
    return replicate_interval(
        value,
        values,
        level=level,
        method=method,
        skewness=skewness,
        described=f"{method} {weights} {draws}",
        assumption=CLUSTERED if clustered else INDEPENDENT,
    )


def replicate_interval(
    value: float,
    replicates: NDArray[np.float64],
    *,
    level: float = 0.95,
    method: str = "percentile",
    skewness: float = 0.0,
    described: str = "",
    source: str = "sampling",
    assumption: str = INDEPENDENT,
) -> Interval:
    """Which interval do these replicates of a value give?

    Undefined replicates are dropped, and the note says how many there were.

    Parameters
    ----------
    value : float
        The value itself.
    replicates : ndarray, shape (draws,)
        NaN where undefined.
    level : float
        The nominal coverage.
    method : {"percentile", "bca"}
    skewness : float
        The acceleration that ``bca`` corrects for.
    described, source, assumption : str
        What the interval says of itself.

    Examples
    --------
    >>> print(replicate_interval(0.5, np.linspace(0.3, 0.8, 1001)))
    0.500 [0.312, 0.787] sampling 95%
    """
    described = described or method

    def without(note: str) -> Interval:
        return Interval(value, math.nan, math.nan, level, source, described, assumption=assumption, note=note)

    if math.isnan(value):
        return without("the value is undefined")
    kept = replicates[~np.isnan(replicates)]
    if kept.size < 2:
        return without("no replicate is defined")
    if kept.min() == kept.max():
        return without("every replicate gives the same value, which says nothing of how it varies")
    shares = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        below = (np.count_nonzero(kept < value) + 0.5 * np.count_nonzero(kept == value)) / kept.size
        if not 0 < below < 1:
            return without("all replicates lie on one side of the value, which no correction can mend")
        bias = _NORMAL.inv_cdf(below)
        reach = [bias + _NORMAL.inv_cdf(float(share)) for share in shares]
        shares = np.array([_NORMAL.cdf(bias + z / (1 - skewness * z)) for z in reach])
    low, high = np.quantile(kept, shares, method="inverted_cdf")  # an order statistic, so that it may be infinite
    lost = replicates.size - kept.size
    note = f"{100 * lost / replicates.size:.2g}% of the replicates are undefined and left out" if lost else ""
    error = float(kept.std(ddof=1)) if np.isfinite(kept).all() else math.nan
    return Interval(value, float(low), float(high), level, source, described, error, assumption, note)


def acceleration(question: Averaged | Measure, statistic: Any, convention: Convention, columns: Any = None) -> float:
    """Return the skewness of the influences that ``bca`` corrects for, ``sum h^3 / (6 (sum h^2)^1.5)``."""
    if (isinstance(question, Averaged) and question.operator is exemplar) or not drawn_as_table(statistic):
        return skewness_of(example_pulls(question, statistic, convention, columns), statistic)
    table = whole_counts(statistic)
    return _skewness(pair_slopes(question, table, convention, columns), table.masses)


def skewness_of(pulls: NDArray[np.float64], examples: Examples) -> float:
    """Return the skewness of the influences of examples, or of clusters where there are any."""
    groups = examples.clusters
    if groups is not None:
        pulls = within(pulls, groups if groups.ndim == 1 else groups[:, 0])
    return _skewness(pulls, np.ones(pulls.shape))


def _skewness(pulls: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    whole = counts.sum()
    if not whole > 0:  # no example, no pull
        return 0.0
    off = pulls - (counts * pulls).sum() / whole
    second = float((counts * off**2).sum())
    return float((counts * off**3).sum()) / (6 * second**1.5) if second > 0 else 0.0
