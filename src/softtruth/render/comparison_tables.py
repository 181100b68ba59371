"""The rows of a comparison, arranged in tables, and its findings in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.render import words
from softtruth.render.arranged import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Row = dict[str, Any]
Found = dict[str, Any]
Part = tuple[str, list[str], list[Line]]
MOST_IN_FRONT = 6  # pairs, those of four predictions: of more, pairs that are told apart stand behind
MOST_PAIRS = 3  # whose tables of groups are all shown in a terminal
# What is said of each class, each view and each way to hang together: where several pairs are compared, only what would
# turn a verdict around stands open.
_ONE_BY_ONE = {"swap_at_prior", "order_at_priors", "order_under_dependence", "mcnemar", "worst_group", "groups_agree"}
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
    passed = {
        (found["numbers"]["measure"], group)
        for found in comparison["groups"]
        if found["code"] == "groups_of_one_class"
        for group in found["numbers"]["groups"]
    }
    for first, second in pairs(comparison["rows"]):
        for question in comparison["headline"]:
            rows = [
                r
                for r in comparison["rows"]
                if _is(r, question, first, second) and r["view"] == view["name"] and r["group"] is not None
                if (words.question(comparison, question), r["group"]) not in passed
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


def parted(comparison: Mapping[str, Any], found: Iterable[dict[str, Any]]) -> tuple[list[Found], list[Found]]:
    """Return the findings that a reader needs first, and the others.

    Of two predictions all come first. Of more these are the pairs with the one that leads, in the question at hand (of
    many, with those that it cannot be told from), and of what is said one by one the warnings.
    """
    among = len(pairs(comparison["rows"]))
    if among < 2:
        return list(found), []
    leaders: dict[str, tuple[str, set[str]]] = {}
    for verdict in comparison["verdicts"]:
        numbers = verdict["numbers"]
        if "leader" in numbers:
            asked, lead = numbers["measure"], numbers["leader"]
            level = [*numbers["not_told_from"], *numbers["equal"]]
            rivals = level if among > MOST_IN_FRONT else comparison["predictions"]
            leaders |= dict.fromkeys((asked, words.question(comparison, asked)), (lead, {lead, *rivals}))
    first: list[Found] = []
    others: list[Found] = []
    for finding in found:
        at_hand = leaders.get(finding["numbers"].get("measure"), next(iter(leaders.values()), None))
        where = set(finding["where"])
        led = len(where) < 2 or at_hand is None or (at_hand[0] in where and where <= at_hand[1])
        counts = finding["severity"] == "warning" or finding["code"] not in _ONE_BY_ONE
        (first if led and counts else others).append(finding)
    return first, others


def counted(others: Iterable[Found]) -> str:
    """Return how many more findings there are, and of which kind."""
    found = list(others)
    warnings = sum(finding["severity"] == "warning" for finding in found)
    n = len(found)
    some = f", {warnings} of them {'warnings' if warnings > 1 else 'a warning'}," if 0 < warnings < n else ""
    return f"{n} more{some} about other pairs, single classes and what changes no verdict"


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
