"""Images and the like: arrays with more than two axes become rows, and what each row is a part of is kept."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth.errors import InputError
from softtruth.inputs.arrays import as_array
from softtruth.inputs.labels import is_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Parts(NamedTuple):
    """Both sides as rows, and the axes that were pooled into each example."""

    reference: NDArray[Any]
    prediction: NDArray[Any]
    between: tuple[int, ...]

    @property
    def each(self) -> int:
        """The number of rows of an example."""
        return int(np.prod(self.between))


def parts_of_examples(y: NDArray[Any], p: NDArray[Any], task: str | None, kinds: tuple[str, str]) -> Parts:
    """Return arrays of (N, ...) or (N, ..., K) as rows; the axes between the first and the classes are pooled.

    Raises
    ------
    InputError
        If no task is given, the axes between differ, or it cannot be told whether the last axis is one of classes.
    """
    if task is None:
        msg = (
            f"reference has shape {y.shape} and prediction {p.shape}: with more than two axes the task is needed; pass "
            "task='binary', 'multiclass', 'multilabel' or 'ordinal'."
        )
        raise InputError(msg)
    by_class = [_has_class_axis(side, other, task, kind) for side, other, kind in ((y, p, kinds[0]), (p, y, kinds[1]))]
    between = [side.shape[1 : -1 if classes else None] for side, classes in zip((y, p), by_class, strict=True)]
    if between[0] != between[1]:
        msg = (
            f"reference has shape {y.shape} but prediction has {p.shape}; expected the same axes, with classes last "
            "where there is an axis of classes."
        )
        raise InputError(msg)
    rows: list[NDArray[Any]] = [
        side.reshape(-1, side.shape[-1]) if classes else side.reshape(-1)
        for side, classes in zip((y, p), by_class, strict=True)
    ]
    return Parts(rows[0], rows[1], between[0])


@contextmanager
def naming_parts(each: int) -> Iterator[None]:
    """Name examples and their parts in errors that name rows, where an example has ``each`` of them."""
    try:
        yield
    except InputError as error:
        if each == 1:
            raise
        words = re.sub(r"\brow (\d+)", lambda m: f"example {int(m[1]) // each}, part {int(m[1]) % each}", str(error))
        raise InputError(words) from None


def _has_class_axis(side: NDArray[Any], other: NDArray[Any], task: str, kind: str) -> bool:
    if task == "multilabel":
        return True
    if task == "binary" or kind == "labels" or side.dtype.kind == "U":
        return False
    if kind in {"distribution", "votes", "probabilities", "scores", "logits"} or side.ndim > other.ndim:
        return True
    if side.ndim < other.ndim or not is_index(side):
        return side.ndim == other.ndim
    if side.size and side.max() <= 1 and bool((side.sum(axis=-1) == 1).all()):
        msg = (
            f"an array of shape {side.shape} may hold class indices 0 and 1, or one-hot rows; pass reference_kind= and "
            "prediction_kind= ('labels', or 'distribution' and 'probabilities')."
        )
        raise InputError(msg)
    return False


def mask_of_parts(mask: Any, parts: Parts, n: int) -> NDArray[Any]:
    """Return a mask of (N,), (N, ...) or, for labels, (N, ..., m) for the rows.

    Raises
    ------
    InputError
        If it has another shape.
    """
    given = as_array(mask, "mask")
    if given.shape == (n,):
        return np.repeat(given, parts.each)
    if given.shape == (n, *parts.between):
        return given.reshape(-1)
    if parts.reference.ndim == 2 and given.shape == (n, *parts.between, parts.reference.shape[1]):
        return given.reshape(parts.reference.shape)
    msg = f"mask has shape {given.shape}, expected {(n,)} or {(n, *parts.between)}."
    raise InputError(msg)
