"""The first table of the page: the few numbers that sum a report up, each with what it stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.render import arranged, words
from softtruth.render.arranged import Line
from softtruth.uncertainty.dependence import CAUTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from softtruth.render.arranged import Row

MOST = 12  # predictions in the table
STANDS_ON = {
    "reference": "It takes the reference to be right.",
    "majority": "It takes that class to be right: errors of the majority count as errors of the prediction.",
    "soft_decision": "It takes these shares to be the truth, doubt and all.",
    "at_prior": "It assumes that each class looks the same there, and only its frequency is another one.",
}
ANY_DEPENDENCE = (
    "The ends over every way in which reference and prediction may hang together, without sampling: no assumption."
)
DRAWN = "The mean value, and where {} of the values lie, if each item had one label, drawn from its shares."
ANY_ERRORS = (
    "The ends over every way in which errors of labels and prediction may go together, with sampling: no assumption."
)
INDEPENDENT = "The estimate if the prediction errs independently of the labels."
ACCURACY_ALONE = "Of accuracy alone: other measures hang on which labels are wrong, not only on how many."


class Perspective(NamedTuple):
    """One way to look at the predictions: a line for each, with a cell for each question.

    ``ends`` says that a cell is no value with an interval, but a range.
    """

    title: str
    sentence: str
    lines: list[Line]
    ends: bool = False


def headline(report: Mapping[str, Any]) -> list[Perspective]:
    """Return the perspectives of a report, those that it shows as columns first met first."""
    shown = report["predictions"][:MOST]
    found: list[Perspective] = []
    for view in report["views"]:
        lines = [Line(name, _cells(report, view["name"], name)) for name in shown]
        found.append(Perspective(view["title"], _sentence(report, view), lines))
        if view["name"].startswith("soft"):
            found += _open(report, view, shown)
    return [part for part in [*found, *_noise(report, shown)] if any(any(line.cells) for line in part.lines)]


def _cells(report: Mapping[str, Any], view: str, prediction: str) -> list[Row | None]:
    rows = {
        arranged.question_of(row): row
        for row in report["rows"]
        if row["class"] is None and (row["view"], row["prediction"]) == (view, prediction)
    }
    return [rows.get(question) for question in report["headline"]]


def _sentence(report: Mapping[str, Any], view: Mapping[str, str]) -> str:
    stands_on = STANDS_ON.get(view["name"], "")
    if view["name"] == "soft" and "probabilities" in view["sentence"]:
        how = report["settings"]["coupling"].get("soft")
        stands_on = "It takes both to be independent, given the item."
        if how != "independent":
            stands_on = f"It takes them to hang together as the coupling {how} says."
    elif view["name"] == "soft":
        stands_on = STANDS_ON["soft_decision"]
    if view["name"] == "at_prior" and "prior" in report["settings"]:
        stands_on += f" The frequencies: {_frequencies(report)}."
    return f"{view['sentence']} {stands_on}".strip()


def _frequencies(report: Mapping[str, Any]) -> str:
    """Return how frequent the classes are at the other prior; for each prediction, where they differ."""
    classes = report["classes"][1:] if report["task"] == "binary" else report["classes"]
    prior = report["settings"]["prior"]
    if not isinstance(prior, dict):
        return _shares(classes, prior)
    return "; ".join(f"{words.clean(name)}: {_shares(classes, own)}" for name, own in prior.items())


def _shares(classes: Sequence[str], prior: Sequence[float]) -> str:
    found = [f"{words.clean(c)} {words.share(p)}" for c, p in zip(classes, prior, strict=True)]
    return ", ".join(found[:6]) + (f" and {len(found) - 6} more" if len(found) > 6 else "")


def _open(report: Mapping[str, Any], view: Mapping[str, str], shown: list[str]) -> Iterator[Perspective]:
    """Yield what a soft reference leaves open: the range over dependence, and labels drawn from the shares."""
    level = words.percent(report["settings"]["level"])
    for code, title, sentence in (
        ("dependence_range", f"{view['title']}, any dependence", f"{ANY_DEPENDENCE} {CAUTION.capitalize()}."),
        ("drawn_truth", "one label an item", DRAWN.format(level)),
    ):
        lines = []
        for name in shown:
            numbers = _placed(report, code, name, view["title"])
            cells = [numbers.get(question) for question in report["headline"]]
            lines.append(
                Line(name, [cell and {"value": cell.get("mean", cell.get("value")), **cell} for cell in cells])
            )
        yield Perspective(title, sentence, lines, ends=code == "dependence_range")


def _placed(report: Mapping[str, Any], code: str, prediction: str, view: str) -> Mapping[str, Any]:
    """Return the numbers of the finding about this prediction in this view."""
    place = f"{prediction}, {view}" if len(report["predictions"]) > 1 else view
    for finding in report["findings"]:
        if finding["code"] == code and (place in finding["where"] or not finding["where"]):
            numbers: Mapping[str, Any] = finding["numbers"]
            return numbers
    return {}


def _noise(report: Mapping[str, Any], shown: list[str]) -> Iterator[Perspective]:
    """Yield the true accuracy, where it is known how often the labels are right."""
    given = {entry["prediction"]: entry for entry in report["sections"].get("true_accuracy", ())}
    if not given:
        return
    alone = f" {ACCURACY_ALONE}" if len(report["headline"]) > 1 else ""
    right = words.number(next(iter(given.values()))["reference_accuracy"])
    for title, sentence, key in (
        (f"truth, if {right} of the labels are right", f"{ANY_ERRORS}{alone}", "low"),
        ("the same, if errors are independent", f"{INDEPENDENT}{alone}", "estimate"),
    ):
        lines = []
        for name in shown:
            entry = given.get(name)
            cell = None if entry is None else _true(entry, ends=key == "low")
            lines.append(Line(name, [cell if question == "accuracy" else None for question in report["headline"]]))
        yield Perspective(title, sentence, lines, ends=key == "low")


def _true(entry: Mapping[str, Any], *, ends: bool) -> Row | None:
    if ends:
        low, high = entry["interval"] or (entry["low"], entry["high"])
        return {"value": entry["observed"], "low": low, "high": high, "note": ""}
    if entry["estimate"] is None:
        return None
    low, high = entry["estimate_interval"] or (None, None)
    note = "the data refute independent errors" if entry["refuted"] else ""
    return {"value": entry["estimate"], "low": low, "high": high, "note": note}
