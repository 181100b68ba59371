"""Exports of annotation tools with values replaced, dropped and put into others: votes, or one sentence."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from hostile.cases import seeds
from hostile.command import ended, faults
from hostile.exports import TOOLS, as_lines, as_list, as_zip, doccano
from hostile.mutations import mutated, mutated_tree
from softtruth.cli import PASS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.__name__)
@pytest.mark.parametrize("written", [as_list, as_lines], ids=["list", "lines"])
def test_they_are_valid_before_they_are_broken(tmp_path: Path, tool, written) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(written(tool(Random(1))))  # noqa: S311  # no secret
    found = ended("convert", str(path), "-q")
    assert found.code == PASS, found.err
    assert "share_good" in found.out


def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "inner" / "export.zip"
    path.parent.mkdir()
    path.write_bytes(as_zip(doccano(Random(1))))  # noqa: S311  # no secret
    found = ended("convert", str(path), "-q", "--duplicates", "keep")
    assert found.code == PASS, found.err
    assert [p.name for p in tmp_path.rglob("*")] == ["inner", "export.zip"]


@pytest.mark.parametrize("chunk", seeds(few=300, slow=15_000, chunks=10))
def test_broken_exports_are_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: range) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = []
    for seed in chunk:
        rng = Random(seed)  # noqa: S311  # no secret
        tree = mutated_tree(rng, rng.choice(TOOLS)(rng), rng.choice([0.01, 0.03, 0.1]))
        suffix, write = rng.choice([("json", as_list), ("jsonl", as_lines), ("zip", as_zip)])
        content = write(tree)
        (tmp_path / f"e.{suffix}").write_bytes(mutated(rng, content) if rng.random() < 0.2 else content)
        more = rng.choice([(), (), ("--duplicates", "keep"), ("--task", "multilabel"), ("--item", "key")])
        words = (rng.choice(["convert", "convert", "inspect"]), f"e.{suffix}", *more, "-q")
        found = ended(*words)
        wrong += [(seed, *words, sentence, found.err) for sentence in faults(found, tmp_path, {f"e.{suffix}"})]
        (tmp_path / f"e.{suffix}").unlink()
    assert not wrong
