"""Second moments of the per-example cells: what intervals of streamed soft or weighted data need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of outer products of weighted example cells; moments of disjoint data add.

    With v_i the 4K cells of example i times its weight, ``second`` is the sum of v_i v_i'. A smooth measure of the
    cell totals with gradient g has the influences g'v_i, which sum to zero, so its squared standard error is
    N/(N-1) g' second g.

    Attributes
    ----------
    count : int
        The number of examples of positive weight.
    second : ndarray, shape (4K, 4K)
        In the order tp of all classes, fp of all, fn, tn.
    first : ndarray, shape (4K,)
        The totals themselves.
    """

    count: int
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @classmethod
    @checked
    def zero(cls, n_classes: int) -> Moments:
        """Return the moments of no data: the neutral element of ``+``."""
        return cls(0, np.zeros(4 * n_classes), np.zeros((4 * n_classes, 4 * n_classes)))

    @classmethod
    @checked
    def of(cls, cells: NDArray[Any], weight: NDArray[np.float64] | None = None) -> Moments:
        """Return the moments of example cells (4, N, K)."""
        n, k = cells.shape[1:]
        v = np.moveaxis(cells, 1, 0).reshape(n, 4 * k).astype(np.float64)
        if weight is not None:
            v = v * weight[:, None]
        count = n if weight is None else int(np.count_nonzero(weight))
        return cls(count, v.sum(axis=0), v.T @ v)

    @checked
    def of_class(self, k: int) -> Moments:
        """Return the moments of the cells of one class."""
        at = np.arange(4) * (self.first.size // 4) + k
        return Moments(self.count, self.first[at], self.second[np.ix_(at, at)])

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both data together."""
        if not isinstance(other, Moments):
            return NotImplemented
        return Moments(self.count + other.count, self.first + other.first, self.second + other.second)

    def __radd__(self, other: Any) -> Moments:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @checked
    def variance(self, gradient: NDArray[np.float64]) -> Any:
        """Return the variance of a measure with that gradient (4, ..., K) of the cell totals, by linearisation."""
        front = gradient.shape[1:-1]
        if self.count < 2:
            return np.full(front, np.nan)[()]
        g = np.moveaxis(gradient, 0, -2).reshape(*front, -1)
        centre = g @ self.first / self.count
        spread = (g @ self.second * g).sum(-1) - self.count * centre * centre
        return self.count / (self.count - 1) * np.maximum(spread, 0.0)
