"""The mean of a number for each example, with its interval: coverage, set size, certainty, any score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Names, checked
from softtruth.conventions import convention_of
from softtruth.errors import InputError
from softtruth.statistics.means import Means
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import checked_level, wald
from softtruth.uncertainty.pulls import clustered_variance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from softtruth.uncertainty.interval import Interval


@checked
def mean_interval(
    values: Means | ArrayLike,
    *,
    weight: ArrayLike | None = None,
    clusters: Names | None = None,
    limits: tuple[float, float] = (0.0, 1.0),
    convention: str = "exclude",
    level: float = 0.95,
) -> Interval:
    """What is the mean of this number over all examples, and how sure is it?

    Parameters
    ----------
    values : Means, or array-like of shape (N,)
        A finished sum, or one number for each example; NaN where it is undefined.
    weight : array-like, shape (N,), optional
        Where the numbers are given.
    clusters : array-like, shape (N,), optional
        Which examples belong together, where the numbers are given.
    limits : (float, float)
        The range of the number; it gives the scale of the interval.
    convention : str
        What becomes of undefined numbers.
    level : float

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        If weight or clusters come with a finished sum, or do not fit the numbers.

    Examples
    --------
    >>> print(mean_interval([0.2, 0.4, 0.9, 0.5, 0.6, 0.7]))
    0.550 [0.358, 0.728] sampling 95%
    """
    settled, level = convention_of(convention), checked_level(level)
    if isinstance(values, Means):
        if weight is not None or clusters is not None:
            msg = "values are a finished sum, which takes no weight and no clusters; pass one number for each example."
            raise InputError(msg)
        return wald(values.value(settled), values.standard_error(settled), level, limits, assumption=INDEPENDENT)
    numbers = np.asarray(values, np.float64)
    weights = None if weight is None else _fitting(weight, numbers, "weight").astype(np.float64)
    means = Means.of(numbers, weights)
    value = means.value(settled)
    if clusters is None:
        return wald(value, means.standard_error(settled), level, limits, assumption=INDEPENDENT)
    groups = np.unique(_fitting(clusters, numbers, "clusters"), return_inverse=True)[1].reshape(-1)
    weights = np.ones(numbers.shape) if weights is None else weights
    if settled.substitute is not None:
        numbers = np.where(np.isnan(numbers), settled.substitute, numbers)
    counted = (weights > 0) & ~np.isnan(numbers)
    pulls = weights[counted] * (numbers[counted] - value) / weights[counted].sum()
    error = math.nan if math.isnan(value) else math.sqrt(clustered_variance(pulls, groups[counted]))
    return wald(value, error, level, limits, assumption=CLUSTERED)


def _fitting(given: Any, numbers: Any, name: str) -> Any:
    array = np.asarray(given)
    if array.shape != numbers.shape:
        msg = f"{name} has shape {array.shape} but there are {len(numbers)} numbers; expected one for each."
        raise InputError(msg)
    return array
