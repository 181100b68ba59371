"""Standard errors by leaving out one part of the items after the other: for estimates that are fitted, not summed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError
from softtruth.uncertainty.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_PARTS = 20


def jackknife(
    estimate: Callable[[NDArray[np.bool_]], NDArray[np.float64]],
    n: int,
    clusters: Any = None,
    *,
    level: float,
    seed: int = 0,
    **told: Any,
) -> list[Interval]:
    """Return the values of an estimate from all items, each between Student's limits, which may leave its range.

    Parameters
    ----------
    estimate : callable
        From the items that are kept, a bool array (n,), to values.
    n : int
        The number of items.
    clusters : array-like, shape (n,), optional
        Which items belong together; they are left out together.
    level : float
        Of the intervals.
    seed : int
        Of the division into parts.
    **told
        What else the intervals know: source, method, assumption, note.

    Raises
    ------
    InputError
        If the clusters do not fit the items, or there are fewer than two of them.

    Source: Shao & Tu 1995, The Jackknife and Bootstrap, ch. 2, doi:10.1007/978-1-4612-0795-5.
    """
    from scipy.special import stdtrit

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
    whole = estimate(np.ones(n, bool))
    without = np.array([estimate(part != g) for g in range(parts)])
    errors = np.sqrt(((without - without.mean(axis=0)) ** 2).sum(axis=0) * (parts - 1) / parts)
    reach = stdtrit(parts - 1, (1 + level) / 2) * errors
    return [
        Interval(float(v), float(v - r), float(v + r), level, standard_error=float(e), **told)
        for v, r, e in zip(whole, reach, errors, strict=True)
    ]
