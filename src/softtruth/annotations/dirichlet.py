"""Draws of distributions from Dirichlet laws, also where the parameters are tiny or zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import refuse_too_many

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_TINY = 1e-100


@checked
def dirichlet_samples(
    parameters: ArrayLike, n_samples: int, *, seed: Seed | np.random.Generator
) -> NDArray[np.float64]:
    """Which distributions does a Dirichlet law give?

    Parameters
    ----------
    parameters : array-like, shape (..., K)
        Positive where a class can have a share; a class of parameter 0 has the share 0 in every draw.
    n_samples : int
    seed : int or Generator

    Returns
    -------
    array, shape (..., n_samples, K)
        Rows sum to one.

    Raises
    ------
    InputError
        If a parameter is negative or not finite, or a row is all zero.

    Examples
    --------
    >>> draws = dirichlet_samples([0.01, 0.01, 0.0], 1000, seed=0)
    >>> np.allclose(draws.sum(axis=-1), 1), float(draws[:, 2].max())
    (True, 0.0)
    """
    given = np.asarray(parameters, np.float64)
    if given.ndim == 0 or given.shape[-1] == 0:
        msg = f"parameters have shape {given.shape}, expected one number for each class on the last axis."
        raise InputError(msg)
    rows = given.reshape(-1, given.shape[-1])
    if not (np.isfinite(rows) & (rows >= 0)).all():
        bad = rows[~(np.isfinite(rows) & (rows >= 0))][0]
        msg = f"parameters contain {shown(bad)}, expected finite numbers of at least 0."
        raise InputError(msg)
    positive = rows > 0
    if not positive.any(axis=1).all():
        row = int(np.argmin(positive.any(axis=1)))
        msg = f"parameters row {row} is all zero, which is no law; leave it out, or add smoothing or bias."
        raise InputError(msg)
    if n_samples < 1:
        msg = f"n_samples is {shown(n_samples)}, expected a whole number of at least 1."
        raise InputError(msg)
    refuse_too_many(n_samples * rows.size, f"{n_samples:,} samples")
    # Of a law of nothing but tiny parameters the ratios are all that counts, and their inverses have to be numbers.
    top = rows.max(axis=1, keepdims=True, initial=0.0)
    rows = np.where(top < _TINY, rows / np.where(positive.any(axis=1, keepdims=True), top, 1.0) * _TINY, rows)
    generator = np.random.default_rng(seed)
    drawn = np.zeros((n_samples, *rows.shape))
    if rows.size:
        drawn[:, positive] = _normalised(rows[positive], np.count_nonzero(positive, axis=1), n_samples, generator)
    return np.moveaxis(drawn.reshape(n_samples, *given.shape), 0, -2)


def _normalised(
    shapes: NDArray[np.float64], lengths: NDArray[np.intp], n_samples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return shares (n_samples, P) of rows that lie one after another, of so many positive parameters each."""
    size = (n_samples, shapes.size)
    # A gamma variable of a small shape underflows, its logarithm does not: G(a) = G(a + 1) U^(1/a)
    # (Marsaglia & Tsang 2000, ACM Trans. Math. Softw. 26:363, doi:10.1145/358407.358414).
    logs = np.log(generator.standard_gamma(shapes + 1, size))
    with np.errstate(over="ignore"):  # beside larger ones a tiny parameter has no share
        logs -= generator.standard_exponential(size) / shapes
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    logs -= np.repeat(np.maximum.reduceat(logs, starts, axis=1), lengths, axis=1)
    shares = np.exp(logs, out=logs)
    shares /= np.repeat(np.add.reduceat(shares, starts, axis=1), lengths, axis=1)
    return shares
