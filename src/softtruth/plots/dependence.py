"""A measure at each degree of dependence between a soft reference and a soft prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.errors import InputError
from softtruth.measures.catalogue import parse
from softtruth.plots.display import GREY, SMALL, Display, by_name, grid, legend, plain, styles_for, titled
from softtruth.render.words import shown_question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.uncertainty.interval import Interval

_CAPTION = (
    "Assumption at rho: the mass that both sides share is a mixture of independence and the least (-1) or the most (1) "
    "that the two margins allow. Dotted: the ends over every dependence."
)


class DependenceDisplay(Display):
    """How far does the value hang on the dependence between reference and prediction, which no data show?

    Parameters
    ----------
    rhos : ndarray, shape (R,)
        Degrees of dependence from -1 to 1.
    values : mapping of str to ndarray of shape (R,)
        The curve of each model.
    ranges : mapping of str to Interval
        What every dependence allows.
    measure : str

    Attributes
    ----------
    ax_, figure_
        The axes and their figure.
    lines_ : list
        The drawn curves.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix
    >>> from softtruth.plots import DependenceDisplay
    >>> im = IndicatorMatrix([0.8, 0.3, 0.6, 0.1], [0.6, 0.5, 0.9, 0.4], task="binary", coupling="independent")
    >>> display = DependenceDisplay.from_matrix(im, "f1").plot()
    >>> display.values[""][[0, 10, 20]].round(3).tolist()  # least, independent, most
    [0.429, 0.6, 0.762]
    """

    def __init__(
        self,
        rhos: NDArray[np.float64],
        values: Mapping[str, NDArray[np.float64]],
        ranges: Mapping[str, Interval],
        measure: str,
    ) -> None:
        """Hold the curves."""
        self.rhos = np.asarray(rhos, np.float64)
        self.values = dict(values)
        self.ranges = dict(ranges)
        self.measure = measure

    @classmethod
    def from_matrix(
        cls,
        matrix: IndicatorMatrix | Mapping[str, IndicatorMatrix],
        measure: Any,
        rhos: ArrayLike | None = None,
        *,
        convention: str = "exclude",
    ) -> Self:
        """Compute the curve of one problem, or of several by their names.

        Parameters
        ----------
        matrix : IndicatorMatrix, or mapping of them
            With ``coupling="independent"``, or another that leaves both sides soft.
        measure : str or Measure
        rhos : array-like, optional
            21 from -1 to 1 by default.
        convention : {"exclude", "zero", "one", "nan"}

        Raises
        ------
        InputError
            If all curves would be flat, as where a side is hard; the message says why.
        NotAnswerableError
            For measures whose range is not known.
        """
        at = np.linspace(-1, 1, 21) if rhos is None else np.atleast_1d(np.asarray(rhos, np.float64))
        models = by_name(matrix)
        values = {name: one.dependence_curve(measure, at, convention=convention) for name, one in models.items()}
        ranges = {name: one.bounds(measure, convention=convention) for name, one in models.items()}
        fixed = [found.note for found in ranges.values() if found.note and found.width == 0]
        if len(fixed) == len(models):
            msg = f"there is no dependence to draw: {fixed[0].rstrip('.')}. Pass coupling='independent' to the matrix."
            raise InputError(msg)
        task = next(iter(models.values())).task
        return cls(at, values, ranges, shown_question(parse(measure), task))

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the curves, and the ends of what every dependence allows.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        **kwargs
            More of the curves: what ``matplotlib.lines.Line2D`` takes.
        """
        names = list(self.values)
        styles = styles_for(names, "curves")
        ax = self._axes(ax, (7.2, 4.8))
        self.lines_ = []
        for style, name in zip(styles, names, strict=True):
            look = {"color": style.color, "linestyle": style.line, "linewidth": 1.8, "marker": style.marker}
            every = max(1, len(self.rhos) // 10)
            more = {"markersize": 5, "markevery": every, **kwargs}
            self.lines_ += ax.plot(self.rhos, self.values[name], **{**look, **more})
            found = self.ranges[name]
            ax.hlines([found.low, found.high], -1, 1, style.color, linewidth=1, linestyle=":")
        ax.axvline(0, color=GREY, linewidth=0.8, linestyle="--")
        ax.annotate(
            "independent", (0, 0.02), (4, 0), ("data", "axes fraction"), "offset points", color=GREY, fontsize=SMALL
        )
        ax.set_xlim(-1, 1)
        ax.set_xlabel("dependence rho: -1 least shared mass, 0 independent, 1 most")
        ax.set_ylabel(plain(self.measure))
        grid(ax)
        titled(ax, f"{self.measure} by the dependence of reference and prediction", _CAPTION)
        if names != [""]:
            legend(ax, self.lines_, names)
        return self
