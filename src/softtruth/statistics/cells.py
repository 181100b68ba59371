"""Four masses per class: what every binary measure is computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth._arrays import DOUBLE, as_masses, is_host, namespace, total
from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.errors import InputError, NotAnswerableError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from softtruth._arrays import Array
    from softtruth.statistics.table import Table

LARGEST_MASS = 1e300  # sums of these stay in the range of float64
_BITS = np.uint64(2**63 - 1)  # all but the sign
_LOW, _HIGH = (int(np.float64(x).view(np.uint64)) for x in (2.0**-200, 2.0**200))
_TOP = 230  # as a power of two: the product of four masses stays below overflow, that of two tiny ones above underflow


def power_of_two(masses: Array) -> float | None:
    """Return the power of two that brings extreme masses to a size that formulas can bear, or None without need.

    Ratios do not change, and nothing over- or underflows on the way: formulas multiply up to four masses, and the
    smallest may be 1e200 times smaller than the largest.
    """
    if not is_host(masses) or masses.size == 0:
        return None
    bits = np.asarray(masses.real, np.float64).ravel().view(np.uint64)  # numbers above 0 are in the order of their bits
    top = np.maximum.reduce(bits)
    if top < _HIGH and np.minimum.reduce(bits - 1) >= _LOW:  # 0 less 1 is the largest number, and no small mass
        return None
    top = np.maximum.reduce(bits & _BITS)
    largest = float(top.view(np.float64))
    if largest == 0 or not np.isfinite(largest):
        return None
    power = min(_TOP - int(np.frexp(largest)[1]), 1000)  # 1000: the smallest numbers of all need more than there is
    return float(2.0**power) if power else None


class Counts(NamedTuple):
    """Four masses as plain numbers."""

    tp: float
    fp: float
    fn: float
    tn: float


@dataclass(frozen=True, eq=False)
class Cells:
    """Masses ``tp, fp, fn, tn`` of each class; cells of disjoint data add.

    Attributes
    ----------
    masses : array, shape (4, ..., K)
        The cells in the order tp, fp, fn, tn; class is the last axis, replicates and draws stand between. Kept as
        float64, or as floats of another array library.
    task : {"binary", "multiclass", "multilabel", "ordinal"}
        ``multiclass`` says that the classes exclude each other, ``binary`` that the one column is the positive class,
        ``ordinal`` that the columns are the thresholds between grades.
    coupling : str
        How reference and prediction were put together (see ``coupling``); cells of different couplings do not add.

    Examples
    --------
    >>> cells = Cells.of(tp=[3.0], fp=[1.0], fn=[0.0], tn=[4.0])
    >>> (cells + cells).tp
    array([6.])
    """

    masses: Array
    task: str = "multilabel"
    coupling: str = "hardened"

    def __post_init__(self) -> None:
        """Keep masses in which sums and products of counts do not overflow."""
        if type(self.masses) is not np.ndarray or self.masses.dtype is not DOUBLE:
            object.__setattr__(self, "masses", as_masses(self.masses))

    @classmethod
    @checked
    def of(cls, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike, *, task: str | None = None) -> Cells:
        """Return cells from four finished counts; a plain number is one class.

        By default one column is binary, and several are multilabel: classes of which nothing is known but their cells.

        Raises
        ------
        InputError
            If a count is negative or not finite, the shapes differ, or binary cells have several columns.
        """
        parts = [np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (tp, fp, fn, tn)]
        for name, part in zip(("tp", "fp", "fn", "tn"), parts, strict=True):
            if part.shape != parts[0].shape:
                msg = f"{name} has shape {part.shape} but tp has {parts[0].shape}; the four counts need one shape."
                raise InputError(msg)
            fit = (part >= 0) & (part <= LARGEST_MASS)
            if not fit.all():
                msg = f"{name} contains {shown(part[~fit][0])}, expected finite counts of at least 0 (at most 1e300)."
                raise InputError(msg)
        columns = parts[0].shape[-1]
        if task == "binary" and columns != 1:
            msg = (
                f"binary cells have {columns} columns, expected one, that of the positive class; classes that exclude "
                "each other are task='multiclass', others 'multilabel'."
            )
            raise InputError(msg)
        return cls(np.stack(parts), task or ("binary" if columns == 1 else "multilabel"))

    @classmethod
    @checked
    def zero(cls, n_classes: int, task: str, coupling: str = "hardened") -> Cells:
        """Return the cells of no data: the neutral element of ``+``."""
        return cls(np.zeros((4, n_classes)), task, coupling)

    @property
    def tp(self) -> Array:
        """Mass in the class by both."""
        return self.masses[0, ...]

    @property
    def fp(self) -> Array:
        """Mass in the class by the prediction only."""
        return self.masses[1, ...]

    @property
    def fn(self) -> Array:
        """Mass in the class by the reference only."""
        return self.masses[2, ...]

    @property
    def tn(self) -> Array:
        """Mass in the class by neither."""
        return self.masses[3, ...]

    @property
    def n_classes(self) -> int:
        """The number of columns."""
        return int(self.masses.shape[-1])

    @cached_property
    def positives(self) -> Array:
        """Mass of the class by the reference."""
        return self.tp + self.fn

    @cached_property
    def pooled(self) -> Cells:
        """The cells added over the classes, as one class."""
        return replace(self, masses=total(self.masses, keepdims=True), task="binary")

    @property
    def scaled(self) -> Cells:
        """The same cells, times a power of two where their size is extreme."""
        return self if self._rescaled is None else self._rescaled

    @cached_property
    def _rescaled(self) -> Cells | None:
        # None rather than self: an object that holds itself lives on until the garbage collector comes by.
        if len(self.masses) != 4:  # said when asked: containers of other libraries stack cells on axes in front
            msg = f"cells have masses of shape {self.masses.shape}, expected (4, ..., K): tp, fp, fn and tn."
            raise InputError(msg)
        factor = power_of_two(self.masses)
        return None if factor is None else replace(self, masses=self.masses * factor)

    @property
    def cells(self) -> Cells:
        """The cells themselves: every statistic answers to the names of the rungs below it."""
        return self

    @cached_property
    def table(self) -> Table:
        """The K x K table, where four masses say it: for binary data.

        Raises
        ------
        NotAnswerableError
            For more classes: which class was taken for which is not kept.
        """
        from softtruth.statistics.table import Table

        both = self.classes
        if self.task != "binary":
            msg = "cells do not say which class was taken for which; keep a Table (or the examples) for this measure."
            raise NotAnswerableError(msg)
        xp = namespace(both.masses)
        rows = [
            xp.stack([both.tp[..., 0], both.fn[..., 0]], axis=-1),
            xp.stack([both.fn[..., 1], both.tp[..., 1]], axis=-1),
        ]
        return Table(xp.stack(rows, axis=-2), "binary", self.coupling)

    @cached_property
    def classes(self) -> Cells:
        """The cells of all classes that exclude each other: for binary data the negative class, then the positive.

        Raises
        ------
        NotAnswerableError
            If the columns are labels that may hold together, or the coupling lost the margins.
        """
        if self.coupling.startswith("raw "):
            msg = (
                f"{self.coupling} cells do not keep the margins, so measures of the K x K table have no value; pass "
                "coupling= instead of tnorm=."
            )
            raise NotAnswerableError(msg)
        if self.task == "binary" and self.n_classes == 1:
            xp = namespace(self.masses)
            tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
            return replace(
                self,
                masses=xp.stack([xp.concat(pair, axis=-1) for pair in ((tn, tp), (fn, fp), (fp, fn), (tp, tn))]),
                task="multiclass",
            )
        if self.task == "ordinal":
            msg = "cells of thresholds do not say what each grade got; keep a Table (or the examples) for this measure."
            raise NotAnswerableError(msg)
        if self.task != "multiclass":
            msg = (
                "multilabel data have no K x K table: labels may hold together. Ask for a measure of cells under an "
                "operator, such as label_accuracy; whole rows that are right are subset_accuracy."
            )
            raise NotAnswerableError(msg)
        return self

    def subset(self, columns: Any) -> Cells:
        """Return the cells of some columns only."""
        if columns is None:
            return self
        try:
            return replace(self, masses=self.masses[..., columns])
        except (IndexError, ValueError, TypeError):
            msg = f"columns is {shown(columns)}, expected indices of the {self.n_classes} columns."
            raise InputError(msg) from None

    def __add__(self, other: Cells) -> Cells:
        """Return the cells of both data together."""
        if not isinstance(other, Cells):
            return NotImplemented
        for what in ("task", "coupling", "n_classes"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                msg = f"cells with {what} {shown(mine)} and {shown(theirs)} do not add."
                raise InputError(msg)
        return replace(self, masses=self.masses + other.masses)

    def __radd__(self, other: Any) -> Cells:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def counts(self) -> Counts:
        """The four masses pooled over the classes, as plain numbers."""
        return Counts(*(float(x) for x in np.asarray(self.pooled.masses)[:, 0]))

    def __repr__(self) -> str:
        """Return the cells in one line."""
        names = ("tp", "fp", "fn", "tn") if len(self.masses) == 4 else ("masses",)
        masses = self.masses if len(names) == 4 else (self.masses,)
        said = ", ".join(f"{name}={mass}" for name, mass in zip(names, masses, strict=True))
        return f"Cells(K={self.n_classes}, task={self.task!r}, coupling={self.coupling!r}, {said})"
