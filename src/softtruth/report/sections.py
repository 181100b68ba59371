"""What a report shows beside its rows: the confusion table, other priors, and wrong labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.report.confusion import confusion
from softtruth.report.label_errors import corrected, label_errors
from softtruth.report.prior_sweep import prior_sweep
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.parts import View
    from softtruth.report.questions import Question
    from softtruth.uncertainty.interval import Interval

Sections = dict[str, list[dict[str, Any]]]


def sections_of(
    matrix: IndicatorMatrix,
    view: View,
    asked: Sequence[Question] | None,
    convention: str,
    level: float,
    *,
    reference_accuracy: float | Interval | None = None,
    n_reference: int | None = None,
) -> Sections:
    """Return the sections of one problem in one view, by name; those without data are left out.

    Parameters
    ----------
    matrix, view
        The problem, and what the comparison is called.
    asked
        The user's own questions; None for the usual ones.
    convention, level
        As everywhere.
    reference_accuracy, n_reference
        How often the labels are right, and on how many items that was found, where it is known.
    """
    found: Sections = {"confusion": confusion(matrix)}
    if _as_it_is(matrix, view):
        found["prior_sweep"] = prior_sweep(matrix, asked, convention, level)
    if _names_classes(matrix, view):
        found["label_errors"] = label_errors(matrix, convention, level)
        if reference_accuracy is not None:
            found["true_accuracy"] = corrected(matrix, reference_accuracy, n_reference, level)
    return {
        name: [{"prediction": "prediction", "view": view.name, **each} for each in parts]
        for name, parts in found.items()
        if parts
    }


def _as_it_is(matrix: IndicatorMatrix, view: View) -> bool:
    """Whether the decision stands against the reference as it was given, as for numbers at another prior."""
    return view.name in {"reference", "soft_decision"} or (view.name == "soft" and matrix.coupling == HARDENED.name)


def _names_classes(matrix: IndicatorMatrix, view: View) -> bool:
    """Whether the reference names one class for each item, so that it can be wrong about it."""
    soft = isinstance(matrix.statistic, Examples) and not matrix.statistic.hard_reference
    return view.name == "majority" or (view.name == "reference" and matrix.coupling == HARDENED.name and not soft)
