"""What is in this file, and what can it be used for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.errors import InputError
from softtruth.inputs.classes import alike, coded_numbers, natural_order
from softtruth.inputs.columns import Columns, Facts
from softtruth.inputs.readings import Reading, Role, choose
from softtruth.inputs.recognise import Hints, item_column, recognise

if TYPE_CHECKING:
    from softtruth.inputs.files import LoadedTable

MANY = 30  # more values than this are no classes that one would list


@dataclass(frozen=True, eq=False)
class FileProfile:
    """What was understood of one file.

    Attributes
    ----------
    loaded
        The table, with the files that it came from.
    columns
        Facts about each column, in order.
    item
        The column of item ids; None when rows are known by their position.
    items
        Number of distinct items.
    duplicates
        Rows that repeat an item (in annotations: an item and an annotator).
    missing
        Rows without a value in the columns that the first reading uses.
    annotators
        Number of annotators, 0 when the file names none.
    readings
        Ways to read the file, the likeliest first.
    classes
        Class names of the first reading, in order; empty when it has none.
    counts
        How often each class occurs (votes, or rows), where that can be counted.
    votes_per_item
        Fewest, mean and most votes of an item, in annotations.
    problem
        One sentence about what makes the file unusable as it is, None when nothing does.
    """

    loaded: LoadedTable
    columns: tuple[Facts, ...]
    item: str | None
    items: int
    duplicates: int
    missing: int
    annotators: int
    readings: tuple[Reading, ...]
    classes: tuple[str, ...]
    counts: tuple[float, ...]
    votes_per_item: tuple[int, float, int] | None = None
    problem: str | None = None

    @property
    def path(self) -> str:
        """What the user wrote."""
        return self.loaded.path

    @property
    def rows(self) -> int:
        """Number of rows."""
        rows: int = self.loaded.table.num_rows
        return rows

    @property
    def reading(self) -> Reading:
        """The likeliest reading."""
        return self.readings[0]

    @cached_property
    def serves(self) -> tuple[Role, ...]:
        """The sides that the file can be on, the likelier first."""
        kind, side = self.reading.kind, self.reading.side
        if kind in {"items", "rankings"}:
            return ()
        if side in {"prediction", "reference"}:
            first: Role = "prediction" if side == "prediction" else "reference"
        else:
            first = "reference" if kind in {"annotations", "votes", "tags"} else "prediction"
        return (first, "reference" if first == "prediction" else "prediction")

    def reading_for(self, role: Role, taken: tuple[str, ...] = ()) -> Reading:
        """Return the reading that suits a side; see `choose`."""
        return choose(self.readings, role, self.loaded.name, taken)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON values."""
        return {
            "path": self.path,
            "files": [record.to_dict() for record in self.loaded.records],
            "rows": self.rows,
            "kind": self.reading.kind,
            "understood": self.reading.words(),
            "item_column": self.item,
            "items": self.items,
            "duplicates": self.duplicates,
            "missing": self.missing,
            "annotators": self.annotators,
            "classes": list(self.classes),
            "counts": list(self.counts),
            "columns": {f.name: f.kind for f in self.columns},
            "problem": self.problem,
        }


def profile(loaded: LoadedTable, hints: Hints | None = None) -> FileProfile:
    """Work out what a file is.

    Parameters
    ----------
    loaded
        The file, as `read` returns it.
    hints
        Column names that the user gave; guesses fill the rest.

    Returns
    -------
    FileProfile
        Every guess is in it, so that it can be printed and overridden.
    """
    hints = hints or Hints()
    columns = Columns.of(loaded)
    facts = tuple(columns.facts(name) for name in columns.names)
    if not columns.names:
        raise InputError(f"{loaded.path} has no columns.")
    item = item_column(columns, hints.item)
    problem = None
    try:
        readings = tuple(recognise(columns, item, hints))
    except InputError as error:
        readings, problem = (Reading("items"),), str(error)
    if not len(columns):
        problem = f"{loaded.name} has a header and no rows."
    first = readings[0]
    classes, counts = _classes(columns, first, loaded)
    return FileProfile(
        loaded=loaded,
        columns=facts,
        item=item,
        items=len(columns.coded(item).values) if item else len(columns),
        duplicates=_duplicates(columns, item, first),
        missing=_missing(columns, first),
        annotators=len(columns.coded(first.annotator).values) if first.annotator else 0,
        readings=readings,
        classes=classes,
        counts=counts,
        votes_per_item=_votes(columns, item, first),
        problem=problem or _doubt(columns, first, classes),
    )


def _duplicates(columns: Columns, item: str | None, reading: Reading) -> int:
    if item is None or not len(columns) or (reading.kind == "annotations" and reading.annotator is None):
        return 0
    key = columns.coded(item).codes
    for name in (reading.annotator, reading.finding):
        if name is not None:
            coded = columns.coded(name)
            key = key * (len(coded.values) + 1) + coded.codes
    return len(key) - len(np.unique(key))


def _votes(columns: Columns, item: str | None, reading: Reading) -> tuple[int, float, int] | None:
    if reading.kind != "annotations" or item is None or not len(columns):
        return None
    n = columns.coded(item).counts()
    if reading.finding is not None:  # votes on one finding of an item
        n = n / max(len(columns.coded(reading.finding).values), 1)
    return int(n.min()), float(n.mean()), int(n.max())


def _missing(columns: Columns, reading: Reading) -> int:
    """Count rows in which the values are missing."""
    gaps = np.zeros(len(columns), dtype=bool)
    for name in reading.columns:
        if columns.facts(name).kind != "lists":
            gaps |= columns.coded(name).codes < 0
    return int(np.count_nonzero(gaps))


def _classes(columns: Columns, reading: Reading, loaded: LoadedTable) -> tuple[tuple[str, ...], tuple[float, ...]]:
    if reading.finding is not None:
        coded = columns.coded(reading.finding)
        return tuple(coded.names), tuple(coded.counts().tolist())
    if reading.kind in {"labels", "annotations"}:
        totals: dict[str, float] = {}
        for name in reading.columns:
            coded = coded_numbers(columns, name) if len(reading.columns) > 1 else columns.coded(name)
            for value, count in zip(coded.names, coded.counts().tolist(), strict=True):
                totals[value] = totals.get(value, 0) + count
        given = next((loaded.class_order[c] for c in reading.columns if c in loaded.class_order), ())
        order = (*given, *(name for name in natural_order(totals) if name not in given))
        return order, tuple(totals.get(name, 0) for name in order)
    if reading.kind in {"votes", "one-hot", "indicators"}:
        sums = np.nansum(columns.matrix(reading.columns), axis=0)
        return reading.classes, tuple(sums.tolist())
    return reading.classes, ()


def _doubt(columns: Columns, reading: Reading, classes: tuple[str, ...]) -> str | None:
    """Say what looks wrong though it can be read."""
    if reading.kind in {"labels", "annotations"} and (said := alike(classes)):
        return f"{columns.path}: {said}"
    if reading.kind in {"labels", "annotations"} and len(classes) > max(MANY, len(columns) // 2):
        return f"{columns.path}: {reading.columns[0]!r} has {len(classes):,} different values, too many for classes."
    return None
