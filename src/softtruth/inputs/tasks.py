"""Which task the arrays are about, where they say so beyond doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import crisp, off_one
from softtruth.inputs.labels import is_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

TASKS = ("binary", "multiclass", "multilabel", "ordinal")


def checked_task(task: Any) -> str:
    """Return the name of a task.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if not isinstance(task, str) or task not in TASKS:
        msg = f"task {shown(task)} is not known; expected one of {', '.join(TASKS)}."
        raise InputError(msg)
    return task


def task_of(
    task: str | None,
    reference: NDArray[Any],
    prediction: NDArray[Any],
    *,
    kinds: tuple[str, str],
    n_classes: int | None,
) -> str:
    """Return the task: the one given, or the only one that the arrays allow.

    Raises
    ------
    InputError
        If the name is unknown, or more than one task fits.
    """
    if task is not None:
        return checked_task(task)
    found = {x for x in (_of_side(reference, kinds[0]), _of_side(prediction, kinds[1])) if x}
    if found == {"multilabel"} and _one_hot(reference) and not crisp(prediction):
        found = set()  # scores of one class each, or probabilities of labels: rows that miss one say neither
    if n_classes is not None and reference.ndim == 1:
        found |= {"multiclass"}
    if len(found) == 1:
        return found.pop()
    if not found and reference.ndim == 1 and prediction.ndim == 1:
        if reference.size == 0:
            msg = (
                "there are no rows to tell the task from; pass task=, and n_classes= or labels= if it is not 'binary'."
            )
            raise InputError(msg)
        return "binary"
    if found == {"binary", "multiclass"} and reference.ndim == 1:
        return "multiclass" if not _shares(reference) and not _shares(prediction) else "binary"
    msg = (
        f"the task cannot be told from a reference of shape {reference.shape} "
        f"and a prediction of shape {prediction.shape}; "
        "pass task='binary', 'multiclass' (classes exclude each other), 'multilabel' (labels may hold together) or "
        "'ordinal' (grades in their order)."
    )
    if _counts(reference):
        msg += " If the reference counts votes, pass reference_kind='votes'."
    raise InputError(msg)


def _shares(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" and not is_index(array)


def _counts(array: NDArray[Any]) -> bool:
    """Whether rows hold whole numbers, and larger ones than 0 and 1."""
    return array.ndim == 2 and array.dtype.kind in "iuf" and array.size > 0 and is_index(array) and array.max() > 1


def _one_hot(array: NDArray[Any]) -> bool:
    return array.ndim == 2 and array.dtype.kind != "U" and crisp(array) and off_one(array) is None


def _of_side(array: NDArray[Any], kind: str) -> str | None:  # noqa: PLR0911  one answer a line reads best
    """Return the task that one array says beyond doubt, or None."""
    if kind == "votes":
        return "multiclass"
    if array.ndim == 1:
        if array.dtype.kind == "U" or (
            array.dtype.kind in "iuf" and is_index(array) and array.size and array.max() > 1
        ):
            return "multiclass"
        return "binary" if array.dtype.kind == "b" or _shares(array) else None
    if array.dtype.kind == "U" or array.shape[1] == 0 or _counts(array):
        return None
    one = off_one(array) is None
    if crisp(array):
        return None if one else "multilabel"
    if one:
        return "multiclass"
    return "multilabel" if bool(np.all((array >= 0) & (array <= 1))) and kind not in {"logits", "scores"} else None
