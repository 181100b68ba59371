"""The weighted mean and variance of a number per example: what the exemplar operator adds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Sample:
    """Weighted moments about the sample's own mean, so that merging loses no digits.

    Squares are of each weight's share v = w / W of the whole: so they stay of ordinary size whatever the weights are.
    """

    count: int = 0
    weight: float = 0.0
    mean: float = 0.0
    shares2: float = 0.0  # sum v^2
    skew: float = 0.0  # sum v^2 (x - mean)
    spread: float = 0.0  # sum v^2 (x - mean)^2

    @classmethod
    def of(cls, values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Sample:
        """Return the moments of values and their weights."""
        if values.size == 0:
            return cls()
        if weight is None:
            n = values.size
            with quiet():  # infinities of both signs have no mean
                mean = float(values.sum()) / n
                if not np.isfinite(mean):  # the sum may be too large where the mean is not
                    mean = float((values / n).sum())
            if not np.isfinite(mean):
                return cls(n, float(n), mean, 1 / n, np.nan, np.nan)
            with quiet():
                off = values - mean
                return cls(n, float(n), mean, 1 / n, 0.0, float(np.dot(off, off)) / n / n)
        whole = float(weight.sum())
        share = weight / whole
        with quiet():
            mean = float(np.dot(weight, values)) / whole
            if not np.isfinite(mean):
                mean = float(np.dot(share, values))
        if not np.isfinite(mean):
            return cls(values.size, whole, mean, float(np.dot(share, share)), np.nan, np.nan)
        with quiet():
            off = share * (values - mean)
            squares = [float(np.dot(a, b)) for a, b in ((share, share), (share, off), (off, off))]
        return cls(values.size, whole, mean, *squares)

    def about(self, mean: float) -> tuple[float, float]:
        """Return skew and spread about another mean."""
        shift = self.mean - mean
        return self.skew + shift * self.shares2, self.spread + 2 * shift * self.skew + shift * shift * self.shares2

    def __add__(self, other: Sample) -> Sample:
        """Return the moments of both samples together."""
        if self.weight == 0:
            return other
        if other.weight == 0:
            return self
        weight = self.weight + other.weight
        p, q = self.weight / weight, other.weight / weight
        if np.isfinite(self.mean) and np.isfinite(other.mean):
            mean = self.mean + (other.mean - self.mean) * q
        else:
            mean = self.mean + other.mean
        squares = ((self.shares2, *self.about(mean)), (other.shares2, *other.about(mean)))
        return Sample(
            self.count + other.count, weight, mean, *(p * p * a + q * q * b for a, b in zip(*squares, strict=True))
        )


@dataclass(frozen=True)
class Means:
    """A per-example number, averaged: mean, variance and the share that was undefined; means of disjoint data add.

    Attributes
    ----------
    defined, undefined
        The moments of the examples whose number is defined, and the weights of the others.

    Examples
    --------
    >>> import numpy as np
    >>> m = Means.of(np.array([0.0, 1.0, np.nan]))
    >>> m.value("exclude"), m.value("one")
    (0.5, 0.6666666666666666)
    """

    defined: Sample = Sample()
    undefined: Sample = Sample()

    @classmethod
    @checked
    def of(cls, values: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> Means:
        """Return the means of values, NaN where undefined; examples of weight zero do not count."""
        values = np.asarray(values, np.float64)
        weight = None if weight is None else np.asarray(weight, np.float64)
        if values.ndim != 1 or (weight is not None and weight.shape != values.shape):
            shapes = f"{values.shape}" if weight is None else f"{values.shape} and weight {weight.shape}"
            msg = f"values have shape {shapes}, expected one number for each example, and as many weights."
            raise InputError(msg)
        if weight is not None and not weight.all():
            kept = weight > 0
            values, weight = values[kept], weight[kept]
        if weight is None and values.size:
            sample = Sample.of(values, None)
            if np.isfinite(sample.mean):  # nothing is undefined
                return cls(sample)
        missing = np.isnan(values)
        if not missing.any():
            return cls(Sample.of(values, weight))
        w = np.ones_like(values) if weight is None else weight
        return cls(Sample.of(values[~missing], w[~missing]), Sample.of(np.zeros(int(missing.sum())), w[missing]))

    @classmethod
    @checked
    def of_counts(cls, values: NDArray[np.float64], counts: NDArray[np.float64]) -> Means:
        """Return the means of values that each occur a number of times."""
        parts = [
            cls(Sample(int(n), float(n), float(v), 1 / float(n)))
            for v, n in zip(values, counts, strict=True)
            if n and not np.isnan(v)
        ]
        missing = float(counts[np.isnan(values)].sum())
        return sum(parts, cls(undefined=Sample(int(missing), missing, 0.0, 1 / missing if missing else 0.0)))

    def __add__(self, other: Means) -> Means:
        """Return the means of both data together."""
        if not isinstance(other, Means):
            return NotImplemented
        return Means(self.defined + other.defined, self.undefined + other.undefined)

    def __radd__(self, other: Any) -> Means:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _under(self, convention: str) -> Sample:
        number = convention_of(convention).substitute
        if number is None:
            return self.defined
        u = self.undefined
        return self.defined + Sample(u.count, u.weight, number, u.shares2)

    @property
    def count(self) -> int:
        """The number of examples of positive weight."""
        return self.defined.count + self.undefined.count

    @checked
    def value(self, convention: str = "exclude") -> float:
        """Return the weighted mean under the convention, which also says what the mean of nothing is."""
        if convention == Convention.NAN and self.undefined.count:
            return float("nan")
        sample = self._under(convention)
        if sample.weight > 0:
            return sample.mean
        number = convention_of(convention).substitute
        return float("nan") if number is None else number

    @checked
    def standard_error(self, convention: str = "exclude", *, corrected: bool = True) -> float:
        """Return the standard error: sqrt(N/(N-1) sum (w/W)^2 (x - mean)^2), without the first factor if asked."""
        if np.isnan(self.value(convention)):
            return float("nan")
        sample = self._under(convention)
        if sample.count < 2:
            return float("nan")
        factor = sample.count / (sample.count - 1) if corrected else 1.0
        return float(np.sqrt(factor * max(sample.spread, 0.0)))
