"""Sums over resampled rows: what bootstrap intervals of streamed soft, weighted or clustered data need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ReplicateSums:
    """The same sums with each example counted a Poisson(1) number of times, once for each draw.

    How often a draw counts an example is a hash of seed and example, so sums of the parts of any split add up to those
    of the whole.

    Attributes
    ----------
    cells : ndarray, shape (4, draws, K)
        tp, fp, fn, tn of every class in every draw.
    numbers : mapping of str to ndarray, shape (draws, 3)
        Of each number per example: the weighted sum where it is defined, the weight where it is, and where it is not.
    """

    cells: NDArray[np.float64]
    numbers: dict[str, NDArray[np.float64]]

    @classmethod
    def zero(cls, draws: int, n_classes: int, numbers: tuple[str, ...] = ()) -> ReplicateSums:
        """Return the sums of no data: the neutral element of ``+``."""
        return cls(np.zeros((4, draws, n_classes)), {name: np.zeros((draws, 3)) for name in numbers})

    def __add__(self, other: ReplicateSums) -> ReplicateSums:
        """Return the sums of both data together.

        Raises
        ------
        InputError
            If they have other draws, classes or numbers.
        """
        if not isinstance(other, ReplicateSums):
            return NotImplemented
        if self.cells.shape != other.cells.shape or set(self.numbers) != set(other.numbers):
            msg = "replicates of other draws, classes or numbers per example do not add."
            raise InputError(msg)
        numbers = {name: number + other.numbers[name] for name, number in self.numbers.items()}
        return ReplicateSums(self.cells + other.cells, numbers)

    def means(self, name: str, substitute: float | None) -> NDArray[np.float64]:
        """Return the mean of a number per example in every draw, (draws,); NaN where nothing is averaged.

        Parameters
        ----------
        name
            Which number.
        substitute
            What stands in for undefined ones; None leaves them out.
        """
        total, weight, without = self.numbers[name].T
        if substitute is not None:
            total, weight = total + substitute * without, weight + without
        with quiet():
            return np.asarray(total / weight)
