"""The values of a side in the order of the problem's classes, as the kinds of array that a problem holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.problem import BY_CLASS, Prediction

if TYPE_CHECKING:
    from softtruth.inputs.plan import Plan
    from softtruth.inputs.problem import ReferenceKind
    from softtruth.inputs.side import Side


def arranged_reference(side: Side, plan: Plan, lookup: np.ndarray) -> tuple[np.ndarray, ReferenceKind, np.ndarray]:
    """Return the reference, its kind, and where it knows something.

    Parameters
    ----------
    side
        The reference, with one row for each item of the problem.
    plan
        Task and classes.
    lookup
        The label that each class of the side becomes.
    """
    if plan.task == "multilabel":
        return _multilabel_reference(side, lookup)
    if side.form == "codes":
        codes = _looked_up(lookup, side.values)
        return codes.clip(0, None), "labels", codes >= 0
    if side.form == "score":
        known = ~np.isnan(side.values)
        _require_unit(side, side.values[known])
        return np.where(known, side.values, 0.0), "distribution", known
    return _wide_reference(side, plan, side.values @ _into(lookup, len(plan.labels)))


def _wide_reference(side: Side, plan: Plan, values: np.ndarray) -> tuple[np.ndarray, ReferenceKind, np.ndarray]:
    if side.form == "counts":
        total = values.sum(axis=1)
        # One vote each is a label, and no share of votes.
        single = bool((total <= 1).all() and ((values == 0) | (values == 1)).all())
        return (values.argmax(axis=1), "labels", total > 0) if single else (values, "votes", total > 0)
    known, values = ~np.isnan(values).any(axis=1), np.nan_to_num(values)
    if side.form == "one-hot":
        return values.argmax(axis=1), "labels", known
    if side.form == "shares":
        return (values[:, 1] if plan.task == "binary" else values), "distribution", known
    raise InputError(
        f"{side.path}: the rows of the reference do not sum to one, so that they are no distribution. Pass votes in "
        "columns n_<class>, --normalize, or --task multilabel if the labels do not exclude each other."
    )


def _multilabel_reference(side: Side, lookup: np.ndarray) -> tuple[np.ndarray, ReferenceKind, np.ndarray]:
    values = side.values[:, lookup]
    if side.form == "answers":
        total = values.sum(axis=-1)
        known = total > 0
        if (total <= 1).all():
            return values[..., 1].astype(np.int64), "labels", known
        return values, "votes", known
    known = ~np.isnan(values)
    _require_unit(side, values[known])
    values = np.where(known, values, 0.0)
    if ((values == 0) | (values == 1)).all():
        return values.astype(np.int64), "labels", known
    return values, "distribution", known


def arranged_prediction(side: Side, plan: Plan, lookup: np.ndarray) -> Prediction:
    """Return the values of a prediction and their kind.

    Parameters
    ----------
    side
        The prediction, with one row for each item of the problem.
    plan
        Task and classes.
    lookup
        The label that each class of the side becomes.
    """
    if plan.task == "multilabel":
        return _multilabel_prediction(side, lookup)
    if side.form == "codes":
        return Prediction(_looked_up(lookup, side.values), "labels")
    if side.form == "score":
        unit = bool(((side.values >= -1e-9) & (side.values <= 1 + 1e-9)).all())
        return Prediction(side.values.clip(0, 1), "probabilities") if unit else Prediction(side.values, "scores")
    if side.form in {"scores", "indicators", "one-hot"}:
        return _top_class(side, plan, lookup)
    shares = _shares(side) @ _into(lookup, len(plan.labels))
    if side.form == "counts" and ((shares == 0) | (shares == 1)).all():
        return Prediction(shares.argmax(axis=1), "labels")
    return Prediction(shares[:, 1] if plan.task == "binary" else shares, "probabilities")


def _top_class(side: Side, plan: Plan, lookup: np.ndarray) -> Prediction:
    """Scores of classes cannot be added, and a class without a score cannot win: only the top class is sure then."""
    whole = sorted(lookup.tolist()) == list(range(len(plan.labels)))
    if plan.task == "multiclass" and side.form != "one-hot" and whole:
        return Prediction(side.values[:, np.argsort(lookup)], "scores")
    return Prediction(lookup[side.values.argmax(axis=1)], "labels")


def _multilabel_prediction(side: Side, lookup: np.ndarray) -> Prediction:
    values = _shares(side)[:, lookup] if side.form == "answers" else side.values[:, lookup]
    if ((values == 0) | (values == 1)).all():
        return Prediction(values.astype(np.int64), "labels")
    unit = bool(((values >= -1e-9) & (values <= 1 + 1e-9)).all())
    return Prediction(values.clip(0, 1), "probabilities") if unit else Prediction(values, "scores")


def _shares(side: Side) -> np.ndarray:
    """Return votes as shares; rows without votes were taken out before."""
    if side.form == "counts":
        shares: np.ndarray = side.values / side.values.sum(axis=1, keepdims=True)
        return shares
    if side.form == "answers":
        present: np.ndarray = side.values[..., 1] / side.values.sum(axis=-1)
        return present
    return np.asarray(side.values)


def _looked_up(lookup: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.asarray(np.append(lookup, -1)[codes])


def _into(lookup: np.ndarray, k: int) -> np.ndarray:
    """Return the matrix that adds the classes of a side into the labels of the problem."""
    return np.asarray(lookup[:, None] == np.arange(k), dtype=np.float64)


def _require_unit(side: Side, values: np.ndarray) -> None:
    if len(values) and not (values.min() >= -1e-9 and values.max() <= 1 + 1e-9):
        wrong = float(values.min() if values.min() < 0 else values.max())
        raise InputError(
            f"{side.path}: the reference holds {shown(wrong)}, expected shares from 0 to 1. Leave a value out with "
            "--ignore, or name the right column with --label."
        )


def tied(values: np.ndarray, kind: str, task: str) -> int:
    """Count the items (entries, in multilabel data) whose most likely class is shared by several."""
    if kind == "labels" or not values.size:
        return 0
    if kind in {"distribution", "probabilities"} and task not in BY_CLASS:
        return int(np.count_nonzero(values == 0.5))  # a tie is exact
    top = values.max(axis=-1, keepdims=True)
    return int(np.count_nonzero(((values == top).sum(axis=-1) > 1) & (top[..., 0] > 0)))
