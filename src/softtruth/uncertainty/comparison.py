"""Is one prediction better than another, and does that hold whatever the dependence?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Seed, checked
from softtruth.conventions import convention_of
from softtruth.errors import InputError, NotAnswerableError
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, formula_of
from softtruth.uncertainty.dependence import ASSUMPTION, CAUTION, dependence_bounds, why_fixed
from softtruth.uncertainty.dependence_curve import dependence_curve
from softtruth.uncertainty.interval import Interval
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.mcnemar import McNemar, holm, mcnemar, p_words
from softtruth.uncertainty.paired import paired_difference, same_items
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator
    from softtruth.statistics.examples import Examples

_RHOS = np.linspace(-1, 1, 201)


@dataclass(frozen=True)
class Comparison:
    """Two predictions for the same items under one measure.

    Attributes
    ----------
    measure : str
        Operator and measure.
    names : (str, str)
        What the two are called.
    values : (float, float)
        The value of each.
    difference : Interval
        First minus second, over other samples of items like these.
    p_value : float
        Two-sided, of no difference; NaN where there is no interval.
    p_adjusted : float
        After Holm's correction, where several were compared; else the same.
    mcnemar : McNemar, optional
        Of hard predictions against a hard reference, for independent items without weights.
    dependence : Interval, optional
        The difference whatever the dependence of reference and predictions, for soft ones.
    better_for_every_rho : str
        The name of the prediction that is better at every degree of dependence that both share, or nothing.
    """

    measure: str
    names: tuple[str, str]
    values: tuple[float, float]
    difference: Interval
    p_value: float
    p_adjusted: float
    mcnemar: McNemar | None = None
    dependence: Interval | None = None
    better_for_every_rho: str = ""

    def __str__(self) -> str:
        """Return the sentences of the comparison."""
        first, second = self.names
        words = [f"{self.measure}: {first} {self.values[0]:.3f}, {second} {self.values[1]:.3f}"]
        if math.isnan(self.p_value):
            words.append(f"difference {self.difference}")
        else:
            adjusted = f", {p_words(self.p_adjusted)} after Holm" if self.p_adjusted != self.p_value else ""
            words.append(f"difference {self.difference}, p {p_words(self.p_value)}{adjusted}")
        if self.mcnemar is not None:
            words.append(str(self.mcnemar))
        if self.dependence is not None:
            words.append(f"whatever the dependence {self.dependence}")
        if self.better_for_every_rho:
            words.append(f"{self.better_for_every_rho} is better at every degree of dependence that both share")
        return "; ".join(words)


@checked
def compare(
    first: IndicatorMatrix,
    second: IndicatorMatrix,
    measure: str | Measure | Averaged = "accuracy",
    operator: str | Operator = "micro",
    *,
    names: tuple[str, str] = ("first", "second"),
    convention: str = "exclude",
    level: float = 0.95,
    method: str = "influence",
    draws: int = 2000,
    seed: Seed = 0,
) -> Comparison:
    """How much better is the first prediction than the second, on the same items?

    Paired: what both have in common cancels, so that the interval of the difference is narrower than the intervals of
    the two suggest. A soft reference and soft predictions also give the range of the difference over every dependence
    (sharp, since any two dependences with the reference can hold at once), and a word where one prediction is better at
    each of 201 degrees of dependence that both share.

    Parameters
    ----------
    first, second : IndicatorMatrix
        With the same reference.
    measure, operator, convention, level, method, draws, seed
        As in ``IndicatorMatrix.interval``; a bootstrap resamples the items once for both.
    names : pair of str
        What the two are called.

    Raises
    ------
    InputError
        If the two are not about the same items.
    NotAnswerableError
        If only sums are kept.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix
    >>> y = [0, 1, 1, 0, 1, 0, 1, 1]
    >>> a, b = (IndicatorMatrix(y, p, "binary") for p in ([0, 1, 1, 0, 1, 1, 1, 1], [0, 1, 0, 0, 0, 1, 1, 1]))
    >>> print(compare(a, b).difference)
    0.250 [-0.050, 0.550] sampling 95%
    """
    operator = str(operator)
    question = parse(measure, operator)
    a, b = same_items(first.statistic, second.statistic)
    columns = first.taking_part
    if not np.array_equal(columns, second.taking_part):  # type: ignore[arg-type]  # None is compared like any other
        msg = "the two average over different classes; give both the same subset."
        raise InputError(msg)
    settings: dict[str, Any] = {"convention": convention_of(convention), "columns": columns}
    found, p = paired_difference(question, a, b, Draws(draws, seed), level=level, method=method, **settings)
    values = (first.compute(question, convention=convention), second.compute(question, convention=convention))
    whole = Comparison(str(question), names, values, found, p, p, mcnemar_of(a, b))
    try:
        if why_fixed(a) and why_fixed(b):
            return whole
        bounds = [dependence_bounds(question, each, **settings) for each in (a, b)]
        curves = [dependence_curve(question, each, _RHOS, **settings) for each in (a, b)]
    except NotAnswerableError:  # the comparison stands without the range, which has no answer here
        return whole
    better = _better(question, apart(*curves), names)
    return replace(whole, dependence=range_of_difference(*bounds), better_for_every_rho=better)


def mcnemar_of(first: Examples, second: Examples) -> McNemar | None:
    """Return the test of two decisions against labels; None for soft, weighted, clustered and multilabel data."""
    sides = (first, second)
    if not all(s.hard and s.weight is None and s.clusters is None and s.task != "multilabel" for s in sides):
        return None
    one, other = ((s.reference == s.prediction).reshape(len(s), -1).all(axis=1) for s in sides)
    return mcnemar(int((one & ~other).sum()), int((other & ~one).sum()))


def range_of_difference(first: Interval, second: Interval) -> Interval:
    """Return what dependence can make of a difference: any two dependences with the reference can hold at once."""
    method = "sharp" if first.method == second.method == "sharp" else "approximate"
    return Interval(
        apart(first.value, second.value),
        apart(first.low, second.high),
        apart(first.high, second.low),
        1.0,
        "dependence",
        method,
        assumption=ASSUMPTION,
        note=CAUTION,
    )


def _better(question: Any, gains: NDArray[np.float64], names: tuple[str, str]) -> str:
    better = formula_of(question).better
    if better == "neither":
        return ""
    gains = gains if better == "higher" else -gains
    return names[0] if (gains > 0).all() else names[1] if (gains < 0).all() else ""


@checked
def compare_all(
    predictions: Mapping[str, IndicatorMatrix],
    measure: str | Measure | Averaged = "accuracy",
    operator: str | Operator = "micro",
    **settings: Any,
) -> list[Comparison]:
    """Which of several predictions differ, every pair compared and the p-values corrected for that?

    Parameters
    ----------
    predictions : mapping of str to IndicatorMatrix
        By name, with the same reference.
    measure, operator, **settings
        As in ``compare``.

    Returns
    -------
    list of Comparison
        Of all pairs, with Holm's correction in ``p_adjusted``.

    Raises
    ------
    InputError
        As in ``compare``.
    """
    names = list(predictions)
    pairs = [(one, other) for i, one in enumerate(names) for other in names[i + 1 :]]
    found = [
        compare(predictions[one], predictions[other], measure, operator, names=(one, other), **settings)
        for one, other in pairs
    ]
    adjusted = holm([each.p_value for each in found]).tolist()
    return [replace(each, p_adjusted=p) for each, p in zip(found, adjusted, strict=True)]
