"""Families of t-norms, each with its limiting members, written so that no parameter overflows or cancels.

Every family is a function of one parameter that returns a t-norm; limiting values, infinities included, return the
limiting member. Where a formula has the larger of two terms factored out, ``low`` and ``high`` are the smaller and the
larger argument.

Source: Klement, Mesiar & Pap 2000, Triangular Norms, ch. 4, doi:10.1007/978-94-015-9540-7.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth._arrays import namespace, where
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.tnorms.named import TNorm, drastic, godel, lukasiewicz, product

if TYPE_CHECKING:
    from softtruth._arrays import Array

_INF = math.inf


def _parameter(value: Any, name: str, least: float, *, open_end: bool = False) -> float:
    """Return a parameter of at least (``open_end``: above) a number; infinities stand for limiting members."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (bool, str)) or not (number > least if open_end else number >= least):
        msg = f"{name} is {shown(value)}, expected a number {'above' if open_end else 'of at least'} {least:g}."
        raise InputError(msg)
    return number


def _ordered(a: Array, b: Array) -> tuple[Any, Array, Array]:
    """Return the namespace, the smaller and the larger argument."""
    xp = namespace(a, b)
    return xp, xp.minimum(a, b), xp.maximum(a, b)


def _quotient(above: Array, below: Array) -> Array:
    """Return ``above / below``, 0 where ``below`` is 0."""
    zero = below == 0
    return where(zero, 0.0, above / where(zero, 1.0, below))


def _at_most(value: Array, low: Array) -> Array:
    """Return the value, and the smaller argument where rounding alone lies above it."""
    return where(value > low, low, value)


def _growth(xp: Any, ratio: Array, power: float) -> Array:
    """Return ``(1 + ratio^power)^(1/power)`` for a ratio in [0, 1]."""
    return xp.exp(xp.log1p(ratio**power) / power)


# --- Hamacher -------------------------------------------------------------------------------------------------------


def _hamacher(a: Array, b: Array, gamma: float) -> Array:
    # The denominator adds up positive terms only: nothing cancels, and its only zero is at gamma = 0, a = b = 0.
    _, low, high = _ordered(a, b)
    if gamma >= 1:
        return low * high / (1.0 + (gamma - 1.0) * (1.0 - a) * (1.0 - b))
    value = _quotient(low, gamma + (1.0 - gamma) * (high + low * (1.0 - high))) * high
    return where(high == 1, low, _at_most(value, low))


@checked
def hamacher(gamma: float) -> TNorm:
    """Return the Hamacher t-norm ``ab / (1 - (1-gamma)(1-a)(1-b))``.

    Parameters
    ----------
    gamma : float
        At least 0: 0 is the Hamacher product, 1 the product, 2 the Einstein product, infinity the drastic t-norm. It is
        a copula up to 2.

    Raises
    ------
    InputError
        If gamma is negative or no number.

    Examples
    --------
    >>> float(hamacher(2)(0.5, 0.5))
    0.2
    """
    gamma = _parameter(gamma, "hamacher gamma", 0)
    if gamma in {1, _INF}:
        return product if gamma == 1 else drastic
    return TNorm("hamacher", _hamacher, copula=gamma <= 2, parameters=(gamma,))


# --- Frank ----------------------------------------------------------------------------------------------------------


def _frank(a: Array, b: Array, s: float) -> Array:
    slope = math.log(s)
    xp, low, high = _ordered(a, b)
    if abs(slope) < 1e-5:
        return a * b - slope / 2 * a * b * (1 - a) * (1 - b)
    if abs(slope) <= 1:
        value = xp.log1p(xp.expm1(slope * a) * xp.expm1(slope * b) / math.expm1(slope)) / slope
        return where(high == 1, low, _at_most(value, low))
    if slope < 0:
        grown = xp.expm1(slope * low) * xp.expm1(slope * high) / math.expm1(slope)
        small = grown > -0.5  # beyond, 1 + grown cancels: near the minimum what the smaller argument lacks adds up
        part = -xp.expm1(slope * high)
        rest = xp.exp(slope * (high - low)) * -xp.expm1(slope * (1 - high))
        value = low + (xp.log(part + rest) - math.log(-math.expm1(slope))) / slope
        value = where(small, xp.log1p(where(small, grown, 0.0)) / slope, value)
        return where(low == 0, 0.0, where(high == 1, low, _at_most(value, low)))
    # Near Lukasiewicz: log(1 + e^z) / slope, with z added up as logarithms.
    zero = low <= 0
    z = slope * (a + b - 1) + xp.log(-xp.expm1(-slope * where(zero, 1.0, low)))
    z = z + xp.log(-xp.expm1(-slope * where(zero, 1.0, high))) - math.log(-math.expm1(-slope))
    value = (where(z > 0, z, 0.0) + xp.log1p(xp.exp(-abs(z)))) / slope
    return where(zero, 0.0, where(high == 1, low, _at_most(value, low)))


