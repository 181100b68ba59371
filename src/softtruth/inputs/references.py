"""References: what people or records say of each example, as class indices or degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import (
    MOST_VOTES,
    checked_degrees,
    checked_finite,
    crisp,
    degrees_to_verify,
    off_one,
    place,
)
from softtruth.inputs.labels import encode, is_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

REFERENCE_KINDS = ("auto", "labels", "distribution", "votes")


def reference_kind_of(kind: Any, array: NDArray[Any]) -> str:
    """Return the kind of a reference; ``auto`` reads it off the values and never takes counts for votes."""
    if not isinstance(kind, str) or kind not in REFERENCE_KINDS:
        msg = f"reference_kind {shown(kind)} is not known; expected one of {', '.join(REFERENCE_KINDS)}."
        raise InputError(msg)
    if kind != "auto":
        return kind
    return "labels" if array.ndim == 1 and (array.dtype.kind == "U" or is_index(array)) else "distribution"


def shares_of_votes(votes: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the share of each class among an item's votes, and which items have any.

    Raises
    ------
    InputError
        If the votes are not a matrix of counts.
    """
    if votes.ndim != 2 or votes.dtype.kind not in "biuf":
        msg = f"a reference of kind 'votes' has shape {votes.shape}, expected N rows of one count for each class."
        raise InputError(msg)
    counts = checked_finite(votes, "reference").astype(np.float64)
    wrong = (counts < 0) | (counts > MOST_VOTES)
    if wrong.any():
        where = np.argwhere(wrong)[0]
        msg = (
            f"reference {place(where)} is {shown(counts[tuple(where)])}, expected a count of votes, from 0 to "
            f"{MOST_VOTES:,.0f}."
        )
        raise InputError(msg)
    n = counts.sum(axis=1)
    return counts / np.where(n > 0, n, 1)[:, None], n > 0


def class_reference(array: NDArray[Any], kind: str, labels: tuple[Any, ...], rows: NDArray[Any] | None) -> NDArray[Any]:
    """Return a multiclass reference: class indices (N,) where it is crisp, else distributions (N, K)."""
    if array.ndim == 1:
        return encode(array, labels, "reference", rows)
    k = len(labels)
    if array.shape[1] != k:
        msg = f"reference has {array.shape[1]} columns but there are {k} classes."
        raise InputError(msg)
    degrees = checked_degrees(array, "reference", rows)
    off = off_one(degrees)
    if off is not None:
        row = off[0] if rows is None else int(rows[off[0]])
        msg = (
            f"reference row {row} sums to {off[1]:.6g}, expected 1. "
            "If these are counts pass reference_kind='votes', if labels may hold together pass task='multilabel', "
            "or divide by the row sum."
        )
        raise InputError(msg)
    if crisp(degrees):
        return degrees.argmax(axis=1)
    if kind == "labels":
        _not_crisp(degrees, rows)
    return degrees


def label_reference(array: NDArray[Any], kind: str, rows: NDArray[Any] | None) -> NDArray[Any]:
    """Return a multilabel or one-column reference as degrees (N, m); 0/1 data become small whole numbers.

    Soft floats are not looked through here: their range is verified while they are counted (see ``Pair.unverified``).
    """
    if array.dtype.kind == "f" and crisp(array):
        return array.astype(np.uint8)
    degrees = degrees_to_verify(array, "reference", rows)
    if kind == "labels" and degrees.dtype.kind == "f":
        _not_crisp(checked_degrees(array, "reference", rows), rows)
    return degrees


def _not_crisp(degrees: NDArray[Any], rows: NDArray[Any] | None) -> None:
    where = np.argwhere((degrees != 0) & (degrees != 1))[0]
    msg = (
        f"reference {place(where, rows)} is {shown(degrees[tuple(where)])}, expected 0 or 1 for "
        "reference_kind='labels'; shares are reference_kind='distribution'."
    )
    raise InputError(msg)
