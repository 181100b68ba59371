"""Top-k sets and rank-k classes, with ties in the open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace
from softtruth.arguments import checked
from softtruth.errors import InputError, listed, shown
from softtruth.sets.prediction_sets import arrays, as_integers, count, is_real, refuse_nan, running

if TYPE_CHECKING:
    from softtruth._arrays import Array

SET_TIES = ("first", "expected")
BLOCK = 65_536  # numbers looked at together: a block and its copies stay in the cache of one core


@checked
def topk_sets(logits: Array, k: int, *, ties: str = "first") -> Array:
    """Which k classes does the model put first?

    Parameters
    ----------
    logits : array, shape (..., K)
        Logits, probabilities or scores: higher is more likely.
    k : int
        The size of the sets, 1 to K.
    ties : {"first", "expected"}
        What happens to classes of equal score when only some of them fit in. ``first``: those of lowest index are in.
        ``expected``: each is in by the same share, which is its chance of being in under a random choice; the result
        does not depend on the order of the classes.

    Returns
    -------
    array, shape (..., K)
        1 in the set and 0 outside (integers); degrees between 0 and 1 for ``expected``.

    Raises
    ------
    InputError
        If k is no whole number from 1 to K, or a score is NaN.

    Examples
    --------
    >>> scores = np.array([[1.0, 3.0, 3.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    >>> topk_sets(scores, 2)
    array([[0, 1, 1, 0],
           [1, 1, 0, 0]])
    >>> topk_sets(scores, 2, ties="expected")
    array([[0. , 1. , 1. , 0. ],
           [0.5, 0.5, 0.5, 0.5]])
    """
    logits, k = checked_logits(logits, k)
    if ties not in SET_TIES:
        msg = f"ties is {shown(ties)}, expected one of {listed(SET_TIES)} (a set has no range; its accuracy has one)."
        raise InputError(msg)
    if ties == "expected":
        return degrees(logits, k)
    return as_integers(members(logits, k))


@checked
def topk_indicators(logits: Array, k: int) -> Array:
    """Which class does the model put on rank k?

    Parameters
    ----------
    logits : array, shape (..., K)
        Logits, probabilities or scores: higher is more likely.
    k : int
        The rank, 1 to K. Of equal scores, the lowest index ranks first.

    Returns
    -------
    array of int, shape (..., K)
        1 for the class on rank k. Summed over the ranks 1 to k these are the top-k sets.

    Raises
    ------
    InputError
        If k is no whole number from 1 to K, or a score is NaN.

    Examples
    --------
    >>> topk_indicators(np.array([[1.0, 3.0, 3.0, 2.0]]), 2)
    array([[0, 0, 1, 0]])
    """
    logits, k = checked_logits(logits, k)
    inside = members(logits, k)
    return as_integers(inside if k == 1 else inside & ~members(logits, k - 1))


def checked_logits(logits: Any, k: int) -> tuple[Array, int]:
    """Return scores and k as they are used.

    Raises
    ------
    InputError
        If k does not fit the classes, or a score is NaN.
    """
    (logits,) = arrays(logits=logits)
    k = checked_k(k, logits.shape[-1])
    refuse_nan(logits, "logits")
    return logits, k


def checked_k(k: int, n_classes: int) -> int:
    """Return k as a plain number.

    Raises
    ------
    InputError
        If it is no whole number from 1 to the number of classes.
    """
    if not 1 <= k <= n_classes:
        msg = f"k is {shown(k)}, expected a whole number from 1 to {n_classes}, the number of classes."
        raise InputError(msg)
    return int(k)


def members(logits: Array, k: int) -> Array:
    """Return where a class is among the first k; of equal scores those of lowest index."""
    if isinstance(logits, np.ndarray) and logits.ndim == 2:
        inside = np.empty(logits.shape, bool)
        for part in blocks(logits):
            inside[part] = _members(logits[part], k)
        return inside
    return _members(logits, k)


def _members(logits: Array, k: int) -> Array:
    above, tied, room = standing(logits, k)
    return above | (tied & (running(as_integers(tied)) <= room))


def degrees(logits: Array, k: int) -> Array:
    """Return the chance of each class to be among the first k when ties are broken at random."""
    xp = namespace(logits)
    above, tied, room = standing(logits, k)
    kind = logits.dtype if is_real(logits) else xp.asarray(0.0).dtype
    share = xp.astype(room, kind) / xp.astype(count(tied)[..., None], kind)
    return xp.where(above, xp.ones_like(share), xp.where(tied, share, xp.zeros_like(share)))


def standing(logits: Array, k: int) -> tuple[Array, Array, Array]:
    """Return which classes are surely in, which are tied for the last places, and how many places these share."""
    at = logits.shape[-1] - k
    if isinstance(logits, np.ndarray):
        edge = np.partition(logits, at, axis=-1)[..., at : at + 1]
    else:
        edge = namespace(logits).sort(logits, axis=-1)[..., at : at + 1]
    above = logits > edge
    return above, logits == edge, k - count(above)[..., None]


def blocks(array: np.ndarray) -> list[slice]:
    """Return slices of rows that fit in the cache."""
    rows = max(1, BLOCK // array.shape[-1])
    return [slice(start, start + rows) for start in range(0, array.shape[0], rows)]
