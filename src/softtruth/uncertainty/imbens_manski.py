"""Sampling intervals of values that the data bound but do not fix."""

from __future__ import annotations

import math
from statistics import NormalDist

from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.uncertainty.interval import Interval, checked_level, moved


def critical_value(width: float, level: float = 0.95) -> float:
    """How many standard errors must be added at each end of a range to cover a value inside it?

    The root c of ``Phi(c + width) - Phi(-c) = level``: the two-sided quantile for a range of no width, and the
    one-sided one for a wide range, since a value cannot be near both ends.

    Parameters
    ----------
    width : float
        The distance of the ends in standard errors, at least 0.
    level : float
        The nominal coverage.

    Raises
    ------
    InputError
        If the width is negative or the level not between 0 and 1.

    Examples
    --------
    >>> round(critical_value(0.0), 4), round(critical_value(50.0), 4)
    (1.96, 1.6449)

    Source: Imbens & Manski 2004, Econometrica 72:1845, doi:10.1111/j.1468-0262.2004.00555.x.
    """
    level = checked_level(level)
    if not width >= 0:
        msg = f"width is {shown(width)}, expected the distance of the ends in standard errors, at least 0."
        raise InputError(msg)
    normal = NormalDist()
    low, high = normal.inv_cdf(level), normal.inv_cdf((1 + level) / 2)
    for _ in range(60):  # the root lies between the one- and the two-sided quantile; halving it 60 times is exact
        middle = (low + high) / 2
        if normal.cdf(middle + width) - normal.cdf(-middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@checked
def imbens_manski(
    low: float,
    high: float,
    error_low: float,
    error_high: float | None = None,
    *,
    level: float = 0.95,
    value: float = math.nan,
    limits: tuple[float, float] = (-math.inf, math.inf),
    source: str = "dependence",
    assumption: str = "",
) -> Interval:
    """Where is a value of which the data only give a range, when the ends of the range are estimates?

    ``[low - c error_low, high + c error_high]`` with c from ``critical_value`` at the larger of the two errors. It
    covers any value inside the true range with the nominal probability; it does not cover the whole range that often.
    Misleads when an error is off, such as that of a share near 1: simulated coverage at an end was then 0.934.

    Parameters
    ----------
    low, high : float
        The estimated ends.
    error_low, error_high : float
        Their standard errors; one for both if only one is given.
    level : float
        The nominal coverage.
    value : float
        The value that is shown beside the interval.
    limits : pair of float
        The range of the measure: the ends are moved along its scale (see ``interval.moved``) and stay inside it.
    source, assumption
        As in ``Interval``.

    Returns
    -------
    Interval
        Without ends, and with a note, where an error is missing.

    Raises
    ------
    InputError
        If low is above high, or an error is negative.

    Examples
    --------
    >>> print(imbens_manski(0.86, 0.94, 0.0175, value=0.9))
    0.900 [0.831, 0.969] dependence 95%

    Source: Imbens & Manski 2004, Econometrica 72:1845, doi:10.1111/j.1468-0262.2004.00555.x.
    """
    level = checked_level(level)
    errors = (error_low, error_low if error_high is None else error_high)
    method = "imbens-manski"
    if low > high or min(errors) < 0:
        msg = (
            f"the range is [{low:g}, {high:g}] with standard errors {errors[0]:g} and {errors[1]:g}; expected low <= "
            "high and errors of at least 0."
        )
        raise InputError(msg)
    if not all(map(math.isfinite, (low, high, *errors))):
        note = "the ends of the range have no standard error"
        return Interval(value, math.nan, math.nan, level, source, method, assumption=assumption, note=note)
    larger = max(errors)
    c = critical_value((high - low) / larger if larger else 0.0, level)
    ends = [
        end if end in limits else moved(end, c * distance, limits)  # what lies on the edge cannot lie beyond it
        for end, distance in ((low, -errors[0]), (high, errors[1]))
    ]
    return Interval(value, ends[0], ends[1], level, source, method, larger, assumption)
