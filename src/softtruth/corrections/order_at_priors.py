"""The order of two models as one class becomes more or less frequent: where they swap, and where that is sure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import convention_of
from softtruth.corrections.crossing import Crossing, crossing_prior
from softtruth.corrections.prior_error import example_pulls_at, slopes_at
from softtruth.corrections.priors import LABEL_SHIFT, Source
from softtruth.corrections.shift import shifted
from softtruth.errors import InputError, NotAnswerableError
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, formula_of
from softtruth.uncertainty.interval import checked_level, normal_quantile, of_differences
from softtruth.uncertainty.paired import distinct_answers, same_items, variance_apart
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator
    from softtruth.statistics.examples import Examples

POINTS = 99  # frequencies at which the order is judged: 0.01 to 0.99
MOST_CLASSES = 50  # a table for each frequency, and a pull for each item
_NUMBERS = 4_000_000  # held at a time


@dataclass(frozen=True, eq=False)
class OrderAtPriors:
    """Two models at each frequency of one class, all other classes in proportion.

    Attributes
    ----------
    label : str
        The class whose frequency moves.
    own : float
        Its frequency in the data.
    frequencies : ndarray, shape (P,)
    values, low, high : ndarray, shape (P,)
        The difference first - second, and the ends of its pointwise intervals, cut where its range ends; NaN where
        there are none.
    level : float
    crossing : Crossing
        Where the two are equal; its ``priors`` are whole priors.
    crossings : ndarray, shape (C,)
        The frequencies of the class there.
    direction : {"higher", "lower", "neither"}
        Which way the measure is better.
    assumption : str
    """

    label: str
    own: float
    frequencies: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float
    crossing: Crossing
    crossings: NDArray[np.float64]
    direction: str
    assumption: str = LABEL_SHIFT

    def sure(self, which: str) -> tuple[tuple[float, float], ...]:
        """Return the stretches of frequencies in which the "first" or the "second" is better, sampling error included.

        Each is given by its first and last frequency among those that were looked at.
        """
        above = (which == "first") == (self.direction == "higher")
        with np.errstate(invalid="ignore"):
            there = (self.low > 0) if above else (self.high < 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
        return tuple(
            (float(self.frequencies[start]), float(self.frequencies[stop - 1]))
            for start, stop in zip(edges[::2], edges[1::2], strict=True)
        )


@checked
def order_at_priors(
    first: IndicatorMatrix,
    second: IndicatorMatrix,
    measure: str | Measure | Averaged,
    *,
    label: int = 1,
    operator: str | Operator = "micro",
    convention: str = "exclude",
    level: float = 0.95,
) -> OrderAtPriors:
    """Which of two models is better where a class is more or less frequent, and where is that beyond chance?

    The class goes from rare to nearly all there is; the other classes keep their proportions (in multilabel data, their
    own frequencies). The difference at a prior is paired: items pull both models, and what is common cancels.

    Parameters
    ----------
    first, second : IndicatorMatrix
        Of the same items.
    measure, operator, convention
        As in ``IndicatorMatrix.compute``.
    label : int
        The position of the class. Of binary data it is the second class, 1.
    level : float
        Of the pointwise intervals.

    Raises
    ------
    InputError
        If the two are not about the same items.
    NotAnswerableError
        If the data do not say what happens at another prior, or there are too many classes.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix
    >>> y = [1] * 100 + [0] * 100
    >>> eager = IndicatorMatrix(y, [1] * 90 + [0] * 10 + [1] * 20 + [0] * 80, "binary")
    >>> careful = IndicatorMatrix(y, [1] * 70 + [0] * 30 + [1] * 5 + [0] * 95, "binary")
    >>> order = order_at_priors(eager, careful, "f1")
    >>> order.crossings.round(3).tolist(), order.sure("first"), order.sure("second")
    ([0.322], ((0.52, 0.99),), ((0.01, 0.16),))

    Source: the delta method within classes; see ``docs/decisions/0009-other-priors.md``.
    """
    question = parse(measure, operator)
    sources = Source.of(first), Source.of(second)
    one, other = same_items(sources[0].statistic, sources[1].statistic)
    if sources[0].by_table and one.n_classes > MOST_CLASSES:
        msg = (
            f"with {one.n_classes:,} classes the order at other priors is not looked for; the limit is {MOST_CLASSES}. "
            "Ask crossing_prior for one path."
        )
        raise NotAnswerableError(msg)
    frequencies = np.arange(1, POINTS + 1) / (POINTS + 1)
    _refuse(sources[0], label)
    priors = sources[0].with_frequency(label, frequencies)
    rule = convention_of(convention)
    shifts = [shifted(source, source.checked(priors, many=True)) for source in sources]
    values = apart(*(shift.values(question, rule) for shift in shifts))
    if np.isnan(values).all():
        msg = (
            f"one of the two has no value of {question} at any frequency of the class, so there is nothing to compare."
        )
        raise NotAnswerableError(msg)
    binary = one.task == "binary"
    path = None if binary else (priors[0], priors[-1])
    crossing = crossing_prior(first, second, question, convention=convention, path=path)
    slopes = [slopes_at(question, shift, rule)[0] for shift in shifts]
    errors = np.sqrt(_variances(slopes, (sources[0], sources[1]), (one, other)))
    reach = normal_quantile(checked_level(level)) * np.where(errors > 0, errors, np.nan)
    own = float(sources[0].prior[0 if binary else label])
    at = crossing.positions
    if at.size and not binary:
        at = crossing.priors[:, label]
    direction = formula_of(question).better
    lowest, highest = of_differences(formula_of(question).range)
    name = str(crossing.labels[1 if binary else label])
    return OrderAtPriors(
        name,
        own,
        frequencies,
        values,
        np.maximum(values - reach, lowest),
        np.minimum(values + reach, highest),
        level,
        crossing,
        at,
        direction,
    )


def _refuse(source: Source, label: int) -> None:
    own = source.prior
    binary = source.statistic.task == "binary"
    if not binary and not 0 <= label < own.size:
        msg = f"label is {label}, expected the position of one of {own.size} classes."
        raise InputError(msg)
    share = float(own[0 if binary else label])
    if not 0 < share < 1:
        often = "always" if share == 1 else "never"
        name = source.labels[1 if binary else label]
        msg = f"class {name} is {often} there, so that nothing says what the models do where it is otherwise."
        raise NotAnswerableError(msg)


def _variances(
    slopes: list[NDArray[np.float64]], sources: tuple[Source, ...], examples: tuple[Examples, Examples]
) -> NDArray[np.float64]:
    """Return the variance of the difference at each prior, some of them at a time."""
    by_table, count = sources[0].by_table, slopes[0].shape[0 if sources[0].by_table else 1]
    found = np.empty(count)
    kinds = distinct_answers(*examples)
    if kinds is not None:  # few kinds of items, however many items there are
        sources = tuple(replace(source, statistic=source.statistic.taken(kinds[0])) for source in sources)
    rows = len(sources[0].statistic)
    step = max(1, _NUMBERS // max(1, rows))
    for start in range(0, count, step):
        part = slice(start, start + step)
        pulls = [
            example_pulls_at(own[part] if by_table else own[:, part], source)
            for own, source in zip(slopes, sources, strict=True)
        ]
        found[part] = variance_apart(pulls[0] - pulls[1], examples, kinds)
    return found
