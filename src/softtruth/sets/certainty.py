"""How sure are we of the reference itself: annotation certainty, and accuracy that takes it into account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import namespace
from softtruth.annotations.dirichlet import dirichlet_samples
from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, shown
from softtruth.sets.prediction_sets import arrays
from softtruth.sets.topk import topk_indicators
from softtruth.sets.topk_accuracy import aggregated_topk_accuracy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth._arrays import Array

LARGEST_DRAW = 2_000_000  # numbers drawn at a time


@checked
def rank_shares(samples: Array, k: int = 1) -> Array:
    """In which share of the samples is each class on rank k?

    Parameters
    ----------
    samples : array, shape (..., S, K)
        S distributions that may all be behind the annotations (``annotations.distribution_samples``,
        ``annotations.irn_samples``).
    k : int
        The rank, 1 for the top class. Of equal shares, the lowest index ranks first.

    Returns
    -------
    array, shape (..., K)
        Rows sum to one: for k = 1 it is itself a label distribution, of who may be first.

    Raises
    ------
    InputError
        If there is no axis of samples, k is no whole number from 1 to K, or a value is NaN.

    Examples
    --------
    >>> rank_shares(np.array([[[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]]))
    array([[0.5 , 0.25, 0.25]])
    """
    (samples,) = arrays(samples=samples)
    if samples.ndim < 2 or samples.shape[-2] == 0:
        msg = f"samples has shape {tuple(samples.shape)}, expected (N, S, K) with at least one sample."
        raise InputError(msg)
    xp = namespace(samples)
    return xp.mean(xp.astype(topk_indicators(samples, k), xp.asarray(0.0).dtype), axis=-2)


def annotation_certainty(samples: Array) -> Array:
    """How sure do the annotations make us of the top class of each example?

    The share of the samples whose top class is the most frequent top class: 1 where the top class is beyond doubt,
    1/K where any class may be it. No model is looked at.

    Parameters
    ----------
    samples : array, shape (..., S, K)
        As for ``rank_shares``.

    Returns
    -------
    array, shape (...)

    Raises
    ------
    InputError
        As for ``rank_shares``.

    Notes
    -----
    Source: Stutz et al. 2023, doi:10.48550/arXiv.2307.02191.

    Examples
    --------
    >>> annotation_certainty(np.array([[[0.7, 0.3], [0.4, 0.6], [0.9, 0.1], [0.8, 0.2]]]))
    array([0.75])
    """
    shares = rank_shares(samples, 1)
    return namespace(shares).max(shares, axis=-1)


@checked
def uncertainty_adjusted_topk_accuracy(logits: Array, samples: Array, k: int = 1, *, ties: str = "first") -> Array:
    """How often is the top class among the model's first k, when it is uncertain which class is the top one?

    The mean over the samples of whether the sample's top class is in the model's top-k set. It is at most the certainty
    of the top k classes, however good the model is.

    Parameters
    ----------
    logits : array, shape (..., K)
        Logits, probabilities or scores of the model; decisions as one-hot rows.
    samples : array, shape (..., S, K)
        As for ``rank_shares``.
    k : int
        The size of the sets.
    ties : {"first", "expected", "range"}
        As for ``aggregated_topk_accuracy``.

    Returns
    -------
    array, shape (...)
        One number for each example; ``Means.of`` averages them.

    Raises
    ------
    InputError
        As for ``rank_shares`` and ``aggregated_topk_accuracy``.

    Notes
    -----
    Source: Stutz et al. 2023, doi:10.48550/arXiv.2307.02191.

    Examples
    --------
    >>> samples = np.array([[[0.7, 0.3], [0.4, 0.6], [0.9, 0.1], [0.8, 0.2]]])
    >>> uncertainty_adjusted_topk_accuracy(np.array([[2.0, 1.0]]), samples)
    array([0.75])
    """
    return aggregated_topk_accuracy(logits, rank_shares(samples, 1), k, ties=ties)


@checked
def sampled_rank_shares(parameters: ArrayLike, k: int = 1, *, n_samples: int = 1000, seed: Seed) -> NDArray[np.float64]:
    """In which share of Dirichlet draws is each class on rank k, without keeping the draws?

    The same as ``rank_shares(dirichlet_samples(parameters, n_samples))``, for data whose draws do not fit in memory.
    Rows of equal parameters get equal shares: they are drawn for once.

    Parameters
    ----------
    parameters : array-like, shape (N, K)
        Of the Dirichlet law of each example: votes plus smoothing, or ``annotations.irn_parameters``.
    k : int
        The rank, up to the least number of positive classes in a row.
    n_samples : int
    seed : int

    Returns
    -------
    array, shape (N, K)

    Raises
    ------
    InputError
        If a parameter is negative or not finite, a row is all zero, or k exceeds a row's positive classes.

    Examples
    --------
    >>> shares = sampled_rank_shares([[8.0, 1.0, 0.0], [3.0, 3.0, 0.0]], seed=0)
    >>> shares.max(axis=1).round(1)
    array([1. , 0.5])
    """
    given = np.asarray(parameters, np.float64)
    if given.ndim != 2:
        msg = f"parameters has shape {given.shape}, expected (N, K)."
        raise InputError(msg)
    width = np.count_nonzero(given > 0, axis=1)
    if len(given) and width.min() < k:
        row = int(np.argmin(width))
        msg = f"parameters row {row} has {width[row]} positive classes, so that no class is on rank {k}."
        raise InputError(msg)
    given, back = np.unique(given, axis=0, return_inverse=True)
    width = np.count_nonzero(given > 0, axis=1)
    # The positive classes of each row, moved to the left in their order.
    most = int(width.max(initial=1))
    place = np.argsort(given <= 0, axis=1, kind="stable")[:, :most]
    packed = np.take_along_axis(given, place, axis=1)
    found = np.zeros(given.shape)
    if n_samples < 1:
        msg = f"n_samples is {shown(n_samples)}, expected a whole number of at least 1."
        raise InputError(msg)
    rows = max(1, LARGEST_DRAW // (n_samples * most))
    seeds = np.random.SeedSequence(seed).spawn(-(-len(given) // rows))
    for start, own in zip(range(0, len(given), rows), seeds, strict=True):
        part = slice(start, start + rows)
        draws = dirichlet_samples(packed[part], n_samples, seed=np.random.default_rng(own))
        np.put_along_axis(found[part], place[part], rank_shares(draws, k), axis=1)
    return found[back.reshape(-1)]
