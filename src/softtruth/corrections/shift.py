"""Data at other priors: a statistic like any other, which measures read without knowing of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth._cached import cached_property
from softtruth.conventions import Convention, average, convention_of, ratio
from softtruth.errors import InputError, NotAnswerableError
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of, macro, micro, parts_of, weighted
from softtruth.statistics.cells import Cells
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.priors import Source
    from softtruth.measures.measure import Measure

_SAME = 64 * np.finfo(np.float64).eps  # frequencies that differ by the rounding of a sum are the same frequency


def shifted(source: Source, priors: NDArray[np.float64]) -> Shift:
    """Return the data at other priors, which have been checked."""
    own, sizes = source.prior, source.sizes
    if not source.by_table or own.ndim > 1 or sizes.min() == 0:
        return Shift(source, priors)
    # A prior of the data has the frequency of its largest class, too.
    largest = int(sizes.argmax())
    apart = abs(priors[..., largest] - own[largest]).min(initial=1.0)
    return Shift(source, priors, near=bool(apart <= 2 * _SAME))


@dataclass(frozen=True, eq=False)
class Shift:
    """Data at other priors: it answers to the names of the rungs, as every statistic does.

    Attributes
    ----------
    source : Source
    priors : ndarray, shape (..., K) or (..., m)
    near : bool
        Whether any of the priors may be that of the data.
    given : ndarray, optional
        Factors that do not follow from the priors.
    """

    source: Source
    priors: NDArray[np.float64]
    near: bool = True
    given: NDArray[np.float64] | None = None

    @cached_property
    def factors(self) -> NDArray[np.float64]:
        """What the rows of the reference are multiplied by: (..., K), or (2, ..., m) as positives and negatives.

        Exactly one at the frequencies of the data, and for absent classes.

        Raises
        ------
        InputError
            If a class is so rare in the data that no number moves it to its frequency.
        """
        if self.given is not None:
            return self.given
        source, priors = self.source, self.priors
        own, sizes = source.prior, source.sizes
        with quiet():
            if source.by_table:
                return _finite(_settled(priors / own, sizes))
            more, less = priors / own, (1 - priors) / (sizes[1] / sizes.sum(0))
        # The same prevalence is the same for both sides, whatever 1 - prior rounds to.
        less = np.where(abs(more - 1) <= _SAME, 1.0, less)
        return _finite(np.stack([_settled(f, size) for f, size in zip((more, less), sizes, strict=True)]))

    @cached_property
    def cells(self) -> Cells:
        """The cells of every column."""
        if self.source.by_table:
            return self.classes
        positives, negatives = self.factors
        tp, fp, fn, tn = np.asarray(self.source.cells.masses, np.float64)
        masses = np.stack(np.broadcast_arrays(positives * tp, negatives * fp, positives * fn, negatives * tn))
        return _ordinary(Cells(masses, self.source.statistic.task, self.source.cells.coupling))

    @cached_property
    def classes(self) -> Cells:
        """The cells of all classes that exclude each other."""
        if not self.source.by_table:
            return self.cells.classes
        mixtures, coupling = self.source.mixtures, self.source.table.coupling
        if mixtures.ndim > 3:  # one table for each prior
            masses = np.moveaxis((mixtures @ self.factors[..., None, :, None])[..., 0], -2, 0)
            return _ordinary(Cells(masses, "multiclass", coupling))
        return _ordinary(Cells(self._mixed(mixtures), "multiclass", coupling))

    @property
    def _many(self) -> bool:
        """Whether the factors are not needed for themselves, and are more work than dividing what they multiply."""
        return not self.near and self.given is None and self.priors.size >= self.source.mixtures.size

    def _mixed(self, mixtures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums (S, ..., K) of what each class puts into each, (S, K, K), at every prior."""
        across, shares = (self.priors, mixtures / self.source.prior) if self._many else (self.factors, mixtures)
        across = across.T
        # Many priors lie side by side in memory. The piece is larger than what is used of it: the allocator then keeps
        # the smaller ones that measures need, and giving those back at each call would cost more than all arithmetic.
        sums = np.empty((9, *across.shape))[: len(shares)]
        np.matmul(shares.reshape(-1, len(across)), across, out=sums.reshape(-1, *across.shape[1:]))
        return sums.swapaxes(-1, 1)

    @cached_property
    def table(self) -> Table:
        """The K x K table."""
        if not self.source.by_table:
            return self.cells.table
        table = Table(
            self.factors[..., :, None] * np.asarray(self.source.table.masses), "multiclass", self.source.table.coupling
        )
        table.__dict__["classes"] = self.classes  # added up without subtraction: nothing to repair
        return table

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which of the priors are those of the data."""
        if not self.near:
            return np.zeros(self.priors.shape[:-1], bool)
        same = self.factors == 1
        return np.asarray(same.all(-1) if self.source.by_table else same.all((0, -1)))

    def values(
        self, question: Averaged | Measure, convention: str | Convention = Convention.EXCLUDE
    ) -> NDArray[np.float64]:
        """Return the answer at every prior; that of the data's own prior is their own answer.

        Raises
        ------
        NotAnswerableError
            For ``exemplar``.
        """
        _refuse_exemplar(question)
        convention, source = convention_of(convention), self.source
        if unmoved(question, source):
            found = self._of_rates(question, convention)
        else:
            two = self._of_two_sums(question)
            found = np.asarray(
                average(*two, convention) if two else evaluate(question, self, convention, source.columns)
            )
        if self.near and self.own.any():
            found = np.where(self.own, evaluate(question, source.statistic, convention, source.columns), found)
        return found

    def _of_rates(self, question: Averaged | Measure, convention: Convention) -> NDArray[np.float64]:
        if formula_of(question).folds:
            source, columns = self.source, self.source.columns
            own, gone = (evaluate(question, each, convention, columns) for each in (source.statistic, self._erased))
            return np.where(self._whole, own, gone)
        values, weights = self.parts(question)
        if weights is not None and weights.shape[-1] > 1:  # the rates stay, but their weights move
            return np.asarray(average(values, weights, convention))
        source, whole = self.source, self._whole
        own = np.asarray(evaluate(question, source.statistic, convention, source.columns))
        return np.where(whole, own, 0.0 if whole.all() else average(values, weights, convention))

    def parts(self, question: Averaged | Measure) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Return the values that are averaged, and their weights, at every prior."""
        _refuse_exemplar(question)
        source, columns = self.source, self.source.columns
        if not unmoved(question, source):
            return self._of_two_sums(question) or parts_of(question, self, columns)
        values, weights = parts_of(question, source.statistic, columns)
        if not self._whole.all():
            gone, weights = parts_of(question, self._erased, columns)
            values = np.where(self._whole[..., None], values, gone)
        if weights is not None and weights.shape[-1] > 1:
            weights = self.cells.subset(columns).positives
        return np.broadcast_to(values, (*self._whole.shape, values.shape[-1])), weights

    def _of_two_sums(self, question: Averaged | Measure) -> tuple[NDArray[np.float64], None] | None:
        """Return the values of every class at many priors where two sums are enough, not four; None otherwise.

        A ratio of linear forms of the cells needs no more. Two sums are half of the work of four.
        """
        if not (isinstance(question, Averaged) and question.operator is macro and question.measure.linear):
            return None
        source = self.source
        if not source.by_table or source.mixtures.ndim > 3 or source.columns is not None or not self._many:
            return None
        k = source.mixtures.shape[-1]
        forms = np.array(question.measure.linear)
        if forms.min() < 0:  # sums of nothing but positive parts lose no digits
            return None
        top, bottom = self._mixed((forms @ source.mixtures.reshape(4, k * k)).reshape(2, k, k))
        with quiet():
            return ratio(top, bottom), None

    def stays(self, question: Averaged | Measure) -> NDArray[np.bool_]:
        """Return at which priors the value is that of the data: made of rates alone, and all of them are there."""
        mixed = isinstance(question, Averaged) and question.operator is weighted and self.source.taking_part > 1
        return self._whole & (unmoved(question, self.source) and not mixed)

    @cached_property
    def _whole(self) -> NDArray[np.bool_]:
        """At which priors every class of the data is there."""
        there = self.factors > 0
        return np.asarray(there.all(-1) if self.source.by_table else there.all((0, -1)))

    @cached_property
    def _erased(self) -> Shift:
        """The data at their own prior, without the classes whose prior is zero: all that a prior can do to a rate."""
        return Shift(self.source, self.priors, given=(self.factors > 0).astype(np.float64))


