"""What is written is whole or not there, and the exit code says which."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from softtruth.cli.output import write
from softtruth.engines.checkpoint import write_whole
from softtruth.errors import InputError

FULL = Path("/dev/full")  # of Linux: every write to it fails as on a full disk


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one line of shell, with `$SOFTTRUTH` as the command."""
    return subprocess.run(  # noqa: S602  # redirections are what is tested
        line.replace("$SOFTTRUTH", f"{sys.executable} -m softtruth"),
        shell=True,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"i{i},{'中文' if i % 2 else '😀'}\n" for i in range(6))
    (tmp_path / "r.csv").write_text("item,label\n" + rows, encoding="utf-8")
    return tmp_path


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for put in (lambda: write(str(pipe), "text\n"), lambda: write_whole(pipe, b"text\n")):
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        put()
        assert os.read(reader, 10) == b"text\n"
        os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, real = tmp_path / "link.json", tmp_path / "real.json"
    link.symlink_to(real)
    for put in (lambda: write(str(link), "text\n"), lambda: write_whole(link, b"text\n")):
        real.write_text("old")
        put()
        assert link.is_symlink()
        assert real.read_text() == "text\n"


def test_a_full_disk(folder: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No space left"):
        write(str(FULL), "text")
    assert FULL.is_char_device()
    for command in ("convert r.csv -q", "--help"):
        ended = shell(f"$SOFTTRUTH {command} > {FULL}", folder)
        assert ended.returncode == 1
        assert ended.stderr == "error: No space left on device.\n"


def test_a_file_that_may_not_grow_leaves_nothing(folder: Path) -> None:
    ended = shell("ulimit -f 1; $SOFTTRUTH report --prediction r.csv --reference r.csv -q --json o.json", folder)
    assert ended.returncode == 1
    assert ended.stderr == "error: o.json cannot be written: File too large.\n"
    assert sorted(p.name for p in folder.iterdir()) == ["r.csv"]


def test_standard_output_that_is_closed(folder: Path) -> None:
    ended = shell("$SOFTTRUTH report --prediction r.csv --reference r.csv -q >&-", folder)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: Standard output is closed")
    assert shell("$SOFTTRUTH report --prediction no.csv --reference r.csv 2>&-", folder).returncode == 1


def test_a_terminal_that_knows_ascii_only(folder: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    ended = shell("$SOFTTRUTH report --prediction r.csv --reference r.csv -q", folder, **plain)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert r"\u4e2d\u6587" in ended.stdout
