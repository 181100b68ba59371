"""Clusters, groups and weights: a column about items, wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.columns import Columns

Place = tuple["Columns", "str | None"]


def clusters_of(name: str, places: Sequence[Place], items: np.ndarray) -> np.ndarray:
    """Return the cluster of each item as a code.

    Parameters
    ----------
    name
        The column that holds the cluster.
    places
        Tables to look in, with their item columns, the first that has the column first.
    items
        The items of the problem.

    Raises
    ------
    InputError
        When no table has the column, or an item has no cluster, or two.
    """
    _, codes = _coded(name, places, items, ("--cluster", "cluster"))
    _, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64)


def groups_of(name: str, places: Sequence[Place], items: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the group of each item as a code, and the names of the groups in the order of the alphabet.

    Parameters and errors as of `clusters_of`.
    """
    columns, codes = _coded(name, places, items, ("--by", "group"))
    values = columns.coded(name).names
    there = sorted(np.unique(codes).tolist(), key=lambda code: values[code])
    place = np.zeros(len(values), dtype=np.int64)
    place[there] = np.arange(len(there))
    return place[codes], tuple(values[code] for code in there)


def _coded(name: str, places: Sequence[Place], items: np.ndarray, words: tuple[str, str]) -> tuple[Columns, np.ndarray]:
    """Return the table that has a column, and the code of each item in it."""
    flag, what = words
    columns, rows = _located(name, places, items, flag)
    codes = columns.coded(name).codes[rows]
    if columns.facts(name).numeric:  # among numbers, what is none names nothing
        codes = np.where(np.isfinite(columns.numbers(name)[rows]), codes, -1)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise InputError(
            f"{columns.path}: item {shown(items[row])} has no {what} in {name!r} ({np.count_nonzero(codes < 0):,} in "
            "all). Fill the column, or leave those items out with --where."
        )
    return columns, codes


def weights_of(name: str, places: Sequence[Place], items: np.ndarray) -> np.ndarray:
    """Return the weight of each item; see `clusters_of`."""
    columns, rows = _located(name, places, items, "--weight")
    weights: np.ndarray = columns.numbers(name)[rows]
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{columns.path}: item {shown(items[row])} has the weight {shown(float(weights[row]))} in {name!r}, "
            "expected a finite number that is not negative."
        )
    return weights


def _located(name: str, places: Sequence[Place], items: np.ndarray, flag: str) -> tuple[Columns, np.ndarray]:
    """Return the table that has a column, and the row of each item in it."""
    found = [(columns, item) for columns, item in places if name in columns.names]
    if not found:
        there = {c: None for columns, _ in places for c in columns.names}
        raise InputError(f"{flag} {shown(name)}: no file has this column; the columns are {listed(there)}.")
    columns, item = found[0]
    if item is None:
        return columns, np.arange(len(items))
    coded = columns.coded(item)
    first = np.zeros(len(coded.values), dtype=np.int64)
    known = np.nonzero(coded.codes >= 0)[0]
    first[coded.codes[known[::-1]]] = known[::-1]  # the last write is the first row
    values = columns.coded(name).codes
    differs = (coded.codes >= 0) & (values != values[first[coded.codes]])
    if differs.any():
        row = int(np.argmax(differs))
        raise InputError(
            f"{columns.path} row {row + 1}: item {shown(coded.names[coded.codes[row]])} has two values in {name!r}; "
            f"{flag} needs one value for each item."
        )
    place = np.asarray(pc.index_in(pa.array(items.tolist(), pa.string()), value_set=coded.values).fill_null(-1))
    if (place < 0).any():
        missing = items[place < 0]
        raise InputError(
            f"{columns.path} lacks {len(missing):,} of {len(items):,} items (the first is {shown(missing[0])}), "
            f"so that they have no {name!r}. Complete the file, or drop {flag}."
        )
    return columns, first[place]
