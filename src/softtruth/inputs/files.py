"""Files in, one table out: CSV, TSV, JSON lines, Parquet, Arrow and NumPy, whole or in parts, plain or gzipped."""

from __future__ import annotations

import glob
import hashlib
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from softtruth.errors import InputError, listed
from softtruth.inputs.decimal_comma import has_comma, marked
from softtruth.inputs.delimited import read_delimited
from softtruth.inputs.json_records import check_depth, read_json
from softtruth.inputs.nested import flattened
from softtruth.inputs.typed_tables import (
    check_unique,
    class_names,
    read_arrow,
    read_numpy,
    read_parquet,
    uncompressed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npy": "numpy",
    ".npz": "numpy",
}
TYPED = {"json": read_json, "parquet": read_parquet, "arrow": read_arrow, "numpy": read_numpy}
GZIP = b"\x1f\x8b"
Where = str | PathLike[str]


@dataclass(frozen=True)
class FileRecord:
    """One file that was read: enough to tell later whether a report still belongs to it."""

    path: str
    sha256: str
    size: int
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        return {"path": self.path, "sha256": self.sha256, "bytes": self.size, "rows": self.rows}


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """A table and the files that it came from.

    `path` is what the user wrote (it may be a pattern); `class_order` holds class names that the file itself gives
    in order, by column.
    """

    path: str
    table: pa.Table
    records: tuple[FileRecord, ...]
    class_order: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The short name of the file, for messages: no folder."""
        return Path(self.path).name or self.path


def read(where: Where | Iterable[Where], *, delimiter: str | None = None) -> LoadedTable:
    """Read a file, a folder, a pattern such as `part-*.csv`, or a list of these, as one table.

    Parameters
    ----------
    where
        What to read. Parts must have the same columns; their order may differ. `-` reads standard input.
    delimiter
        The sign between the values of CSV files; guessed from the header by default.

    Returns
    -------
    LoadedTable
        The rows of all parts, in the natural order of the file names.

    Raises
    ------
    InputError
        In one sentence that names the file: missing, empty, damaged, not UTF-8, or parts that differ.
    """
    wanted = [where] if isinstance(where, (str, PathLike)) else list(where)
    if wanted == ["-"]:
        return _read_standard_input(delimiter)
    if not wanted:
        raise InputError("No file was given to read; name at least one.")
    paths = [path for one in wanted for path in expanded(fspath(one))]
    tables, records, orders = [], [], {}
    for path in paths:
        table, order = _read_one(path, delimiter)
        tables.append(table)
        orders.update(order)
        records.append(record_of(path, table.num_rows))
    shown = fspath(wanted[0]) if len(wanted) == 1 else f"{fspath(wanted[0])} and {len(wanted) - 1} more"
    return LoadedTable(shown, _joined(paths, tables), tuple(records), orders)


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts `part-2` before `part-10`."""
    parts = re.split(r"(\d+)", text)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def expanded(path: str) -> list[str]:
    """Return the files that a path, a folder or a pattern means, in natural order."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"The name of the file {path!a} is no UTF-8 text; give the file another name.") from error
    if Path(path).is_file():
        return [path]
    if Path(path).is_dir():
        found = [str(p) for p in Path(path).iterdir() if p.is_file() and _format_of(p.name)]
        if not found:
            raise InputError(
                f"The folder {path} holds no file of a known kind ({', '.join(FORMATS)}, each also with .gz)."
            )
        return sorted(found, key=natural)
    found = sorted((p for p in glob.glob(path, recursive=True) if Path(p).is_file()), key=natural)  # noqa: PTH207  # a pattern may be absolute
    if not found:
        what = "matches no file" if glob.has_magic(path) else "does not exist"
        raise InputError(f"{path} {what}. Check the path; it is looked up from {Path.cwd()}.")
    return found


def _format_of(name: str) -> str | None:
    return FORMATS.get(Path(name.lower().removesuffix(".gz")).suffix)


def _sniffed(path: str) -> str:
    """Tell the format of a file without a known suffix from its first bytes."""
    with Path(path).open("rb") as stream:
        head = stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, kind in ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\x93NUMPY", "numpy"), (b"PK\x03\x04", "numpy")):
        if head.startswith(magic):
            return kind
    return "json" if head[:1] in {b"{", b"["} else "csv"


def _read_one(path: str, delimiter: str | None) -> tuple[pa.Table, dict[str, tuple[str, ...]]]:
    try:
        with Path(path).open("rb") as stream:
            compressed = stream.read(2) == GZIP
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror or error}.") from error
    if not compressed and path.lower().endswith(".gz"):
        raise InputError(f"{path} is named .gz but holds no gzip data. Rename it, or compress it again.")
    kind = _format_of(path)
    if kind == "csv":
        return read_delimited(path, compressed=compressed, delimiter=delimiter), {}
    with uncompressed(path, compressed=compressed) as plain:
        kind = kind or _sniffed(plain)
        if kind == "csv":
            return read_delimited(path, compressed=compressed, delimiter=delimiter), {}
        if Path(plain).stat().st_size == 0:
            raise InputError(f"{path} is empty (0 bytes).")
        table = TYPED[kind](path, plain)
        if not table.num_columns:
            raise InputError(f"{path} has no columns; expected item ids beside labels, votes or predictions.")
        check_unique(path, table.column_names)
        check_depth(path, table)
        names = class_names(table)
        # Taken out of the temporary file before that goes.
        return flattened(table, names), names


def record_of(path: str, rows: int) -> FileRecord:
    """Return what identifies a file later."""
    with Path(path).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return FileRecord(path, digest, Path(path).stat().st_size, rows)


def _joined(paths: list[str], tables: list[pa.Table]) -> pa.Table:
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        missing = [c for c in first.column_names if c not in table.column_names]
        extra = [c for c in table.column_names if c not in first.column_names]
        if missing or extra:
            differs = " and ".join(
                f"{verb} {listed(columns)}" for verb, columns in (("lacks", missing), ("adds", extra)) if columns
            )
            raise InputError(
                f"{path} {differs} compared with {paths[0]}; the parts of one table need the same columns. "
                "If these are different kinds of file, say which is which with --prediction, --reference and --items."
            )
    if len(tables) == 1:
        return first
    try:
        joined = pa.concat_tables([t.select(first.column_names) for t in tables], promote_options="permissive")
        return _with_one_comma(joined, paths) if any(has_comma(t.schema) for t in tables) else joined
    except pa.ArrowException as error:
        raise InputError(
            f"The parts {listed(paths)} hold different types in one column ({' '.join(str(error).split())[:120]})."
        ) from error


def _with_one_comma(table: pa.Table, paths: list[str]) -> pa.Table:
    """Refuse parts of which some have a decimal comma and others a point."""
    found = marked(table, listed(paths))
    if not has_comma(found.schema):
        raise InputError(
            f"The parts {listed(paths)} write numbers in two ways, some with a decimal comma. Write all with a point."
        )
    return found


def _read_standard_input(delimiter: str | None) -> LoadedTable:
    """Spool standard input to a file first: the readers open files by name only."""
    with tempfile.TemporaryDirectory(prefix="softtruth-") as folder:
        spooled = Path(folder) / "input"
        with spooled.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target, 1 << 20)
        try:
            loaded = read(spooled, delimiter=delimiter)
        except InputError as error:
            raise InputError(str(error).replace(str(spooled), "standard input")) from error
    record = loaded.records[0]
    renamed = FileRecord("standard input", record.sha256, record.size, record.rows)
    return LoadedTable("standard input", loaded.table, (renamed,), loaded.class_order)
