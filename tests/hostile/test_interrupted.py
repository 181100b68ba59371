"""Ctrl-C, a reader that goes away, a disk that fills up: the right exit code, one line, and no partial file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = (sys.executable, "-m", "softtruth")
# Where the tests run in the background, interrupts are ignored, and so they would be in what the tests start.
LISTENING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
INTERRUPTIBLE = (sys.executable, "-c", f"{LISTENING}from softtruth.cli import main; main()")
FIFO_WAIT = 120  # seconds until a command has surely opened its files


def rows_of(n: int) -> str:
    """Return a table of n rows."""
    return "item,label,prediction\n" + "".join(f"i{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]}\n" for i in range(n))


def test_an_interrupt_while_it_waits_for_its_input(tmp_path: Path) -> None:
    words = [*INTERRUPTIBLE, "report", "-", "--json", "o.json", "--out", "o.html"]
    reading, writing = os.pipe()
    process = subprocess.Popen(words, cwd=tmp_path, stdin=reading, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    os.close(reading)
    os.write(writing, rows_of(100_000).encode())  # more than a pipe holds: when this returns it is being read
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=FIFO_WAIT)
    os.close(writing)
    assert (process.returncode, err.split(), out) == (130, [b"interrupted"], b"")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_stream_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"part-{i}.csv").write_text(rows_of(60_000))
    words = [*INTERRUPTIBLE, "report", "part-*.csv", "--engine", "stream", "--labels", "a,b", "--checkpoint", "c", "-q"]
    words += ["--json", "o.json"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + FIFO_WAIT
        while not (tmp_path / "c").exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.wait(FIFO_WAIT)
        assert process.stderr is not None
        said = process.stderr.read()
    others = {path.name for path in tmp_path.iterdir() if not path.name.startswith("part-")}
    assert (process.returncode, said.split(), others) == (130, ["interrupted"], {"c"})
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    resumed = (tmp_path / "o.json").read_text()
    again = subprocess.run(
        [word if word != "c" else "d" for word in words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0
    assert (tmp_path / "o.json").read_text() == resumed


@pytest.mark.parametrize("command", ["convert t.csv -q --label label", "report t.csv -q --json -", "--help"])
def test_a_reader_that_goes_away(tmp_path: Path, command: str) -> None:
    (tmp_path / "t.csv").write_text(rows_of(20_000))
    line = f"set -o pipefail; {' '.join(COMMAND)} {command} | head -1"
    shell = shutil.which("bash") or "bash"
    found = subprocess.run([shell, "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(found.stdout.splitlines()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    words = ["-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if not mount or not unmount or subprocess.run([mount, *words], check=False).returncode:
        pytest.skip("only the administrator can make a small disk here")
    yield folder
    subprocess.run([unmount, folder], check=True)


@pytest.mark.parametrize("command", ["demo --out {}/d.html", "convert t.csv --label label -q --out {}/o.csv"])
def test_a_disk_that_fills_up(tmp_path: Path, small_disk: Path, command: str) -> None:
    (tmp_path / "t.csv").write_text(rows_of(20_000))
    words = [*COMMAND, *command.format(small_disk).split()]
    found = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr == f"error: {words[-1]} cannot be written: No space left on device.\n"
    assert found.stdout == ""
    assert os.listdir(small_disk) == []  # noqa: PTH208  # names are enough
