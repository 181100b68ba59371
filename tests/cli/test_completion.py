"""Shells complete commands, flags, choices, files and the columns of files: bash, zsh and fish."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softtruth
from softtruth.cli import run

EXPECTED = [
    ("softtruth rep", ["report"]),
    ("softtruth audit ", ["apply", "plan"]),
    ("softtruth report --fail-o", ["--fail-over", "--fail-on"]),
    ("softtruth report --task ", ["binary", "multiclass", "multilabel", "ordinal"]),
    ("softtruth report --prediction pred.csv --reference votes.csv --cluster ann", ["annotator"]),
    ("softtruth report --prediction ours=pred.csv --item ", ["item", "p_x", "p_y"]),
    ("softtruth inspect pred.csv --weight p_", ["p_x", "p_y"]),
    ("softtruth report --reference whole.csv.gz --label g", ["gold"]),
]


@pytest.fixture
def here(tmp_path):
    (tmp_path / "votes.csv").write_text("item,annotator,label\na,A,x\n")
    (tmp_path / "pred.csv").write_text("item,p_x,p_y\na,0.5,0.5\n")
    (tmp_path / "whole.csv.gz").write_bytes(gzip.compress(b"item,gold\na,x\n"))
    (tmp_path / "packed.csv.gz").write_bytes(b"\x1f\x8b\xff")
    command = tmp_path / "bin" / "softtruth"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m softtruth "$@"\n')
    command.chmod(0o755)
    source = str(Path(softtruth.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": source, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}

    def ran(words, **more):
        done = subprocess.run(words, capture_output=True, text=True, env={**env, **more}, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return ran


def in_bash(ran, line):
    words = " ".join(f"'{word}'" for word in line.split(" "))
    script = (
        'eval "$(_SOFTTRUTH_COMPLETE=bash_source softtruth)"\n'
        f'COMP_WORDS=({words}); COMP_CWORD={line.count(" ")}; compopt() {{ echo "$@"; }}\n'
        "_softtruth_completion softtruth; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    return ran(["bash", "-c", script]).split("\n")[:-1]


def in_fish(ran, line):
    script = f"_SOFTTRUTH_COMPLETE=fish_source softtruth | source; complete -C '{line}'"
    return [found.partition("\t")[0] for found in ran(["fish", "-c", script]).splitlines()]


def in_zsh(ran, line):
    """Ask as the function of zsh asks; a terminal of zsh cannot be had in a script."""
    script = 'autoload -U compinit; compinit -u -D; eval "$(_SOFTTRUTH_COMPLETE=zsh_source softtruth)"; '
    script += "print $_comps[softtruth]"
    assert ran(["zsh", "-f", "-c", script]).strip() == "_softtruth_completion"
    return by_protocol(ran, line)


def by_protocol(ran, line, shell="zsh"):
    """Ask for completions as the scripts of the shells do."""
    given = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_SOFTTRUTH_COMPLETE": f"{shell}_complete"}
    lines = ran(["softtruth"], **given).splitlines()
    return lines[1::3] if shell == "zsh" else [found.partition(",")[2].partition("\t")[0] for found in lines]


SHELLS = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}
ASKED = {
    "the words of zsh": by_protocol,
    "the words of bash": lambda ran, line: by_protocol(ran, line, "bash"),
    **{name: ask for name, ask in SHELLS.items() if shutil.which(name)},
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_completed(here, name):
    for line, expected in EXPECTED:
        assert sorted(ASKED[name](here, line)) == sorted(expected), line


@pytest.mark.parametrize(
    "line", ["softtruth report --prediction pr", "softtruth inspect pr", "softtruth report --out "]
)
def test_files_are_left_to_the_shell(here, line):
    given = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_SOFTTRUTH_COMPLETE": "bash_complete"}
    assert here(["softtruth"], **given).splitlines() == [f"file,{line.rpartition(' ')[2]}"]


def test_what_cannot_be_read_completes_nothing(here):
    assert by_protocol(here, "softtruth report --prediction packed.csv.gz --item ") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_of_the_documents_gives_a_script(here, shell):
    assert "_SOFTTRUTH_COMPLETE" in here(["softtruth"], _SOFTTRUTH_COMPLETE=f"{shell}_source")


@pytest.mark.usefixtures("here")
def test_the_same_within_one_process(tmp_path, monkeypatch, capsys):
    def completed(line):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        assert run([]) == 0
        return capsys.readouterr().out.split("\n")[:-1]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_SOFTTRUTH_COMPLETE", "bash_complete")
    for line, expected in EXPECTED:
        assert sorted(completed(line)) == sorted(f"plain,{found}" for found in expected), line
    assert completed("softtruth report --prediction packed.csv.gz --reference votes.c") == ["file,votes.c"]
    assert completed("softtruth report --prediction packed.csv.gz --weight ") == [""]
