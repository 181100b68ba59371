"""Several reports beside each other: one for each prediction and view, made into one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.report.findings import plural
from softtruth.report.one_view import renamed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.report.report import Finding, Report

# Facts about the reference: every part finds them, and saying them once is enough.
_OF_REFERENCE = frozenset({"left_out", "rare_class", "weighted", "few_clusters", "classes_not_listed"})


def beside(
    parts: Sequence[tuple[str, Report]],
    *,
    title: str,
    remark: str = "",
    findings: Sequence[Finding] = (),
    settings: Mapping[str, Any] | None = None,
) -> Report:
    """Return one report of many.

    Parameters
    ----------
    parts
        The name of a prediction and its report in one view, in the order of the result.
    title, remark
        As in ``Report``.
    findings
        What is known about all parts together; they come first.
    settings
        More options.
    """
    first = parts[0][1]
    views = {view.name: view for _, report in parts for view in report.views}
    coupling = {report.views[0].name: report.settings["coupling"] for _, report in parts}
    return replace(
        first,
        title=title,
        remark=remark,
        views=tuple(views.values()),
        rows=tuple(row for name, report in parts for row in renamed(report.rows, name, report.views[0].name)),
        findings=(*findings, *_merged(parts)),
        settings={**first.settings, "coupling": coupling, **(settings or {})},
    )


def _merged(parts: Sequence[tuple[str, Report]]) -> list[Finding]:
    several = len({name for name, _ in parts}) > 1
    found: dict[Any, Finding] = {}
    for name, report in parts:
        view = report.views[0].title
        place = f"{name}, {view}" if several else view
        for finding in report.findings:
            key = _key(name, finding)
            where = () if finding.code in _OF_REFERENCE else (place,)
            if key not in found:
                found[key] = replace(finding, where=where)
            elif finding.code in _JOINS:
                found[key] = _JOINS[finding.code](found[key], finding)
            elif finding.code != "undefined_parts":
                found[key] = replace(found[key], where=(*found[key].where, *where))
    everywhere = len(parts)
    return [replace(f, where=() if len(f.where) == everywhere or f.code in _JOINS else f.where) for f in found.values()]


def _key(prediction: str, finding: Finding) -> Any:
    """Return what makes two findings one."""
    if finding.code in _OF_REFERENCE or finding.code == "clustered":
        return finding.code
    if finding.code == "no_interval":
        return finding.code, finding.numbers["reason"]
    if finding.code == "undefined_parts":  # the same parts in another view: the first view's numbers will do
        return finding.code, prediction, tuple((q, n["undefined"]) for q, n in finding.numbers.items())
    return finding.code, finding.sentence


def _wider(one: Finding, other: Finding) -> Finding:
    low, high = (
        f((one.numbers["ratio"], one.numbers.get("highest", one.numbers["ratio"]), other.numbers["ratio"]))
        for f in (min, max)
    )
    n, items, question = (one.numbers[key] for key in ("clusters", "items", "question"))
    sentence = (
        f"Intervals are between {n:,} clusters of {items:,} items: those of {question} are {low:.2f} to {high:.2f} "
        "times as wide as they would be for independent items."
    )
    return replace(one, sentence=sentence, numbers={**one.numbers, "ratio": low, "highest": high})


def _more_without(one: Finding, other: Finding) -> Finding:
    total, reason = one.numbers["numbers"] + other.numbers["numbers"], one.numbers["reason"]
    sentence = f"{plural(total, 'number has', 'numbers have')} no interval: {reason}."
    return replace(one, sentence=sentence, numbers={"numbers": total, "reason": reason})


_JOINS = {"clustered": _wider, "no_interval": _more_without}
