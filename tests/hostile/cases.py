"""One hostile case from one seed: files in a folder, and the words of a command about them."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from hostile import words
from hostile.mutations import mutated
from hostile.problems import Valid, hostile_problem, problem
from hostile.written import FORMATS, written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hostile.words import Rows

FIRST = int(os.environ.get("FUZZ_FROM", "0"))  # another number searches for new cases
FLAGS: tuple[tuple[str, ...], ...] = (
    *(("--task", task) for task in ("binary", "multiclass", "multilabel", "ordinal")),
    *(("--positive", name) for name in ("a", "1", "cat")),
    *(("--duplicates", what) for what in ("first", "last", "keep")),
    *(("--labels", names) for names in ("a,b", "0,1", "a,b,c", "cat,dog", "NA,None,null")),
    *(("--where", text) for text in ("a=b", "label!=a", "prediction:item=i01")),
    *(("--label", name) for name in ("label", "*", "n_*")),
    *(("--prediction-column", name) for name in ("prediction", "p_*")),
    *(("--ignore", name) for name in ("a", "", "cat")),
    *(("--threshold", number) for number in ("0", "nan", "inf")),
    *(("--convention", name) for name in ("zero", "nan")),
    *(("--coupling", name) for name in ("most", "least")),
    *(("--measure", name) for name in ("macro f1", "r_k", "exemplar jaccard", "macro dor")),
    *(("--normalize",), ("--drop-missing",), ("--map", "a=b"), ("--item", "id"), ("--annotator", "worker")),
    *(("--weight", "weight"), ("--cluster", "group"), ("--delimiter", ";"), ("--tnorm", "godel"), ("--ties", "drop")),
    *(("--interval", "percentile", "--draws", "5"), ("--level", "0.5"), ("--prior", "a=0.3"), ("--imbalance", "2")),
)
COMMANDS = ("report", "one", "table", "inspect", "convert", "plan", "noise", "shift", "stream")
OFTEN = (16, 2, 2, 2, 3, 2, 1, 1, 4)


def seeds(few: int, slow: int, chunks: int) -> list[object]:
    """Return the seeds of a test: a few on each run, and chunks of many that run on demand."""
    size = slow // chunks
    more = [range(FIRST + few + i * size, FIRST + few + (i + 1) * size) for i in range(chunks)]
    return [range(FIRST, FIRST + few), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in more)]


class Case(NamedTuple):
    """What to run, and which files it is asked to write."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()


def hostile_file(rng: Random) -> tuple[str, bytes]:
    """Return the format and the bytes of one file."""
    kind = rng.choice(list(FORMATS))
    content = written(rng, words.table(rng), kind)
    if rng.random() < 0.6:
        content = mutated(rng, content)
    return (rng.choice(list(FORMATS)) if rng.random() < 0.05 else kind), content


def command_case(seed: int, folder: Path) -> Case:
    """Write the files of a case, and return its command."""
    rng = Random(seed)  # noqa: S311  # no secret
    prediction, reference = _tables(rng)
    kinds = rng.choice(list(FORMATS)), rng.choice(["csv", "jsonl", "parquet", "npz"])
    contents = [written(rng, rows, kind) for rows, kind in zip((prediction, reference), kinds, strict=True)]
    if rng.random() < 0.25:
        side = rng.randrange(2)
        contents[side] = mutated(rng, contents[side])
    names = [f"{stem}.{kind}" for stem, kind in zip("pr", kinds, strict=True)]
    for name, content in zip(names, contents, strict=True):
        (folder / name).write_bytes(content)
    flags = [word for flag in rng.sample(FLAGS, rng.choice([0, 0, 0, 1, 1, 2, 3])) for word in flag]
    return _command(rng, names, flags)


def _tables(rng: Random) -> tuple[Rows, Rows]:
    how = rng.random()
    if how < 0.25:
        return words.table(rng), words.table(rng)
    found: Valid = hostile_problem(rng, words.HOSTILE) if rng.random() < 0.6 else problem(rng)
    if how < 0.6:
        return found.prediction, found.reference
    side = rng.choice(found)
    if rng.random() < 0.3:
        side[words.name(rng)] = words.column(rng, len(next(iter(side.values()))))
        return found.prediction, found.reference
    name = rng.choice(list(side))
    side[name] = held = list(side[name])
    for _ in range(rng.choice([1, 1, 2, 6])):
        held[rng.randrange(len(held))] = words.value(rng)
    if rng.random() < 0.1:
        del held[rng.randrange(len(held)) :]
    return found.prediction, found.reference


def _command(rng: Random, names: Sequence[str], flags: Sequence[str]) -> Case:
    prediction, reference = names
    sides = ("--prediction", prediction, "--reference", reference)
    what = rng.choices(COMMANDS, OFTEN)[0]
    if what == "report":
        how = rng.choice(["json", "json", "text", "page"])
        asked = {"json": ("--json", "-"), "text": (), "page": ("--out", "o.html", "--json", "o.json")}[how]
        return Case(("report", *sides, *flags, *asked, "-q"), ("o.html", "o.json") if how == "page" else ())
    simple = {
        "one": ("report", reference, *flags, "--json", "-"),
        "table": ("report", "--table", reference, "--json", "-"),
        "inspect": ("inspect", prediction, reference),
        "convert": ("convert", reference),
        "plan": ("audit", "plan", *sides, "--size", "4"),
        "noise": ("noise", *sides),
        "shift": (
            "shift",
            *sides,
            *rng.choice((("--imbalance", "2"), ("--prior", "cat=0.3"), ("--target", prediction))),
        ),
        "stream": ("report", *sides, "--engine", "stream", "--labels", "cat,dog", "--json", "-"),
    }
    return Case((*simple[what], "-q"))
