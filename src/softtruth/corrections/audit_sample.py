"""A probability sample of items to review: every item has a known chance to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_STRATA = 4
_FLOOR = 0.1  # spread that is allowed for where nothing is suspected: surprises are what an audit is for


@dataclass(frozen=True, eq=False)
class AuditPlan:
    """The items to review.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Positions of the items.
    stratum : ndarray of int, shape (n,)
    probability : ndarray, shape (n,)
        With which each item was drawn.
    sizes : ndarray of int
        How many items each stratum has.
    seed : int
    """

    rows: NDArray[np.intp]
    stratum: NDArray[np.intp]
    probability: NDArray[np.float64]
    sizes: NDArray[np.intp]
    seed: int


@checked
def audit_plan(n_items: int, size: int, *, scores: ArrayLike | None = None, seed: Seed = 0) -> AuditPlan:
    """Which items should be reviewed, to learn how often labels and model are right?

    Every item has a known chance to be drawn, so that the review can be weighted back to all items. With ``scores`` the
    suspicious labels have a greater one: items are ordered by suspicion and divided into four strata of about equal
    total spread, and each gives the same number of items (Neyman's allocation). Without, each item has the same chance.

    Parameters
    ----------
    n_items : int
    size : int
        How many items are to be reviewed.
    scores : array-like, shape (n_items,), optional
        How doubtful each label is, in [0, 1], such as ``Suspects.score``.
    seed : int

    Raises
    ------
    InputError
        If there are not that many items, or the scores do not fit.

    Examples
    --------
    >>> plan = audit_plan(1000, 40, scores=np.linspace(0, 1, 1000) ** 4)
    >>> len(plan.rows), bool((1 / plan.probability).sum().round(6) == 1000)
    (40, True)

    Sources: Neyman 1934, J. R. Stat. Soc. 97:558, doi:10.2307/2342192; Dalenius & Hodges 1959, J. Am. Stat. Assoc.
    54:88, doi:10.1080/01621459.1959.10501501.
    """
    if not 2 <= size <= n_items:
        msg = f"size is {shown(size)}, expected a whole number from 2 to the {n_items} items."
        raise InputError(msg)
    rng = np.random.default_rng(seed)
    stratum = np.zeros(n_items, np.intp)
    strata = min(_STRATA, int(size) // 4) or 1
    if scores is not None and strata > 1:
        doubt = np.asarray(scores, np.float64)
        if doubt.shape != (n_items,) or not ((doubt >= 0) & (doubt <= 1)).all():
            msg = f"scores have shape {doubt.shape}, expected one number in [0, 1] for each of the {n_items} items."
            raise InputError(msg)
        order = np.lexsort((rng.random(n_items), doubt))  # equal scores in random order
        spread = np.sqrt(np.maximum(doubt * (1 - doubt), _FLOOR**2))[order].cumsum()
        stratum[order] = np.minimum((spread / spread[-1] * strata).astype(np.intp), strata - 1)
    stratum = np.unique(stratum, return_inverse=True)[1]
    sizes = np.bincount(stratum)
    wanted = _shared_out(int(size), sizes)
    key = rng.random(n_items)
    order = np.lexsort((key, stratum))
    place = np.empty(n_items, np.intp)
    place[order] = np.arange(n_items) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.flatnonzero(place < wanted[stratum])
    return AuditPlan(rows, stratum[rows], (wanted / sizes)[stratum[rows]], sizes, seed)


def _shared_out(size: int, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return equal numbers of items from each stratum, as far as each has them."""
    wanted = np.zeros(len(sizes), np.intp)
    while wanted.sum() < size:
        free = np.flatnonzero(wanted < sizes)
        share = max((size - int(wanted.sum())) // len(free), 1)
        for s in free[: size - int(wanted.sum())]:
            wanted[s] = min(wanted[s] + share, sizes[s])
    return wanted
