"""Statistics as data: what is written reads back the same, and anything else is refused."""

import json
import struct
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.conftest import Data, assert_same
from softtruth import Cells, InputError, Means, Moments, Table
from softtruth.engines.counting import evidence_of, placed
from softtruth.engines.door import count_stream
from softtruth.engines.told import report_from
from softtruth.statistics.serialise import from_arrow, from_bytes, from_json, to_arrow, to_bytes, to_json

WAYS = [(to_bytes, from_bytes), (to_json, from_json), (to_arrow, from_arrow)]


def evidence(kind=("multiclass", "distribution", "probabilities"), **more):
    data = Data(*kind, **more)
    return evidence_of(data.plan, placed(data.table.to_batches(), "the test"))


@pytest.mark.parametrize(("write", "read"), WAYS, ids=["bytes", "json", "arrow"])
@pytest.mark.parametrize("more", [{}, {"weight": True}, {"cluster": True}], ids=str)
def test_evidence_reads_back(kind, more, write, read):
    found = evidence(kind, **more)
    back = read(write(found))
    assert (back.settings, back.rows, back.left_out) == (found.settings, found.rows, found.left_out)
    assert to_bytes(back) == to_bytes(found)
    assert_same(report_from(back), report_from(found), 0)
    settled = found.settled()
    assert to_bytes(read(write(settled))) == to_bytes(settled)


@pytest.mark.parametrize(("write", "read"), WAYS, ids=["bytes", "json", "arrow"])
def test_single_statistics_read_back(write, read):
    cells = np.random.default_rng(0).random((4, 5, 3))
    for one in (
        Table.of([[3, 1], [0, 2]]),
        Cells.of(1, 2, 3, 4),
        Moments.of(cells),
        Means.of(np.array([0.5, np.nan, np.inf])),
        Means(),
    ):
        back = read(write(one))
        assert type(back) is type(one)
        assert to_bytes(back) == to_bytes(one)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("task", "ranking", "its task is 'ranking', expected one of binary, multiclass, multilabel, ordinal"),
        ("where", "a=b", "its where is 'a=b', expected a list of texts"),
        ("map", [1], r"its map is \[1\], expected a list of texts"),
        ("normalize", 1, "its normalize is 1, expected true or false"),
        ("replicates", "a", "its replicates is 'a', expected whole numbers draws and seed, or null"),
        ("replicates", {"draws": 5}, "expected whole numbers draws and seed, or null"),
        ("replicates", {"draws": 6, "seed": 0}, "it holds 5 replicates, expected 6"),
        ("replicates", None, "it holds 5 replicates, expected none"),
    ],
)
def test_settings_of_another_kind_are_refused(name, value, sentence):
    rows = {"item": ["a", "b", "c"], "label": ["x", "y", "y"], "p_x": [0.5, 0.25, 1.0], "p_y": [0.5, 0.75, 0.0]}
    asked = {"label": "label", "labels": ["x", "y"], "item": "item", "cluster": "item"}
    found = count_stream(iter([pa.record_batch(rows)]), **asked, interval="percentile", draws=5)
    assert from_bytes(to_bytes(found)).settings == found.settings
    wrong = replace(found, settings={**found.settings, name: value})
    for write, read in WAYS:
        with pytest.raises(InputError, match=sentence):
            read(write(wrong))


def test_every_changed_byte_is_noticed():
    whole = to_bytes(Table.of([[8, 2], [1, 9]]))
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 0x40
        with pytest.raises(InputError):
            from_bytes(bytes(changed))
    for size in range(len(whole)):
        with pytest.raises(InputError):
            from_bytes(whole[:size])


@given(st.binary(max_size=300))
def test_noise_is_refused(noise):
    for data in (noise, b"softtruth\x00" + noise):
        with pytest.raises(InputError):
            from_bytes(data)


def forged(header, payload=b""):
    """Return well-formed bytes around any header."""
    import hashlib

    text = json.dumps(header).encode()
    whole = b"softtruth\x00" + struct.pack(">HI", 1, len(text)) + text + payload
    return whole + hashlib.sha256(whole).digest()


TABLE = {"kind": "table", "task": "multiclass", "coupling": "hardened", "masses": {"array": 0}, "counts": True}


@pytest.mark.parametrize(
    ("header", "payload"),
    [
        ({"tree": TABLE, "shapes": [[2**39, 2**39]]}, b""),  # would need 2^81 bytes: refused before any is asked for
        ({"tree": TABLE, "shapes": [[-1, -8]]}, b"\x00" * 64),
        ({"tree": TABLE, "shapes": [[2, 2, 1, 1, 1]]}, b"\x00" * 32),
        ({"tree": TABLE, "shapes": [[True]]}, b"\x00" * 8),
        ({"tree": {**TABLE, "masses": {"array": 7}}, "shapes": [[1, 1]]}, b"\x00" * 8),
        ({"tree": {**TABLE, "masses": {"array": -1}}, "shapes": [[1, 1]]}, b"\x00" * 8),
        ({"tree": {**TABLE, "kind": "__init__"}, "shapes": [[1, 1]]}, b"\x00" * 8),
        ({"tree": {**TABLE, "kind": ["table"]}, "shapes": [[1, 1]]}, b"\x00" * 8),
        ({"tree": {**TABLE, "task": "gender"}, "shapes": [[1, 1]]}, b"\x00" * 8),
        ({"tree": TABLE, "shapes": [[1, 1]]}, struct.pack("<d", float("nan"))),
        ({"tree": TABLE, "shapes": [[1, 1]]}, struct.pack("<d", -1.0)),
        ({"tree": TABLE, "shapes": [[1, 1]]}, struct.pack("<d", 0.5)),
        ({"tree": {"kind": "table"}, "shapes": []}, b""),
        ({"tree": None, "shapes": []}, b""),
        ({"tree": {"kind": "moments", "count": 10**400, "first": {"array": 0}}, "shapes": [[4]]}, b"\x00" * 32),
        ({"tree": [], "shapes": {}}, b""),
        ([], b""),
    ],
)
def test_hostile_bytes_are_refused(header, payload):
    with pytest.raises(InputError):
        from_bytes(forged(header, payload))


def test_deep_nesting_and_other_json_are_refused():
    version = '{"softtruth_statistic": 1'
    for text in ("[" * 100_000, "{}", "null", f"{version}}}", f'{version}, "arrays": [1]}}'):
        with pytest.raises(InputError):
            from_json(text)


def test_another_version_is_named():
    whole = bytearray(to_bytes(Table.of([[1]])))
    whole[11] = 9
    with pytest.raises(InputError, match="format version 9, expected 1"):
        from_bytes(bytes(whole))


def test_a_table_that_another_program_wrote_adds():
    text = json.dumps(
        {
            "softtruth_statistic": 1,
            "tree": TABLE,
            "arrays": [{"shape": [2, 2], "data": [8, 2, 1, 9]}],
        }
    )
    assert ((from_json(text) + Table.of([[1, 0], [0, 1]])).masses == [[9, 2], [1, 10]]).all()


def test_clusters_add_across_parts_and_split_by_name():
    whole = evidence(cluster=True)
    pieces = whole.split(5)
    sums = [piece.sums["model", "soft"].clusters for piece in pieces]
    assert sum(one.ids.size for one in sums) == 40
    assert not set.intersection(*(set(one.ids.tolist()) for one in sums))
    again = sum((piece.settled() for piece in pieces[1:]), pieces[0].settled())
    assert_same(report_from(again), report_from(whole), 1e-11)
