"""Standard errors by leaving out one part of the items after the other: for estimates that are fitted, not summed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_PARTS = 20


def jackknife(
    estimate: Callable[[NDArray[np.bool_]], NDArray[np.float64]], n: int, clusters: Any = None, *, seed: int = 0
) -> tuple[NDArray[np.float64], int]:
    """Return the standard errors of an estimate, and their degrees of freedom.

    Parameters
    ----------
    estimate : callable
        From the items that are kept, a bool array (n,), to values.
    n : int
        The number of items.
    clusters : array-like, shape (n,), optional
        Which items belong together; they are left out together.
    seed : int
        Of the division into parts.

    Raises
    ------
    InputError
        If the clusters do not fit the items, or there are fewer than two of them.

    Source: Shao & Tu 1995, The Jackknife and Bootstrap, ch. 2, doi:10.1007/978-1-4612-0795-5.
    """
    units = np.arange(n) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    if units.shape != (n,):
        msg = f"clusters has shape {units.shape}, expected one cluster for each of the {n} items."
        raise InputError(msg)
    number = int(units.max(initial=-1)) + 1
    parts = min(_PARTS, number)
    if parts < 2:
        msg = f"there {'is one item' if clusters is None else 'is one cluster'}, and an interval needs at least two."
        raise InputError(msg)
    part = (np.random.default_rng(seed).permutation(number) % parts)[units]
    values = np.array([estimate(part != g) for g in range(parts)])
    spread = ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    return np.sqrt(spread * (parts - 1) / parts), parts - 1


def student_quantile(level: float, freedom: int) -> float:
    """Return the t that a two-sided interval of that level uses."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
