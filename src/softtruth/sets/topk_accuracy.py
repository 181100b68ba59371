"""How often is a label that people give among the model's first k, and how often could it be at best?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace
from softtruth.arguments import checked
from softtruth.errors import InputError, listed, shown
from softtruth.sets.coverage import clipped, mass_of, refuse_undefined
from softtruth.sets.prediction_sets import arrays, places, refuse_nan
from softtruth.sets.topk import blocks, checked_k, degrees, members, standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth._arrays import Array

TIES = ("first", "expected", "range")


@checked
def aggregated_topk_accuracy(
    logits: Array,
    distributions: Array,
    k: int,
    clip: bool = True,  # noqa: FBT001, FBT002  the signature is published
    *,
    ties: str = "first",
) -> Array:
    """How much of each label distribution is among the model's first k classes?

    It is the aggregated coverage of the top-k set. With one-hot distributions it is top-k accuracy. The best that any
    model can reach is ``topk_ceiling``, which is less than 1 where people disagree.

    Parameters
    ----------
    logits : array, shape (..., K)
        Logits, probabilities or scores: higher is more likely.
    distributions : array, shape (..., K)
        Shares of the classes; they need not sum to one.
    k : int
        The size of the sets, 1 to K.
    clip : bool
        Whether to clip to [0, 1].
    ties : {"first", "expected", "range"}
        Which classes of equal score are in when not all fit: those of lowest index (``first``); each by its chance
        under a random choice (``expected``); or the least and the most that any choice gives (``range``).

    Returns
    -------
    array, shape (...)
        One number for each example; shape (2, ...) for ``range``, least and most.

    Raises
    ------
    InputError
        If k is no whole number from 1 to K, the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> constant, people = np.full((1, 4), 0.25), np.array([[0.1, 0.2, 0.3, 0.4]])
    >>> aggregated_topk_accuracy(constant, people, 1)
    array([0.1])
    >>> aggregated_topk_accuracy(constant, people, 1, ties="expected")
    array([0.25])
    >>> aggregated_topk_accuracy(constant, people, 1, ties="range")
    array([[0.1],
           [0.4]])
    """
    if ties not in TIES:
        msg = f"ties is {shown(ties)}, expected one of {listed(TIES)}."
        raise InputError(msg)
    logits, distributions = arrays(logits=logits, distributions=distributions)
    k = checked_k(k, logits.shape[-1])
    if isinstance(logits, np.ndarray) and logits.ndim == 2 and logits.shape == distributions.shape:
        return clipped(_block_by_block(logits, distributions, k, ties), clip=clip)
    refuse_nan(logits, "logits")
    refuse_nan(distributions, "distributions")
    return clipped(_mass(logits, distributions, k, ties), clip=clip)


@checked
def topk_ceiling(distributions: Array, k: int, clip: bool = True) -> Array:  # noqa: FBT001, FBT002  as its sister
    """How much of each label distribution could the best set of k classes hold?

    The sum of the k largest shares. Report a top-k accuracy beside the mean of this, or divided by it: where people
    disagree nobody reaches 1.

    Parameters
    ----------
    distributions : array, shape (..., K)
        Shares of the classes.
    k : int
        The size of the sets, 1 to K.
    clip : bool
        As for ``aggregated_topk_accuracy``.

    Returns
    -------
    array, shape (...)

    Raises
    ------
    InputError
        If k is no whole number from 1 to K, or a value is NaN.

    Examples
    --------
    >>> topk_ceiling(np.array([[0.4, 0.3, 0.2, 0.1], [0.0, 1.0, 0.0, 0.0]]), 2)
    array([0.7, 1. ])
    """
    return aggregated_topk_accuracy(distributions, distributions, k, clip)


def _mass(logits: Array, distributions: Array, k: int, ties: str) -> Array:
    xp = namespace(logits, distributions)
    if ties == "first":
        return mass_of(members(logits, k), distributions)
    if ties == "expected":
        return xp.sum(degrees(logits, k) * distributions, axis=-1)
    above, tied, room = standing(logits, k)
    sure = mass_of(above, distributions)
    # The tied classes by their shares, the others out of the way at the far end.
    n_classes = logits.shape[-1]
    far = xp.full_like(distributions, np.inf)
    place = places(distributions)
    least = mass_of(place < room, xp.sort(xp.where(tied, distributions, far), axis=-1))
    most = mass_of(place >= n_classes - room, xp.sort(xp.where(tied, distributions, -far), axis=-1))
    return xp.stack([sure + least, sure + most])


def _block_by_block(logits: NDArray[Any], distributions: NDArray[Any], k: int, ties: str) -> NDArray[Any]:
    """Return the mass of the top-k sets of NumPy rows: by threshold, and row by row only where there are ties."""
    n, n_classes = logits.shape
    kind = distributions.dtype if distributions.dtype.kind == "f" else np.dtype(np.float64)
    found = np.empty((2, n) if ties == "range" else n, kind)
    parts = blocks(logits)
    inside = np.empty((parts[0].stop if parts else 0, n_classes), kind)
    ones = np.ones(n_classes, kind)
    at = n_classes - k
    for part in parts:
        scores, shares = logits[part], distributions[part]
        edge = np.partition(scores, at, axis=1)[:, at : at + 1]
        held = inside[: len(scores)]
        np.copyto(held, scores >= edge, casting="unsafe")
        odd = np.flatnonzero(held @ ones != k)  # ties for the last place, or NaN
        held *= shares
        found[..., part] = held @ ones
        if odd.size:
            if np.isnan(scores[odd]).any():
                refuse_nan(logits, "logits")
            found[..., part.start + odd] = _mass(scores[odd], shares[odd].astype(kind), k, ties)
        if np.isnan(found[..., part]).any():
            refuse_undefined(distributions)
    return found
