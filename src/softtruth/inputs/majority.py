"""The majority of a soft reference, with its ties dealt with in the open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIES = ("share", "first", "drop")


@checked
def majority(shares: NDArray[Any], *, exclusive: bool, ties: str = "share") -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Which class does each item belong to by most of its votes?

    Parameters
    ----------
    shares : ndarray, shape (N, K) or (N, m)
        Rows of shares of classes that exclude each other, or one share for each label.
    exclusive : bool
        Whether the classes exclude each other. If not, a label holds when more than half say so.
    ties : {"share", "first", "drop"}
        ``share`` gives each tied class its equal part, so that the result is soft where there are ties; ``first``
        takes the first of the tied classes (for a label: that it does not hold). ``drop`` is like ``first``: the
        caller leaves the tied ones out.

    Returns
    -------
    reference : ndarray
        Class indices (N,), or degrees of the shape of ``shares``.
    tied : ndarray of bool, shape (N,) or (N, m)
        Where there is no single most voted class. A tie is exact.

    Raises
    ------
    InputError
        If ``ties`` is none of the three.

    Examples
    --------
    >>> votes = np.array([[3, 1, 0], [2, 2, 1]]) / [[4], [5]]
    >>> majority(votes, exclusive=True)
    (array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]]), array([False,  True]))
    >>> majority(votes, exclusive=True, ties="first")[0]
    array([0, 0])
    """
    if ties not in TIES:
        msg = f"ties is {shown(ties)}, expected one of {listed(TIES)}."
        raise InputError(msg)
    shares = np.asarray(shares)
    if shares.ndim < 1 + exclusive:
        msg = f"shares have shape {shares.shape}, expected a row for each item."
        raise InputError(msg)
    if not exclusive:
        tied = shares == 0.5
        held = (shares > 0.5).astype(np.uint8)
        return (np.where(tied, 0.5, held) if ties == "share" and tied.any() else held), tied
    top = shares == shares.max(axis=1, keepdims=True, initial=0.0)
    number = top.sum(axis=1)
    tied = number > 1
    if ties == "share" and tied.any():
        return top / number[:, None], tied
    return top.argmax(axis=1), tied
