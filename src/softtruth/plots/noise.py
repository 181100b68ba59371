"""The true accuracy against the observed one, for labels that are right more or less often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.corrections.sharp_range import (
    checked_classes,
    checked_share,
    coincidence_of,
    independent_accuracy,
    sharp_range,
)
from softtruth.errors import NotAnswerableError
from softtruth.plots.display import GREY, SMALL, Display, grid, legend, styles_for, titled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.corrections.true_accuracy import TrueAccuracy

_CAPTION = "Bands: what is possible, without any assumption. Lines: if the errors of model and labels are independent."
_CLOSE = 0.02  # accuracies of labels that differ by less would be drawn over each other


class NoiseCurveDisplay(Display):
    """How does the true accuracy follow from the observed one?

    A band of what is possible for each accuracy of the labels, and a line of what independent errors would give. Above
    the crossover (one half for two classes) independent errors make a model look worse than it is, below it better.

    Parameters
    ----------
    reference_accuracies : sequence of float
        How often the labels are right.
    n_classes : int
    coincidence : float, optional
        The probability that two wrong answers are the same; by default ``1 / (K - 1)``.
    result : TrueAccuracy, optional
        A result to mark.

    Attributes
    ----------
    ax_, figure_
        The axes and their figure.
    lines_ : list
        The drawn lines.

    Raises
    ------
    InputError
        For accuracies that are no shares, or more than can be told apart.

    Examples
    --------
    >>> from softtruth import true_accuracy
    >>> from softtruth.plots import NoiseCurveDisplay
    >>> display = NoiseCurveDisplay.from_result(true_accuracy(0.90, 0.96)).plot()
    >>> display.reference_accuracies
    (0.96, 0.9, 0.8)
    """

    def __init__(
        self,
        reference_accuracies: Sequence[float],
        n_classes: int = 2,
        *,
        coincidence: float | None = None,
        result: TrueAccuracy | None = None,
    ) -> None:
        """Hold what is drawn."""
        styles_for(reference_accuracies, "accuracies of the labels")
        self.reference_accuracies = tuple(
            float(checked_share(right, "reference_accuracies")) for right in reference_accuracies
        )
        self.n_classes = checked_classes(n_classes)
        self.coincidence = coincidence_of(self.n_classes, coincidence)
        self.result = result

    @classmethod
    def from_accuracies(
        cls, reference_accuracies: Sequence[float], n_classes: int = 2, *, coincidence: float | None = None
    ) -> Self:
        """Hold the curves of labels that are right so often."""
        return cls(reference_accuracies, n_classes, coincidence=coincidence)

    @classmethod
    def from_result(cls, result: TrueAccuracy, beside: Sequence[float] = (0.9, 0.8)) -> Self:
        """Hold what ``true_accuracy`` found, and the curves of worse labels beside it."""
        own = result.reference_accuracy.value
        others = [right for right in beside if abs(right - own) > _CLOSE]
        return cls([own, *others], result.n_classes, coincidence=result.coincidence, result=result)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the bands and the lines.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        **kwargs
            More of the lines: what ``matplotlib.lines.Line2D`` takes.
        """
        ax = self._axes(ax, (6.4, 6.6))
        observed = np.linspace(0, 1, 401)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=":")
        names = [f"labels right on {100 * right:.3g} %" for right in self.reference_accuracies]
        self.lines_ = []
        for style, right in zip(styles_for(names, "lines"), self.reference_accuracies, strict=True):
            low, high = sharp_range(observed, right, self.n_classes)
            ax.fill_between(observed, low, high, color=style.color, alpha=0.13, linewidth=0)
            try:
                estimate = independent_accuracy(observed, right, self.n_classes, coincidence=self.coincidence)
                inside = (estimate >= 0) & (estimate <= 1)
            except NotAnswerableError:  # at chance the line is vertical: no estimate
                estimate, inside = observed, np.zeros(observed.shape, bool)
            look = {"color": style.color, "linestyle": style.line, "linewidth": 1.8, **kwargs}
            self.lines_ += ax.plot(observed[inside], estimate[inside], **look)
        crossover = self.coincidence / (1 + self.coincidence)
        ax.axvline(crossover, color=GREY, linewidth=0.8, linestyle="--")
        ax.text(crossover + 0.012, 0.02, f"crossover at {crossover:.3g}", color=GREY, fontsize=SMALL)
        marked = [] if self.result is None else _mark(ax, self.result)
        ax.set(
            xlim=(0, 1),
            ylim=(0, 1),
            aspect="equal",
            xlabel="observed accuracy: share of items where model and label agree",
            ylabel="true accuracy: share of items where the model is right",
        )
        grid(ax)
        titled(ax, "True accuracy when some labels are wrong", _CAPTION)
        legend(ax, [*self.lines_, *(h for h, _ in marked)], [*names, *(n for _, n in marked)], loc="upper left")
        return self


def _mark(ax: Any, result: TrueAccuracy) -> list[tuple[Any, str]]:
    """Mark what is possible for a result, and what independent errors would give where the data allow it."""
    at, ends = result.observed.value, [result.low, result.high]
    found = [(ax.plot([at, at], ends, color="black", linewidth=2.4, solid_capstyle="butt")[0], "this model: possible")]
    try:
        estimate = result.estimate
    except NotAnswerableError:
        return found
    if not result.refuted:
        dot = ax.plot([at], [estimate], color="black", marker="o", linestyle="", zorder=5)[0]
        found.append((dot, "this model: if independent"))
    return found
