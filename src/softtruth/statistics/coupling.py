"""Where reference meets prediction: margins are facts, the joint mass is an assumption.

With y the degree to which an entry belongs to the class by the reference and p by the prediction, a coupling gives
the four cell masses of the entry. *Raw* couplings use one t-norm for all four; *completed* ones use it for ``tp``
only and let the margins give the rest, which reads as a coupling of two uncertain events. For the product both are
the same, and where either side is crisp every coupling is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace
from softtruth.errors import InputError, listed, shown
from softtruth.tnorms import TNorm, godel, lukasiewicz, product, tnorm_of
from softtruth.tnorms.checks import joint_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth._arrays import Array


@dataclass(frozen=True)
class Coupling:
    """How much mass reference and prediction share.

    Attributes
    ----------
    name : str
        As signatures print it: ``independent``, ``most``, ``least``, ``raw godel``, ``hardened``, ...
    tnorm : callable
        The joint mass T(y, p) of an entry.
    completed : bool
        Whether the margins give the other three cells.
    """

    name: str
    tnorm: Callable[[Any, Any], Any]
    completed: bool

    @property
    def keeps_margins(self) -> bool:
        """Whether the cells add up to the reference and to the prediction."""
        return self.completed or self.tnorm is product

    @property
    def independent(self) -> bool:
        """Whether the joint mass is the product of the two."""
        return self.tnorm is product

    def entries(self, y: Array, p: Array) -> tuple[Array, ...]:
        """Return the cells ``tp, fp, fn, tn`` of every entry, each added up without cancellation.

        Raises
        ------
        InputError
            If a completed t-norm leaves a negative cell: it is not a copula there.
        """
        t = self.tnorm
        if not self.completed:
            return tuple(self._raw(a, b) for a, b in ((y, p), (1 - y, p), (y, 1 - p), (1 - y, 1 - p)))
        if t is product:
            return y * p, (1 - y) * p, y * (1 - p), (1 - y) * (1 - p)
        xp = namespace(y, p)
        zero = xp.zeros_like(y - p)
        # In these two, every cell has a form of its own in which structural zeros are exact.
        if t is godel:
            return t(y, p), xp.maximum(p - y, zero), xp.maximum(y - p, zero), 1 - xp.maximum(y, p)
        if t is lukasiewicz:
            return t(y, p), xp.minimum(p, 1 - y), xp.minimum(y, 1 - p), xp.maximum(1 - y - p, zero)
        if isinstance(t, Mixture):
            ends = (Coupling(self.name, part, completed=True).entries(y, p) for part in t.parts)
            (share, rest), (tp, fp, fn, tn) = t.shares, zip(*ends, strict=True)
            return tuple(share * at_independence + rest * at_end for at_independence, at_end in (tp, fp, fn, tn))
        joint = self._joint(y, p)
        fn = y - joint
        found = joint, *(self._not_negative(cell) for cell in (p - joint, fn, (1 - p) - fn))
        # Where either side is crisp every t-norm is the product, and exactly so: rounding must not make up a mass.
        crisp = (y == 0) | (y == 1) | (p == 0) | (p == 1)
        exact = y * p, (1 - y) * p, y * (1 - p), (1 - y) * (1 - p)
        return tuple(xp.where(crisp, certain, cell) for certain, cell in zip(exact, found, strict=True))

    def _joint(self, a: Array, b: Array) -> Array:
        t = self.tnorm
        vouched = isinstance(t, TNorm) or namespace(a, b) is not np  # another library's arrays may be traced
        return t(a, b) if vouched else joint_of(t, a, b)

    def _raw(self, a: Array, b: Array) -> Array:
        joint = self._joint(a, b)
        if not isinstance(self.tnorm, TNorm) and namespace(joint) is np:
            above = joint - np.minimum(a, b)
            if above.size and float(above.max()) > 1e-9:
                msg = (
                    f"{shown(self.name)} exceeds the smaller of its arguments (by {above.max():.3g}), which no t-norm "
                    "does; softtruth.tnorms.check_tnorm says which axioms it violates."
                )
                raise InputError(msg)
        return joint

    def _not_negative(self, cell: Array) -> Array:
        xp = namespace(cell)
        if xp is np and cell.size and float(cell.min()) < -1e-9:
            msg = (
                f"coupling {shown(self.name)} is not a copula: it leaves a negative cell ({cell.min():.3g}). "
                "Pass it as tnorm= for raw cells, or choose a t-norm that is 1-Lipschitz."
            )
            raise InputError(msg)
        return xp.maximum(cell, xp.zeros_like(cell))


@dataclass(frozen=True)
class Mixture:
    """A joint mass between independence and an end: ``(1 - |rho|) y p + |rho| end``, with the end that rho points to.

    rho = 1 is the most that both can share, -1 the least, 0 independence.
    """

    rho: float

    @property
    def parts(self) -> tuple[TNorm, TNorm]:
        """What is mixed: independence and the end."""
        return product, godel if self.rho >= 0 else lukasiewicz

    @property
    def shares(self) -> tuple[float, float]:
        """How much of each."""
        return 1 - abs(self.rho), abs(self.rho)

    def __call__(self, y: Array, p: Array) -> Array:
        """Return the joint mass, elementwise."""
        return sum(share * part(y, p) for share, part in zip(self.shares, self.parts, strict=True))


HARDENED = Coupling("hardened", product, completed=True)
INDEPENDENT = Coupling("independent", product, completed=True)
MOST = Coupling("most", godel, completed=True)
LEAST = Coupling("least", lukasiewicz, completed=True)
_COUPLINGS = {c.name: c for c in (INDEPENDENT, MOST, LEAST)}


def coupling_of(tnorm: Any, coupling: Any, rho: Any = None) -> Coupling:
    """Return the coupling that the ``tnorm``, ``coupling`` and ``rho`` settings ask for; none gives ``HARDENED``.

    Raises
    ------
    InputError
        If more than one is given, a name is unknown, or rho is no number from -1 to 1.
    """
    if rho is not None:
        if tnorm is not None or coupling is not None:
            msg = f"rho={shown(rho)} is a coupling of its own; leave out tnorm and coupling."
            raise InputError(msg)
        return mixture(rho)
    if tnorm is not None and coupling is not None:
        msg = (
            f"tnorm={shown(tnorm)} and coupling={shown(coupling)} exclude each other: give raw cells or completed ones."
        )
        raise InputError(msg)
    if coupling is not None:
        return _completed(coupling)
    if tnorm is None:
        return HARDENED
    t = tnorm_of(tnorm)
    return INDEPENDENT if t is product else Coupling(f"raw {_name(t)}", t, completed=False)


def mixture(rho: Any) -> Coupling:
    """Return the coupling that mixes independence with an end; -1, 0 and 1 are ``least``, ``independent``, ``most``.

    Raises
    ------
    InputError
        If rho is no number from -1 to 1.
    """
    try:
        number = float(rho)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(rho, bool) or not abs(number) <= 1:
        msg = f"rho is {shown(rho)}, expected a number from -1 (least shared mass) to 1 (most)."
        raise InputError(msg)
    whole = {-1.0: LEAST, 0.0: INDEPENDENT, 1.0: MOST}
    return whole[number] if number in whole else Coupling(f"rho {number!r}", Mixture(number), completed=True)


def _completed(coupling: Any) -> Coupling:
    if isinstance(coupling, Coupling):
        return coupling
    if isinstance(coupling, str) and coupling.startswith("rho "):
        return mixture(coupling.removeprefix("rho "))
    if isinstance(coupling, str) and coupling in _COUPLINGS:
        return _COUPLINGS[coupling]
    try:
        t = tnorm_of(coupling)
    except InputError:
        if callable(coupling):
            raise
        msg = (
            f"coupling {shown(coupling)} is not known; expected one of {listed(_COUPLINGS)}, 'rho 0.5', or a t-norm "
            "that is a copula."
        )
        raise InputError(msg) from None
    for known in _COUPLINGS.values():
        if known.tnorm is t:
            return known
    if isinstance(t, TNorm) and not t.copula:
        msg = (
            f"coupling {shown(str(t))} is not a copula, so completed cells could be negative. Pass it as tnorm= for "
            "raw cells."
        )
        raise InputError(msg)
    return Coupling(_name(t), t, completed=True)


def _name(tnorm: Callable[[Any, Any], Any]) -> str:
    return str(tnorm) if isinstance(tnorm, TNorm) else str(getattr(tnorm, "__name__", "callable"))
