"""Formats that carry types of their own: JSON lines, Parquet, Arrow, NumPy."""

from __future__ import annotations

import gzip
import json
import math
import re
import shutil
import tempfile
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet
from pyarrow import json as arrow_json

from softtruth.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 24  # one record must fit into one block
DEEPEST = 64  # levels of values within values: the JSON reader of Arrow ends the process where there are thousands
MOST_COLUMNS = 2**31 - 1  # of an Arrow list
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')
DAMAGED = (pa.ArrowException, OSError, EOFError, ValueError, KeyError, OverflowError, RecursionError)
BAD_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)


@contextmanager
def uncompressed(path: str, *, compressed: bool) -> Iterator[str]:
    """Yield the path of the plain file; a gzipped one is first written to a temporary file.

    The readers get a path and never a Python object: reading from Python-owned memory can abort the interpreter
    at exit when other compiled packages are loaded (apache/arrow issue 34314).
    """
    if not compressed:
        yield path
        return
    suffix = Path(path.lower().removesuffix(".gz")).suffix
    with tempfile.TemporaryDirectory(prefix="softtruth-") as folder:
        plain = Path(folder) / f"plain{suffix}"
        try:
            with gzip.open(path, "rb") as source, plain.open("wb") as target:
                shutil.copyfileobj(source, target, BLOCK)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(
                f"{path} holds damaged or cut gzip data ({error}). Copy or download the file again."
            ) from error
        yield str(plain)


def read_json(path: str, plain: str) -> pa.Table:
    """Read one JSON record a line, or one JSON list of records.

    Parameters
    ----------
    path
        The name to use in messages.
    plain
        The uncompressed file.
    """
    with Path(plain).open("rb") as stream:
        start = stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not start:
        raise InputError(f"{path} is empty: expected one JSON record a line.")
    if start == b"[":
        return _json_list(path, plain)
    _check_records(path, plain)
    try:
        table = _json_lines(plain, None)
        times = _without_times(table.schema)
        return table if times == table.schema else _json_lines(plain, times)
    except DAMAGED as error:
        raise InputError(_json_sentence(path, plain, str(error))) from error


def _check_records(path: str, plain: str) -> None:
    """Refuse lines that end the process in the JSON reader of Arrow: no record, or thousands of levels."""
    with Path(plain).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line[:1] != b"{" and line.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in {b"", b"{"}:
                raise InputError(_no_record(path, number))
            if line.count(b"{") + line.count(b"[") > DEEPEST and _levels(line) > DEEPEST:
                raise InputError(_too_deep(f"{path} line {number}"))


def _no_record(path: str, number: int) -> str:
    return f"{path} line {number} is not a JSON record. Expected {{...}} with the same keys on each line."


def _levels(record: bytes) -> int:
    """Return how deep brackets stand within brackets, outside of text."""
    signs = np.frombuffer(TEXT.sub(b"", record), np.uint8)
    opened = (signs == ord("{")) | (signs == ord("["))
    closed = (signs == ord("}")) | (signs == ord("]"))
    return int(np.cumsum(opened.astype(np.int8) - closed.astype(np.int8), dtype=np.int32).max(initial=0))


def _too_deep(where: str) -> str:
    return f"{where} holds values within values more than {DEEPEST} levels deep. Take the inner values out of it first."


def check_depth(path: str, table: pa.Table) -> None:
    """Refuse a table whose columns hold values within values without end."""
    kinds = list(table.schema.types)
    for _ in range(DEEPEST):
        kinds = [kind.field(i).type for kind in kinds if pa.types.is_nested(kind) for i in range(kind.num_fields)]
        if not kinds:
            return
    raise InputError(_too_deep(path))


def _json_lines(plain: str, schema: pa.Schema | None) -> pa.Table:
    return arrow_json.read_json(
        plain,
        read_options=arrow_json.ReadOptions(block_size=BLOCK),
        parse_options=arrow_json.ParseOptions(explicit_schema=schema, newlines_in_values=False),
    )


def _without_times(schema: pa.Schema) -> pa.Schema:
    """Ask for text where the reader saw dates: an id such as `2024-01-01` must keep its spelling."""
    return pa.schema([pa.field(f.name, _timeless(f.type)) for f in schema])


def _timeless(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _timeless(f.type)) for f in kind])
    return kind


def _json_list(path: str, plain: str) -> pa.Table:
    try:
        return pa.Table.from_pylist(json.loads(Path(plain).read_text(encoding="utf-8-sig")))
    except (*DAMAGED, AttributeError, TypeError) as error:
        raise InputError(
            f"{path} cannot be read as a JSON list of records ({error}). Write one JSON record a line instead."
        ) from error


