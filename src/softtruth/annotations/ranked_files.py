"""Rankings in a file, one row for each class that a reader named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth.annotations.irn import inverse_rank_normalization
from softtruth.annotations.rankings import Rankings
from softtruth.errors import InputError, listed, shown
from softtruth.inputs import vocabulary
from softtruth.inputs.classes import natural_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.inputs.columns import Columns
    from softtruth.inputs.readings import Reading
    from softtruth.inputs.settings import Settings


@dataclass(frozen=True, eq=False)
class RankedShares:
    """What the rankings of each item say together; ``rankings`` counts them."""

    items: tuple[str, ...]
    classes: tuple[str, ...]
    shares: NDArray[np.float64]
    rankings: NDArray[np.float64]
    ignored: int
    sentences: tuple[str, ...]


def ranked_shares(columns: Columns, settings: Settings, item: str | None, reading: Reading) -> RankedShares:
    """Return the distributions of the items by inverse rank normalisation.

    Parameters
    ----------
    columns
        The table.
    settings
        ``label`` names the column of classes; ``labels``, ``rename`` and ``ignore`` as everywhere.
    item
        The column of item ids.
    reading
        Which columns hold the ranks and the readers.

    Raises
    ------
    InputError
        If a column is not clear, or a row is not complete.
    """
    rank, reader = reading.columns[0], str(reading.annotator)
    if item is None:
        msg = f"{columns.path}: rankings need a column of item ids; name it with --item."
        raise InputError(msg)
    label = settings.hints(("reference",), ()).label or _label_of(columns, {item, rank, reader})
    columns.require(label, "--label")
    wishes = settings.wishes(("reference",), (), {})
    coded = columns.coded(label).renamed(wishes.change)
    classes = tuple(n for n in settings.labels or natural_order(coded.names) if n not in wishes.ignore)
    codes = coded.recoded(classes)
    skip = np.array([name in wishes.ignore for name in coded.names] + [False])[coded.codes]
    if ((codes < 0) & ~skip).any():
        row = int(np.argmax((codes < 0) & ~skip))
        value = shown(columns.table[label][row].as_py())
        msg = f"{columns.path} row {row + 1}: {label!r} is {value}, which is no class of {listed(classes)}."
        raise InputError(msg)
    items, readers, ranks = columns.coded(item), columns.coded(reader), columns.numbers(rank)
    gaps = (np.isnan(ranks) | (items.codes < 0) | (readers.codes < 0)) & ~skip
    if gaps.any():
        msg = (
            f"{columns.path} row {int(np.argmax(gaps)) + 1} has no item, reader or rank; complete it or filter the row."
        )
        raise InputError(msg)
    known, at = np.unique(items.codes[~skip], return_inverse=True)
    rankings = Rankings.of(at.reshape(-1), readers.codes[~skip], ranks[~skip], codes[~skip], n_classes=len(classes))
    shares = np.full((len(items.values), len(classes)), np.nan)
    shares[known] = inverse_rank_normalization(rankings)
    first = np.unique(rankings.ranking, return_index=True)[1]
    number = np.bincount(known[rankings.item[first]], minlength=len(items.values)).astype(np.float64)
    sentence = (
        f"{columns.path}: {rankings.n_rankings:,} rankings of {len(known):,} items by inverse rank normalisation; "
        f"classes in {label!r} (override: --label)."
    )
    return RankedShares(tuple(items.names), classes, shares, number, int(skip.sum()), (sentence,))


def _label_of(columns: Columns, taken: set[str]) -> str:
    rest = [name for name in columns.names if name not in taken]
    known = {vocabulary.plain(name): name for name in rest}
    found = next((known[name] for name in vocabulary.LABEL if name in known), None)
    if found is None and len(rest) == 1:
        return rest[0]
    if found is None:
        found_there = f"{listed(rest)} could be it" if rest else f"{listed(columns.names)} hold other things"
        msg = f"{columns.path}: the column of the ranked classes is not clear ({found_there}); name it with --label."
        raise InputError(msg)
    return found
