"""How many items does an interval of a wanted width need?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.arguments import checked
from softtruth.errors import InputError, NotAnswerableError, shown
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, formula_of
from softtruth.uncertainty.interval import checked_level, wald, wilson

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator

_MOST = 10**15


@checked
def sample_size(
    pilot: IndicatorMatrix,
    measure: str | Measure | Averaged,
    operator: str | Operator = "micro",
    *,
    half_width: float,
    convention: str = "exclude",
    level: float = 0.95,
) -> int:
    """How many items like those of a pilot does it take until the interval reaches only so far on either side?

    The pilot's standard error shrinks with the root of the number of items; the interval is of the pilot's kind (on the
    scale of the measure, or Wilson's). With clusters it is the number of items in clusters of the pilot's sizes.

    Parameters
    ----------
    pilot : IndicatorMatrix
        Some data.
    measure, operator, convention, level
        As in ``IndicatorMatrix.interval``.
    half_width : float
        Half of the wanted width.

    Returns
    -------
    int
        The smallest such number.

    Raises
    ------
    InputError
        If the half width is not positive.
    NotAnswerableError
        If the pilot gives no interval, or no number of items is enough.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix
    >>> pilot = IndicatorMatrix([0, 1, 1, 0, 1, 0, 1, 1], [0, 1, 1, 0, 0, 1, 1, 1], "binary")
    >>> sample_size(pilot, "f1", half_width=0.05)
    237
    """
    found = pilot.interval(measure, operator, convention=convention, level=level)
    if math.isnan(found.low):
        msg = f"the pilot gives no interval of {measure} ({found.note}), so that it says nothing of how it varies."
        raise NotAnswerableError(msg)
    value, error, n = found.value, found.standard_error, pilot.n
    if found.method == "wilson":
        if error == 0:
            msg = f"the pilot's share of {measure} is {value:g}: ask sample_size_of_share at a share that may be true."
            raise NotAnswerableError(msg)
        trials = value * (1 - value) / error**2
        return _smallest(lambda size: _half_of_share(value, trials * size / n, level), half_width)
    question = parse(measure, operator)
    limits = formula_of(question).range
    return _smallest(
        lambda size: wald(value, error * math.sqrt(n / size), level, limits).width / 2,
        half_width,
    )


@checked
def sample_size_of_share(share: float, *, half_width: float, level: float = 0.95) -> int:
    """How many items does it take to know a share, such as an accuracy, to within so much on either side?

    By Wilson's interval; at a share of 0.5 it needs the most.

    Parameters
    ----------
    share : float
        What the share may be, from 0 to 1.
    half_width : float
        Half of the wanted width.
    level : float
        The nominal coverage.

    Raises
    ------
    InputError
        If the share is none, or the half width not positive.

    Examples
    --------
    >>> sample_size_of_share(0.5, half_width=0.05), sample_size_of_share(0.9, half_width=0.05)
    (381, 141)
    """
    level = checked_level(level)
    if not 0 <= share <= 1:
        msg = f"share is {shown(share)}, expected a number from 0 to 1."
        raise InputError(msg)
    return _smallest(lambda size: _half_of_share(share, size, level), half_width)


def _half_of_share(share: float, size: float, level: float) -> float:
    return wilson(share * size, size, level).width / 2


def _smallest(half_at: Callable[[int], float], half_width: float) -> int:
    """Return the smallest number of items at which the half width is reached."""
    if not half_width > 0:
        msg = f"half_width is {shown(half_width)}, expected a positive number."
        raise InputError(msg)
    high = 1
    while not half_at(high) <= half_width:
        high *= 2
        if high > _MOST:
            msg = f"no number of items brings the interval within {half_width:g} on either side."
            raise NotAnswerableError(msg)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_at(middle) <= half_width else (middle, high)
    return high
