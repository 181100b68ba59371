"""Flags that say nothing, or would say it to nobody: empty texts, zeros, and flags of other data."""

import re
from itertools import chain

import pytest
import rich_click as click

from softtruth.cli import run
from softtruth.cli.group import cli
from softtruth.cli.options import PATH, TEXT
from softtruth.cli.results import WRITTEN

REFERENCE = "item,label\ni0,a\ni1,b\ni2,b\ni3,b\n"
SCORES = "item,score\ni0,0.1\ni1,0.2\ni2,0.3\ni3,0.4\n"
SIDES = ["--prediction", "p.csv", "--reference", "r.csv", "-q"]
BOTH = ["report", *SIDES]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(REFERENCE)
    (tmp_path / "p.csv").write_text(SCORES)
    (tmp_path / "t.csv").write_text("tp,fp,fn,tn\n10,2,3,20\n")
    return tmp_path


def told(capsys):
    return " ".join(re.sub("[│╭╮╰╯─]", " ", capsys.readouterr().err).split())


def commands(group=cli, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        yield from commands(below, (*words, name)) if isinstance(below, click.Group) else [((*words, name), below)]


COMMANDS = dict(commands())
TEXTS = [
    (words, max(option.opts, key=len))
    for words, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and (option.type in (PATH, TEXT) or option.type is click.STRING)
]


@pytest.mark.parametrize(("words", "flag"), TEXTS, ids=lambda one: " ".join(one) if isinstance(one, tuple) else one)
def test_an_empty_text_is_no_value(words, flag, capsys):
    needed = {("audit", "plan"): ["--size", "2"], ("audit", "apply"): ["--reviewed", "r.csv"]}.get(words, [])
    file = [] if words == ("demo",) else ["r.csv"]
    assert run([*words, *file, *needed, flag, ""]) == 2
    said = told(capsys)
    assert "it is empty; say what is meant, or leave it out." in said
    assert flag in said


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_threshold_of_zero_is_a_threshold(engine, capsys):
    if engine == "stream":
        pytest.importorskip("duckdb")
    assert run([*BOTH, "--labels", "a,b", "--threshold", "0", "--engine", engine, "--measure", "accuracy"]) == 0
    assert re.search(r"accuracy +0\.750", capsys.readouterr().out)


@pytest.mark.parametrize("command", ["report", "shift"])
def test_an_imbalance_of_zero_is_asked_for(command, capsys):
    assert run([command, *SIDES, "--imbalance", "0"]) == 1
    assert "imbalance is 0.0, expected" in told(capsys)
    assert run([command, *SIDES, "--imbalance", "0", "--prior", "0.5"]) == 2
    assert "Give one of --prior, --imbalance and --target." in told(capsys)


@pytest.mark.parametrize(
    "words",
    [
        *(["--ignore", "a"], ["--where", "a=1"], ["--map", "a=z"], ["--weight", "zz"], ["--cluster", "x"]),
        *(["--items", "r.csv"], ["--task", "multilabel"], ["--prior", "0.3"], ["--engine", "stream"]),
        *(["--threshold", "0.5"], ["--ties", "first"], ["--normalize"], ["--statistic", "s.bin"], ["--item", "a"]),
    ],
    ids=lambda words: words[0],
)
def test_a_finished_table_takes_no_flags_of_rows(words, capsys):
    assert run(["report", "--table", "t.csv", *words]) == 2
    assert f"{words[0]} is about rows or items, which the finished --table does not have; leave it out." in told(capsys)


@pytest.mark.parametrize(
    "words",
    [
        *(["--measure", "f1"], ["--suspects", "3"], ["--item", "a"], ["--reference-accuracy", "0.9"]),
        *(["--reference", "r.csv"], ["--annotations", "r.csv"], ["--where", "a=1"]),
    ],
    ids=lambda words: words[0],
)
def test_two_numbers_take_no_flags_of_items(words, capsys):
    assert run(["noise", "0.9", "0.96", *words]) == 2
    assert f"{words[0]} is about items, which two numbers do not have; leave it out." in told(capsys)


@pytest.mark.parametrize("words", [["--classes", "3"], ["--classes", "2"], ["--n", "9"], ["--rho", "0"]], ids=" ".join)
def test_files_take_no_flags_of_numbers(words, capsys):
    assert run(["noise", *SIDES, "--reference-accuracy", "0.9", *words]) == 2
    assert f"{words[0]} goes with two numbers; files say it themselves; leave it out." in told(capsys)


@pytest.mark.parametrize("words", [["--project"], ["--calibrate"], ["--method", "mlls"]], ids=lambda words: words[0])
@pytest.mark.parametrize("command", ["report", "shift"])
def test_how_a_prior_is_estimated_is_said_of_a_target_alone(command, words, capsys):
    assert run([command, *SIDES, "--prior", "0.5", *words]) == 2
    assert f"{words[0]} is about how a prior is estimated from --target, which is not given" in told(capsys)


def test_only_a_table_is_turned(capsys):
    assert run([*BOTH, "--transpose"]) == 2
    assert "--transpose turns a finished --table, and there is none." in told(capsys)


# What each command reads and writes; every option that writes is among them.
WRITES = [
    ["convert", "r.csv", "--out", "r.csv"],
    ["inspect", "p.csv", "r.csv", "--json", "r.csv"],
    ["inspect", "*.csv", "--json", "p.csv"],
    ["inspect", ".", "--json", "p.csv"],
    ["audit", "plan", *SIDES, "--size", "2", "--out", "r.csv"],
    ["audit", "plan", "--prediction", "X=p.csv", "--reference", "r.csv", "--size", "2", "--out", "p.csv"],
    *(["noise", *SIDES, "--annotations", "t.svg", flag, "t.svg"] for flag in ("--json", "--plot")),
    ["noise", *SIDES, "--reference-accuracy", "0.9", "--json", "r.csv"],
    *(["shift", *SIDES, "--target", "a=t.svg", flag, "./t.svg"] for flag in ("--json", "--plot")),
    *([*BOTH, flag, "p.csv"] for flag in ("--json", "--parquet", "--statistic", "--checkpoint")),
    [*BOTH, "--items", "t.csv", "--json", "t.csv"],
    [*BOTH, "--out", "page.html", "--prediction", "page.html"],
    [*BOTH, "--fail-under", "f1=0", "--junit", "r.csv"],
    [*BOTH, "--json", "softtruth.toml"],
    ["--config", "own.toml", *BOTH, "--json", "own.toml"],
    ["report", "--table", "t.csv", "--json", "t.csv"],
    ["compare", *SIDES, "--prediction", "q=p.csv", "--annotations", "t.csv", "--json", "t.csv"],
    ["merge", "a.bin", "--statistic", "a.bin"],
    ["merge", "a.bin", "--json", "a.bin"],
]


@pytest.mark.parametrize("words", WRITES, ids=" ".join)
def test_no_result_replaces_a_file_that_is_read(words, files, capsys):
    for name in ("softtruth.toml", "own.toml"):
        (files / name).write_text("[report]\nquiet = true\n")
    for name in ("a.bin", "page.html", "t.svg"):
        (files / name).write_text("kept")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert run(words) == 2
    assert "is a file that is read; choose another name." in told(capsys)
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_every_option_that_names_a_file_is_read_or_written():
    known = {
        *("files", "file", "given", "prediction", "reference", "items", "table", "target", "annotations", "reviewed"),
        *WRITTEN,
    }
    named = chain.from_iterable(command.params for command in COMMANDS.values())
    assert {option.name for option in named if option.type is PATH} == known


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--map", "a=b", "--map", "a=c"], "--map renames 'a' to 'b' and to 'c'; leave one of them out."),
        (["--map", "a=b", "--map", "reference:a=c"], "--map renames 'a' to 'b' and to 'c'"),
        (["--map", "p:a=b", "--map", "prediction:a=c"], "--map renames 'a' to 'b' and to 'c'"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_one_class_is_given_one_name(engine, words, sentence, capsys):
    if engine == "stream":
        pytest.importorskip("duckdb")
    assert run([*BOTH, "--labels", "a,b", *words, "--engine", engine]) == 1
    assert sentence in told(capsys)


def test_classes_of_two_files_are_renamed_each_in_its_own_way(capsys):
    assert run([*BOTH, "--map", "prediction:1=b", "--map", "reference:b=c", "--map", "b=c"]) == 0


@pytest.mark.parametrize("words", [["report", *SIDES[:-1]], ["convert", "r.csv", "--out", "shares.csv"]], ids=" ".join)
def test_a_renaming_that_meets_no_class_is_said(words, capsys):
    assert run([*words, "--map", "a=z", "--map", "reference:zz=b"]) == 0
    said = told(capsys)
    assert "note: --map reference:zz=b: no class is named 'zz'." in said
    assert "a=z" not in said


@pytest.mark.parametrize("command", ["report", "shift"])
def test_one_class_has_one_frequency(command, capsys):
    assert run([command, *SIDES, "--prior", "b=0.3,b=0.7"]) == 2
    assert "--prior b=0.3,b=0.7 names 'b' more than once; give each class one frequency." in told(capsys)


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--threshold 0.9", "threshold is 0.9, but of two scores in a row the higher one wins"),
        ("--coupling independent", "scores are no probabilities, so that neither a t-norm nor a coupling can use them"),
        ("--tnorm product", "scores are no probabilities, so that neither a t-norm nor a coupling can use them"),
    ],
)
def test_two_scores_in_a_row_take_no_threshold_and_no_coupling(files, capsys, engine, flags, words):
    (files / "p.csv").write_text("item,p_a,p_b\ni0,.2,.7\ni1,.2,.1\ni2,.3,.4\ni3,.4,.2\n")
    asked = [*SIDES, "--engine", engine, "--labels", "a,b"]
    assert run(["report", *asked]) == 0
    capsys.readouterr()
    assert run(["report", *asked, *flags.split()]) == 1
    assert words in told(capsys)


@pytest.mark.parametrize("flags", ["--coupling independent", "--threshold 0.9"])
def test_compared_scores_take_no_threshold_and_no_coupling(files, capsys, flags):
    for name in ("p.csv", "q.csv"):
        (files / name).write_text("item,p_a,p_b\ni0,.2,.7\ni1,.2,.1\ni2,.3,.4\ni3,.4,.2\n")
    assert run(["compare", *SIDES, "--prediction", "q.csv", *flags.split()]) == 1
    assert "scores" in told(capsys)
