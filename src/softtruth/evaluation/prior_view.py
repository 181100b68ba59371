"""A report's numbers at another prior: one more view, and what it stands on as findings."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.crossing import crossing_prior
from softtruth.corrections.target_prior import PriorEstimate
from softtruth.corrections.under_prior import UnderPrior, under_prior
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.shift import estimated, visible
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.report.parts import Finding, Row, View
from softtruth.report.rows import signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.inputs.problem import Prediction, Problem
    from softtruth.report import Report
    from softtruth.uncertainty.interval import Interval

_DECISION = (
    "The decision against the reference as it is, with the classes as frequent as {} and the rates within them kept."
)


def with_prior(
    report: Report,
    problem: Problem,
    *,
    prior: Any = None,
    target: Mapping[str, Prediction] | None = None,
    method: str = "bbse_hard",
    calibrate: bool = False,
    project: bool = False,
    level: float = 0.95,
    convention: str = "exclude",
) -> Report:
    """Return the report with a view more: the same measures where the classes are more or less frequent.

    Parameters
    ----------
    report : Report
        Of the problem.
    problem : Problem
    prior, target, method, calibrate, project
        As in ``shift_report``.
    level, convention
        As in the report.

    Raises
    ------
    InputError
        If the prior is none, or the estimate has left the simplex and is not to be projected.
    """
    matrices = {name: IndicatorMatrix(**visible(problem, name)) for name in problem.predictions}
    asked = dict.fromkeys(matrices, prior)
    if target:
        found: dict[str, Any] = {"method": method, "calibrate": calibrate, "project": project}
        asked = {name: estimated(problem, name, matrix, target, **found) for name, matrix in matrices.items()}
    return at_priors(report, matrices, asked, problem.labels, level=level, convention=convention)


def at_priors(
    report: Report,
    matrices: Mapping[str, IndicatorMatrix],
    priors: Mapping[str, Any],
    labels: Sequence[Any],
    *,
    level: float = 0.95,
    convention: str = "exclude",
) -> Report:
    """Return the report with a view more: the same measures at another prior for each prediction.

    Parameters
    ----------
    report : Report
    matrices : mapping of str to IndicatorMatrix
        The decisions of each prediction against the reference as it is; examples, or tables.
    priors : mapping of str to prior or PriorEstimate
    labels : sequence
        The classes, for binary data negative and positive.
    level, convention
        As in the report, whose ``settings`` then hold the prior: one where all predictions have the same, else a dict
        with that of each.
    """
    asked = {row.question: row for row in report.rows if row.label is None}
    rows: list[Row] = []
    findings: list[Finding] = []
    taken: dict[str, list[float]] = {}
    for name, matrix in matrices.items():
        at = under_prior(matrix, priors[name])
        rows += _rows(at, name, asked, level, convention)
        findings.append(_finding(at, name, labels, level))
        taken[name] = np.atleast_1d(np.asarray(at.prior)).tolist()
    findings += _swaps(matrices, report.headline, labels)
    estimates = any(isinstance(prior, PriorEstimate) for prior in priors.values())
    words = "they are in the target" if estimates else "they are at the prior that was given"
    view = View("at_prior", "at another prior", _DECISION.format(words))
    return replace(
        report,
        views=(*report.views, view),
        rows=(*report.rows, *rows),
        findings=(*report.findings, *findings),
        settings={**report.settings, "prior": _once(taken)},
    )


def _once(priors: Mapping[str, list[float]]) -> list[float] | dict[str, list[float]]:
    """Return the one prior of all predictions; that of each, by name, where an estimate gave them different ones."""
    one, *others = priors.values()
    return one if all(other == one for other in others) else dict(priors)


def _rows(at: UnderPrior, name: str, asked: Mapping[str, Row], level: float, convention: str) -> list[Row]:
    rows = []
    for question, row in asked.items():
        try:
            interval = at.interval(question, convention=convention, level=level)
            signature = signed(at.signature(question, convention=convention), interval)
        except (NotAnswerableError, ValueError):  # exemplar values and the like have no answer at another prior
            continue
        rows.append(Row(name, "at_prior", row.measure, row.operator, None, interval, None, signature))
    return rows


def _finding(at: UnderPrior, name: str, labels: Sequence[Any], level: float) -> Finding:
    classes = labels[1:] if at.problem.task == "binary" else labels
    own, other = (np.atleast_1d(np.asarray(p)) for p in (at.own_prior, at.prior))
    ends = [""] * len(other) if at.estimate is None else map(_ends, at.estimate.intervals(level))
    each = list(zip(classes, own, other, ends, strict=True))[:6]
    moved = ", ".join(f"{c} {a:.3g} to {b:.3g}{interval}" for c, a, b, interval in each)
    sentence = f"At the other prior ({moved}) the numbers of {name} assume label shift: a class looks the same there"
    numbers: dict[str, Any] = {"own_prior": own.tolist(), "prior": other.tolist()}
    severity = "note"
    if at.estimate is not None:
        sentence += f"; the {at.estimate.caveat}"
        test = at.estimate.test
        if test is None:
            sentence += "; decisions alone cannot test it"
        else:
            sentence += f"; label shift is {test.verdict}"
            numbers["p_value"] = test.p_value
            severity = "warning" if test.refuted else "note"
    return Finding("label_shift", severity, f"{sentence}.", numbers, (name,))


def _ends(interval: Interval) -> str:
    """Return the ends of an interval in words, where it has some."""
    return "" if math.isnan(interval.low) else f" [{interval.low:.3g}, {interval.high:.3g}]"


def _swaps(matrices: Mapping[str, IndicatorMatrix], headline: tuple[str, ...], labels: Sequence[Any]) -> list[Finding]:
    """Say at which prevalence two models of a binary problem swap places."""
    if len(matrices) < 2 or any(matrix.task != "binary" for matrix in matrices.values()):
        return []
    findings = []
    for question in headline[:1]:
        for a, b in combinations(matrices, 2):
            found = crossing_prior(matrices[a], matrices[b], question)
            if found.verdict != "crosses":
                continue
            where = ", ".join(f"{x:.3g}" for x in found.positions)
            sentence = f"{a} and {b} swap places in {question} where {labels[1]} has the frequency {where}."
            numbers = {"measure": question, "prevalence": found.positions.tolist()}
            findings.append(Finding("models_swap", "note", sentence, numbers, (a, b)))
    return findings
