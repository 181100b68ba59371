"""t-norms: how two degrees of belonging combine into one, and how far each departs from keeping margins.

A t-norm is T: [0,1]^2 -> [0,1], commutative, associative, non-decreasing, with T(a,1) = a. Every function here works
elementwise on arrays of any supported library.

Source: Klement, Mesiar & Pap 2000, Triangular Norms, doi:10.1007/978-94-015-9540-7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace
from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth._arrays import Array


@dataclass(frozen=True)
class TNorm:
    """A named t-norm, or one member of a family; called like a function of two arrays.

    ``copula`` tells whether it is 1-Lipschitz: only then do completed cells stay non-negative.
    """

    name: str
    formula: Callable[..., Array]
    copula: bool
    parameters: tuple[float, ...] = ()

    def __call__(self, a: Array, b: Array) -> Array:
        """Return T(a, b), elementwise."""
        return self.formula(a, b, *self.parameters)

    def __str__(self) -> str:
        """Return the name with its parameters, as signatures print it."""
        return " ".join([self.name, *(f"{p:g}" for p in self.parameters)])


def _product(a: Array, b: Array) -> Array:
    return a * b


def _minimum(a: Array, b: Array) -> Array:
    return namespace(a, b).minimum(a, b)


def _lukasiewicz(a: Array, b: Array) -> Array:
    s = a + b - 1.0
    xp = namespace(s)
    return np.maximum(s, 0.0) if xp is np else xp.maximum(s, xp.zeros_like(s))


product = TNorm("product", _product, copula=True)
godel = TNorm("godel", _minimum, copula=True)
lukasiewicz = TNorm("lukasiewicz", _lukasiewicz, copula=True)

_BY_NAME: dict[str, TNorm] = {
    "product": product,
    "prod": product,
    "godel": godel,
    "goedel": godel,
    "gödel": godel,
    "minimum": godel,
    "min": godel,
    "lukasiewicz": lukasiewicz,
    "łukasiewicz": lukasiewicz,
    "luk": lukasiewicz,
}


def _hamacher(a: Array, b: Array, gamma: float) -> Array:
    # The denominator is written with the complements: it is exactly 1 at gamma = 1, and its only zero is at
    # gamma = 0, a = b = 0.
    denominator = 1.0 - (1.0 - gamma) * (1.0 - a) * (1.0 - b)
    if gamma != 0:
        return a * b / denominator
    xp = namespace(denominator)
    zero = denominator == 0
    return xp.where(zero, xp.zeros_like(denominator), a * b / xp.where(zero, xp.ones_like(denominator), denominator))


def hamacher(gamma: float) -> TNorm:
    """Return the Hamacher t-norm ``ab / (1 - (1-gamma)(1-a)(1-b))``.

    Parameters
    ----------
    gamma : float
        At least 0: 0 is the Hamacher product, 1 the product, 2 the Einstein product. It is a copula up to 2.

    Raises
    ------
    InputError
        If gamma is negative or not finite.

    Examples
    --------
    >>> float(hamacher(2)(0.5, 0.5))
    0.2
    """
    gamma = float(gamma)
    if not (math.isfinite(gamma) and gamma >= 0):
        msg = f"hamacher gamma is {shown(gamma)}, expected a number of at least 0."
        raise InputError(msg)
    if gamma == 1:
        return product
    return TNorm("hamacher", _hamacher, copula=gamma <= 2, parameters=(gamma,))


def tnorm_of(given: str | Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the t-norm of a name, or the callable itself.

    Raises
    ------
    InputError
        If the name is not known or the argument is neither a name nor a callable.
    """
    if callable(given):
        return given
    try:
        return _BY_NAME[given.lower()]
    except (KeyError, AttributeError):
        msg = f"tnorm {shown(given)} is not known; expected one of {listed(_BY_NAME)}, or a callable T(a, b)."
        raise InputError(msg) from None


def marginal_defect(tnorm: str | Callable[[Any, Any], Any]) -> float:
    """How far is a t-norm from keeping both margins?

    The largest ``|T(a,b) + T(a,1-b) - a|`` and ``|T(a,b) + T(1-a,b) - b|`` over the grid of multiples of 1/64, where
    the product is exact in binary arithmetic. It is exactly 0.0 for the product, the only t-norm that keeps margins
    (proof in ``docs/architecture.md``).

    Parameters
    ----------
    tnorm : str or callable
        A name, or any T(a, b) on arrays.

    Returns
    -------
    float
        The largest violation, in [0, 1].

    Examples
    --------
    >>> marginal_defect("product"), marginal_defect("godel")
    (0.0, 0.5)
    >>> round(marginal_defect(hamacher(2.0)), 3)
    0.101
    """
    t = tnorm_of(tnorm)
    grid = np.arange(65) / 64
    a, b = grid[:, None], grid[None, :]
    joint = t(a, b)
    by_row = np.abs(joint + t(a, 1 - b) - a)
    by_column = np.abs(joint + t(1 - a, b) - b)
    return float(max(by_row.max(), by_column.max()))
