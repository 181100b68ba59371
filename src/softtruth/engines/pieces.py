"""Files as pieces that are read in a fixed order: row groups, record batches, blocks of text."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from softtruth.engines.addresses import found_at, is_address, local_copy, state_of
from softtruth.engines.addresses import opened as opened_at
from softtruth.engines.counting import Placed
from softtruth.engines.json_lines import is_lines, json_tables
from softtruth.errors import InputError, listed
from softtruth.inputs.damaged_text import opened
from softtruth.inputs.decimal_comma import has_comma, marked
from softtruth.inputs.delimited import checked_text, layout_of, parsing
from softtruth.inputs.files import FORMATS, GZIP, expanded, read
from softtruth.inputs.typed_tables import BAD_GZIP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROWS = 1 << 18  # of one batch, at most
VALUES = 1 << 21  # of one batch, at most
_FEW = 4  # columns
STEP = 1 << 23  # values of a step, at least: what is counted between two places to resume from


def rows_of_batch(width: int) -> int:
    """Return how many rows a batch has, by the number of values in one: fewer where they are wide."""
    return max(256, min(ROWS, VALUES // max(1, width)))


class Place(NamedTuple):
    """Where the next step begins: a file, and a row group or block in it."""

    file: int
    part: int


class Step(NamedTuple):
    """Some batches, the rows in them where that is known beforehand, and where the next step begins."""

    batches: Iterator[Placed]
    after: Place


@dataclass(frozen=True)
class Files:
    """Files with the same columns.

    Attributes
    ----------
    paths : tuple of str
    columns : tuple of str, optional
        The columns that are read; all by default.
    delimiter : str, optional
        Of CSV files.
    width : int
        Values in a row, about.
    name : str, optional
        What messages call them; each by its path by default.
    """

    paths: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    width: int = 8
    name: str | None = None

    @property
    def words(self) -> str:
        """What messages call all of them."""
        more = len(self.paths) - 1
        return self.name or f"{self.paths[0]}{f' and {more} more' if more > 0 else ''}"

    @property
    def _rows(self) -> int:
        return rows_of_batch(self.width)

    @classmethod
    def of(cls, where: str | Sequence[str], delimiter: str | None = None) -> Files:
        """Return the files that a path, folder, pattern, address of an object store, or a list of these means."""
        wanted = [where] if isinstance(where, (str, Path)) else list(where)
        paths = [path for one in map(str, wanted) for path in (found_at(one) if is_address(one) else expanded(one))]
        return cls(tuple(paths), None, delimiter)

    def fingerprint(self) -> list[list[Any]]:
        """Return what tells other files of the same names apart: sizes and times of change."""
        found: list[list[Any]] = []
        for path in self.paths:
            if is_address(path):
                found.append(state_of(path))
                continue
            state = Path(path).stat()
            found.append([str(Path(path).absolute()), state.st_size, state.st_mtime_ns])
        return found

    def rows(self) -> int | None:
        """Return how many rows there are, where the files say so without being read."""
        if not all(kind_of(path) == "parquet" for path in self.paths):
            return None
        total = 0
        for path in self.paths:
            with _parquet(path) as file:
                total += file.metadata.num_rows
        return total

    def sample(self, rows: int = 4096) -> pa.Table:
        """Return the first rows, to see what the columns hold."""
        for path in self.paths:
            for batch in self._batches(path):
                if batch.num_rows:
                    return pa.Table.from_batches([batch.slice(0, rows)])
        for path in self.paths:
            for batch in self._batches(path):
                return pa.Table.from_batches([batch])
        msg = f"{listed(self.paths)} hold no rows."
        raise InputError(msg)

    def steps(self, start: Place = Place(0, 0)) -> Iterator[Step]:  # noqa: B008  a tuple
        """Yield the data from a place on, in steps that do not depend on where one starts."""
        for number in range(start.file, len(self.paths)):
            path = self.paths[number]
            first = start.part if number == start.file else 0
            following = Place(number + 1, 0)
            if kind_of(path) == "parquet":
                with _parquet(path) as file:
                    for groups in _groups_of(file.metadata, self.width):
                        if groups[0] >= first:
                            after = Place(number, groups[-1] + 1)
                            last = groups[-1] + 1 == file.metadata.num_row_groups
                            yield Step(self._parquet_batches(path, file, groups), following if last else after)
                continue
            yield from self._blocks(path, number, first, following)

    def _blocks(self, path: str, number: int, first: int, following: Place) -> Iterator[Step]:
        pending: list[Placed] = []
        start, size = 0, 0
        for part, batch in enumerate(self._batches(path)):
            if part >= first:
                pending.append(Placed(self.name or path, start, batch))
                size += batch.num_rows * self.width
            start += batch.num_rows
            if size >= STEP:
                yield Step(iter(pending), Place(number, part + 1))
                pending, size = [], 0
        yield Step(iter(pending), following)

    def _parquet_batches(self, path: str, file: Any, groups: list[int]) -> Iterator[Placed]:
        start = sum(file.metadata.row_group(i).num_rows for i in range(groups[0]))
        with _damage(path):
            for batch in file.iter_batches(self._rows, groups, columns=_wanted(path, file.schema_arrow, self.columns)):
                batch.validate(full=True)  # damaged text and offsets would end the process later
                yield Placed(self.name or path, start, batch)
                start += batch.num_rows

    def _batches(self, path: str) -> Iterator[pa.RecordBatch]:
        kind = kind_of(path)
        if is_address(path) and kind != "parquet":
            with local_copy(path) as copy:
                yield from self._batches(copy)
            return
        with _damage(path):
            if kind == "parquet":
                with _parquet(path) as file:
                    for batch in file.iter_batches(self._rows, columns=_wanted(path, file.schema_arrow, self.columns)):
                        batch.validate(full=True)
                        yield batch
            elif kind == "csv":
                for batch in _csv_batches(path, self.columns, self.delimiter):
                    for start in range(0, max(batch.num_rows, 1), self._rows):
                        yield batch.slice(start, self._rows)
            elif kind == "arrow" and not _gzipped(path):
                yield from _arrow_batches(path, self.columns)
            elif kind == "json" and is_lines(path, compressed=_gzipped(path)):
                for table in json_tables(path, self.columns, compressed=_gzipped(path)):
                    yield from table.combine_chunks().to_batches(self._rows)
            else:  # formats without a reader that goes block by block
                table = read(path, delimiter=self.delimiter).table
                table = table.select(_wanted(path, table.schema, self.columns) or table.column_names)
                yield from table.to_batches(self._rows)


def kind_of(path: str) -> str:
    """Return the format of a file by its name; Parquet for folders and addresses of object stores."""
    bare = path.partition("?")[0] if is_address(path) else path
    suffix = Path(bare.lower().removesuffix(".gz")).suffix
    return FORMATS.get(suffix, "parquet" if is_address(path) else "other")


def sign_of(path: str, delimiter: str | None) -> str:
    """Return the sign between the values of a CSV file that is not looked into: a tab by its name, else a comma."""
    tab = path.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
    return delimiter or ("\t" if tab else ",")


def _groups_of(metadata: Any, width: int) -> Iterator[list[int]]:
    """Yield row groups that follow each other and make a step together."""
    groups: list[int] = []
    size = 0
    for i in range(metadata.num_row_groups):
        groups.append(i)
        size += metadata.row_group(i).num_rows * width
        if size >= STEP:
            yield groups
            groups, size = [], 0
    if groups:
        yield groups


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    with _damage(path):
        file = parquet.ParquetFile(opened_at(path) if is_address(path) else path, pre_buffer=is_address(path))
    try:
        yield file
    finally:
        file.close(force=True)


@contextmanager
def _damage(path: str) -> Iterator[None]:
    try:
        yield
    except (*BAD_GZIP, pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        msg = f"{path} cannot be read ({' '.join(str(error).split())[:160]}). Copy or write the file again."
        raise InputError(msg) from error


def _wanted(path: str, schema: pa.Schema, columns: Sequence[str] | None) -> list[str] | None:
    missing = [name for name in columns or () if name not in schema.names]
    if missing:
        msg = f"{path} has no column {listed(missing)}; it has {listed(schema.names)}."
        raise InputError(msg)
    return None if columns is None else list(columns)


def _many(names: Sequence[str] | None) -> bool:
    """Whether columns are worth a thread each; few are read as quickly by the one thread that reads ahead."""
    return names is None or len(names) > _FEW


def _gzipped(path: str) -> bool:
    with Path(path).open("rb") as stream:
        return stream.read(2) == GZIP


def _csv_batches(path: str, columns: Sequence[str] | None, delimiter: str | None) -> Iterator[pa.RecordBatch]:
    """Yield blocks of a CSV file, every column as text."""
    from pyarrow import csv

    compressed = _gzipped(path)
    layout = layout_of(path, compressed=compressed, delimiter=delimiter)
    schema = pa.schema([(name, pa.string()) for name in layout.names])
    wanted = _wanted(path, schema, columns)
    if layout.empty:
        return
    with opened(path, compressed=compressed) as stream:
        for number, batch in enumerate(csv.open_csv(stream, **parsing(layout, wanted))):
            table = pa.Table.from_batches([batch]).rename_columns(wanted or list(layout.names))
            table = checked_text(table, path)
            if number == 0 and layout.delimiter != "," and has_comma(marked(table, path).schema):
                msg = f"{path} has numbers with a decimal comma, which streams do not read; write them with a point."
                raise InputError(msg)
            yield from table.replace_schema_metadata({"delimiter": layout.delimiter}).to_batches()


def _arrow_batches(path: str, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of an Arrow file, Feather file or stream, mapped and not read whole."""
    with pa.memory_map(path) as source:
        try:
            reader: Any = pa.ipc.open_file(source)
            found = (reader.get_batch(i) for i in range(reader.num_record_batches))
        except pa.ArrowInvalid:
            source.seek(0)
            found = reader = pa.ipc.open_stream(source)
        wanted = _wanted(path, reader.schema, columns)
        for batch in found:
            chosen = batch if wanted is None else batch.select(wanted)
            chosen.validate(full=True)
            yield chosen
