"""Whether the measures that were asked for mean here what they are taken to mean."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import NotAnswerableError
from softtruth.measures import Averaged, Measure, macro, micro
from softtruth.measures.operators import formula_of
from softtruth.report import findings as look
from softtruth.report.findings import names, number, plural
from softtruth.report.parts import Finding, FindingWarning
from softtruth.report.questions import questions_of
from softtruth.structure import canonical_coordinates, degrees_of_freedom, suite_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.measures import Operator
    from softtruth.report.questions import Question

# Over classes that exclude each other, true negatives mix the rates of many errors: other class frequencies mix them
# otherwise, though no rate has changed.
DRIFTING = 0.01


def diagnose(
    matrix: Any,
    measures: Iterable[str | Measure | Averaged] | str | None = None,
    operators: Iterable[str | Operator] | str | None = None,
    *,
    warn: bool = False,
) -> list[Finding]:
    """Return what a reader of these measures should know; see ``IndicatorMatrix.diagnose``."""
    questions = questions_of(matrix.task, measures, operators)
    taking_part = look.columns_of(matrix)
    found = [
        *suite_findings(matrix, questions),
        *look.constant_prediction(matrix),
        *look.rare_classes(matrix, taking_part),
        *look.undefined_parts(matrix, questions, taking_part),
    ]
    if warn:
        for finding in found:
            if finding.severity == "warning":
                warnings.warn(f"{finding.code}: {finding.sentence}", FindingWarning, stacklevel=3)
    return found


def suite_findings(matrix: Any, questions: Sequence[Question]) -> list[Finding]:
    """Return what is to be said of the measures themselves."""
    asked = [question for question in questions if isinstance(question, (Averaged, Measure))]
    return [
        *inflated_floor(matrix, asked),
        *micro_collapse(matrix, asked),
        *outside_classes(matrix, asked),
        *degenerate_optimum(asked),
        *class_drift(matrix, asked),
        *redundant_suite(matrix, asked),
    ]


def _averaged(questions: Iterable[Averaged | Measure], *operators: Operator) -> list[Averaged]:
    return [q for q in questions if isinstance(q, Averaged) and (not operators or q.operator in operators)]


def inflated_floor(matrix: Any, questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say which measures cannot come near the end of their range, however wrong the prediction is."""
    k = matrix.cells.n_classes
    if matrix.task != "multiclass" or k < 3:
        return []
    floors = {}
    for question in _averaged(questions, micro, macro):
        measure = question.measure
        worst = measure.range[0] if measure.better == "higher" else measure.range[1]
        floor = measure.attainable_floor(k)
        if measure.tn_at_zero and measure.better != "neither" and abs(floor - worst) > 1e-9 and math.isfinite(worst):
            floors[str(question)] = floor
    if not floors:
        return []
    listed = names(f"{name} ({number(floor)})" for name, floor in floors.items())
    sentence = (
        f"With {k} classes that exclude each other, a prediction that is wrong for every item still gets: {listed}. "
        f"Each wrong item is a true negative for {plural(k - 2, 'class', 'classes')}, and these measures count it."
    )
    return [Finding("inflated_floor", "warning", sentence, floors)]


def micro_collapse(matrix: Any, questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say that several micro averages are one number: accuracy."""
    if matrix.task != "multiclass" or matrix.coupling.startswith("raw "):
        return []
    value = matrix.compute("accuracy")
    same = [str(q) for q in _averaged(questions, micro) if abs(matrix.compute(q) - value) <= 1e-12]
    if len(same) < 2:
        return []
    sentence = (
        f"{names(same)} are all accuracy ({number(value)}): where every item has one class and gets one, each error is "
        "one false positive and one false negative."
    )
    return [Finding("micro_collapse", "note", sentence, {"accuracy": value, "questions": same})]


def outside_classes(matrix: Any, questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say which pooled values lie outside what the classes have: no average of them gives it."""
    if matrix.cells.n_classes < 2:
        return []
    words, numbers = [], {}
    for question in _averaged(questions, micro):
        parts = np.asarray(matrix.parts(macro(question.measure)))
        parts = parts[~np.isnan(parts)]
        value = matrix.compute(question)
        if parts.size and not math.isnan(value) and not parts.min() - 1e-9 <= value <= parts.max() + 1e-9:
            low, high = float(parts.min()), float(parts.max())
            words.append(f"{question} ({number(value)}; the classes have {number(low)} to {number(high)})")
            numbers[str(question)] = {"micro": value, "low": low, "high": high}
    if not words:
        return []
    sentence = (
        f"Pooled values lie outside the values of the classes: {'; '.join(words)}. Micro is no average of the classes "
        "for these measures."
    )
    return [Finding("outside_classes", "warning", sentence, numbers)]


def degenerate_optimum(questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say that all that is asked is best for a constant prediction."""
    thresholds = {}
    for question in questions:
        measure = formula_of(question)
        threshold = measure.bayes_threshold()
        if measure.better == "neither":
            continue
        if threshold is None or 0 < threshold < 1:
            return []
        thresholds[str(question)] = threshold
    ends = set(thresholds.values())
    if len(ends) != 1:
        return []
    says = "positive" if ends.pop() <= 0 else "negative"
    sentence = (
        f"{names(thresholds)}: the best value is had by predicting everything {says}. Ask for a measure of the other "
        "kind of error beside it."
    )
    return [Finding("degenerate_optimum", "warning", sentence, thresholds)]


def class_drift(matrix: Any, questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say which measures would move with the class frequencies, though they do not for two classes."""
    if matrix.task != "multiclass" or matrix.cells.n_classes < 3:
        return []
    # Recall and fnr see the positives only; whatever sees the negatives sees a mix of classes.
    mixed = [q for q in _averaged(questions) if q.measure.skew_invariant and q.measure.name not in {"recall", "fnr"}]
    drifting = [str(q) for q in mixed]
    if not drifting:
        return []
    try:
        rates = canonical_coordinates(matrix.statistic)
    except NotAnswerableError:
        return []
    occur = ~np.isnan(rates).any(axis=1)
    if occur.sum() < 3:
        return []
    errors = rates[np.ix_(occur, occur)]
    errors = errors.T[~np.eye(len(errors), dtype=bool)].reshape(len(errors), -1)  # into each class, from the others
    deviation = float(errors.std(axis=1, ddof=1).mean())
    if deviation < DRIFTING:
        return []
    sentence = (
        f"{names(drifting)}: for two classes these do not move with the class frequencies, here they do. A class is "
        f"confused with some of the others more than with the rest (rates differ by {number(deviation)}, their mean "
        "standard deviation), and the mix changes with the frequencies."
    )
    return [Finding("class_drift", "note", sentence, {"deviation": deviation, "questions": drifting})]


def redundant_suite(matrix: Any, questions: Sequence[Averaged | Measure]) -> list[Finding]:
    """Say that some of the measures follow from the others."""
    kept = [q for q in questions if isinstance(q, Measure) or q.operator.name != "exemplar"]
    freedom = degrees_of_freedom(matrix.statistic)
    if len(kept) < 2 or matrix.coupling.startswith("raw ") or freedom > 400:
        return []
    try:
        suite = suite_of(kept, matrix.statistic)
    except NotAnswerableError:
        return []
    if not suite.redundant:
        return []
    sentence = (
        f"{len(kept)} measures were asked for, but near these data they move in {suite.rank} independent directions (a "
        f"classifier of these classes has {freedom}): the others follow from them."
    )
    numbers = {"measures": len(kept), "rank": suite.rank, "degrees_of_freedom": freedom}
    return [Finding("redundant_suite", "note", sentence, numbers)]
