"""Files of settings, made by a grammar and by damage: what the same flags give, or one sentence about the file."""

from __future__ import annotations

import tomllib
from random import Random
from typing import TYPE_CHECKING

import pytest

from hostile.cases import seeds
from hostile.command import ended, faults
from hostile.settings import LINES, as_words, hostile_settings
from softtruth.cli import USAGE

if TYPE_CHECKING:
    from pathlib import Path

PREDICTION = "item,prediction\na,cat\nb,dog\nc,dog\nd,cat\n"
OTHER = "item,prediction\na,cat\nb,dog\nc,cat\nd,cat\n"
REFERENCE = "item,label\na,cat\nb,dog\nc,cat\nd,cat\n"


@pytest.mark.parametrize("chunk", seeds(few=60, slow=4_000, chunks=4))
def test_generated_settings_are_obeyed_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: range
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("p", PREDICTION), ("q", OTHER), ("r", REFERENCE)):
        (tmp_path / f"{name}.csv").write_text(text)
    path = tmp_path / "softtruth.toml"
    wrong = []
    for seed in chunk:
        name, content = hostile_settings(Random(seed))  # noqa: S311  # no secret
        path.write_bytes(content)
        before = {one.name for one in tmp_path.iterdir()}
        line = (*name.split("."), *LINES[name], "-q")
        found = ended(*line)
        bad = faults(found, tmp_path, before)
        path.unlink()
        if found.code != USAGE and not bad:
            table = tomllib.loads(content.decode("utf-8-sig"))
            for word in name.split("."):
                table = table.get(word, {})
            flags = as_words(name, table)
            if ended(*line, *flags) != found:
                bad = [f"{flags} give something else"]
        wrong += [(seed, name, sentence, found.err) for sentence in bad]
    assert not wrong
