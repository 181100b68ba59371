"""A picture of the true accuracy against the observed one, for labels that are right more or less often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.sharp_range import (
    checked_classes,
    checked_share,
    coincidence_of,
    independent_accuracy,
    sharp_range,
)
from softtruth.errors import InputError, MissingPackageError, NotAnswerableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.corrections.true_accuracy import TrueAccuracy

_COLOURS = ("#1b6ca8", "#1b9e77", "#d95f02", "#7b3294", "#a6761d")


def plot_true_accuracy(
    reference_accuracies: Sequence[float] = (0.96, 0.9, 0.8),
    n_classes: int = 2,
    *,
    coincidence: float | None = None,
    result: TrueAccuracy | None = None,
) -> Any:
    """How does the true accuracy follow from the observed one?

    A band of what is possible for each accuracy of the labels, and a line of what independent errors would give. Above
    the crossover (one half for two classes) independent errors make a model look worse than it is, below it better.

    Parameters
    ----------
    reference_accuracies : sequence of float
        At most five.
    n_classes : int
    coincidence : float, optional
        The probability that two wrong answers are the same.
    result : TrueAccuracy, optional
        A result to mark.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingPackageError
        Without matplotlib.
    InputError
        For more accuracies than there are colours.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError("matplotlib", "plot", "The plot") from None
    k = checked_classes(n_classes)
    c = coincidence_of(k, coincidence)
    rights = [checked_share(right, "reference_accuracies") for right in reference_accuracies]
    if not 0 < len(rights) <= len(_COLOURS):
        msg = f"reference_accuracies has {len(rights)} numbers, expected one to {len(_COLOURS)}."
        raise InputError(msg)
    figure = Figure(figsize=(6.4, 6.0), layout="constrained")
    axes = figure.add_subplot()
    observed = np.linspace(0, 1, 401)
    axes.plot([0, 1], [0, 1], color="#888888", linewidth=1, linestyle=":")
    for colour, right in zip(_COLOURS, rights, strict=False):
        low, high = sharp_range(observed, right, k)
        axes.fill_between(observed, low, high, color=colour, alpha=0.14, linewidth=0)
        label = f"labels right on {100 * right:g} %"
        try:
            estimate = independent_accuracy(observed, right, k, coincidence=c)
        except NotAnswerableError:  # at chance the line is vertical: no estimate
            axes.plot([], [], color=colour, label=label)
            continue
        inside = (estimate >= 0) & (estimate <= 1)
        axes.plot(observed[inside], estimate[inside], color=colour, linewidth=1.8, label=label)
    crossover = c / (1 + c)
    axes.axvline(crossover, color="#888888", linewidth=0.8, linestyle="--")
    axes.text(crossover + 0.012, 0.02, f"crossover at {crossover:.3g}", color="#555555", fontsize=9)
    if result is not None:
        _mark(axes, result)
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
        xlabel="observed accuracy: model against labels",
        ylabel="true accuracy: model against truth",
    )
    axes.set_title("Bands: what is possible. Lines: if errors are independent.", fontsize=10)
    axes.legend(loc="upper left", facecolor="white", edgecolor="none", framealpha=0.9, fontsize=9)
    return figure


def _mark(axes: Any, result: TrueAccuracy) -> None:
    at = result.observed.value
    ends = [result.low, result.high]
    axes.plot([at, at], ends, color="black", linewidth=2.4, solid_capstyle="butt", label="this model: possible")
    try:
        estimate = result.estimate
    except NotAnswerableError:
        return
    if not result.refuted:
        axes.plot([at], [estimate], color="black", marker="o", linestyle="", label="this model: if independent")
