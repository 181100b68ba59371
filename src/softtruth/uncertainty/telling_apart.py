"""How many items does it take to tell two predictions apart?"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from softtruth.arguments import checked
from softtruth.errors import InputError, NotAnswerableError, shown
from softtruth.uncertainty.interval import checked_level, normal_quantile

if TYPE_CHECKING:
    from softtruth.uncertainty.interval import Interval

POWER = 0.8  # as studies are planned: a difference of this size is found four times in five
_MOST = 10**15


@checked
def items_to_tell(
    difference: Interval, n: int, *, power: float = POWER, level: float | None = None, comparisons: int = 1
) -> int:
    """How many items like these would show that this difference is there?

    ``n ((z + z_power) error / difference)^2``, with the standard error that n items have given: it shrinks with the
    root of their number. With clusters it is the number of items in clusters of these sizes.

    Parameters
    ----------
    difference : Interval
        The paired difference of two predictions on a pilot, with its standard error.
    n : int
        How many items the pilot has.
    power : float
        How often other samples of that many items would show the difference, if it is as large as it is here.
    level : float, optional
        Of the interval that has to leave out zero; that of the difference by default.
    comparisons : int
        How many comparisons share the chance of a false alarm (Bonferroni).

    Returns
    -------
    int

    Raises
    ------
    InputError
        If the power is no share between 0 and 1, or there are no comparisons.
    NotAnswerableError
        If there is no difference, or no standard error.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix, compare
    >>> y = [0, 1, 1, 0, 1, 0, 1, 1] * 10
    >>> a = IndicatorMatrix(y, [0, 1, 1, 0, 1, 1, 1, 1] * 10, "binary")
    >>> b = IndicatorMatrix(y, [0, 1, 0, 0, 1, 0, 1, 1] * 9 + y[:8], "binary")
    >>> print(compare(b, a).difference)
    0.012 [-0.094, 0.119] sampling 95%
    >>> items_to_tell(compare(b, a).difference, 80)
    11923

    Source: Fleiss, Levin & Paik 2003, Statistical Methods for Rates and Proportions, 3rd ed., ch. 4 (for shares).
    """
    level = difference.level if level is None else checked_level(level)
    if not 0 < power < 1:
        msg = f"power is {shown(power)}, expected a share between 0 and 1 such as 0.8."
        raise InputError(msg)
    if comparisons < 1:
        msg = f"comparisons is {shown(comparisons)}, expected how many there are, from 1."
        raise InputError(msg)
    value, error = abs(difference.value), difference.standard_error
    if not (value > 0 and math.isfinite(value) and math.isfinite(error)):
        msg = "there is no difference, or no standard error of it, so that no number of items would show it."
        raise NotAnswerableError(msg)
    reach = normal_quantile(1 - (1 - level) / comparisons) + NormalDist().inv_cdf(power)
    times = reach * error / value
    needed = n * times * times  # infinite where a power would overflow
    if needed > _MOST:
        msg = f"the difference of {difference.value:g} is too small for any number of items to show it."
        raise NotAnswerableError(msg)
    return max(1, math.ceil(needed))
