"""The t-norms that go by a name, and what a t-norm is."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace, quiet
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
        a, b = (np.asarray(x, np.float64) if isinstance(x, (list, tuple)) else x for x in (a, b))
        with quiet():  # 0/0 and overflow are settled inside the formulas
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


def _drastic(a: Array, b: Array) -> Array:
    xp = namespace(a, b)
    a, b = xp.broadcast_arrays(xp.asarray(a), xp.asarray(b))
    return xp.where(a == 1, b, xp.where(b == 1, a, xp.zeros_like(a)))


def _nilpotent_minimum(a: Array, b: Array) -> Array:
    smaller = _minimum(a, b)
    return namespace(smaller).where(a + b > 1, smaller, 0.0 * smaller)


product = TNorm("product", _product, copula=True)
godel = TNorm("godel", _minimum, copula=True)
lukasiewicz = TNorm("lukasiewicz", _lukasiewicz, copula=True)
drastic = TNorm("drastic", _drastic, copula=False)
nilpotent_minimum = TNorm("nilpotent_minimum", _nilpotent_minimum, copula=False)

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
    "drastic": drastic,
    "nilpotent_minimum": nilpotent_minimum,
}


def tnorm_of(given: str | Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the t-norm of a name, or the callable itself.

    Raises
    ------
    InputError
        If the name is not known, the argument is neither a name nor a callable, or it takes numbers but no arrays.
    """
    if callable(given):
        fault = "" if isinstance(given, TNorm) else _fault(given)
        if fault:
            msg = (
                f"the t-norm {getattr(given, '__name__', 'callable')} {fault}; expected a function that works "
                "elementwise, such as numpy.minimum in the place of min."
            )
            raise InputError(msg)
        return given
    try:
        return _BY_NAME[given.lower()]
    except (KeyError, AttributeError):
        msg = f"tnorm {shown(given)} is not known; expected one of {listed(_BY_NAME)}, or a callable T(a, b)."
        raise InputError(msg) from None


def _fault(function: Callable[[Any, Any], Any]) -> str:
    """Return what is wrong with a function for two arrays; one of another library is not found out here."""
    pair = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    try:
        with quiet():
            function(*pair)
    except (TypeError, ValueError):
        try:
            function(0.25, 0.5)
        except TypeError:
            return "does not take two numbers" if _of_python(function) else ""
        except Exception:  # noqa: BLE001  whatever it is, it is not for numbers
            return ""
        return "takes two numbers but no two arrays"
    return ""


def _of_python(function: Callable[[Any, Any], Any]) -> bool:
    """Whether a callable is a class or a function of one argument, which no library's arrays would please either."""
    try:
        signature(function).bind(None, None)
    except (TypeError, ValueError):
        return True
    return False
