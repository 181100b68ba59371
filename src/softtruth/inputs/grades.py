"""Ordinal data: grades in their order, as indices, distributions, or probabilities of lying above a grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import BAND, checked_degrees, off_one, place
from softtruth.inputs.labels import class_names, encode, is_index, union_of_names
from softtruth.inputs.predictions import class_prediction, from_logits
from softtruth.inputs.references import class_reference

if TYPE_CHECKING:
    from numpy.typing import NDArray


def grade_names(y: NDArray[Any], p: NDArray[Any], declared: int | None) -> tuple[Any, ...]:
    """Return the grades where nobody named them: as many as are declared, as the columns say, or as occur.

    Raises
    ------
    InputError
        If text occurs, whose order nobody gave, or there is one grade only.
    """
    named = union_of_names(y, p)
    if named:
        msg = f"an ordinal problem with class names {listed(named)} needs their order; pass labels=, lowest first."
        raise InputError(msg)
    if declared is None:
        found = [_grades_of(side) for side in (y, p) if side.ndim == 2 or not is_index(side)]
        declared = found[0] if found else None
    names = class_names(y, p, declared) if declared is None else tuple(range(declared))
    if len(names) < 2:
        msg = f"an ordinal problem has {len(names)} grade, expected at least two; pass n_classes= or labels=."
        raise InputError(msg)
    return names


def _grades_of(side: NDArray[Any]) -> int:
    """Return the number of grades that columns speak of: rows that sum to one are shares, others cumulative."""
    if side.ndim == 1:
        return 2
    return side.shape[1] if off_one(side) is None else side.shape[1] + 1


def _cumulative(array: NDArray[Any], k: int) -> bool:
    """Whether the columns are probabilities of lying above each grade but the last."""
    return (array.ndim == 2 and array.shape[1] == k - 1) or (array.ndim == 1 and k == 2 and not is_index(array))


def grade_reference(array: NDArray[Any], kind: str, labels: tuple[Any, ...], rows: NDArray[Any] | None) -> NDArray[Any]:
    """Return an ordinal reference: indices (N,) where it is crisp, else distributions (N, K).

    Raises
    ------
    InputError
        If the columns are neither shares of K grades nor K - 1 cumulative probabilities.
    """
    if array.dtype.kind != "U" and kind != "labels" and _cumulative(array, len(labels)):
        return class_reference(_shares(array, "reference", rows), kind, labels, rows)
    return class_reference(array, kind, labels, rows)


def grade_prediction(
    array: NDArray[Any],
    kind: str,
    labels: tuple[Any, ...],
    rows: NDArray[Any] | None,
    *,
    soft: bool,
    threshold: float,
) -> NDArray[Any]:
    """Return an ordinal prediction: grades (N,), or distributions (N, K) where a soft coupling asks for them.

    A hardened prediction is the number of thresholds that it is above: those j where P(> j) exceeds ``threshold``.

    Raises
    ------
    InputError
        If it is no prediction of K grades.
    """
    k = len(labels)
    if array.dtype.kind == "U" or (array.ndim == 1 and not _cumulative(array, k)):
        return encode(array, labels, "prediction", rows)
    if not _cumulative(array, k):
        shares = class_prediction(array, "probabilities" if kind == "matrix" else kind, labels, rows, soft=True)
        if soft or (shares.ndim == 1 and 0 <= threshold < 1):
            return shares
        if shares.ndim == 1:  # crisp rows meet an unusual threshold like all others do
            shares = array
        tails = np.cumsum(shares[:, ::-1], axis=1, dtype=np.float64)[:, ::-1][:, 1:]
        return (tails > threshold).sum(axis=1)
    if kind == "scores":
        msg = "an ordinal prediction needs probabilities, found prediction_kind='scores'; pass probabilities or grades."
        raise InputError(msg)
    tails = from_logits(array, "ordinal", rows) if kind == "logits" else array
    shares = _shares(tails, "prediction", rows)
    if soft:
        return class_prediction(shares, "probabilities", labels, rows, soft=True)
    return np.asarray(tails.reshape(len(tails), -1) > threshold).sum(axis=1)


def _shares(array: NDArray[Any], name: str, rows: NDArray[Any] | None) -> NDArray[np.float64]:
    """Return the shares (N, K) of probabilities P(> j), (N, K - 1)."""
    tails = checked_degrees(array.reshape(len(array), -1), name, rows).astype(np.float64)
    ends = np.ones((len(tails), 1))
    shares = -np.diff(np.concatenate([ends, tails, 0 * ends], axis=1), axis=1)
    wrong = shares < -BAND
    if wrong.any():
        where = np.argwhere(wrong)[0]
        low, high = tails[where[0], where[1] - 1], tails[tuple(where)]
        msg = (
            f"{name} {place(where, rows)} rises from {shown(low)} to {shown(high)}, expected probabilities of lying "
            "above each grade, which fall from column to column."
        )
        raise InputError(msg)
    return np.maximum(shares, 0)
