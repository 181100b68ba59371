"""Batches as PyTorch has them (class axis 1, one column, logits, ignored indices) become two flat sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from torch import Tensor

TASKS = ("binary", "multiclass", "multilabel")


@dataclass(frozen=True)
class Sides:
    """Both sides with one row for each example or pixel, class last.

    Attributes
    ----------
    reference, prediction : Tensor
        Class indices (M,), or degrees (M, K).
    weight : Tensor, shape (M,) or for multilabel entries (M, K), optional
    examples : int
        How many examples the rows belong to, in equal shares.
    """

    reference: Tensor
    prediction: Tensor
    weight: Tensor | None
    examples: int


def checked_task(task: str) -> str:
    """Return the task.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if task not in TASKS:
        msg = f"task {shown(task)} is not known; expected one of {', '.join(TASKS)}."
        raise InputError(msg)
    return task


def sides_of(
    prediction: Tensor,
    target: Tensor,
    *,
    task: str,
    from_logits: bool = False,
    sample_weight: Tensor | None = None,
    ignore_index: int | None = None,
) -> Sides:
    """Return both sides of a batch, probabilities in at least single precision.

    Raises
    ------
    InputError
        If the shapes do not fit together. Values are never looked at.
    """
    n = prediction.shape[0]
    if task == "multiclass" and _one_column(prediction, target):
        task = "binary"
    if task == "binary":
        sides = _one_of_two(prediction, target, from_logits=from_logits)
    else:
        sides = _columns(prediction, target, task, from_logits=from_logits)
    weight = None if sample_weight is None else _spread(sample_weight, n, sides.reference.shape[0])
    if ignore_index is not None:
        ignored = sides.reference == ignore_index
        by_row = task == "multilabel" and weight is not None
        weight = _excluded(ignored, weight[:, None] if by_row and weight is not None else weight, sides.prediction)
        sides = replace(sides, reference=sides.reference.masked_fill(ignored, 0))
    return replace(sides, weight=weight)


def wide(x: Tensor) -> Tensor:
    """Return floats of at least single precision: half precision holds no sums."""
    return x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)


def two_columns(p: Tensor) -> Tensor:
    """Return the degrees of both classes from those of the positive one."""
    return torch.stack([1 - p, p], dim=-1)


def _one_column(prediction: Tensor, target: Tensor) -> bool:
    return prediction.is_floating_point() and (
        prediction.ndim == 1 or (prediction.shape[1] == 1 and target.ndim <= prediction.ndim)
    )


def _one_of_two(prediction: Tensor, target: Tensor, *, from_logits: bool) -> Sides:
    n = prediction.shape[0]
    p, y = prediction.reshape(-1), target.reshape(-1)
    if p.shape != y.shape:
        _refuse(prediction, target, "the same shape for one column of predictions")
    if p.is_floating_point():
        p = wide(p)
        p = p.sigmoid() if from_logits else p
    return Sides(wide(y) if y.is_floating_point() else y, p, None, n)


def _columns(prediction: Tensor, target: Tensor, task: str, *, from_logits: bool) -> Sides:
    n = prediction.shape[0]
    p = prediction
    if task == "multiclass" and not p.is_floating_point() and p.ndim <= target.ndim:  # labels on either side
        p = p.reshape(-1) if p.ndim < target.ndim or p.shape == target.shape else p
    else:
        if p.ndim < 2:
            _refuse(prediction, target, "a prediction of N rows of K columns")
        p = _flat(p)
        if p.is_floating_point():
            p = wide(p)
        if from_logits:
            p = p.softmax(dim=-1) if task == "multiclass" else p.sigmoid()
    y = target
    if target.is_floating_point() or task == "multilabel" or (p.ndim == 2 and target.shape == prediction.shape):
        if target.ndim < 2:
            _refuse(prediction, target, "class indices of a whole-number type, or N rows of K shares")
        y = _flat(y)
        y = wide(y) if y.is_floating_point() else y
    else:
        y = y.reshape(-1)
    columns = {side.shape[1] for side in (y, p) if side.ndim == 2}
    if y.shape[0] != p.shape[0] or len(columns) > 1:
        _refuse(prediction, target, "(N, K) or (N, K, ...) against (N,), (N, 1), (N, ...) or the same shape")
    return Sides(y, p, None, n)


def _flat(x: Tensor) -> Tensor:
    return x if x.ndim == 2 else x.movedim(1, -1).reshape(-1, x.shape[1])


def _spread(weight: Tensor, examples: int, rows: int) -> Tensor:
    """Return one weight a row, from one a row or one an example."""
    w = wide(weight).reshape(-1)
    if w.shape[0] == rows:
        return w
    if w.shape[0] != examples:
        msg = f"sample_weight has shape {tuple(weight.shape)}, expected one for each of the {examples} examples."
        raise InputError(msg)
    return w.repeat_interleave(rows // max(examples, 1), output_size=rows)


def _excluded(ignored: Tensor, weight: Tensor | None, like: Tensor) -> Tensor:
    kept = (~ignored).to(like.dtype if like.is_floating_point() else torch.float64)
    return kept if weight is None else kept * weight


def _refuse(prediction: Tensor, target: Tensor, expected: str) -> None:
    msg = (
        f"prediction has shape {tuple(prediction.shape)} and target {tuple(target.shape)} ({target.dtype}), "
        f"expected {expected}."
    )
    raise InputError(msg)
