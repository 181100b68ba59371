"""The measures of a report as one class becomes more or less frequent: what the slider of the page steps through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.prior_curve import prior_curve
from softtruth.corrections.prior_error import FEW
from softtruth.corrections.priors import LABEL_SHIFT, Source
from softtruth.errors import NotAnswerableError
from softtruth.report.plain import plain
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question

# Frequencies that people name, dense where a class or the rest of them is rare.
STEPS = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45,
    0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 0.998,
    0.999,
)  # fmt: skip
MEASURES = {
    "binary": ("accuracy", "precision", "recall", "f1", "mcc"),
    "multiclass": ("accuracy", "macro precision", "macro recall", "macro f1", "r_k"),
    "multilabel": ("micro f1", "macro precision", "macro recall", "macro f1"),
}
MOST_QUESTIONS = 5
MOST_COLUMNS = 100  # classes, beyond which tables at many priors fill the memory
_ALL, _ONE = 3e7, 3e8  # numbers that the classes of a prediction may take together (half a second), or one with bands


def prior_sweep(
    matrix: IndicatorMatrix, asked: Sequence[Question] | None, convention: str, level: float
) -> list[dict[str, Any]]:
    """Return the measures as each of the most frequent classes in turn gets other priors, as JSON values.

    The other classes keep their proportions; labels that hold together keep their prevalences. Each number is that of
    ``under_prior``, and the prior of the data is one of the steps.

    Parameters
    ----------
    matrix
        The problem. Where it says nothing of other priors, and above 100 classes, there is no sweep.
    asked
        The user's own questions; None for the usual ones.
    convention, level
        As everywhere.
    """
    if matrix.cells.n_classes > MOST_COLUMNS or not float(np.sum(matrix.cells.masses)):
        return []
    try:
        source = Source.of(matrix)
    except NotAnswerableError:  # ordinal data, masked classes, couplings of a soft reference
        return []
    questions = MEASURES[matrix.task] if asked is None else [str(question) for question in asked][:MOST_QUESTIONS]
    if not questions:
        return []
    movable = _movable(source)
    work = len(STEPS) * len(questions) * _work(source)
    bands = level if work <= _ONE else None
    classes = movable[: max(1, int(_ALL / work))]
    found = (_moving(source, k, questions, convention, bands) for k in classes)
    return [{**each, "not_moved": len(movable) - len(classes)} for each in found if each["curves"]]


def _movable(source: Source) -> list[int]:
    """Return the classes whose frequency can change with all rates known, the most frequent first."""
    columns = range(len(source.prior)) if source.columns is None else [int(k) for k in source.columns]
    inside = [k for k in columns if 0 < source.prior[k] < 1]
    return sorted(inside, key=lambda k: -source.prior[k])


def _work(source: Source) -> int:
    """Return how many numbers one value with its interval takes."""
    statistic, k = source.statistic, source.prior.shape[-1]
    each = isinstance(statistic, Examples) and not statistic.hard and (k > FEW or statistic.clusters is not None)
    return k * k * (25 + len(statistic) // 4 if each else 25)


def _moving(source: Source, k: int, questions: Sequence[str], convention: str, level: float | None) -> dict[str, Any]:
    """Return the curves of one class."""
    steps = np.unique([*STEPS, source.prior[k]])
    priors = source.with_frequency(k, steps)
    curves = {}
    for question in questions:
        try:
            curve = prior_curve(source, question, priors, convention=convention, level=level)
        except (NotAnswerableError, ValueError):  # exemplar values, and formulas of the user's own
            continue
        ends = {} if curve.low is None else {"low": plain(curve.low), "high": plain(curve.high)}
        curves[question] = {"values": plain(curve.values), **ends}
    names = source.labels[1:] if source.statistic.task == "binary" else source.labels
    return {
        "class": str(names[k]),
        "steps": plain(steps),
        "own": int(np.searchsorted(steps, source.prior[k])),
        "level": level,
        "curves": curves,
        "assumption": LABEL_SHIFT,
    }