@checked
def frank(s: float) -> TNorm:
    """Return the Frank t-norm ``log_s(1 + (s^a - 1)(s^b - 1) / (s - 1))``: always a copula.

    Parameters
    ----------
    s : float
        At least 0: 0 is the minimum, 1 the product, infinity Lukasiewicz; below 1 reference and prediction hang
        together, above 1 they avoid each other.

    Raises
    ------
    InputError
        If s is negative or no number.

    Examples
    --------
    >>> round(float(frank(2)(0.3, 0.8)), 6)
    0.228112
    """
    s = _parameter(s, "frank s", 0)
    if s in {0, 1, _INF}:
        return {0: godel, 1: product, _INF: lukasiewicz}[s]
    return TNorm("frank", _frank, copula=True, parameters=(s,))


# --- Yager ----------------------------------------------------------------------------------------------------------


def _yager(a: Array, b: Array, p: float) -> Array:
    xp, low, high = _ordered(a, b)
    more = xp.expm1(xp.log1p(_quotient(1 - high, 1 - low) ** p) / p)  # the growth less 1: a small argument is not lost
    value = low - (1 - low) * more
    return where(low == 1, 1.0, where(high == 1, low, where(value > 0, value, 0.0)))


@checked
def yager(p: float) -> TNorm:
    """Return the Yager t-norm ``max(0, 1 - ((1-a)^p + (1-b)^p)^(1/p))``: a copula from 1 on.

    Parameters
    ----------
    p : float
        At least 0: 0 is the drastic t-norm, 1 Lukasiewicz, infinity the minimum.

    Raises
    ------
    InputError
        If p is negative or no number.

    Examples
    --------
    >>> round(float(yager(2)(0.7, 0.6)), 6)
    0.5
    """
    p = _parameter(p, "yager p", 0)
    if p in {0, 1, _INF}:
        return {0: drastic, 1: lukasiewicz, _INF: godel}[p]
    return TNorm("yager", _yager, copula=p >= 1, parameters=(p,))


# --- Dombi ----------------------------------------------------------------------------------------------------------


def _dombi(a: Array, b: Array, p: float) -> Array:
    xp, low, high = _ordered(a, b)
    ratio = _quotient(_quotient((1 - high) * low, high), 1 - low)  # of the odds against
    return where(low == 1, 1.0, _quotient(low, low + (1 - low) * _growth(xp, ratio, p)))


@checked
def dombi(p: float) -> TNorm:
    """Return the Dombi t-norm ``1 / (1 + (((1-a)/a)^p + ((1-b)/b)^p)^(1/p))``: a copula from 1 on.

    Parameters
    ----------
    p : float
        At least 0: 0 is the drastic t-norm, 1 the Hamacher product, infinity the minimum.

    Raises
    ------
    InputError
        If p is negative or no number.

    Examples
    --------
    >>> round(float(dombi(1)(0.5, 0.5)), 6)
    0.333333
    """
    p = _parameter(p, "dombi p", 0)
    if p in {0, 1, _INF}:
        return {0: drastic, 1: hamacher(0), _INF: godel}[p]
    return TNorm("dombi", _dombi, copula=p >= 1, parameters=(p,))


# --- Schweizer-Sklar ------------------------------------------------------------------------------------------------


def _schweizer_sklar(a: Array, b: Array, p: float) -> Array:
    if abs(p) < 1e-20:  # the product to the last digit, of which the powers would say nothing
        return a * b
    xp, low, high = _ordered(a, b)
    zero = low == 0
    log_low, log_high = xp.log(where(zero, 1.0, low)), xp.log(where(high == 0, 1.0, high))
    if p > 0:
        power = where(zero, 0.0, xp.exp(p * log_low)) + where(high == 0, -1.0, xp.expm1(p * log_high))
        gone = power <= 0
        near_one = xp.expm1(p * log_low) + xp.expm1(p * log_high)  # the same less 1, where that says more
        root = where(power > 0.5, xp.log1p(where(power > 0.5, near_one, 0.0)), xp.log(where(gone, 1.0, power)))
        return where(high == 1, low, where(gone, 0.0, _at_most(xp.exp(root / p), low)))
    small = p * log_high < 1  # here the difference of the two powers would cancel
    left = xp.exp(-p * log_low) * xp.expm1(where(small, p * log_high, 0.0))
    grown = where(small, left, xp.exp(p * (log_high - log_low)) - xp.exp(-p * log_low))
    return where(zero, 0.0, low * xp.exp(xp.log1p(grown) / p))


