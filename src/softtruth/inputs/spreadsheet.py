"""Cells that a spreadsheet would run: written with an apostrophe before them, and read back without it.

A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula, also in CSV,
and an apostrophe before it makes it text. Numbers such as `-1` are harmless and stay as they are.
"""

from __future__ import annotations

import io
import re

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from softtruth.inputs.columns import NUMBER

# An apostrophe more for cells that begin with apostrophes already, so that reading takes away what writing added.
RUN = r"^'*[=+\-@\t\r]."
ESCAPED = r"^'+[=+\-@\t\r]."


def runs(cell: str) -> bool:
    """Whether a spreadsheet would run a cell, or reading would take it for one that was escaped.

    Examples
    --------
    >>> runs("=1+1"), runs("-1"), runs("-x"), runs("cat")
    (True, False, True, False)
    """
    return re.match(RUN, cell, re.DOTALL) is not None and re.match(NUMBER, cell) is None


def escaped(cell: str) -> str:
    """Return a cell that no spreadsheet runs.

    Examples
    --------
    >>> escaped("=1+1"), escaped("cat")
    ("'=1+1", 'cat')
    """
    return f"'{cell}" if runs(cell) else cell


def unescaped(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return a column of text in which escaped cells are what they were.

    Examples
    --------
    >>> unescaped(pa.array(["'=1+1", "'tis", "cat"])).to_pylist()
    ['=1+1', "'tis", 'cat']
    """
    if not pc.any(pc.starts_with(column, "'")).as_py():
        return column
    return pc.if_else(pc.match_substring_regex(column, f"(?s){ESCAPED}"), pc.utf8_slice_codeunits(column, 1), column)


def as_csv(table: pa.Table) -> tuple[str, int]:
    """Return a table as CSV that no spreadsheet runs, and how many cells begin with an apostrophe for that.

    Examples
    --------
    >>> text, changed = as_csv(pa.table({"item": ["=1+1"]}))
    >>> print(text.strip(), changed)
    "item"
    "'=1+1" 1
    """
    columns, changed = {}, 0
    for name, column in zip(table.column_names, table.columns, strict=True):
        columns[name] = column
        if pa.types.is_string(column.type) and pc.any(pc.match_substring_regex(column, f"(?s){RUN}")).as_py():
            cells = column.to_pylist()
            columns[name] = pa.array([None if cell is None else escaped(cell) for cell in cells], pa.string())
            changed += sum(cell is not None and runs(cell) for cell in cells)
    stream = io.BytesIO()
    csv.write_csv(pa.table(columns), stream, csv.WriteOptions(quoting_style="needed"))
    return stream.getvalue().decode(), changed
