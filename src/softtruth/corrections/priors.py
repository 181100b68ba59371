"""Another prior: each reference class made more or less frequent, its rates kept.

With rows the reference, a table at the prior p' is ``C'_kl = f_k C_kl`` with ``f_k = p'_k / (r_k / s)``: the rate at
which class k is taken for l stays, its size changes, the total s stays. That is label shift. It is a map on the
reference axis, so no measure knows of it, and many priors are one more axis in front of the classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.corrections.example_moments import second_moments
from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.inputs.frames import for_classes, values_by_name
from softtruth.statistics.cells import Cells, power_of_two
from softtruth.statistics.coupling import HARDENED, INDEPENDENT
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


LABEL_SHIFT = "label shift: the rates within each class are kept"
_SUM = 1e-6  # a prior may miss one by this much; it is not renormalised


@dataclass(frozen=True, eq=False)
class Source:
    """What is known at the data's own prior, and may be moved to another.

    Attributes
    ----------
    statistic : Examples, Table or Cells
    columns : ndarray, optional
        The classes that take part in averages; None for all.
    labels : tuple
        Names of the classes; for binary data (negative, positive).
    moments : Moments, optional
        Second moments of the example cells of a stream.
    """

    statistic: Any
    columns: Any = None
    labels: tuple[Any, ...] = ()
    moments: Any = None

    @classmethod
    def of(cls, problem: Any) -> Source:
        """Return the source of an IndicatorMatrix, a table or cells.

        Raises
        ------
        NotAnswerableError
            If the data do not say how often each reference class is taken for each other one.
        InputError
            If it is none of these.
        """
        if isinstance(problem, Source):
            return problem
        statistic = getattr(problem, "statistic", problem)
        if not isinstance(statistic, (Examples, Table, Cells)):
            msg = f"{shown(problem)} cannot be put under another prior; expected an IndicatorMatrix, a Table or Cells."
            raise InputError(msg)
        if statistic.task not in {"binary", "multiclass", "multilabel"}:
            msg = (
                f"{statistic.task} data cannot be put under another prior: their columns are not classes but questions "
                "about the same class; give the classes themselves (task='multiclass')."
            )
            raise NotAnswerableError(msg)
        if statistic.task == "multiclass" and isinstance(statistic, Cells):
            msg = (
                "cells of more than two classes do not say which class was taken for which, so they cannot be put "
                "under "
                "another prior; keep a Table (or the examples)."
            )
            raise NotAnswerableError(msg)
        _check_coupling(statistic)
        masked = getattr(problem, "left_out", {}).get("masked", 0)
        if statistic.task == "multiclass" and masked:
            msg = (
                f"the mask leaves out {masked} rows of multiclass data, so that the class frequencies are those of "
                f"what is "
                "visible and not of the data; take these rows out of reference and prediction, and ask again."
            )
            raise NotAnswerableError(msg)
        k = 2 if statistic.task == "binary" else statistic.n_classes
        labels = tuple(getattr(problem, "labels", range(k)))
        return cls(statistic, getattr(problem, "_taking_part", None), labels, getattr(problem, "_moments", None))

    @property
    def by_table(self) -> bool:
        """Whether the classes exclude each other and are more than a pair of yes and no: then a prior is a vector."""
        return bool(self.statistic.task == "multiclass")

    @property
    def taking_part(self) -> int:
        """How many classes take part in averages; one for binary data."""
        return int(self.prior.shape[-1]) if self.columns is None else len(self.columns)

    @cached_property
    def table(self) -> Table:
        """The table of multiclass data, of ordinary size."""
        table: Table = self.statistic.table
        return table.scaled

    @cached_property
    def cells(self) -> Cells:
        """The cells of binary or multilabel data, of ordinary size."""
        cells: Cells = self.statistic.cells
        return cells.scaled

    @cached_property
    def size_factor(self) -> float:
        """What the masses of the statistic were multiplied by to bring them to ordinary size."""
        statistic = self.statistic.table if self.by_table else self.statistic.cells
        return power_of_two(statistic.masses) or 1.0

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Masses of the reference classes: (K,) of a table, (2, m) as positives and negatives of cells."""
        if self.by_table:
            return np.asarray(self.table.rows, np.float64)
        tp, fp, fn, tn = np.asarray(self.cells.masses, np.float64)
        return np.stack([tp + fn, fp + tn])

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """The frequencies of the data: (K,) of classes that exclude each other, else one prevalence for each column."""
        if self.by_table:
            return self.table.prior
        positives, negatives = self.sizes
        with np.errstate(invalid="ignore"):
            return positives / (positives + negatives)

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """How each reference class is predicted, (K, K); NaN for absent classes."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.table.masses) / self.sizes[..., None]

    @cached_property
    def second_moments(self) -> tuple[int, NDArray[np.float64]]:
        """How many examples count, and the second moments of what they put into the table, or into the cells."""
        return second_moments(self.statistic, by_table=self.by_table)

    def with_frequency(self, k: int, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the priors at which class k has these frequencies, and the other ones stand as they do in the data.

        Classes that exclude each other share what is left in proportion. The own frequency gives the own prior, to the
        last bit.
        """
        if self.statistic.task == "binary":
            return frequencies
        priors = np.repeat(self.prior[None], len(frequencies), axis=0)
        if self.by_table:
            priors = priors * ((1 - frequencies) / (1 - self.prior[k]))[:, None]
        priors[:, k] = frequencies
        priors[frequencies == self.prior[k]] = self.prior
        return priors

    @property
    def mixtures(self) -> NDArray[np.float64]:
        """What each class puts into the cells of each class, (..., 4, K, K); cells at a prior are these by factors."""
        return self.table.contributions

    def checked(self, priors: Any, *, many: bool = False) -> NDArray[np.float64]:
        """Return priors as an array, class last: (K,), (1,) or (m,), with one axis in front where there are many.

        A mapping, and a series or frame of pandas whose rows (columns) have names, go by the names of the classes.

        Raises
        ------
        InputError
            If a prior is no frequency, has another shape, does not sum to one, or is positive for an absent class.
        """
        k = self.prior.shape[-1]
        named = for_classes(priors, self.labels, "priors") if many else values_by_name(priors, "prior")
        given = self._in_order(named) if isinstance(named, Mapping) else named
        try:
            found = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            msg = f"prior {shown(priors)} is not a number for each class."
            raise InputError(msg) from None
        if self.statistic.task == "binary":
            found = self._of_positive(found, many=many)
        if found.ndim != 1 + many or found.shape[-1] != k:
            front = "P x " if many else ""
            expected = {
                "binary": "the prevalence of the positive class" + (", one for each of P priors" if many else ""),
                "multiclass": f"{front}{k} class frequencies",
                "multilabel": f"{front}{k} prevalences, one for each label",
            }[self.statistic.task]
            advice = ""
            if not many and self.labels and self.statistic.task != "binary":
                advice = f" A dict names them: {self._example()}."
            what = f"is the one number {shown(given)}" if found.ndim == 0 else f"has shape {np.shape(given)}"
            msg = f"prior {what}, expected {expected}.{advice}"
            raise InputError(msg)
        self._check_values(found)
        return found

    @staticmethod
    def _of_positive(found: NDArray[np.float64], *, many: bool) -> NDArray[np.float64]:
        """Return prevalences as one column: they may be given as numbers, or as (negative, positive) frequencies."""
        if found.ndim == int(many):
            return found[..., None]
        if found.ndim == 1 + many and found.shape[-1] == 2:
            _check_sums(found)
            return found[..., 1:]
        return found

    def _example(self) -> str:
        """Return how a prior of these classes is written."""
        return (
            "{" + ", ".join(f"{name!r}: ..." for name in self.labels[:3]) + (", ...}" if len(self.labels) > 3 else "}")
        )

    def _in_order(self, priors: Mapping[Any, float]) -> list[float]:
        """Return the frequencies of all classes; those that are not named stand to each other as in the data."""
        binary, labels = self.statistic.task == "binary", list(self.labels)
        if not priors or not set(priors) <= set(labels):
            msg = f"prior names {listed(priors) or 'no class'}, expected frequencies of {listed(labels)}."
            raise InputError(msg)
        if len(priors) < len(labels):
            priors = self._completed(priors)
        values = [priors[name] for name in labels]
        if binary:
            _check_sums(np.asarray(values, np.float64))
        return values[-1:] if binary else values

    def _completed(self, priors: Mapping[Any, float]) -> dict[Any, float]:
        """Return frequencies of all classes: those that are not named share what is left, as they do in the data."""
        own = self.prior if self.statistic.task != "binary" else np.append(1 - self.prior, self.prior)
        others = {name: float(p) for name, p in zip(self.labels, own, strict=True) if name not in priors}
        if self.statistic.task == "multilabel":  # labels do not exclude each other: each keeps its own
            return {**priors, **others}
        try:
            left = 1 - math.fsum(priors.values())
        except (TypeError, ValueError):
            msg = f"prior {shown(dict(priors))} is not a number for each class."
            raise InputError(msg) from None
        left = 0.0 if abs(left) <= _SUM else left
        if left < 0:
            together = " together" if len(priors) > 1 else ""
            msg = f"prior gives {1 - left:.6g} to {listed(priors)}{together}, expected at most 1."
            raise InputError(msg)
        whole = math.fsum(others.values())
        if left and not whole > 0:
            msg = f"prior leaves {left:.6g} to {listed(others)}, which do not occur in the data; give it to others."
            raise InputError(msg)
        return {**priors, **{name: left * p / whole if left else 0.0 for name, p in others.items()}}

    def _check_values(self, found: NDArray[np.float64]) -> None:
        if not found.size:
            return
        # Frequencies that are not negative and sum to one are at most one.
        if not (np.minimum.reduce(found, axis=None) >= 0 and (self.by_table or found.max() <= 1)):
            bad = found[~((found >= 0) & (found <= 1 + _SUM))].flat[0]
            msg = (
                f"prior contains {shown(bad)}, expected frequencies between 0 and 1. If it was estimated and left the "
                "simplex, the nearest prior is that of --project (project() in Python)."
            )
            raise InputError(msg)
        if self.by_table:
            _check_sums(found)
        sizes = self.sizes
        if sizes.all():
            return
        wanted = [found] if self.by_table else [found, 1 - found]
        for side, mass in zip(wanted, sizes[None] if self.by_table else sizes, strict=True):
            missing = (side > 0) & (mass == 0)
            if missing.any():
                k = int(np.argwhere(missing)[0][-1])
                who = self.side_name(k, positive=side is found)
                msg = (
                    f"class {shown(who)} does not occur in the data, so its rates are unknown, but the prior gives it "
                    f"{shown(side[missing].flat[0])}; give it 0, or add examples of it."
                )
                raise InputError(msg)

    def side_name(self, column: int, *, positive: bool) -> Any:
        """Return the name of a class, or of what is not in it."""
        if self.statistic.task == "binary":
            return self.labels[int(positive)]
        return self.labels[column] if positive else f"not {self.labels[column]}"


def _check_sums(frequencies: NDArray[np.float64]) -> None:
    sums = np.atleast_1d(frequencies @ np.ones(frequencies.shape[-1]))
    if not (abs(np.minimum.reduce(sums) - 1) <= _SUM and abs(np.maximum.reduce(sums) - 1) <= _SUM):
        worst = sums[np.argmax(np.abs(sums - 1))]
        msg = f"prior sums to {worst:.6g}, expected 1; divide by the sum if these are counts."
        raise InputError(msg)


def _check_coupling(statistic: Any) -> None:
    kept = statistic.coupling
    name = kept if isinstance(kept, str) else kept.name
    if name in {HARDENED.name, INDEPENDENT.name}:
        return
    if isinstance(statistic, Examples) and (statistic.hard_reference or statistic.prediction.dtype.kind in "biu"):
        return  # one side is crisp, and then every coupling gives the same cells
    msg = (
        f"the coupling {shown(name)} of a soft reference does not say how the shared mass of a class moves with its "
        f"size; "
        "use coupling='independent', for which the rates within each class are well defined."
    )
    raise NotAnswerableError(msg)
