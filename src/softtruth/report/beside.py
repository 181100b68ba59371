"""Several reports beside each other: one for each prediction and view, made into one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.report.findings import plural
from softtruth.report.one_view import renamed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.report.parts import Finding
    from softtruth.report.report import Report

# Facts about the reference: every part finds them, and saying them once is enough.
_OF_REFERENCE = frozenset({"left_out", "few_items", "rare_class", "weighted", "few_clusters", "classes_not_listed"})
# Facts about a prediction, whatever it is compared with.
_OF_PREDICTION = frozenset({"constant_prediction", "tied_predictions"})


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
    coupling = {view: name for _, report in parts for view, name in report.settings["coupling"].items()}
    return replace(
        first,
        title=title,
        n=max(report.n for _, report in parts),
        remark=remark,
        views=tuple(views.values()),
        rows=tuple(row for name, report in parts for row in renamed(report.rows, name, report.views[0].name)),
        findings=(*findings, *_merged(parts)),
        settings={**first.settings, "coupling": coupling, **(settings or {})},
        sections=_sections(parts),
    )


def _sections(parts: Sequence[tuple[str, Report]]) -> dict[str, list[dict[str, Any]]]:
    """Return the sections of all parts, each entry with the name of its prediction."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, report in parts:
        for section, entries in report.sections.items():
            found.setdefault(section, []).extend({**entry, "prediction": name} for entry in entries)
    return found


def _merged(parts: Sequence[tuple[str, Report]]) -> list[Finding]:
    several = len({name for name, _ in parts}) > 1
    found: dict[Any, Finding] = {}
    for name, report in parts:
        for finding in report.findings:
            key = _key(name, finding)
            where = _place(finding.code, name, report.views[0].title, several=several)
            if key not in found:
                found[key] = replace(finding, where=where)
            elif finding.code in _JOINS:
                found[key] = _JOINS[finding.code](found[key], finding)
            elif finding.code not in _OF_PREDICTION:
                found[key] = replace(found[key], where=(*found[key].where, *where))
    return [_placed(finding, len(parts)) for finding in found.values()]


def _place(code: str, prediction: str, view: str, *, several: bool) -> tuple[str, ...]:
    """Return what a finding is about."""
    if code in _OF_REFERENCE:
        return ()
    if code in _OF_PREDICTION:
        return (prediction,) if several else ()
    return (f"{prediction}, {view}" if several else view,)


def _placed(finding: Finding, parts: int) -> Finding:
    """Return a finding that says where it holds, unless that is everywhere."""
    if finding.code == "undefined_parts" and len(finding.where) > 1:
        said = f"{finding.sentence} The numbers are those of {finding.where[0]}."
        finding = replace(finding, sentence=said)
    return replace(finding, where=()) if len(finding.where) == parts or finding.code in _JOINS else finding


def _key(prediction: str, finding: Finding) -> Any:
    """Return what makes two findings one."""
    if finding.code in _OF_REFERENCE or finding.code == "clustered":
        return finding.code
    if finding.code in _OF_PREDICTION:
        return finding.code, prediction
    if finding.code == "no_interval":
        return finding.code, finding.numbers["reason"]
    if finding.code == "undefined_parts":  # the same averages in another view: the numbers of one will do
        return finding.code, prediction, tuple(finding.numbers)
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
