"""What a t-norm keeps and what it loses: margins, totals, and the axioms themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.tnorms.named import tnorm_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

_TOLERANCE = 1e-9


@checked
def marginal_defect(tnorm: str | Callable[[Any, Any], Any]) -> float:
    """How far is a t-norm from keeping both margins?

    The largest ``|T(a,b) + T(a,1-b) - a|`` and ``|T(a,b) + T(1-a,b) - b|`` over the grid of multiples of 1/64, where
    the product is exact in binary arithmetic. It is exactly 0.0 for the product, the only t-norm that keeps margins
    (proof in ``docs/measures.md``).

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
    >>> from softtruth.tnorms import hamacher
    >>> round(marginal_defect(hamacher(2.0)), 3)
    0.101
    """
    t = tnorm_of(tnorm)
    grid = np.arange(65) / 64
    a, b = grid[:, None], grid[None, :]
    joint = joint_of(t, a, b)
    by_row = np.abs(joint + joint_of(t, a, 1 - b) - a)
    by_column = np.abs(joint + joint_of(t, 1 - a, b) - b)
    return float(max(by_row.max(), by_column.max()))


@checked
def total_defect(tnorm: str | Callable[[Any, Any], Any]) -> float:
    """How far are the four raw cells of an entry from summing to one?

    The largest ``|T(a,b) + T(a,1-b) + T(1-a,b) + T(1-a,1-b) - 1|`` over the grid of multiples of 1/64. For the Frank
    family, the minimum and Lukasiewicz included, the differences ``tp - tn`` and ``fp - fn`` stay right all the same:
    only the total is lost (Frank 1979, Aequat. Math. 19:194, doi:10.1007/BF02189866).

    Examples
    --------
    >>> total_defect("product"), total_defect("godel"), total_defect("lukasiewicz")
    (0.0, 1.0, 1.0)
    """
    t = tnorm_of(tnorm)
    grid = np.arange(65) / 64
    a, b = grid[:, None], grid[None, :]
    whole = sum(joint_of(t, u, v) for u in (a, 1 - a) for v in (b, 1 - b))
    return float(np.abs(whole - 1).max())


@dataclass(frozen=True)
class TNormCheck:
    """What a callable violates on the grid {0, 1/8, ..., 1}. Passing is evidence, not proof.

    Attributes
    ----------
    violations : mapping
        The largest violation of each axiom that does not hold: ``boundary``, ``annihilator``, ``commutativity``,
        ``monotonicity``, ``associativity``.
    lipschitz : bool
        Whether it is 1-Lipschitz on the grid: then completed cells stay non-negative, and it can serve as a coupling.
    """

    violations: Mapping[str, float] = field(default_factory=dict)
    lipschitz: bool = True

    @property
    def passed(self) -> bool:
        """Whether no axiom is violated."""
        return not self.violations


@checked
def check_tnorm(tnorm: str | Callable[[Any, Any], Any]) -> TNormCheck:
    """Is this callable a t-norm, as far as a grid can tell, and a copula?

    Parameters
    ----------
    tnorm : str or callable
        A name, or any T(a, b) on arrays.

    Raises
    ------
    InputError
        If it does not return finite values in [0, 1], of the shape that its arguments broadcast to.

    Examples
    --------
    >>> check_tnorm("product").passed
    True
    >>> check_tnorm(lambda a, b: (a + b) / 2).violations
    {'boundary': 0.5, 'annihilator': 0.5, 'associativity': 0.25}
    """
    t = tnorm_of(tnorm)
    grid = np.arange(9) / 8
    joint = joint_of(t, grid[:, None], grid[None, :])
    left, right = (
        joint_of(t, joint[:, :, None], grid[None, None, :]),
        joint_of(t, grid[:, None, None], joint[None, :, :]),
    )
    found = {
        "boundary": float(max(np.abs(joint[:, -1] - grid).max(), np.abs(joint[-1] - grid).max())),
        "annihilator": float(max(np.abs(joint[:, 0]).max(), np.abs(joint[0]).max())),
        "commutativity": float(np.abs(joint - joint.T).max()),
        "monotonicity": float(-min(np.diff(joint, axis=0).min(), np.diff(joint, axis=1).min(), 0)),
        "associativity": float(np.abs(left - right).max()),
    }
    steepest = max(np.diff(joint, axis=0).max(), np.diff(joint, axis=1).max())
    violations = {axiom: size for axiom, size in found.items() if size > _TOLERANCE}
    return TNormCheck(violations, bool(steepest <= 1 / 8 + _TOLERANCE))


def joint_of(t: Callable[[Any, Any], Any], a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Return T(a, b) of a callable that nobody vouches for.

    It is handed copies of one shape, since it may work in place.

    Raises
    ------
    InputError
        If it fails, or returns something else than finite numbers in [0, 1] of the shape that both broadcast to.
    """
    try:
        with quiet():  # what is undefined shows in the values
            value = np.asarray(t(*(side.copy() for side in np.broadcast_arrays(a, b))))
        kind = value.dtype.kind
    except (TypeError, ValueError) as error:
        msg = f"the t-norm failed for arrays of shapes {a.shape} and {b.shape}: {error}"
        raise InputError(msg) from None
    if kind not in "fiub":
        msg = f"the t-norm returned {shown(value.flat[0]) if value.size else 'objects'}, expected numbers in [0, 1]."
        raise InputError(msg)
    shape = np.broadcast_shapes(a.shape, b.shape)
    if value.shape != shape:
        msg = f"the t-norm returned an array of shape {value.shape} for arguments that broadcast to {shape}."
        raise InputError(msg)
    wrong = ~((value >= -_TOLERANCE) & (value <= 1 + _TOLERANCE))
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        u, v = (float(np.broadcast_to(side, shape)[at]) for side in (a, b))
        msg = f"the t-norm returned {shown(value[at])} for ({u:g}, {v:g}), expected a finite value in [0, 1]."
        raise InputError(msg)
    return value.astype(np.float64, copy=False)
