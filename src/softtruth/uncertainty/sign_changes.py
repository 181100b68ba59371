"""Where a curve that is known at some points changes its sign."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sign_changes(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[float]:
    """Return where y changes its sign, by a straight line between two points; NaN and 0 have none.

    Examples
    --------
    >>> sign_changes(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.0, np.nan, -3.0]))
    [0.75]
    """
    signs = np.nan_to_num(np.sign(y))
    found = []
    for i, j in pairwise(np.flatnonzero(signs)):
        if signs[i] != signs[j]:
            along = y[i] / (y[i] - y[j]) if np.isfinite(y[i] - y[j]) else 0.5
            found.append(float(x[i] + (x[j] - x[i]) * along))
    return found
