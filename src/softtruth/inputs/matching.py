"""The same items on both sides: match them by id, or by position when there are no ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from softtruth.errors import InputError, listed
from softtruth.inputs.file_names import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.inputs.side import Side


@dataclass(frozen=True, eq=False)
class Match:
    """Which row of each side (the reference first) belongs to each item."""

    items: np.ndarray
    rows: tuple[np.ndarray, ...]
    reference_only: int
    prediction_only: Mapping[str, int]
    sentences: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()


def match(sides: Sequence[Side], *, filtered: bool = False) -> Match:
    """Match the items of the reference (first) with those of every prediction.

    An item takes part when every side has it, so that all predictions are compared on the same items. Where files were
    ``filtered``, what a side lacks may have been left out of it, and the sentences say so.

    Raises
    ------
    InputError
        When no item is on all sides, or rows without ids differ in number.
    """
    reference, predictions = sides[0], sides[1:]
    if reference.items is None or any(side.items is None for side in predictions):
        return _by_position(sides)
    keep = np.ones(len(reference), dtype=bool)
    places, only, sentences = [], {}, []
    for side in predictions:
        place = np.asarray(pc.index_in(reference.items, value_set=side.items).fill_null(-1)).astype(np.int64)
        known = np.zeros(len(side), dtype=bool)
        known[place[place >= 0]] = True
        if len(side) and not known.any():
            raise InputError(_nothing_shared(reference, side))
        missing, extra = int(np.count_nonzero(place < 0)), int(np.count_nonzero(~known))
        only[side.name] = extra
        after = " after --where" if filtered else ""
        if missing:
            n = f"{missing:,} of {len(reference):,}"
            sentences.append(f"Items of {reference.path} without a row in {side.path}{after}, left out: {n}.")
        if extra:
            n = f"{extra:,} of {len(side):,}"
            sentences.append(f"Items of {side.path} that are not in {reference.path}{after}, left out: {n}.")
        keep &= place >= 0
        places.append(place)
    if not keep.any() and len(reference):
        raise InputError("No item is in all files; compare fewer predictions at a time, or complete the files.")
    rows = np.nonzero(keep)[0]
    return Match(
        items=named(reference.taken(rows).ids()),
        rows=(rows, *(place[rows] for place in places)),
        reference_only=int(np.count_nonzero(~keep)),
        prediction_only=only,
        sentences=tuple(dict.fromkeys(sentences)),
    )


def _nothing_shared(reference: Side, side: Side) -> str:
    ids = [s.ids() for s in (reference, side)]
    bare = [{x.lstrip("0") for x in names} for names in ids]
    hint = "They differ in leading zeros only: write them alike." if bare[0] & bare[1] else "Name the ids with --item."
    if {file_name(x) for x in ids[0]} & {file_name(x) for x in ids[1]}:
        hint = "Their file names are the same: pass --file-names."
    keys = reference.source.keys
    if keys:
        hint = f"{reference.path} also has {listed(keys)}: name what holds the ids with --item reference:KEY."
    ours, theirs = (names[:3] for names in ids)
    return (
        f"No item id is in both {reference.path} (column {reference.source.item!r}: {listed(ours)}) and {side.path} "
        f"(column {side.source.item!r}: {listed(theirs)}). {hint}"
    )


def _by_position(sides: Sequence[Side]) -> Match:
    lengths = {side.path: len(side) for side in sides}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{path} has {n:,} rows" for path, n in lengths.items())
        raise InputError(
            f"Items cannot be matched: some files have no item ids, and the numbers of rows differ ({counts}). "
            "Add a column of item ids, or name it with --item."
        )
    n = len(sides[0])
    first = next((side for side in sides if side.items is not None), None)
    names = first.ids() if first is not None else [str(i) for i in range(1, n + 1)]
    rows = np.arange(n)
    guess = "Rows were matched by their position, because not every file has item ids (override: --item)."
    return Match(
        items=named(names),
        rows=tuple(rows for _ in sides),
        reference_only=0,
        prediction_only={side.name: 0 for side in sides[1:]},
        guesses=(guess,) if len(lengths) > 1 or first is not None else (),
    )


def named(ids: Sequence[str]) -> np.ndarray:
    """Return item ids as an array of Python texts."""
    items = np.empty(len(ids), dtype=object)
    items[:] = ids
    return items
