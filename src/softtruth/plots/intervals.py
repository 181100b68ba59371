"""Values with their intervals, below each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from softtruth.errors import InputError, listed, shown
from softtruth.plots.display import GREY, SMALL, Display, grid, legend, named, styles_for, titled
from softtruth.render.words import percent, shown_question
from softtruth.uncertainty.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.report import Report

_LINE = 0.22  # between the series of one line, where a line is 1


class IntervalDisplay(Display):
    """How large are the values, and how sure? A marker for each value, on the line of its interval.

    Parameters
    ----------
    series : mapping of str to mapping of str to Interval
        The intervals of each series (a prediction, say) by the line that they stand on (a measure, say).
    title : str

    Attributes
    ----------
    ax_, figure_
        The axes and their figure.
    markers_ : list
        The drawn markers of each series.

    Examples
    --------
    >>> from softtruth import evaluate
    >>> from softtruth.plots import IntervalDisplay
    >>> report = evaluate([0, 1, 1, 0, 1, 1], {"a": [0, 1, 1, 0, 1, 0], "b": [0, 1, 0, 1, 1, 0]}, "binary")
    >>> display = IntervalDisplay.from_report(report, ["accuracy", "recall"]).plot()
    >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ['accuracy', 'recall']
    """

    def __init__(self, series: Mapping[str, Mapping[str, Interval]], *, title: str = "") -> None:
        """Hold the intervals."""
        self.series = {name: dict(lines) for name, lines in series.items()}
        self.title = title

    @classmethod
    def from_intervals(
        cls, intervals: Mapping[str, Interval] | Mapping[str, Mapping[str, Interval]], *, title: str = ""
    ) -> Self:
        """Hold intervals by their names, or a mapping of them for each series.

        Examples
        --------
        >>> from softtruth import IndicatorMatrix
        >>> from softtruth.plots import IntervalDisplay
        >>> im = IndicatorMatrix([0.9, 0.2, 0.6, 0.4, 1.0], [1, 0, 1, 1, 1], "binary")
        >>> display = IntervalDisplay.from_intervals({name: im.interval(name) for name in ("recall", "precision")})
        >>> list(display.series[""])
        ['recall', 'precision']
        """
        whole: Any = {"": intervals} if all(isinstance(i, Interval) for i in intervals.values()) else intervals
        return cls(whole, title=title)

    @classmethod
    def from_report(
        cls,
        report: Report,
        questions: str | Sequence[str] | None = None,
        *,
        view: str | None = None,
        by_class: str | None = None,
    ) -> Self:
        """Hold the values of a report: of one view, since only within a view predictions are compared.

        Parameters
        ----------
        report : Report
        questions : str or list of str, optional
            Such as "macro f1"; by default all whose range lies within [-1, 1].
        view : str, optional
            The first of the report by default.
        by_class : str, optional
            A measure: a line for each class then, in place of one for each question.

        Raises
        ------
        InputError
            If the report has no such rows.
        """
        view = report.views[0].name if view is None else view
        if by_class is not None:
            lines = [(row.label, row) for row in report.rows if row.label is not None and row.measure == by_class]
            what = f"{by_class} of each class"
        else:
            wanted = None if questions is None else [questions] if isinstance(questions, str) else list(questions)
            lines, what = _of_questions(report, wanted, view), "Values"
        found: dict[str, dict[str, Interval]] = {name: {} for name in report.predictions}
        for line, row in lines:
            if row.view == view:
                found[row.prediction][str(line)] = row.interval
        titles = {v.name: v.title for v in report.views}
        if view not in titles or not any(found.values()):
            has = list(dict.fromkeys(row.measure for row in report.rows if row.label is not None))
            msg = (
                f"the report has no such rows: view {shown(view)}, by_class {shown(by_class)}; it has the views "
                f"{listed(titles)} and for each class {listed(has) or 'nothing'}."
            )
            raise InputError(msg)
        return cls(found, title=f"{what} against the {titles[view].removesuffix(' reference')} reference")

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the intervals.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        **kwargs
            More of the markers: what ``matplotlib.lines.Line2D`` takes.

        Raises
        ------
        InputError
            If there are more series than can be told apart.
        """
        styles = styles_for(list(self.series), "series")
        lines = list(dict.fromkeys(line for intervals in self.series.values() for line in intervals))
        step = min(_LINE, 0.8 / len(styles))
        ax = self._axes(ax, (7.2, 1.3 + len(lines) * max(0.34, 0.24 * len(styles))))
        self.markers_ = []
        for at, (style, intervals) in enumerate(zip(styles, self.series.values(), strict=True)):
            below = (at - (len(styles) - 1) / 2) * step
            places = {line: lines.index(line) + below for line in intervals}
            look = {"color": style.color, "marker": style.marker, "markersize": 6, "linestyle": "", **kwargs}
            self.markers_ += [_draw(ax, [(places[line], i) for line, i in intervals.items()], look)]
        ax.set_yticks(range(len(lines)), list(map(named, lines)))
        ax.set_ylim(len(lines) - 0.5, -0.5)
        every = [i for intervals in self.series.values() for i in intervals.values()]
        levels = sorted({i.level for i in every if math.isfinite(i.low) and i.level < 1})
        ax.set_xlabel(f"value, with {' and '.join(map(percent, levels))} interval" if levels else "value")
        ax.margins(x=0.06)
        grid(ax, "x")
        titled(ax, self.title, _caption(every))
        if len(self.series) > 1:
            legend(ax, self.markers_, list(self.series), loc="center left", bbox_to_anchor=(1.01, 0.5))
        return self


