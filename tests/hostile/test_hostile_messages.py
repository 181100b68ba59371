"""What is said about hostile files: where, what was found, what was expected, and what to do.

The sentences are stored in tests/stored/hostile_files.txt. After a change on purpose, store them anew and read what
changed: STORE=1 python -m pytest tests/hostile/test_hostile_messages.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hostile.command import ended
from softtruth.cli import ERROR, PASS
from stored import assert_stored

REFERENCE = "item,label\n1,a\n2,b\n3,a\n"
ROWS = "item;p_a;p_b\n1;0,7;0,3\n2;0,25;0,75\n3;1;0\n"
FILES: dict[str, bytes | str] = {
    "utf-16.csv": "item,prediction\n1,a\n".encode("utf-16"),
    "utf-16-without-mark.csv": "item,prediction\n1,a\n".encode("utf-16-le"),
    "utf-32.csv": "item,prediction\n1,a\n".encode("utf-32"),
    "utf-16.jsonl": '{"item": 1}\n'.encode("utf-16"),
    "zero-byte.csv": "item,prediction\n1,a\n2,b\0\n",
    "comma-and-point.csv": "item;p_a;p_b;w\n1;0,7;0,3;1.5\n2;0,25;0,75;1\n3;1;0;2\n",
    "thousands.csv": "item;n_a;n_b\n1;1,700;1,300\n2;0;1\n3;1;0\n",
    "no-header.csv": "1,a,0.25\n2,b,0.5\n3,a,0.75\n",
    "header-twice.csv": "item,prediction\n1,a\nitem,prediction\n2,b\n3,a\n",
    "name-twice.csv": "item,prediction,prediction\n1,a,b\n",
    "key-twice.jsonl": '{"item": 1, "prediction": "a"}\n{"item": 2, "item": 3, "prediction": "a"}\n',
    "key-twice.json": '[{"item": 1, "prediction": "a", "prediction": "b"}]',
    "mixed-types.jsonl": '{"item": 1, "prediction": "a"}\n{"item": "2", "prediction": "b"}\n',
    "half-a-character.jsonl": '{"item": "1", "prediction": "\\ud800"}\n',
    "no-records.json": '[{"item": 1, "prediction": "a"}, 3]',
    "empty-list.json": "[]",
    "answer.jsonl": '{"_input_hash": 1, "accept": ["a"], "answer": "maybe", "options": [{"id": "a"}]}\n',
    "results.json": '[{"id": 1, "data": {}, "annotations": [{"result": "none"}]}]',
}


def test_what_is_said_of_hostile_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text(REFERENCE)
    said = []
    for name, content in FILES.items():
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        found = ended("report", "--prediction", name, "--reference", "r.csv", "-q")
        if name in {"answer.jsonl", "results.json"}:
            found = ended("convert", name, "-q")
        assert (found.code, found.out) == (ERROR, ""), name
        assert len(found.err.splitlines()) == 1, name
        said.append(found.err)
    assert_stored(Path(__file__).parent.parent / "stored" / "hostile_files.txt", "".join(said))


def test_a_decimal_comma_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text(REFERENCE)
    Path("p.csv").write_text(ROWS)
    found = ended("report", "--prediction", "p.csv", "--reference", "r.csv", "--json", "-", "-q")
    assert found.code == PASS
    assert "p.csv: numbers are written with a decimal comma." in found.out


@pytest.mark.slow
def test_a_hundred_thousand_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    k = 100_000
    Path("r.csv").write_text("item,label\n" + "".join(f"i{i},c{i % k}\n" for i in range(2 * k)))
    Path("p.csv").write_text("item,prediction\n" + "".join(f"i{i},c{i * 7 % k}\n" for i in range(2 * k)))
    sides = ("--prediction", "p.csv", "--reference", "r.csv")
    found = ended("report", *sides, "--out", "o.html", "-q")
    assert (found.code, found.err) == (PASS, "")
    assert len(found.out.splitlines()) < 100
    assert "more" in found.out
