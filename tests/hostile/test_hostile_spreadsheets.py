"""CSV that is written holds nothing that a spreadsheet would run, and reads back as it was."""

from __future__ import annotations

import csv
import io
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from hostile.command import ended
from hostile.words import CODE, HOSTILE
from hostile.written import delimited
from softtruth.cli import PASS
from softtruth.inputs.files import read
from softtruth.inputs.spreadsheet import as_csv, escaped, runs

if TYPE_CHECKING:
    from pathlib import Path

CELLS = [*(word for word in HOSTILE if word and "\0" not in word), "'=1+1", "''=1", "'tis", "'", "=", "-", "-x", "@"]
STARTS = "=+-@\t\r"
SIDES = ("--prediction", "r.csv", "--reference", "r.csv")


@pytest.mark.parametrize("cell", CELLS)
def test_cells_come_back(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(as_csv(pa.table({"item": [cell, "x"]}))[0].encode())
    assert read(path).table["item"].to_pylist() == [cell, "x"]


@pytest.mark.parametrize("cell", CELLS)
def test_no_cell_runs(cell: str) -> None:
    written = escaped(cell)
    harmless = written[0] not in STARTS or len(written) == 1 or not runs(written)
    assert harmless
    assert written in {cell, f"'{cell}"}
    assert (written == cell) == (not runs(cell))


@pytest.mark.parametrize("command", ["convert", "plan"])
def test_ids_that_a_spreadsheet_would_run_travel_through_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    items = [*(word for word in CODE if word.strip() == word), "plain", "-1", "+2.5"]
    rng = Random(0)  # noqa: S311  # no secret
    rows = {"item": items, "label": [rng.choice(["a", "b"]) for _ in items]}
    (tmp_path / "r.csv").write_bytes(delimited(rows))
    words = {
        "convert": ("convert", "r.csv", "--out", "o.csv"),
        "plan": ("audit", "plan", *SIDES, "--size", str(len(items)), "--simple", "--out", "o.csv"),
    }[command]
    found = ended(*words)
    assert found.code == PASS, found.err
    assert "begin with an apostrophe: 5" in found.err
    text = (tmp_path / "o.csv").read_text(encoding="utf-8")
    first = [row[0] for row in csv.reader(io.StringIO(text))]
    assert [cell for cell in first if cell[0] in STARTS] == ["-1", "+2.5"]
    assert sorted(read("o.csv").table["item"].to_pylist()) == sorted(items)
