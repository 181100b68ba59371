"""The order of two models when labels are wrong at some rate, alike in every class and whatever the models say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.conventions import convention_of
from softtruth.corrections.true_table import symmetric_transition
from softtruth.errors import NotAnswerableError
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of
from softtruth.statistics.table import Table
from softtruth.uncertainty.interval import checked_level, normal_quantile, of_differences
from softtruth.uncertainty.paired import distinct_answers, same_items, variance_apart
from softtruth.uncertainty.pulls import pair_influences, pair_slopes
from softtruth.uncertainty.rounding import apart, at_least
from softtruth.uncertainty.sign_changes import sign_changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator
    from softtruth.statistics.examples import Examples

ASSUMPTION = (
    "labels are wrong equally often in every class, evenly among the other classes, and independently of what the "
    "models say given the truth"
)
MOST_CLASSES = 200
_STEP = 0.005  # between the rates that are looked at


@dataclass(frozen=True, eq=False)
class OrderUnderNoise:
    """Two models against the truth, at each rate of wrong labels that the data allow.

    Attributes
    ----------
    rates : ndarray, shape (P,)
        From 0 up; beyond the last one the labels refute the rate: a class would have no items, or a value would leave
        its range.
    values, low, high : ndarray, shape (P,)
        The difference first - second against the truth, and the ends of its pointwise intervals, cut where its range
        ends.
    level : float
    refuted_beyond : bool
        Whether the rates end because the data refute larger ones; else labels would say nothing there.
    direction : {"higher", "lower", "neither"}
        Which way the measure is better.
    assumption : str
    """

    rates: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float
    refuted_beyond: bool
    direction: str
    assumption: str = ASSUMPTION

    @property
    def turns_at(self) -> float:
        """The lowest rate at which the order is the other one; NaN where none is."""
        turns = sign_changes(self.rates, self.values) if abs(self.values[0]) > 0 else []
        return turns[0] if turns else math.nan

    @property
    def sure_up_to(self) -> float:
        """The rate up to which the order is beyond sampling error; NaN where it is not even without wrong labels."""
        with np.errstate(invalid="ignore"):
            there = (self.low > 0) if self.values[0] > 0 else (self.high < 0)
        if not there[0]:
            return math.nan
        lost = np.flatnonzero(~there)
        return float(self.rates[-1] if not lost.size else self.rates[lost[0] - 1])


@checked
def order_under_noise(
    first: IndicatorMatrix,
    second: IndicatorMatrix,
    measure: str | Measure | Averaged,
    *,
    operator: str | Operator = "micro",
    convention: str = "exclude",
    level: float = 0.95,
) -> OrderUnderNoise:
    """Which of two models is better against the truth, if labels are wrong at this or that rate?

    At the rate e the table against the truth is ``inv(T)' C`` with ``T = (1 - e) I + e / (K - 1) (1 - I)``. Each item
    pulls both models through the same inverse, so that the interval of the difference is paired.

    Parameters
    ----------
    first, second : IndicatorMatrix
        Decisions about the same items, against labels.
    measure, operator, convention
        As in ``IndicatorMatrix.compute``.
    level : float
        Of the pointwise intervals.

    Raises
    ------
    InputError
        If the two are not about the same items.
    NotAnswerableError
        For multilabel data, soft sides, ``exemplar``, and too many classes.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix
    >>> y = [1] * 100 + [0] * 400
    >>> eager = IndicatorMatrix(y, [1] * 90 + [0] * 10 + [1] * 60 + [0] * 340, "binary")
    >>> careful = IndicatorMatrix(y, [1] * 60 + [0] * 40 + [1] * 10 + [0] * 390, "binary")
    >>> order = order_under_noise(eager, careful, "f1")
    >>> round(float(order.values[0]), 3), round(order.turns_at, 3)
    (0.014, 0.018)

    Source: the inverse of a known transition matrix, Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510.
    """
    question, rule = parse(measure, operator), convention_of(convention)
    a, b = same_items(first.statistic, second.statistic)
    _refuse(question, a, b)
    columns = first.taking_part
    tables = [each.table for each in (a, b)]
    k = tables[0].n_classes
    limits = formula_of(question).range
    kinds = distinct_answers(a, b)
    sides = (a, b) if kinds is None else (a.taken(kinds[0]), b.taken(kinds[0]))
    reach = normal_quantile(checked_level(level))
    rows, refuted = [], False
    for rate in map(float, np.arange(0.0, 1 - 1 / k - _STEP / 2, _STEP)):
        inverse = np.linalg.inv(symmetric_transition(1 - rate, k))
        truths = [Table(inverse.T @ np.asarray(table.masses), table.task, table.coupling) for table in tables]
        values = [float(evaluate(question, truth, rule, columns)) for truth in truths]
        if rate and _refuted(truths[0], values, limits):
            refuted = True
            break
        with quiet():
            pairs = [inverse @ pair_slopes(question, truth, rule, columns) for truth in truths]
        pulls = np.subtract(*(_pulls(*side) for side in zip(pairs, sides, strict=True)))
        error = math.sqrt(float(variance_apart(pulls, (a, b), kinds)))
        rows.append((rate, float(apart(*values)), reach * error if error > 0 else np.nan))
    rates, differences, half = np.array(rows).T
    direction = formula_of(question).better
    lowest, highest = of_differences(limits)
    low, high = np.maximum(differences - half, lowest), np.minimum(differences + half, highest)
    return OrderUnderNoise(rates, differences, low, high, level, refuted, direction)


def _refuse(question: Averaged | Measure, *sides: Examples) -> None:
    if sides[0].task == "multilabel":
        msg = "label noise is taken up one question at a time; keep one label with --where or --label."
        raise NotAnswerableError(msg)
    if isinstance(question, Averaged) and question.operator is exemplar:
        msg = f"{question} depends on the single examples, and the truth of each is not known; use another average."
        raise NotAnswerableError(msg)
    if not all(each.hard for each in sides):
        msg = "label noise is about decisions against labels; one side here is soft."
        raise NotAnswerableError(msg)
    if len(sides[0]) == 0:
        msg = "there are no items."
        raise NotAnswerableError(msg)
    if sides[0].task != "binary" and sides[0].n_classes > MOST_CLASSES:
        k = sides[0].n_classes
        msg = f"with {k:,} classes the order under label noise is not looked for; the limit is {MOST_CLASSES}."
        raise NotAnswerableError(msg)


def _refuted(truth: Table, values: list[float], limits: tuple[float, float]) -> bool:
    """Whether no truth fits: a class that the labels name would be gone, or a value lies outside its range."""
    rows = np.asarray(truth.rows)
    if not rows.any() or (apart(rows / rows.sum(), 0.0) <= 0).any():
        return True
    inside = (at_least(value, limits[0]) and at_least(limits[1], value) for value in values if not np.isnan(value))
    return not all(inside)


def _pulls(pairs: NDArray[np.float64], examples: Examples) -> NDArray[np.float64]:
    """Return the influence of every example, given that of each pair of label and decision."""
    if examples.task != "binary":
        return pair_influences(pairs, examples)
    y, p = (np.asarray(side)[:, 0].astype(np.intp) for side in (examples.reference, examples.prediction))
    pulls: NDArray[np.float64] = pairs[y, p]
    return pulls if examples.weight is None else pulls * examples.weight
