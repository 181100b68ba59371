"""Lists and records inside a column become plain columns, so that all else knows one shape of table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEPARATOR = "."


def flattened(table: pa.Table, names: dict[str, tuple[str, ...]]) -> pa.Table:
    """Return the table with its nested number columns spread out.

    `{"cat": 3, "dog": 1}` in a column `votes` becomes `votes.cat` and `votes.dog`; a list of four numbers in `p`
    becomes `p.0` to `p.3`. Codes of named classes become the names. Lists of text stay: `exploded` reads them.

    Parameters
    ----------
    table
        Any Arrow table.
    names
        Class names by column, for columns that hold codes.
    """
    columns: dict[str, pa.ChunkedArray] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        columns.update(_plain(name, column, names.get(name)))
    return pa.table(columns) if columns else table


def _plain(name: str, column: pa.ChunkedArray, names: tuple[str, ...] | None) -> dict[str, pa.ChunkedArray]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(name, pc.cast(column, kind.value_type), names)
    if names and pa.types.is_integer(kind):
        codes = pc.if_else(pc.and_(pc.greater_equal(column, 0), pc.less(column, len(names))), column, None)
        return {name: pc.take(pa.array(names), pc.cast(codes, pa.int64()))}
    if pa.types.is_struct(kind):
        fields = {f"{name}{SEPARATOR}{f.name}": pc.struct_field(column, [i]) for i, f in enumerate(kind)}
        if kind.num_fields and all(_is_number(f.type) for f in kind):
            # A class that a record does not mention has no votes, which is a number and not a gap.
            fields = {k: pc.if_else(pc.is_valid(column), pc.fill_null(v, 0), None) for k, v in fields.items()}
        return {k: w for key, value in fields.items() for k, w in _plain(key, value, None).items()}
    width = _width(column)
    if width and _is_number(kind.value_type):
        lists = column.combine_chunks()
        lists = pa.chunked_array([lists]) if isinstance(lists, pa.Array) else lists
        return {f"{name}{SEPARATOR}{i}": pc.list_element(lists, i) for i in range(width)}
    return {name: column}


def _width(column: pa.ChunkedArray) -> int:
    """Return the common length of a list column, 0 when the lengths differ or it is no list column."""
    if pa.types.is_fixed_size_list(column.type):
        size: int = column.type.list_size
        return size
    if not is_list(column.type) or column.null_count or not len(column):
        return 0
    ends = pc.min_max(pc.list_value_length(column)).as_py()
    return int(ends["min"]) if ends["min"] == ends["max"] else 0


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def exploded(table: pa.Table, column: str) -> pa.Table:
    """Return one row for each entry of a list column; the other columns repeat."""
    lists = table[column].combine_chunks()
    lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    parents = pc.list_parent_indices(lists)
    rest = table.drop_columns([column]).take(parents)
    return rest.append_column(column, pc.list_flatten(lists))


def repeats(column: pa.ChunkedArray) -> bool:
    """Whether some list names an entry twice: then the lists are votes, and not sets of tags."""
    lists = column.combine_chunks()
    lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    parents = np.asarray(pc.list_parent_indices(lists), dtype=np.int64)
    values = pc.list_flatten(lists).dictionary_encode()
    pairs = parents * max(len(values.dictionary), 1) + np.asarray(values.indices.fill_null(0), dtype=np.int64)
    return len(np.unique(pairs)) < len(pairs)
