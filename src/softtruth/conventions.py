"""Undefined values: 0/0, absent classes, and what an average does with them. Owns division.

A measure that is 0/0 has no value: formulas return NaN. The *convention* says what an average (or a lone value)
makes of it, and it is passed, compared and printed like any other setting.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import is_host, namespace, quiet, vanishes
from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from softtruth._arrays import Array


class Convention(StrEnum):
    """What becomes of an undefined part (0/0).

    ``exclude`` drops the part and its weight (NaN if nothing is left), ``zero`` and ``one`` put that number in its
    place, ``nan`` makes the whole undefined.
    """

    EXCLUDE = "exclude"
    ZERO = "zero"
    ONE = "one"
    NAN = "nan"

    @property
    def substitute(self) -> float | None:
        """The number put in place of an undefined part, or None."""
        return {"zero": 0.0, "one": 1.0}.get(self.value)


_BY_NAME = {c.value: c for c in Convention}


def convention_of(name: str | Convention) -> Convention:
    """Return the convention of that name.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    try:
        return _BY_NAME[name]
    except (KeyError, TypeError):
        msg = f"convention {shown(name)} is not known; expected one of {listed(_BY_NAME)}."
        raise InputError(msg) from None


def ratio(numerator: Array, denominator: Array) -> Array:
    """Return ``numerator / denominator`` with 0/0 undefined (NaN) and x/0 infinite; the zero test is exact.

    No epsilon is added anywhere: a ratio does not change when all masses are multiplied by a constant. On libraries
    with gradients, the gradient of an undefined ratio is zero, never NaN. On NumPy call it inside ``_arrays.quiet()``.
    """
    if is_host(numerator) and is_host(denominator):
        if np.iscomplexobj(denominator):  # a complex step away from zero is still zero
            zero = denominator.real == 0
            return np.where(zero, np.real(numerator) / np.where(zero, 0.0, 1.0), numerator / denominator)
        return numerator / denominator
    xp = namespace(numerator, denominator)
    zero = vanishes(denominator)
    value = numerator / xp.where(zero, xp.ones_like(denominator), denominator)
    nothing = xp.full_like(value, np.nan)
    infinite = xp.where(value > 0, xp.full_like(value, np.inf), xp.full_like(value, -np.inf))
    return xp.where(zero, xp.where((value == 0) | xp.isnan(value), nothing, infinite), value)


def settle(value: Array, convention: Convention) -> Array:
    """Return a lone value under the convention: an undefined one is replaced by ``zero`` and ``one`` only."""
    number = convention.substitute
    if number is None:
        return value
    if is_host(value):
        return np.where(np.isnan(value), number, value)
    xp = namespace(value)
    return xp.where(xp.isnan(value), xp.full_like(value, number), value)


def average(values: Array, weights: Array | None, convention: Convention) -> Array:
    """Return the mean over the last axis, weighted or not, with undefined parts under the convention.

    Parts of weight zero do not count, so that an infinite part of weight zero does no harm; infinite parts with
    weight are kept. Under ``nan`` an undefined part counts whatever its weight. If the kept weights sum to zero the
    mean is itself undefined, and follows the convention as well.
    """
    values = settle(values, convention)
    xp = namespace(values)
    if xp is np and weights is None:
        if values.shape[-1] == 0:
            return settle(np.full(values.shape[:-1], np.nan), convention)
        with quiet():  # of an infinite part either way nothing is left
            mean = np.add.reduce(values, -1) / values.shape[-1]
        if convention is not Convention.EXCLUDE or not np.isnan(mean).any():
            return mean
    if weights is None:
        weights = xp.ones_like(values)
    counted = weights != 0
    if convention is Convention.EXCLUDE:
        counted = counted & ~xp.isnan(values)
    kept = xp.where(counted, weights, xp.zeros_like(weights))
    nothing = xp.zeros_like(values)
    if xp is np:
        whole = np.add.reduce(kept, -1)
        with quiet():
            mean = ratio(np.add.reduce(np.where(counted, values, nothing) * kept, -1), whole)
    else:
        # Infinite parts are added at the end: a product with them would spoil gradients.
        finite = xp.isfinite(values)
        whole = xp.sum(kept, axis=-1)
        mean = ratio(xp.sum(xp.where(counted & finite, values, nothing) * kept, axis=-1), whole)
        mean = mean + xp.sum(xp.where(counted & ~finite, values, nothing), axis=-1)
    if convention.substitute is not None:
        return xp.where(whole == 0, xp.full_like(mean, convention.substitute), mean)
    if convention is Convention.NAN:  # an undefined part of weight zero is undefined all the same
        return xp.where(xp.any(xp.isnan(values), axis=-1), xp.full_like(mean, np.nan), mean)
    return mean
