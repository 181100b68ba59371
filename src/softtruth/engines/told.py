"""Evidence in, a report out: the same rows that `evaluate` gives, without the examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.engines.plan import TIED
from softtruth.engines.streamed_matrix import StreamedMatrix
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.views import (
    AS_ASKED,
    CONFIDENCE,
    DECISION,
    MAJORITY,
    NOT_COMPARABLE,
    REFERENCE,
    SOFT,
    SOFT_ALONE,
)
from softtruth.report.beside import beside
from softtruth.report.findings import FEW_CLUSTERS, names
from softtruth.report.one_view import report_of
from softtruth.report.parts import Finding, Row
from softtruth.uncertainty.influence import CLUSTERED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.report import Report
    from softtruth.report.parts import View
    from softtruth.statistics.evidence import Evidence


def report_from(evidence: Evidence, **asked: Any) -> Report:
    """What does this evidence say?

    Parameters
    ----------
    evidence : Evidence
        What a stream, a cluster or several machines added up.
    **asked
        ``measures``, ``operators``, ``convention``, ``level`` and ``max_classes`` of ``evaluate``.

    Returns
    -------
    Report

    Raises
    ------
    NotAnswerableError
        If none of the questions can be answered from these sums.
    """
    settings = evidence.settings
    soft = settings["reference"] != "labels"
    probable = any(kind == "probabilities" for kind in settings["predictions"].values())
    matrices = {key: StreamedMatrix(evidence, *key) for key in evidence.sums}
    parts = [
        (name, report_of(matrix, view=_view(view, settings, probable=probable), strict=False, **asked))
        for (name, view), matrix in matrices.items()
    ]
    if not any(report.rows for _, report in parts):
        raise NotAnswerableError(parts[0][1].findings[0].sentence)
    remark = f"{NOT_COMPARABLE}. Compare predictions within a column." if soft else ""
    left = {why: n for why, n in evidence.left_out.items() if why != TIED}
    accounting = {"items": evidence.rows - sum(left.values()), "rows": evidence.rows, **evidence.left_out}
    report = beside(
        parts,
        title=f"Evaluation of {names(settings['predictions'], 4)}",
        remark=f"{remark} {CONFIDENCE}" if remark and probable else remark,
        findings=[*_ties(evidence), *_clustered(matrices, evidence)],
        settings={"ties": settings["ties"]} if soft else None,
    )
    clusters = next((matrix.clusters for matrix in matrices.values()), None)
    if clusters is not None:
        report = replace(report, rows=tuple(map(_between_clusters, report.rows)))
    columns = {key: settings[key] for key in ("weight", "cluster") if settings[key] is not None}
    return replace(
        report,
        n=max(one.examples for one in evidence.sums.values()),
        settings={**report.settings, **columns},
        provenance={"accounting": accounting, "counted_with": dict(settings)},
    )


def _view(name: str, settings: Any, *, probable: bool) -> View:
    if name == "reference":
        return AS_ASKED if settings["coupling"] or settings["tnorm"] else REFERENCE
    return {"majority": MAJORITY, "soft": SOFT if probable else SOFT_ALONE, "soft_decision": DECISION}[name]


def _between_clusters(row: Row) -> Row:
    return replace(row, interval=replace(row.interval, assumption=CLUSTERED))


def _clustered(matrices: Mapping[Any, StreamedMatrix], evidence: Evidence) -> list[Finding]:
    n = next(iter(matrices.values())).clusters
    if n is None:
        return []
    column = evidence.settings["cluster"]
    if n < FEW_CLUSTERS:
        sentence = f"There are only {n:,} clusters ({column}): intervals between so few come out too narrow."
        return [Finding("few_clusters", "warning", sentence, {"clusters": n})]
    return [Finding("clustered", "note", f"Intervals are between {n:,} clusters ({column}).", {"clusters": n})]


def _ties(evidence: Evidence) -> list[Finding]:
    tied = evidence.left_out.get(TIED, 0)
    if not tied:
        return []
    made = {
        "share": "the majority reference shares each equally among its tied classes",
        "first": "the majority reference gives each to the first of its tied classes",
        "drop": "the majority reference leaves them out",
    }[evidence.settings["ties"]]
    what = "entries (an item and a label)" if evidence.settings["task"] == "multilabel" else "items"
    sentence = f"{tied:,} {what} are tied between their most likely classes: {made}."
    return [Finding("ties", "note", sentence, {"tied": tied})]
