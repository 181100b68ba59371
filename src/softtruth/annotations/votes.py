"""Votes, turned into counts and into distributions over classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import Answers
from softtruth.annotations.dirichlet import dirichlet_samples
from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import MOST_VOTES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

EMPTY = ("refuse", "nan")


@checked
def vote_counts(
    votes: Any, n_classes: int | None = None, *, annotator_weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """How many votes does each class of each item have?

    Parameters
    ----------
    votes : Answers, or array-like of shape (N, R)
        One answer a row (``Answers.long``), or one column for each annotator: class indices, with -1, NaN or None where
        there is no vote.
    n_classes : int, optional
        By default the classes that occur.
    annotator_weights : array-like, shape (R,), optional
        How much a vote of each annotator counts; 1 by default.

    Returns
    -------
    array, shape (N, K)

    Raises
    ------
    InputError
        If a vote is no class index, or a weight is negative or not finite.

    Examples
    --------
    >>> vote_counts([[0, 0, 1], [2, None, 2]])
    array([[2., 1., 0.],
           [0., 0., 2.]])
    >>> vote_counts([[0, 0, 1], [2, None, 2]], annotator_weights=[1, 0.5, 2])
    array([[1.5, 2. , 0. ],
           [0. , 0. , 3. ]])
    """
    answers = Answers.of(votes, n_classes)
    if annotator_weights is None:
        return answers.counts.astype(np.float64)
    weights = _checked_weights(annotator_weights, answers.n_annotators)[answers.annotator]
    n, k = answers.n_items, answers.n_classes
    counts = np.bincount(answers.item * k + answers.label, weights=weights, minlength=n * k)
    return counts.astype(np.float64).reshape(n, k)


@checked
def distributions(counts: ArrayLike, *, smoothing: ArrayLike = 0.0, empty: str = "refuse") -> NDArray[np.float64]:
    """Which share of each class do the votes give each item?

    The share of class k is (n_k + a_k) / (n + sum of a): the mean of the Dirichlet posterior of the shares of the
    people who could have been asked, under the prior Dirichlet(a). Without smoothing it is the plain share of votes.

    Parameters
    ----------
    counts : array-like, shape (..., K)
        Votes for each class; they may be weighted.
    smoothing : float or array-like of shape (K,)
        The a: votes that each class has before anybody votes. 0 by default.
    empty : {"refuse", "nan"}
        What becomes of an item without votes when there is no smoothing.

    Returns
    -------
    array, shape (..., K)
        Rows sum to one.

    Raises
    ------
    InputError
        If a count is negative or not finite, an item has no votes, or the smoothing does not fit.

    Examples
    --------
    >>> distributions([[3, 1, 0]])
    array([[0.75, 0.25, 0.  ]])
    >>> distributions([[3, 1, 0], [0, 0, 0]], smoothing=0.5).round(3)
    array([[0.636, 0.273, 0.091],
           [0.333, 0.333, 0.333]])
    """
    if empty not in EMPTY:
        msg = f"empty is {shown(empty)}, expected one of {listed(EMPTY)}."
        raise InputError(msg)
    masses = smoothed(counts, smoothing)
    whole = masses.sum(axis=-1, keepdims=True)
    nothing = whole == 0
    if nothing.any() and empty == "refuse":
        row = int(np.argmax(nothing.reshape(-1)))
        msg = (
            f"counts row {row} has no votes ({int(nothing.sum())} in all), so nothing is known about it; leave it out, "
            "pass smoothing, or pass empty='nan'."
        )
        raise InputError(msg)
    return np.divide(masses, whole, out=np.full_like(masses, np.nan), where=~nothing)


@checked
def distribution_samples(
    counts: ArrayLike, n_samples: int, *, smoothing: ArrayLike, seed: Seed | np.random.Generator
) -> NDArray[np.float64]:
    """Which distributions may stand behind these few votes?

    Draws from the Dirichlet posterior of the shares, given the votes: what other people of the same kind would say. The
    variance of a share m is m (1 - m) / (n + sum of a + 1).

    Parameters
    ----------
    counts : array-like, shape (..., K)
        Votes for each class.
    n_samples : int
    smoothing : float or array-like of shape (K,)
        The prior's a. At 0 a class without votes keeps the share 0 in every draw; 1 is the uniform prior.
    seed : int or Generator

    Returns
    -------
    array, shape (..., n_samples, K)

    Raises
    ------
    InputError
        If a count is negative or not finite, an item has nothing, or the smoothing does not fit.

    Examples
    --------
    >>> draws = distribution_samples([[3, 1, 0]], 20_000, smoothing=1, seed=0)
    >>> draws.shape, draws.mean(axis=-2).round(2)
    ((1, 20000, 3), array([[0.57, 0.29, 0.14]]))
    """
    return dirichlet_samples(smoothed(counts, smoothing), n_samples, seed=seed)


@checked
def distribution_variance(counts: ArrayLike, *, smoothing: ArrayLike = 0.0) -> NDArray[np.float64]:
    """How far may the shares be off, with so few votes?

    The variance of the Dirichlet posterior: m (1 - m) / (n + sum of a + 1), with m as ``distributions`` gives it.

    Parameters
    ----------
    counts, smoothing
        As for ``distributions``.

    Returns
    -------
    array, shape (..., K)

    Raises
    ------
    InputError
        As for ``distributions``.

    Examples
    --------
    >>> distribution_variance([[3, 1]], smoothing=1)
    array([[0.03174603, 0.03174603]])
    """
    mean = distributions(counts, smoothing=smoothing)
    return mean * (1 - mean) / (smoothed(counts, smoothing).sum(axis=-1, keepdims=True) + 1)


def smoothed(counts: ArrayLike, smoothing: ArrayLike) -> NDArray[np.float64]:
    """Return the votes with the prior's added.

    Raises
    ------
    InputError
        If either is negative or more than can be counted, or the smoothing does not fit the classes.
    """
    masses, prior = np.asarray(counts, np.float64), np.asarray(smoothing, np.float64)
    if masses.ndim == 0:
        msg = f"counts is {shown(counts)}, expected an array with one count for each class on the last axis."
        raise InputError(msg)
    if prior.ndim > 1 or (prior.ndim and prior.shape != masses.shape[-1:]):
        msg = f"smoothing has shape {prior.shape}, expected a number or one for each of the {masses.shape[-1]} classes."
        raise InputError(msg)
    for name, values in (("counts", masses), ("smoothing", prior)):
        good = (values >= 0) & (values <= MOST_VOTES)
        if not good.all():
            msg = f"{name} contains {shown(values[~good].flat[0])}, expected numbers from 0 to {MOST_VOTES:,.0f}."
            raise InputError(msg)
    return masses + prior


def _checked_weights(weights: Any, n: int) -> NDArray[np.float64]:
    given = np.asarray(weights, np.float64)
    if given.shape != (n,) or not (np.isfinite(given) & (given >= 0)).all():
        msg = (
            f"annotator_weights is {shown(weights)}, expected {n} finite numbers of at least 0, one for each annotator."
        )
        raise InputError(msg)
    return given
