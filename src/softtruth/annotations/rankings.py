"""Partial rankings with ties, such as differential diagnoses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from softtruth._cached import cached_property
from softtruth.arguments import Names, checked
from softtruth.errors import InputError, shown
from softtruth.inputs.labels import checked_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Rankings:
    """Who ranked which classes how: one row for each class that somebody named.

    Attributes
    ----------
    item, label : array of int, shape (V,)
        The item and the class of each row.
    ranking : array of int, shape (V,)
        Which ranking the row belongs to, 0 to M-1.
    block : array of int, shape (V,)
        Its place in the ranking, from 1; classes of one block are tied.
    n_items, n_classes, n_rankings : int
        How many items, classes and rankings there are.
    """

    item: NDArray[np.intp]
    label: NDArray[np.intp]
    ranking: NDArray[np.intp]
    block: NDArray[np.intp]
    n_items: int
    n_classes: int
    n_rankings: int

    @classmethod
    @checked
    def of(
        cls,
        items: Names,
        readers: Names,
        ranks: ArrayLike,
        labels: ArrayLike,
        *,
        n_classes: int,
        n_items: int | None = None,
    ) -> Rankings:
        """Return rankings from long columns: one row for each item, reader and class.

        Parameters
        ----------
        items : array-like of int, shape (V,)
            Item indices, from 0.
        readers : array-like, shape (V,)
            Who ranked; a reader ranks an item once.
        ranks : array-like, shape (V,)
            Numbers that order the classes; equal numbers are ties. Only their order counts.
        labels : array-like of int, shape (V,)
            Class indices, from 0.
        n_classes : int
        n_items : int, optional
            By default the largest item index plus one.

        Raises
        ------
        InputError
            If the columns differ in length, an index is out of range, a class is ranked twice, or an item has no
            ranking.
        """
        columns = [np.asarray(a) for a in (items, readers, ranks, labels)]
        if len({a.shape for a in columns}) > 1 or columns[0].ndim != 1:
            msg = f"the columns have shapes {', '.join(str(a.shape) for a in columns)}, expected four of one length."
            raise InputError(msg)
        n_classes = checked_number(n_classes, None) or 0
        item = _indices(columns[0], "items", n_items)
        label = _indices(columns[3], "labels", n_classes)
        n_items = int(item.max(initial=-1)) + 1 if n_items is None else n_items
        _require_rankings(item, n_items)
        reader = np.unique(columns[1], return_inverse=True)[1].reshape(-1)
        pairs, ranking = np.unique(item * (reader.max(initial=0) + 1) + reader, return_inverse=True)
        ranking = ranking.reshape(-1)
        _require_once(ranking, label, item, n_classes)
        return cls(item, label, ranking, _blocks(ranking, columns[2]), n_items, n_classes, len(pairs))

    @classmethod
    @checked
    def of_lists(cls, rankings: Sequence[Any], *, n_classes: int) -> Rankings:
        """Return rankings from nested lists.

        Parameters
        ----------
        rankings : sequence
            For each item a list of rankings; a ranking is a list of blocks, best first; a block is a list of class
            indices that are tied.
        n_classes : int

        Raises
        ------
        InputError
            If an index is out of range, a class is ranked twice, a block is empty, or an item has no ranking.

        Examples
        --------
        >>> Rankings.of_lists([[[[0], [1, 2]], [[1], [0]]]], n_classes=3).block
        array([1, 2, 2, 1, 2])
        """
        for i, each in enumerate(_listed(rankings, "rankings")):
            for ranking in _listed(each, f"item {i}"):
                checked_blocks(ranking, f"a ranking of item {i}")
        empty = next((i for i, each in enumerate(rankings) for blocks in each for b in blocks if not len(b)), None)
        if empty is not None:
            msg = f"a ranking of item {empty} has an empty block; expected at least one class in each."
            raise InputError(msg)
        rows = [
            (i, r, b, c)
            for i, each in enumerate(rankings)
            for r, blocks in enumerate(each)
            for b, block in enumerate(blocks, 1)
            for c in block
        ]
        item, reader, rank, label = np.array(rows).T if rows else np.zeros((4, 0), np.intp)
        return cls.of(item, reader, rank, label, n_classes=n_classes, n_items=len(rankings))

    @cached_property
    def tie_size(self) -> NDArray[np.intp]:
        """How many classes share the block of each row."""
        return self._block_sizes[0]

    @cached_property
    def start(self) -> NDArray[np.intp]:
        """How many classes stand before the block of each row."""
        return self._block_sizes[1]

    @cached_property
    def _block_sizes(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        most = int(self.block.max(initial=0)) + 1
        sizes = np.bincount(self.ranking * most + self.block, minlength=self.n_rankings * most)
        sizes = sizes.reshape(self.n_rankings, most)
        before = np.cumsum(sizes, axis=1) - sizes
        return sizes[self.ranking, self.block], before[self.ranking, self.block]


def checked_blocks(ranking: Any, name: str) -> None:
    """Refuse what is no ranking: a list of blocks, each a list of class indices.

    Raises
    ------
    InputError
        If lists are nested otherwise, or an index is no whole number.
    """
    for block in _listed(ranking, name):
        for label in _listed(block, name):
            if isinstance(label, (bool, np.bool_)) or not isinstance(label, (int, np.integer)):
                _misshapen(name, label)


def _listed(given: Any, name: str) -> Any:
    if not isinstance(given, (list, tuple, range, np.ndarray)) or (isinstance(given, np.ndarray) and given.ndim == 0):
        _misshapen(name, given)
    return given


def _misshapen(name: str, found: Any) -> NoReturn:
    msg = (
        f"{name} holds {shown(found)} out of place: a ranking is a list of blocks, best first, and a block a list of "
        "class indices, such as [[0], [1, 2]]; several items go through Rankings.of_lists."
    )
    raise InputError(msg)


def _indices(values: NDArray[Any], name: str, most: int | None) -> NDArray[np.intp]:
    if values.size and values.dtype.kind not in "iu":
        msg = f"{name} has values of type {values.dtype}, expected whole numbers from 0."
        raise InputError(msg)
    wrong = (values < 0) | (values >= (np.iinfo(np.intp).max if most is None else most))
    if wrong.any():
        row = int(np.argmax(wrong))
        limit = "at least 0" if most is None else f"0 to {most - 1}"
        msg = f"{name} row {row} is {shown(values[row])}, expected {limit}."
        raise InputError(msg)
    return values.astype(np.intp)


def _require_rankings(item: NDArray[np.intp], n_items: int) -> None:
    ranked = np.bincount(item, minlength=n_items) > 0
    if not ranked.all():
        row = int(np.argmin(ranked))
        msg = f"item {row} has no ranking ({int((~ranked).sum())} in all); leave it out."
        raise InputError(msg)


def _require_once(ranking: NDArray[np.intp], label: NDArray[np.intp], item: NDArray[np.intp], n_classes: int) -> None:
    key = ranking * n_classes + label
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    if same.any():
        row = int(order[1:][same][0])
        msg = f"a ranking of item {item[row]} names class {label[row]} twice; expected each class once."
        raise InputError(msg)


def _blocks(ranking: NDArray[np.intp], ranks: NDArray[Any]) -> NDArray[np.intp]:
    """Return places without gaps: the ranks 1, 1, 3 are the blocks 1, 1, 2."""
    place = np.unique(ranks, return_inverse=True)[1].reshape(-1)
    key, block = np.unique(ranking * (place.max(initial=0) + 1) + place, return_inverse=True)
    owner = key // (place.max(initial=0) + 1)
    first = np.searchsorted(owner, owner)
    return (np.arange(len(key)) - first + 1)[block.reshape(-1)]
