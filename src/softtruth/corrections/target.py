"""Predictions for the target: examples without labels, from the place whose prior is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.priors import Source
from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import as_array, checked_degrees
from softtruth.inputs.binary import positive_column
from softtruth.inputs.frames import for_classes
from softtruth.inputs.predictions import class_prediction, label_prediction, prediction_kind_of
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Transfer:
    """A labelled source and the unlabelled target, predicted by the same model.

    Attributes
    ----------
    source : Source
        The labelled data.
    target : ndarray
        Class indices (n,) of decisions on multiclass data, else degrees (n, K) or (n, m).
    """

    source: Source
    target: NDArray[Any]

    @property
    def soft(self) -> bool:
        """Whether both sides are probabilities."""
        statistic = self.source.statistic
        return isinstance(statistic, Examples) and statistic.prediction.dtype.kind == self.target.dtype.kind == "f"

    @property
    def degrees(self) -> NDArray[np.float64]:
        """The target as degrees (n, K) or (n, m)."""
        if self.target.ndim == 1:
            return np.equal.outer(self.target, np.arange(self.source.statistic.n_classes)).astype(np.float64)
        return self.target.astype(np.float64, copy=False)

    def hardened(self, threshold: float) -> Transfer:
        """Return the same with decisions in place of probabilities."""

        def hard(side: NDArray[Any]) -> NDArray[Any]:
            if side.dtype.kind != "f":
                return side
            return side.argmax(1) if self.source.by_table else (side > threshold).astype(np.uint8)

        statistic = self.source.statistic
        if isinstance(statistic, Examples):
            statistic = replace(statistic, prediction=hard(statistic.prediction), coupling=HARDENED)
        return Transfer(replace(self.source, statistic=statistic), hard(self.target))

    def probabilities(self, purpose: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities of source and target.

        Raises
        ------
        InputError
            If either side holds decisions.
        """
        if not self.soft:
            source = self.source.statistic
            soft_source = isinstance(source, Examples) and source.prediction.dtype.kind == "f"
            what = "target holds" if soft_source else "source keeps"
            how = (
                "give the target's probabilities"
                if soft_source
                else "give its probabilities, too (an IndicatorMatrix keeps them with coupling='independent')"
            )
            other = "choose bbse_hard as the method"
            msg = f"{purpose} needs predicted probabilities but the {what} decisions; {how}, or {other}."
            raise InputError(msg)
        return np.asarray(self.source.statistic.prediction, np.float64), np.asarray(self.target, np.float64)


def transfer_of(problem: Any, target: Any, prediction_kind: str = "auto") -> Transfer:
    """Return source and target, with the target's predictions read as those of the source were.

    Raises
    ------
    InputError
        If the target cannot be read, is empty, or a class does not occur in the source.
    """
    source = Source.of(problem)
    missing = source.sizes == 0
    if missing.any():
        name = source.side_name(int(np.argwhere(missing)[0][-1]), positive=source.by_table or not missing[1].any())
        msg = (
            f"class {shown(name)} does not occur in the source, so how it is predicted is unknown; add examples of it."
        )
        raise InputError(msg)
    statistic = source.statistic
    soft = isinstance(statistic, Examples) and statistic.prediction.dtype.kind == "f"
    threshold = getattr(problem, "threshold", None)
    try:
        target = for_classes(target, source.labels, "prediction")
        read = _read(as_array(target, "prediction"), source, prediction_kind, soft=soft, threshold=threshold)
    except InputError as error:
        msg = f"target: {error}"
        raise InputError(msg) from None
    if not len(read):
        msg = "target has no rows; expected the predictions for the examples of the target."
        raise InputError(msg)
    return Transfer(source, read)


def _read(array: NDArray[Any], source: Source, kind: str, *, soft: bool, threshold: Any) -> NDArray[Any]:
    task, k = source.statistic.task, source.prior.size
    if array.ndim > 2:
        msg = f"prediction has shape {array.shape}, expected (N,) or (N, K): one for each item."
        raise InputError(msg)
    guess = prediction_kind_of(kind, array, task)
    if task == "multiclass":
        return class_prediction(array, guess, source.labels, None, soft=soft)
    if task == "binary":
        array = positive_column(array, "prediction", source.labels, kind=guess, rows=None)
    elif array.ndim != 2 or array.shape[1] != k:
        msg = f"prediction has shape {array.shape}, expected a column for each of {k} labels."
        raise InputError(msg)
    found = label_prediction(array, guess, task, None, soft=soft, threshold=0.5 if threshold is None else threshold)
    return (
        checked_degrees(found.reshape(len(found), k), "prediction", None)
        if found.dtype.kind == "f"
        else found.reshape(-1, k)
    )
