"""Arrays in, a report out: `evaluate`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.arguments import Seed, checked
from softtruth.errors import InputError, NotAnswerableError
from softtruth.evaluation.behind import Behind
from softtruth.evaluation.differences import difference_findings
from softtruth.evaluation.people import people_findings
from softtruth.evaluation.sides import Sides
from softtruth.evaluation.views import look_at
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.frames import library_of
from softtruth.report.beside import beside
from softtruth.report.findings import names
from softtruth.report.one_view import report_of
from softtruth.report.questions import kept
from softtruth.statistics import Cells, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from softtruth.measures import Averaged, Measure, Operator
    from softtruth.report import Report
    from softtruth.uncertainty.interval import Interval

MOST_SECTIONS = 4  # predictions with confusion tables, other priors and wrong labels


@checked
def evaluate(
    reference: Any,
    prediction: Any = None,
    task: str | None = None,
    *,
    threshold: float = 0.5,
    reference_kind: str = "auto",
    prediction_kind: str | Mapping[str, str] = "auto",
    tnorm: Any = None,
    coupling: Any = None,
    mask: Any = None,
    ignore: Any = None,
    subset: Any = None,
    sample_weight: Any = None,
    n_classes: int | None = None,
    labels: Any = None,
    clusters: Any = None,
    measures: Iterable[str | Measure | Averaged] | str | None = None,
    operators: Iterable[str | Operator] | str | None = None,
    convention: str = "exclude",
    level: float = 0.95,
    interval: str = "influence",
    draws: int = 2000,
    seed: Seed = 0,
    ties: str = "share",
    max_classes: int = 50,
    reference_accuracy: float | Interval | None = None,
    n_reference: int | None = None,
) -> Report:
    """How good are these predictions, by everything that this reference can tell?

    A soft reference (votes, shares) is looked at in two ways that stand side by side: as its most likely class, which
    is what most published scores do, and as it is. The report says why the two are not comparable.

    Parameters
    ----------
    reference : array-like, Table or Cells
        Labels, distributions or votes; or a finished table or finished cells, then without a prediction.
    prediction : array-like, or dict of name to array-like
        One prediction, or several of the same items.
    task, threshold, reference_kind, mask, ignore, subset, sample_weight, n_classes, labels, clusters
        As for ``IndicatorMatrix``.
    prediction_kind : str, or dict of name to str
        As for ``IndicatorMatrix``.
    tnorm, coupling
        How soft sides meet in the soft view; by default as independent events.
    measures : list of str or Measure, optional
        A name alone ("f1") is asked under every operator, "macro f1" under its own. By default a short list for the
        task.
    operators : list of str, optional
        By default micro, macro, weighted and exemplar; micro for binary data, where the first three are the same.
    convention : {"exclude", "zero", "one", "nan"}
        What averages make of undefined (0/0) parts.
    level : float
        The nominal coverage of the intervals.
    interval : {"influence", "percentile", "bca"}
        How they are made: by linearisation, or by a bootstrap.
    draws, seed : int
        How many replicates a bootstrap makes, and from which seed.
    ties : {"share", "first", "drop"}
        What the majority reference makes of an item without a single most likely class: its tied classes share it, it
        goes to the first of them, or it is left out. The report says how many there are.
    max_classes : int
        How many classes get rows of their own; the most frequent ones, if there are more.
    reference_accuracy, n_reference
        How often the labels (of a soft reference its most likely classes) are right, and on how many items that was
        found, as in ``true_accuracy``: ``sections`` then hold the true accuracy.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        A ``ValueError`` that names where, what was found, what was expected and what to do.

    Examples
    --------
    >>> votes = [[5, 0], [4, 1], [3, 2], [1, 4], [0, 5]]
    >>> report = evaluate(votes, [0.1, 0.2, 0.6, 0.7, 0.9], "binary", reference_kind="votes", labels=["no", "yes"])
    >>> print(report.row("accuracy", "majority").interval)
    0.800 [0.376, 0.964] sampling 95%
    >>> round(report.value("accuracy", "soft"), 3)
    0.716
    """
    asked: dict[str, Any] = {
        "measures": kept(measures),
        "operators": kept(operators),
        "convention": convention,
        "level": level,
        "interval": interval,
        "draws": draws,
        "seed": seed,
        "max_classes": max_classes,
        "reference_accuracy": reference_accuracy,
        "n_reference": n_reference,
    }
    if isinstance(reference, (Table, Cells)):
        if prediction is not None:
            msg = "a finished table holds the prediction already; leave prediction out."
            raise InputError(msg)
        return report_of(IndicatorMatrix.of(reference, labels=labels, subset=subset), **asked)
    if prediction is None:
        msg = "prediction is missing; give an array, or a dict of name to array. Only a finished table needs none."
        raise InputError(msg)
    settings = {
        "task": task,
        "threshold": threshold,
        "reference_kind": reference_kind,
        "mask": mask,
        "ignore": ignore,
        "subset": subset,
        "sample_weight": sample_weight,
        "n_classes": n_classes,
        "labels": labels,
        "clusters": clusters,
    }
    sides = Sides(reference, prediction, prediction_kind, settings)
    report = report_of_sides(sides, asked, tnorm=tnorm, coupling=coupling, ties=ties)
    behind = Behind.of_sides(sides)
    people = [] if behind is None else people_findings(behind, level=level)
    frames = library_of(reference, *sides.predictions.values())
    return replace(report, findings=(*report.findings, *people), frames=frames)


def report_of_sides(sides: Sides, asked: dict[str, Any], *, tnorm: Any, coupling: Any, ties: str) -> Report:
    """Return the report of every prediction in every view, without what the people behind the reference say.

    Parameters
    ----------
    sides
        The reference and its predictions.
    asked
        The questions: what ``report_of`` takes.
    tnorm, coupling, ties
        As for ``evaluate``.

    Raises
    ------
    NotAnswerableError
        If no question can be answered.
    """
    looks = look_at(sides, tnorm, coupling, ties)
    shown = list(sides.predictions)[:MOST_SECTIONS]
    parts = [
        (name, report_of(matrix, view=view, strict=False, sections=name in shown, **asked))
        for name, view, matrix in looks.parts
    ]
    if not any(report.rows for _, report in parts):
        raise NotAnswerableError(parts[0][1].findings[0].sentence)
    return beside(
        parts,
        title=f"Evaluation of {names(sides.predictions, 4)}",
        remark=looks.remark,
        findings=[*looks.findings, *difference_findings(looks, parts[0][1].headline, asked)],
        settings=looks.settings,
    )
