"""A measure as the classes become more or less frequent: curves, bands, and where they cross."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.corrections.crossing import crossing_prior
from softtruth.corrections.prior_curve import PriorCurve, prevalence_grid, prior_curve
from softtruth.errors import InputError
from softtruth.plots.display import GREY, SMALL, Display, by_name, grid, legend, named, plain, styles_for, titled
from softtruth.render.words import percent, shown_question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from softtruth.corrections.crossing import Crossing
    from softtruth.report.shift import ShiftReport


class PriorCurveDisplay(Display):
    """How does the measure move with the prior, and where do models swap places?

    Each curve has its band, where it was computed with a level, and a marker at the prior of its own data.

    Parameters
    ----------
    curves : mapping of str to PriorCurve
        At the same priors.
    crossings : sequence of Crossing
        To mark by diamonds.
    prior : float, optional
        A prevalence (or position on the path) to mark by a line.

    Attributes
    ----------
    ax_, figure_
        The axes and their figure.
    lines_ : list
        The drawn curves.

    Raises
    ------
    InputError
        For curves of different priors, or more than can be told apart.

    Examples
    --------
    >>> from softtruth import Table
    >>> from softtruth.plots import PriorCurveDisplay
    >>> models = {"bold": Table.of([[90, 10], [10, 90]], task="binary"),
    ...           "careful": Table.of([[98, 2], [30, 70]], task="binary")}  # fmt: skip
    >>> display = PriorCurveDisplay.from_problems(models, "f1").plot()
    >>> display.ax_.get_xlabel(), display.crossings[0].positions.round(3).tolist()
    ('prevalence of 1', [0.206])
    """

    def __init__(
        self, curves: Mapping[str, PriorCurve], *, crossings: Sequence[Crossing] = (), prior: float | None = None
    ) -> None:
        """Hold the curves."""
        styles_for(list(curves), "curves")
        first = next(iter(curves.values()))
        if any(not np.array_equal(curve.priors, first.priors) for curve in curves.values()):
            msg = "the curves have different priors; compute all of them at the same ones."
            raise InputError(msg)
        self.curves = dict(curves)
        self.crossings = tuple(crossings)
        self.prior = prior

    @classmethod
    def from_curves(
        cls,
        curves: PriorCurve | Mapping[str, PriorCurve],
        *,
        crossings: Sequence[Crossing] = (),
        prior: float | None = None,
    ) -> Self:
        """Hold curves that ``prior_curve`` made: one, or several by the names of the models."""
        return cls(by_name(curves), crossings=crossings, prior=prior)

    @classmethod
    def from_problems(
        cls,
        problems: Any,
        measure: Any,
        priors: ArrayLike | None = None,
        *,
        level: float | None = 0.95,
        prior: float | None = None,
    ) -> Self:
        """Compute the curves of one or several models, and of two classes where each two cross.

        Parameters
        ----------
        problems : IndicatorMatrix, Table, Cells, or mapping of them
        measure : str or Measure
            "macro f1", "precision", ...
        priors : array-like, optional
            As in ``prior_curve``; for two classes 199 prevalences between 0.005 and 0.995 by default.
        level : float or None
            Of the bands; None for none.
        prior : float, optional
            A prevalence to mark.
        """
        models = by_name(problems)
        at = prevalence_grid(199, 0.005, 0.995) if priors is None else priors
        curves = {name: prior_curve(model, measure, at, level=level) for name, model in models.items()}
        binary = all(curve.priors.ndim == 1 for curve in curves.values())
        pairs = combinations(models.values(), 2) if binary else ()
        return cls(curves, crossings=[crossing_prior(a, b, measure) for a, b in pairs], prior=prior)

    @classmethod
    def from_shift(cls, report: ShiftReport) -> Self:
        """Hold the curves of a report of ``shift_report``: those with the priors of the first.

        Raises
        ------
        InputError
            If it has none, because the prior is that of the data.
        """
        every = {view.name: view.curve for view in report.views if view.curve is not None}
        if not every:
            msg = "there is no picture: the other prior is that of the data, so that there is no way between the two."
            raise InputError(msg)
        first = next(iter(every.values()))
        curves = {name: curve for name, curve in every.items() if np.array_equal(curve.priors, first.priors)}
        crossings = [c for a, b, c in report.crossings if c.question == str(first.question) and {a, b} <= curves.keys()]
        return cls(
            curves, crossings=crossings, prior=float(report.views[0].prior[0]) if first.priors.ndim == 1 else None
        )

    def plot(self, ax: Any = None, *, log: bool = False, **kwargs: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        log : bool
            Whether to draw prevalences on a logarithmic scale, for rare classes.
        **kwargs
            More of the curves: what ``matplotlib.lines.Line2D`` takes.
        """
        ax = self._axes(ax, (7.2, 4.8))
        curves = list(self.curves.values())
        self.lines_ = [
            _draw(ax, curve, style, kwargs) for style, curve in zip(styles_for(curves, "curves"), curves, strict=True)
        ]
        for crossing in self.crossings:
            for position, value in zip(crossing.positions, crossing.values, strict=True):
                ax.plot([position], [value], color="black", marker="D", markersize=5, linestyle="", zorder=5)
                ax.annotate(f"{position:.3g}", (position, value), (6, 7), textcoords="offset points", fontsize=SMALL)
        if self.prior is not None:
            ax.axvline(self.prior, color=GREY, linewidth=0.9, linestyle="--")
        x = _positions(curves[0])
        ax.set_xlim(float(x[0]), float(x[-1]))
        ax.set_xscale("log" if log else "linear")
        task = curves[0].source.statistic.task
        measures = list(dict.fromkeys(shown_question(c.question, task) for c in curves))
        ax.set_ylabel(plain(measures[0]) if len(measures) == 1 else "value")
        ax.set_xlabel(_words_of(curves[0]))
        grid(ax)
        crossed = any(len(c.positions) for c in self.crossings)
        titled(ax, ", ".join(measures) + " at other class frequencies", _caption(curves, self.prior, crossed=crossed))
        if list(self.curves) != [""]:
            legend(ax, self.lines_, list(self.curves))
        return self


