"""Columns of an Arrow batch as arrays: class indices, numbers, matrices, votes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MISSING, IGNORED = -1, -2


def column_of(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column in one piece.

    Raises
    ------
    InputError
        If the batch has none of that name.
    """
    at = batch.schema.get_field_index(name)
    if at < 0:
        msg = f"there is no column {shown(name)}; there are {listed(batch.schema.names)}."
        raise InputError(msg)
    return batch.column(at)


def codes_of(
    column: pa.Array,
    labels: tuple[Any, ...],
    ignore: Sequence[str] = (),
    *,
    name: str = "reference",
    changes: Sequence[tuple[str, str]] = (),
) -> NDArray[Any]:
    """Return class indices; negative where the value is missing or to be left out.

    Whole numbers are indices already where the labels are numbers from 0, or words.

    Parameters
    ----------
    column
        Class names or numbers.
    labels, ignore
        The classes in their order, and the values to leave out.
    name
        What messages call the column.
    changes
        Names of classes in the column, and what they are called in ``labels``.

    Raises
    ------
    InputError
        Naming the first value that is no class.
    """
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if pa.types.is_integer(column.type) and not ignore and not changes and numbered(labels):
        if column.null_count == 0:
            return np.asarray(column)  # range-checked where they are counted
        return np.asarray(column.cast(pa.int64()).fill_null(MISSING))
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    new = dict(changes)
    spelled = [_spelled(value) for value in column.dictionary.to_pylist()]
    words = [new.get(word, word) if word is not None else None for word in spelled]
    lookup = _places(words, labels, ignore)
    index = column.indices
    at = np.asarray(index.fill_null(len(words)) if index.null_count else index).astype(np.intp)
    codes = lookup[at]
    wrong = codes < IGNORED
    if wrong.any():
        row = int(np.argmax(wrong))
        msg = f"{name} row {row} is {shown(words[at[row]])}, expected one of the classes {listed(labels)}."
        raise InputError(msg)
    return codes


@lru_cache(maxsize=64)
def numbered(labels: tuple[Any, ...]) -> bool:
    """Whether whole numbers are indices of these classes: they are numbers from 0, or words."""
    words = list(map(str, labels))
    return words == [str(i) for i in range(len(words))] or not any(map(is_number, words))


def _spelled(value: Any) -> str | None:
    if value is None:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _places(words: list[str | None], labels: tuple[Any, ...], ignore: Sequence[str]) -> NDArray[np.intp]:
    place = {str(label): i for i, label in enumerate(labels)}
    if numbered(labels):
        place |= {str(i): i for i in range(len(labels)) if str(i) not in place}
    left = {str(value): IGNORED for value in ignore}
    empty: dict[str | None, int] = {None: MISSING, "": MISSING}
    found = [left.get(w, place.get(w, empty.get(w, -3))) if w is not None else MISSING for w in words]
    return np.array([*found, MISSING], np.intp)


def numbers_of(column: pa.Array, name: str) -> NDArray[Any]:
    """Return a column as floats, NaN where it is empty; single precision stays.

    Raises
    ------
    InputError
        If it holds something other than numbers.
    """
    kind = column.type
    try:
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            text = pc.utf8_trim_whitespace(column)
            column = pc.if_else(pc.equal(text, ""), None, text).cast(pa.float64())
        elif pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        elif pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        if pa.types.is_float16(column.type):
            column = column.cast(pa.float32())
        if not pa.types.is_floating(column.type):
            column = column.cast(pa.float64())
    except pa.ArrowException as error:
        msg = f"column {shown(name)} holds something other than numbers ({' '.join(str(error).split())[:100]})."
        raise InputError(msg) from None
    if column.null_count:
        column = column.fill_null(float("nan"))
    return np.asarray(column)


def matrix_of(batch: pa.RecordBatch, names: Sequence[str], width: int | None) -> NDArray[Any]:
    """Return columns, or one column of lists, as a matrix; one column of numbers as a vector.

    Raises
    ------
    InputError
        If lists have another length than the classes, or values are no numbers.
    """
    if len(names) > 1:
        columns = [numbers_of(column_of(batch, name), name) for name in names]
        kind = np.result_type(*columns)
        matrix = np.empty((len(columns[0]), len(columns)), kind)
        for j, column in enumerate(columns):
            matrix[:, j] = column
        return matrix
    column = column_of(batch, names[0])
    if not is_list(column.type):
        return numbers_of(column, names[0])
    sizes = np.asarray(pc.list_value_length(column).fill_null(-1))
    gaps = sizes < 0
    whole = int(sizes.max(initial=0)) if width is None else width
    wrong = ~gaps & (sizes != whole)
    if wrong.any():
        row = int(np.argmax(wrong))
        msg = f"{shown(names[0])} row {row} lists {sizes[row]} numbers, expected {whole}."
        raise InputError(msg)
    flat = numbers_of(pc.list_flatten(column), names[0])  # leaves missing lists out
    if not gaps.any():
        return flat.reshape(-1, whole)
    matrix = np.full((len(column), whole), np.nan, flat.dtype)
    matrix[~gaps] = flat.reshape(-1, whole)
    return matrix


def votes_of(
    column: pa.Array, labels: tuple[Any, ...], ignore: Sequence[str], changes: Sequence[tuple[str, str]] = ()
) -> tuple[NDArray[np.float64], int]:
    """Return how often each class was named in lists of labels, (n, K), and how many votes were left out."""
    values, rows = pc.list_flatten(column), np.asarray(pc.list_parent_indices(column))
    codes = codes_of(values, labels, ignore, name="vote", changes=changes)
    left = int((codes == IGNORED).sum())
    used = codes >= 0
    k = len(labels)
    cell = rows[used] * k + codes[used]
    return np.bincount(cell, minlength=len(column) * k).reshape(len(column), k).astype(np.float64), left


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
