"""The command run in this process, and what must hold of it whatever came in."""

from __future__ import annotations

import io
import json
import math
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.cli import ERROR, GATE, PASS, USAGE, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def ended(*words: str) -> Ended:
    """Run the command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(words)
    return Ended(code, out.getvalue(), err.getvalue())


def faults(found: Ended, folder: Path, before: set[str], wanted: Sequence[str] = ()) -> list[str]:
    """Return what is wrong about how a command with `-q` ended; nothing, if all is well.

    Parameters
    ----------
    found
        How it ended.
    folder
        Where it ran.
    before
        The names that stood in the folder.
    wanted
        The names that it was asked to write.
    """
    wrong = []
    if found.code not in {PASS, ERROR, USAGE, GATE}:
        wrong.append(f"the exit code is {found.code}")
    if "Traceback" in found.err or "internal error" in found.err:
        wrong.append("it is an internal error")
    lines = found.err.splitlines()
    if found.code == ERROR and not found.out and not (len(lines) == 1 and lines[0].startswith("error: ")):
        wrong.append(f"the error has {len(lines)} lines")
    if found.code == ERROR and found.out and lines:
        wrong.append("it printed a result and failed")  # `inspect` prints what it understood, and its problems there
    if found.code == PASS and lines:
        wrong.append("it printed something beside the result")
    if any(not c.isprintable() and c != "\n" and unicodedata.category(c) != "Zs" for c in found.err):
        wrong.append("the error holds control characters")
    new = {p.name for p in folder.iterdir()} - before
    if new != (set(wanted) if found.code in {PASS, GATE} else set()):
        wrong.append(f"the folder has the new files {sorted(new)}")
    return wrong


def numbers_out_of_range(text: str) -> list[str]:
    """Return the rows of a report in JSON whose numbers cannot be."""
    report = json.loads(text, parse_constant=_refused)
    wrong = []
    for row in report["rows"]:
        low, high = report["measures"][row["measure"]]["range"]
        low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
        for name in ("value", "low", "high"):
            x = row[name]
            if isinstance(x, (int, float)) and not low - 1e-9 <= x <= high + 1e-9:
                wrong.append(f"{row['measure']}: {name} is {x}, outside [{low}, {high}]")
        ends = [row[name] for name in ("low", "value", "high")]
        drawn = "draws" in row["method"]  # a few replicates may all lie on one side
        if (
            not drawn
            and all(isinstance(x, (int, float)) for x in ends)
            and not ends[0] - 1e-9 <= ends[1] <= ends[2] + 1e-9
        ):
            wrong.append(f"{row['measure']}: the value {ends[1]} is not in [{ends[0]}, {ends[2]}]")
    return wrong


def _refused(word: str) -> Any:
    """Refuse what is no JSON."""
    raise ValueError(word)
