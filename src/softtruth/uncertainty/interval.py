"""An interval that knows what it accounts for, how it was made and what it assumes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Interval:
    """A value between two ends.

    Attributes
    ----------
    value, low, high : float
        NaN ends say that there is no interval; ``note`` then says why.
    level : float
        The nominal coverage; 1.0 for a range that holds for certain.
    source : str
        What varies: sampling, annotators, dependence, truth, noise or prior.
    method : str
        How it was made: ``influence logit``, ``wilson``, ...
    standard_error : float
        On the scale of the value; NaN where there is none.
    assumption : str
        What it stands on, in words.
    note : str
        Why there is no interval, or what to beware of.
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    source: str = "sampling"
    method: str = ""
    standard_error: float = math.nan
    assumption: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Keep the numbers as Python's own, whatever they were computed with."""
        for name in ("value", "low", "high", "level", "standard_error"):
            try:
                object.__setattr__(self, name, float(getattr(self, name)))
            except (TypeError, ValueError, OverflowError):
                msg = f"{name} is {shown(getattr(self, name))}, expected a number."
                raise InputError(msg) from None

    @property
    def width(self) -> float:
        """The distance of the ends."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        """Whether a value lies between the ends."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        """Return one line: value, ends, source and level."""
        if math.isnan(self.low):
            return f"{_digits(self.value)} (no interval: {self.note or 'undefined'})"
        level = "" if self.level == 1 else f" {100 * self.level:g}%"
        note = f" ({self.note})" if self.note else ""
        return f"{_digits(self.value)} [{_digits(self.low)}, {_digits(self.high)}] {self.source}{level}{note}"

    def _repr_html_(self) -> str:
        """Show the line in a notebook; what it stands on appears above it."""
        return f'<span title="{escape(self.assumption)}">{escape(str(self))}</span>'


def _digits(x: float) -> str:
    return "undefined" if math.isnan(x) else f"{x:.3f}"


def checked_level(level: float) -> float:
    """Return the level of an interval.

    Raises
    ------
    InputError
        If it is not strictly between 0 and 1, or so near to either that quantiles cannot tell it from there.
    """
    if isinstance(level, (bool, str)) or not 0 < level < 1:
        msg = f"level is {shown(level)}, expected a number between 0 and 1 such as 0.95."
        raise InputError(msg)
    if not _LEVELS[0] <= level <= _LEVELS[1]:
        msg = f"level is {shown(level)}, expected a number from {_LEVELS[0]:g} to {_LEVELS[1]:.9g} such as 0.95."
        raise InputError(msg)
    return float(level)


def normal_quantile(level: float) -> float:
    """Return the z that a two-sided interval of that level uses."""
    return NormalDist().inv_cdf((1 + level) / 2)


def wald(
    value: float,
    standard_error: float,
    level: float,
    limits: tuple[float, float],
    *,
    method: str = "influence",
    assumption: str = "",
) -> Interval:
    """Return value +- z standard errors on the scale of the measure, taken back.

    The scale is logit for [0, 1] and other bounded ranges, atanh for [-1, 1], log for [0, inf), plain elsewhere
    (Agresti 2013, Categorical Data Analysis, ch. 3). On the boundary of the range, and where no example pulls more
    than another, there is no such interval, and the note says so.
    """
    lowest, highest = limits
    note = ""
    if math.isnan(value):
        note = "the value is undefined"
    elif math.isnan(standard_error):
        note = "too few examples to see how they vary"
    elif not (lowest < value < highest and math.isfinite(value) and math.isfinite(standard_error)):
        note = "the value lies on the edge of its range, where linearisation says nothing; use a bootstrap"
    elif standard_error <= _NO_SPREAD * max(1.0, abs(value)):
        note = "every example pulls the value alike, so linearisation sees no spread; use a bootstrap"
    if note:
        return Interval(
            value,
            math.nan,
            math.nan,
            level,
            method=method,
            standard_error=standard_error,
            assumption=assumption,
            note=note,
        )
    reach = normal_quantile(level) * standard_error
    low, high = float(moved(value, -reach, limits)), float(moved(value, reach, limits))
    scale = _scale(limits)
    return Interval(
        value, low, high, level, method=f"{method} {scale}", standard_error=standard_error, assumption=assumption
    )


def plain(value: float, standard_error: float, level: float, **told: Any) -> Interval:
    """Return value +- z standard errors on its own scale; ``told`` is what else the interval says."""
    reach = normal_quantile(level) * standard_error
    return Interval(value, value - reach, value + reach, level, standard_error=standard_error, **told)


def cut(interval: Interval, limits: tuple[float, float]) -> Interval:
    """Return an interval without what lies beyond the range of its value, and with a note that says so.

    The truth is never there, so that nothing is lost; an interval whose value itself lies outside stays as it is, since
    such a value speaks against what it was made from.

    Examples
    --------
    >>> print(cut(Interval(0.95, 0.88, 1.02), (0.0, 1.0)))
    0.950 [0.880, 1.000] sampling 95% (cut where its range ends)
    >>> print(cut(Interval(1.01, 0.98, 1.04), (0.0, 1.0)))
    1.010 [0.980, 1.040] sampling 95%
    """
    lowest, highest = limits
    if not lowest <= interval.value <= highest:
        return interval
    if not (interval.low < lowest or interval.high > highest):  # NaN ends stay
        return interval
    words = "cut where its range ends"
    note = f"{interval.note}; {words}" if interval.note else words
    return replace(interval, low=max(interval.low, lowest), high=min(interval.high, highest), note=note)


def of_differences(limits: tuple[float, float]) -> tuple[float, float]:
    """Return the range of the difference of two values that have this range.

    Examples
    --------
    >>> of_differences((0.0, 1.0)), of_differences((0.0, math.inf))
    ((-1.0, 1.0), (-inf, inf))
    """
    width = limits[1] - limits[0]
    return -width, width


def negated(interval: Interval) -> Interval:
    """Return the interval of the value with the other sign.

    Examples
    --------
    >>> print(negated(cut(Interval(0.5, -0.1, 1.1), (-1.0, 1.0))))
    -0.500 [-1.000, 0.100] sampling 95% (cut where its range ends)
    """
    return replace(interval, value=0.0 - interval.value, low=0.0 - interval.high, high=0.0 - interval.low)


def band(
    values: NDArray[np.float64], errors: NDArray[np.float64], level: float, limits: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends that ``wald`` gives to many values at once; NaN where it gives none."""
    low, high = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    with np.errstate(invalid="ignore"):
        there = (values > limits[0]) & (values < limits[1]) & np.isfinite(values) & np.isfinite(errors)
        there &= errors > _NO_SPREAD * np.maximum(1.0, abs(values))
    reach = normal_quantile(level) * errors[there]
    low[there], high[there] = moved(values[there], -reach, limits), moved(values[there], reach, limits)
    return low, high


