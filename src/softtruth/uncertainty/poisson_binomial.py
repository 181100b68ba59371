"""The law of sums of independent events with unequal probabilities.

Everything is convolution of positive numbers, so that small probabilities are as right as large ones; a transform has
an absolute error of about 1e-15 instead (Hong 2013, Comput. Stat. Data Anal. 59:41, doi:10.1016/j.csda.2012.10.006).
Tails are cut where they hold less than 1e-20 of the mass, which keeps the cost near that of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAIL = 1e-20
_TOGETHER = 64  # sums of this many events are made side by side, longer ones one by one
_CUT_EVERY = 16


@dataclass(frozen=True, eq=False)
class Law:
    """Probabilities on a box of whole numbers.

    Attributes
    ----------
    start : tuple of int
        The smallest number on each axis.
    mass : ndarray
        The probabilities, one axis for each count.
    """

    start: tuple[int, ...]
    mass: NDArray[np.float64]

    def values(self, axis: int = 0) -> NDArray[np.float64]:
        """Return the numbers that an axis stands for."""
        return np.arange(self.start[axis], self.start[axis] + self.mass.shape[axis], dtype=np.float64)

    def cut(self) -> Law:
        """Return the law without its empty and near-empty ends."""
        mass, start = self.mass, list(self.start)
        for axis in range(mass.ndim):
            margin = mass.sum(axis=tuple(a for a in range(mass.ndim) if a != axis))
            below, above = np.cumsum(margin), np.cumsum(margin[::-1])
            first = int(np.searchsorted(below, _TAIL, side="right"))
            last = margin.size - int(np.searchsorted(above, _TAIL, side="right"))
            mass = mass[(slice(None),) * axis + (slice(first, last),)]
            start[axis] += first
        return Law(tuple(start), mass)


def poisson_binomial(probabilities: NDArray[np.float64]) -> Law:
    """Return the law of how many of these independent events happen.

    Parameters
    ----------
    probabilities : ndarray, shape (n,)
        In [0, 1].

    Examples
    --------
    >>> poisson_binomial(np.array([0.5, 0.25])).mass.tolist()
    [0.375, 0.5, 0.125]
    """
    certain = int(np.count_nonzero(probabilities == 1))
    p = probabilities[(probabilities > 0) & (probabilities < 1)]
    if p.size == 0:
        return Law((certain,), np.ones(1))
    masses = np.stack([1 - p, p], axis=1)
    while masses.shape[0] > 1 and masses.shape[1] <= _TOGETHER:
        if masses.shape[0] % 2:
            nothing = np.zeros((1, masses.shape[1]))
            nothing[0, 0] = 1.0
            masses = np.concatenate([masses, nothing])
        a, b = masses[::2], masses[1::2]
        size = a.shape[1]
        masses = np.zeros((a.shape[0], 2 * size - 1))
        for j in range(size):
            masses[:, j : j + size] += a[:, j : j + 1] * b
        if 2 * size > _TOGETHER:  # of rare events the short laws stay short
            above = np.maximum.reduce(np.cumsum(masses[:, ::-1], axis=1), axis=0)
            masses = masses[:, : masses.shape[1] - int(np.searchsorted(above, _TAIL, side="right"))]
    laws = [Law((0,), mass).cut() for mass in masses]
    while len(laws) > 1:
        left = laws[2 * (len(laws) // 2) :]
        laws = [
            Law((a.start[0] + b.start[0],), np.convolve(a.mass, b.mass)).cut()
            for a, b in zip(laws[:-1:2], laws[1::2], strict=True)
        ]
        laws += left
    return Law((laws[0].start[0] + certain,), laws[0].mass)


def counts_law(shares: NDArray[np.float64]) -> Law:
    """Return the joint law of how many examples fall into each group but the first.

    Parameters
    ----------
    shares : ndarray, shape (n, G)
        The probability of each group for each example; rows sum to one. Examples are independent.

    Returns
    -------
    Law
        With G - 1 axes. The cost is n times the size of the box: ask for few examples, or two groups.
    """
    n, groups = shares.shape
    if groups == 2:
        return poisson_binomial(shares[:, 1])
    axes = groups - 1
    law = Law((0,) * axes, np.ones((1,) * axes))
    for i in range(n):  # each step needs the one before it: the laws of parts of the data are no smaller
        mass = np.zeros([size + 1 for size in law.mass.shape])
        whole = tuple(slice(0, size) for size in law.mass.shape)
        mass[whole] = shares[i, 0] * law.mass
        for axis in range(axes):
            if shares[i, axis + 1]:
                moved = tuple(slice(int(a == axis), s.stop + int(a == axis)) for a, s in enumerate(whole))
                mass[moved] += shares[i, axis + 1] * law.mass
        law = Law(law.start, mass)
        if i % _CUT_EVERY == 0 or i == n - 1:
            law = law.cut()
    return law
