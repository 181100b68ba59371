"""What is left of a measure when the labels that it was measured with are wrong at some rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth.corrections.noisy_table import noisy_bounds
from softtruth.corrections.true_accuracy import INDEPENDENT_ERRORS, NO_ASSUMPTION, TrueAccuracy, true_accuracy
from softtruth.report.plain import number, plain

if TYPE_CHECKING:
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.uncertainty.interval import Interval

RATES = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3)
MEASURES = {"binary": ("f1", "mcc"), "multiclass": ("cohen_kappa",), "ordinal": ("cohen_kappa",)}
MOST_CLASSES = 4  # for measures whose range is searched for


def label_errors(matrix: IndicatorMatrix, convention: str, level: float) -> list[dict[str, Any]]:
    """Return the ranges of the true accuracy, and of a measure or two, for labels that err at growing rates.

    Parameters
    ----------
    matrix
        The problem, with a reference that names one class for each item.
    convention, level
        As everywhere.
    """
    if matrix.task not in MEASURES:
        return []
    k = len(matrix.labels)
    observed = matrix.interval("accuracy", level=level)
    if math.isnan(observed.value):  # nothing is there, whatever a convention makes of it
        return []
    points = [_accuracy(true_accuracy(observed, 1 - rate, k, level=level)) for rate in RATES]
    curves = {"accuracy": {name: [point[name] for point in points] for name in points[0]}}
    for measure in MEASURES[matrix.task] if k <= MOST_CLASSES else ():
        curves[measure] = _range(matrix, measure, convention)
    return [{"rates": list(RATES), "curves": curves, "assumption": NO_ASSUMPTION, "independent": INDEPENDENT_ERRORS}]


def corrected(
    matrix: IndicatorMatrix, reference_accuracy: float | Interval, n_reference: int | None, level: float
) -> list[dict[str, Any]]:
    """Return the true accuracy, where it is known how often the labels are right.

    Parameters
    ----------
    matrix
        The problem, with a reference that names one class for each item.
    reference_accuracy, n_reference, level
        As in ``true_accuracy``.
    """
    if matrix.task not in MEASURES:
        return []
    observed = matrix.interval("accuracy", level=level)
    if math.isnan(observed.value):
        return []
    found = true_accuracy(observed, reference_accuracy, len(matrix.labels), n_reference=n_reference, level=level)
    said = {"sentences": found.sentences(), "assumption": NO_ASSUMPTION, "independent": INDEPENDENT_ERRORS}
    return [plain({**found.to_dict(), **said})]


def _accuracy(found: TrueAccuracy) -> dict[str, float | None]:
    """Return the range, the same with sampling errors, and the estimate where independent errors are not refuted."""
    interval, estimate = found.interval, None if found.refuted else found.estimate
    numbers = {"low": found.low, "high": found.high, "outer_low": interval.low, "outer_high": interval.high}
    return {**{name: number(x) for name, x in numbers.items()}, "estimate": estimate}


def _range(matrix: IndicatorMatrix, measure: str, convention: str) -> dict[str, list[Any]]:
    """Return the range of a measure at every rate."""
    ranges = [noisy_bounds(matrix, measure, reference_accuracy=1 - rate, convention=convention) for rate in RATES]
    return {"low": [number(r.low) for r in ranges], "high": [number(r.high) for r in ranges]}
