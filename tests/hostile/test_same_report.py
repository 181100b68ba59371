"""The same data, written differently, give the very same report."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from hostile.cases import seeds
from hostile.command import ended
from hostile.problems import hostile_problem, problem
from hostile.written import HARMLESS, other_columns, other_rows
from softtruth.cli import ERROR, PASS

if TYPE_CHECKING:
    from pathlib import Path

    from hostile.problems import Valid


def report_of(folder: Path, valid: Valid, kind: str) -> Any:
    """Return the report in JSON without what names the files; the error, where there is one."""
    suffix, write = HARMLESS[kind]
    names = [f"{stem}.{suffix}".rstrip(".") for stem in ("p", "r")]
    for name, rows in zip(names, valid, strict=True):
        (folder / name).write_bytes(write(rows))
    sides = ["--prediction", f"model={folder / names[0]}", "--reference", str(folder / names[1])]
    found = ended("report", *sides, "--json", "-", "-q")
    assert found.code in {PASS, ERROR}, found.err
    out, err = found.out, found.err
    for name, stem in zip(names, ("p", "r"), strict=True):
        (folder / name).unlink()
        out, err = out.replace(name, stem), err.replace(name, stem)
    if found.code == ERROR:
        return err
    report = json.loads(out)
    del report["provenance"]["inputs"]
    return report


def same(one: Any, other: Any, where: str = "") -> list[str]:
    """Return where two reports differ; numbers may differ by what another order of sums makes."""
    if isinstance(one, float) and isinstance(other, float):
        return [] if one == pytest.approx(other, rel=1e-9, abs=1e-12) else [f"{where}: {one} and {other}"]
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return [line for key in one for line in same(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [line for i, pair in enumerate(zip(one, other, strict=True)) for line in same(*pair, f"{where}[{i}]")]
    return [] if one == other else [f"{where}: {one!r} and {other!r}"[:300]]


@pytest.mark.parametrize("chunk", seeds(few=12, slow=800, chunks=10))
def test_harmless_differences_change_nothing(tmp_path: Path, chunk: range) -> None:
    wrong = []
    for seed in chunk:
        rng = Random(seed)  # noqa: S311  # no secret
        valid = problem(rng)
        wanted = report_of(tmp_path, valid, "csv")
        assert isinstance(wanted, dict), wanted
        for kind in HARMLESS:
            wrong += [(seed, kind, line) for line in same(wanted, report_of(tmp_path, valid, kind))]
        turned = valid._replace(
            prediction=other_rows(rng, valid.prediction), reference=other_rows(rng, valid.reference)
        )
        found = report_of(tmp_path, turned, rng.choice(list(HARMLESS)))
        wrong += [(seed, "rows", line) for line in same(wanted["rows"], found["rows"])]
        moved = valid._replace(prediction=other_columns(valid.prediction), reference=other_columns(valid.reference))
        found = report_of(tmp_path, moved, "csv")
        wrong += [(seed, "columns", line) for line in same(wanted["rows"], found["rows"])]
    assert not wrong


@pytest.mark.parametrize("chunk", seeds(few=20, slow=2000, chunks=10))
def test_hostile_names_mean_the_same_in_every_format(tmp_path: Path, chunk: range) -> None:
    wrong = []
    for seed in chunk:
        rng = Random(seed)  # noqa: S311  # no secret
        valid = hostile_problem(rng)
        found = {
            kind: report_of(tmp_path, valid, kind) for kind in ("all quoted", "json lines", "parquet", "numpy archive")
        }
        reports = {kind: report for kind, report in found.items() if isinstance(report, dict)}
        first = next(iter(reports.values()), None)
        wrong += [(seed, list(reports), kind, line) for kind, r in reports.items() for line in same(first, r)]
    assert not wrong


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_a_decimal_comma_is_a_point(tmp_path: Path, sign: str) -> None:
    reference = tmp_path / "r.csv"
    reference.write_text("item,label\n1,a\n2,b\n3,a\n4,b\n")
    rows = ["item;p_a;p_b", "1;0,7;0,3", "2;0,25;0,75", "3;1;0", "4;1e-3;0,999"]
    values = []
    for comma in (",", "."):
        path = tmp_path / "p.csv"
        path.write_text("\n".join(rows).replace(";", sign).replace(",", comma) + "\n")
        found = ended("report", "--prediction", str(path), "--reference", str(reference), "--json", "-", "-q")
        assert found.code == PASS, found.err
        values.append(json.loads(found.out)["rows"])
    assert values[0] == values[1]
