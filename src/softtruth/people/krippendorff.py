"""Krippendorff's alpha: a formula over the masses of pairs of answers, and its derivative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTANCES = ("nominal", "ordinal", "interval")
_STEP = 1e-30


def alpha(pairs: NDArray[Any], distance: str = "nominal", values: NDArray[np.float64] | None = None) -> float:
    """Return Krippendorff's alpha of the coincidences of answers.

    Parameters
    ----------
    pairs : array, shape (K, K)
        Coincidences: an item with R answers gives each ordered pair of them the mass 1 / (R - 1).
    distance : {"nominal", "ordinal", "interval"}
    values : array, shape (K,), optional
        The numbers that the classes stand for, for ``interval``; 0 to K-1 by default.

    Returns
    -------
    float
        NaN when all answers are equal.

    Notes
    -----
    ``1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck`` with ``d`` the squared distance.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability, University of Pennsylvania,
    https://repository.upenn.edu/asc_papers/43; Hayes & Krippendorff 2007, Commun. Methods Meas. 1:77,
    doi:10.1080/19312450709336664.

    Examples
    --------
    >>> round(alpha(np.array([[10.0, 1.0], [1.0, 8.0]])), 3)
    0.808
    """
    return float(_alpha(pairs, pairs.sum(axis=1), distance, values).real)


def alpha_slopes(pairs: NDArray[Any], distance: str, values: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the derivative of alpha by every pair mass, (K, K)."""
    margins = pairs.sum(axis=1)
    squared = _squared(margins, distance, values)
    whole = margins.sum()
    expected = margins @ squared @ margins
    own = -(whole - 1) * squared / expected
    moved = margins + 1j * _STEP * np.eye(len(margins))
    by_margin = np.array([_alpha(pairs, each, distance, values).imag for each in moved]) / _STEP
    return np.asarray(own + by_margin[:, None])


def checked_distance(distance: str, values: Any, n_classes: int) -> NDArray[np.float64] | None:
    """Return the numbers that the classes stand for.

    Raises
    ------
    InputError
        If the distance is not known, or the values do not fit.
    """
    if distance not in DISTANCES:
        msg = f"distance is {shown(distance)}, expected one of {listed(DISTANCES)}."
        raise InputError(msg)
    if values is None:
        return None
    numbers = np.asarray(values, np.float64)
    if distance != "interval" or numbers.shape != (n_classes,) or not np.isfinite(numbers).all():
        msg = f"values is {shown(values)}, expected {n_classes} finite numbers, and distance='interval'."
        raise InputError(msg)
    return numbers


def _alpha(pairs: Any, margins: Any, distance: str, values: Any) -> Any:
    squared = _squared(margins, distance, values)
    with quiet():
        return 1 - (margins.sum() - 1) * (pairs * squared).sum() / (margins @ squared @ margins)


def _squared(margins: Any, distance: str, values: Any) -> Any:
    """Return the squared distances of the classes; those of ordered classes depend on how many answers lie between."""
    k = len(margins)
    if distance == "nominal":
        return 1.0 - np.eye(k)
    if distance == "interval":
        at = np.arange(k) if values is None else values
        return np.square(np.subtract.outer(at, at))
    middle = np.cumsum(margins) - margins / 2  # the place of a class is the middle of its answers
    return np.square(np.subtract.outer(middle, middle))
