"""Files of object stores (`s3://`, `gs://`, `hf://` ...): found by address or pattern, opened where they are."""

from __future__ import annotations

import fnmatch
import shutil
import tempfile
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from softtruth.errors import InputError, SofttruthError
from softtruth.inputs.files import expanded, natural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHUNK = 1 << 22


def is_address(path: str) -> bool:
    """Whether a path is an address with a scheme, and not of this machine's file system."""
    return "://" in path


def is_where(data: Any) -> bool:
    """Whether the data are named by paths."""
    if isinstance(data, (str, PathLike)):
        return True
    return isinstance(data, (list, tuple)) and bool(data) and all(isinstance(x, (str, PathLike)) for x in data)


def as_paths(data: Any) -> list[str]:
    """Return the paths that name the data."""
    return [str(path) for path in (data if isinstance(data, (list, tuple)) else [data])]


def found_at(address: str) -> list[str]:
    """Return the files that an address means: itself, those of a folder, or those that match a pattern with stars.

    What stands after a question mark is for the file system (`?region=...`), and stays with each file.

    Raises
    ------
    InputError
        If there are none, or the file system cannot be reached.
    """
    from pyarrow import fs

    if address.startswith("file://"):
        return expanded(address.removeprefix("file://"))
    bare, sign, query = address.partition("?")
    with naming(address):
        system, inner = _system(address)
        root = bare.removesuffix(inner)
        if "*" in inner:
            folder = inner[: inner.rindex("/", 0, inner.index("*"))]
            files = system.get_file_info(fs.FileSelector(folder, recursive="*" in inner[: inner.rindex("/")]))
            found = [one.path for one in files if one.is_file and fnmatch.fnmatchcase(one.path, inner)]
        elif system.get_file_info(inner).type == fs.FileType.Directory:
            files = system.get_file_info(fs.FileSelector(inner))
            found = [one.path for one in files if one.is_file and not one.base_name.startswith(("_", "."))]
        else:
            return [address]
    if not found:
        msg = f"{address} matches no file."
        raise InputError(msg)
    return [f"{root}{path}{sign}{query}" for path in sorted(found, key=natural)]


def state_of(address: str) -> list[Any]:
    """Return what tells another file at the same address apart: its size and its time of change."""
    with naming(address):
        system, inner = _system(address)
        info = system.get_file_info(inner)
    return [address, info.size, info.mtime_ns]


def opened(address: str) -> Any:
    """Return a file that is read in any order, where it is."""
    with naming(address):
        system, inner = _system(address)
        return system.open_input_file(inner)


def dataset_of(addresses: Sequence[str]) -> Any:
    """Return Parquet files of one store as an Arrow data set, which others read from."""
    from pyarrow import dataset

    with naming(addresses[0]):
        pairs = [_system(address) for address in addresses]
        return dataset.dataset([inner for _, inner in pairs], filesystem=pairs[0][0], format="parquet")


@contextmanager
def local_copy(address: str) -> Iterator[str]:
    """Yield the path of a copy on this machine, for formats that are read from files; it goes afterwards.

    Raises
    ------
    InputError
        That names the address, also where the copy cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="softtruth-") as folder:
        path = Path(folder) / PurePosixPath(address.partition("?")[0]).name
        with naming(address), opened(address) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK)
        try:
            yield str(path)
        except SofttruthError as error:
            raise type(error)(str(error).replace(str(path), address)) from error


@contextmanager
def naming(address: str) -> Iterator[None]:
    """Say of an error of a file system which address it was."""
    try:
        yield
    except (pa.ArrowException, OSError, ImportError) as error:
        msg = f"{address} cannot be reached ({' '.join(str(error).split())[:200]})."
        raise InputError(msg) from error


def _system(address: str) -> tuple[Any, str]:
    from pyarrow import fs

    system, inner = fs.FileSystem.from_uri(address)
    return system, inner
