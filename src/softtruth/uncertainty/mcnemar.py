"""Tests of two classifiers on the same items, and the correction for many tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_EXACTLY = 1_000  # discordant items up to which the binomial tail is summed in whole numbers


@dataclass(frozen=True)
class McNemar:
    """Whether one classifier is right more often, judged by the items on which only one is.

    Attributes
    ----------
    only_first, only_second : int
        Items that only the first, or only the second, gets right.
    exact, mid_p : float
        Two-sided p-values of the binomial test; mid-p counts the observed split half and is less cautious.
    """

    only_first: int
    only_second: int
    exact: float
    mid_p: float

    @property
    def chi_square(self) -> float:
        """The statistic ``(b - c)^2 / (b + c)``; NaN where nothing differs."""
        return self._over((self.only_first - self.only_second) ** 2)

    @property
    def chi_square_corrected(self) -> float:
        """The statistic with Edwards' correction, ``(|b - c| - 1)^2 / (b + c)``; NaN where nothing differs."""
        return self._over((abs(self.only_first - self.only_second) - 1) ** 2)

    def _over(self, squared: int) -> float:
        both = self.only_first + self.only_second
        return squared / both if both else float("nan")

    def __str__(self) -> str:
        """Return one line."""
        return (
            f"only the first right {self.only_first:,}, only the second {self.only_second:,}: "
            f"exact p {self.exact:.3g}, mid-p {self.mid_p:.3g}"
        )


@checked
def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Is one of two classifiers right more often than the other, on the same items?

    If both were equally good, each item that only one gets right would be a fair coin. ``exact`` is twice the smaller
    binomial tail, at most 1; ``mid_p`` leaves out the probability of the observed split once.

    Parameters
    ----------
    only_first, only_second : int
        The numbers of such items.

    Raises
    ------
    InputError
        If they are not whole numbers from 0.

    Examples
    --------
    >>> print(mcnemar(12, 4))
    only the first right 12, only the second 4: exact p 0.0768, mid-p 0.049

    Source: McNemar 1947, Psychometrika 12:153, doi:10.1007/BF02295996; for mid-p Fagerland, Lydersen & Laake 2013, BMC
    Med. Res. Methodol. 13:91, doi:10.1186/1471-2288-13-91.
    """
    for name, count in (("only_first", only_first), ("only_second", only_second)):
        if count < 0:
            msg = f"{name} is {shown(count)}, expected a number of items from 0."
            raise InputError(msg)
    b, c = int(only_first), int(only_second)
    n, least = b + c, min(b, c)
    if n <= _EXACTLY:
        whole = 2**n
        tail, point = sum(comb(n, k) for k in range(least + 1)) / whole, comb(n, least) / whole
    else:
        from scipy.stats import binom

        tail, point = float(binom.cdf(least, n, 0.5)), float(binom.pmf(least, n, 0.5))
    exact = min(1.0, 2 * tail)
    return McNemar(b, c, exact, 1.0 if b == c else 2 * tail - point)


@checked
def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """What do p-values amount to, when several comparisons are made?

    Holm's step-down adjustment: with the p-values in rising order, the i-th of m is multiplied by ``m - i + 1``, and
    none is smaller than the one before it. Judged at a level, it keeps the chance of any false alarm at that level,
    under any dependence of the tests.

    Parameters
    ----------
    p_values : array-like, shape (m,)
        NaN for what could not be tested: it stays NaN, and does not count.

    Raises
    ------
    InputError
        If one is no probability.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, float("nan"), 0.03]).tolist()
    [0.02, nan, 0.03]

    Source: Holm 1979, Scand. J. Stat. 6:65.
    """
    p: Any = np.asarray(p_values, np.float64)
    tested = ~np.isnan(p)
    if p.ndim != 1 or not np.all((p[tested] >= 0) & (p[tested] <= 1)):
        msg = f"p_values are {shown(p_values)}, expected a list of numbers from 0 to 1."
        raise InputError(msg)
    count = np.count_nonzero(tested)
    order = np.argsort(p, kind="stable")[:count]  # NaN is sorted to the end
    adjusted = np.full(p.size, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(count, 0, -1)), 1.0)
    return adjusted


def p_words(p: float) -> str:
    """Return a p-value with two digits that mean something; very small ones are not told apart.

    Examples
    --------
    >>> p_words(0.0312), p_words(1e-12)
    ('0.031', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"
