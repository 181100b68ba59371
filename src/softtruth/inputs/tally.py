"""Long annotations in, votes for each item out; duplicates are never merged silently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.columns import Coded, Columns

Duplicates = Literal["first", "last", "keep"]


@dataclass(frozen=True)
class Kept:
    """Which rows count, and how many rows repeated another one."""

    rows: np.ndarray
    duplicated: int


def without_repeats(
    keys: Sequence[Coded], columns: Columns, names: Sequence[str], duplicates: Duplicates | None
) -> Kept:
    """Find rows that repeat a key, such as two votes of one annotator on one item.

    Parameters
    ----------
    keys
        The coded columns that together should be unique.
    columns
        The table, for messages.
    names
        The names of the key columns.
    duplicates
        What to do with a repeated key: keep the `first` row, the `last`, or all (`keep`); None refuses.

    Returns
    -------
    Kept
        A mask of the rows that count.

    Raises
    ------
    InputError
        When there are repeats and nobody said what to do with them.
    """
    key = np.zeros(len(columns), dtype=np.int64)
    for coded in keys:
        key = key * (len(coded.values) + 1) + coded.codes + 1
    order = np.argsort(key, kind="stable")
    repeat = np.zeros(len(key), dtype=bool)
    same = key[order[1:]] == key[order[:-1]]
    repeat[order[1:][same]] = True
    n = int(np.count_nonzero(same))
    if not n or duplicates == "keep":
        return Kept(np.ones(len(key), dtype=bool), n)
    if duplicates is None:
        raise InputError(_sentence(columns, names, keys, int(np.argmax(repeat)), n))
    if duplicates == "first":
        return Kept(~repeat, n)
    last = np.ones(len(key), dtype=bool)
    last[order[:-1][same]] = False
    return Kept(last, n)


def _sentence(columns: Columns, names: Sequence[str], keys: Sequence[Coded], row: int, n: int) -> str:
    what = " and ".join(
        f"{name} {shown(coded.names[coded.codes[row]]) if coded.codes[row] >= 0 else 'missing'}"
        for name, coded in zip(names, keys, strict=True)
    )
    keep = ", or 'keep' to count every vote" if len(names) > 1 else ""
    others = [name for name in columns.names if name not in names]
    sieve = f", or filter with --where (other columns: {listed(others, 4)})" if others else ""
    return (
        f"{columns.path} row {row + 1} repeats {what}, expected once; {n:,} such row{'s' if n > 1 else ''}. "
        f"Pass --duplicates first or last{keep}{sieve}."
    )


def count_votes(items: Coded, labels: np.ndarray, n_classes: int, rows: np.ndarray) -> np.ndarray:
    """Return votes for each item (rows) and class (columns).

    Parameters
    ----------
    items
        The item of each row.
    labels
        The class of each row; -1 (no label) counts for nothing.
    n_classes
        Number of classes.
    rows
        Mask of the rows that count.
    """
    n_items = len(items.values)
    use = rows & (labels >= 0) & (items.codes >= 0)
    cell = items.codes[use] * n_classes + labels[use]
    return np.bincount(cell, minlength=n_items * n_classes).reshape(n_items, n_classes).astype(np.float64)


def count_findings(
    items: Coded, findings: np.ndarray, answers: np.ndarray, n_findings: int, rows: np.ndarray
) -> np.ndarray:
    """Return votes for each item, finding and answer (0: absent, 1: present).

    Parameters
    ----------
    items
        The item of each row.
    findings
        The finding of each row; -1 counts for nothing.
    answers
        1 for present, 0 for absent, -1 for no answer.
    n_findings
        Number of findings.
    rows
        Mask of the rows that count.
    """
    n_items = len(items.values)
    use = rows & (findings >= 0) & (answers >= 0) & (items.codes >= 0)
    cell = (items.codes[use] * n_findings + findings[use]) * 2 + answers[use]
    return np.bincount(cell, minlength=n_items * n_findings * 2).reshape(n_items, n_findings, 2).astype(np.float64)
