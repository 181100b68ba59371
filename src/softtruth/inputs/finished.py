"""A finished confusion table, or finished counts, read from a small file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import positive_of
from softtruth.inputs.columns import Columns
from softtruth.inputs.files import FileRecord, LoadedTable, read
from softtruth.inputs.vocabulary import PREDICTION_LABEL, REFERENCE_LABEL, common_prefix, plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

CELLS = ("tp", "fp", "fn", "tn")
CELL_NAMES = {
    **{cell: cell for cell in CELLS},
    "true_positive": "tp",
    "false_positive": "fp",
    "false_negative": "fn",
    "true_negative": "tn",
    "true_positives": "tp",
    "false_positives": "fp",
    "false_negatives": "fn",
    "true_negatives": "tn",
}
COUNT = ("count", "counts", "n", "frequency", "freq", "mass", "value", "weight")


@dataclass(frozen=True, eq=False)
class FinishedTable:
    """Counts that somebody else made.

    Attributes
    ----------
    form
        `table`: (K, K), rows are the reference, columns the prediction. `cells`: (m, 4), one row of tp, fp, fn, tn
        for each label.
    labels
        Class names; of a 2 x 2 table (negative, positive).
    counts
        The counts, as float64.
    guesses
        One sentence for each thing that was decided here, with the flag that overrides it.
    inputs
        The file, with its hash.
    options
        What the user asked for.
    """

    form: Literal["table", "cells"]
    labels: tuple[str, ...]
    counts: np.ndarray
    guesses: tuple[str, ...] = ()
    inputs: tuple[FileRecord, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def load_table(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    positive: str | None = None,
    transpose: bool = False,
) -> FinishedTable:
    """Read a K x K confusion table, a list of (reference, prediction, count), or the four counts tp, fp, fn, tn.

    Parameters
    ----------
    path
        The file.
    labels
        Class names, for a table without names, or another order for a table with names.
    positive
        The positive class of a 2 x 2 table.
    transpose
        Whether the rows are the prediction; by default they are the reference.

    Raises
    ------
    InputError
        When the file holds no such counts; the sentence says what was found.
    """
    loaded = read(path)
    columns = Columns.of(loaded)
    table = _cells(columns) or _long(columns) or _square(_with_header(loaded), transpose=transpose)
    _require_counts(columns.path, table.counts)
    if table.form == "table":
        table = _ordered(table, columns.path, labels, positive)
    options = {"labels": list(labels) if labels else None, "positive": positive, "transpose": transpose or None}
    kept = {key: value for key, value in options.items() if value is not None}
    return replace(table, inputs=loaded.records, options=kept)


def _cells(columns: Columns) -> FinishedTable | None:
    """Four counts: as columns, or as rows of a name and a value."""
    known = {CELL_NAMES[plain(name)]: name for name in columns.names if plain(name) in CELL_NAMES}
    rest = [name for name in columns.names if name not in known.values()]
    if set(known) == set(CELLS) and len(columns):
        counts = columns.matrix([known[cell] for cell in CELLS])
        if len(columns) == 1:
            return FinishedTable("table", ("negative", "positive"), _two_by_two(counts[0]))
        names = columns.coded(rest[0]).names if rest else []
        labels = tuple(names) if len(names) == len(columns) else tuple(str(i) for i in range(len(columns)))
        return FinishedTable("cells", labels, counts)
    if len(columns.names) == 2 and len(columns) == 4:
        found = [CELL_NAMES.get(plain(str(v))) for v in columns.table[columns.names[0]].to_pylist()]
        if set(found) == set(CELLS):
            values = columns.numbers(columns.names[1])[[found.index(cell) for cell in CELLS]]
            return FinishedTable("table", ("negative", "positive"), _two_by_two(values))
    return None


def _two_by_two(cells: np.ndarray) -> np.ndarray:
    tp, fp, fn, tn = cells
    return np.array([[tn, fp], [fn, tp]])


def _long(columns: Columns) -> FinishedTable | None:
    """One row for each pair of classes: reference, prediction, count."""
    named = {plain(name): name for name in columns.names}
    rows, cols, count = (
        next((named[n] for n in v if n in named), None) for v in (REFERENCE_LABEL, PREDICTION_LABEL, COUNT)
    )
    if rows is None or cols is None or count is None or len(columns.names) != 3:
        return None
    ours, theirs = columns.coded(rows), columns.coded(cols)
    labels = tuple(dict.fromkeys((*ours.names, *theirs.names)))
    counts = np.zeros((len(labels), len(labels)))
    np.add.at(counts, (ours.recoded(labels), theirs.recoded(labels)), columns.numbers(count))
    return FinishedTable("table", labels, counts)


def _with_header(loaded: LoadedTable) -> tuple[Columns, bool]:
    """Return the columns, and whether the header line is a row of counts itself."""
    columns = Columns.of(loaded)
    numeric = all(_is_number(name) for name in columns.names)
    return columns, numeric and len(columns) == len(columns.names) - 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _square(found: tuple[Columns, bool], *, transpose: bool) -> FinishedTable:
    columns, headless = found
    if headless:
        counts = np.vstack([[float(name) for name in columns.names], columns.matrix(columns.names)])
        return _turned(FinishedTable("table", tuple(str(i) for i in range(len(counts))), counts), transpose=transpose)
    first = columns.names[0]
    has_names = len(columns.names) == len(columns) + 1
    names = columns.names[1:] if has_names else columns.names
    if len(names) != len(columns) or not names:
        raise InputError(
            f"{columns.path} has {len(columns)} rows and {len(columns.names)} columns, which is no confusion table. "
            "Expected K rows and K columns (and a first column of names), the columns reference, prediction and count, "
            "or the columns tp, fp, fn, tn."
        )
    counts = columns.matrix(names)
    cut = common_prefix(names)
    labels = [name[cut:] for name in names]
    if has_names:
        rows = [str(name) for name in columns.table[first].to_pylist()]
        rows = [name[common_prefix(rows) :] for name in rows] if set(rows) != set(labels) else rows
        if sorted(rows) != sorted(labels):
            raise InputError(
                f"{columns.path}: the rows are named {listed(rows)} and the columns {listed(labels)}; "
                "a confusion table needs the same classes on both."
            )
        counts = counts[[rows.index(name) for name in labels]]
    elif all(_is_number(name) for name in labels) or cut:
        labels = [str(i) for i in range(len(labels))]
    table = FinishedTable("table", tuple(labels), counts)
    corner = plain(first) if has_names else ""
    if not transpose and corner.startswith("pred") and "true" not in corner and "actual" not in corner:
        guess = f"{columns.path}: the rows are the prediction, because the first column is {first!r}."
        return replace(_turned(table, transpose=True), guesses=(guess,))
    return _turned(table, transpose=transpose)


def _turned(table: FinishedTable, *, transpose: bool) -> FinishedTable:
    if transpose:
        return replace(table, counts=table.counts.T)
    return replace(table, guesses=("The rows of the table are the reference (override: --transpose).",))


def _require_counts(path: str, counts: np.ndarray) -> None:
    bad = ~(np.isfinite(counts) & (counts >= 0))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InputError(
            f"{path}: the count in row {i + 1}, column {j + 1} is {shown(float(counts[i, j]))}, expected a finite "
            "number that is not negative."
        )


def _ordered(table: FinishedTable, path: str, labels: Sequence[str] | None, positive: str | None) -> FinishedTable:
    if labels is not None:
        if sorted(labels) == sorted(table.labels):
            order = [table.labels.index(name) for name in labels]
            table = replace(table, labels=tuple(labels), counts=table.counts[np.ix_(order, order)])
        elif len(labels) == len(table.labels):
            table = replace(table, labels=tuple(labels))
        else:
            raise InputError(f"{path} has {len(table.labels)} classes but --labels names {len(labels)}.")
    if len(table.labels) != 2:
        if positive is not None and positive not in table.labels:
            raise InputError(f"--positive {shown(positive)} is no class; the classes are {listed(table.labels)}.")
        return table if positive is None else _collapsed(table, positive)
    yes, why = (positive, "") if positive is not None else positive_of(table.labels)
    if yes not in table.labels:
        raise InputError(f"--positive {shown(yes)} is no class; the classes are {listed(table.labels)}.")
    guesses = table.guesses
    if why and table.labels != ("negative", "positive"):
        guesses += (f"The positive class is {yes!r}, {why} (override: --positive).",)
    if table.labels[1] == yes:
        return replace(table, guesses=guesses)
    return replace(table, labels=table.labels[::-1], counts=table.counts[::-1, ::-1], guesses=guesses)


def _collapsed(table: FinishedTable, positive: str) -> FinishedTable:
    """Compare one class with all others."""
    into = np.array([[float(name != positive), float(name == positive)] for name in table.labels])
    return replace(table, labels=(f"not {positive}", positive), counts=into.T @ table.counts @ into)
