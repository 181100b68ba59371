"""`--where` in streams: which rows of a file take part, told by the text of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, listed
from softtruth.inputs.selection import parse_filters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Filter(NamedTuple):
    """The rows of a column that take part: those with one of the values to keep, and none of those to drop."""

    column: str
    keep: tuple[str, ...]
    drop: tuple[str, ...]


def filters_of(
    texts: Sequence[str], scopes: Sequence[str], columns: Iterable[str], names: Sequence[str]
) -> tuple[Filter, ...]:
    """Return the filters for one file; several values of a column are alternatives.

    Parameters
    ----------
    texts
        What the user wrote, such as ``reference:role=expert``.
    scopes
        The names that this file answers to; a filter without a scope is for every file that has the column.
    columns
        The columns of this file.
    names
        The names of all predictions.
    """
    there = list(columns)
    own = [f for f in parse_filters(texts, names) if f.scope in scopes or (f.scope is None and f.column in there)]
    for one in own:
        if one.column not in there:
            msg = f"--where {one.text}: there is no column {one.column!r}, only {listed(there)}."
            raise InputError(msg)
    return tuple(
        Filter(
            name,
            tuple(f.value for f in own if f.column == name and f.keep),
            tuple(f.value for f in own if f.column == name and not f.keep),
        )
        for name in dict.fromkeys(f.column for f in own)
    )


def check_filters(texts: Sequence[str], columns: Iterable[str], names: Sequence[str]) -> None:
    """Refuse a filter for every file that has the column, when no file has it."""
    known = list(dict.fromkeys(columns))
    for one in parse_filters(texts, names):
        if one.scope is None and one.column not in known:
            msg = f"--where {one.text}: no file has a column {one.column!r}; there are {listed(known)}."
            raise InputError(msg)


def rows_kept(batch: pa.RecordBatch | pa.Table, filters: Iterable[Filter]) -> NDArray[np.bool_]:
    """Return which rows of a batch take part."""
    kept = np.ones(batch.num_rows, bool)
    for one in filters:
        words = text_of(batch[one.column]).fill_null("")
        if one.keep:
            kept &= np.asarray(pc.is_in(words, value_set=pa.array(one.keep, words.type)))
        if one.drop:
            kept &= ~np.asarray(pc.is_in(words, value_set=pa.array(one.drop, words.type)))
    return kept


def text_of(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as text, whole numbers without a point: 17, 17.0 and "17" are the same."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) and bool(pc.all(pc.equal(pc.floor(column), column)).as_py()):
        column = column.cast(pa.int64())
    return column.cast(pa.large_string())
