"""Batches of a framework (class last), in the shapes that labels and predictions come in there, as cells.

Shapes are all that is looked at; what is added up stays on the device, traced and differentiable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from softtruth._arrays import as_index, namespace
from softtruth.errors import InputError
from softtruth.statistics.cells import Cells
from softtruth.statistics.margins import cells_of_codes, cells_of_degrees

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth._arrays import Array


def cells_of_batch(
    reference: Array,
    prediction: Array,
    weight: Array | None = None,
    class_weight: Array | None = None,
    *,
    sums_to_one: bool = False,
    softmax_sums: Callable[[Array, Array, Array], tuple[Array, Array]] | None = None,
) -> Cells:
    """Return the cells of all classes, reference and prediction taken as independent events.

    Parameters
    ----------
    reference : array
        Class indices (N,), (N, 1) or (N, ...), or label distributions of the shape of the prediction; with one column
        of predictions the degree of the second class.
    prediction : array of floats, shape (N, K), (N, ..., K), (N,) or (N, 1)
        Probabilities; one column is the probability of the second of two classes.
    weight : array, optional
        One for each example, or for each label.
    class_weight : array, shape (K,), optional
        Multiplies the reference's mass of each class.
    sums_to_one : bool
        Whether the rows of the prediction come out of a softmax, which spares a pass.
    softmax_sums : callable, optional
        As in ``cells_of_codes``: for class indices against logits.

    Raises
    ------
    InputError
        If the shapes do not fit together.
    """
    xp = namespace(prediction)
    found, given = _shape(reference), _shape(prediction)
    one = len(given) == 1 or given[-1] == 1
    rows = given[:-1] if len(given) > 1 else given
    labels = found[:-1] if len(found) == len(rows) + 1 and found[-1] == 1 else found
    soft = not one and len(found) == len(given) and found[-1] == given[-1] and _may_match(found[:-1], rows)
    if not soft and not _may_match(labels, rows):
        msg = (
            f"labels have shape {found} and predictions {given}, expected (N,) or (N, 1) class indices or the shape of "
            "the predictions."
        )
        raise InputError(msg)
    if weight is not None:
        weight = _spread(xp.astype(weight, prediction.dtype), rows)
    if one:
        p = xp.reshape(prediction, (-1,))
        y = xp.astype(xp.reshape(reference, (-1,)), prediction.dtype)
        y, p = (xp.stack([1 - side, side], axis=-1) for side in (y, p))
    elif soft:
        p = xp.reshape(prediction, (-1, given[-1]))
        y = xp.astype(xp.reshape(reference, (-1, given[-1])), prediction.dtype)
    else:
        p = xp.reshape(prediction, (-1, given[-1]))
        codes = as_index(xp.reshape(reference, (-1,)))
        if class_weight is None:
            return cells_of_codes(codes, p, weight, sums_to_one=sums_to_one, softmax_sums=softmax_sums)
        own = xp.take(class_weight, codes, axis=0)
        weight = own if weight is None else weight * own
        return cells_of_codes(codes, p, weight, sums_to_one=sums_to_one, softmax_sums=softmax_sums)
    return cells_of_degrees(y if class_weight is None else y * class_weight, p, weight)


def _shape(x: Array) -> tuple[int | None, ...]:
    return tuple(x.shape.as_list() if hasattr(x.shape, "as_list") else x.shape)  # TensorFlow's shapes are objects


def _may_match(labels: tuple[int | None, ...], rows: tuple[int | None, ...]) -> bool:
    return len(labels) == len(rows) and all(
        a == b for a, b in zip(labels, rows, strict=True) if a is not None and b is not None
    )


def _spread(weight: Array, rows: tuple[int | None, ...]) -> Array:
    """Return one weight for each label, from one for each label or each example."""
    xp = namespace(weight)
    if len(rows) > 1 and len(weight.shape) < len(rows):
        weight = xp.reshape(weight, (-1, *[1] * (len(rows) - 1)))
        weight = xp.broadcast_to(weight, (weight.shape[0], *rows[1:]))
    return xp.reshape(weight, (-1,))


@dataclass(frozen=True, eq=False)
class RunningCells:
    """Cells added up over many batches in the precision of the framework, with what rounding lost beside them.

    Single precision alone stops counting at 2^24, double at 2^53. Here every addition keeps its rounding error in a
    second number (Knuth's two-sum), so that the two together carry twice the digits.

    Examples
    --------
    >>> import numpy as np
    >>> running = RunningCells.zero(np.zeros((4, 2)))
    >>> many, one = (Cells(np.full((4, 2), x), "multiclass") for x in (2.0**53, 1.0))
    >>> running = running + many + one + one + one
    >>> float(running.cells.masses[0, 0] - 2**53)
    4.0
    """

    sums: Array
    lost: Array

    @classmethod
    def zero(cls, like: Array) -> RunningCells:
        """Return the state of no data, in the shape and type of these masses."""
        zeros = namespace(like).zeros_like(like)
        return cls(zeros, zeros)

    @property
    def cells(self) -> Cells:
        """The cells of everything that was added."""
        return Cells(self.sums + self.lost, "multiclass", "independent")

    def __add__(self, cells: Cells) -> RunningCells:
        """Return the state with these cells added."""
        new = self.sums + cells.masses
        taken = new - self.sums
        return RunningCells(new, self.lost + ((self.sums - (new - taken)) + (cells.masses - taken)))
