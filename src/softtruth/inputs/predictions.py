"""Predictions: labels, probabilities, scores or logits; hardened only as asked, never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import checked_degrees, checked_finite, crisp, degrees_to_verify, off_one
from softtruth.inputs.labels import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREDICTION_KINDS = ("auto", "labels", "probabilities", "scores", "logits")
NO_PROBABILITIES = (
    "predictions that are scores are no probabilities, so that neither a t-norm nor a coupling can use them; give "
    "probabilities, or leave it out."
)


def prediction_kind_of(kind: Any, array: NDArray[Any], task: str) -> str:
    """Return the kind of a prediction; ``auto`` never yields logits.

    Rows of a multiclass matrix, and two columns of a binary problem, are scores where they do not sum to one: fit for
    the top class, not for probabilities.
    """
    if not isinstance(kind, str) or kind not in PREDICTION_KINDS:
        msg = f"prediction_kind {shown(kind)} is not known; expected one of {', '.join(PREDICTION_KINDS)}."
        raise InputError(msg)
    if kind != "auto":
        return kind
    if task == "binary" and array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind != "U":
        return "matrix"
    if array.dtype.kind in "Ubiu" and not (task == "multiclass" and array.ndim == 2):
        return "labels"
    if task == "multiclass":
        return "labels" if array.ndim == 1 else "matrix"
    return "probabilities"  # also where all are 0 or 1: a batch of a stream meets the threshold like the whole does


def from_logits(logits: NDArray[Any], task: str, rows: NDArray[Any] | None) -> NDArray[np.float64]:
    """Return probabilities: softmax over the classes of a multiclass problem, a sigmoid for each entry otherwise."""
    z = checked_finite(logits, "prediction", rows).astype(np.float64)
    if task == "multiclass":
        with np.errstate(over="ignore"):  # so far below the largest that nothing is left of it
            e = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def class_prediction(
    array: NDArray[Any], kind: str, labels: tuple[Any, ...], rows: NDArray[Any] | None, *, soft: bool
) -> NDArray[Any]:
    """Return a multiclass prediction: class indices, or probability rows where a soft coupling asks for them.

    Ties go to the first class.
    """
    if array.ndim == 1:
        if kind in {"probabilities", "scores", "logits"} and array.size:
            msg = (
                f"prediction_kind {shown(kind)} expects N rows of one number for each of the {len(labels)} classes, "
                f"found shape {array.shape}."
            )
            raise InputError(msg)
        return encode(array, labels, "prediction", rows)
    if array.shape[1] != len(labels):
        msg = f"prediction has {array.shape[1]} columns but there are {len(labels)} classes."
        raise InputError(msg)
    if kind == "logits":
        array = from_logits(array, "multiclass", rows)
    elif kind in {"probabilities", "labels"} or (kind == "matrix" and soft):
        off = off_one(array)
        if off is not None and (kind != "matrix" or np.isfinite(off[1])):
            row = off[0] if rows is None else int(rows[off[0]])
            msg = (
                f"prediction row {row} sums to {off[1]:.6g}, expected 1. "
                "Divide by the row sum, or pass prediction_kind='logits' or 'scores' "
                "(scores serve the top class only, without tnorm or coupling)."
            )
            raise InputError(msg)
        array = checked_degrees(array, "prediction", rows)
    else:
        if soft:
            raise InputError(NO_PROBABILITIES)
        array = checked_finite(array, "prediction", rows)
    if not soft or crisp(array):
        return array.argmax(axis=1)
    return array


def label_prediction(
    array: NDArray[Any], kind: str, task: str, rows: NDArray[Any] | None, *, soft: bool, threshold: Any
) -> NDArray[Any]:
    """Return a multilabel or one-column prediction: 0/1 above the threshold, or degrees for a soft coupling."""
    if kind == "logits":
        array = from_logits(array, task, rows)
    elif kind == "scores":
        if soft:
            raise InputError(NO_PROBABILITIES)
        array = checked_finite(array, "prediction", rows)
    else:
        array = degrees_to_verify(array, "prediction", rows) if soft else checked_degrees(array, "prediction", rows)
        if (soft or kind == "labels") and crisp(array):
            return array.astype(np.uint8, copy=False)
        if kind == "labels":
            msg = "prediction_kind 'labels' expects 0 and 1 only; shares are prediction_kind='probabilities'."
            raise InputError(msg)
    return array if soft else (array > threshold).astype(np.uint8)


def tied_rows(scores: NDArray[Any]) -> int:
    """Return how many rows have more than one top class."""
    tied = 0
    for start in range(0, scores.shape[0], 65_536):
        block = scores[start : start + 65_536]
        tied += int(((block == block.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
    return tied
