"""How much of what people say lies inside the sets of predicted classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.errors import InputError
from softtruth.plots.display import GREY, SMALL, Display, by_name, grid, legend, styles_for, titled
from softtruth.render.words import percent
from softtruth.sets.coverage import aggregated_coverage
from softtruth.sets.mass_sets import coverage_ceiling, mass_sets
from softtruth.sets.prediction_sets import size
from softtruth.sets.topk_accuracy import aggregated_topk_accuracy, topk_ceiling
from softtruth.uncertainty.mean_interval import mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from softtruth.uncertainty.interval import Interval

_OFFERED = 10  # values of k that are drawn by default


class CoverageDisplay(Display):
    """How much of the reference do the sets cover, as they grow, and how much could they at best?

    Parameters
    ----------
    at : ndarray, shape (P,)
        Sizes k, or wanted masses.
    coverage : mapping of str to sequence of Interval
        The mean coverage of each model, there.
    ceiling : mapping of str to ndarray of shape (P,)
        The most that sets of these sizes could cover; the same for all models where k is given.
    sizes : mapping of str to ndarray of shape (P,)
        The mean size of the sets.
    by : {"k", "mass"}

    Attributes
    ----------
    ax_, figure_
        The axes and their figure.
    lines_ : list
        The drawn curves.

    Examples
    --------
    >>> import numpy as np
    >>> from softtruth.plots import CoverageDisplay
    >>> people = np.array([[0.6, 0.4, 0.0], [0.2, 0.8, 0.0], [0.1, 0.3, 0.6]])
    >>> model = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.2, 0.2, 0.6]])
    >>> display = CoverageDisplay.from_topk(model, people).plot()
    >>> [round(i.value, 3) for i in display.coverage[""]], display.ceiling[""].round(3).tolist()
    ([0.467, 0.9, 1.0], [0.667, 0.967, 1.0])
    """

    def __init__(
        self,
        at: NDArray[np.float64],
        coverage: Mapping[str, Sequence[Interval]],
        ceiling: Mapping[str, NDArray[np.float64]],
        sizes: Mapping[str, NDArray[np.float64]],
        by: str,
    ) -> None:
        """Hold the curves."""
        self.at = np.asarray(at, np.float64)
        self.coverage = {name: list(intervals) for name, intervals in coverage.items()}
        self.ceiling = dict(ceiling)
        self.sizes = dict(sizes)
        self.by = by

    @classmethod
    def from_topk(
        cls,
        scores: ArrayLike | Mapping[str, ArrayLike],
        distributions: ArrayLike,
        ks: Sequence[int] | None = None,
        *,
        ties: str = "first",
        weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        level: float = 0.95,
    ) -> Self:
        """Measure the first k classes of one or several models.

        Parameters
        ----------
        scores : array-like of shape (N, K), or mapping of them
            Probabilities, scores or logits: higher is more likely.
        distributions : array-like, shape (N, K)
            Shares of the classes.
        ks : sequence of int, optional
            1 to K, or to 10 if there are more.
        ties : {"first", "expected"}
            As in ``aggregated_topk_accuracy``.
        weight, clusters, level
            As in ``mean_interval``.
        """
        shares = np.asarray(distributions)
        if ties == "range":
            msg = "ties is 'range', which gives two curves; expected 'first' or 'expected'."
            raise InputError(msg)
        offered = range(1, min(shares.shape[-1], _OFFERED) + 1) if ks is None else ks
        means = _means(weight, clusters, level)
        models = _models(scores)
        found = {
            n: [means(aggregated_topk_accuracy(s, shares, k, ties=ties)) for k in offered] for n, s in models.items()
        }
        best = np.array([means(topk_ceiling(shares, k)).value for k in offered])
        at = np.array(list(offered), np.float64)
        return cls(at, found, dict.fromkeys(models, best), dict.fromkeys(models, at), "k")

    @classmethod
    def from_mass(
        cls,
        probabilities: ArrayLike | Mapping[str, ArrayLike],
        distributions: ArrayLike,
        masses: ArrayLike | None = None,
        *,
        weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        level: float = 0.95,
    ) -> Self:
        """Measure the sets that hold this much of the probability of one or several models.

        Parameters
        ----------
        probabilities : array-like of shape (N, K), or mapping of them
        distributions : array-like, shape (N, K)
            Shares of the classes.
        masses : array-like, optional
            From 0.1 in steps of 0.1 to 0.9, then 0.95 and 0.99 by default.
        weight, clusters, level
            As in ``mean_interval``.
        """
        shares = np.asarray(distributions)
        at = (
            np.array([*np.arange(1, 10) / 10, 0.95, 0.99])
            if masses is None
            else np.atleast_1d(np.asarray(masses, float))
        )
        means = _means(weight, clusters, level)
        found, best, sizes = {}, {}, {}
        for name, p in _models(probabilities).items():
            sets = [mass_sets(p, float(mass)) for mass in at]
            found[name] = [means(aggregated_coverage(one, shares)) for one in sets]
            best[name] = np.array([means(coverage_ceiling(one, shares)).value for one in sets])
            sizes[name] = np.array([means(size(one), shares.shape[-1]).value for one in sets])
        return cls(at, found, best, sizes, "mass")

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw coverage with its intervals, and the most that sets of these sizes could cover.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        **kwargs
            More of the curves: what ``matplotlib.lines.Line2D`` takes.

        Raises
        ------
        InputError
            If there are more models than can be told apart.
        """
        names = list(self.coverage)
        styles = styles_for(names, "models")
        ax = self._axes(ax, (7.2, 5.0))
        if self.by == "mass":
            ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=":")
        self.lines_ = []
        for style, name in zip(styles, names, strict=True):
            intervals = self.coverage[name]
            look = {"color": style.color, "linestyle": style.line, "marker": style.marker, "linewidth": 1.8, **kwargs}
            self.lines_ += ax.plot(self.at, [i.value for i in intervals], **look)
            ax.vlines(self.at, [i.low for i in intervals], [i.high for i in intervals], style.color, linewidth=1.4)
            if self.by == "mass":
                more = {"marker": style.marker, "markersize": 4, "markerfacecolor": "white"}
                ax.plot(self.at, self.ceiling[name], color=style.color, linewidth=1, linestyle="--", **more)
        handles, shown = list(self.lines_), [name or "the model" for name in names]
        if self.by == "k":
            best = next(iter(self.ceiling.values()))
            handles += ax.plot(self.at, best, color=GREY, linewidth=1.4, linestyle="--", marker="_")
            shown += ["the most that any model could"]
            ax.set_xticks(self.at)
        elif len(names) == 1:
            self._write_sizes(ax, names[0])
        ax.set_ylim(min(ax.get_ylim()[0], 0.0), 1.02)
        ax.set_ylabel("coverage: share of the reference inside the sets")
        words = {"k": "size k of the sets", "mass": "probability of the model that the sets hold"}
        ax.set_xlabel(words[self.by])
        grid(ax)
        titled(ax, "Coverage of sets of predicted classes", self._caption())
        if self.by == "k" or len(names) > 1:
            legend(ax, handles, shown, loc="lower right")
        return self

    def _write_sizes(self, ax: Any, name: str) -> None:
        for x, interval, number in zip(self.at, self.coverage[name], self.sizes[name], strict=True):
            ax.annotate(
                f"{number:.1f}",
                (x, interval.value),
                (5, -11),
                textcoords="offset points",
                fontsize=SMALL - 1,
                color=GREY,
            )

    def _caption(self) -> str:
        first = next(iter(self.coverage.values()))
        words = f"Bars: {percent(first[0].level)} intervals. Assumption: {first[0].assumption}."
        if self.by == "k":
            return words
        words += " Hollow: the most that sets of these sizes could cover. Dotted: as much as the probability says."
        return f"{words} Numbers: mean size." if len(self.coverage) == 1 else words


def _models(given: Any) -> dict[str, Any]:
    return {name: np.asarray(one, np.float64) for name, one in by_name(given).items()}


def _means(weight: Any, clusters: Any, level: float) -> Callable[..., Interval]:
    def mean(values: Any, most: float = 1.0) -> Interval:
        return mean_interval(values, weight=weight, clusters=clusters, limits=(0.0, float(most)), level=level)

    return mean
