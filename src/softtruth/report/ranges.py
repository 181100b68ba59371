"""What a soft reference leaves open: the range that dependence allows, and the values that drawn labels would give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.errors import NotAnswerableError
from softtruth.measures.operators import Averaged, exemplar
from softtruth.report.findings import number
from softtruth.report.parts import Finding
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.dependence import CAUTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question

_DRAWN = 10_000_000  # labels that a report draws for one number: seconds at most


def ranges(matrix: IndicatorMatrix, questions: Iterable[Question], convention: str, level: float) -> list[Finding]:
    """Return what to know of the headline values of a soft reference.

    Parameters
    ----------
    matrix
        The problem; where its reference is crisp there is nothing to say.
    questions
        Those that sum the report up.
    convention, level
        As everywhere.
    """
    statistic = matrix.statistic
    if not isinstance(statistic, Examples) or statistic.hard_reference or not len(statistic):
        return []
    asked = [
        q for q in questions if not isinstance(q, str) and not (isinstance(q, Averaged) and q.operator is exemplar)
    ]
    if statistic.coupling is HARDENED:
        return _drawn(matrix, asked, convention, level)
    return _dependence(matrix, asked, convention)


def _dependence(matrix: IndicatorMatrix, questions: Sequence[Question], convention: str) -> list[Finding]:
    words, numbers = [], {}
    for question in questions:
        try:
            found = matrix.bounds(question, convention=convention)
        except NotAnswerableError:  # raw cells, or a measure whose range is not known
            continue
        if math.isnan(found.low) or found.width == 0:
            continue
        approximate = "" if found.method == "sharp" else ", searched"
        words.append(f"{question} {number(found.value)} in [{number(found.low)}, {number(found.high)}]{approximate}")
        numbers[str(question)] = {"value": found.value, "low": found.low, "high": found.high, "method": found.method}
    if not words:
        return []
    sentence = (
        "How the soft reference and the soft prediction hang together is an assumption; over every dependence: "
        f"{'; '.join(words)}. {CAUTION.capitalize()}."
    )
    return [Finding("dependence_range", "note", sentence, numbers)]


def _drawn(matrix: IndicatorMatrix, questions: Sequence[Question], convention: str, level: float) -> list[Finding]:
    words, numbers = [], {}
    draws = int(min(2000, max(50, _DRAWN // (matrix.n * matrix.n_classes))))
    for question in questions:
        try:
            found = matrix.distribution(question, convention=convention, draws=draws)
        except NotAnswerableError:
            continue
        interval = found.interval(level)
        if math.isnan(found.mean) or math.isnan(interval.low):
            continue
        words.append(
            f"{question} {number(found.mean)}, {100 * level:g}% of the time in "
            f"[{number(interval.low)}, {number(interval.high)}] ({found.method})"
        )
        numbers[str(question)] = {
            "mean": found.mean,
            "sd": found.sd,
            "low": interval.low,
            "high": interval.high,
            "p_undefined": found.p_undefined,
            "error": found.error,
            "method": found.method,
        }
    if not words:
        return []
    sentence = f"Had each item one label, drawn from its shares: {'; '.join(words)}."
    return [Finding("drawn_truth", "note", sentence, numbers)]
