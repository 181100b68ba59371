"""What does a formula of four cells promise? Found by trying it, and checked on points that were not used to find it.

Trying is evidence, not proof; the tests hold it against every declared measure of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth._arrays import Array

_TOLERANCE = 1e-8
_POINTS = 600
_GUARD = 1e-6  # what a small number that is added against 0/0 may change
_TYPES = (ValueError, TypeError)  # what a formula of plain numbers raises when it meets an array


@dataclass(frozen=True)
class OfFourCells:
    """A user's ``f(tp, fp, fn, tn)`` as a formula over cells.

    A formula that knows plain numbers only (one that has an ``if`` in it) is asked number by number; dividing by zero
    is undefined there too.
    """

    function: Callable[..., Any]
    one_by_one: bool = False

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # the words of the user's own function
        """The words of the function."""
        return self.function.__doc__

    def __call__(self, cells: Any) -> Array:
        """Return the value for every class."""
        four = (cells.tp, cells.fp, cells.fn, cells.tn)
        if not self.one_by_one:
            return self.function(*four)
        return np.vectorize(self._number, otypes=[np.float64])(*four)

    def _number(self, *four: float) -> float:
        try:
            return float(self.function(*map(float, four)))
        except ZeroDivisionError:
            return float("nan")


def formula_of(function: Callable[..., Any], name: str) -> OfFourCells:
    """Return a function of four numbers as a formula that broadcasts.

    Raises
    ------
    InputError
        If it cannot be called with four numbers, or returns something else than one number for each.
    """
    if not callable(function):
        msg = f"the formula of {name} is {shown(function)}, expected a function f(tp, fp, fn, tn)."
        raise InputError(msg)
    sample = np.array([[3.0, 5.0], [1.0, 2.0], [2.0, 1.0], [4.0, 7.0]])
    for one_by_one in (False, True):
        formula = OfFourCells(function, one_by_one)
        try:
            with quiet():
                value = np.asarray(_of(formula, sample), dtype=np.float64)
        except _TYPES as error:
            if one_by_one:
                msg = f"the formula of {name} failed on tp=3, fp=1, fn=2, tn=4: {error}"
                raise InputError(msg) from None
            continue
        if value.shape == (2,):
            return formula
    msg = f"the formula of {name} returned shape {value.shape} for two classes, expected one number for each."
    raise InputError(msg)


class _Columns:
    """Cells (4, R) by their names."""

    def __init__(self, masses: NDArray[np.float64]) -> None:
        self.tp, self.fp, self.fn, self.tn = masses


def _of(formula: Callable[[Any], Array], masses: NDArray[np.float64]) -> NDArray[np.float64]:
    with quiet():
        return np.asarray(formula(_Columns(masses)), dtype=np.float64)


def infer(formula: Callable[[Any], Array]) -> dict[str, Any]:
    """Return the traits of a formula over four cells, as the attributes of a measure.

    Parameters
    ----------
    formula : callable
        From an object with ``tp, fp, fn, tn`` (arrays) to values.

    Returns
    -------
    dict
        ``better, range, joint, symmetric, class_symmetric, skew_invariant, tn_at_zero, linear``.

    Raises
    ------
    InputError
        If the formula has no value anywhere, or another one for three times as many examples.
    """
    rng = np.random.default_rng(20)  # the same points for everybody
    v = _points(rng, _POINTS)
    values = _of(formula, v)
    if not np.isfinite(values).any():
        msg = "the formula has no finite value on any of 600 tables with four positive cells."
        raise InputError(msg)
    _check_size(formula, np.ceil(1000 * v))
    without = v.copy()
    without[0] = 0
    more = without.copy()
    more[3] *= 3
    skewed = v * np.array([3.5, 0.2, 3.5, 0.2])[:, None]
    return {
        "symmetric": _same(_of(formula, v[[0, 2, 1, 3]]), values),
        "class_symmetric": _same(_of(formula, v[::-1]), values),
        "skew_invariant": _same(_of(formula, skewed), values),
        "tn_at_zero": not _same(_of(formula, without), _of(formula, more)),
        "linear": linear_fraction(formula, rng),
        "better": _better(formula, v),
        "joint": _joint(formula, rng),
        "range": _range(formula, v),
    }


def _check_size(formula: Callable[[Any], Array], v: NDArray[np.float64]) -> None:
    """Refuse a formula whose value depends on how many examples there are: masses come in any unit."""
    once, thrice = _of(formula, v), _of(formula, 3 * v)
    with quiet():
        same = (np.abs(thrice - once) <= _GUARD * np.maximum(1, np.abs(once))) | (once == thrice)
    differs = np.flatnonzero(~same & ~np.isnan(once))
    if differs.size:
        i = differs[0]
        found = ", ".join(f"{cell}={mass:g}" for cell, mass in zip(("tp", "fp", "fn", "tn"), v[:, i], strict=True))
        msg = (
            f"the formula gives {once[i]:g} for {found}, and {thrice[i]:g} for three times as many of each; expected "
            "the same value for both. Divide a count by tp + fp + fn + tn, and add no constants to counts."
        )
        raise InputError(msg)


def _points(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return rng.uniform(0.1, 1, (4, count)) * 10.0 ** rng.uniform(-1.5, 1.5, (4, count))


def _same(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether two lists of values agree wherever both are defined."""
    both = ~(np.isnan(a) | np.isnan(b)) & (a != b)
    with quiet():
        return bool(np.all(np.abs(a - b)[both] <= _TOLERANCE * np.maximum(1, np.abs(b[both]))))


