"""What is wrong with a CSV file that cannot be read: one sentence with the file, the line and the remedy."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from softtruth.errors import InputError, shown
from softtruth.inputs.encodings import not_text, undecodable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 1 << 28  # bytes of text that are searched for what is wrong


def opened(path: str, *, compressed: bool) -> pa.NativeFile:
    """Open a file by its name, as bytes without compression."""
    return pa.input_stream(path, compression="gzip" if compressed else None)


def decompressed(path: str, *, compressed: bool) -> bytes:
    """Return the bytes of a file, of a large one the first."""
    with opened(path, compressed=compressed) as stream:
        text: bytes = stream.read(MOST)
    return text


@contextmanager
def explained(path: str, *, compressed: bool, delimiter: str = ",") -> Iterator[None]:
    """Turn the reader's errors into one sentence with the file, the line and the remedy."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError, csv.Error, StopIteration) as error:
        raise InputError(_sentence(path, str(error), delimiter, compressed=compressed)) from error


def _sentence(path: str, reason: str, delimiter: str, *, compressed: bool) -> str:
    if "Truncated compressed stream" in reason:
        return f"{path} is cut short: the gzip data end in the middle. Copy or download the file again."
    if "zlib" in reason:
        return f"{path} holds damaged gzip data. Copy or download the file again."
    text = decompressed(path, compressed=compressed)
    if "invalid UTF8" in reason:
        return not_text(path, undecodable_line(text))
    if "Expected" in reason and "columns" in reason:
        return _ragged(path, text, delimiter) or f"{path}: {reason}."
    if "straddling object" in reason:
        return (
            f"{path}: one value is longer than 16 MiB; a quotation mark may be opened and never closed. "
            "Close it, or remove that value."
        )
    return f"{path} cannot be read as a table: {' '.join(reason.split())}. Expected UTF-8 CSV with a header line."


def _ragged(path: str, text: bytes, delimiter: str) -> str | None:
    """Find the first row whose width differs from the header's; only run after an error, so speed is no matter."""
    lines = text.decode("utf-8-sig", errors="replace")
    rows = csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter)
    width = 0
    try:
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
    except csv.Error:  # a value that is longer than this reader takes
        return None
    return None


def refuse_open_quotes(table: pa.Table, path: str, *, compressed: bool) -> None:
    """Refuse a file whose last value swallowed everything after a quotation mark that nobody closed."""
    if table.num_rows == 0 or not table.num_columns:
        return
    last = [str(column[-1]) for column in table.columns]
    if not any("\n" in value for value in last):
        return
    text = decompressed(path, compressed=compressed)
    if text.count(b'"') % 2:
        opened_at = text.rstrip().count(b"\n") + 1 - max(value.rstrip("\n").count("\n") for value in last)
        raise InputError(
            f"{path}: the quotation mark opened near line {opened_at} is never closed, so the rows after it were read "
            'as one value. Close it, or write a quotation mark inside a value as "".'
        )
