"""A share with its sampling error, from a number and the size of its sample or from an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from softtruth.corrections.sharp_range import checked_share
from softtruth.errors import InputError, shown
from softtruth.uncertainty.interval import Interval, checked_level, normal_quantile, wilson


@dataclass(frozen=True)
class Share:
    """A share with its sampling error.

    Attributes
    ----------
    value : float
    error : float
        The standard error; NaN where nothing is said of the sample.
    below, above : float
        Standard errors towards either side, read off an interval that knows that shares end at 0 and 1.
    """

    value: float
    error: float = math.nan
    below: float = math.nan
    above: float = math.nan

    @property
    def sampled(self) -> bool:
        """Whether a sampling error is known."""
        return not math.isnan(self.error)

    @classmethod
    def of(cls, value: Any, n: Any, name: str, level: float = 0.95) -> Share:
        """Return the share of a number and the size of its sample, or of an ``Interval``.

        The errors to either side come from Wilson's interval, at the one-sided quantile that a wide range needs: near
        1 the plain standard error is too small, and intervals of the range would cover too seldom.

        Raises
        ------
        InputError
            If the number is not a share, or the size not a positive number.
        """
        if isinstance(value, Interval):
            share = checked_share(value.value, name)
            if n is not None:
                msg = f"{name} is an Interval, which has its own sampling error; leave out the size of the sample."
                raise InputError(msg)
            if math.isnan(value.standard_error):
                return cls(share)
            z = normal_quantile(checked_level(value.level))
            ends = (value.low, value.high) if not math.isnan(value.low) else (share, share)
            return cls(share, value.standard_error, (share - ends[0]) / z, (ends[1] - share) / z)
        share = checked_share(value, name)
        if n is None:
            return cls(share)
        if isinstance(n, (bool, str)) or not (n > 0 and math.isfinite(n)):
            msg = f"the sample size of {name} is {shown(n)}, expected a positive number."
            raise InputError(msg)
        two_sided = max(2 * level - 1, 0.5)
        interval, z = wilson(share * n, n, two_sided), normal_quantile(two_sided)
        return cls(share, interval.standard_error, (share - interval.low) / z, (interval.high - share) / z)
