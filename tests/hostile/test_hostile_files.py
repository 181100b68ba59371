"""Files that are made to break readers end in one sentence, and never end the process."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from softtruth.errors import InputError
from softtruth.inputs.files import read
from softtruth.inputs.json_records import DEEPEST

if TYPE_CHECKING:
    from pathlib import Path


def announced(shape: tuple[int, ...]) -> bytes:
    """Return a NumPy file that says to hold an array of that shape, and holds 64 bytes."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue() + b"\0" * 64


@pytest.mark.parametrize("line", ["null", "3", '"x"', '{"a": 1}\nnull', '{"a": 1}\n\n  [1]'])
def test_lines_that_are_no_records(tmp_path: Path, line: str) -> None:
    # `null` ends the process in the JSON reader of Arrow
    path = tmp_path / "lines.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match="is not a JSON record"):
        read(path)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 1_000, 50_000])
@pytest.mark.parametrize("form", ['{{"a": {}}}', '[{{"a": {}}}]'])
def test_values_within_values_without_end(tmp_path: Path, form: str, levels: int) -> None:
    path = tmp_path / "deep.json"
    for opened, closed in (("[", "]"), ('{"a": ', "}")):
        path.write_text(form.format(opened * levels + "1" + closed * levels))
        with pytest.raises(InputError, match=r"levels deep|without end"):
            read(path)


def test_brackets_in_text_are_text(tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    path.write_text('{"item": "a", "label": "' + "[" * 100_000 + '"}\n')
    assert read(path).table["label"][0].as_py() == "[" * 100_000


@pytest.mark.parametrize("shape", [(10**12,), (-1,), (2**32, 2**32), (0, 10**12), (9,)])
def test_arrays_that_announce_more_than_they_hold(tmp_path: Path, shape: tuple[int, ...]) -> None:
    plain, packed = tmp_path / "a.npy", tmp_path / "a.npz"
    plain.write_bytes(announced(shape))
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr("a.npy", announced(shape))
    for path in (plain, packed):
        with pytest.raises(InputError, match="announces an array of shape"):
            read(path)


def test_a_broken_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(InputError, match="cannot be read as a NumPy file"):
        read(path)


@pytest.mark.parametrize("text", ["{}", "[{}]"])
def test_records_without_keys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "none.json"
    path.write_text(text)
    with pytest.raises(InputError, match="has no columns"):
        read(path)


def test_a_hundred_thousand_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column_{i}" for i in range(100_000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    assert read(path).table.column_names == names
    path.write_text(json.dumps(dict.fromkeys(names, 1)))
    assert read(path).table.num_columns == len(names)


def test_a_name_that_is_no_text() -> None:
    with pytest.raises(InputError, match="no UTF-8 text"):
        read("\udcff.csv")


@pytest.mark.parametrize("kind", ["arrow", "parquet", "csv.gz", "npz"])
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, kind: str) -> None:
    # damaged offsets of Arrow files end the process unless they are looked at
    path, rng = tmp_path / f"t.{kind}", random.Random(0)  # noqa: S311  # no secret
    table = pa.table({"item": [f"i{i}" for i in range(30)], "prediction": ["cat", "dog"] * 15})
    if kind == "npz":
        np.savez(path, item=np.arange(30), prediction=np.arange(30) % 2)
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(b"item,prediction\n" + b"a,cat\nb,dog\n" * 15))
    else:
        (feather.write_feather if kind == "arrow" else parquet.write_table)(table, str(path))
    whole = path.read_bytes()
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 5])):
            at = rng.randrange(len(damaged))
            if rng.random() < 0.7:
                damaged[at] ^= 1 << rng.randrange(8)
            else:
                del damaged[at : at + rng.choice([1, 8, 1000])]
            damaged = damaged or bytearray(b"x")
        path.write_bytes(damaged)
        try:
            loaded = read(path)
        except InputError:
            continue
        assert all(str(value) for column in loaded.table.columns for value in column)
