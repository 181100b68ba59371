"""Paired differences of predictions: every pair, one question, the p-values corrected for the number of pairs."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softtruth.conventions import convention_of
from softtruth.errors import NotAnswerableError
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import Interval
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.mcnemar import holm
from softtruth.uncertainty.paired import linearised, paired_difference, same_items, undefined_note
from softtruth.uncertainty.pulls import variance_of
from softtruth.uncertainty.rounding import apart
from softtruth.uncertainty.whole_rows import rows_right

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.conventions import Convention
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question
    from softtruth.report.rows import Way

Pair = tuple[str, str]


class Paired(NamedTuple):
    """The difference of two predictions, its two-sided p-value, and that value after Holm's correction."""

    interval: Interval
    p_value: float
    p_adjusted: float


def paired_differences(
    question: Question,
    matrices: Mapping[str, IndicatorMatrix],
    way: Way,
    *,
    convention: str = "exclude",
    pairs: Sequence[Pair] | None = None,
) -> dict[Pair, Paired]:
    """Return the difference first - second of each pair; of none where the question has no answer.

    Parameters
    ----------
    question
        What is asked.
    matrices
        The predictions by name, of the same items.
    way
        How intervals are made.
    convention
        What averages make of 0/0.
    pairs
        Which; all by default.
    """
    rule = convention_of(convention)
    found: dict[Pair, tuple[Interval, float]] = {}
    for one, other in combinations(matrices, 2) if pairs is None else pairs:
        try:
            found[one, other] = _difference(question, matrices[one], matrices[other], way, rule)
        except NotAnswerableError:
            continue
    adjusted = holm([p for _, p in found.values()]).tolist()
    return {pair: Paired(*found[pair], p) for pair, p in zip(found, adjusted, strict=True)}


def _difference(
    question: Question, first: IndicatorMatrix, second: IndicatorMatrix, way: Way, rule: Convention
) -> tuple[Interval, float]:
    if isinstance(question, str):
        return _of_whole_rows(first, second, way.level, rule)
    return paired_difference(
        question,
        first.statistic,
        second.statistic,
        Draws(way.draws, way.seed),
        convention=rule,
        columns=first.taking_part,
        level=way.level,
        method=way.method,
    )


def _of_whole_rows(
    first: IndicatorMatrix, second: IndicatorMatrix, level: float, rule: Convention
) -> tuple[Interval, float]:
    """Return the difference of the shares of rows that are right in full, by linearisation: it is a mean of items."""
    examples, _ = same_items(first.statistic, second.statistic)
    shares = [matrix.subset_accuracy(str(rule)) for matrix in (first, second)]  # refuses soft multilabel data
    value = float(apart(*shares))
    right = [rows_right(matrix.examples, matrix.taking_part) for matrix in (first, second)]
    gains = np.nan_to_num(right[0] - right[1])  # both see the same entries, so that both are undefined together
    counted = np.ones(len(gains)) if rule.substitute is not None else (~np.isnan(right[0])).astype(np.float64)
    weight = counted if examples.example_weight is None else counted * examples.example_weight
    if not weight.sum() > 0:
        return Interval(math.nan, math.nan, math.nan, level, note=undefined_note(examples)), math.nan
    pulls = examples.at_first_parts(weight * (gains - value) / weight.sum())
    variance = float(variance_of(pulls, examples, corrected=examples.weight is not None))
    return linearised(value, variance, level, INDEPENDENT if examples.clusters is None else CLUSTERED, (0.0, 1.0))
