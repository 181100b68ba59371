"""JSON lines, some megabytes at a time; each block is read as the whole file would be."""

from __future__ import annotations

import gzip
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from softtruth.errors import InputError
from softtruth.inputs.json_records import read_json
from softtruth.inputs.nested import flattened
from softtruth.inputs.typed_tables import class_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = 1 << 23  # bytes of text, at least one line
LONGEST = 1 << 24  # bytes of a line, after what the block holds of it
NEWLINE = b"\n"
_MARK = b"\xef\xbb\xbf"


def is_lines(path: str, *, compressed: bool) -> bool:
    """Whether a file has one record a line, and not one list of them."""
    with ExitStack() as stack:
        head: bytes = _opened(path, stack, compressed=compressed).read(4096)
    return head.removeprefix(_MARK).lstrip()[:1] == b"{"


def json_tables(path: str, columns: Sequence[str] | None, *, compressed: bool) -> Iterator[pa.Table]:
    """Yield the records of a file, block by block; a key that no record of a block has is an empty column there.

    Parameters
    ----------
    path
        The file.
    columns
        The columns that are read; all by default.
    compressed
        Whether it is gzipped.

    Raises
    ------
    InputError
        Naming the line that is no record.
    """
    with ExitStack() as stack:
        source = _opened(path, stack, compressed=compressed)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="softtruth-"))
        plain = Path(folder) / "block.jsonl"
        first = 1
        while block := source.read(BLOCK):
            rest = source.readline(LONGEST + 1)
            if len(rest) > LONGEST:  # some kilobytes of gzip data can hold gigabytes without an end of line
                where = f"{path} line {first + block.count(NEWLINE):,}"
                msg = f"{where} is longer than {LONGEST >> 20} MiB, expected one record a line. Write the file again."
                raise InputError(msg)
            block += rest
            if block.strip():
                plain.write_bytes(block)
                where = path if first == 1 else f"{path} (counting from line {first:,})"
                table = read_json(where, str(plain))
                yield _with(flattened(table, class_names(table)), columns)
            first += block.count(NEWLINE)


def _opened(path: str, stack: ExitStack, *, compressed: bool) -> Any:
    return stack.enter_context(gzip.open(path, "rb") if compressed else Path(path).open("rb"))


def _with(table: pa.Table, columns: Sequence[str] | None) -> pa.Table:
    """Return these columns of a block, empty where it lacks them."""
    if columns is None:
        return table
    gaps = {name: pa.nulls(table.num_rows) for name in columns if name not in table.column_names}
    for name, gap in gaps.items():
        table = table.append_column(name, gap)
    return table.select(list(columns))
