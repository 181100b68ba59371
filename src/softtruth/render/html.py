"""A report as one HTML page: no network, no running script, nothing beside it."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from softtruth.render import arranged, words
from softtruth.render.json import to_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jinja2 import Template

    from softtruth.render.arranged import Line

WIDTH, MARGIN = 132, 5  # of a bar, in pixels


def to_html(report: Mapping[str, Any]) -> str:
    """Return the report as a page.

    Parameters
    ----------
    report
        What ``Report.to_dict`` gives.
    """
    from markupsafe import Markup

    provenance = report["provenance"]
    # The style sheet is ours, and in the data no "<" is left: these two are the only text that is not escaped.
    style, data = Markup(_part("page.css").strip()), Markup(to_script(report))  # noqa: S704
    return _template().render(
        report=report,
        style=style,
        data=data,
        size=words.size(report),
        level=words.percent(report["settings"]["level"]),
        titles=[view["title"] for view in report["views"]],
        findings=arranged.findings(report),
        settings=words.settings(report["settings"]),
        account=provenance.get("accounting", {}).get("sentences", ()),
        guesses=provenance.get("guesses", ()),
        inputs=provenance.get("inputs", ()),
        averages=lambda prediction: arranged.averages(report, prediction),
        classes=lambda prediction, view: arranged.classes(report, prediction, view),
        comparison=lambda question: arranged.comparison(report, question),
        differences=lambda question: arranged.differences(report, question),
        shown=lambda question: words.question(report, question),
    )


def to_frame_tag(report: Mapping[str, Any]) -> str:
    """Return the page inside a frame, for a notebook: its styles and those around it do not meet."""
    page = html.escape(to_html(report), quote=True)
    title = html.escape(words.clean(report["title"]), quote=True)
    return f'<iframe title="{title}" sandbox="" style="width:100%;height:40rem;border:0" srcdoc="{page}"></iframe>'


@cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["clean"] = words.clean
    environment.globals.update(number=words.number, interval=words.interval, axis_of=axis_of, range_of=range_of)
    return environment.from_string(_part("page.html.jinja"))


def _part(name: str) -> str:
    return files("softtruth.render").joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Axis:
    """The scale that all bars of a table share.

    Attributes
    ----------
    low, high : float
        What its ends stand for.
    """

    low: float
    high: float

    @property
    def ticks(self) -> tuple[float, float, float]:
        """The values that are marked: both ends and the middle."""
        return self.low, (self.low + self.high) / 2, self.high

    def x(self, value: float) -> str:
        """Return where a value stands, in pixels; what lies outside stands at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    @staticmethod
    def label(value: float) -> str:
        """Return a value as the scale shows it."""
        return f"{value:g}"


def axis_of(lines: Iterable[Line], *, near: bool = False) -> Axis:
    """Return the scale for a table.

    Parameters
    ----------
    lines
        The lines of the table.
    near
        Whether the scale is as short as the values allow, to tell predictions apart. By default it goes from 0, or -1
        where a value is negative, to 1, or to the largest value beyond.

    Examples
    --------
    >>> axis_of([])
    Axis(low=0.0, high=1.0)
    """
    rows = [cell for line in lines for cell in line.cells if cell is not None and cell["value"] is not None]
    found = [row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None]
    low, high = min(found, default=0.0), max(found, default=1.0)
    if near:
        for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0):
            start = math.floor(low / step) * step
            if start + 2 * step >= high:
                return Axis(round(start, 10), round(start + 2 * step, 10))
    return Axis(0.0 if low >= 0 else min(-1.0, low), 1.0 if high <= 1 else high)


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
