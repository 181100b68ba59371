"""One side of the problem: the values of a file, one row for each item, before both sides are brought together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from softtruth.inputs.classes import Change
    from softtruth.inputs.columns import Coded, Columns
    from softtruth.inputs.readings import Role
    from softtruth.inputs.tally import Duplicates

Form = Literal[
    "codes",  # (N,) class codes, -1 is missing
    "counts",  # (N, K) votes
    "shares",  # (N, K) rows sum to one; a row of NaN knows nothing
    "one-hot",  # (N, K) one 1 in each row
    "scores",  # (N, K) any numbers
    "score",  # (N,) one number
    "indicators",  # (N, m) 0/1, or numbers between 0 and 1
    "answers",  # (N, m, 2) votes against and for each label
]


def unchanged(name: str) -> str:
    """Return the name as it is."""
    return name


@dataclass(frozen=True)
class Wishes:
    """What the user asked of one file."""

    duplicates: Duplicates | None = None
    normalize: bool = False
    drop_missing: bool = False
    ignore: frozenset[str] = frozenset()
    change: Change = unchanged
    task: str | None = None
    positive: str | None = None
    class_order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Source:
    """A table that becomes a side: where it comes from, which side it is on, and what was asked of it.

    `keys` says where else in an export the ids of its items may stand.
    """

    columns: Columns
    item: str | None
    role: Role
    name: str
    wishes: Wishes
    duplicated: int = 0
    keys: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The file in messages."""
        return self.columns.path

    def ids(self) -> pa.Array | None:
        """Return the item id of each row."""
        if self.item is None:
            return None
        coded = self.columns.coded(self.item)
        return coded.values.take(pa.array(coded.codes))

    def words(self, row: int) -> str:
        """Return the words for a row in messages."""
        if self.item is None:
            return f"row {row + 1}"
        return f"row {row + 1} ({self.item} {shown(self.columns.table[self.item][row].as_py())})"

    def cleaned(self, coded: Coded) -> tuple[Coded, int]:
        """Apply `--map`, then `--ignore` on the reference; return the column and how many values were ignored."""
        mapped = coded.renamed(self.wishes.change)
        if self.role == "prediction" or not self.wishes.ignore:
            return mapped, 0
        kept = mapped.renamed(lambda name: None if name in self.wishes.ignore else name)
        return kept, int(np.count_nonzero((mapped.codes >= 0) & (kept.codes < 0)))

    def side(self, form: Form, values: np.ndarray, classes: tuple[str, ...]) -> Side:
        """Return a side with one row for each row of the table."""
        return Side(self, form, values, classes, self.ids())


class OwnColumn(NamedTuple):
    """The only column of a side: its name, the label that it is named after, and whether it stands among labels."""

    column: str
    label: str
    among_labels: bool


@dataclass(frozen=True, eq=False)
class Side:
    """The values of one side.

    `classes` names the classes of the values, in the order of the file when `ordered`; `items` the ids of the rows,
    None when rows are known by position; `own` is the only column of a reference.
    """

    source: Source
    form: Form
    values: np.ndarray
    classes: tuple[str, ...]
    items: pa.Array | None
    ordered: bool = False
    ignored: int = 0
    sentences: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    own: OwnColumn | None = None

    @property
    def name(self) -> str:
        """The name of the prediction, or `reference`."""
        return self.source.name

    @property
    def path(self) -> str:
        """The file in messages."""
        return self.source.path

    @property
    def multilabel(self) -> bool:
        """Whether the values can only belong to labels that do not exclude each other."""
        return self.form in {"indicators", "answers"}

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def ids(self) -> list[str]:
        """Return the item ids; the numbers from 1 when rows are known by position."""
        ids: list[str] = [str(i) for i in range(1, len(self) + 1)] if self.items is None else self.items.to_pylist()
        return ids

    def taken(self, rows: np.ndarray) -> Side:
        """Return the side with some rows, in the order given."""
        items = None if self.items is None else self.items.take(pa.array(rows))
        return replace(self, values=self.values[rows], items=items)

    def row_words(self, row: int) -> str:
        """Return the words for a row in messages."""
        return f"row {row + 1}" if self.items is None else f"item {shown(self.items[row].as_py())}"

    def complete(self, gaps: np.ndarray, words: Callable[[int], str] | None = None) -> Side:
        """Refuse missing predictions, or leave their items out when the user said so."""
        if self.source.role == "reference" or not gaps.any():
            return self
        n, row = int(np.count_nonzero(gaps)), int(np.argmax(gaps))
        if not self.source.wishes.drop_missing:
            raise InputError(
                f"{self.path} {(words or self.row_words)(row)} has no prediction ({n:,} in all). "
                "Complete it, or pass --drop-missing to leave such items out."
            )
        if self.items is None:
            raise InputError(
                f"{self.path} {self.row_words(row)} has no prediction, and rows without item ids cannot be left out. "
                "Add a column of item ids."
            )
        kept = self.taken(np.nonzero(~gaps)[0])
        return replace(
            kept, sentences=(*self.sentences, f"Items of {self.path} without a prediction, left out: {n:,}.")
        )
