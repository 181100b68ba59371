"""How much of what people say lies inside the sets: aggregated coverage, by example, by size and by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace, quiet, where
from softtruth.arguments import checked
from softtruth.conventions import ratio
from softtruth.errors import InputError
from softtruth.inputs.arrays import checked_weights
from softtruth.sets.prediction_sets import arrays, is_member, refuse_nan
from softtruth.sets.topk import blocks
from softtruth.statistics.cells import Cells
from softtruth.statistics.means import Means

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth._arrays import Array


@checked
def aggregated_coverage(prediction_sets: Array, distributions: Array, clip: bool = True) -> Array:  # noqa: FBT001, FBT002  the signature is published
    """How much of each label distribution lies inside the prediction set?

    For example i it is the sum of ``distributions[i, k]`` over the classes k in the set: the chance that the set holds
    a label drawn from the distribution. An empty set covers 0, the full set all.

    Parameters
    ----------
    prediction_sets : array, shape (..., K)
        Positive where a class is in the set. Degrees count as 1: for a set of degrees, such as
        ``topk_sets(..., ties="expected")``, multiply and sum yourself.
    distributions : array, shape (..., K)
        Shares of the classes. They need not sum to one, so that several labels may each count in full.
    clip : bool
        Whether to clip to [0, 1], which matters only for rows that sum to more than one.

    Returns
    -------
    array, shape (...)
        One number for each example. ``Means.of`` averages them, with weights, and adds over batches.

    Raises
    ------
    InputError
        If the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> sets = np.array([[1, 0, 1], [0, 0, 0]])
    >>> people = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    >>> aggregated_coverage(sets, people)
    array([0.7, 0. ])
    >>> Means.of(aggregated_coverage(sets, people)).value()
    0.35
    """
    sets, distributions = arrays(prediction_sets=prediction_sets, distributions=distributions)
    if isinstance(sets, np.ndarray) and sets.ndim == 2 and sets.shape == distributions.shape:
        return clipped(_block_by_block(sets, distributions), clip=clip)
    refuse_nan(distributions, "distributions")
    return clipped(mass_of(is_member(sets), distributions), clip=clip)


def mass_of(inside: Array, distributions: Array) -> Array:
    """Return the sum of the distribution over the classes inside."""
    xp = namespace(inside, distributions)
    return xp.sum(xp.where(inside, distributions, xp.zeros_like(distributions)), axis=-1)


def clipped(values: Array, *, clip: bool) -> Array:
    """Return the values, clipped to [0, 1] if asked."""
    if not clip:
        return values
    # A result of our own is clipped where it lies: a copy would be most of the memory that is used.
    if isinstance(values, np.ndarray):
        return np.clip(values, 0, 1, out=values)
    return where(values < 0, 0.0, where(values > 1, 1.0, values))  # `clip` of other libraries may write in place


def _block_by_block(sets: NDArray[Any], distributions: NDArray[Any]) -> NDArray[Any]:
    kind = distributions.dtype if distributions.dtype.kind == "f" else np.dtype(np.float64)
    found = np.empty(len(sets), kind)
    parts = blocks(sets)
    shape = (parts[0].stop if parts else 0, sets.shape[1])
    inside, numbers = np.empty(shape, bool), np.empty(shape, kind)
    ones = np.ones(sets.shape[1], kind)
    for part in parts:
        given = sets[part]
        if given.dtype.kind == "f" and np.isnan(given).any():
            refuse_nan(sets, "prediction_sets")
        held = numbers[: len(given)]
        # Mixed types multiply slowly: the set becomes numbers first.
        np.copyto(held, np.greater(given, 0, out=inside[: len(given)]), casting="unsafe")
        held *= distributions[part]
        np.dot(held, ones, out=found[part])
        if np.isnan(found[part]).any():
            refuse_undefined(distributions)
    return found


def refuse_undefined(distributions: NDArray[Any]) -> None:
    """Say what made a sum of shares undefined.

    Raises
    ------
    InputError
        Naming the first row with NaN, or infinite values.
    """
    refuse_nan(distributions, "distributions")
    msg = "distributions contain infinite values, expected finite shares."
    raise InputError(msg)


@checked
def set_cells(prediction_sets: ArrayLike, distributions: ArrayLike, *, weight: ArrayLike | None = None) -> Cells:
    """What do the sets get right and wrong, class by class?

    The sets are crisp, so the masses of a class follow from the distributions alone: of class k, ``tp`` is the mass of
    k inside the sets, ``fn`` the mass outside. Every measure of cells can be put to the result: ``macro recall`` is
    top-k recall averaged over classes, ``micro recall`` the coverage of all mass.

    Parameters
    ----------
    prediction_sets, distributions : array, shape (N, K)
        As for ``aggregated_coverage``; shares between 0 and 1.
    weight : array, shape (N,), optional

    Returns
    -------
    Cells
        They add over batches.

    Raises
    ------
    InputError
        If the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> cells = set_cells([[1, 1, 0], [1, 0, 1]], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    >>> cells.tp, cells.fn
    (array([0.5 , 0.25, 0.5 ]), array([0.  , 0.5 , 0.25]))
    """
    sets, shares = map(np.asarray, arrays(prediction_sets=prediction_sets, distributions=distributions))
    shares = shares.astype(np.float64)
    refuse_nan(shares, "distributions")
    n, k = shares.shape
    weights = np.ones(n) if weight is None else checked_weights(weight, n)
    masses = np.zeros((4, k))
    for part in blocks(shares):
        inside, y, w = is_member(sets[part]).astype(np.float64), shares[part], weights[part]
        tp = w @ (inside * y)
        masses += [tp, w @ inside - tp, w @ y - tp, w @ ((1 - inside) * (1 - y))]
    return Cells(np.maximum(masses, 0.0), "multilabel", "independent")


@checked
def coverage_by_class(
    prediction_sets: ArrayLike, distributions: ArrayLike, *, weight: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Which share of each class's mass do the sets cover?

    A mean over all examples hides rare classes; this is the coverage of the votes for one class at a time.

    Parameters
    ----------
    prediction_sets, distributions : array, shape (N, K)
        As for ``aggregated_coverage``.
    weight : array, shape (N,), optional

    Returns
    -------
    array, shape (K,)
        NaN for a class that nobody chose.

    Raises
    ------
    InputError
        If the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> coverage_by_class([[1, 1, 0], [1, 0, 0]], [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
    array([1. , 0.5, nan])
    """
    cells = set_cells(prediction_sets, distributions, weight=weight)
    with quiet():
        return np.asarray(ratio(cells.tp, cells.tp + cells.fn))


@checked
def coverage_by_size(
    prediction_sets: ArrayLike, distributions: ArrayLike, *, clip: bool = True, weight: ArrayLike | None = None
) -> dict[int, Means]:
    """Is coverage the same for small and for large sets?

    Sets of a good size cover alike whatever their size; low coverage of the small ones says that they are too sure.

    Parameters
    ----------
    prediction_sets, distributions : array, shape (N, K)
        As for ``aggregated_coverage``.
    clip : bool
        As for ``aggregated_coverage``.
    weight : array, shape (N,), optional

    Returns
    -------
    dict
        For each size that occurs, in order, the mean coverage of the sets of that size, with its standard error.

    Raises
    ------
    InputError
        If the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> found = coverage_by_size([[1, 0], [1, 1], [0, 1]], [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8]])
    >>> {size: (means.count, means.value()) for size, means in found.items()}
    {1: (2, 0.65), 2: (1, 1.0)}
    """
    sets, shares = map(np.asarray, arrays(prediction_sets=prediction_sets, distributions=distributions))
    covered = aggregated_coverage(sets, shares, clip)
    weights = None if weight is None else checked_weights(weight, len(covered))
    sizes = np.count_nonzero(is_member(sets), axis=-1)
    order = np.argsort(sizes, kind="stable")
    occurring, starts = np.unique(sizes[order], return_index=True)
    groups = np.split(order, starts[1:]) if len(occurring) else []
    return {
        int(s): Means.of(covered[rows], None if weights is None else weights[rows])
        for s, rows in zip(occurring, groups, strict=True)
    }
