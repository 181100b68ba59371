"""Counts pairs of class indices as they come, in batches of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError
from softtruth.inputs.labels import indices
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PENDING = 1 << 17  # pairs gathered before they are counted: small batches do not pay for the whole table each time

_UNSIGNED = {np.dtype(f"{sign}{n}"): np.dtype(f"u{n}") for n in (1, 2, 4, 8) for sign in "iu"}
_UNSIGNED.pop(np.dtype("u8"))  # does not add to an index


def indices_at_a_glance(values: NDArray[Any], n_classes: int) -> NDArray[Any] | None:
    """Return whole numbers in one piece as class indices, looked at once; None where one is none, or another type."""
    unsigned = _UNSIGNED.get(values.dtype)
    if unsigned is None or not values.flags.c_contiguous or not values.shape[0]:
        return None
    own = values.view(unsigned)
    if np.maximum.reduce(own) >= n_classes:  # a negative number reads as a very large one
        return None
    return values if values.itemsize == 8 else own


class PairCounter:
    """A table of hard labels that grows batch by batch; memory is that of the table.

    Parameters
    ----------
    n_classes : int
        Labels are indices below it.

    Examples
    --------
    >>> counter = PairCounter(2)
    >>> counter.add(np.array([0, 1, 1]), np.array([0, 1, 0]))
    >>> counter.table.masses
    array([[1., 0.],
           [1., 1.]])
    """

    def __init__(self, n_classes: int, task: str = "multiclass") -> None:
        """Start with no pairs."""
        self.n_classes = n_classes
        self.task = task
        self.rows = 0
        self._counts = np.zeros(n_classes * n_classes, np.int64)
        self._pending = np.empty(0, np.intp)
        self._filled = 0

    def add(self, reference: NDArray[Any], prediction: NDArray[Any], *, checked: bool = False) -> None:
        """Count one batch.

        Parameters
        ----------
        reference, prediction
            Class indices.
        checked
            Whether ``indices_at_a_glance`` has looked at both.

        Raises
        ------
        InputError
            If the two differ in length, or a value is no class index.
        """
        if reference.shape != prediction.shape:
            msg = f"the batch has {reference.shape} references but {prediction.shape} predictions."
            raise InputError(msg)
        y, p = reference, prediction
        if not checked:
            y, p = self._checked(reference, "reference"), self._checked(prediction, "prediction")
        if self._pending.size == 0:
            small = max(y.itemsize, p.itemsize) <= 2 and self._counts.size <= 1 << 16
            self._pending = np.empty(max(_PENDING, 4 * self._counts.size), np.uint16 if small else np.intp)
        n, start = y.shape[0], 0
        while start < n:
            stop = min(n, start + _PENDING, start + self._pending.size - self._filled)
            part = self._pending[self._filled : self._filled + stop - start]
            np.multiply(y[start:stop], self.n_classes, out=part, dtype=part.dtype, casting="unsafe")
            np.add(part, p[start:stop], out=part, dtype=part.dtype, casting="unsafe")
            self._filled += stop - start
            start = stop
            if self._filled == self._pending.size:
                self._count()
        self.rows += n

    def _checked(self, values: NDArray[Any], name: str) -> NDArray[Any]:
        """Return class indices; whole numbers in one piece are looked at once, the careful way is for all else."""
        found = indices_at_a_glance(values, self.n_classes) if 0 < values.shape[0] <= _PENDING else None
        return indices(values, self.n_classes, name) if found is None else found

    def _count(self) -> None:
        if self._filled:
            self._counts += np.bincount(self._pending[: self._filled], minlength=self._counts.size)
            self._filled = 0

    @property
    def table(self) -> Table:
        """The table of everything that was added so far."""
        self._count()
        k = self.n_classes
        return Table(self._counts.reshape(k, k).astype(np.float64), self.task, counts=True)
