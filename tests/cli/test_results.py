"""What becomes of a report: pages, Markdown, JSON and gates as test cases, each where it was asked for."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
import rich_click as click

from softtruth.cli import run
from softtruth.cli.gates import asked_as
from softtruth.cli.group import cli

VOTES = "item,annotator,label\na,A,x\na,B,y\nb,A,y\nb,B,y\nc,A,x\nc,B,x\n"
PRED = "item,p_x,p_y\na,0.5,0.5\nb,0.25,0.75\nc,1,0\n"
BOTH = ["report", "--prediction", "pred.csv", "--reference", "votes.csv", "-q"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "pred.csv").write_text(PRED)
    return tmp_path


def test_the_ending_says_what_is_written(files, capsys):
    assert run([*BOTH, "--out", "r.html", "--out", "r.md", "--out", "plain"]) == 0
    assert (files / "r.html").read_text().startswith("<!doctype html>")
    assert (files / "plain").read_text() == (files / "r.html").read_text()
    assert (
        (files / "r.md").read_text().startswith("# Evaluation of pred\n\nbinary, 3 items, y against x, 1 prediction\n")
    )
    assert capsys.readouterr().out.startswith("Evaluation of pred\n")
    assert run([*BOTH, "--out", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--out", "r.json"], "--out r.json has an ending of another form; that is for --json."),
        (["--out", "r.XML"], "--out r.XML has an ending of another form; that is for --junit."),
        (["--out", "r.pdf"], "--out r.pdf has an ending of another form; expected .html or .md."),
        (["--out", "-", "--json", "-"], "Only one result can go to stdout."),
        (["--out", "r.md", "--out", "./r.md"], "Two results would be written to one file"),
        (["--json", "pred.csv"], "--json pred.csv is a file that is read; choose another name."),
        (["--junit", "j.xml"], "--junit writes the gates, and there is none; give --fail-under or --fail-over."),
        (["--fail-under", "f1=0", "--junit", "votes.csv"], "--junit votes.csv is a file that is read"),
        (["--n-reference", "9"], "--n-reference says on how many items --reference-accuracy was found; give both."),
    ],
)
def test_results_that_cannot_be_meant_are_refused(files, more, sentence, capsys):
    assert run([*BOTH, *more]) == 2
    assert sentence in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert sorted(path.name for path in files.iterdir()) == ["pred.csv", "votes.csv"]


def test_gates_are_test_cases(files, capsys):
    gates = ["--fail-under", "f1=0.9", "--fail-under", "soft:accuracy=0.5", "--fail-over", "pred:error_rate=0.1"]
    assert run([*BOTH, *gates, "--junit", "gates.xml"]) == 3
    said = capsys.readouterr().err.splitlines()
    root = ET.parse(files / "gates.xml").getroot()  # noqa: S314  our own file
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert list(cases) == ["f1 >= 0.9", "accuracy >= 0.5", "error_rate <= 0.1"]
    assert [case.get("classname") for case in cases.values()] == ["pred (majority)", "pred (soft)", "pred (majority)"]
    failures = [case.find("failure") for case in cases.values()]
    assert [f.text for f in failures if f is not None] == said
    assert failures[1] is None
    assert cases["accuracy >= 0.5"].findtext("system-out").startswith("0.750 [")
    assert "coupling=independent" in cases["accuracy >= 0.5"].findtext("system-out")
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    assert run([*BOTH, "--fail-under", "accuracy=0.1", "--fail-on", "low", "--junit", "gates.xml"]) == 0
    assert 'name="low end of accuracy &gt;= 0.1"' in (files / "gates.xml").read_text()


def commands(group=cli, words=()):
    context = click.Context(group)
    yield words
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        yield from commands(below, (*words, name)) if isinstance(below, click.Group) else [(*words, name)]


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_help_fits_80_columns_and_is_without_escapes(words, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    assert run([*words, "--help"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert out.count("--help") == 1


def test_the_options_of_a_report_stand_in_groups(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["report", "--help"]) == 0
    titles = [line.strip("╭╮─ ") for line in capsys.readouterr().out.splitlines() if line.startswith("╭")]
    assert titles == [
        "Files", "Results", "Measures and intervals", "Gates", "Columns", "Rows and classes", "Another prior",
        "Wrong labels", "Large files", "Options",
    ]  # fmt: skip


def test_colours_are_for_those_who_look_and_have_not_said_no(files, monkeypatch, capsys):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    assert run(BOTH) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain  # nobody looks at a pipe
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(BOTH) == 0
    coloured = capsys.readouterr().out
    assert "\x1b[1m" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(BOTH) == 0
    assert capsys.readouterr().out == plain
    for words in (["report", "--help"], ["report"]):
        run(words)
        assert "\x1b[3" not in "".join(capsys.readouterr())


def test_how_often_labels_are_right_gives_the_true_accuracy(files, capsys):
    assert run([*BOTH, "--reference-accuracy", "0.9", "--n-reference", "50", "--json", "-"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["sections"]["true_accuracy"]
    assert entry["reference_accuracy"] == 0.9
    assert entry["view"] == "majority"


@pytest.mark.parametrize(
    ("name", "answered"),
    [
        *(("sensitivity", "micro recall"), ("ppv", "micro precision"), ("dice", "micro f1"), ("iou", "micro jaccard")),
        *(("F1", "micro f1"), ("ACCURACY", "accuracy"), ("fbeta 0.5", "micro f0.5"), ("Micro  F1", "micro f1")),
        *(("f0.5", "micro f0.5"), ("macro dice", "macro f1"), ("majority:Weighted TPR", "weighted recall")),
    ],
)
@pytest.mark.parametrize("command", ["report", "compare"])
def test_a_gate_takes_every_name_of_a_measure(files, command, name, answered, capsys):
    (files / "other.csv").write_text("item,p_x,p_y\na,0.4,0.6\nb,0.5,0.5\nc,0,1\n")
    words = [command, *BOTH[1:], "--fail-under", f"{name}=-1"]
    assert run([*words, *(["--prediction", "other.csv"] if command == "compare" else []), "--junit", "g.xml"]) == 0
    assert ET.parse(files / "g.xml").getroot().get("failures") == "0"  # noqa: S314  our own file
    assert asked_as(name.rpartition(":")[2], [answered, "macro zzz"]) == answered


def test_a_gate_of_several_averages_is_told_by_any_name(files, capsys):
    (files / "three.csv").write_text("item,label\na,x\nb,y\nc,z\n")
    words = ["report", "--prediction", "p=three.csv", "--reference", "three.csv", "-q"]
    assert run([*words, "--fail-under", "dice=0"]) == 1
    assert "The gate 'dice' can mean 'micro f1', 'macro f1'" in capsys.readouterr().err
    assert run([*words, "--fail-under", "zzz=0"]) == 1
    assert "measure 'zzz' is not known." in capsys.readouterr().err
