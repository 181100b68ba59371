"""A comparison as one HTML page: no network, no running script, nothing beside it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.render import comparison_tables as tables
from softtruth.render import words
from softtruth.render.html import environment, framed, policy, text_of
from softtruth.render.json import to_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from softtruth.render.arranged import Line

BAR, MARGIN = 150, 6  # of a bar of a difference, in pixels
CURVE = (300, 120)
_CURVES = {"order_at_priors": "frequencies", "swap_at_prior": "frequencies", "even_label_errors": "rates"}


def to_html(comparison: Mapping[str, Any]) -> str:
    """Return the comparison as a page.

    Parameters
    ----------
    comparison
        What ``ComparisonReport.to_dict`` gives.
    """
    from markupsafe import Markup

    style = f"{text_of('page.css').strip()}\n{text_of('comparison.css').strip()}"
    # The style is ours, and in the data no "<" is left: these are the only text that is not escaped.
    return (
        environment()
        .get_template("comparison.html.jinja")
        .render(
            report=comparison,
            provenance=comparison["provenance"],
            style=Markup(style),  # noqa: S704
            policy=policy(style),
            data=Markup(to_script(comparison)),  # noqa: S704
            level=words.percent(comparison["settings"]["level"]),
            differences=list(tables.differences(comparison)),
            sections=tables.sections(comparison),
            groups=list(tables.groups(comparison)),
            scan=list(tables.scan(comparison)),
            notes=tables.notes(comparison),
            placed=tables.placed,
            parted=tables.parted,
            counted=tables.counted,
            scale_of=scale_of,
            curve_of=curve_of,
        )
    )


def to_frame_tag(comparison: Mapping[str, Any]) -> str:
    """Return the page inside a frame, for a notebook: its styles and those around it do not meet."""
    return framed(to_html(comparison), comparison["title"], sandbox="")


class Scale(NamedTuple):
    """The scale of the differences in a table: as far to the left of zero as to the right.

    Attributes
    ----------
    reach : float
        What its ends stand for.
    """

    reach: float

    def x(self, value: float) -> str:
        """Return where a value stands, in pixels."""
        share = (min(max(value, -self.reach), self.reach) / self.reach + 1) / 2
        return f"{MARGIN + share * (BAR - 2 * MARGIN):.1f}"


def scale_of(lines: Iterable[Line]) -> Scale:
    """Return the scale for the differences of a table: those of its cells that have an interval.

    Examples
    --------
    >>> from softtruth.render.arranged import Line
    >>> scale_of([Line("A - B", [{"value": 0.02, "low": -0.011, "high": 0.051}])])
    Scale(reach=0.06)
    """
    ends = [
        abs(cell[key])
        for line in lines
        for cell in line.cells
        if cell is not None and cell["low"] is not None
        for key in ("low", "high")
    ]
    most = max(ends, default=1.0) or 1.0
    step = 10.0 ** math.floor(math.log10(most))
    return Scale(round(math.ceil(most / step) * step, 12))


class Curve(NamedTuple):
    """A difference along a way, with its band, as shapes of a picture.

    Attributes
    ----------
    line, band : str
        Points of a polyline and of a polygon.
    zero : float
        Where nothing is gained, in pixels from above.
    own : float or None
        Where the data stand on the way, in pixels from the left.
    ends : (str, str)
        What the first and the last point stand for.
    top, bottom : str
        What the upper and lower edges stand for.
    what : str
        What the way is.
    """

    line: str
    band: str
    zero: float
    own: float | None
    ends: tuple[str, str]
    top: str
    bottom: str
    what: str


def curve_of(finding: Mapping[str, Any]) -> Curve | None:
    """Return the picture of a finding; None where it has none."""
    curve = finding["numbers"].get("curve")
    if curve is None or finding["code"] not in _CURVES:
        return None
    along = curve[_CURVES[finding["code"]]]
    known = [i for i, value in enumerate(curve["values"]) if value is not None]
    if len(known) < 2:
        return None
    sides = [[curve[key][i] for i in known] for key in ("values", "low", "high")]
    edge = max(abs(x) for side in sides for x in side if x is not None) or 1.0
    width, height = CURVE
    x = [width * (along[i] - along[0]) / (along[-1] - along[0]) for i in known]
    values, low, high = ([None if v is None else height * (1 - v / edge) / 2 for v in side] for side in sides)
    banded = [i for i, v in enumerate(low) if v is not None and high[i] is not None]
    there = [(x[i], high[i]) for i in banded] + [(x[i], low[i]) for i in reversed(banded)]
    own = finding["numbers"].get("own")
    label = finding["numbers"].get("class")
    return Curve(
        _points(zip(x, values, strict=True)),
        _points(there),
        height / 2,
        None if own is None else round(width * min(max((own - along[0]) / (along[-1] - along[0]), 0), 1), 1),
        (f"{along[0]:g}", f"{along[-1]:.2g}"),
        f"{edge:+.2g}",
        f"{-edge:+.2g}",
        "share of wrong labels" if label is None else f"frequency of {label}",
    )


def _points(points: Iterable[Sequence[float | None]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points if x is not None and y is not None)