def _finite(factors: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(factors).all():
        msg = (
            "a class has so small a share of the reference that no number moves it to its frequency at the other "
            "prior; leave the class out, or give it the frequency 0."
        )
        raise InputError(msg)
    return factors


def _settled(factors: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return factors that are exactly one where they are so up to rounding, and for absent classes."""
    return np.where((abs(factors - 1) <= _SAME) | (sizes == 0), 1.0, factors)


def _refuse_exemplar(question: Averaged | Measure) -> None:
    if isinstance(question, Averaged) and question.operator is exemplar:
        msg = (
            f"{question} cannot be put under another prior: it depends on the single examples, and a prior changes how "
            "often classes occur, not what the examples are. Use micro, macro or weighted."
        )
        raise NotAnswerableError(msg)


def unmoved(question: Averaged | Measure, source: Source) -> bool:
    """Return whether no prior can move the values that this question averages, only make them undefined.

    Rates within a class and what is made of them stay. With three or more classes, those of "the rest" move, since the
    rest is a mixture.
    """
    measure = formula_of(question)
    if not measure.skew_invariant:
        return False
    if not isinstance(question, Averaged):
        return True
    k = source.prior.shape[-1]
    if question.operator is micro and source.taking_part > 1:
        return False
    if not source.by_table or k == 2:
        return True
    return measure.linear is not None and all(side[1] == side[3] == 0 for side in measure.linear)


def _ordinary(cells: Cells) -> Cells:
    """Say that the cells are of ordinary size: the total is kept, and that of the source was brought there."""
    cells.__dict__["_rescaled"] = None
    return cells
