"""CSV and TSV: every column is read as text, so that no class, id or digit is changed on the way in.

The usual readers guess types: the class `NA` becomes missing and the id `001` becomes `1`. Here the text stays as
it is written; a column becomes numbers only when somebody asks it for numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from softtruth.errors import InputError, listed
from softtruth.inputs import decimal_comma
from softtruth.inputs.damaged_text import explained, opened, refuse_open_quotes
from softtruth.inputs.encodings import holds_nul, text_of_head
from softtruth.inputs.expansion import Allowance
from softtruth.inputs.spreadsheet import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PEEK = 1 << 22  # a header longer than this is no header
BLOCK = 1 << 24  # one value (a long text, say) must fit into one block
DELIMITERS = (",", "\t", ";", "|")


@dataclass(frozen=True)
class Layout:
    """How a file is written.

    Attributes
    ----------
    delimiter
        The sign between values.
    written
        The names of the columns as they stand in the header.
    names
        The names by which the columns go: the blank name that data-frame writers give to their index is `column 1`.
    empty
        Whether there is a header and nothing else.
    """

    delimiter: str
    written: tuple[str, ...]
    names: tuple[str, ...]
    empty: bool


def read_delimited(path: str, *, compressed: bool, delimiter: str | None = None) -> pa.Table:
    """Read a CSV or TSV file; every column comes as text.

    The schema says in its metadata how the file was written: `delimiter`, and `decimal` where numbers have a comma.

    Parameters
    ----------
    path
        The file, opened by name.
    compressed
        Whether it is gzipped.
    delimiter
        The sign between values; by default the one that splits the header into most columns.

    Raises
    ------
    InputError
        When the file is empty, truncated, ragged, not UTF-8, names a column twice, or repeats its header.
    """
    layout = layout_of(path, compressed=compressed, delimiter=delimiter)
    if layout.empty:  # which the parser calls an empty file
        table = pa.table({name: pa.array([], pa.string()) for name in layout.names})
    else:
        with explained(path, compressed=compressed, delimiter=layout.delimiter):
            table = _parsed(path, layout, compressed=compressed).rename_columns(list(layout.names))
    table = checked_text(table, path)
    refuse_open_quotes(table, path, compressed=compressed)
    _refuse_second_header(table, layout, path)
    table = table.replace_schema_metadata({"delimiter": layout.delimiter})
    return table if layout.delimiter == "," else decimal_comma.marked(table, path)


def layout_of(path: str, *, compressed: bool, delimiter: str | None = None) -> Layout:
    """Return how a file is written.

    Raises
    ------
    InputError
        If it is empty, no UTF-8 text, or names a column twice.
    """
    with explained(path, compressed=compressed), opened(path, compressed=compressed) as stream:
        head = stream.read(PEEK)
    if not head.strip():
        raise InputError(f"{path} is empty: expected a header line and one row for each item.")
    text = text_of_head(head, path).lstrip("\r\n")
    if not text.strip():
        raise InputError(f"{path} is empty: expected a header line and one row for each item.")
    sign = delimiter or _delimiter_of(text, path)
    with explained(path, compressed=compressed):
        written = next(row for row in csv.reader(io.StringIO(text, newline=""), delimiter=sign) if row)
    names = [name.strip() or f"column {i}" for i, name in enumerate(written, 1)]
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(
            f"{path}: the header names {listed(twice)} more than once; give each column a name of its own."
        )
    return Layout(sign, tuple(written), tuple(names), not re.search(r"[\r\n]", text.strip("\r\n")))


def parsing(layout: Layout, names: Sequence[str] | None = None) -> dict[str, object]:
    """Return the options with which Arrow reads a file, or some columns of it, as text."""
    written = [] if names is None else [layout.written[layout.names.index(name)] for name in names]
    return {
        "read_options": arrow_csv.ReadOptions(block_size=BLOCK),
        "parse_options": arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(layout.written, pa.string()),
            strings_can_be_null=False,
            include_columns=written,
        ),
    }


def checked_text(table: pa.Table, path: str) -> pa.Table:
    """Return text without the apostrophes that spreadsheets need; refuse zero bytes, which no text holds."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        for chunk in column.chunks:
            values = chunk.buffers()[2]
            if values is not None and values.size and not np.frombuffer(values, np.uint8).min():
                row = int(np.argmax(np.asarray(pc.match_substring(column, "\0"))))
                raise InputError(holds_nul(path, row + 2))
        columns[name] = unescaped(column)
    return pa.table(columns)


def _parsed(path: str, layout: Layout, *, compressed: bool) -> pa.Table:
    with opened(path, compressed=compressed) as stream:
        if not compressed:
            return arrow_csv.read_csv(stream, **parsing(layout))
        reader = arrow_csv.open_csv(stream, **parsing(layout))
        return pa.Table.from_batches(list(_within(reader, Allowance(path))), reader.schema)


def _within(reader: Iterator[pa.RecordBatch], allowance: Allowance) -> Iterator[pa.RecordBatch]:
    """Yield batches for as long as a compressed file does not grow beyond measure."""
    for batch in reader:
        allowance.take(batch.nbytes)
        yield batch


def _delimiter_of(text: str, path: str) -> str:
    if path.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    line = text.splitlines()[0]
    counts = {sign: _width(line, sign) for sign in DELIMITERS}
    return max(DELIMITERS, key=counts.__getitem__)  # the first of equals


def _width(line: str, sign: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=sign)))
    except csv.Error:  # one value that is longer than any name
        return 1


def _refuse_second_header(table: pa.Table, layout: Layout, path: str) -> None:
    """Refuse files that were put together with their headers."""
    if len(layout.names) < 2 or not table.num_rows:
        return
    same = np.asarray(pc.equal(table.column(0), layout.written[0]))
    for row in np.flatnonzero(same):
        if all(column[int(row)].as_py() == name for column, name in zip(table.columns, layout.written, strict=True)):
            raise InputError(
                f"{path} row {row + 1} repeats the header: the file was put together from several. Take such rows out, "
                "or give the files themselves, with a pattern such as 'part-*.csv'."
            )
