"""A measure as the classes become more or less frequent: many priors in one evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.corrections.prior_error import own_interval, slopes_at, variance_at
from softtruth.corrections.priors import LABEL_SHIFT, Source
from softtruth.corrections.shift import shifted
from softtruth.errors import InputError, shown
from softtruth.inputs.frames import values_by_name
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, Operator, evaluate, formula_of
from softtruth.uncertainty.interval import band, checked_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class PriorCurve:
    """A measure at many priors.

    Attributes
    ----------
    question : Measure or measure under an operator
        ``str`` gives "macro f1", "accuracy", ...
    priors : ndarray, shape (P,), (P, K) or (P, m)
    values : ndarray, shape (P,)
    low, high : ndarray, shape (P,), optional
        The ends of the pointwise intervals, where they were asked for; NaN where there is none.
    level : float, optional
        Of the intervals.
    source : Source
        The data at their own prior.
    convention : Convention
    assumption : str
    """

    question: Averaged | Measure
    priors: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    level: float | None
    source: Source
    convention: Convention
    assumption: str = LABEL_SHIFT

    @property
    def labels(self) -> tuple[Any, ...]:
        """The class names."""
        return self.source.labels

    @property
    def own_prior(self) -> Any:
        """The prior of the data: a float for binary data."""
        own = self.source.prior
        return float(own[0]) if self.source.statistic.task == "binary" else own

    @cached_property
    def own_value(self) -> float:
        """The value at the prior of the data."""
        return float(evaluate(self.question, self.source.statistic, self.convention, self.source.columns))

    def __len__(self) -> int:
        """Return the number of priors."""
        return len(self.values)


@checked
def prior_curve(
    problem: Any,
    measure: str | Measure | Averaged,
    priors: ArrayLike,
    *,
    operator: str | Operator = "micro",
    convention: str = "exclude",
    level: float | None = None,
) -> PriorCurve:
    """How does this measure move as the classes become more or less frequent?

    All priors are evaluated at once: they are one more axis of the statistic.

    Parameters
    ----------
    problem : IndicatorMatrix, Table or Cells
        As in ``under_prior``.
    measure : str or Measure
        "macro f1", "precision", ...
    priors : array-like, shape (P,), (P, K) or (P, m)
        As in ``under_prior``, one in each row; see ``prevalence_grid``, ``long_tail`` and ``prior_path``.
    operator, convention
        As in ``IndicatorMatrix.compute``.
    level : float, optional
        The level of pointwise intervals; none are computed by default.

    Returns
    -------
    PriorCurve
        ``plots.PriorCurveDisplay`` draws it.

    Examples
    --------
    >>> from softtruth import Table, prior_curve
    >>> curve = prior_curve(Table.of([[90, 30], [20, 60]], task="binary"), "precision", [0.05, 0.4], level=0.95)
    >>> curve.values.round(3).tolist(), curve.low.round(3).tolist(), curve.high.round(3).tolist()
    ([0.136, 0.667], [0.102, 0.589], [0.181, 0.737])
    """
    source = Source.of(problem)
    shift = shifted(source, source.checked(priors, many=True))
    question = parse(measure, operator.name if isinstance(operator, Operator) else operator)
    rule = convention_of(convention)
    values = shift.values(question, rule)
    low = high = None
    if level is not None:
        level = checked_level(level)
        limits = formula_of(question).range
        with np.errstate(invalid="ignore"):
            errors = np.sqrt(np.broadcast_to(variance_at(slopes_at(question, shift, rule)[0], source), values.shape))
        low, high = band(values, errors, level, limits)
        stays = shift.stays(question)
        if stays.any():  # as in `under_prior`: what no prior can move has the interval of the data
            own = own_interval(question, source, rule, level)
            low, high = np.where(stays, own.low, low), np.where(stays, own.high, high)
    found = shift.priors[:, 0] if source.statistic.task == "binary" else shift.priors
    return PriorCurve(question, found, values, low, high, level, source, rule)


@checked
def prevalence_grid(
    count: int = 101, low: float = 0.0, high: float = 1.0, *, scale: str = "linear"
) -> NDArray[np.float64]:
    """Which prevalences lie evenly between two?

    Parameters
    ----------
    count : int
        How many, ends included.
    low, high : float
        The ends.
    scale : {"linear", "log", "logit"}
        Even in the prevalence, in its logarithm (rare positives), or in its log odds (both ends rare).

    Returns
    -------
    ndarray, shape (count,)

    Examples
    --------
    >>> prevalence_grid(3, 0.001, 0.1, scale="log").round(6).tolist()
    [0.001, 0.01, 0.1]
    """
    count = _count("count", count)
    if not 0 <= low < high <= 1:
        msg = (
            f"the ends of the grid are {shown(low)} and {shown(high)}, expected two rising prevalences between 0 and 1."
        )
        raise InputError(msg)
    if scale == "linear":
        return np.linspace(low, high, count)
    if scale not in {"log", "logit"}:
        msg = f"scale {shown(scale)} is not known; expected 'linear', 'log' or 'logit'."
        raise InputError(msg)
    if low == 0 or (scale == "logit" and high == 1):
        msg = (
            f"on a {scale} scale the ends {shown(low)} and {shown(high)} are infinitely far; expected ends inside (0, "
            "1)."
        )
        raise InputError(msg)
    if scale == "log":
        found = np.geomspace(low, high, count)
    else:
        found = 1 / (1 + np.exp(-np.linspace(np.log(low / (1 - low)), np.log(high / (1 - high)), count)))
    found[[0, -1]] = low, high
    return found


@checked
def long_tail(n_classes: int, imbalance: ArrayLike, *, order: ArrayLike | None = None) -> NDArray[np.float64]:
    """Which prior has a long tail with this imbalance?

    Class k of K has a frequency in proportion to ``imbalance ** (-k / (K - 1))``: the first is ``imbalance`` times as
    frequent as the last. With 1 all are equally frequent.

    Parameters
    ----------
    n_classes : int
    imbalance : float or array-like
        The most frequent class over the least frequent one, at least 1.
    order : array-like of int, optional
        The classes from head to tail; 0, 1, 2, ... by default.

    Returns
    -------
    ndarray, shape (K,) or (P, K)

    Examples
    --------
    >>> long_tail(3, 100).round(4).tolist()
    [0.9009, 0.0901, 0.009]
    >>> long_tail(3, [1, 4], order=[2, 1, 0]).round(4).tolist()
    [[0.3333, 0.3333, 0.3333], [0.1429, 0.2857, 0.5714]]

    Source: Cui et al. 2019, CVPR, doi:10.1109/CVPR.2019.00949.
    """
    k = _count("n_classes", n_classes)
    ratio = np.asarray(imbalance, np.float64)
    if not (np.isfinite(ratio) & (ratio >= 1)).all():
        msg = (
            f"imbalance is {shown(imbalance)}, expected the most frequent class over the least frequent one, at least "
            f"1."
        )
        raise InputError(msg)
    places = np.arange(k) if order is None else np.asarray(order)
    if places.shape != (k,) or sorted(places.tolist()) != list(range(k)):
        msg = f"order is {shown(order)}, expected each of the classes 0 to {k - 1} once."
        raise InputError(msg)
    rank = np.empty(k)
    rank[places] = np.arange(k)
    sizes = ratio[..., None] ** (-rank / (k - 1))
    return np.asarray(sizes / sizes.sum(-1, keepdims=True))


@checked
def prior_path(start: ArrayLike, end: ArrayLike, count: int = 101) -> NDArray[np.float64]:
    """Which priors lie evenly on the straight way between two?

    Parameters
    ----------
    start, end : float or array-like, shape (K,)
    count : int
        How many, ends included.

    Returns
    -------
    ndarray, shape (count,) or (count, K)

    Examples
    --------
    >>> prior_path([0.5, 0.5], [0.9, 0.1], 3).round(3).tolist()
    [[0.5, 0.5], [0.7, 0.3], [0.9, 0.1]]
    """
    for name, given in (("start", start), ("end", end)):
        if values_by_name(given, name) is not given:
            msg = (
                f"{name} is a series whose rows have names, and no classes are known here to put them in order; pass "
                "the frequencies in the order of the classes as an array."
            )
            raise InputError(msg)
    first, last = np.asarray(start, np.float64), np.asarray(end, np.float64)
    if first.shape != last.shape:
        msg = (
            f"the ends of the path have the shapes {first.shape} and {last.shape}; expected two priors of the same "
            f"classes."
        )
        raise InputError(msg)
    t = np.linspace(0.0, 1.0, _count("count", count)).reshape(-1, *[1] * first.ndim)
    return np.asarray((1 - t) * first + t * last)


def _count(name: str, count: int) -> int:
    if count < 2:
        msg = f"{name} is {shown(count)}, expected a whole number of at least 2."
        raise InputError(msg)
    return int(count)
