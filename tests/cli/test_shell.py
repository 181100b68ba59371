"""The shell around the work: exit codes, one-line errors, files written whole, settings from a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import rich_click as click

import softtruth.cli.report as report_command
from softtruth.cli import output, run
from softtruth.cli.group import cli
from softtruth.errors import InputError

VOTES = "item,annotator,label\na,A,x\na,B,y\nb,A,y\nb,B,y\nc,A,x\nc,B,x\n"
PRED = "item,p_x,p_y\na,0.5,0.5\nb,0.25,0.75\nc,1,0\n"


class Result:
    """A report of the simplest kind."""

    def __init__(self, problem):
        self.problem = problem

    def to_text(self, *, color=False):  # noqa: ARG002  as a report has it
        return f"text {self.problem.n}"

    def to_html(self):
        return f"<p>{self.problem.n}</p>"

    def to_json(self):
        return f'{{"n": {self.problem.n}}}'


@pytest.fixture
def real_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "pred.csv").write_text(PRED)
    return tmp_path


@pytest.fixture
def files(real_files, monkeypatch):
    """Files, and a report of the simplest kind."""
    monkeypatch.setattr(report_command, "_evaluated", lambda problem, _: Result(problem))
    return real_files


BOTH = ["report", "--prediction", "pred.csv", "--reference", "votes.csv"]


def python(*args, **options):
    source = str(Path(report_command.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": source, "NO_COLOR": "1"}
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, env=env, check=False, **options)


def test_help_is_quick_because_it_loads_no_array_library():
    script = (
        "import sys\nfrom softtruth.cli import run\ncode = run(['--help'])\n"
        "heavy = {'numpy', 'pyarrow', 'scipy', 'matplotlib', 'torch', 'sklearn'} & set(sys.modules)\n"
        "heavy |= {f'softtruth.cli.{name}' for name in ('report', 'noise', 'streamed')} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else code)"
    )
    done = python("-c", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(word in done.stdout for word in ("inspect", "report", "--config", "--version"))


def test_the_list_of_commands_has_their_first_lines():
    context = click.Context(cli)
    for name, (home, first_line) in cli.commands_at.items():
        command = cli.get_command(context, name)
        assert (command.name, home) == (name, f"softtruth.cli.{name}:{name}")
        assert command.help.partition("\n\n")[0].replace("\n", " ") == first_line


@pytest.mark.parametrize("words", [["-h"], ["inspect", "--help"], ["report", "-h"], ["--version"]])
def test_help_passes(words, capsys):
    assert run(words) == 0
    assert capsys.readouterr().out.strip()


def test_the_result_goes_to_stdout_and_the_notes_to_stderr(files, capsys):
    assert run(BOTH) == 0
    out, err = capsys.readouterr()
    assert out == "text 3\n"
    assert err.splitlines()[0].startswith("note: votes.csv, reference: long annotations")
    assert run([*BOTH, "--quiet", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ('{"n": 3}\n', "")


def test_reports_are_written_beside_the_text(files, capsys):
    assert run([*BOTH, "-q", "--out", "r.html", "--json", "r.json"]) == 0
    assert capsys.readouterr().out == "text 3\n"
    assert ((files / "r.html").read_text(), (files / "r.json").read_text()) == ("<p>3</p>", '{"n": 3}')
    assert sorted(p.name for p in files.iterdir()) == ["pred.csv", "r.html", "r.json", "votes.csv"]


def test_a_file_is_written_whole_or_not_at_all(files, monkeypatch):
    (files / "r.html").write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(InputError, match=r"^r\.html cannot be written: No space left on device\.$"):
        output.write("r.html", "new")
    assert (files / "r.html").read_text() == "old"
    assert not list(files.glob(".r.html*"))


USAGE = {
    "nothing": (["report"], "Nothing to report on: give --prediction and --reference, or FILE, or --table."),
    "one side": (["report", "--reference", "votes.csv"], "--prediction is missing: a prediction is compared with a"),
    "two ways": ([*BOTH, "pred.csv"], "Give --prediction and --reference, or one table as FILE, or --table; not two"),
    "no such flag": (["report", "--colour", "red"], "No such option"),
    "no such command": (["repot"], "No such command 'repot'. Did you mean 'report'?"),
    "no command like it": (["xyz"], "No such command 'xyz'. Commands: audit, compare,"),
    "no files": (["inspect"], "Missing argument"),
    "bad level": ([*BOTH, "--level", "95"], "95.0 is not in the range 0<x<1"),
    "empty name": ([*BOTH, "--labels", "a,,b"], "has an empty name between commas"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_exits_with_2(files, name, capsys):
    words, sentence = USAGE[name]
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert (out, sentence in " ".join(err.replace("│", " ").split())) == ("", True), err


ERRORS = {
    "no such file": (
        ["report", "--prediction", "no.csv", "--reference", "votes.csv"],
        "error: no.csv does not exist. Check the path; it is looked up from {here}.",
    ),
    "no such folder": ([*BOTH, "--out", "no/r.html"], "error: The folder no does not exist; create it first."),
    "a folder": ([*BOTH, "--json", "."], "error: . is a folder; give the name of a file in it."),
    "bad data": (
        [*BOTH, "--cluster", "town"],
        "error: --cluster 'town': no file has this column; the columns are 'item', 'annotator', 'label', 'p_x', 'p_y'.",
    ),
    "bad gate": (
        [*BOTH, "--fail-under", "f1"],
        "error: --fail-under 'f1' is no gate; expected MEASURE=NUMBER, for instance \"macro f1=0.8\".",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_unusable_input_exits_with_1_and_one_line(files, name, capsys):
    words, sentence = ERRORS[name]
    assert run([*words, "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", sentence.format(here=files) + "\n")


FAILURES = [
    (KeyboardInterrupt(), 130, "interrupted"),
    (ZeroDivisionError("division\nby zero"), 1, "internal error: ZeroDivisionError: division by zero. Set "),
    (PermissionError(13, "Permission denied", "x.csv"), 1, "error: x.csv: Permission denied."),
    (MemoryError(), 1, "error: the memory of this machine does not suffice for these files."),
]


@pytest.mark.parametrize("failure", FAILURES)
def test_no_failure_shows_a_traceback(files, monkeypatch, capsys, failure):
    error, code, line = failure

    def fails(problem, values):
        raise error

    monkeypatch.setattr(report_command, "_evaluated", fails)
    assert run([*BOTH, "-q"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip().startswith(line)
    assert len(err.strip().splitlines()) == 1


GATES = {
    "passes": ("macro f1=0.5", [], 0, ""),
    "fails": ("f1=0.9", [], 3, "gate failed: f1 of pred (majority) has the value 0.8, below 0.9.\n"),
    "another column": (
        "soft:accuracy=0.9",
        [],
        3,
        "gate failed: accuracy of pred (soft) has the value 0.75, below 0.9.\n",
    ),
    "low end": (
        "pred:accuracy=0.5",
        ["--fail-on", "low"],
        3,
        "gate failed: accuracy of pred (majority) has the low end ",
    ),
    "not in the usual report": ("markedness=0.9", [], 3, "gate failed: markedness of pred (majority) has the value "),
}


@pytest.mark.parametrize("name", GATES)
def test_gates(real_files, name, capsys):
    gate, more, code, line = GATES[name]
    assert run([*BOTH, "-q", "--fail-under", gate, *more]) == code
    out, err = capsys.readouterr()
    assert out.startswith("Evaluation of pred\n")
    assert err.startswith(line)
    assert bool(err) == bool(line)


def test_a_gate_from_above_and_on_a_finished_table(real_files, capsys):
    assert run([*BOTH, "-q", "--fail-over", "error_rate=0.1"]) == 3
    assert "above 0.1." in capsys.readouterr().err
    (real_files / "t.csv").write_text("reference,a,b,c\na,5,1,0\nb,2,6,0\nc,0,3,4\n")
    assert run(["report", "--table", "t.csv", "-q", "--fail-under", "accuracy=0.8"]) == 3
    assert (
        capsys.readouterr().err == "gate failed: accuracy of prediction (reference) has the value 0.7143, below 0.8.\n"
    )
    assert run(["report", "--table", "t.csv", "-q", "--fail-under", "f1=0.8"]) == 1
    assert capsys.readouterr().err == (
        "error: The gate 'f1' can mean 'micro f1', 'macro f1', 'weighted f1'; name one of them.\n"
    )


def test_from_files_to_a_report_and_its_provenance(real_files, capsys):
    assert run([*BOTH, "-q", "--json", "r.json", "--out", "r.html", "--measure", "macro f1", "--ties", "first"]) == 0
    assert "- Items in all files: 3." in capsys.readouterr().out
    facts = json.loads((real_files / "r.json").read_text())
    assert facts["schema_version"]
    inputs = [(entry["role"], entry["path"], entry["rows"]) for entry in facts["provenance"]["inputs"]]
    assert inputs == [("reference", "votes.csv", 6), ("prediction", "pred.csv", 3)]
    assert all(len(entry["sha256"]) == 64 for entry in facts["provenance"]["inputs"])
    assert {row["measure"] for row in facts["rows"]} >= {"f1"}
    assert (real_files / "r.html").read_text().startswith("<!")


def test_settings_come_from_option_then_environment_then_file(files, monkeypatch, capsys):
    (files / "softtruth.toml").write_text('[report]\nwhere = "annotator=A"\nquiet = true\n')
    assert run(BOTH) == 0
    assert capsys.readouterr() == ("text 3\n", "")
    (files / "other.toml").write_text('[report]\npositive = "z"\nquiet = true\n')
    assert run(["--config", "other.toml", *BOTH]) == 1
    assert "--positive 'z' is no class; the classes are 'x', 'y'." in capsys.readouterr().err
    monkeypatch.setenv("SOFTTRUTH_REPORT_POSITIVE", "q")
    assert run(["--config", "other.toml", *BOTH]) == 1
    assert "--positive 'q' is no class" in capsys.readouterr().err
    assert run(["--config", "other.toml", *BOTH, "--positive", "x"]) == 0
    capsys.readouterr()
    for text, sentence in (
        ("[report]\ncolour = 1\n", "unknown key 'colour' under [report]"),
        ("[repot]\na = 1\n", "[repot], which is no command"),
        ("[report\n", "is not a TOML file"),
    ):
        (files / "bad.toml").write_text(text)
        assert run(["--config", "bad.toml", *BOTH]) == 2
        assert sentence in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_the_process_ends_with_the_code_of_the_command(files):
    done = python("-m", "softtruth", "inspect", "votes.csv", "pred.csv", "-q", cwd=files)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout.splitlines()[-1]
        == "  softtruth report --prediction pred.csv --reference votes.csv --out report.html"
    )
    done = python("-m", "softtruth", "inspect", "no.csv", cwd=files)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: no.csv does not exist. Check the path; it is looked up from {files}.\n"


def test_a_reader_that_closes_the_pipe_is_no_error(files):
    script = f"{sys.executable} -m softtruth inspect votes.csv pred.csv votes.csv -q | true; echo ${{PIPESTATUS[0]}}"
    source = str(Path(report_command.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=False, cwd=files)  # noqa: S607  # whichever bash is there
    assert (done.stdout, done.stderr) == ("0\n", "")
