"""The small pictures of the page: where values stand on a scale, and how they move along a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.render.arranged import Line

WIDTH, MARGIN = 132, 5  # of a bar, in pixels


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
    return _axis([row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None], near=near)


def _axis(found: Sequence[float], *, near: bool = False) -> Axis:
    low, high = min(found, default=0.0), max(found, default=1.0)
    if near:
        for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0):
            start = math.floor(low / step) * step
            if start + 2 * step >= high:
                return Axis(round(start, 10), round(start + 2 * step, 10))
    return Axis(0.0 if low >= 0 else min(-1.0, low), 1.0 if high <= 1 else high)


@dataclass(frozen=True)
class Plot:
    """A picture of lines and bands; where there is no number, they break.

    Attributes
    ----------
    x, y : Axis
        What the ends of the picture stand for.
    width, height : int
        In pixels, with the labels of both axes.
    """

    x: Axis
    y: Axis
    width: int = 208
    height: int = 128
    left: int = 34
    right: int = 12
    top: int = 8
    bottom: int = 20

    @classmethod
    def of(cls, xs: Sequence[float], *lines: Sequence[float | None]) -> Plot:
        """Return the picture that holds these lines."""
        found = [value for line in lines for value in line if value is not None]
        return cls(Axis(min(0.0, xs[0]), xs[-1]), _axis(found))

    def across(self, value: float) -> float:
        """Return how far from the left a value stands, in pixels."""
        share = (value - self.x.low) / (self.x.high - self.x.low)
        return round(self.left + share * (self.width - self.left - self.right), 1)

    def down(self, value: float) -> float:
        """Return how far from the top a value stands, in pixels."""
        share = (self.y.high - value) / (self.y.high - self.y.low)
        return round(self.top + share * (self.height - self.top - self.bottom), 1)

    def line(self, xs: Sequence[float], ys: Sequence[float | None]) -> str:
        """Return the path of a line.

        Examples
        --------
        >>> Plot(Axis(0, 1), Axis(0, 1)).line([0, 0.5, 1], [0.0, None, 1.0])
        'M34.0 108.0M196.0 8.0'
        """
        path, pen = [], "M"
        for x, y in zip(xs, ys, strict=True):
            if y is not None:
                path.append(f"{pen}{self.across(x)} {self.down(y)}")
            pen = "M" if y is None else "L"
        return "".join(path)

    def band(self, xs: Sequence[float], low: Sequence[float | None], high: Sequence[float | None]) -> str:
        """Return the outline of a band, or of its parts."""
        parts: list[list[tuple[float, float, float]]] = [[]]
        for x, below, above in zip(xs, low, high, strict=True):
            if below is None or above is None:
                parts.append([])
            else:
                parts[-1].append((self.across(x), self.down(below), self.down(above)))
        return "".join(
            f"M{'L'.join(f'{x} {y}' for x, y, _ in part)}L{'L'.join(f'{x} {y}' for x, _, y in reversed(part))}Z"
            for part in parts
            if len(part) > 1
        )