def linear_fraction(formula: Callable[[Any], Array], rng: np.random.Generator) -> Any:
    """Return coefficients (a, b) with formula = a.v / b.v, or None where there are none.

    Such a formula f fits a.v - f(v) b.v = 0 for every v: eight unknowns, found as the direction in which many such
    equations are singular, and then checked on fresh v.
    """
    v = _points(rng, _POINTS)
    f = _of(formula, v)
    defined = np.isfinite(f)
    if defined.sum() < 16:
        return None
    v, f = v[:, defined] / v[:, defined].sum(axis=0), f[defined]
    equations = np.concatenate([-v, f * v]).T
    size = np.linalg.norm(equations, axis=0)
    size[size == 0] = 1
    _, singular, directions = np.linalg.svd(equations / size, full_matrices=False)
    if singular[-1] > 1e-9 * singular[0]:
        return None
    rank = int((singular > 1e-9 * singular[0]).sum())
    if rank < 7:  # a constant, for which any pair of equal forms would do
        return None
    found = directions[-1] / size
    found = found / found[np.argmax(np.abs(found[4:])) + 4]
    tidy = np.round(found, 10) + 0.0
    a, b = tidy[:4], tidy[4:]
    if b.min() < 0:
        return None
    smallest = b[b > 0].min()
    if np.allclose(tidy / smallest, np.round(tidy / smallest, 6), rtol=0, atol=1e-8):
        a, b = np.round(a / smallest, 6) + 0.0, np.round(b / smallest, 6) + 0.0
    fresh = _points(rng, _POINTS)
    with quiet():
        expected = (a @ fresh) / (b @ fresh)
    if not _same(expected, _of(formula, fresh)):
        return None
    return tuple(a.tolist()), tuple(b.tolist())


def _better(formula: Callable[[Any], Array], v: NDArray[np.float64]) -> str:
    """Return which way the value goes when all errors are mended."""
    mended = v.copy()
    mended[0] += 0.999 * v[2]
    mended[3] += 0.999 * v[1]
    mended[1:3] *= 0.001
    change = _of(formula, mended) - _of(formula, v)
    up, down = (change > _TOLERANCE).mean(), (change < -_TOLERANCE).mean()
    if up > 0.9 and down < 0.05:
        return "higher"
    return "lower" if down > 0.9 and up < 0.05 else _better_by_one(formula, v)


def _better_by_one(formula: Callable[[Any], Array], v: NDArray[np.float64]) -> str:
    """Return the same from errors of one kind: each must not do harm, and one must help."""
    moves = []
    for wrong, right in ((1, 3), (2, 0)):
        mended = v.copy()
        mended[right] += v[wrong] / 2
        mended[wrong] /= 2
        moves.append(_of(formula, mended) - _of(formula, v))
    change = np.concatenate(moves)
    up, down = bool((change > _TOLERANCE).any()), bool((change < -_TOLERANCE).any())
    return "higher" if up and not down else "lower" if down and not up else "neither"


def _joint(formula: Callable[[Any], Array], rng: np.random.Generator) -> str:
    """Return how the value moves with the shared mass at fixed margins."""
    y, p = rng.uniform(0.05, 0.95, (2, 200))
    low, high = np.maximum(0, y + p - 1), np.minimum(y, p)
    shared = low + (high - low) * np.linspace(0.01, 0.99, 33)[:, None]
    values = _of(formula, np.array([shared, p - shared, y - shared, 1 - y - p + shared]))
    with quiet():
        change = np.diff(values, axis=0)
    up, down = change > _TOLERANCE * 1e-2, change < -_TOLERANCE * 1e-2
    if not up.any() or not down.any():
        return "rises" if up.any() else "falls" if down.any() else "constant"
    at_independence = _of(formula, np.array([y * p, p - y * p, y - y * p, 1 - y - p + y * p]))
    below = shared[1:] <= y * p
    above = shared[:-1] >= y * p
    if np.abs(at_independence).max() < _TOLERANCE and not (up & below).any() and not (down & above).any():
        return "dips"
    return "varies"


def _range(formula: Callable[[Any], Array], v: NDArray[np.float64]) -> tuple[float, float]:
    """Return the tidiest range that holds every value seen: ends 0, -1, 1 or infinite."""
    seen = [v, np.round(v)]
    for cell in range(4):
        none = v.copy()
        none[cell] = 0
        seen += [none, v * 1e6 ** np.eye(4)[cell][:, None]]
    found = _of(formula, np.concatenate(seen, axis=1))
    found = found[~np.isnan(found)]
    low, high = found.min(), found.max()
    lowest = 0.0 if low >= -1e-9 else -1.0 if low >= -1 - 1e-9 else -np.inf
    return float(lowest), 1.0 if high <= 1 + 1e-9 else float(np.inf)
