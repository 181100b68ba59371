"""Inverse rank normalisation: the distribution that several partial rankings stand for, and how far it may be off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.dirichlet import dirichlet_samples
from softtruth.annotations.rankings import Rankings
from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import refuse_too_many

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@checked
def inverse_rank_normalization(
    rankings: Any, n_classes: int | None = None, *, shared: bool = False
) -> NDArray[np.float64]:
    """Which distribution do several partial rankings stand for?

    Every class of block b has the weight 1/b; the weights are added over the rankings of an item and divided by their
    sum once. A class that nobody names has 0.

    Parameters
    ----------
    rankings : Rankings, or list of rankings
        Of many items, or the rankings of one item as lists (see ``Rankings.of_lists``).
    n_classes : int, optional
        Needed for lists.
    shared : bool
        Whether the classes of a block share its weight (1/b divided by their number) in place of having it each.

    Returns
    -------
    array, shape (N, K), or (K,) for the lists of one item

    Raises
    ------
    InputError
        If an index is out of range, a class is ranked twice, or an item has no ranking.

    Notes
    -----
    It misleads where readers list many unlikely classes to be safe: the plain form gives each of them a full weight.
    Source: Stutz et al. 2023, doi:10.48550/arXiv.2307.02191.

    Examples
    --------
    >>> inverse_rank_normalization([[[0], [1, 2]], [[1], [0]]], 3)
    array([0.42857143, 0.42857143, 0.14285714])
    """
    if not isinstance(rankings, Rankings):
        if n_classes is None:
            msg = "rankings are lists, so that n_classes is needed; pass the number of classes."
            raise InputError(msg)
        return inverse_rank_normalization(Rankings.of_lists([rankings], n_classes=n_classes), shared=shared)[0]
    weight = 1.0 / rankings.block
    if shared:
        weight = weight / rankings.tie_size
    n, k = rankings.n_items, rankings.n_classes
    refuse_too_many(n * k, "the distributions")
    found = np.bincount(rankings.item * k + rankings.label, weights=weight, minlength=n * k).reshape(n, k)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@checked
def irn_samples(
    plausibilities: ArrayLike,
    n_samples: int,
    *,
    temperature: float,
    bias: float = 0.0,
    seed: Seed | np.random.Generator,
) -> NDArray[np.float64]:
    """How far may a distribution made of rankings be off?

    Draws from Dirichlet(temperature * plausibility + bias): the temperature says how many full votes the rankings are
    worth. It is an assumption and not an estimate; vary it.

    Parameters
    ----------
    plausibilities : array-like, shape (..., K)
        Such as ``inverse_rank_normalization`` gives.
    n_samples : int
    temperature : float
        Positive. The higher, the closer the draws.
    bias : float
        Added to every class. At 0 a class of plausibility 0 keeps the share 0.
    seed : int or Generator

    Returns
    -------
    array, shape (..., n_samples, K)

    Raises
    ------
    InputError
        If the temperature is not positive, or the bias negative.

    Examples
    --------
    >>> irn_samples([0.5, 0.5, 0.0], 10_000, temperature=9, seed=0).var(axis=-2).round(3)
    array([0.025, 0.025, 0.   ])
    """
    return dirichlet_samples(irn_parameters(plausibilities, temperature, bias), n_samples, seed=seed)


@checked
def irn_parameters(plausibilities: ArrayLike, temperature: float, bias: float = 0.0) -> NDArray[np.float64]:
    """Return the parameters of the Dirichlet law of ``irn_samples``.

    Raises
    ------
    InputError
        If the temperature is not positive, or the bias negative.
    """
    if not (np.isfinite(temperature) and temperature > 0):
        msg = f"temperature is {shown(temperature)}, expected a positive number."
        raise InputError(msg)
    if not (np.isfinite(bias) and bias >= 0):
        msg = f"bias is {shown(bias)}, expected a number of at least 0."
        raise InputError(msg)
    with quiet():  # what is too large becomes infinite, and is refused as a parameter
        return temperature * np.asarray(plausibilities, np.float64) + bias
