"""Values over samples of what the label distributions could be: uncertainty-adjusted measures.

A few annotators do not fix an item's distribution. Samples of it (such as Dirichlet draws from votes) carry that
uncertainty on: each sample gives a value, and their spread is what the annotation leaves open.

Source: Stutz et al. 2025, Med. Image Anal., arXiv:2307.02191.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import average, convention_of
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import as_array, checked_weights
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import evaluate
from softtruth.statistics.table import Table
from softtruth.uncertainty.distribution import Distribution

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged, Operator

_ASSUMPTION = "the samples show what the label distributions could be"
_REFERENCES = ("top", "soft")


@checked
def uncertainty_adjusted(
    samples: Any,
    prediction: Any,
    measure: str | Measure | Averaged = "accuracy",
    operator: str | Operator = "micro",
    *,
    reference: str = "top",
    convention: str = "exclude",
    sample_weight: Any = None,
) -> Distribution:
    """How good is a prediction, when each item has samples of its label distribution?

    Parameters
    ----------
    samples : array-like, shape (N, S, K)
        S samples of the distribution of each of N items over K classes.
    prediction : array-like, shape (N,) or (N, K)
        Class indices, or scores of which the largest counts (ties to the first class).
    measure, operator, convention
        As in ``IndicatorMatrix.compute``; micro, macro and weighted.
    reference : {"top", "soft"}
        What of a sample stands for the truth: its most plausible class (ties to the first), or all of it.
    sample_weight : array-like, shape (N,), optional
        Weights of the items.

    Returns
    -------
    Distribution
        Over the S samples, of source ``annotators``; its mean is the adjusted value.

    Raises
    ------
    InputError
        If shapes do not fit, or a sample is no distribution.

    Examples
    --------
    >>> samples = [[[0.7, 0.2, 0.1], [0.3, 0.4, 0.3]], [[0.1, 0.8, 0.1], [0.2, 0.6, 0.2]]]
    >>> uncertainty_adjusted(samples, [0, 1]).mean
    0.75
    """
    shares = _checked_samples(samples)
    n, s, k = shares.shape
    predicted = _checked_prediction(prediction, n, k)
    if reference not in _REFERENCES:
        msg = f"reference is {shown(reference)}, expected one of {listed(_REFERENCES)}."
        raise InputError(msg)
    weight = np.ones(n) if sample_weight is None else checked_weights(sample_weight, n)
    if reference == "top":
        top = shares.argmax(axis=2)
        at = (np.arange(s) * k + top) * k + predicted[:, None]
        masses = np.bincount(at.ravel(), np.repeat(weight, s), s * k * k).astype(np.float64).reshape(s, k, k)
    else:
        named = np.zeros((n, k))
        named[np.arange(n), predicted] = weight
        masses = np.reshape(shares.reshape(n, s * k).T @ named, (s, k, k))
    question = parse(measure, operator)
    values = np.asarray(evaluate(question, Table(masses), "exclude"))
    return Distribution.of(
        values, None, convention_of(convention), method=f"{s} samples", assumption=_ASSUMPTION, source="annotators"
    )


@checked
def fold_samples(values: NDArray[np.float64], sample_weight: Any = None) -> tuple[Distribution, NDArray[np.float64]]:
    """What is the adjusted value of a number that each item has in each sample, and of which items?

    Parameters
    ----------
    values : array-like, shape (N, S)
        The number of each item in each sample, such as whether a set covers the sampled top class.
    sample_weight : array-like, shape (N,), optional
        Weights of the items.

    Returns
    -------
    Distribution
        Of the mean over items, over the samples.
    ndarray, shape (N,)
        The mean over samples of each item.

    Examples
    --------
    >>> whole, each = fold_samples([[1.0, 0.0], [1.0, 1.0]])
    >>> whole.mean, each.tolist()
    (0.75, [0.5, 1.0])
    """
    numbers = np.asarray(values, np.float64)
    if numbers.ndim != 2 or 0 in numbers.shape:
        msg = f"values have shape {numbers.shape}, expected (N, S): a number for each item and sample."
        raise InputError(msg)
    weight = None if sample_weight is None else checked_weights(sample_weight, numbers.shape[0])
    exclude = convention_of("exclude")
    means = np.asarray(average(numbers.T, weight, exclude))
    s = numbers.shape[1]
    whole = Distribution.of(means, None, exclude, method=f"{s} samples", assumption=_ASSUMPTION, source="annotators")
    return whole, np.asarray(average(numbers, None, exclude))


def _checked_samples(samples: Any) -> NDArray[np.float64]:
    array = as_array(samples, "samples")
    if array.ndim != 3 or 0 in array.shape or array.dtype.kind not in "biuf":
        msg = f"samples have shape {array.shape}, expected (N, S, K): S distributions over K classes for each item."
        raise InputError(msg)
    off = ~(np.isfinite(array).all(axis=2) & (array >= 0).all(axis=2) & (np.abs(array.sum(axis=2) - 1) <= 1e-6))
    if off.any():
        i, j = np.argwhere(off)[0]
        msg = f"samples row {i}, sample {j} is {shown(array[i, j].tolist())}, expected shares from 0 that sum to 1."
        raise InputError(msg)
    return array


def _checked_prediction(prediction: Any, n: int, k: int) -> NDArray[Any]:
    array = as_array(prediction, "prediction")
    if array.shape == (n, k) and array.dtype.kind in "biuf":
        return array.argmax(axis=1)
    if k == 1 and array.shape == (n,) and array.dtype.kind == "f":  # scores of the only class, a column made flat
        return np.zeros(n, np.int64)
    if array.shape != (n,) or array.dtype.kind not in "biu" or array.min() < 0 or array.max() >= k:
        msg = (
            f"prediction has shape {array.shape} and type {array.dtype}, expected {n} class indices from 0 to {k - 1}, "
            f"or scores of shape ({n}, {k})."
        )
        raise InputError(msg)
    return array.astype(np.int64)
