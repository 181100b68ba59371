"""How frequent are the classes where the model will work? The prior of data without labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.corrections.label_shift import LabelShiftTest, judged
from softtruth.corrections.likelihood import MAX_STEPS, MostLikely
from softtruth.corrections.moment_matching import MatchedRates
from softtruth.corrections.prior_error import example_pulls_at, is_plain, variance_at
from softtruth.corrections.replicates import same_examples, to_simplex
from softtruth.corrections.target import Transfer, transfer_of
from softtruth.errors import InputError, listed, shown
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.interval import Interval, checked_level, wald
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.pulls import variance_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.priors import Source

METHODS = ("bbse_hard", "bbse_soft", "adjusted_count", "mlls")


@checked
def estimate_prior(
    problem: Any,
    target: Any,
    *,
    method: str = "bbse_hard",
    calibrate: bool = False,
    max_steps: int = MAX_STEPS,
    prediction_kind: str = "auto",
) -> PriorEstimate:
    """How frequent are the classes in these unlabelled examples?

    Under label shift the target's predictions are a mixture of those of the source's classes, and the prior is what
    mixes them. Labelled source and target have to be predicted by the same model, which has seen neither.

    Parameters
    ----------
    problem : IndicatorMatrix or Table
        The labelled source. Decisions suffice for ``bbse_hard`` and ``adjusted_count``; the others need probabilities:
        an IndicatorMatrix with ``coupling="independent"``.
    target : array-like
        The predictions of the target, in the form of those of the source.
    method : {"bbse_hard", "bbse_soft", "adjusted_count", "mlls"}
        ``bbse_hard`` solves for the prior at which the source's confusion rates give the target's rates of decisions
        (``adjusted_count`` is its name for two classes); ``bbse_soft`` does so with mean probabilities; ``mlls``
        maximises the likelihood by expectation-maximisation and needs calibrated probabilities.
    calibrate : bool
        For ``mlls``: correct the probabilities on the source first, by bias-corrected temperature scaling.
    max_steps : int
        For ``mlls``: the steps of expectation-maximisation to take at most. An estimate that was stopped says so and
        has no standard error: it is not where the likelihood is greatest.
    prediction_kind : str
        As in ``IndicatorMatrix``.

    Returns
    -------
    PriorEstimate
        ``prior`` as it was solved for, which may leave the simplex: see ``project``.

    Raises
    ------
    InputError
        If a class does not occur in the source, the rates are singular, or probabilities are missing.

    Examples
    --------
    >>> from softtruth import IndicatorMatrix, estimate_prior
    >>> im = IndicatorMatrix([1] * 300 + [0] * 300, [1] * 240 + [0] * 60 + [1] * 60 + [0] * 240, task="binary")
    >>> estimate = estimate_prior(im, [1] * 190 + [0] * 310, method="adjusted_count")
    >>> round(estimate.prior, 4), round(estimate.standard_error, 4)
    (0.3, 0.0466)
    """
    if method not in METHODS:
        msg = f"method {shown(method)} is not known; expected one of {listed(METHODS)}."
        raise InputError(msg)
    transfer = transfer_of(problem, target, prediction_kind)
    if method == "adjusted_count" and transfer.source.by_table:
        msg = "adjusted_count is for two classes; use method='bbse_hard', which is the same for more."
        raise InputError(msg)
    if calibrate and method != "mlls":
        msg = f"calibrate belongs to method='mlls'; {method} needs no calibrated probabilities."
        raise InputError(msg)
    if max_steps < 1:
        msg = f"max_steps is {shown(max_steps)}, expected a whole number of at least 1."
        raise InputError(msg)
    if method == "mlls":
        return PriorEstimate(method, MostLikely(transfer, calibrate=calibrate, max_steps=max_steps), transfer)
    if method == "bbse_soft":
        transfer.probabilities("bbse_soft")
        return PriorEstimate(method, MatchedRates(transfer), transfer)
    threshold = getattr(problem, "threshold", None)
    return PriorEstimate(method, MatchedRates(transfer.hardened(0.5 if threshold is None else threshold)), transfer)


@dataclass(frozen=True, eq=False)
class PriorEstimate:
    """A prior that was estimated from unlabelled predictions.

    Attributes
    ----------
    method : str
    solution : MatchedRates or MostLikely
        What was solved, and how it moves with the data.
    transfer : Transfer
        Source and target as they were given.
    projected : ndarray, optional
        The nearest prior, where the estimate left the simplex and ``project`` was asked for.
    """

    method: str
    solution: Any
    transfer: Transfer
    projected: NDArray[np.float64] | None = None

    @property
    def values(self) -> NDArray[np.float64]:
        """The frequencies as an array, (K,) or (m,); (1,) for binary data."""
        return self.solution.prior if self.projected is None else self.projected

    @property
    def prior(self) -> Any:
        """The frequencies: a float for binary data, that of the positive class."""
        return self._plain(self.values)

    @property
    def weights(self) -> Any:
        """Target over source frequency: what an example of each class counts in the target."""
        own = self.transfer.source.prior
        return self._plain(self.values / own)

    @property
    def condition(self) -> Any:
        """How much the rates magnify errors (a condition number); None for ``mlls``."""
        return self.solution.condition

    @property
    def steps(self) -> int | None:
        """The steps of expectation-maximisation; None for the other methods."""
        steps: int | None = self.solution.steps
        return steps

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of the frequencies, over other samples of source and target, by linearisation."""
        k = self.values.size
        first, second = np.triu_indices(k)
        unit = np.eye(k)
        # cov(a, b) = (var(a + b) - var(a - b)) / 4
        both = self._variance(np.concatenate([unit[first] + unit[second], unit[first] - unit[second]]))
        found = np.zeros((k, k))
        found[first, second] = found[second, first] = (both[: first.size] - both[first.size :]) / 4
        return found

    @cached_property
    def standard_error(self) -> Any:
        """The standard error of each frequency, by linearisation; NaN on the edge, where a bootstrap is due."""
        errors = np.sqrt(self._variance(np.eye(self.values.size)))
        return self._plain(np.where(self.solution.on_edge | self.solution.stopped, np.nan, errors))

    def _variance(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the variance of the prior in directions (..., K)."""
        pulls = self.solution.source_pulls(direction)
        source: Source = self.solution.transfer.source
        return _source_variance(pulls, source) + self._target_variance(direction)

    def _target_variance(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        pulls = self.solution.target_pulls(direction)
        n = len(pulls)
        soft = self.solution.transfer.target.dtype.kind == "f"
        return np.asarray((pulls**2).sum(axis=0) * (n / max(n - 1, 1) if soft else 1.0))

    def variance_with(self, own: NDArray[np.float64], by_prior: NDArray[np.float64], source: Source) -> float:
        """Return the variance of a value that depends on rates of a source and on this prior.

        Parameters
        ----------
        own, by_prior
            As ``slopes_at`` gives them.
        source
            Where the rates are from; if they are the examples that the prior was estimated with, both move together.
        """
        mine: Source = self.solution.transfer.source
        pulls = self.solution.source_pulls(by_prior)
        target = float(self._target_variance(by_prior))
        if not same_examples(source.statistic, mine.statistic):
            return float(variance_at(own, source)) + float(_source_variance(pulls, mine)) + target
        if not isinstance(mine.statistic, Examples):
            return float(variance_at(own + pulls, source)) + target
        both = example_pulls_at(own, source) + pulls
        plain = is_plain(source.statistic) and is_plain(mine.statistic)
        return float(variance_of(both, source.statistic, corrected=not plain)) + target

    def intervals(self, level: float = 0.95) -> list[Interval]:
        """How sure is each frequency? On the logit scale; on or beyond 0 and 1 there is no interval: bootstrap."""
        level = checked_level(level)
        errors = np.atleast_1d(self.standard_error)
        return [self._interval(float(q), float(e), level) for q, e in zip(self.values, errors, strict=True)]

    def _interval(self, value: float, error: float, level: float) -> Interval:
        found = wald(value, error, level, (0.0, 1.0), method=self.method, assumption=self.caveat)
        note = found.note
        if self.solution.stopped:
            note = self.why_no_error
        elif not 0 <= value <= 1:
            note = "the solution leaves the range from 0 to 1; ask for project(), and for its spread for replicates()"
        elif note:
            note = "the frequency lies on the edge, where linearisation says nothing; ask for replicates()"
        return replace(found, source="prior", note=note)

    def interval(self, level: float = 0.95) -> Interval:
        """How sure is the frequency of the positive class?

        Raises
        ------
        InputError
            For more classes than two, which have ``intervals``.
        """
        if self.transfer.source.statistic.task != "binary":
            msg = "there is one frequency for each class; ask for intervals()."
            raise InputError(msg)
        return self.intervals(level)[0]

    def replicates(self, draws: int = 2000, seed: int = 0) -> NDArray[np.float64]:
        """Return the prior in other samples of source and target together, (draws, K); NaN where it has no solution."""
        found: NDArray[np.float64] = self.solution.replicates(Draws(draws, seed))
        return found

    def project(self) -> PriorEstimate:
        """Return the nearest prior: the Euclidean projection on the simplex (on [0, 1] for yes-or-no columns)."""
        found = (
            to_simplex(self.solution.prior) if self.transfer.source.by_table else np.clip(self.solution.prior, 0.0, 1.0)
        )
        return replace(self, projected=found)

    @property
    def on_edge(self) -> bool:
        """Whether the edge of the simplex stopped a frequency, so that it does not move smoothly with the data."""
        return self.projected is not None or bool(self.solution.on_edge.any())

    @property
    def why_no_error(self) -> str:
        """Why there is no standard error; empty where there is one."""
        if self.solution.stopped:
            return "the estimated prior was stopped short of the maximum; give it more max_steps"
        if self.on_edge:
            return (
                "the estimated prior lies on the edge of the simplex, where linearisation says nothing; use "
                "method='percentile'"
            )
        return ""

    @property
    def outside(self) -> bool:
        """Whether the estimate leaves the simplex, as raw solutions may."""
        return bool((self.values < 0).any() or (self.values > 1).any())

    @cached_property
    def test(self) -> LabelShiftTest | None:
        """Whether the target's scores bear out label shift; None where only decisions are known, which cannot tell."""
        return judged(self.transfer) if self.transfer.soft else None

    @property
    def verdict(self) -> str:
        """What the data say of label shift, in brackets."""
        if self.test is None:
            return " (not testable from decisions)"
        return f" ({self.test.verdict})"

    @property
    def caveat(self) -> str:
        """What the prior stands on, in words."""
        words = f"prior by {self.method} from {len(self.transfer.target):,} target predictions"
        if self.solution.assumption:
            words += f"; {self.solution.assumption}"
        return words + ("; projected on the simplex" if self.projected is not None else "")

    def check_labels(self, labels: tuple[Any, ...]) -> None:
        """Raise an InputError if the prior is one of other classes."""
        mine = self.transfer.source.labels
        if mine != labels:
            msg = f"the prior was estimated for the classes {listed(mine)}, but the data have {listed(labels)}."
            raise InputError(msg)

    def _plain(self, values: NDArray[np.float64]) -> Any:
        return float(values[0]) if self.transfer.source.statistic.task == "binary" else values

    def __str__(self) -> str:
        """Return the frequencies with their intervals, one class a line."""
        source = self.transfer.source
        names = source.labels[1:] if source.statistic.task == "binary" else source.labels
        return "\n".join(f"{name}: {each}" for name, each in zip(names, self.intervals(), strict=True))


def _source_variance(pulls: NDArray[np.float64], source: Source) -> NDArray[np.float64]:
    if not isinstance(source.statistic, Examples):
        return variance_at(pulls, source)
    return np.asarray(variance_of(pulls, source.statistic, corrected=not is_plain(source.statistic)))
