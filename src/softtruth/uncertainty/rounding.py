"""When two values differ: by more than the rounding of what they were computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

# Sums of weights such as 0.1 are rounded, so that values which are equal come out up to some units in the last place
# apart: one for each of the sums, quotients and means on the way, and more with the root of the number of items. Cells
# that come by subtraction are rounded as the whole is, so that even values near zero are, as if they were near one.
UNITS = 512
_ROUNDING = UNITS * float(np.finfo(np.float64).eps)  # 1.1e-13


def apart(first: ArrayLike, second: ArrayLike) -> Any:
    """Return first - second, and exactly zero where the two differ by no more than rounding.

    This alone decides whether there is a difference: whoever asks for its sign may trust it. Two infinities have no
    difference (NaN).

    Examples
    --------
    >>> float(apart(0.1 + 0.2, 0.3)), float(apart(0.75, 0.5)), apart([0.1 + 0.2, 1.0], [0.3, 0.0]).tolist()
    (0.0, 0.25, [0.0, 1.0])
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    with quiet():
        difference = one - other
        size = np.maximum(1.0, np.maximum(abs(one), abs(other)))
        return np.where(np.isfinite(size) & (abs(difference) <= _ROUNDING * size), 0.0, difference)[()]


def at_least(value: float, bound: float) -> bool:
    """Whether a value is no smaller than a bound, or only by rounding; NaN is not.

    Examples
    --------
    >>> at_least(0.9 - 1, -0.1), at_least(-0.11, -0.1)
    (True, False)
    """
    return bool(value >= bound or apart(value, bound) == 0)


def best_of(values: Mapping[str, float], better: str) -> list[str]:
    """Return whose value is the best: several where these differ by no more than rounding, in their order.

    Parameters
    ----------
    values
        At least one, none of them NaN.
    better
        "higher" or "lower".

    Examples
    --------
    >>> best_of({"a": 0.3, "b": 0.1 + 0.2, "c": 0.2}, "higher"), best_of({"a": 0.3, "c": 0.2}, "lower")
    (['a', 'b'], ['c'])
    """
    top = (max if better == "higher" else min)(values.values())
    return [name for name, value in values.items() if at_least(value, top) and at_least(top, value)]
