"""The examples themselves: reference and prediction in indicator form, with weights, mask and clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.errors import InputError, NotAnswerableError, shown
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupled_sums import column_cells, row_cells
from softtruth.statistics.coupling import HARDENED, Coupling
from softtruth.statistics.crossed import crossed_cells, crossed_table, soft_table
from softtruth.statistics.one_hot import OneHot, Thresholds
from softtruth.statistics.table import LARGEST_TABLE, Table, count_classes, count_pairs
from softtruth.tnorms import TNorm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Examples:
    """Every example of one problem, checked; examples of disjoint data add by concatenation.

    Attributes
    ----------
    task : {"binary", "multiclass", "multilabel", "ordinal"}
    n_classes : int
        Classes: 1 for binary data. Ordinal data have one column less, the thresholds between their grades.
    reference, prediction : ndarray
        Class indices (N,) of hard multiclass and ordinal data, else degrees (N, n_classes) in [0, 1].
    coupling : Coupling
    weight : ndarray, shape (N,), optional
    mask : ndarray of bool, shape (N, n_classes), optional
        The entries that count; whole rows are left out before they come here.
    clusters : ndarray of int, shape (N,) or (N, 2), optional
        Which examples belong together, in one way or in two that cross.
    within : ndarray of int, shape (N,), optional
        For images and the like: which of the ``whole`` examples each row is a part of, in rising order.
    whole : int
        The number of those examples.
    """

    task: str
    n_classes: int
    reference: NDArray[Any]
    prediction: NDArray[Any]
    coupling: Coupling = HARDENED
    weight: NDArray[np.float64] | None = None
    mask: NDArray[np.bool_] | None = None
    clusters: NDArray[Any] | None = None
    within: NDArray[Any] | None = None
    whole: int = 0

    def __len__(self) -> int:
        """Return the number of rows: one for each example, or for each of its parts."""
        return int(self.reference.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of columns that cells have: thresholds between grades, else classes."""
        return self.n_classes - (self.task == "ordinal")

    @property
    def n(self) -> int:
        """The number of examples."""
        return len(self) if self.within is None else self.whole

    def taken(self, rows: NDArray[np.intp]) -> Examples:
        """Return some rows, by their positions; those of an example that has parts stay parts of one."""
        within, whole = self.within, self.whole
        if within is not None:
            present, within = np.unique(within[rows], return_inverse=True)
            whole = len(present)
        return replace(
            self,
            reference=self.reference[rows],
            prediction=self.prediction[rows],
            weight=None if self.weight is None else self.weight[rows],
            mask=None if self.mask is None else self.mask[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
            within=within,
            whole=whole,
        )

    def at_first_parts(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of examples as values of rows: each at the first part of its example, 0 elsewhere."""
        if self.within is None:
            return values
        found = np.zeros((len(self), *values.shape[1:]))
        first = np.unique(self.within, return_index=True)[1]
        found[first] = values[self.within[first]]
        return found

    @cached_property
    def example_weight(self) -> NDArray[np.float64] | None:
        """The weight of every example."""
        if self.within is None or self.weight is None:
            return self.weight
        weight = np.zeros(self.whole)
        weight[self.within] = self.weight
        return weight

    @property
    def hard(self) -> bool:
        """Whether both sides are crisp by their form."""
        return self.hard_reference and self.prediction.dtype.kind in "biu"

    @property
    def hard_reference(self) -> bool:
        """Whether the reference is crisp by its form."""
        return self.reference.dtype.kind in "biu"

    @property
    def indexed(self) -> bool:
        """Whether both sides are class indices."""
        return self.reference.ndim == 1 and self.prediction.ndim == 1

    def _degrees(self, side: NDArray[Any], columns: Any = None) -> Any:
        if self.task == "ordinal":
            grades = np.arange(self.n_classes - 1)
            return Thresholds(side, grades if columns is None else grades[columns])
        if side.ndim == 1:
            classes = np.arange(self.n_classes)
            return OneHot(side, classes if columns is None else classes[columns])
        return side if columns is None else side[:, columns]

    def class_shares(self) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
        """Yield the share of every class that excludes the others, block by block, for both sides: (n, K) each."""
        size = max(1, 40_000 // max(2, self.n_classes))
        for start in range(0, len(self), size):
            part = slice(start, min(start + size, len(self)))
            yield part, self.class_part(self.reference, part), self.class_part(self.prediction, part)

    def class_part(self, side: NDArray[Any], part: slice) -> NDArray[np.float64]:
        """Return the share of every class that excludes the others, of some rows of a side, (n, K)."""
        return self._shares(side[part])

    def _shares(self, side: NDArray[Any]) -> NDArray[np.float64]:
        if side.ndim == 1:
            return (side[:, None] == np.arange(self.n_classes)).astype(np.float64)
        degrees = np.asarray(side, np.float64)
        return np.concatenate([1 - degrees, degrees], axis=1) if self.task == "binary" else degrees

    def sides(self, part: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the degrees of reference and prediction of some rows, each (n, n_classes)."""
        return self._degrees(self.reference)[part], self._degrees(self.prediction)[part]

    def _sides(self, columns: Any) -> tuple[Any, Any, Any]:
        mask = self.mask if self.mask is None or columns is None else self.mask[:, columns]
        return self._degrees(self.reference, columns), self._degrees(self.prediction, columns), mask

    def column(self, k: int) -> Examples:
        """Return one column as a binary problem: a class against the rest, a label, or what lies above a grade."""
        reference, prediction, mask = self._sides(np.array([k]))
        y, p = np.asarray(reference[:]), np.asarray(prediction[:])
        return replace(self, task="binary", n_classes=1, reference=y, prediction=p, mask=mask)

    @cached_property
    def table(self) -> Table:
        """The K x K table.

        Raises
        ------
        NotAnswerableError
            If the data have no such table.
        """
        name = self.coupling.name
        if self.task == "multilabel":
            msg = (
                "multilabel data have no K x K table: labels may hold together. Ask for a measure of cells under an "
                "operator, such as label_accuracy; whole rows that are right are subset_accuracy."
            )
            raise NotAnswerableError(msg)
        if self.task == "binary":
            counts = self.cells.classes
            masses = np.array([[counts.tp[0], counts.fn[0]], [counts.fn[1], counts.tp[1]]])
            return Table(masses, "binary", name)
        if self.indexed:
            masses = count_pairs(self.reference, self.prediction, self.n_classes, self.weight)
            return Table(masses, self.task, name, counts=self.weight is None)
        if not self.coupling.independent and self.reference.ndim == 2 and self.prediction.ndim == 2:
            msg = (
                f"the whole K x K table is not determined under the coupling {shown(name)}, only its diagonal and "
                "margins are; use coupling='independent'."
            )
            raise NotAnswerableError(msg)
        return Table(self._soft_table(), self.task, name)

    def _soft_table(self) -> NDArray[np.float64]:
        if self.reference.ndim == 1:
            return crossed_table(self.reference, self.prediction, self.weight)
        if self.prediction.ndim == 1:
            return crossed_table(self.prediction, self.reference, self.weight).T
        return soft_table(self.reference, self.prediction, self.weight)

    @cached_property
    def cells(self) -> Cells:
        """The cells of every class."""
        name = self.coupling.name
        if self.indexed:
            if self.n_classes <= LARGEST_TABLE or self.task == "ordinal":
                return self.table.cells
            return Cells(count_classes(self.reference, self.prediction, self.n_classes, self.weight), self.task, name)
        crossed = self._crossed()
        if crossed is not None:
            return Cells(crossed, self.task, name)
        reference, prediction, mask = self._sides(None)
        return Cells(
            column_cells([self.coupling], reference, prediction, weight=self.weight, mask=mask)[0], self.task, name
        )

    def _crossed(self) -> NDArray[np.float64] | None:
        """Return the cells of class indices against degrees, where every t-norm gives the same."""
        if self.mask is not None or self.task == "ordinal" or not isinstance(self.coupling.tnorm, TNorm):
            return None
        if self.reference.ndim == 1:
            return crossed_cells(self.reference, self.prediction, self.weight)
        if self.prediction.ndim == 1:
            return crossed_cells(self.prediction, self.reference, self.weight)[[0, 2, 1, 3]]
        return None

    def cells_under(self, couplings: Sequence[Coupling]) -> Cells:
        """Return the cells under several couplings, along an axis in front of the classes; in one pass."""
        reference, prediction, mask = self._sides(None)
        masses = np.stack(column_cells(couplings, reference, prediction, weight=self.weight, mask=mask), axis=1)
        return Cells(masses, self.task, ", ".join(c.name for c in couplings))

    def count(self, verify: Callable[[NDArray[Any]], bool]) -> None:
        """Count the cells now, and verify the values in the same pass over them.

        Raises
        ------
        UnverifiedError
            If ``verify`` says no of a block.
        """
        reference, prediction, mask = self._sides(None)
        masses = column_cells([self.coupling], reference, prediction, weight=self.weight, mask=mask, verify=verify)[0]
        self.__dict__["cells"] = Cells(masses, self.task, self.coupling.name)

    @cached_property
    def classes(self) -> Cells:
        """The cells of all classes that exclude each other."""
        if self.task != "ordinal":
            return self.cells.classes
        return self.table.classes if self.indexed else replace(self, task="multiclass").cells.classes

    def rows(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield the cells of every example, pooled over the columns that take part, block by block as (4, n)."""
        if self.within is None:
            yield from self._each_row(columns)
            return
        cells = np.zeros((4, self.whole))
        for part, block in self._each_row(columns):
            cells += np.stack([np.bincount(self.within[part], weights=c, minlength=self.whole) for c in block])
        yield slice(0, self.whole), cells

    def _each_row(self, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        reference, prediction, mask = self._sides(columns)
        if not self.indexed or self.task == "ordinal":
            yield from row_cells(self.coupling, reference, prediction, mask)
            return
        size = reference.shape[1]
        member = np.zeros(self.n_classes, bool)
        member[reference.columns] = True
        for start in range(0, len(self), 65536):
            part = slice(start, min(start + 65536, len(self)))
            y, p = self.reference[part], self.prediction[part]
            held, given = member[y], member[p]
            hit = held & (y == p)
            fp, fn = given & ~hit, held & ~hit
            tp = hit.astype(np.float64)
            yield part, np.stack([tp, fp, fn, size - tp - fp - fn])

    def entries(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield the cells of every entry, block by block as (4, n, columns)."""
        reference, prediction, mask = self._sides(columns)
        size = max(1, 40_000 // max(1, reference.shape[1]))
        for start in range(0, len(self), size):
            part = slice(start, min(start + size, len(self)))
            y, p = np.asarray(reference[part], np.float64), np.asarray(prediction[part], np.float64)
            cells = np.stack(np.broadcast_arrays(*self.coupling.entries(y, p)))
            yield part, cells if mask is None else cells * mask[part]

    def __add__(self, other: Examples) -> Examples:
        """Return the examples of both data together.

        Raises
        ------
        InputError
            If they are of different tasks, classes or couplings, or only one has weights, mask or clusters.
        """
        if not isinstance(other, Examples):
            return NotImplemented
        for what, mine, theirs in (
            ("task", self.task, other.task),
            ("n_classes", self.n_classes, other.n_classes),
            ("coupling", self.coupling.name, other.coupling.name),
        ):
            if mine != theirs:
                msg = f"examples with {what} {shown(mine)} and {shown(theirs)} do not add."
                raise InputError(msg)
        joined: dict[str, Any] = {}
        for what in ("weight", "mask", "clusters"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if (mine is None) != (theirs is None):
                msg = f"only one of the two has {what}; give it for both or for neither."
                raise InputError(msg)
            joined[what] = None if mine is None else np.concatenate([mine, theirs])
        sides = []
        for ours, others in ((self.reference, other.reference), (self.prediction, other.prediction)):
            if ours.ndim == others.ndim:
                sides.append(np.concatenate([ours, others]))
            else:  # one part was crisp and is kept as class indices
                sides.append(np.concatenate([self._shares(ours), self._shares(others)]))
        if (self.within is None) != (other.within is None):
            msg = "only one of the two has examples of several parts (images and the like)."
            raise InputError(msg)
        if self.within is not None and other.within is not None:
            joined["within"] = np.concatenate([self.within, other.within + self.whole])
            joined["whole"] = self.whole + other.whole
        return replace(self, reference=sides[0], prediction=sides[1], **joined)