def _json_sentence(path: str, plain: str, reason: str) -> str:
    with Path(plain).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line.decode("utf-8-sig")) if line.strip() else {}
            except UnicodeDecodeError:
                return f"{path} line {number} is not UTF-8 text: save the file as UTF-8."
            except ValueError as error:
                return f"{path} line {number} is not a JSON record ({error}). Expected one complete record a line."
            if not isinstance(record, dict):
                return _no_record(path, number)
    return f"{path} cannot be read: {reason}. Expected the same type for a key on each line."


def read_parquet(path: str, plain: str) -> pa.Table:
    """Read a Parquet file."""
    try:
        return _checked(parquet.read_table(plain))
    except DAMAGED as error:
        raise InputError(_damaged(path, "a Parquet file", error)) from error


def read_arrow(path: str, plain: str) -> pa.Table:
    """Read Arrow data: the file format, Feather, or a stream."""
    try:
        return _checked(feather.read_table(plain))
    except DAMAGED:
        pass  # not the file format; the stream format has no magic bytes, so that trying is the only test
    try:
        with pa.OSFile(plain) as source, pa.ipc.open_stream(source) as stream:
            return _checked(stream.read_all())
    except DAMAGED as error:
        raise InputError(_damaged(path, "an Arrow or Feather file", error)) from error


def _checked(table: pa.Table) -> pa.Table:
    """Look at every offset and every text: the reader trusts them, and damaged ones end the process later."""
    table.validate(full=True)
    return table


def read_numpy(path: str, plain: str) -> pa.Table:
    """Read a `.npy` array or the arrays of a `.npz` file; a matrix becomes one list column."""
    try:
        _check_announced(path, plain)
        content = np.load(plain, allow_pickle=False)
        arrays = dict(content) if isinstance(content, np.lib.npyio.NpzFile) else {"value": content}
    except InputError:
        raise
    except (*DAMAGED, *BAD_ZIP) as error:
        raise InputError(_damaged(path, "a NumPy file without pickled objects", error)) from error
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise InputError(f"{path} is a zip of {listed(arrays)}, expected NumPy arrays; take the files out of it first.")
    lengths = {name: (len(array) if array.ndim else 0) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"{path} holds arrays of different lengths ({lengths}); expected one row for each item in every array."
        )
    return pa.table({name: _column(path, name, array) for name, array in arrays.items()})


def _check_announced(path: str, plain: str) -> None:
    """Refuse arrays that say to be larger than what the file holds, before memory is set aside for them."""
    if not zipfile.is_zipfile(plain):
        with Path(plain).open("rb") as stream:
            if stream.read(2) == b"PK":  # NumPy would leave it open
                raise zipfile.BadZipFile("File is not a zip file")
            stream.seek(0)
            _check_header(path, stream, Path(plain).stat().st_size)
        return
    with zipfile.ZipFile(plain) as parts:
        for info in parts.infolist():
            with parts.open(info) as part:
                _check_header(path, part, info.file_size)


def _check_header(path: str, stream: IO[bytes], size: int) -> None:
    start = stream.read(6)
    if start != np.lib.format.MAGIC_PREFIX:
        return  # whatever it is, NumPy will say so
    version = tuple(stream.read(2))
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    announced = math.prod(shape) * dtype.itemsize
    size -= stream.tell()
    if announced > size or min(shape, default=0) < 0 or max(shape[1:], default=0) > MOST_COLUMNS:
        raise InputError(
            f"{path} announces an array of shape {shape}, which the {size} bytes that it holds cannot be. "
            "Copy or write the file again."
        )


def _column(path: str, name: str, array: np.ndarray) -> pa.Array:
    if array.ndim == 0 or array.ndim > 2:
        raise InputError(
            f"{path}: array {name!r} has shape {array.shape}; expected one row for each item and at most two axes."
        )
    if array.dtype.kind in "US":
        return pa.array(array.astype(str).tolist(), pa.string())
    if array.dtype.kind not in "biuf":
        raise InputError(f"{path}: array {name!r} holds {array.dtype} values; expected numbers or text.")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.ndim == 1:
        return pa.array(np.ascontiguousarray(array))
    if array.shape[1] == 1:
        return pa.array(np.ascontiguousarray(array[:, 0]))
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).ravel()), array.shape[1])


def class_names(table: pa.Table) -> dict[str, tuple[str, ...]]:
    """Return the class names that a Hugging Face data set keeps in the schema, by column."""
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    try:
        features: dict[str, Any] = json.loads(metadata[b"huggingface"])["info"]["features"]
        return {c: tuple(map(str, f["names"])) for c, f in features.items() if isinstance(f, dict) and "names" in f}
    except (KeyError, TypeError, ValueError):
        return {}


def _damaged(path: str, expected: str, error: Exception) -> str:
    reason = " ".join(str(error).split())
    return f"{path} cannot be read as {expected} ({reason[:160]}). Write the file again, or give its real suffix."


def check_unique(path: str, names: list[str]) -> None:
    """Refuse a table that names a column twice."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(
            f"{path} names the columns {listed(twice)} more than once; give each column a name of its own."
        )
