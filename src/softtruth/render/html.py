"""A report as one HTML page: no network, nothing beside it, and no script but the one that moves its slider."""

from __future__ import annotations

import base64
import hashlib
import html
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from softtruth.render import arranged, words
from softtruth.render.charts import Plot, axis_of
from softtruth.render.headline import headline
from softtruth.render.json import to_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jinja2 import Environment

    from softtruth.render.charts import Axis
    from softtruth.render.headline import Perspective

MOST_PREDICTIONS = 4  # with tables of their own
MOST_SIGNATURES = 200
LARGEST_DATA = 2_000_000  # characters of JSON in a page
# What comes after the summary: the name of a template, and its title. Those without data are left out.
PARTS = {
    "confusion": "Which classes are taken for which",
    "values": "All values",
    "prior": "Other class frequencies",
    "noise": "If some labels are wrong",
    "sets": "First classes and prediction sets",
    "people": "The people behind the reference",
    "suspects": "Labels to look at again",
    "measures": "What the measures ask",
    "settings": "Where the numbers come from",
}
_DECISIVE = {"models_swap"}  # notes that stand with the warnings, above all others
# Findings that are told where their numbers are.
_ELSEWHERE = {
    "dependence_range", "drawn_truth", "agreement", "annotation_certainty", "human_ceiling", "topk", "set_coverage"
}  # fmt: skip


def to_html(report: Mapping[str, Any]) -> str:
    """Return the report as a page.

    Parameters
    ----------
    report
        What ``Report.to_dict`` gives.
    """
    from markupsafe import Markup

    style, script = text_of("page.css").strip(), text_of("page.js").strip()
    # Style and script are ours, and in the data no "<" is left: these are the only text that is not escaped.
    data = Markup(to_script(report))  # noqa: S704
    found = [f for f in arranged.findings(report) if f["code"] not in _ELSEWHERE]
    decisive = [f for f in found if f["severity"] == "warning" or f["code"] in _DECISIVE]
    told = {code: [f for f in report["findings"] if f["code"] == code] for code in _ELSEWHERE}
    context = {
        "report": report,
        "sections": report["sections"],
        "told": told,
        "shown": report["predictions"][:MOST_PREDICTIONS],
        "several": len(report["predictions"]) > 1,
        "titles": {view["name"]: view["title"] for view in report["views"]},
        "level": words.percent(report["settings"]["level"]),
        "provenance": report["provenance"],
        "assumption": next((row["assumption"] for row in report["rows"] if row["assumption"]), "no assumption"),
    }
    perspectives = headline(report)
    parts = {name: title for name, title in PARTS.items() if _present(name, report, told)}
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            **context,
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            policy=policy(style, script),
            data=data if len(data) <= LARGEST_DATA else "",
            parts=parts,
            perspectives=perspectives,
            axes=[column_axis(perspectives, i) for i in range(len(report["headline"]))],
            differences=[told for question in report["headline"] for told in arranged.differences(report, question)],
            decisive=decisive,
            others=[f for f in found if f not in decisive],
        )
    )


def to_frame_tag(report: Mapping[str, Any]) -> str:
    """Return the page inside a frame, for a notebook: its styles and those around it do not meet.

    Its script runs, but as that of a stranger: the frame has no access to the notebook.
    """
    return framed(to_html(report), report["title"], sandbox="allow-scripts")


def framed(page: str, title: str, *, sandbox: str) -> str:
    """Return the element that shows a page inside another one; ``sandbox`` is what the page may do there."""
    name, inner = (html.escape(text, quote=True) for text in (words.clean(title), page))
    style = "width:100%;height:40rem;border:0"
    return f'<iframe title="{name}" sandbox="{sandbox}" style="{style}" srcdoc="{inner}"></iframe>'


def _present(name: str, report: Mapping[str, Any], told: Mapping[str, Any]) -> bool:
    """Whether a part of the page has anything to show."""
    sections = {"confusion": ["confusion"], "prior": ["prior_sweep"], "noise": ["label_errors"]}
    sections["suspects"] = ["suspects"]
    codes = {"sets": ("topk", "set_coverage"), "people": ("agreement", "annotation_certainty", "human_ceiling")}
    if name in codes:
        return any(told[code] for code in codes[name])
    return name not in sections or any(report["sections"].get(key) for key in sections[name])


def policy(style: str, script: str = "") -> str:
    """Return what a page may do: show its own style, and run its own script if it has one."""
    runs = f"script-src '{digest(script)}'; " if script else ""
    return f"default-src 'none'; style-src '{digest(style)}'; {runs}base-uri 'none'; form-action 'none'"


def digest(text: str) -> str:
    """Return the hash by which a page permits its own style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def environment() -> Environment:
    """Return what makes pages of the templates beside ``page.html.jinja``."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(text_of),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(clean=words.clean)
    made.globals.update(
        words=words,
        arranged=arranged,
        axis_of=axis_of,
        plots_of=plots_of,
        ends_at=ends_at,
        range_of=range_of,
        heat=heat,
        values_of=values_of,
        most_signatures=MOST_SIGNATURES,
    )
    return made


def text_of(name: str) -> str:
    """Return a part of the page, by the name of its file."""
    return files("softtruth.render").joinpath("page", name).read_text(encoding="utf-8")


def heat(mass: float, row: Iterable[float]) -> int:
    """Return how much of its row a mass is, from 0 to 9: the shade behind it.

    Examples
    --------
    >>> heat(9.0, [9.0, 1.0]), heat(0.0, [0.0, 0.0])
    (8, 0)
    """
    whole = sum(row)
    return round(9 * mass / whole) if whole else 0


def column_axis(perspectives: Iterable[Perspective], i: int) -> Axis:
    """Return the scale of one column of the summary, as short as its values allow."""
    return axis_of(
        (line._replace(cells=line.cells[i : i + 1]) for part in perspectives for line in part.lines), near=True
    )


def plots_of(xs: list[float], curves: Mapping[str, Mapping[str, Any]]) -> dict[str, Plot]:
    """Return a picture for each curve that holds it and its band."""
    keys = ("values", "estimate", "low", "high")
    return {name: Plot.of(xs, *(curve[key] for key in keys if key in curve)) for name, curve in curves.items()}


def ends_at(curve: Mapping[str, Any], i: int) -> dict[str, Any]:
    """Return the ends of the interval at one step of a curve; none where there is no band."""
    return {key: curve[key][i] if key in curve else None for key in ("low", "high")}


def values_of(report: Mapping[str, Any], prediction: str) -> tuple[list[arranged.Line], dict[str, list[str]]]:
    """Return the lines of all averages, and which of them are the same number as another one by nature."""
    lines = arranged.averages(report, prediction)
    return (lines, {}) if report["task"] == "binary" else arranged.without_repeats(lines)


def range_of(limits: Iterable[float | None]) -> str:
    """Return the range of a measure; None stands for an open end.

    Examples
    --------
    >>> range_of([0.0, 1.0]), range_of([0.0, None])
    ('0 to 1', '0 and more')
    """
    low, high = limits
    if low is None:
        return "any number"
    return f"{low:g} and more" if high is None else f"{low:g} to {high:g}"
