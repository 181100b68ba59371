"""Two classes as one column: how far each row belongs to the positive class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth.errors import InputError, listed
from softtruth.inputs.arrays import checked_finite, off_one
from softtruth.inputs.labels import encode, union_of_names
from softtruth.inputs.predictions import tied_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVEN = 0.5  # the threshold that asks which of two is the likelier one


def binary_names(labels: tuple[Any, ...] | None, *sides: NDArray[Any], ranked: bool = True) -> tuple[Any, ...]:
    """Return the two classes, negative first.

    Names that are not ``ranked`` are those of columns: in sorted order they say that the second is the positive one,
    in another order nothing.

    Raises
    ------
    InputError
        If there are not two, or names occur and nothing says which is positive.
    """
    if labels is not None:
        if len(labels) != 2:
            msg = f"a binary problem has two classes (negative, positive), labels name {len(labels)}: {listed(labels)}."
            raise InputError(msg)
        if ranked or labels[0] < labels[1]:
            return labels
    found = union_of_names(*sides) if labels is None else labels
    if found:
        msg = (
            f"a binary problem with class names {listed(found)} needs to know which is positive; "
            "pass labels=(negative, positive)."
        )
        raise InputError(msg)
    return (0, 1)


def positive_column(
    side: NDArray[Any], name: str, labels: tuple[Any, ...], *, kind: str, rows: NDArray[Any] | None
) -> NDArray[Any]:
    """Return one number for each row: names become 0 or 1, and of two columns the positive class's is taken.

    Raises
    ------
    InputError
        If there are more columns, or two that do not sum to one.
    """
    if side.ndim == 1:
        numbered = not isinstance(labels[0], str) and labels != (0, 1) and bool(np.isin(side, labels).all())
        return encode(side, labels, name, rows).astype(np.uint8) if side.dtype.kind == "U" or numbered else side
    if side.dtype.kind == "U" or side.shape[1] != 2:
        msg = (
            f"{name} has {side.shape[1]} columns, expected one (the positive class) or two numbers "
            "(negative, positive) for a binary problem."
        )
        raise InputError(msg)
    if kind == "logits":
        return np.asarray(side[:, 1], np.float64) - side[:, 0]  # softmax of two is the sigmoid of the difference
    off = None if kind == "scores" else off_one(side)
    if off is not None:
        row = off[0] if rows is None else int(rows[off[0]])
        msg = f"{name} row {row} sums to {off[1]:.6g}, expected 1: two columns are the negative and the positive class."
        if name == "prediction":
            msg += (
                " Scores, of which the higher one wins, are prediction_kind='scores', without threshold and coupling."
            )
        raise InputError(msg)
    column: NDArray[Any] = side[:, 1]
    return column


class Column(NamedTuple):
    """A prediction as one column, its kind, and how many rows were a tie between two scores."""

    values: NDArray[Any]
    kind: str
    tied: int = 0


def binary_prediction(
    side: NDArray[Any],
    labels: tuple[Any, ...],
    *,
    kind: str,
    rows: NDArray[Any] | None,
    soft: bool,
    threshold: float,
) -> Column:
    """Return one number for each row; of two scores the higher one wins, and ties go to the first.

    Two columns of which nobody says what they are (``matrix``) are probabilities where the rows sum to one. Where they
    do not they are scores, unless a coupling or a threshold asks for probabilities.

    Raises
    ------
    InputError
        As ``positive_column``, and if a threshold is to be put to two scores.
    """
    if kind == "matrix":
        probable = soft or threshold != EVEN or off_one(side) is None
        kind = "scores" if not probable else "labels" if side.dtype.kind in "biu" else "probabilities"
    if kind != "scores" or soft or side.ndim == 1 or side.shape[1] != 2:
        return Column(positive_column(side, "prediction", labels, kind=kind, rows=rows), kind)
    refuse_threshold(threshold)
    scores = checked_finite(side, "prediction", rows)
    return Column((scores[:, 1] > scores[:, 0]).astype(np.uint8), "labels", tied_rows(scores))


def refuse_threshold(threshold: float, where: str = "") -> None:
    """Refuse a threshold for two scores in a row.

    Raises
    ------
    InputError
        If it is another than that of the likelier one.
    """
    if threshold != EVEN:
        msg = (
            f"{where}threshold is {threshold:g}, but of two scores in a row the higher one wins; leave it out, or pass "
            "one score for each row."
        )
        raise InputError(msg)
