"""`softtruth report --engine` and `softtruth merge`."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from softtruth.cli import ERROR, run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i in range(2):
        table = pa.table({"label": ["cat", "dog", "owl", "owl"][i:], "prediction": ["cat", "owl", "owl", "dog"][i:]})
        parquet.write_table(table, f"part-{i}.parquet")
    return tmp_path


def report(*words):
    return run(["report", *words, "--labels", "cat,dog,owl", "--task", "multiclass", "--measure", "accuracy"])


def value(capsys):
    return json.loads(capsys.readouterr().out)["rows"][0]["value"]


def test_the_stream_says_what_the_files_say(folder, capsys):
    assert report("part-*.parquet", "--engine", "stream", "--json", "-") == 0
    streamed = value(capsys)
    assert report("part-*.parquet", "--json", "-", "-q") == 0
    assert streamed == value(capsys) == pytest.approx(3 / 7)


def test_sums_of_two_machines_add(folder, capsys):
    for i in range(2):
        assert report(f"part-{i}.parquet", "--engine", "stream", "--statistic", f"{i}.st") == 0
    capsys.readouterr()
    assert run(["merge", "0.st", "1.st", "--json", "-", "--statistic", "all.st", "--parquet", "rows.parquet"]) == 0
    assert value(capsys) == pytest.approx(3 / 7)
    assert parquet.read_table("rows.parquet").column_names[:3] == ["prediction", "view", "measure"]
    assert run(["merge", "all.st", "--measure", "macro f1"]) == 0
    assert "macro f1" in capsys.readouterr().out


def test_what_does_not_add_is_said(folder, capsys):
    assert report("part-0.parquet", "--statistic", "0.st") == 0
    assert run(["merge", "0.st", "0.st"]) == ERROR
    assert "hold the same evidence; name it once" in capsys.readouterr().err
    words = ["report", "part-1.parquet", "--labels", "owl,dog,cat", "--task", "multiclass", "--statistic", "1.st"]
    assert run(words) == 0
    assert run(["merge", "0.st", "1.st"]) == ERROR
    said = capsys.readouterr().err
    assert "evidence with labels ['cat', 'dog', 'owl'] and ['owl', 'dog', 'cat'] does not add" in said
    (folder / "2.st").write_bytes(b"no statistic")
    assert run(["merge", "2.st"]) == ERROR
    assert "2.st: these bytes are no statistic" in capsys.readouterr().err


def test_options_that_need_the_whole_file_are_refused(folder, capsys):
    assert report("part-*.parquet", "--engine", "stream", "--duplicates", "first") == ERROR
    assert "--duplicates compares each row with all others, which a stream does not have" in capsys.readouterr().err


def test_filters_renamings_and_priors_go_by_too(folder, capsys):
    asked = ["--where", "prediction!=dog", "--map", "prediction:owl=dog", "--prior", "cat=0.2,dog=0.5,owl=0.3"]
    for engine in ("stream", "memory"):
        words = [
            "--engine",
            engine,
            "--label",
            "label",
            "--prediction-column",
            "prediction",
            "--json",
            f"{engine}.json",
        ]
        assert report("part-*.parquet", *words, *asked, "-q") == 0
    ours, theirs = (json.loads((folder / f"{engine}.json").read_text()) for engine in ("stream", "memory"))
    assert [row["view"] for row in ours["rows"]] == ["reference", "at_prior"]
    assert [row["value"] for row in ours["rows"]] == pytest.approx([row["value"] for row in theirs["rows"]])


@pytest.mark.backend
def test_two_files_of_predictions_and_facts_about_items(folder, capsys):
    item = [f"i{i}" for i in range(6)]
    truth = ["cat", "dog", "owl", "owl", "cat", "dog"]
    parquet.write_table(pa.table({"item": item, "label": truth}), "truth.parquet")
    for name, turn in (("one", 1), ("two", 2)):
        parquet.write_table(pa.table({"item": item, "prediction": truth[turn:] + truth[:turn]}), f"{name}.parquet")
    parquet.write_table(pa.table({"id": item, "many": [1, 2, 3, 4, 5, 6], "site": list("aabbcc")}), "facts.parquet")
    words = ["--prediction", "one.parquet", "--prediction", "other=two.parquet", "--reference", "truth.parquet"]
    words += ["--items", "facts.parquet", "--item", "items:id", "--weight", "many", "--cluster", "site"]
    for engine in ("stream", "memory"):
        assert report(*words, "--engine", engine, "--json", f"{engine}.json", "-q") == 0
    ours, theirs = (json.loads((folder / f"{engine}.json").read_text())["rows"] for engine in ("stream", "memory"))
    assert [row["prediction"] for row in ours] == [row["prediction"] for row in theirs] == ["one", "other"]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine["value"] == pytest.approx(other["value"])
        assert mine["low"] == pytest.approx(other["low"], nan_ok=True)


def test_sums_are_written_by_streams_alone(folder, capsys):
    for flag in ("--statistic", "--checkpoint"):
        assert report("part-*.parquet", "--engine", "memory", flag, "sums") != 0
        assert f"{flag} is for sums of streams; leave --engine memory out, or {flag}." in capsys.readouterr().err
        assert report("part-*.parquet", "--duplicates", "first", flag, "sums") == ERROR
        assert f"leave it out, or leave out {flag}." in capsys.readouterr().err
    assert not (folder / "sums").exists()


def test_gates_hold_for_streams(folder):
    assert report("part-*.parquet", "--engine", "stream", "--fail-under", "accuracy=0.9") == 3


def test_a_flag_that_streams_take_once_is_not_dropped(folder, capsys):
    assert report("part-*.parquet", "--engine", "stream", "--label", "label", "--label", "other") == ERROR
    assert "Streams take one --label, of the reference; give one, or pass --engine memory." in capsys.readouterr().err
