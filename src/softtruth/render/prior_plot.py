"""A picture of measures as the classes become more or less frequent: curves, bands, and where they cross."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.corrections.crossing import Crossing
    from softtruth.corrections.prior_curve import PriorCurve

_COLOURS = ("#1b6ca8", "#d95f02", "#1b9e77", "#7b3294", "#a6761d")


def plot_prior_curves(
    curves: Sequence[PriorCurve],
    *,
    names: Sequence[str] | None = None,
    crossings: Sequence[Crossing] = (),
    prior: float | None = None,
    log: bool = False,
) -> Any:
    """How does the measure move with the prior, and where do models swap places?

    Each curve has its band, where it was computed with a level, and a dot at the prior of its own data.

    Parameters
    ----------
    curves : sequence of PriorCurve
        At most five, of the same priors.
    names : sequence of str, optional
        Of the models.
    crossings : sequence of Crossing
        To mark.
    prior : float, optional
        A prevalence (or position on the path) to mark.
    log : bool
        Whether to draw prevalences on a logarithmic scale, for rare classes.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from softtruth import Table, plot_prior_curves, prevalence_grid, prior_curve
    >>> curve = prior_curve(Table.of([[90, 10], [10, 90]], task="binary"), "f1", prevalence_grid(), level=0.95)
    >>> plot_prior_curves([curve]).axes[0].get_xlabel()
    'prevalence of 1'

    Raises
    ------
    MissingPackageError
        Without matplotlib.
    InputError
        For curves of other priors than the first, or more than there are colours.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError("matplotlib", "plot", "The plot") from None
    if not 0 < len(curves) <= len(_COLOURS):
        msg = f"found {len(curves)} curves, expected one to {len(_COLOURS)}."
        raise InputError(msg)
    first = curves[0]
    if any(not np.array_equal(c.priors, first.priors) for c in curves[1:]):
        msg = "the curves have different priors; compute all of them at the same ones."
        raise InputError(msg)
    titles = [str(c.question) for c in curves] if names is None else [str(name) for name in names]
    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    _lines(axes, curves, titles)
    for crossing in crossings:
        for position, value in zip(crossing.positions, crossing.values, strict=True):
            axes.plot([position], [value], color="black", marker="D", markersize=5, linestyle="", zorder=5)
            axes.annotate(f"{position:.3g}", (position, value), (6, 7), textcoords="offset points", fontsize=9)
    if prior is not None:
        axes.axvline(prior, color="#888888", linewidth=0.9, linestyle="--")
    if log:
        axes.set_xscale("log")
    measures = list(dict.fromkeys(str(c.question) for c in curves))
    axes.set_ylabel(measures[0] if len(measures) == 1 else "value")
    axes.set_xlabel(_words_of(first))
    axes.set_title(_title(curves, crossed=bool(crossings)), fontsize=10)
    if len(curves) > 1 or names is not None:
        axes.legend(frameon=False, fontsize=9)
    return figure


def _lines(axes: Any, curves: Sequence[PriorCurve], titles: Sequence[str]) -> None:
    first = curves[0]
    x = first.priors if first.priors.ndim == 1 else np.linspace(0, 1, len(first))
    for colour, curve, title in zip(_COLOURS, curves, titles, strict=False):
        if curve.low is not None and curve.high is not None:
            axes.fill_between(x, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(x, curve.values, color=colour, linewidth=1.8, label=title)
        own = curve.own_prior if first.priors.ndim == 1 else _position(curve)
        if own is not None:
            axes.plot([own], [curve.own_value], color=colour, marker="o", linestyle="")
    axes.set_xlim(float(x[0]), float(x[-1]))
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)


def _title(curves: Sequence[PriorCurve], *, crossed: bool) -> str:
    words = "Rates within the classes kept. Dots: prior of the data"
    words += "; diamonds: where models are equal." if crossed else "."
    level = curves[0].level
    return words if level is None else f"{words}\nBands: {100 * level:g}%, at each prior for itself."


def _words_of(curve: PriorCurve) -> str:
    if curve.priors.ndim == 1:
        return f"prevalence of {curve.labels[-1]}"
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
