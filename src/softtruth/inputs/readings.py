"""What a file can be read as, and which reading suits the side of the problem that the file is on."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from softtruth.errors import InputError, listed
from softtruth.inputs.vocabulary import (
    KNOWN_PREFIXES,
    VOTES_PREFIX,
    Side,
    classes_in_names,
    side_of_label,
    split_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.columns import Columns

Kind = Literal[
    "annotations",  # long: one row for each vote
    "votes",  # wide: one count for each class
    "distribution",  # wide: one number for each class, rows sum to one
    "one-hot",  # wide: 0 or 1 for each class, exactly one 1 in each row
    "indicators",  # wide: 0 or 1 for each label, any number of them
    "marginals",  # wide: numbers between 0 and 1 that do not sum to one
    "scores",  # wide: any other numbers
    "labels",  # one class name or code for each item, in one column or in several
    "score",  # one number for each item
    "tags",  # a list of names for each item
    "rankings",  # an order of classes by each reader
    "items",  # anything else: facts about the items
]
Role = Literal["prediction", "reference"]
MOST_CODES = 30  # larger numbers in columns beside each other are counts or facts, and no codes of classes

PREFERRED: dict[Role, tuple[Kind, ...]] = {
    "prediction": (
        *("distribution", "marginals", "scores", "indicators", "one-hot", "score", "labels"),
        *("tags", "annotations", "votes"),
    ),
    "reference": (
        *("annotations", "votes", "distribution", "one-hot", "indicators", "tags", "labels", "marginals", "score"),
        "scores",
    ),
}
WORDS: dict[Kind, str] = {
    "annotations": "long annotations, one row for each vote",
    "votes": "vote counts, one column for each class",
    "distribution": "one column for each class, rows sum to one",
    "one-hot": "one 0/1 column for each class, one 1 in each row",
    "indicators": "one 0/1 column for each label (multilabel)",
    "marginals": "one number between 0 and 1 for each label, rows do not sum to one",
    "scores": "one score for each class",
    "labels": "one label for each item",
    "score": "one number for each item",
    "tags": "a list of labels for each item",
    "rankings": "rankings",
    "items": "facts about the items",
}
SIDED: dict[tuple[Kind, Side], str] = {
    ("distribution", "prediction"): "wide probabilities, rows sum to one",
    ("distribution", "reference"): "soft labels, rows sum to one",
    ("marginals", "prediction"): "wide probabilities, rows do not sum to one (multilabel, or scores)",
    ("indicators", "prediction"): "hard predictions, one 0/1 column for each label (multilabel)",
    ("indicators", "reference"): "gold labels, one 0/1 column for each label (multilabel)",
    ("one-hot", "prediction"): "hard predictions, one 0/1 column for each class",
    ("one-hot", "reference"): "gold labels, one 0/1 column for each class",
    ("labels", "prediction"): "hard predictions",
    ("labels", "reference"): "gold labels",
    ("score", "prediction"): "one score for each item",
    ("score", "reference"): "one share for each item",
}


@dataclass(frozen=True)
class Reading:
    """One way to read a file.

    `columns` hold the values; `classes` are the class names when each column stands for a class; `side` is where
    the names of the columns point.
    """

    kind: Kind
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    side: Side = "either"
    annotator: str | None = None
    finding: str | None = None

    def words(self) -> str:
        """Return the reading in plain words, with the columns it uses."""
        used = [*self.columns, *(c for c in (self.annotator, self.finding) if c)]
        words = SIDED.get((self.kind, self.side), WORDS[self.kind])
        if self.kind == "labels" and len(self.columns) > 1 and self.side != "prediction":
            words = "labels, one column for each annotator" + (" or model" if self.side == "either" else "")
        return f"{words} ({', '.join(used[:4])}{', ...' if len(used) > 4 else ''})" if used else words


def choose(readings: Sequence[Reading], role: Role, path: str, taken: Sequence[str] = ()) -> Reading:
    """Return the reading that suits a side best.

    Parameters
    ----------
    readings
        What the file can be read as.
    role
        The side that the file is on.
    path
        Its name in messages.
    taken
        Columns that the other side uses already.

    Raises
    ------
    InputError
        When nothing in the file can serve, or two columns could equally well.
    """
    order = PREFERRED[role]
    if taken and role == "reference":  # beside a column of labels, one column for each class is the prediction
        order = ("annotations", "votes", "labels", *order)
    fits = [r for r in readings if r.kind in order and not set(r.columns) & set(taken)]
    if taken:  # one table holds both sides, so that a column which names the other side is no candidate
        fits = [r for r in fits if r.side in {role, "either"}]
    if not fits:
        flag = "--prediction-column" if role == "prediction" else "--label"
        why = (
            "rankings become distributions by softtruth convert"
            if any(r.kind == "rankings" for r in readings)
            else "none was recognised"
        )
        raise InputError(f"{path}: no column was found that holds a {role} ({why}). Name it with {flag}.")

    def rank(reading: Reading) -> tuple[int, int]:
        side = 0 if reading.side == role else 1 if reading.side == "either" else 2
        return side, order.index(reading.kind)

    best = min(fits, key=rank)
    return replace(best, side=role)


def usable(reading: Reading, role: Role) -> bool:
    """Whether a reading can be on a side at all."""
    return reading.kind in PREFERRED[role]


def matching(columns: Columns, pattern: str, flag: str) -> list[str]:
    """Return the columns that a flag names: one, several between commas, or a pattern such as `p_*`."""
    if pattern in columns.names:
        return [pattern]
    found: list[str] = []
    for part in pattern.split(","):
        if part in columns.names:
            found.append(part)
            continue
        some = [name for name in columns.names if fnmatch.fnmatchcase(name, part)]
        if not some:
            columns.require(part, flag)
        found += some
    return list(dict.fromkeys(found))


def read_as(columns: Columns, names: Sequence[str], side: Side) -> Reading:
    """Return the reading of columns that the user named."""
    facts = [columns.facts(name) for name in names]
    if any(f.kind == "lists" for f in facts):
        if len(names) > 1:
            raise InputError(f"{columns.path}: {listed(names)} hold lists; name one of them.")
        return Reading("tags", tuple(names), side=side)
    if len(names) == 1:
        known = split_name(names[0], KNOWN_PREFIXES)
        kind: Kind = "score" if facts[0].kind == "number" else "labels"
        classes = (known[1],) if known and kind == "score" else ()
        return Reading(kind, tuple(names), classes, side)
    if all(f.kind in {"text", "empty"} for f in facts):
        return Reading("labels", tuple(names), side=side)
    return wide(columns, names, side)


def wide(columns: Columns, names: Sequence[str], side: Side) -> Reading:
    """Return the reading of several number columns, one for each class."""
    counts = all(split_name(name, VOTES_PREFIX) for name in names)
    kind = "votes" if counts else wide_kind(columns.matrix(names))
    return Reading(kind, tuple(names), () if kind == "labels" else classes_in_names(names), side)


def wide_kind(matrix: np.ndarray) -> Kind:
    """Tell from the numbers what columns that stand for classes hold.

    Parameters
    ----------
    matrix
        One row for each item; NaN is missing.
    """
    gaps = np.isnan(matrix)
    full = matrix[~gaps.any(axis=1)]
    if (gaps.any(axis=1) & ~gaps.all(axis=1)).any() and _codes(matrix[~gaps]):
        return "labels"  # a class that nobody chose would be 0: these are people, of whom not everybody answered
    if not len(full):
        return "scores"
    with np.errstate(over="ignore"):
        low, high, sums = full.min(), full.max(), full.sum(axis=1)
    if low >= 0 and (full == np.floor(full)).all():
        if high > 1:
            return "votes"
        return "one-hot" if (sums == 1).all() else "indicators"
    if low < -1e-9 or high > 1 + 1e-9:
        # A bad cell or two among probabilities is an error to report, and not another kind of file.
        return "distribution" if _mostly_one(sums) else "scores"
    return "distribution" if _mostly_one(sums) else "marginals"


def _codes(values: np.ndarray) -> bool:
    """Whether numbers are codes of classes, and of more than two, as 0 and 1 may say no and yes."""
    return bool((values == np.floor(values)).all() and values.min() >= 0 and 1 < values.max() <= MOST_CODES)


def _mostly_one(sums: np.ndarray) -> bool:
    return bool(np.mean(np.abs(sums - 1) <= 0.02) >= 0.9)


def label_side(name: str) -> Side:
    """Return the side that a column of labels points to."""
    return side_of_label(name) or "either"
