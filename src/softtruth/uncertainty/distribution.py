"""The distribution of a value over draws of an uncertain truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.conventions import Convention, settle
from softtruth.errors import InputError, shown
from softtruth.uncertainty.interval import Interval, checked_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Distribution:
    """How a value varies when the truth does: its mean, spread and quantiles.

    Attributes
    ----------
    mean, sd : float
        NaN where no outcome is defined.
    p_undefined : float
        The probability that the value is undefined (0/0), before the convention has its say.
    method : str
        How it was found: ``exact``, ``monte carlo ...`` or, of averages, the exact mean with a drawn spread.
    error : float
        Standard error of the mean by drawing; 0 where it is exact.
    assumption : str
        What it stands on, in words.
    support, mass : ndarray
        The values in rising order, and their probabilities, undefined outcomes left out.
    source : str
        What varies: truth, or annotators.
    """

    mean: float
    sd: float
    p_undefined: float
    method: str
    error: float = 0.0
    assumption: str = ""
    support: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)
    mass: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)
    source: str = "truth"

    @classmethod
    @checked
    def of(
        cls,
        values: NDArray[np.float64],
        mass: NDArray[np.float64] | None,
        convention: Convention,
        *,
        method: str,
        assumption: str,
        source: str = "truth",
    ) -> Distribution:
        """Return the distribution of outcomes, NaN where undefined; without masses they are equally likely draws."""
        drawn = mass is None
        shares = np.full(values.shape, 1 / max(values.size, 1)) if mass is None else mass
        p_undefined = float(shares[np.isnan(values)].sum())
        values = np.asarray(settle(values, convention))
        kept = ~np.isnan(values) & (shares > 0)
        values, shares = values[kept], shares[kept]
        whole = float(shares.sum())
        if values.size == 0 or (convention is Convention.NAN and p_undefined > 0):
            return cls(math.nan, math.nan, p_undefined, method, math.nan, assumption, source=source)
        order = np.argsort(values, kind="stable")
        values, shares = values[order], shares[order] / whole
        with quiet():  # infinite outcomes of both signs have no mean
            mean = float(shares @ values)
            off = values - mean
            widest = float(np.abs(off).max())
            # Of the widest, so that no square overflows.
            sd = widest * math.sqrt(float(shares @ (off / widest) ** 2)) if widest else 0.0
        error = sd / math.sqrt(values.size) if drawn else 0.0
        return cls(mean, sd, p_undefined, method, error, assumption, values, shares, source)

    @checked
    def quantile(self, shares: ArrayLike) -> NDArray[np.float64]:
        """Return the smallest values that are not exceeded with these probabilities.

        Raises
        ------
        InputError
            If one lies outside [0, 1].
        """
        wanted = np.asarray(shares, np.float64)
        if not np.all((wanted >= 0) & (wanted <= 1)):
            msg = f"quantiles are asked at {shown(shares)}, expected probabilities."
            raise InputError(msg)
        if self.support.size == 0:
            return np.full(wanted.shape, np.nan)
        # A share that the sum reaches but for rounding is reached.
        at = np.searchsorted(np.cumsum(self.mass), wanted - 1e-12)
        return np.asarray(self.support[np.minimum(at, self.support.size - 1)])

    @checked
    def interval(self, level: float = 0.95) -> Interval:
        """Return the mean between the quantiles that leave equal shares on both sides."""
        level = checked_level(level)
        low, high = self.quantile([(1 - level) / 2, (1 + level) / 2])
        note = "the outcomes have no mean" if math.isnan(self.mean) else ""
        if self.p_undefined > 0 and not note:
            note = f"undefined with probability {self.p_undefined:.2g}"
        return Interval(
            self.mean, float(low), float(high), level, self.source, self.method, self.sd, self.assumption, note
        )

    def __str__(self) -> str:
        """Return one line: the mean, its interval and how it was found."""
        return f"{self.interval()} sd {self.sd:.3g}, {self.method}"
