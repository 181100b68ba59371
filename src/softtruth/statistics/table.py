"""The K x K table: rows the reference, columns the prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import DOUBLE, as_masses, constant, is_host, namespace, total
from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.statistics.cells import LARGEST_MASS, Cells, power_of_two

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth._arrays import Array

LARGEST_TABLE = 4096  # classes; above it no K x K table is made unless asked for, and cells answer instead
_CANCELLED = 1e-3  # as in coupling: below this share of what it was subtracted from, a cell is added up directly
_REPAIRED = 1_000_000  # masses gathered at a time to add up cells directly
_CHUNK = 131_072  # labels indexed at a time: the index stays in cache


@dataclass(frozen=True, eq=False)
class Table:
    """Masses of (reference class, predicted class) pairs; tables of disjoint data add.

    Attributes
    ----------
    masses : array, shape (..., K, K)
        Rows are the reference, columns the prediction. Kept as float64, or as floats of another array library.
    task : {"binary", "multiclass", "ordinal"}
        For ``binary`` the classes are negative, positive, and ``cells`` are those of the positive class. For
        ``ordinal`` they are grades, and ``cells`` are those of the thresholds between them.
    coupling : str
        How reference and prediction were put together.
    counts : bool
        Whether the masses are whole counts, which subtract without loss.

    Examples
    --------
    >>> Table.of([[8, 2], [1, 9]]).cells.tp
    array([8., 9.])
    """

    masses: Array
    task: str = "multiclass"
    coupling: str = "hardened"
    counts: bool = False

    def __post_init__(self) -> None:
        """Keep masses in which sums of counts do not overflow."""
        masses = self.masses
        if type(masses) is not np.ndarray or masses.dtype is not DOUBLE:
            masses = as_masses(masses)
            object.__setattr__(self, "masses", masses)
        if type(masses) is np.ndarray and (masses.ndim < 2 or masses.shape[-1] != masses.shape[-2]):
            raise InputError(_not_square(masses))

    @classmethod
    @checked
    def of(cls, masses: ArrayLike, *, task: str = "multiclass") -> Table:
        """Return a table from finished counts or masses, checked.

        Raises
        ------
        InputError
            If it is not square, or an entry is negative or not finite.
        """
        array = np.asarray(masses, dtype=np.float64)
        if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
            raise InputError(_not_square(array))
        wrong = ~((array >= 0) & (array <= LARGEST_MASS))
        if wrong.any():
            where = np.argwhere(wrong)[0]
            msg = (
                f"the table holds {shown(array[tuple(where)])} in row {where[-2]}, column {where[-1]}, expected "
                "finite masses of at least 0 (at most 1e300)."
            )
            raise InputError(msg)
        if task == "binary" and array.shape[-1] != 2:
            msg = f"a binary table has 2 classes (negative, positive), found {array.shape[-1]}."
            raise InputError(msg)
        return cls(array, task, counts=bool(np.all(array == np.floor(array))) and float(array.sum()) < 2.0**53)

    @classmethod
    @checked
    def zero(cls, n_classes: int, task: str = "multiclass", coupling: str = "hardened") -> Table:
        """Return the table of no data: the neutral element of ``+``."""
        return cls(np.zeros((n_classes, n_classes)), task, coupling, counts=True)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.masses.shape[-1])

    @property
    def table(self) -> Table:
        """The table itself: every statistic answers to the names of the rungs below it."""
        return self

    @property
    def scaled(self) -> Table:
        """The same table, times a power of two where its size is extreme."""
        return self if self._rescaled is None else self._rescaled

    @cached_property
    def _rescaled(self) -> Table | None:
        # None rather than self: an object that holds itself lives on until the garbage collector comes by.
        factor = None if self.counts else power_of_two(self.masses)
        return None if factor is None else replace(self, masses=self.masses * factor, counts=False)

    @cached_property
    def diagonal(self) -> Array:
        """Mass on which both agree, per class."""
        if is_host(self.masses):
            return self.masses.diagonal(axis1=-2, axis2=-1)
        return namespace(self.masses).linalg.diagonal(self.masses)

    @cached_property
    def rows(self) -> Array:
        """Mass of each class by the reference."""
        return total(self.masses)

    @cached_property
    def columns(self) -> Array:
        """Mass of each class by the prediction."""
        if is_host(self.masses):
            return np.add.reduce(self.masses, -2)
        return namespace(self.masses).sum(self.masses, axis=-2)

    @cached_property
    def classes(self) -> Cells:
        """The cells of every class against the rest."""
        tp, rows, columns = self.diagonal, self.rows, self.columns
        s = total(rows, keepdims=True)
        if not is_host(self.masses):
            fp = columns - tp
            return Cells(namespace(tp).stack([tp, fp, rows - tp, (s - rows) - fp]), "multiclass", self.coupling)
        masses = np.empty((4, *tp.shape), self.masses.dtype)
        masses[0] = tp
        np.subtract(columns, tp, out=masses[1])
        np.subtract(rows, tp, out=masses[2])
        np.subtract(s - rows, masses[1], out=masses[3])
        if not self.counts and masses.dtype.kind == "f":
            self._repair(masses, s)
        cells = Cells(masses, "multiclass", self.coupling)
        if self.counts:
            cells.__dict__["_rescaled"] = None  # counts are of ordinary size: no need to look
        return cells

    def _repair(self, masses: NDArray[Any], s: NDArray[Any]) -> None:
        """Add up directly the cells that lost digits to subtraction."""
        small = (
            (masses[1] < _CANCELLED * self.columns)
            | (masses[2] < _CANCELLED * self.rows)
            | (masses[3] < _CANCELLED * s)
        )
        lead = self.masses.reshape(-1, self.n_classes, self.n_classes)
        flat = masses.reshape(4, -1, self.n_classes)
        which, classes = np.nonzero(small.reshape(-1, self.n_classes))
        at_once = max(1, _REPAIRED // lead[0].size)
        for start in range(0, which.size, at_once):
            i, k = which[start : start + at_once], classes[start : start + at_once]
            others = np.where(np.arange(self.n_classes) == k[:, None], 0.0, 1.0)
            table = lead[i]
            flat[1, i, k] = np.vecdot(lead[i, :, k], others)
            flat[2, i, k] = np.vecdot(lead[i, k], others)
            flat[3, i, k] = np.vecdot((table @ others[..., None])[..., 0], others)

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """How frequent each class is by the reference, (..., K); NaN without data."""
        sizes = np.asarray(self.rows, np.float64)
        with np.errstate(invalid="ignore"):
            return sizes / sizes.sum(-1, keepdims=True)

    @cached_property
    def contributions(self) -> NDArray[np.float64]:
        """What each class puts into the cells of each class, (..., 4, K, K), without subtracting large numbers.

        Entry (c, k, j) is the mass of class j in cell c of class k, so that the cells of a table whose rows were
        multiplied by factors are these times the factors.
        """
        masses = np.asarray(self.masses, np.float64)
        k = masses.shape[-1]
        found = np.zeros((*masses.shape[:-2], 4, k, k))
        wrong, rest = found[..., 1, :, :], found[..., 3, :, :]
        wrong[...] = masses.swapaxes(-1, -2)
        np.subtract(self.rows[..., None, :], wrong, out=rest)
        if not self.counts:
            # Only the largest entry of a row can be nearly all of it: there the others are added up.
            top = masses.argmax(-1)[..., None]
            others = masses.copy()
            np.put_along_axis(others, top, 0.0, -1)
            np.put_along_axis(rest.swapaxes(-1, -2), top, others.sum(-1, keepdims=True), -1)
        # What a class has in its own tp and fn, it does not have in its fp and tn.
        diagonals = np.einsum("...kk->...k", found)
        diagonals[..., ::2, :] = diagonals[..., 1::2, :]
        diagonals[..., 1::2, :] = 0
        return found

    @cached_property
    def cells(self) -> Cells:
        """The cells that measures under an operator read: every class, or the positive one of binary data."""
        if self.task == "ordinal":
            return Cells(self._thresholds(), "ordinal", self.coupling)
        if self.task != "binary":
            return self.classes
        return Cells(self.classes.masses[..., 1:], "binary", self.coupling)

    def _thresholds(self) -> Array:
        """Return the masses (4, ..., K - 1) above and not above each grade but the last, added up without loss."""
        k = self.n_classes
        high = constant([[1.0 * (grade > j) for grade in range(k)] for j in range(k - 1)], self.masses)
        low = 1.0 - high
        pairs = ((high, high), (low, high), (high, low), (low, low))  # (reference, prediction) of tp, fp, fn, tn
        cells = [total((y @ self.masses) * p) for y, p in pairs]
        return namespace(cells[0]).stack(cells)

    def __add__(self, other: Table) -> Table:
        """Return the table of both data together."""
        if not isinstance(other, Table):
            return NotImplemented
        for what in ("task", "coupling", "n_classes"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                msg = f"tables with {what} {shown(mine)} and {shown(theirs)} do not add."
                raise InputError(msg)
        return replace(self, masses=self.masses + other.masses, counts=self.counts and other.counts)

    def __radd__(self, other: Any) -> Table:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


def _not_square(array: NDArray[Any]) -> str:
    return f"the table has shape {array.shape}, expected K x K: rows the reference, columns the prediction."


def count_pairs(
    reference: NDArray[Any],
    prediction: NDArray[Any],
    n_classes: int,
    weight: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the K x K masses of two checked label vectors, in chunks: memory stays that of the table."""
    cells = n_classes * n_classes
    masses = np.zeros(cells, np.float64 if weight is not None else np.intp)
    n = reference.shape[0]
    size = min(n, max(_CHUNK, 4 * cells))
    index = np.empty(size, np.intp)
    for start in range(0, n, max(1, size)):
        stop = min(start + size, n)
        for a in range(start, stop, _CHUNK):
            b = min(a + _CHUNK, stop)
            part = index[a - start : b - start]
            np.multiply(reference[a:b], n_classes, out=part, dtype=np.intp)
            part += prediction[a:b]
        w = None if weight is None else weight[start:stop]
        masses += np.bincount(index[: stop - start], weights=w, minlength=cells)
    return masses.reshape(n_classes, n_classes).astype(np.float64)


def count_classes(
    reference: NDArray[Any],
    prediction: NDArray[Any],
    n_classes: int,
    weight: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the cells (4, K) of two checked label vectors without a K x K table, for very many classes."""
    hit = reference == prediction
    tp = _masses(reference[hit], n_classes, None if weight is None else weight[hit])
    rows, columns = _masses(reference, n_classes, weight), _masses(prediction, n_classes, weight)
    return np.stack([tp, columns - tp, rows - tp, np.maximum((rows.sum() - rows) - (columns - tp), 0)])


def _masses(codes: NDArray[Any], n_classes: int, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    return np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