def _draw(ax: Any, curve: PriorCurve, style: Any, more: dict[str, Any]) -> Any:
    x = _positions(curve)
    if curve.low is not None and curve.high is not None:
        ax.fill_between(x, curve.low, curve.high, color=style.color, alpha=0.15, linewidth=0)
    look = {"color": style.color, "linestyle": style.line, "linewidth": 1.8, "marker": style.marker, "markersize": 6}
    own = curve.own_prior if curve.priors.ndim == 1 else _position(curve)
    (line,) = ax.plot(x, curve.values, **{**look, "markevery": [], **more})
    if own is not None:
        ax.plot([own], [curve.own_value], color=line.get_color(), marker=style.marker, linestyle="", zorder=4)
    return line


def _positions(curve: PriorCurve) -> Any:
    return curve.priors if curve.priors.ndim == 1 else np.linspace(0, 1, len(curve))


def _caption(curves: Sequence[PriorCurve], prior: float | None, *, crossed: bool) -> str:
    words = f"Assumption: {curves[0].assumption}. Markers: prior of the data."
    level = curves[0].level
    words += "" if level is None else f" Bands: {percent(level)}, at each prior for itself."
    words += " Diamonds: where models are equal." if crossed else ""
    return words if prior is None else f"{words} Dashed: the prior {prior:.3g}."


def _words_of(curve: PriorCurve) -> str:
    if curve.priors.ndim == 1:
        return f"prevalence of {named(curve.labels[-1])}"
    start, end = (", ".join(f"{p:.2g}" for p in prior[:4]) for prior in (curve.priors[0], curve.priors[-1]))
    more = ", ..." if curve.priors.shape[1] > 4 else ""
    return f"from the prior ({start}{more}) to ({end}{more})"


def _position(curve: PriorCurve) -> float | None:
    """Return where the prior of the data lies on the path, if it does."""
    start, end = curve.priors[0], curve.priors[-1]
    way = end - start
    length = float(way @ way)
    if length == 0:
        return None
    t = float((curve.own_prior - start) @ way) / length
    on_it = np.allclose(start + t * way, curve.own_prior, atol=1e-9) and -1e-9 <= t <= 1 + 1e-9
    return t if on_it else None