@checked
def schweizer_sklar(p: float) -> TNorm:
    """Return the Schweizer-Sklar t-norm ``max(0, a^p + b^p - 1)^(1/p)``: a copula (Clayton's below 0) up to 1.

    Parameters
    ----------
    p : float
        Any number: minus infinity is the minimum, -1 the Hamacher product, 0 the product, 1 Lukasiewicz, infinity the
        drastic t-norm.

    Raises
    ------
    InputError
        If p is no number.

    Examples
    --------
    >>> round(float(schweizer_sklar(-1)(0.5, 0.5)), 6)
    0.333333
    """
    p = _parameter(p, "schweizer_sklar p", -_INF)
    if p in {-_INF, -1, 0, 1, _INF}:
        return {-_INF: godel, -1: hamacher(0), 0: product, 1: lukasiewicz, _INF: drastic}[p]
    return TNorm("schweizer_sklar", _schweizer_sklar, copula=p <= 1, parameters=(p,))


# --- Aczel-Alsina ---------------------------------------------------------------------------------------------------


def _aczel_alsina(a: Array, b: Array, p: float) -> Array:
    xp, low, high = _ordered(a, b)
    zero = low == 0
    log_low, log_high = xp.log(where(zero, 1.0, low)), xp.log(where(zero, 1.0, high))
    value = xp.exp(_scaled(log_low, _growth(xp, _quotient(log_high, log_low), p)))
    return where(zero, 0.0, where(high == 1, low, _at_most(value, low)))


def _scaled(x: Array, factor: Array) -> Array:
    """Return ``x factor``, 0 where x is 0 though the factor be infinite."""
    return where(x == 0, 0.0, x * factor)


@checked
def aczel_alsina(p: float) -> TNorm:
    """Return the Aczel-Alsina t-norm ``exp(-((-ln a)^p + (-ln b)^p)^(1/p))``: a copula (Gumbel's) from 1 on.

    Parameters
    ----------
    p : float
        At least 0: 0 is the drastic t-norm, 1 the product, infinity the minimum.

    Raises
    ------
    InputError
        If p is negative or no number.

    Examples
    --------
    >>> round(float(aczel_alsina(3)(0.3, 0.8)), 6)
    0.299236
    """
    p = _parameter(p, "aczel_alsina p", 0)
    if p in {0, 1, _INF}:
        return {0: drastic, 1: product, _INF: godel}[p]
    return TNorm("aczel_alsina", _aczel_alsina, copula=p >= 1, parameters=(p,))


# --- Sugeno-Weber ---------------------------------------------------------------------------------------------------


def _sugeno_weber(a: Array, b: Array, p: float) -> Array:
    _, low, high = _ordered(a, b)
    lacks = 1 - high
    # Near p = -1 two large numbers would cancel in the second form, near the product the first would.
    near_drastic = p < 0
    value = low - lacks * (1 + p * low) / (1 + p) if near_drastic else (low - lacks) / (1 + p) + a * b * (p / (1 + p))
    return where(high == 1, low, where(value > 0, _at_most(value, low), 0.0))


@checked
def sugeno_weber(p: float) -> TNorm:
    """Return the Sugeno-Weber t-norm ``max(0, (a + b - 1 + p a b) / (1 + p))``: a copula from 0 on.

    Parameters
    ----------
    p : float
        At least -1: -1 is the drastic t-norm, 0 Lukasiewicz, infinity the product.

    Raises
    ------
    InputError
        If p is below -1 or no number.

    Examples
    --------
    >>> round(float(sugeno_weber(3)(0.3, 0.8)), 6)
    0.205
    """
    p = _parameter(p, "sugeno_weber p", -1)
    if p in {-1, 0, _INF}:
        return {-1: drastic, 0: lukasiewicz, _INF: product}[p]
    return TNorm("sugeno_weber", _sugeno_weber, copula=p >= 0, parameters=(p,))
