"""CSV and TSV: every column is read as text, so that no class, id or digit is changed on the way in.

The usual readers guess types: the class `NA` becomes missing and the id `001` becomes `1`. Here the text stays as
it is written; a column becomes numbers only when somebody asks it for numbers.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv as arrow_csv

from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

PEEK = 1 << 22  # a header longer than this is no header
BLOCK = 1 << 24  # one value (a long text, say) must fit into one block
DELIMITERS = (",", "\t", ";", "|")


def read_delimited(path: str, *, compressed: bool, delimiter: str | None = None) -> tuple[pa.Table, str]:
    """Read a CSV or TSV file; every column comes as text.

    Parameters
    ----------
    path
        The file, opened by name.
    compressed
        Whether it is gzipped.
    delimiter
        The sign between values; by default the one that splits the header into most columns.

    Returns
    -------
    tuple
        The table and the delimiter that was used.

    Raises
    ------
    InputError
        When the file is empty, truncated, ragged, not UTF-8, or names a column twice.
    """
    with _explained(path, compressed=compressed):
        header = _peek(path, compressed=compressed)
        delimiter = delimiter or _delimiter_of(header, path)
        written = _written_names(header, delimiter)
        names = _names(written, path)
        if not re.search(
            r"[\r\n]", header.strip("\r\n")
        ):  # a header and nothing else, which the parser calls an empty file
            return pa.table({name: pa.array([], pa.string()) for name in names}), delimiter
        table = _parse(path, written, delimiter, compressed=compressed).rename_columns(names)
    _check_quotes(table, path, compressed=compressed)
    return table, delimiter


def _open(path: str, *, compressed: bool) -> pa.NativeFile:
    return pa.input_stream(path, compression="gzip" if compressed else None)


def _parse(path: str, names: list[str], delimiter: str, *, compressed: bool) -> pa.Table:
    with _open(path, compressed=compressed) as stream:
        return arrow_csv.read_csv(
            stream,
            read_options=arrow_csv.ReadOptions(block_size=BLOCK),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )


def _peek(path: str, *, compressed: bool) -> str:
    """Return the first lines as text, or say why they are not text."""
    with _open(path, compressed=compressed) as stream:
        head = stream.read(PEEK)
    if not head.strip():
        raise InputError(f"{path} is empty: expected a header line and one row for each item.")
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise InputError(f"{path} is UTF-16 text, expected UTF-8: save it as UTF-8, or run: iconv -f UTF-16 -t UTF-8.")
    try:  # the end of the piece may cut a character in two, which is no error
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        raise InputError(_not_text(path, head.count(b"\n", 0, error.start) + 1)) from error


def _delimiter_of(header: str, path: str) -> str:
    line = header.lstrip("\r\n").splitlines()[0]
    if path.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    counts = {sign: _width(line, sign) for sign in DELIMITERS}
    return max(DELIMITERS, key=counts.__getitem__)  # the first of equals


def _width(line: str, sign: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=sign)))
    except csv.Error:  # one value that is longer than any name
        return 1


def _written_names(header: str, delimiter: str) -> list[str]:
    return next(row for row in csv.reader(io.StringIO(header, newline=""), delimiter=delimiter) if row)


def _names(written: list[str], path: str) -> list[str]:
    """Return the column names; the blank name that data-frame writers give to their index becomes `column 1`."""
    names = [name.strip() or f"column {i}" for i, name in enumerate(written, 1)]
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(
            f"{path}: the header names {listed(twice)} more than once; give each column a name of its own."
        )
    return names


@contextmanager
def _explained(path: str, *, compressed: bool) -> Iterator[None]:
    """Turn the reader's errors into one sentence with the file, the line and the remedy."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError, csv.Error, StopIteration) as error:
        raise InputError(_sentence(path, str(error), compressed=compressed)) from error


def _sentence(path: str, reason: str, *, compressed: bool) -> str:
    if "Truncated compressed stream" in reason:
        return f"{path} is cut short: the gzip data end in the middle. Copy or download the file again."
    if "zlib" in reason:
        return f"{path} holds damaged gzip data. Copy or download the file again."
    text = _decompressed(path, compressed=compressed)
    if "invalid UTF8" in reason:
        return _not_text(path, _undecodable_line(text))
    if "Expected" in reason and "columns" in reason:
        return _ragged(path, text) or f"{path}: {reason}."
    if "straddling object" in reason:
        return (
            f"{path}: one value is longer than {BLOCK >> 20} MiB; a quotation mark may be opened and never closed. "
            "Close it, or remove that value."
        )
    return f"{path} cannot be read as a table: {' '.join(reason.split())}. Expected UTF-8 CSV with a header line."


def _decompressed(path: str, *, compressed: bool) -> bytes:
    with _open(path, compressed=compressed) as stream:
        text: bytes = stream.read()
    return text


def _not_text(path: str, line: int) -> str:
    return f"{path} line {line} is not UTF-8 text: save the file as UTF-8, or run: iconv -f LATIN1 -t UTF-8."


def _undecodable_line(text: bytes) -> int:
    try:
        text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return text.count(b"\n", 0, error.start) + 1
    return 1


def _ragged(path: str, text: bytes) -> str | None:
    """Find the first row whose width differs from the header's; only run after an error, so speed is no matter."""
    lines = text.decode("utf-8-sig", errors="replace")
    delimiter = _delimiter_of(lines[:PEEK], path)
    rows = csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter)
    width = 0
    for row in rows:
        if not row:
            continue
        width = width or len(row)
        if len(row) != width:
            start = shown(delimiter.join(row), 40)
            return (
                f"{path} line {rows.line_num} has {len(row)} values, expected {width} as in the header: {start}. "
                "Put values that hold the delimiter between quotation marks, or complete the row."
            )
    return None


def _check_quotes(table: pa.Table, path: str, *, compressed: bool) -> None:
    """Refuse a file whose last value swallowed everything after a quotation mark that nobody closed."""
    if table.num_rows == 0 or not table.num_columns:
        return
    last = [str(column[-1]) for column in table.columns]
    if not any("\n" in value for value in last):
        return
    text = _decompressed(path, compressed=compressed)
    if text.count(b'"') % 2:
        opened = text.rstrip().count(b"\n") + 1 - max(value.rstrip("\n").count("\n") for value in last)
        raise InputError(
            f"{path}: the quotation mark opened near line {opened} is never closed, so the rows after it were read "
            'as one value. Close it, or write a quotation mark inside a value as "".'
        )
