"""Statistic files with hostile bytes: the same statistic comes back, or one sentence, and little memory is taken."""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from hostile.cases import seeds
from hostile.command import ended, faults, numbers_out_of_range
from hostile.mutations import mutated, mutated_tree
from softtruth import IndicatorMatrix, Table
from softtruth.cli import PASS
from softtruth.engines.door import count_stream
from softtruth.errors import InputError
from softtruth.statistics.evidence import Evidence
from softtruth.statistics.means import Means
from softtruth.statistics.serialise import (
    _HEAD,
    MAGIC,
    from_arrow,
    from_bytes,
    from_json,
    to_arrow,
    to_bytes,
    to_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

START = len(MAGIC) + _HEAD.size


def evidence(**more: Any) -> Evidence:
    """Return what a stream keeps of a few rows."""
    rows = {
        "item": [f"i{i}" for i in range(12)],
        "label": ["cat", "dog", "dog"] * 4,
        "p_cat": [0.25, 0.5, 0.75] * 4,
        "p_dog": [0.75, 0.5, 0.25] * 4,
        "group": ["x", "y"] * 6,
    }
    return count_stream(iter([pa.record_batch(rows)]), label="label", labels=["cat", "dog"], item="item", **more)


VALID: tuple[Any, ...] = (
    Table.of([[8, 2], [1, 9]]),
    Table.of([[8, 2], [1, 9]]).cells,
    IndicatorMatrix([0, 1, 2, 2], [[0.5, 0.25, 0.25]] * 4, coupling="independent").statistic.table,
    Means.of(np.array([0.5, np.nan, 1.0])),
    evidence(),
    evidence(cluster="group"),
    evidence(coupling="most"),
    evidence(interval="percentile", draws=5, cluster="group"),
)


def resealed(content: bytes) -> bytes:
    """Return bytes with the checksum that fits them."""
    return content[:-32] + hashlib.sha256(content[:-32]).digest()


def hostile_bytes(rng: Random, statistic: Any) -> bytes:
    """Return a file in which bytes were changed, or whose tree was changed and written anew."""
    content = to_bytes(statistic)
    if rng.random() < 0.5:
        changed = mutated(rng, content)
        return resealed(changed) if rng.random() < 0.7 else changed
    (size,) = (int.from_bytes(content[START - 4 : START], "big"),)
    header = json.loads(content[START : START + size])
    header = mutated_tree(rng, header, rng.choice([0.02, 0.1]))
    written = json.dumps(header).encode()
    return resealed(content[: START - 4] + len(written).to_bytes(4, "big") + written + content[START + size :])


def hostile_json(rng: Random, statistic: Any) -> str:
    """Return JSON in which values were changed."""
    text = to_json(statistic)
    if rng.random() < 0.4:
        return mutated(rng, text.encode()).decode("utf-8", "replace")
    return json.dumps(mutated_tree(rng, json.loads(text), rng.choice([0.01, 0.05])))


def hostile_table(rng: Random, statistic: Any) -> Any:
    """Return an Arrow table in which values were changed."""
    table = to_arrow(statistic)
    rows = mutated_tree(rng, table.to_pylist(), 0.03)
    kept = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    if rng.random() < 0.7:
        kept["tree"] = json.dumps(mutated_tree(rng, json.loads(kept["tree"]), 0.03))
    try:
        return pa.Table.from_pylist(rows, schema=table.schema).replace_schema_metadata(kept)
    except (pa.ArrowException, AttributeError, TypeError, OverflowError, ValueError):
        return table.replace_schema_metadata(kept)


FORMS: dict[str, tuple[Callable[[Random, Any], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bytes": (hostile_bytes, from_bytes, to_bytes),
    "json": (hostile_json, from_json, to_json),
    "arrow": (hostile_table, from_arrow, to_arrow),
}


@pytest.mark.parametrize("statistic", VALID, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("form", FORMS)
def test_they_come_back_before_they_are_broken(form: str, statistic: Any) -> None:
    _, back, there = FORMS[form]
    assert to_bytes(back(there(statistic))) == to_bytes(statistic)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chunk", seeds(few=200, slow=12_000, chunks=4))
def test_hostile_statistics_are_read_or_refused(form: str, chunk: range) -> None:
    make, back, there = FORMS[form]
    wrong = []
    for seed in chunk:
        rng = Random(seed)  # noqa: S311  # no secret
        content = make(rng, rng.choice(VALID))
        try:
            found = back(content)
            assert to_bytes(back(there(found))) == to_bytes(found)
        except InputError as error:
            if "\n" in str(error) or len(str(error)) > 400:
                wrong.append((seed, str(error)))
        except Exception as error:  # noqa: BLE001  # all of them are findings, to be seen together
            wrong.append((seed, repr(error)))
    assert not wrong


@pytest.mark.parametrize("chunk", seeds(few=60, slow=4_000, chunks=4))
def test_merging_hostile_evidence_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: range) -> None:
    monkeypatch.chdir(tmp_path)
    whole = [one for one in VALID if isinstance(one, Evidence)]
    wrong = []
    for seed in chunk:
        rng = Random(seed)  # noqa: S311  # no secret
        (tmp_path / "a.st").write_bytes(hostile_bytes(rng, rng.choice(whole)))
        found = ended("merge", "a.st", "--json", "-", "-q")
        bad = faults(found, tmp_path, {"a.st"})
        if not bad and found.code == PASS:
            bad = numbers_out_of_range(found.out)
        wrong += [(seed, sentence, found.err) for sentence in bad]
    assert not wrong


def test_a_size_is_checked_before_memory_is_set_aside() -> None:
    content = to_bytes(Table.of([[8, 2], [1, 9]]))
    size = int.from_bytes(content[START - 4 : START], "big")
    header = json.loads(content[START : START + size])
    for shape in ([2**30, 2**30], [2**39], [2**39, 0], [-1, -4], [2.0, 2], [[2], 2], [True, 4], [2] * 9):
        written = json.dumps({**header, "shapes": [shape]}).encode()
        changed = content[: START - 4] + len(written).to_bytes(4, "big") + written + content[START + size :]
        with pytest.raises(InputError, match=r"arrays of the statistic|the shape|damaged"):
            from_bytes(resealed(changed))
