"""Classes: their names, their order, and values turned into indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import place

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_index(array: NDArray[Any]) -> bool:
    """Whether the values are whole numbers."""
    if array.dtype.kind in "biu":
        return True
    return array.dtype.kind == "f" and bool(np.all(array == np.floor(array)))


def checked_labels(labels: Any) -> tuple[Any, ...]:
    """Return class names in their order.

    Raises
    ------
    InputError
        If a name occurs twice, or there is none.
    """
    names = tuple(x.item() if hasattr(x, "item") else x for x in labels)
    if not names:
        msg = "labels is empty, expected the class names in their order."
        raise InputError(msg)
    if len(set(names)) != len(names):
        twice = next(x for x in names if names.count(x) > 1)
        msg = f"labels name the class {shown(twice)} twice; expected each once."
        raise InputError(msg)
    return names


def union_of_names(*sides: NDArray[Any]) -> tuple[Any, ...]:
    """Return the names that occur on any side, sorted."""
    return tuple(sorted({x for side in sides if side.dtype.kind == "U" for x in np.unique(side).tolist()}))


def encode(values: NDArray[Any], labels: tuple[Any, ...], name: str, rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the index of every value: names are looked up in ``labels``, whole numbers are indices already.

    Numbers are looked up as well where the labels themselves are other numbers than 0..K-1.

    Raises
    ------
    InputError
        Naming the first value that is no class.
    """
    k = len(labels)
    if values.dtype.kind == "U" or (not isinstance(labels[0], str) and labels != tuple(range(k))):
        order = np.argsort(np.array(labels))
        known = np.array(labels)[order]
        at = np.minimum(np.searchsorted(known, values), k - 1)
        wrong = known[at] != values
        if wrong.any():
            where = np.argwhere(wrong)[0]
            msg = f"{name} {place(where, rows)} is {shown(values[tuple(where)])}, expected one of the classes {listed(labels)}."
            raise InputError(msg)
        return order[at]
    return indices(values, k, name, rows)


def indices(values: NDArray[Any], n_classes: int, name: str, rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return class indices, checked to be whole numbers in 0..K-1; small types stay small.

    Raises
    ------
    InputError
        Naming the first value that is no index.
    """
    if values.dtype.kind == "f":
        wrong = ~((values >= 0) & (values < n_classes) & (values == np.floor(values)))
        if wrong.any():
            _no_index(values, wrong, n_classes, name, rows)
        return values.astype(np.intp)
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    values = np.ascontiguousarray(values)
    unsigned = values.view(f"u{values.dtype.itemsize}")  # a negative number reads as a very large one
    size = 131_072
    for start in range(0, values.size, size):
        if unsigned[start : start + size].max() >= n_classes:
            _no_index(values, (values < 0) | (values >= n_classes), n_classes, name, rows)
    return values


def _no_index(
    values: NDArray[Any], wrong: NDArray[np.bool_], n_classes: int, name: str, rows: NDArray[Any] | None
) -> None:
    where = np.argwhere(wrong)[0]
    msg = (
        f"{name} {place(where, rows)} is {shown(values[tuple(where)])}, expected a class index from 0 to {n_classes - 1}. "
        "Give n_classes= or labels=, or leave the value out with ignore=."
    )
    raise InputError(msg)
