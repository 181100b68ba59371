"""Which questions a report asks: a short list for each task, or the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError
from softtruth.measures import OPERATORS, Averaged, Measure, Operator, parse
from softtruth.measures.catalogue import names_operator
from softtruth.measures.operators import formula_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.report.parts import Row

SUBSET_ACCURACY = "subset_accuracy"  # a question about whole rows: no formula over cells answers it

# Binary data have one column, so that micro, macro and weighted are the same number: it is shown once.
DEFAULT_OPERATORS = {"binary": ("micro",)}
DEFAULTS: dict[str, tuple[str, ...]] = {
    "binary": (
        "accuracy",
        "balanced_accuracy",
        "f1",
        "precision",
        "recall",
        "specificity",
        "npv",
        "mcc",
        "cohen_kappa",
    ),
    "multiclass": ("accuracy", "multiclass_balanced_accuracy", "r_k", "cohen_kappa", "f1", "precision", "recall"),
    "ordinal": ("mean_absolute_error", "quadratic_weighted_kappa", "accuracy", "f1", "precision", "recall"),
    "multilabel": (SUBSET_ACCURACY, "micro label_accuracy", "f1", "precision", "recall"),
}
HEADLINES = {
    "binary": ("accuracy", "micro f1"),
    "multiclass": ("accuracy", "macro f1"),
    "ordinal": ("mean_absolute_error", "quadratic_weighted_kappa"),
    "multilabel": ("micro f1", "macro f1"),
}
PER_CLASS = ("f1", "precision", "recall")

Question = Averaged | Measure | str  # text: subset_accuracy


def kept(asked: Iterable[Any] | str | None) -> Iterable[Any] | str | None:
    """Return names that can be asked for more than once: an iterator gives its names only once."""
    return asked if asked is None or isinstance(asked, str) else list(asked)


def questions_of(
    task: str,
    measures: Iterable[str | Measure | Averaged] | str | None,
    operators: Iterable[str | Operator] | str | None,
) -> list[Question]:
    """Return the questions: each measure under each operator.

    A measure of the whole table, and one that is given with its operator, is asked once.

    Raises
    ------
    InputError
        If a measure or an operator is not known.

    Examples
    --------
    >>> [str(q) for q in questions_of("multiclass", ["accuracy", "macro f1", "recall"], ["micro", "weighted"])]
    ['accuracy', 'macro f1', 'micro recall', 'weighted recall']
    """
    given = (
        DEFAULTS[task] if measures is None else [measures] if isinstance(measures, (str, Measure)) else list(measures)
    )
    if not given:
        msg = "measures is empty; expected at least one, or None for those of the task."
        raise InputError(msg)
    asked = DEFAULT_OPERATORS.get(task, tuple(OPERATORS)) if operators is None else operators
    ways = [str(o) for o in ([asked] if isinstance(asked, (str, Operator)) else asked)]
    found: dict[str, Question] = {}
    for measure in given:
        if str(measure) == SUBSET_ACCURACY:
            found[SUBSET_ACCURACY] = SUBSET_ACCURACY
            continue
        alone = parse(measure)
        fixed = isinstance(alone, Measure) or names_operator(measure)
        for question in [alone] if fixed else [parse(measure, way) for way in ways]:
            found[str(question)] = question
    return list(found.values())


def per_class_measures(questions: Sequence[Question], *, default: bool) -> list[Measure]:
    """Return the measures that are shown for each class."""
    if default:
        return [q for q in map(parse, PER_CLASS) if isinstance(q, Averaged) for q in (q.measure,)]
    return list({str(q.measure): q.measure for q in questions if isinstance(q, Averaged)}.values())


def headline_of(task: str, questions: Sequence[Question]) -> tuple[str, ...]:
    """Return the one or two questions that sum a report up."""
    asked = [str(q) for q in questions]
    return tuple(q for q in HEADLINES[task] if q in asked) or tuple(asked[:1])


def _asks(measure: Measure) -> str:
    """Return the question that a measure answers: the first line of its documentation, with its own parameter."""
    asks = (measure.formula.__doc__ or "").strip().partition("\n")[0]
    if measure.parameters and " beta times " in asks:
        beta = measure.parameters[0]
        asks = asks.replace(" beta times as much", " as much" if beta == 1 else f" {beta:g} times as much")
    return asks


def described(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    """Return what each measure asks, which way is better, and its range, for readers of the report."""
    found: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(row.measure for row in rows):
        if name == SUBSET_ACCURACY:
            found[name] = {
                "asks": "Which share of the items has every label right?",
                "better": "higher",
                "range": [0.0, 1.0],
            }
            continue
        try:
            question = parse(name)
        except ValueError:  # a formula of the user's own: its name cannot be looked up
            found[name] = {"asks": "", "better": "neither", "range": [None, None]}
            continue
        measure = formula_of(question)
        asks = _asks(measure)
        limits = [x if abs(x) != float("inf") else None for x in measure.range]
        found[name] = {"asks": asks, "better": measure.better, "range": limits}
    return found
