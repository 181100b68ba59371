"""The rows of a comparison, arranged in tables, and its findings in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.render import words
from softtruth.render.arranged import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Row = dict[str, Any]
Part = tuple[str, list[str], list[Line]]
MOST_PAIRS = 3  # whose sentences are all told in a terminal
NOT_ASKED = "not_asked"  # the code of findings about questions without an answer


def differences(comparison: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a table for each question with a verdict: the values, then the differences, in every view."""
    level = words.percent(comparison["settings"]["level"])
    views = [view["name"] for view in comparison["views"]]
    titles = [view["title"] for view in comparison["views"]]
    for question in comparison["headline"]:
        rows = [r for r in comparison["rows"] if r["measure"] == question and r["group"] is None]
        values: dict[str, dict[str, Row]] = {name: {} for name in comparison["predictions"]}
        gaps: dict[str, dict[str, Row]] = {}
        for row in rows:
            values[row["first"]][row["view"]] = _value(row, "first_value")
            values[row["second"]][row["view"]] = _value(row, "second_value")
            gaps.setdefault(f"{row['first']} - {row['second']}", {})[row["view"]] = _difference(row)
        lines = [Line(head, [of.get(view) for view in views]) for head, of in (*values.items(), *gaps.items()) if of]
        if lines:
            yield f"{words.question(comparison, question)}, and differences with {level} intervals", titles, lines


def groups(comparison: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a table for each pair and question: the difference in each group, in the first view; large ones first."""
    view = comparison["views"][0]
    for first, second in pairs(comparison["rows"]):
        for question in comparison["headline"]:
            rows = [
                r
                for r in comparison["rows"]
                if _is(r, question, first, second) and r["view"] == view["name"] and r["group"] is not None
            ]
            if all(row["verdict"] == "same" for row in rows):
                continue
            rows.sort(key=lambda row: (-row["items"], row["group"]))
            titles = [first, second, f"{first} - {second}"]
            lines = [
                Line(
                    row["group"],
                    [_value(row, "first_value"), _value(row, "second_value"), _difference(row)],
                    words.count(row["items"]),
                )
                for row in rows
            ]
            yield f"{words.question(comparison, question)} in each {comparison['group_column']}", titles, lines


def scan(comparison: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a table for each pair: all measures and averages, in the first view."""
    view = comparison["views"][0]["name"]
    for first, second in pairs(comparison["rows"]):
        rows = [
            r
            for r in comparison["rows"]
            if (r["first"], r["second"], r["view"], r["group"]) == (first, second, view, None)
        ]
        lines = [
            Line(
                words.question(comparison, row["measure"]),
                [_value(row, "first_value"), _value(row, "second_value"), _difference(row)],
                row["ahead"] if row["verdict"] in {"first", "second"} else "",
            )
            for row in rows
        ]
        yield f"all measures of {first} and {second}", [first, second, f"{first} - {second}"], lines


def pairs(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return the pairs of predictions, in their order."""
    return list(dict.fromkeys((row["first"], row["second"]) for row in rows))


def sections(comparison: Mapping[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what would turn the verdicts around, under its heads, warnings first."""
    return [
        ("What would put the other ahead", warnings_first(comparison["swaps"])),
        ("Can wrong labels turn the order", warnings_first(comparison["noise"])),
    ]


def notes(comparison: Mapping[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what else is to be known, under its heads, warnings first."""
    unasked = [f for f in comparison["findings"] if f["code"] == NOT_ASKED]
    other = [f for f in comparison["findings"] if f["code"] != NOT_ASKED]
    return [("Notes", warnings_first(other)), ("What could not be asked", unasked)]


def in_focus(comparison: Mapping[str, Any], found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the findings about the prediction that leads, where there are too many pairs to tell of each."""
    if len(pairs(comparison["rows"])) <= MOST_PAIRS:
        return list(found)
    first = comparison["verdicts"][0]["numbers"] if comparison["verdicts"] else {}
    leader = first.get("leader", comparison["baseline"])
    return [f for f in found if len(f["where"]) < 2 or leader is None or leader in f["where"]]


def warnings_first(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return findings with the warnings before the notes."""
    return sorted(found, key=lambda finding: finding["severity"] != "warning")


def placed(finding: Mapping[str, Any]) -> str:
    """Return the sentence of a finding, behind the prediction that it is about where it does not name it."""
    where = finding["where"]
    return f"{where[0]}: {finding['sentence']}" if len(where) == 1 else str(finding["sentence"])


def _is(row: Row, question: str, first: str, second: str) -> bool:
    return (row["measure"], row["first"], row["second"]) == (question, first, second)


def _value(row: Row, key: str) -> Row:
    return {"value": row[key], "low": None, "high": None, "note": row["note"]}


def _difference(row: Row) -> Row:
    return {"value": row["difference"], "low": row["low"], "high": row["high"], "note": row["note"]}
