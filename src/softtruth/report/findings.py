"""What a reader of the numbers should know: found by looking at the matrix, not at the user."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.conventions import Convention
from softtruth.errors import NotAnswerableError
from softtruth.measures import Averaged
from softtruth.measures.operators import exemplar, micro
from softtruth.render.words import ROUNDED, shown_question
from softtruth.report.parts import Finding, Row
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question
    from softtruth.statistics import Cells

FEW_ITEMS = 10  # of a class, or in all: below, linearisation and common sense give out together
FEW_CLUSTERS = (
    30  # below, variances between clusters come out too small (Cameron & Miller 2015, J. Hum. Resour. 50:317)
)
NEAR_CONSTANT = 0.99
NO_ITEMS = "There are no items, so nothing has a value."


def names(items: Iterable[object], limit: int = 6) -> str:
    """Return a list in words, the rest counted."""
    found = [str(item) for item in items]
    rest = len(found) - limit
    return ", ".join(found[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def number(x: float) -> str:
    """Return a value as sentences print it."""
    return "undefined" if math.isnan(x) else f"{round(x, ROUNDED):.3f}"


def count(x: float) -> str:
    """Return a count, or a mass that is none, as sentences print it."""
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:,.1f}"


def plural(n: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def refused_questions(refused: Mapping[str, str]) -> list[Finding]:
    """Say which questions have no answer here, and why."""
    reasons: dict[str, list[str]] = {}
    for question, reason in refused.items():
        why = (
            f"They need{reason.removeprefix(f'{question} needs')}" if reason.startswith(f"{question} needs") else reason
        )
        reasons.setdefault(why if why.startswith(question) else f"{why[:1].upper()}{why[1:]}", []).append(question)
    return [
        Finding("not_answerable", "note", f"Not answered: {names(asked)}. {reason}", {"questions": asked})
        for reason, asked in reasons.items()
    ]


def left_out(matrix: IndicatorMatrix) -> list[Finding]:
    """Say how many rows or entries do not count, and how many predictions were tied."""
    found = []
    what = "entries" if matrix.task == "multilabel" else "items"
    if matrix.left_out:
        words = ", ".join(f"{number_of:,} {reason}" for reason, number_of in matrix.left_out.items())
        found.append(Finding("left_out", "note", f"Left out of all numbers ({what}): {words}.", matrix.left_out))
    if matrix.tied_predictions:
        n = matrix.tied_predictions
        words = plural(n, "item has", "items have")
        sentence = f"{words} more than one most probable class: the decision is the first of them."
        found.append(Finding("tied_predictions", "note", sentence, {"items": n}))
    return found


def columns_of(matrix: IndicatorMatrix) -> list[int]:
    """Return the columns that take part in averages."""
    columns = matrix.taking_part
    return list(range(matrix.cells.n_classes)) if columns is None else [int(k) for k in columns]


def _of_grades(matrix: IndicatorMatrix) -> Cells:
    """Return the cells of each grade against the rest, where those of the matrix are of the thresholds between."""
    return replace(matrix.statistic, task="multiclass").cells


def rare_classes(matrix: IndicatorMatrix, columns: Sequence[int]) -> list[Finding]:
    """Name the classes that few items belong to; without any items at all, say that."""
    if not matrix.cells.masses.any():
        return [Finding("no_items", "warning", NO_ITEMS, {"items": 0})]
    sizes = class_sizes(matrix)
    order = [1, 0] if matrix.task == "binary" else range(len(sizes)) if matrix.task == "ordinal" else columns
    rare = {matrix.labels[k]: float(sizes[k]) for k in order if sizes[k] < FEW_ITEMS}
    found = few_items(matrix)
    if not rare:
        return found
    listed = names(f"{label} ({count(size)})" for label, size in sorted(rare.items(), key=lambda pair: pair[1]))
    sentence = (
        f"{plural(len(rare), 'class has', 'classes have')} fewer than {FEW_ITEMS} items{_equal(matrix)} in the "
        f"reference: {listed}. Their own values, and macro averages, rest on little."
    )
    return [*found, Finding("rare_class", "warning", sentence, {str(label): size for label, size in rare.items()})]


def class_sizes(matrix: IndicatorMatrix) -> NDArray[np.float64]:
    """Return how many items of equal weight each class amounts to in the reference, in the order of the labels.

    This is ``(sum w s)^2 / sum w^2 s`` for weights w and shares s of the class: the mass of the class without weights,
    the effective number of Kish (1965, Survey Sampling) for weighted labels. A factor of all weights changes nothing.
    """
    statistic = matrix.statistic
    weight = statistic.weight if isinstance(statistic, Examples) else None
    if weight is None or not weight.any():
        return _class_masses(statistic)
    relative = weight / weight.max()
    once, twice = (_class_masses(replace(statistic, weight=w)) for w in (relative, relative**2))
    with quiet():
        return np.where(twice > 0, np.round(once**2 / twice, 9), 0.0)


def _class_masses(statistic: Any) -> NDArray[np.float64]:
    if statistic.task == "ordinal":
        return np.asarray(replace(statistic, task="multiclass").cells.positives)
    cells = statistic.cells
    if statistic.task == "binary":
        return np.array([(cells.fp + cells.tn)[0], cells.positives[0]])
    return np.asarray(cells.positives)


def effective_size(weight: NDArray[np.float64]) -> float:
    """Return how many items of equal weight say as much as these (Kish); some weight is positive."""
    relative = weight / weight.max()
    return round(float(relative.sum() ** 2 / (relative**2).sum()), 9)


def few_items(matrix: IndicatorMatrix) -> list[Finding]:
    """Say that there are too few items for any interval; clusters are counted by ``few_clusters``."""
    examples = matrix.statistic
    if not isinstance(examples, Examples) or examples.clusters is not None:
        return []
    weight = examples.example_weight
    n = float(matrix.n) if weight is None else effective_size(weight)
    if n >= FEW_ITEMS:
        return []
    sentence = (
        f"There {'is' if n == 1 else 'are'} only {plural(n, 'item')}{_equal(matrix)}: intervals and p-values of so few "
        "say little."
    )
    return [Finding("few_items", "warning", sentence, {"items": n})]


def _equal(matrix: IndicatorMatrix) -> str:
    """Return how items are counted where they have weights."""
    weighted = isinstance(matrix.statistic, Examples) and matrix.statistic.weight is not None
    return " of equal weight (Kish)" if weighted else ""


def undefined_parts(matrix: IndicatorMatrix, questions: Sequence[Question], columns: Sequence[int]) -> list[Finding]:
    """Say which averages have 0/0 parts, and how much it matters what is made of them."""
    words, numbers = [], {}
    for question in questions:
        if isinstance(question, str) or (isinstance(question, Averaged) and question.operator is micro):
            continue
        try:
            missing, of, who = _undefined(matrix, question, columns)
        except NotAnswerableError:
            continue
        if not missing:
            continue
        values = [matrix.compute(question, convention=c) for c in (Convention.EXCLUDE, Convention.ZERO, Convention.ONE)]
        if values[1] == values[2] or math.isnan(values[1]):
            continue  # the parts weigh nothing, or nothing weighs anything
        without, zero, one = map(number, values)
        called = shown_question(question, matrix.task)
        words.append(f"{called} ({missing:,} of {of}{who}: {without} without, {zero} as 0, {one} as 1)")
        numbers[str(question)] = {"undefined": missing, "exclude": values[0], "zero": values[1], "one": values[2]}
    if not words:
        return []
    sentence = (
        f"Parts of some averages are undefined (0/0), and what is made of them moves the value: {'; '.join(words)}."
    )
    return [Finding("undefined_parts", "warning", sentence, numbers)]


def _undefined(matrix: IndicatorMatrix, question: Any, columns: Sequence[int]) -> tuple[int, str, str]:
    if isinstance(question, Averaged) and question.operator is exemplar:
        means = matrix.means(question.measure)
        return means.undefined.count, plural(means.count, "item"), ""
    parts = matrix.parts(question) if isinstance(question, Averaged) else matrix.parts(question, "micro")
    missing = np.flatnonzero(np.isnan(parts))
    if parts.size < 2:
        return 0, "", ""
    labels = [matrix.column_labels[k] for k in columns] if parts.size == len(columns) else matrix.labels
    who = [labels[i] for i in missing]
    return missing.size, plural(parts.size, "class", "classes"), f", {names(who, 4)}" if who else ""


def constant_prediction(matrix: IndicatorMatrix) -> list[Finding]:
    """Say that the decision is nearly always the same class."""
    if matrix.coupling != HARDENED.name or matrix.task == "multilabel":
        return []
    cells = _of_grades(matrix) if matrix.task == "ordinal" else matrix.cells
    total = float(cells.masses[:, 0].sum())
    predicted = (cells.tp + cells.fp) / total if total else np.zeros(cells.n_classes)
    true = cells.positives / total if total else predicted
    if matrix.task == "binary":
        predicted, true = (np.array([1 - share[0], share[0]]) for share in (predicted, true))
    k = int(np.argmax(predicted))
    if predicted.size < 2 or predicted[k] < NEAR_CONSTANT or predicted[k] - true[k] < 1 - NEAR_CONSTANT:
        return []
    share = "every item" if predicted[k] == 1 else f"{100 * predicted[k]:.1f}% of the items"
    sentence = (
        f"The prediction is {'' if predicted[k] == 1 else 'nearly '}constant: it names {matrix.labels[k]} for {share}, "
        f"the reference for {100 * true[k]:.1f}%."
    )
    numbers = {"class": str(matrix.labels[k]), "predicted": float(predicted[k]), "reference": float(true[k])}
    return [Finding("constant_prediction", "warning", sentence, numbers)]


def cluster_count(examples: Examples) -> int:
    """Return how many clusters there are; where examples lie in clusters of two kinds, of the kind with fewer."""
    return min(int(np.unique(codes).size) for codes in np.atleast_2d(np.asarray(examples.clusters).T))


def few_clusters(n: int, column: str = "") -> list[Finding]:
    """Say that there are too few clusters for the intervals between them; ``column`` is what names them."""
    if n >= FEW_CLUSTERS:
        return []
    called = f" ({column})" if column else ""
    sentence = f"There are only {plural(n, 'cluster')}{called}: intervals between so few come out too narrow."
    return [Finding("few_clusters", "warning", sentence, {"clusters": n})]


def clustering(matrix: IndicatorMatrix, question: Question, level: float) -> list[Finding]:
    """Say how many clusters there are and how much wider they make the intervals."""
    examples = matrix.statistic
    if not isinstance(examples, Examples) or examples.clusters is None or isinstance(question, str):
        return []
    n = cluster_count(examples)
    found = few_clusters(n)
    alone = matrix.of(replace(examples, clusters=None), labels=matrix.labels)
    clustered, plain = (m.interval(question, level=level).width for m in (matrix, alone))
    if plain > 0 and math.isfinite(clustered):
        ratio = clustered / plain
        sentence = (
            f"Intervals are between {n:,} clusters of {len(examples):,} items: that of "
            f"{shown_question(question, matrix.task)} is {ratio:.2f} times as wide as it would be for independent "
            "items."
        )
        numbers = {"clusters": n, "items": len(examples), "ratio": ratio, "question": str(question)}
        found.append(Finding("clustered", "note", sentence, numbers))
    return found


def weighting(matrix: IndicatorMatrix) -> list[Finding]:
    """Say that items are weighted, and how many equal ones that amounts to."""
    weight = matrix.statistic.weight if isinstance(matrix.statistic, Examples) else None
    if weight is None or not weight.size or not weight.any():
        return []
    kish = effective_size(weight)
    sentence = f"Items are weighted: {weight.size:,} of them say as much as {kish:,.0f} of equal weight (Kish)."
    return [Finding("weighted", "note", sentence, {"items": weight.size, "effective": kish})]


def missing_intervals(rows: Sequence[Row]) -> list[Finding]:
    """Say which numbers have no interval or no value, and why."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.label is not None and math.isnan(row.interval.value):
            continue  # named among the undefined parts
        if math.isnan(row.interval.low):
            who = row.question if row.label is None else f"{row.measure} of {row.label}"
            reasons.setdefault(row.interval.note or "it cannot be had", []).append(who)
    return [
        Finding(
            "no_interval",
            "note",
            f"{plural(len(who), 'number has', 'numbers have')} no interval ({names(who)}): {reason}.",
            {"numbers": len(who), "reason": reason},
        )
        for reason, who in reasons.items()
    ]
