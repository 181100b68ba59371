"""Evidence in, a report out: the same rows that `evaluate` gives, without the examples."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.engines.plan import MOST_WITH_MOMENTS, TIED
from softtruth.engines.streamed_matrix import StreamedMatrix
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.views import (
    AS_ASKED,
    CONFIDENCE,
    DECISION,
    MAJORITY,
    NOT_COMPARABLE,
    OF_TIED,
    REFERENCE,
    SAME,
    SOFT,
    SOFT_ALONE,
)
from softtruth.report.beside import beside
from softtruth.report.findings import few_clusters, names
from softtruth.report.one_view import report_of
from softtruth.report.parts import Finding, Row
from softtruth.uncertainty.influence import CLUSTERED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        ``measures``, ``operators``, ``convention``, ``level``, ``interval``, ``draws``, ``seed`` and ``max_classes`` of
        ``evaluate``. Where replicates were drawn while the rows went by, intervals are made of these by default.

    Returns
    -------
    Report

    Raises
    ------
    NotAnswerableError
        If none of the questions can be answered from these sums.
    """
    settings = evidence.settings
    asked = {**_drawn(settings), **asked}
    soft = settings["reference"] != "labels"
    probable = any(kind == "probabilities" for kind in settings["predictions"].values())
    matrices = {key: StreamedMatrix(evidence, *key) for key in evidence.sums}
    parts = [
        (name, report_of(matrix, view=_view(view, settings, probable=probable), strict=False, **asked))
        for (name, view), matrix in matrices.items()
    ]
    if not any(report.rows for _, report in parts):
        raise NotAnswerableError(parts[0][1].findings[0].sentence)
    remark = f"{NOT_COMPARABLE}. {SAME}" if soft else ""
    left = {why: n for why, n in evidence.left_out.items() if why != TIED}
    accounting = {"items": evidence.rows - sum(left.values()), "rows": evidence.rows, **evidence.left_out}
    report = beside(
        parts,
        title=f"Evaluation of {names(settings['predictions'], 4)}",
        remark=f"{remark} {CONFIDENCE}" if remark and probable else remark,
        findings=[
            *_ties(evidence),
            *_clustered(matrices, evidence, parts),
            *_weighted(matrices, evidence),
            *_only_with_examples(evidence),
        ],
        settings={"ties": settings["ties"]} if soft else None,
    )
    clusters = next((matrix.clusters for matrix in matrices.values()), None)
    if clusters is not None:
        report = replace(report, rows=tuple(map(_between_clusters, report.rows)))
    unkept = {key for key, matrix in matrices.items() if matrix.unkept}
    if unkept:
        told = (_without_moments(row) if (row.prediction, row.view) in unkept else row for row in report.rows)
        report = replace(report, rows=tuple(told))
    columns = {key: settings[key] for key in ("weight", "cluster") if settings[key] is not None}
    columns |= {key: ", ".join(settings[key]) for key in ("where", "map") if settings.get(key)}
    return replace(
        report,
        n=max(one.examples for one in evidence.sums.values()),
        settings={**report.settings, **columns},
        provenance={"accounting": accounting, "counted_with": dict(settings)},
    )


def decisions(evidence: Evidence) -> dict[str, StreamedMatrix]:
    """Return the decisions of each prediction against the reference as it is, by the names of the predictions."""
    found: dict[str, StreamedMatrix] = {}
    for view in ("soft", "reference", "soft_decision"):  # the last of these that is there has the decision
        found |= {name: StreamedMatrix(evidence, name, own) for name, own in evidence.sums if own == view}
    return found


def _view(name: str, settings: Any, *, probable: bool) -> View:
    if name == "reference":
        return AS_ASKED if settings["coupling"] or settings["tnorm"] else REFERENCE
    return {"majority": MAJORITY, "soft": SOFT if probable else SOFT_ALONE, "soft_decision": DECISION}[name]


def _between_clusters(row: Row) -> Row:
    return replace(row, interval=replace(row.interval, assumption=CLUSTERED))


def _drawn(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the intervals that were prepared while the rows went by."""
    drawn = settings.get("replicates")
    return {} if drawn is None else {"interval": "percentile", **drawn}


def _without_moments(row: Row) -> Row:
    """Say why a row has no interval, where the moments that it needs were not kept."""
    if not (math.isnan(row.interval.low) and row.interval.method.startswith("influence")):
        return row
    note = (
        f"with more than {MOST_WITH_MOMENTS} classes the moments that tell how soft or weighted examples vary are not "
        "kept; ask for the percentile interval"
    )
    return replace(row, interval=replace(row.interval, note=note))


def _clustered(
    matrices: Mapping[tuple[str, str], StreamedMatrix], evidence: Evidence, parts: Sequence[tuple[str, Report]]
) -> list[Finding]:
    n = next(iter(matrices.values())).clusters
    if n is None:
        return []
    column = evidence.settings["cluster"]
    sentence = f"Intervals are between {n:,} clusters ({column})"
    numbers: dict[str, Any] = {"clusters": n}
    (_, first), matrix = parts[0], next(iter(matrices.values()))
    alone = matrix.without_clusters()
    if alone is not None and first.headline:
        question = first.headline[0]
        widths = [one.interval(question, level=first.settings["level"]).width for one in (matrix, alone)]
        if widths[1] > 0 and math.isfinite(widths[0]):
            numbers |= {"items": matrix.n, "ratio": widths[0] / widths[1], "question": question}
            sentence += (
                f" of {matrix.n:,} items: that of {question} is {numbers['ratio']:.2f} times as wide as it would be "
                "for independent items"
            )
    return [*few_clusters(n, column), Finding("clustered", "note", f"{sentence}.", numbers)]


def _weighted(matrices: Mapping[tuple[str, str], StreamedMatrix], evidence: Evidence) -> list[Finding]:
    """Say that items are weighted, and how many equal ones that amounts to."""
    size = next(iter(matrices.values())).effective_size
    if size is None:
        return []
    n = max(one.examples for one in evidence.sums.values())
    sentence = f"Items are weighted: {n:,} of them say as much as {size:,.0f} of equal weight (Kish)."
    return [Finding("weighted", "note", sentence, {"items": n, "effective": size})]


def _only_with_examples(evidence: Evidence) -> list[Finding]:
    """Say which parts of a report need the examples, which are gone."""
    settings = evidence.settings
    soft = settings["reference"] != "labels"
    needs = {
        "the range over every dependence of reference and prediction": soft
        and "probabilities" in settings["predictions"].values(),
        "what labels drawn from the shares would give": soft,
        "what a perfect prediction would have": soft,
        "the annotators beside the predictions": settings["reference"] in {"votes", "vote_list"},
        "how far the predictions differ from each other": len(settings["predictions"]) > 1,
    }
    missing = [what for what, asked in needs.items() if asked]
    if not missing:
        return []
    sentence = f"Only sums were kept. A report of a sample that fits into memory says more: {'; '.join(missing)}."
    return [Finding("only_sums", "note", sentence, {"missing": missing})]


def _ties(evidence: Evidence) -> list[Finding]:
    tied = evidence.left_out.get(TIED, 0)
    if not tied:
        return []
    made = OF_TIED[evidence.settings["ties"]]
    what = "entries (an item and a label)" if evidence.settings["task"] == "multilabel" else "items"
    sentence = f"{tied:,} {what} are tied between their most likely classes: {made}."
    return [Finding("ties", "note", sentence, {"tied": tied})]
