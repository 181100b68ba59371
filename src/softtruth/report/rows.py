"""The rows of one matrix: every question with its interval, then the measures of every class."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention
from softtruth.errors import NotAnswerableError
from softtruth.measures import Averaged, micro
from softtruth.measures.operators import evaluate
from softtruth.report.parts import Row
from softtruth.report.questions import SUBSET_ACCURACY, Question
from softtruth.statistics import Cells
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.bootstrap import acceleration, replicate_interval
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT, influence_interval
from softtruth.uncertainty.interval import Interval
from softtruth.uncertainty.pulls import value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures import Measure


def signed(signature: str, interval: Interval) -> str:
    """Return the signature of a number with what its interval stands on."""
    how = interval.method or "none"
    return f"{signature} interval={interval.source},{how.replace(' ', '-')},{interval.level:g}"


@dataclass(frozen=True)
class Way:
    """How the intervals of a report are made.

    Attributes
    ----------
    level : float
        Their nominal coverage.
    method : {"influence", "percentile", "bca"}
        Linearisation, or a bootstrap.
    draws, seed : int
        How many replicates a bootstrap makes, and from which seed.
    """

    level: float = 0.95
    method: str = "influence"
    draws: int = 2000
    seed: int = 0

    @property
    def linear(self) -> bool:
        """Whether nothing is resampled."""
        return self.method == "influence"

    def __str__(self) -> str:
        """Return the words that settings print."""
        return self.method if self.linear else f"{self.method}, {self.draws} draws, seed {self.seed}"


def average_rows(
    matrix: IndicatorMatrix, questions: Sequence[Question], convention: str, way: Way
) -> tuple[list[Row], dict[str, str]]:
    """Return a row for each question that can be answered, and for the others the reason.

    Parameters
    ----------
    matrix
        The problem.
    questions, convention, way
        What is asked, and how its intervals are made.
    """
    rows: list[Row] = []
    refused: dict[str, str] = {}
    for question in questions:
        try:
            interval, signature = _answer(matrix, question, convention, way)
        except NotAnswerableError as error:
            refused[str(question)] = str(error)
            continue
        measure = question.measure.name if isinstance(question, Averaged) else str(question)
        operator = question.operator.name if isinstance(question, Averaged) else None
        rows.append(Row("", "", measure, operator, None, interval, None, signed(signature, interval)))
    return rows, refused


def _answer(matrix: IndicatorMatrix, question: Question, convention: str, way: Way) -> tuple[Interval, str]:
    """Return the interval, or the bare value where the sums that are kept allow no interval, and the signature."""
    if isinstance(question, str):
        return matrix.subset_interval(convention, level=way.level), _of_subset(matrix, convention)
    signature = matrix.signature(question, convention=convention)
    try:
        found = matrix.interval(question, convention=convention, **asdict(way))
        return _under(found, lambda: matrix.compute(question, convention=convention)), signature
    except NotAnswerableError as error:
        value = matrix.compute(question, convention=convention)
        note = "sums do not say how the labels of one item hang together" if matrix.task == "multilabel" else str(error)
        return Interval(value, math.nan, math.nan, way.level, note=note.rstrip(".")), signature


def _under(interval: Interval, compute: Callable[[], float]) -> Interval:
    """Return the interval with the value that the convention gives to 0/0, where it gives one."""
    if not math.isnan(interval.value) or math.isnan(value := compute()):
        return interval
    return replace(interval, value=value, note="the value is that of the convention for 0/0")


def _value(question: Any, statistic: Any, convention: str) -> float:
    return float(evaluate(question, statistic, convention))


def class_rows(
    matrix: IndicatorMatrix, measures: Sequence[Measure], classes: Sequence[int], convention: str, way: Way
) -> list[Row]:
    """Return a row for each of these classes and measures.

    Parameters
    ----------
    matrix
        The problem, with more columns than one.
    measures
        Measures of the four cells.
    classes
        Which columns.
    convention, way
        As everywhere.
    """
    rows = []
    drawn = None if way.linear else _replicates(matrix, way)
    support = matrix.cells.positives
    signatures = {m: matrix.signature(micro(m), convention=convention).removeprefix(str(micro(m))) for m in measures}
    for k in classes:
        alone = one_column(matrix.statistic, k)
        for measure in measures:
            question = micro(measure)
            if drawn is None:
                interval = influence_interval(
                    question, alone, convention=convention, level=way.level, moments=matrix.moments_of(k)
                )
            else:
                interval = _from_replicates(question, alone, drawn.subset([k]), convention, way)
            interval = _under(interval, partial(_value, question, alone, convention))
            signature = signed(f"{measure.name} class={matrix.column_labels[k]!s}{signatures[measure]}", interval)
            rows.append(
                Row("", "", measure.name, None, str(matrix.column_labels[k]), interval, float(support[k]), signature)
            )
    return rows


def _replicates(matrix: IndicatorMatrix, way: Way) -> Cells | None:
    """Return replicates of the cells of all classes, or nothing where sums do not say how items vary."""
    try:
        return matrix.replicates(way.draws, way.seed).cells
    except NotAnswerableError:
        return None


def _from_replicates(question: Averaged, alone: Any, drawn: Cells, convention: str, way: Way) -> Interval:
    """Return the interval that the replicates of one class give."""
    settled = Convention(convention)
    return replicate_interval(
        value_of(question, alone, settled, None),
        np.asarray(evaluate(question, drawn, settled)),
        level=way.level,
        method=way.method,
        skewness=acceleration(question, alone, settled) if way.method == "bca" else 0.0,
        described=f"{way.method} {way.draws} draws, seed {way.seed}",
        assumption=INDEPENDENT if getattr(alone, "clusters", None) is None else CLUSTERED,
    )


def one_column(statistic: Any, k: int) -> Examples | Cells:
    """Return one class against the rest, as a statistic of its own: counts where they say all, else the examples."""
    plain = isinstance(statistic, Examples) and statistic.hard and statistic.weight is None
    if not isinstance(statistic, Examples) or (plain and statistic.clusters is None):
        cells = statistic.cells
        return Cells(cells.masses[..., k : k + 1], "binary", cells.coupling)
    return statistic.column(k)


def _of_subset(matrix: IndicatorMatrix, convention: str) -> str:
    other = "micro label_accuracy"
    return matrix.signature(other, convention=convention).replace(other, SUBSET_ACCURACY, 1)
