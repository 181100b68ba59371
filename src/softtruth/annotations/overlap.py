"""How alike are two rankings: average overlap, also of partial rankings with ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.rankings import Rankings, checked_blocks
from softtruth.arguments import checked
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@checked
def average_overlap(a: ArrayLike, b: ArrayLike, depth: int) -> float:
    """How much do the heads of two rankings have in common?

    ``(1 / L) sum over d = 1..L of |first d of a and of b| / d``: agreement at the top counts in every term. It is 1 for
    equal rankings, and 0 at depth 0.

    Parameters
    ----------
    a, b : array-like of int
        Classes in order, best first, without ties. A ranking may be shorter than the depth.
    depth : int
        L, at least 0.

    Raises
    ------
    InputError
        If a class is ranked twice, or the depth is no whole number of at least 0.

    Notes
    -----
    Source: Fagin, Kumar & Sivakumar 2003, SIAM J. Discrete Math. 17:134, doi:10.1137/S0895480102412856; Webber, Moffat
    & Zobel 2010, ACM Trans. Inf. Syst. 28:20, doi:10.1145/1852102.1852106.

    Examples
    --------
    >>> average_overlap([2, 0, 1], [0, 2, 3], 3)
    0.5555555555555555
    """
    first, second = np.asarray(a), np.asarray(b)
    for name, ranking in (("a", first), ("b", second)):
        if ranking.ndim != 1 or len(np.unique(ranking)) < ranking.size:
            msg = f"{name} is {shown(ranking.tolist())}, expected each class once, in order."
            raise InputError(msg)
    depth = _checked_depth(depth, None)
    if depth == 0:
        return 0.0
    # A class is shared from the depth on at which both have it.
    _, at, other = np.intersect1d(first, second, return_indices=True)
    shared = np.bincount(np.maximum(at, other), minlength=depth)[:depth]
    return float(np.mean(np.cumsum(shared) / np.arange(1, depth + 1)))


@checked
def partial_average_overlap(a: Any, b: Any, n_classes: int, depth: int, *, normalized: bool = False) -> float:
    """How much do the heads of two partial rankings with ties have in common?

    The average overlap that is expected when the ties of each ranking are broken at random, independently: at depth d a
    class of a block of m classes after s others is in with probability min(1, max(0, (d - s) / m)). Classes that a
    ranking does not name are its last block.

    Parameters
    ----------
    a, b : list of blocks
        Best first; a block is a list of class indices that are tied.
    n_classes : int
    depth : int
        L, from 0 to the number of classes.
    normalized : bool
        Divide by the square root of the product of both self overlaps, which are below 1 where there are ties.

    Returns
    -------
    float
        0 at depth 0, and for a ranking that names nothing.

    Raises
    ------
    InputError
        If an index is out of range, a class is ranked twice, or the depth does not fit.

    Examples
    --------
    >>> a, b = [[2], [0, 1], [3]], [[0], [1], [2, 3]]
    >>> round(partial_average_overlap(a, b, 4, 3), 3), round(partial_average_overlap(a, b, 4, 3, normalized=True), 3)
    (0.444, 0.478)
    """
    depth = _checked_depth(depth, n_classes)
    for name, ranking in (("a", a), ("b", b)):
        checked_blocks(ranking, name)
    if depth == 0 or not any(map(len, a)) or not any(map(len, b)):
        return 0.0
    first, second = inclusion(Rankings.of_lists([[a], [b]], n_classes=n_classes), depth)
    value = _overlap(first, second)
    if normalized:
        value = value / np.sqrt(_overlap(first, first) * _overlap(second, second))
    return float(value)


def inclusion(rankings: Rankings, depth: int) -> NDArray[np.float64]:
    """Return the chance that each class is among the first d of each ranking, (M, depth, K)."""
    m, k = rankings.n_rankings, rankings.n_classes
    named = np.bincount(rankings.ranking, minlength=m)
    start = np.repeat(named[:, None].astype(np.float64), k, axis=1)
    size = k - start
    start[rankings.ranking, rankings.label] = rankings.start
    size[rankings.ranking, rankings.label] = rankings.tie_size
    depths = np.arange(1, depth + 1)[None, :, None]
    return np.clip((depths - start[:, None]) / np.maximum(size, 1)[:, None], 0.0, 1.0)


@checked
def reader_overlap(rankings: Rankings, depth: int) -> NDArray[np.float64]:
    """How alike are the rankings of one item: the mean partial average overlap of its pairs of readers?

    Parameters
    ----------
    rankings : Rankings
    depth : int
        From 1 to the number of classes.

    Returns
    -------
    array, shape (N,)
        NaN for items with one ranking.

    Raises
    ------
    InputError
        If the depth does not fit.

    Examples
    --------
    >>> reader_overlap(Rankings.of_lists([[[[0], [1]], [[0], [1]]], [[[0]]]], n_classes=4), 2)
    array([ 1., nan])
    """
    depth = _checked_depth(depth, rankings.n_classes)
    sums = np.zeros(rankings.n_items)
    owner = np.zeros(rankings.n_rankings, np.intp)
    owner[rankings.ranking] = rankings.item
    order = np.argsort(owner, kind="stable")
    n = np.bincount(owner, minlength=rankings.n_items)
    ends = np.cumsum(n)
    for first, last in _batches(ends, max(1, 4_000_000 // (max(depth, 1) * rankings.n_classes))):
        chosen = order[(ends[first - 1] if first else 0) : ends[last - 1]]
        part = _some(rankings, chosen)
        inside = inclusion(part, depth) / np.sqrt(np.arange(1, depth + 1))[:, None]
        starts = np.concatenate([[0], np.cumsum(n[first:last])[:-1]])
        # The sum over pairs, from the square of the sum: no pair is visited.
        whole = np.square(np.add.reduceat(inside, starts, axis=0)).sum(axis=(1, 2))
        own = np.add.reduceat(np.square(inside).sum(axis=(1, 2)), starts)
        sums[first:last] = (whole - own) / depth
    return np.divide(sums, n * (n - 1), out=np.full(rankings.n_items, np.nan), where=n > 1)


def _batches(ends: NDArray[np.intp], most: int) -> list[tuple[int, int]]:
    """Return ranges of items whose rankings are about so many."""
    cuts = np.unique(np.append(np.searchsorted(ends, np.arange(most, ends[-1], most)) + 1, len(ends)))
    return list(zip([0, *cuts[:-1].tolist()], cuts.tolist(), strict=True))


def _some(rankings: Rankings, chosen: NDArray[np.intp]) -> Rankings:
    place = np.full(rankings.n_rankings, -1)
    place[chosen] = np.arange(len(chosen))
    rows = place[rankings.ranking] >= 0
    columns = (rankings.item[rows], rankings.label[rows], place[rankings.ranking[rows]], rankings.block[rows])
    return Rankings(*columns, rankings.n_items, rankings.n_classes, len(chosen))


def _overlap(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    shared = np.einsum("dk,dk->d", a, b)
    return float(np.mean(shared / np.arange(1, len(shared) + 1)))


def _checked_depth(depth: int, most: int | None) -> int:
    if depth < 0 or (most is not None and depth > most):
        limit = "of at least 0" if most is None else f"from 0 to {most}, the number of classes"
        msg = f"depth is {shown(depth)}, expected a whole number {limit}."
        raise InputError(msg)
    return int(depth)