def _of_questions(report: Report, wanted: list[str] | None, view: str) -> list[tuple[str, Any]]:
    """Return the rows of these questions; without any, of those whose values fit on one scale."""
    if wanted is not None:
        return [(q, report.row(q, view, name)) for q in wanted for name in report.predictions]
    measures = report.to_dict()["measures"]
    fit = {name for name, said in measures.items() if all(x is not None and abs(x) <= 1 for x in said["range"])}
    rows = [row for row in report.rows if row.label is None and row.measure in fit]
    return [(shown_question(row.question, report.task), row) for row in rows]


def _draw(ax: Any, places: Sequence[tuple[float, Interval]], look: dict[str, Any]) -> Any:
    ended = [(y, i) for y, i in places if math.isfinite(i.low) and math.isfinite(i.high)]
    ys, lows, highs = [y for y, _ in ended], [i.low for _, i in ended], [i.high for _, i in ended]
    ax.hlines(ys, lows, highs, look["color"], linewidth=1.8)
    for y, i in places:
        if not math.isfinite(i.value):
            words = "undefined" if math.isnan(i.value) else "infinite"
            ax.annotate(words, (0.01, y), xycoords=("axes fraction", "data"), color=GREY, fontsize=SMALL, va="center")
    seen = [(y, i) for y, i in places if math.isfinite(i.value)]
    bare = [(y, i) for y, i in seen if not math.isfinite(i.low)]
    ax.plot([i.value for _, i in bare], [y for y, _ in bare], **{**look, "markerfacecolor": "white"})
    whole = [(y, i) for y, i in seen if math.isfinite(i.low)]
    return ax.plot([i.value for _, i in whole], [y for y, _ in whole], **look)[0]


def _caption(intervals: Sequence[Interval]) -> str:
    """Say what the intervals stand on, and what a hollow marker is."""
    found = dict.fromkeys(i.assumption for i in intervals if i.assumption and math.isfinite(i.low))
    words = [f"Assumption: {'; '.join(found)}."] if found else []
    words += (
        ["Hollow: no interval."] if any(math.isfinite(i.value) and not math.isfinite(i.low) for i in intervals) else []
    )
    return " ".join(words)
