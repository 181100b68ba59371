"""The command on hostile files: a right answer or a one-line error, and nothing else left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hostile.cases import command_case, seeds
from hostile.command import ended, faults, numbers_out_of_range
from softtruth.cli import GATE, PASS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("chunk", seeds(few=150, slow=30_000, chunks=20))
def test_generated_commands_end_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: range) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = []
    for seed in chunk:
        for path in tmp_path.iterdir():
            path.unlink()
        case = command_case(seed, tmp_path)
        before = {path.name for path in tmp_path.iterdir()}
        found = ended(*case.words)
        bad = faults(found, tmp_path, before, case.writes)
        if not bad and found.code in {PASS, GATE} and case.words[0] == "report" and "--json" in case.words:
            bad = numbers_out_of_range((tmp_path / "o.json").read_text() if case.writes else found.out)
        wrong += [(seed, *case.words, sentence, found.err) for sentence in bad]
    assert not wrong
