"""Formats that carry types of their own: Parquet, Arrow, NumPy."""

from __future__ import annotations

import gzip
import json
import math
import struct
import tempfile
import tokenize
import warnings
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

from softtruth.errors import InputError, listed
from softtruth.inputs.expansion import Allowance

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 24  # one record must fit into one block
MOST_COLUMNS = 2**31 - 1  # of an Arrow list
LAST_SIGN, HALVES = 0x10FFFF, (0xD800, 0xDFFF)  # of Unicode, and what is no sign by itself
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4}  # bytes of a value in memory, about; 8 for the others
DAMAGED = (pa.ArrowException, OSError, EOFError, ValueError, KeyError, OverflowError, RecursionError)
BAD_GZIP = (EOFError, gzip.BadGzipFile, zlib.error)
BAD_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
BAD_HEADER = (tokenize.TokenError, SyntaxError, TypeError, AttributeError, struct.error)  # NumPy reads them as Python


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
        with gzip.open(path, "rb") as source, plain.open("wb") as target:
            for block in _blocks(source, path):
                target.write(block)
        yield str(plain)


def _blocks(source: gzip.GzipFile, path: str) -> Iterator[bytes]:
    """Yield what a gzip file holds, unless it is damaged or made to fill the disk."""
    allowance = Allowance(path)
    while True:
        try:
            block = source.read(BLOCK)
        except BAD_GZIP as error:
            raise InputError(
                f"{path} holds damaged or cut gzip data ({error}). Copy or download the file again."
            ) from error
        if not block:
            return
        allowance.take(len(block))
        yield block


def read_parquet(path: str, plain: str) -> pa.Table:
    """Read a Parquet file."""
    try:
        with parquet.ParquetFile(plain) as file:
            Allowance(path, Path(plain).stat().st_size).take(_announced(file.metadata))
        return _checked(parquet.read_table(plain))
    except InputError:
        raise
    except DAMAGED as error:
        raise InputError(_damaged(path, "a Parquet file", error)) from error


def _announced(metadata: parquet.FileMetaData) -> int:
    """Return how many bytes the values of a Parquet file take in memory, at least: a few can stand for millions.

    What the file says of its chunks would tell more, but asking for that ends the process where they are damaged.
    """
    kinds = [metadata.schema.column(i).physical_type for i in range(metadata.num_columns)]
    return int(metadata.num_rows * sum(WIDTHS.get(kind, 8) for kind in kinds))


def read_arrow(path: str, plain: str) -> pa.Table:
    """Read Arrow data: the file format, Feather, or a stream."""
    with Path(plain).open("rb") as stream:
        magic = stream.read(6)
    try:
        if magic[:4] == b"FEA1":  # the first version of Feather
            return _checked(feather.read_table(plain))
        with pa.OSFile(plain) as source:
            if magic == b"ARROW1":
                reader: Any = pa.ipc.open_file(source)
                found = (reader.get_batch(i) for i in range(reader.num_record_batches))
            else:  # the stream format has no magic bytes
                found = reader = pa.ipc.open_stream(source)
            return _checked(pa.Table.from_batches(list(_within(found, Allowance(path))), reader.schema))
    except InputError:
        raise
    except DAMAGED as error:
        raise InputError(_damaged(path, "an Arrow or Feather file", error)) from error


def _within(batches: Iterator[pa.RecordBatch], allowance: Allowance) -> Iterator[pa.RecordBatch]:
    """Yield batches for as long as their compressed buffers do not grow beyond measure."""
    for batch in batches:
        allowance.take(batch.nbytes)
        yield batch


def _checked(table: pa.Table) -> pa.Table:
    """Look at every offset and every text: the reader trusts them, and damaged ones end the process later."""
    table.validate(full=True)
    table.column_names  # noqa: B018  # pyarrow 17 looks at a damaged name only when it is asked for
    return table


def read_numpy(path: str, plain: str) -> pa.Table:
    """Read a `.npy` array or the arrays of a `.npz` file; a matrix becomes one list column."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            _check_announced(path, plain)
            content = np.load(plain, allow_pickle=False)
            arrays = dict(content) if isinstance(content, np.lib.npyio.NpzFile) else {"value": content}
    except InputError:
        raise
    except (*DAMAGED, *BAD_ZIP, *BAD_HEADER) as error:
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
        check_unique(path, parts.namelist(), "array")
        Allowance(path, Path(plain).stat().st_size).take(sum(info.file_size for info in parts.infolist()))
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
        return pa.array(_texts(path, name, array), pa.string() if array.ndim == 1 else pa.list_(pa.string()))
    if array.dtype.kind not in "biuf":
        raise InputError(f"{path}: array {name!r} holds {array.dtype} values; expected numbers or text.")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.ndim == 1:
        return pa.array(np.ascontiguousarray(array))
    if array.shape[1] == 1:
        return pa.array(np.ascontiguousarray(array[:, 0]))
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).ravel()), array.shape[1])


def _texts(path: str, name: str, array: np.ndarray) -> list[Any]:
    """Return text, whose signs NumPy does not check."""
    try:
        if array.dtype.kind == "S":
            array = np.char.decode(array, "utf-8")
        array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
        signs = array.view(np.uint32) if array.size and array.dtype.itemsize else np.zeros(0, np.uint32)
        if signs.max(initial=0) > LAST_SIGN or ((signs >= HALVES[0]) & (signs <= HALVES[1])).any():
            raise InputError(f"{path}: array {name!r} holds signs that are in no text. Write the file again.")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: array {name!r} holds bytes that are no UTF-8 text. Write it as text.") from error
    texts: list[Any] = array.tolist()
    return texts


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


def check_unique(path: str, names: list[str], what: str = "column") -> None:
    """Refuse a table that names a column twice."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(
            f"{path} names the {what}s {listed(twice)} more than once; give each {what} a name of its own."
        )
