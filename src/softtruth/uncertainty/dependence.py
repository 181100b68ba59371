"""What dependence alone could make of a value: the range over every coupling of a soft reference and a soft prediction.

Margins are facts, the mass that reference and prediction share is not. For an entry with shares y and p it lies between
``max(0, y + p - 1)`` and ``min(y, p)`` (Fréchet 1951; Hoeffding 1940), and both ends are attained: by the couplings
``least`` and ``most``, for all classes of an example together. So a measure that moves one way with the shared mass has
a sharp range, from its value under ``least`` to its value under ``most``. These are ranges of the measure of expected
counts, not of the expected measure: for that see ``truth_draws``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention, average, convention_of
from softtruth.errors import NotAnswerableError
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of, micro, weighted
from softtruth.statistics.coupling import HARDENED, LEAST, MOST
from softtruth.statistics.examples import Examples
from softtruth.statistics.means import Means
from softtruth.uncertainty.ends import ends_of
from softtruth.uncertainty.imbens_manski import imbens_manski
from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import Interval
from softtruth.uncertainty.pulls import pair_slopes, value_of, variance_of
from softtruth.uncertainty.transport import end_pulls, end_tables, follows_concordance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.statistics.table import Table

ASSUMPTION = "any dependence between reference and prediction"
CAUTION = "shares of few votes an item make the range too narrow on average"
_ONE_WAY = ("rises", "falls", "constant")


def dependence_bounds(
    question: Averaged | Measure,
    statistic: Any,
    *,
    convention: str | Convention = Convention.EXCLUDE,
    columns: Any = None,
    level: float | None = None,
) -> Interval:
    """Between which values can the measure lie, whatever the dependence between reference and prediction?

    Parameters
    ----------
    question
        What is asked, under any operator.
    statistic
        The examples, or sums over hard data.
    convention, columns
        As everywhere.
    level : float, optional
        Ask for Imbens and Manski's sampling interval of a value in the range, instead of the range itself.

    Returns
    -------
    Interval
        Of source ``dependence`` and level 1. Its method is ``sharp``, or ``approximate`` for measures that do not move
        one way with the shared mass. Where one side is crisp the width is zero, and the note says so.

    Raises
    ------
    NotAnswerableError
        For raw cells, which do not keep the margins; for measures of the K x K table whose range is not known; for
        sums over soft data.

    Source: Fréchet 1951, Ann. Univ. Lyon A 14:53; Hoeffding 1940. Attained jointly: see ``docs/uncertainty.md``.
    """
    convention = convention_of(convention)
    value = value_of(question, statistic, convention, columns)
    fixed = why_fixed(statistic)
    if math.isnan(value):
        return Interval(value, value, value, 1.0, "dependence", assumption=ASSUMPTION, note="the value is undefined")
    if fixed:
        if level is not None:
            return influence_interval(question, statistic, convention=convention, columns=columns, level=level)
        return Interval(value, value, value, 1.0, "dependence", "sharp", assumption=ASSUMPTION, note=fixed)
    low, high, method = _range(question, statistic, convention, columns)
    if math.isnan(low) or math.isnan(high):  # infinities of both signs meet in a mean: all that is sure is the range
        lowest, highest = _limits(question)
        low, high = (lowest if math.isnan(low) else low), (highest if math.isnan(high) else high)
        method = "approximate"
    if level is not None and method != "sharp":
        note = "the ends of an approximate range have no standard error"
        return Interval(value, math.nan, math.nan, level, "dependence", assumption=ASSUMPTION, note=note)
    low, high = min(low, value), max(high, value)  # the value is attained: this undoes rounding, or a coarse search
    if level is None:
        return Interval(value, low, high, 1.0, "dependence", method, assumption=ASSUMPTION, note=CAUTION)
    drawn = "examples" if statistic.clusters is None else "clusters"
    return imbens_manski(
        low,
        high,
        *_errors_of_ends(question, statistic, convention, columns),
        level=level,
        value=value,
        limits=_limits(question),
        assumption=f"{ASSUMPTION}; {drawn} drawn independently",
    )


def _limits(question: Averaged | Measure) -> tuple[float, float]:
    return formula_of(question).range


def why_fixed(statistic: Any) -> str:
    """Return why dependence cannot move a value of this statistic, or nothing where it can.

    Raises
    ------
    NotAnswerableError
        If the cells do not keep the margins, or only sums over soft data are kept.
    """
    coupling = statistic.coupling
    if not isinstance(statistic, Examples):
        if coupling == HARDENED.name:
            return "the prediction is hard, and dependence moves nothing where one side is crisp"
        msg = (
            "only sums over soft data are kept, and they do not say how much dependence could move; build the "
            "IndicatorMatrix from reference and prediction."
        )
        raise NotAnswerableError(msg)
    if statistic.hard_reference:
        return "the reference is crisp, and dependence moves nothing where one side is"
    if coupling is HARDENED:
        return (
            "the prediction is hardened, and dependence moves nothing where one side is crisp; coupling= keeps it soft"
        )
    if statistic.prediction.dtype.kind in "biu":
        return "the prediction is crisp, and dependence moves nothing where one side is"
    if not coupling.keeps_margins:
        msg = (
            f"{coupling.name} cells do not keep the margins, so their value belongs to no dependence of reference and "
            "prediction; pass coupling= instead of tnorm=."
        )
        raise NotAnswerableError(msg)
    return ""


def _range(
    question: Averaged | Measure, examples: Examples, convention: Convention, columns: Any
) -> tuple[float, float, str]:
    if not isinstance(question, Averaged):
        return _of_table(question, examples, convention, columns)
    measure = question.measure
    sharp = measure.joint in (*_ONE_WAY, "dips")
    if question.operator is exemplar:
        low, high = Means(), Means()
        for part, ends in _example_ends(examples, columns):
            weight = None if examples.example_weight is None else examples.example_weight[part]
            below, above = ends_of(measure, ends)
            low, high = low + Means.of(below, weight), high + Means.of(above, weight)
        return low.value(convention), high.value(convention), "sharp" if sharp else "approximate"
    cells = examples.cells_under([LEAST, MOST]).subset(columns)
    if question.operator is micro:
        cells = cells.pooled
    low_parts, high_parts = ends_of(measure, cells.masses)
    weights = cells.positives[0] if question.operator is weighted else None
    if cells.n_classes > 1 and examples.task != "multilabel" and measure.joint not in _ONE_WAY:
        # Classes that exclude each other cannot each be put where they please: the ends hold, but may not be met.
        sharp = False
    found = (float(average(parts, weights, convention)) for parts in (low_parts, high_parts))
    return next(found), next(found), "sharp" if sharp else "approximate"


def _of_table(question: Measure, examples: Examples, convention: Convention, columns: Any) -> tuple[float, float, str]:
    """Return the range of a measure of all classes: a function of the diagonal, or of how the classes are ordered."""

    def at(statistic: Any) -> NDArray[np.float64]:
        return np.asarray(evaluate(question, statistic, convention, columns))

    examples = by_class(question, examples)
    ends: Any = examples.cells_under([LEAST, MOST])
    sharp = question.joint in _ONE_WAY
    if examples.task == "binary" and not sharp:  # one shared mass moves everything, so that it can be searched
        alone = replace(
            question, formula=lambda c: at(replace(c, task="binary"))[..., None], rung="cells", parameters=()
        )
        low, high = ends_of(alone, ends.masses)
        return float(low[0]), float(high[0]), "sharp" if question.joint == "dips" else "approximate"
    if question.rung == "table" and examples.task != "binary":
        ends = tables_of(question, examples, convention)
    elif not sharp:
        msg = (
            f"the range of {question.name} over every dependence is not known: it does not move one way with the "
            "shared mass."
        )
        raise NotAnswerableError(msg)
    values = at(ends)
    return float(values.min()), float(values.max()), "sharp"


def _errors_of_tables(question: Measure, examples: Examples, convention: Convention) -> tuple[float, float]:
    """Return the standard errors of a measure at both end tables, the lower value first."""
    tables = end_tables(examples)
    found = []
    for end in (0, 1):
        table = replace(tables, masses=tables.masses[end])
        pulls = end_pulls(examples, pair_slopes(question, table, convention), end)
        variance = float(variance_of(pulls, examples, corrected=True))
        found.append((float(evaluate(question, table, convention)), math.sqrt(variance)))
    (low, error_low), (high, error_high) = sorted(found)
    limits = question.range
    return 0.0 if low in limits else error_low, 0.0 if high in limits else error_high


def by_class(question: Measure, examples: Examples) -> Examples:
    """Return ordinal examples as those of classes, for measures that ask what each grade got."""
    graded = examples.task == "ordinal" and question.rung != "cells"
    return replace(examples, task="multiclass") if graded else examples


def tables_of(question: Measure, examples: Examples, convention: Convention) -> Table:
    """Return the tables of the countermonotone and the comonotone coupling, where the measure is extreme there."""
    tables = end_tables(examples)
    one = replace(tables, masses=tables.masses[1])
    if question.joint in _ONE_WAY and follows_concordance(question, one, convention):
        return tables
    msg = (
        f"the range of {question.name} over every dependence is not known: it is a function of the whole K x K table "
        "that does not move one way as mass moves towards the diagonal."
    )
    raise NotAnswerableError(msg)


def _example_ends(examples: Examples, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the cells of rows under the couplings least and most, (4, 2, n)."""
    least_rows, most_rows = (replace(examples, coupling=c).rows(columns) for c in (LEAST, MOST))
    for (part, least), (_, most) in zip(least_rows, most_rows, strict=True):
        yield part, np.stack([least, most], axis=1)


def _errors_of_ends(question: Any, examples: Examples, convention: Convention, columns: Any) -> tuple[float, float]:
    """Return the standard errors of the lower and of the upper end."""
    if not isinstance(question, Averaged) and question.rung == "table" and examples.task != "binary":
        return _errors_of_tables(question, examples, convention)
    examples = examples if isinstance(question, Averaged) else by_class(question, examples)
    found = [
        influence_interval(question, replace(examples, coupling=c), convention=convention, columns=columns)
        for c in (LEAST, MOST)
    ]
    found.sort(key=lambda interval: interval.value)
    low, high = (0.0 if i.value in _limits(question) else i.standard_error for i in found)
    return low, high
