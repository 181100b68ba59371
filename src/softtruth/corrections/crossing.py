"""At which prior do two models swap places?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.corrections.prior_curve import prevalence_grid, prior_path
from softtruth.corrections.priors import Source
from softtruth.corrections.shift import shifted, unmoved
from softtruth.errors import InputError, shown
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, Operator, formula_of
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure

_NOTHING = 1e-12  # relative: a coefficient of this size is what rounding leaves of zero
_EQUAL = 1e-9  # values that differ by no more at a crossing are equal there
_GRID = 200
_SEARCHED = (
    "searched for changes of sign on a grid of {} priors: curves that touch without crossing, or cross twice between "
    "two of "
    "them, are not found"
)


@dataclass(frozen=True, eq=False)
class Crossing:
    """Where two models are equally good.

    Attributes
    ----------
    verdict : {"crosses", "never", "everywhere"}
    priors : ndarray, shape (C,), (C, K) or (C, m)
        The priors at which the values are equal; empty unless they cross. For binary data prevalences.
    values : ndarray, shape (C,)
        The value of both there.
    positions : ndarray, shape (C,)
        Where they lie on the path, from 0 to 1; for binary data the prevalences themselves.
    better : tuple of str
        Which model is better ("first", "second", "neither") before, between and after the crossings.
    method : str
        "closed form", or how it was searched.
    question : str
    labels : tuple
        Class names; for binary data the prevalence is that of the second.
    jumps : bool
        Whether the values jump past each other somewhere: the two swap places there without being equal.
    """

    verdict: str
    priors: NDArray[np.float64]
    values: NDArray[np.float64]
    positions: NDArray[np.float64]
    better: tuple[str, ...]
    method: str
    question: str
    labels: tuple[Any, ...]
    jumps: bool = False

    def __str__(self) -> str:
        """Return the answer in one line."""
        if self.verdict == "everywhere":
            return f"{self.question}: the two are equal at every prior"
        if self.verdict == "never":
            if self.better[0] == "neither":
                return f"{self.question}: the two are never equal, and the measure says of neither that it is better"
            where = "" if self.priors.ndim == 1 else " of the path"
            return f"{self.question}: {self.better[0]} is better at every prior{where}"
        where = ", ".join(f"{x:.4g}" for x in self.positions)
        what = "prevalence" if self.priors.ndim == 1 else "position on the path"
        how = "swap places, by a jump," if self.jumps else "equal"
        return f"{self.question}: {how} at the {what} {where}; better is {', then '.join(self.better)}"


@checked
def crossing_prior(
    first: Any,
    second: Any,
    measure: str | Measure | Averaged,
    *,
    operator: str | Operator = "micro",
    convention: str = "exclude",
    path: Any = None,
) -> Crossing:
    """At which prior do two models swap places under this measure?

    For two classes and a measure that is a ratio of linear forms of the four cells, and for kappa and mcc, the answer
    is exact: there is a formula for it. Otherwise the difference is searched for changes of sign, and each is refined
    by Brent's method.

    Parameters
    ----------
    first, second : IndicatorMatrix, Table or Cells
        Two models, each against a reference of the same classes.
    measure, operator, convention
        As in ``IndicatorMatrix.compute``.
    path : pair of priors, optional
        For more classes than two, and for several labels: the straight path to search, such as
        ``(long_tail(10, 1), long_tail(10, 100))``.

    Returns
    -------
    Crossing
        "never" and "everywhere" are answers.

    Raises
    ------
    InputError
        If the two have other tasks or classes, or there is no path where one is needed.

    Examples
    --------
    >>> from softtruth import Cells, crossing_prior
    >>> one, other = Cells.of(90, 20, 10, 80), Cells.of(70, 5, 30, 95)  # recall 0.9 and 0.7, false alarms 0.2 and 0.05
    >>> print(crossing_prior(one, other, "f1"))
    micro f1: equal at the prevalence 0.322; better is second, then first
    >>> print(crossing_prior(one, other, "precision"))
    micro precision: second is better at every prior

    Sources: closed forms of accuracy, F and Jaccard, kappa and mcc in the project's mathematical notes; Brent 1973,
    Algorithms for Minimization Without Derivatives, ch. 4.
    """
    pair = Source.of(first), Source.of(second)
    mine, theirs = ((s.statistic.task, len(s.labels)) for s in pair)
    if mine != theirs:
        msg = f"the first model has {mine[0]} data of {mine[1]} classes, the second {theirs[0]} data of {theirs[1]}."
        raise InputError(msg)
    question = parse(measure, operator.name if isinstance(operator, Operator) else operator)
    rule = convention_of(convention)
    binary = pair[0].statistic.task == "binary"
    if binary and path is None:
        exact = _exact(question, pair)
        if exact is not None:
            few = prevalence_grid(3, 0.25, 0.75)
            return _answer(question, pair, rule, exact, method="closed form", t=few, priors=few)
        half = _GRID // 2
        ends = prevalence_grid(half, 1e-6, 1 - 1e-6, scale="logit")
        grid = np.unique(np.concatenate([np.arange(1, _GRID - half + 1) / (_GRID - half + 1), ends]))
        return _searched(question, pair, rule, grid, grid)
    if path is None:
        msg = "a crossing of more classes than two lies on a path of priors; pass path=(start, end)."
        raise InputError(msg)
    try:
        start, end = path
    except (TypeError, ValueError):
        msg = f"path is {shown(path)}, expected two priors: (start, end)."
        raise InputError(msg) from None
    start, end = pair[0].checked(start), pair[0].checked(end)
    t = np.linspace(0.0, 1.0, _GRID + 1)
    return _searched(question, pair, rule, t, prior_path(start, end, _GRID + 1))


def _exact(question: Averaged | Measure, pair: tuple[Source, Source]) -> NDArray[np.float64] | None:
    """Return the candidates in (0, 1) of a measure with a closed form, or None where there is none."""
    measure = formula_of(question)
    name = measure.name
    if unmoved(question, pair[0]):
        return np.empty(0)
    (r_a, f_a), (r_b, f_b) = (_rates(source) for source in pair)
    if not np.isfinite([r_a, f_a, r_b, f_b]).all():
        return None
    d_a, d_b = r_a - f_a, r_b - f_b
    if name in {"kappa", "cohen_kappa", "gilbert_skill"}:
        return _between(d_b * f_a - d_a * f_b, d_a * (1 - 2 * f_b) - d_b * (1 - 2 * f_a))
    if name in {"mcc", "r_k"}:
        if d_a * d_b <= 0:
            return np.empty(0)
        return _between(
            d_b**2 * f_a * (1 - f_a) - d_a**2 * f_b * (1 - f_b),
            d_a**2 * d_b * (1 - 2 * f_b) - d_b**2 * d_a * (1 - 2 * f_a),
        )
    linear = ((1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)) if name == "accuracy" else measure.linear
    return None if linear is None else _of_linear(linear, (r_a, f_a), (r_b, f_b))


def _rates(source: Source) -> tuple[float, float]:
    tp, fp, _, _ = np.asarray(source.cells.masses)[:, 0]
    with np.errstate(invalid="ignore"):
        positives, negatives = source.sizes[:, 0]
        return float(tp / positives), float(fp / negatives)


def _between(above: float, below: float) -> NDArray[np.float64]:
    if abs(below) <= _NOTHING:
        return np.empty(0)
    found = above / below
    return np.array([found]) if _NOTHING < found < 1 - _NOTHING else np.empty(0)


def _of_linear(linear: Any, first: tuple[float, float], second: tuple[float, float]) -> NDArray[np.float64]:
    """Return the prevalences at which two ratios of linear forms are equal.

    With the odds x of the prevalence the cells are ``(x r, f, x (1 - r), 1 - f)``, so both forms are linear in x, and
    cross-multiplying gives a quadratic in x.
    """
    forms = []
    for r, f in (first, second):
        by_x, by_one = np.array([r, 0.0, 1 - r, 0.0]), np.array([0.0, f, 0.0, 1 - f])
        forms.append([[float(np.dot(side, cells)) for cells in (by_x, by_one)] for side in linear])
    ((n1, n0), (d1, d0)), ((m1, m0), (e1, e0)) = forms
    terms = [(n1 * e1, m1 * d1), (n1 * e0, -m1 * d0, n0 * e1, -m0 * d1), (n0 * e0, m0 * d0)]
    quadratic = [terms[0][0] - terms[0][1], sum(terms[1]), terms[2][0] - terms[2][1]]
    scale = max(abs(t) for group in terms for t in group)
    coefficients = np.array([0.0 if abs(c) <= _NOTHING * scale else c for c in quadratic])
    if not coefficients.any():
        return np.empty(0)
    roots = np.roots(np.trim_zeros(coefficients, "f"))
    odds = np.unique(roots.real[(abs(roots.imag) <= _NOTHING * abs(roots)) & (roots.real > _NOTHING)])
    return np.asarray(odds / (1 + odds))


def _difference(
    question: Averaged | Measure, pair: tuple[Source, Source], rule: Convention, priors: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    checked = pair[0].checked(priors, many=True)
    pair[1].checked(priors, many=True)
    one, other = (shifted(source, checked).values(question, rule) for source in pair)
    # Both infinite is equal; both undefined is not known.
    return np.where(one == other, 0.0, apart(one, other)), one


def _searched(
    question: Averaged | Measure, pair: tuple[Source, Source], rule: Convention, t: NDArray[np.float64], priors: Any
) -> Crossing:
    from scipy.optimize import brentq

    difference, _ = _difference(question, pair, rule, priors)
    method = _SEARCHED.format(len(t))
    known = np.flatnonzero(~np.isnan(difference))
    if not known.size:
        msg = f"{question} is undefined at every prior of the path, so there is nothing to compare."
        raise InputError(msg)
    first, last = np.asarray(priors)[0], np.asarray(priors)[-1]

    def at(x: float) -> float:
        point = x if first.ndim == 0 else (1 - x) * first + x * last
        return float(_difference(question, pair, rule, np.asarray(point)[None])[0][0])

    found, jumps = [], False
    size = np.abs(difference[known]).max()
    signs = np.where(abs(difference[known]) <= _EQUAL * max(size, 1e-300), 0.0, np.sign(difference[known]))
    moving = np.flatnonzero(signs)
    for i, j in pairwise(moving):
        if signs[i] == signs[j]:
            continue
        if j - i > 1:  # equal on the way: at one point of the grid, or along a stretch of it
            found.append(t[known[(i + j) // 2]])
            continue
        root = brentq(at, t[known[i]], t[known[j]], xtol=1e-14, rtol=8.9e-16)
        found.append(root)
        jumps = jumps or abs(at(root)) > 1e-6 * max(size, 1e-300)
    answer = _answer(question, pair, rule, np.array(found), method=method, t=t, priors=np.asarray(priors))
    return replace(answer, jumps=jumps)


def _answer(
    question: Averaged | Measure,
    pair: tuple[Source, Source],
    rule: Convention,
    positions: NDArray[np.float64],
    *,
    method: str,
    t: NDArray[np.float64],
    priors: NDArray[np.float64],
) -> Crossing:
    """Return the crossing, checked and described by the values themselves."""
    first, last = priors[0], priors[-1]

    def points(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return x if first.ndim == 0 else (1 - x[:, None]) * first + x[:, None] * last

    labels = pair[0].labels
    difference = _difference(question, pair, rule, priors)[0]
    known = difference[~np.isnan(difference)]
    if not positions.size:
        same = known.size > 0 and bool((abs(known) <= _EQUAL).all())
        better = "neither" if same or not known.size else _better(question, known[np.argmax(abs(known))])
        empty = points(np.empty(0))
        return Crossing(
            "everywhere" if same else "never", empty, np.empty(0), np.empty(0), (better,), method, str(question), labels
        )
    ends = np.concatenate([[min(t[0], positions[0] / 2)], positions, [max(t[-1], (positions[-1] + 1) / 2)]])
    sides = _difference(question, pair, rule, points((ends[:-1] + ends[1:]) / 2))[0]
    values = _difference(question, pair, rule, points(positions))[1]
    better_of = tuple(_better(question, x) for x in sides)
    return Crossing("crosses", points(positions), values, positions, better_of, method, str(question), labels)


def _better(question: Averaged | Measure, difference: float) -> str:
    direction = formula_of(question).better
    sign = {"higher": 1, "lower": -1}.get(direction, 0) * np.sign(difference)
    return "neither" if not sign or np.isnan(sign) else ("first" if sign > 0 else "second")
