"""Files that are small and become large are refused, or end in one sentence, within bounded memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import subprocess
import sys
import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from hostile.exports import as_lines, doccano
from softtruth.errors import InputError
from softtruth.inputs.expansion import FREE, MOST_TIMES, Allowance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LARGE = 12 << 30  # bytes that come out of each bomb
MEMORY = 5 << 30  # of address space that the command may have: libraries alone take two


def packed(piece: bytes, size: int = LARGE) -> bytes:
    """Return gzip data of one piece that comes again and again, without making them."""
    times = 1 << 20
    block = piece * (times // len(piece))
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    once = engine.compress(block) + engine.flush(zlib.Z_FULL_FLUSH)  # a piece that can be repeated as it is
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    return head + once * (size // len(block))  # cut at the end, which nobody gets to see


def text_bomb() -> bytes:
    """Return a table of very many rows."""
    head = gzip.compress(b"item,label\n")
    return head + packed(b"a,b\n")


def json_bomb() -> bytes:
    """Return very many records."""
    return packed(b'{"item":"a","p":1}\n')


def array_bomb() -> bytes:
    """Return an archive with one array of zeros."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as f,
    ):
        np.lib.format.write_array_header_2_0(f, {"descr": "<f8", "fortran_order": False, "shape": (2**28,)})
        for _ in range(32):
            f.write(bytes(1 << 26))
    return stream.getvalue()


def column_bomb() -> bytes:
    """Return a Parquet file in which a few bytes stand for very many values."""
    stream = io.BytesIO()
    table = pa.table({"item": pa.nulls(1 << 20, pa.int64()), "label": pa.nulls(1 << 20, pa.float64())})
    with parquet.ParquetWriter(stream, table.schema) as writer:
        for _ in range(900):
            writer.write_table(table)
    return stream.getvalue()


def batch_bomb() -> bytes:
    """Return a Feather file of zeros."""
    stream = io.BytesIO()
    table = pa.table({"item": np.zeros(1 << 28, np.int8), "label": np.zeros(1 << 28, np.int8)})
    feather.write_feather(pa.concat_tables([table] * 24), stream, compression="zstd", chunksize=1 << 22)
    return stream.getvalue()


def member_bomb() -> bytes:
    """Return an export of doccano with a member of blanks."""
    from random import Random

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann.jsonl", as_lines(doccano(Random(0))))  # noqa: S311  # no secret
        with archive.open("bob.jsonl", "w", force_zip64=True) as f:
            for _ in range(24):
                f.write(b" " * (1 << 26))
    return stream.getvalue()


def key_bomb() -> bytes:
    """Return records whose keys all differ: a table of nine hundred million cells."""
    return b"".join(json.dumps({f"k{i}": 1}).encode() + b"\n" for i in range(30_000))


BOMBS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "text": ("csv.gz", text_bomb, "times as many"),
    "json": ("jsonl.gz", json_bomb, "times as many"),
    "array": ("npz", array_bomb, "times as many"),
    "column": ("parquet", column_bomb, "times as many"),
    "batch": ("feather", batch_bomb, "times as many"),
    "member": ("zip", member_bomb, "times as many"),
    "key": ("jsonl", key_bomb, "different keys"),
}


def limited() -> None:
    """Let the process have less memory than the bombs would take."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_do_not_go_off(tmp_path: Path, bomb: str) -> None:
    suffix, make, words = BOMBS[bomb]
    content = make()
    assert len(content) < 40 << 20
    path = tmp_path / f"bomb.{suffix}"
    path.write_bytes(content)
    folder = tmp_path / "temporary"
    folder.mkdir()
    found = subprocess.run(
        [sys.executable, "-m", "softtruth", "convert", str(path), "-q"],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TMPDIR": str(folder)},
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert found.returncode == 1, found.stderr
    assert words in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert found.stdout == ""
    assert not list(folder.iterdir())


def test_an_allowance_ends(tmp_path: Path) -> None:
    small = Allowance("a.gz", size=1000)
    small.take(FREE)
    with pytest.raises(InputError, match="made to fill memory"):
        small.take(1)
    Allowance("a.gz", size=FREE).take(MOST_TIMES * FREE)


def test_records_whose_keys_all_differ(tmp_path: Path) -> None:
    from softtruth.inputs.files import read

    path = tmp_path / "keys.jsonl"
    path.write_bytes(key_bomb())
    with pytest.raises(InputError, match="30,000 records with 30,000 different keys, of which a record holds 1"):
        read(path)
    nested = "".join(f'{{"a": {{"k{i}": 1}}, "b": "{{"}}\n' for i in range(12_000))
    path.write_text(nested)
    with pytest.raises(InputError, match="12,000 records with 12,002 different keys"):
        read(path)