_NO_SPREAD = 1e-12  # a standard error of this size is rounding
_LEVELS = (1e-6, 1 - 1e-9)  # beyond these a quantile is 0, or infinite once it is shared among many comparisons


def _scale(limits: tuple[float, float]) -> str:
    """Return the scale on which a value of that range is moved."""
    if limits == (-1.0, 1.0):
        return "atanh"
    if math.isfinite(limits[0]) and math.isfinite(limits[1]):
        return "logit"
    return "log" if limits == (0.0, math.inf) else "plain"


def moved(value: ArrayLike, distance: ArrayLike, limits: tuple[float, float]) -> Any:
    """Return values moved by a small distance along the scale of their range, so that they stay inside the range.

    Parameters
    ----------
    value : float or array
        Strictly inside the range.
    distance : float or array
        In units of the value.
    limits : pair of float
        The range: logit scale where it is bounded (for [-1, 1] that is atanh), log for [0, inf), plain elsewhere.

    Examples
    --------
    >>> bool(moved(0.9, 0.2, (0.0, 1.0)) < 1 < moved(0.9, 0.2, (-math.inf, math.inf)))
    True
    """
    v, d = np.asarray(value, np.float64)[()], np.asarray(distance, np.float64)[()]
    scale = _scale(limits)
    if scale == "logit":
        lowest, width = limits[0], limits[1] - limits[0]
        v, d = (v - lowest) / width, d / width
        x = np.log(v / (1 - v)) + d / (v * (1 - v))
        small = np.exp(-abs(x))
        return lowest + width * np.where(x >= 0, 1 / (1 + small), small / (1 + small))[()]
    if scale == "atanh":
        return np.tanh(np.arctanh(v) + d / ((1 - v) * (1 + v)))
    if scale == "log":
        return v * np.exp(np.minimum(d / v, 700.0))
    return v + d


def wilson(successes: float, n: float, level: float, *, assumption: str = "") -> Interval:
    """Return Wilson's score interval of a proportion; it stays inside [0, 1] and needs no variance.

    Source: Wilson 1927, J. Am. Stat. Assoc. 22:209, doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> print(wilson(18, 20, 0.95))
    0.900 [0.699, 0.972] sampling 95%
    """
    if n == 0:
        return Interval(
            math.nan, math.nan, math.nan, level, method="wilson", assumption=assumption, note="the value is undefined"
        )
    z = normal_quantile(level)
    share = successes / n
    centre = (successes + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(successes * (n - successes) / n + z * z / 4)
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(
        share,
        low,
        high,
        level,
        method="wilson",
        standard_error=math.sqrt(share * (1 - share) / n),
        assumption=assumption,
    )
