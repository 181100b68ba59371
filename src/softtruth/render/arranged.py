"""The rows of a report, arranged in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.render import words
from softtruth.uncertainty.rounding import best_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, Any]
DIFFERENCE = "difference"  # the code of findings that stand at the table of a question
COMPARE = "Which is better, how sure that is and what would turn it around: softtruth compare, with the same files."


class Line(NamedTuple):
    """One line of a table: its head, and a row of the report, or none, in each column."""

    head: str
    cells: list[Row | None]
    note: str = ""


def averages(report: Mapping[str, Any], prediction: str) -> list[Line]:
    """Return a line for each question to a prediction, with a cell for each view."""
    found: dict[str, dict[str, Row]] = {}
    for row in report["rows"]:
        if row["prediction"] == prediction and row["class"] is None:
            found.setdefault(question_of(row), {})[row["view"]] = row
    views = [view["name"] for view in report["views"]]
    return [
        Line(words.question(report, text), [cells.get(view) for view in views], _asks(report, cells))
        for text, cells in found.items()
    ]


def without_repeats(lines: list[Line]) -> tuple[list[Line], dict[str, list[str]]]:
    """Return the lines that say something new, and for each of them the heads of those that say the same.

    Many averages are the same number by their nature: for labels that exclude each other, micro f1 is accuracy.
    """
    kept: dict[tuple[Any, ...], Line] = {}
    same: dict[str, list[str]] = {}
    for line in lines:
        key = tuple(_digits(cell) for cell in line.cells)
        if key in kept and any(value is not None for cell in key for value in cell or ()):
            same.setdefault(kept[key].head, []).append(line.head)
        else:
            kept.setdefault((*key, line.head) if key in kept else key, line)
    return list(kept.values()), same


def _digits(row: Row | None) -> Any:
    """Return value and ends to as many digits as rounding leaves alike."""
    if row is None:
        return None
    return tuple(None if row[key] is None else f"{row[key]:.5f}" for key in ("value", "low", "high"))


def _asks(report: Mapping[str, Any], cells: Mapping[str, Row]) -> str:
    measure = next(iter(cells.values()))["measure"]
    return str(report["measures"].get(measure, {}).get("asks", ""))


def classes(report: Mapping[str, Any], prediction: str, view: str) -> tuple[list[str], list[Line]]:
    """Return the measures, and a line for each class with a cell for each of them."""
    found: dict[str, dict[str, Row]] = {}
    measures: dict[str, None] = {}
    for row in report["rows"]:
        if (row["prediction"], row["view"]) == (prediction, view) and row["class"] is not None:
            found.setdefault(row["class"], {})[row["measure"]] = row
            measures[row["measure"]] = None
    support = [next(iter(cells.values()))["support"] for cells in found.values()]
    notes = words.counts(support)
    lines = [
        Line(label, [cells.get(measure) for measure in measures], note)
        for (label, cells), note in zip(found.items(), notes, strict=True)
    ]
    return list(measures), lines


def comparison(report: Mapping[str, Any], question: str) -> list[Line]:
    """Return a line for each prediction with the answer to one question in each view."""
    views = [view["name"] for view in report["views"]]
    found: dict[str, dict[str, Row]] = {name: {} for name in report["predictions"]}
    for row in report["rows"]:
        if row["class"] is None and question_of(row) == question:
            found[row["prediction"]][row["view"]] = row
    return [Line(name, [cells.get(view) for view in views]) for name, cells in found.items()]


def differences(report: Mapping[str, Any], question: str) -> list[str]:
    """Return what is said of the differences between predictions in the answer to one question."""
    found = [f for f in report["findings"] if f["code"] == DIFFERENCE and f["numbers"]["question"] == question]
    return [finding["sentence"] for finding in found]


def which_is_better(report: Mapping[str, Any]) -> str:
    """Return which prediction has the best value, in one line, and where to ask how sure that is.

    Nothing for one prediction.
    """
    if len(report["predictions"]) < 2:
        return ""
    titles = {view["name"]: view["title"] for view in report["views"]}
    told = []
    for question in report["headline"]:
        best: dict[str, list[str]] = {}
        for view, title in titles.items():
            who = _best(report, question, view)
            if who:
                best.setdefault(who, []).append(title)
        where = {name: f" ({'; '.join(among)})" if len(best) > 1 else "" for name, among in best.items()}
        if best:
            each = ", ".join(f"{name}{among}" for name, among in where.items())
            told.append(f"{words.question(report, question)}: {each}")
    if not told:
        return ""
    return f"Best values, by chance or not: {'. '.join(told)}. {COMPARE}"


def _best(report: Mapping[str, Any], question: str, view: str) -> str:
    """Return the prediction with the best value; several that are level, or nothing where nobody can say."""
    rows = [
        row
        for row in report["rows"]
        if (row["class"], row["view"], question_of(row)) == (None, view, question) and row["value"] is not None
    ]
    better = report["measures"].get(rows[0]["measure"], {}).get("better") if rows else None
    if better not in {"higher", "lower"}:
        return ""
    return " and ".join(best_of({row["prediction"]: row["value"] for row in rows}, better))


def findings(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the findings that are told below the tables, warnings first; differences stand at theirs."""
    found = [finding for finding in report["findings"] if finding["code"] != DIFFERENCE]
    return sorted(found, key=lambda finding: finding["severity"] != "warning")


def true_accuracies(report: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return titles and sentences about the true accuracy, where it is known how often the labels are right."""
    entries, several = report["sections"].get("true_accuracy", ()), len(report["predictions"]) > 1
    return [(f"True accuracy of {e['prediction']}" if several else "True accuracy", e["sentences"]) for e in entries]


def with_place(finding: Mapping[str, Any]) -> str:
    """Return what a finding says, after where it holds, if that is not everywhere."""
    return f"{'; '.join(finding['where'])}: {finding['sentence']}" if finding["where"] else str(finding["sentence"])


def question_of(row: Row) -> str:
    """Return what a row answers, as `parse` reads it."""
    return row["measure"] if row["operator"] is None else f"{row['operator']} {row['measure']}"
