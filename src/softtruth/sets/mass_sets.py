"""Sets that hold most of a model's probability, and the most that sets of such sizes could cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth._arrays import namespace
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.sets.coverage import clipped, mass_of
from softtruth.sets.prediction_sets import arrays, as_integers, count, is_member, places, refuse_nan, running

if TYPE_CHECKING:
    from softtruth._arrays import Array

ROUNDING = 1e-6  # a mass this little below the wanted one is reached


@checked
def mass_sets(probabilities: Array, mass: float) -> Array:
    """Which are the fewest classes that hold this much of the model's probability?

    The classes in order of their probability, until the mass is reached. If the model's probabilities are right, such
    a set covers at least this share of what people say; coverage below it says that the model is too sure.

    Parameters
    ----------
    probabilities : array, shape (..., K)
        Rows that sum to one.
    mass : float
        Above 0, up to 1.

    Returns
    -------
    array of int, shape (..., K)
        1 in the set; of equal probabilities the lowest index comes first. Never empty.

    Raises
    ------
    InputError
        If the mass is out of range, or a value is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> mass_sets(np.array([[0.5, 0.1, 0.4], [0.95, 0.05, 0.0]]), 0.9)
    array([[1, 0, 1],
           [1, 0, 0]])
    """
    if isinstance(mass, (bool, str)) or not 0 < mass <= 1:
        msg = f"mass is {shown(mass)}, expected a number above 0, up to 1."
        raise InputError(msg)
    (p,) = arrays(probabilities=probabilities)
    refuse_nan(p, "probabilities")
    xp = namespace(p)
    ordered = xp.flip(xp.sort(p, axis=-1), axis=-1)
    before = running(ordered) - ordered
    size = count(before < mass - ROUNDING)[..., None]
    edge = xp.sum(xp.where(places(p) == size - 1, ordered, xp.zeros_like(ordered)), axis=-1, keepdims=True)
    above, tied = p > edge, p == edge
    return as_integers(above | (tied & (running(as_integers(tied)) <= size - count(above)[..., None])))


@checked
def coverage_ceiling(prediction_sets: Array, distributions: Array, clip: bool = True) -> Array:  # noqa: FBT001, FBT002  as its sister
    """How much of each label distribution could the best set of the same size hold?

    Parameters
    ----------
    prediction_sets, distributions, clip
        As for ``aggregated_coverage``.

    Returns
    -------
    array, shape (...)
        The sum of as many of the largest shares as the set has classes.

    Raises
    ------
    InputError
        If the shapes do not fit, or a value is NaN.

    Examples
    --------
    >>> coverage_ceiling([[1, 0, 0], [1, 1, 0]], [[0.2, 0.5, 0.3], [0.2, 0.5, 0.3]])
    array([0.5, 0.8])
    """
    sets, distributions = arrays(prediction_sets=prediction_sets, distributions=distributions)
    refuse_nan(distributions, "distributions")
    xp = namespace(sets, distributions)
    size = count(is_member(sets))[..., None]
    largest = xp.flip(xp.sort(distributions, axis=-1), axis=-1)
    return clipped(mass_of(places(sets) < size, largest), clip=clip)
