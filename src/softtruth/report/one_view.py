"""The report of one matrix: its rows and its findings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import convention_of
from softtruth.errors import InputError, NotAnswerableError
from softtruth.report import findings as look
from softtruth.report.diagnoses import suite_findings
from softtruth.report.parts import Finding, View
from softtruth.report.questions import headline_of, per_class_measures, questions_of
from softtruth.report.ranges import ranges
from softtruth.report.report import Report
from softtruth.report.rows import Way, average_rows, class_rows
from softtruth.report.sections import sections_of
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.interval import checked_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures import Averaged, Measure, Operator
    from softtruth.uncertainty.interval import Interval

AS_GIVEN = View("reference", "reference", "The prediction against the reference, both as they were given.")


def report_of(
    matrix: IndicatorMatrix,
    measures: Iterable[str | Measure | Averaged] | str | None = None,
    operators: Iterable[str | Operator] | str | None = None,
    *,
    convention: str = "exclude",
    level: float = 0.95,
    interval: str = "influence",
    draws: int = 2000,
    seed: int = 0,
    max_classes: int = 50,
    view: View = AS_GIVEN,
    strict: bool = True,
    sections: bool = True,
    reference_accuracy: float | Interval | None = None,
    n_reference: int | None = None,
) -> Report:
    """Return the report of one problem.

    Parameters
    ----------
    matrix
        The problem.
    measures, operators, convention, level, interval, draws, seed
        What is asked; see ``IndicatorMatrix.report``.
    max_classes
        How many classes get rows of their own.
    view
        What the comparison is called.
    strict
        Whether a question that was asked by name and has no answer is an error.
    sections
        Whether to add the table, other priors and wrong labels.
    reference_accuracy, n_reference
        How often the labels are right, as in ``true_accuracy``, where it is known.
    """
    convention, way = str(convention_of(convention)), Way(checked_level(level), interval, draws, seed)
    questions = questions_of(matrix.task, measures, operators)
    rows, refused = average_rows(matrix, questions, convention, way)
    if measures is not None and strict and refused:
        raise NotAnswerableError(next(iter(refused.values())))
    taking_part = look.columns_of(matrix)
    shown, notes = _listed(matrix, taking_part, max_classes)
    if matrix.cells.n_classes > 1:
        asked = per_class_measures(questions, default=measures is None)
        rows += class_rows(matrix, asked, shown, convention, way)
    answered = [q for q in questions if str(q) not in refused]
    headline = headline_of(matrix.task, answered)
    main = next((q for q in answered if str(q) in headline), None)
    found = [
        *look.left_out(matrix),
        *(() if measures is None else suite_findings(matrix, answered)),
        *look.refused_questions(refused),
        *look.constant_prediction(matrix),
        *look.rare_classes(matrix, taking_part),
        *look.undefined_parts(matrix, answered, taking_part),
        *([] if main is None else look.clustering(matrix, main, level)),
        # The shares of a majority stand for ties, and not for doubt.
        *ranges(matrix, [q for q in answered if str(q) in headline and view.name != "majority"], convention, level),
        *look.weighting(matrix),
        *look.missing_intervals(rows),
        *notes,
    ]
    return Report(
        title=f"{matrix.task} report",
        task=matrix.task,
        classes=tuple(str(label) for label in matrix.labels),
        n=size_of(matrix),
        views=(view,),
        rows=tuple(renamed(rows, "prediction", view.name)),
        findings=tuple(found),
        settings=settings_of(matrix, view, convention, way),
        headline=headline,
        sections=sections_of(
            matrix,
            view,
            None if measures is None else answered,
            convention,
            level,
            reference_accuracy=reference_accuracy,
            n_reference=n_reference,
        )
        if sections
        else {},
    )


def renamed(rows: Iterable[Any], prediction: str, view: str) -> list[Any]:
    """Return the rows under these names."""
    return [replace(row, prediction=prediction, view=view) for row in rows]


def size_of(matrix: IndicatorMatrix) -> float:
    """Return the number of items that count, or their mass where only sums are known."""
    if isinstance(matrix.statistic, Examples):
        return matrix.n
    return float(np.sum(matrix.cells.masses[..., 0]))


def settings_of(matrix: IndicatorMatrix, view: View, convention: str, way: Way) -> dict[str, Any]:
    """Return the options that every number of the matrix shares."""
    found: dict[str, Any] = {
        "task": matrix.task,
        "coupling": {view.name: matrix.coupling},
        "convention": convention,
        "level": way.level,
    }
    if not way.linear:
        found["interval"] = str(way)
    if matrix.threshold is not None and matrix.task != "multiclass":
        found["threshold"] = matrix.threshold
    return found


def _listed(matrix: IndicatorMatrix, columns: Sequence[int], max_classes: int) -> tuple[list[int], list[Finding]]:
    """Return the classes that get rows: all, or the ones with the most mass in the reference."""
    if max_classes < 0:
        msg = f"max_classes is {max_classes}, expected how many classes get rows of their own, 0 for none."
        raise InputError(msg)
    if len(columns) <= max_classes:
        return list(columns), []
    support = np.asarray(matrix.cells.positives)[list(columns)]
    top = sorted(np.argsort(-support, kind="stable")[:max_classes].tolist())
    sentence = (
        f"Only the {max_classes:,} most frequent of {len(columns):,} classes have rows of their own "
        "(max_classes sets how many); averages are over all."
    )
    notes = [Finding("classes_not_listed", "note", sentence, {"shown": max_classes, "classes": len(columns)})]
    return [columns[i] for i in top], notes if max_classes else []
