"""Classes: their names, their order, and values turned into indices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import place

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_INDICES = 1 << 20  # classes that are told by their highest number alone; more are codes


def checked_number(n_classes: Any, names: tuple[Any, ...] | None) -> int | None:
    """Return the declared number of classes, by number or by names; None where neither is given.

    Raises
    ------
    InputError
        If it is no positive whole number, or the two disagree.
    """
    if n_classes is None:
        return None if names is None else len(names)
    whole = isinstance(n_classes, Integral) and not isinstance(n_classes, bool)
    if not whole or n_classes < 1:
        msg = f"n_classes is {shown(n_classes)}, expected a whole number of at least 1."
        raise InputError(msg)
    if names is None and n_classes > MOST_INDICES:
        msg = (
            f"n_classes is {shown(n_classes)}, expected at most {MOST_INDICES:,}; if labels are codes, pass labels= "
            "with those that occur."
        )
        raise InputError(msg)
    if names is not None and len(names) != n_classes:
        msg = f"n_classes is {n_classes} but labels name {len(names)} classes."
        raise InputError(msg)
    return int(n_classes)


def is_index(array: NDArray[Any]) -> bool:
    """Whether the values are whole numbers."""
    if array.dtype.kind in "biu":
        return True
    return array.dtype.kind == "f" and bool(np.all(array == np.floor(array)))


def checked_labels(labels: Any, name: str = "labels") -> tuple[Any, ...]:
    """Return class names in their order.

    Raises
    ------
    InputError
        If a name occurs twice, or there is none, or these are no names in an order.
    """
    if (
        isinstance(labels, (str, bytes, AbstractSet))
        or not isinstance(labels, Iterable)
        or getattr(labels, "ndim", 1) != 1
    ):
        msg = f"{name} is {shown(labels)}, expected a list of names in their order."
        raise InputError(msg)
    names = tuple(map(plain, labels))
    odd = [x for x in names if not isinstance(x, Hashable)]
    if odd:
        msg = f"{name} hold {shown(odd[0])}, expected text or numbers."
        raise InputError(msg)
    missing = [x for x in names if x is None or x != x]  # noqa: PLR0124  not a number is not itself
    if missing:
        msg = f"{name} hold {shown(missing[0])}, expected text or numbers."
        raise InputError(msg)
    text = [isinstance(x, str) for x in names]
    if any(text) and not all(text):
        msg = (
            f"{name} mix text and numbers ({shown(names[text.index(True)])} and {shown(names[text.index(False)])}); "
            "expected one kind."
        )
        raise InputError(msg)
    if not names:
        msg = "labels is empty, expected the class names in their order."
        raise InputError(msg)
    if len(set(names)) != len(names):
        twice = next(x for x in names if names.count(x) > 1)
        msg = f"labels name the class {shown(twice)} twice; expected each once."
        raise InputError(msg)
    return names


def plain(name: Any) -> Any:
    """Return a name as Python holds it, and not as a scalar of NumPy or Arrow."""
    if hasattr(name, "item"):
        return name.item() if getattr(name, "ndim", 0) == 0 else name
    return name.as_py() if hasattr(name, "as_py") else name


def union_of_names(*sides: NDArray[Any]) -> tuple[Any, ...]:
    """Return the names that occur on any side, sorted."""
    return tuple(sorted({x for side in sides if side.dtype.kind == "U" for x in np.unique(side).tolist()}))


def class_names(y: NDArray[Any], p: NDArray[Any], declared: int | None) -> tuple[Any, ...]:
    """Return the classes: the names that occur, or as many indices as are declared, as there are columns, or as occur.

    Raises
    ------
    InputError
        If names meet columns whose order nobody gave, or there is nothing to tell the classes from.
    """
    columns = next((side.shape[1] for side in (p, y) if side.ndim == 2), None)
    named = union_of_names(y, p)
    if named:
        if columns is not None:
            msg = (
                f"one side has class names and the other has {columns} columns; "
                "pass labels= with the names in the order of the columns."
            )
            raise InputError(msg)
        if any(side.dtype.kind != "U" and side.size for side in (y, p)):
            msg = (
                f"one side has the class names {listed(named)} and the other has numbers; "
                "pass labels= with the names in the order of the numbers."
            )
            raise InputError(msg)
        if declared is not None and declared != len(named):
            msg = (
                f"n_classes is {declared} but {len(named)} names occur: {listed(named)}; "
                "pass labels= with all names in their order."
            )
            raise InputError(msg)
        return named
    if declared is None:
        declared = columns
    if declared is None:
        if y.size == 0 and p.size == 0:
            msg = "there are no rows and no declared classes; give n_classes= or labels=."
            raise InputError(msg)
        top = max(float(side.max()) for side in (y, p) if side.size)
        declared = int(top) + 1 if 0 <= top < np.inf else 1
        if declared > MOST_INDICES:
            msg = (
                f"the labels go up to {top:.15g}, which would make {top + 1:.15g} classes; labels are taken as indices "
                "from 0. If they are codes, pass labels= with all of them, or pass them as text."
            )
            raise InputError(msg)
    return tuple(range(declared))


def refuse_rows_of_text(task: str, reference: NDArray[Any], prediction: NDArray[Any]) -> None:
    """Refuse several class names in a row where classes exclude each other, so that only one can be meant.

    Raises
    ------
    InputError
        If there are.
    """
    if reference.ndim == prediction.ndim == 1:
        return
    for name, side in (("reference", reference), ("prediction", prediction)):
        if task in {"multiclass", "ordinal"} and side.dtype.kind == "U" and side.ndim > 1:
            msg = (
                f"{name} has shape {side.shape} and holds text, expected one class name for each row, or N rows of one "
                "number for each class."
            )
            raise InputError(msg)


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
            msg = (
                f"{name} {place(where, rows)} is {shown(values[tuple(where)])}, expected one of the classes "
                f"{listed(labels)}."
            )
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
        if np.maximum.reduce(unsigned[start : start + size]) >= n_classes:
            _no_index(values, (values < 0) | (values >= n_classes), n_classes, name, rows)
    return values.astype(np.intp) if values.dtype == np.uint64 else values  # the widest does not add to an index


def _no_index(
    values: NDArray[Any], wrong: NDArray[np.bool_], n_classes: int, name: str, rows: NDArray[Any] | None
) -> None:
    where = np.argwhere(wrong)[0]
    msg = (
        f"{name} {place(where, rows)} is {shown(values[tuple(where)])}, "
        f"expected a class index from 0 to {n_classes - 1}. "
        "Give n_classes= or labels=, or leave the value out with ignore=."
    )
    raise InputError(msg)
