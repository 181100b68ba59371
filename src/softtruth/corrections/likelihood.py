"""The target prior of greatest likelihood, from calibrated probabilities.

If ``p_k(x)`` are the posteriors at the source prior, those at the prior q are proportional to ``(q_k / pi_k) p_k(x)``,
and the target is most likely where their mean is q itself. With ``w = q / pi`` that is the concave problem of
maximising the mean of ``log sum_k w_k p_k`` with ``sum_k w_k pi_k = 1``. A yes-or-no column is a problem of two
classes.

Sources: Saerens, Latinne & Decaestecker 2002, Neural Comput. 14:21, doi:10.1162/089976602753284446; Alexandari, Kundaje
& Shrikumar 2020, ICML, PMLR 119; Garg et al. 2020, NeurIPS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.corrections.replicates import target_weights
from softtruth.corrections.temperature import Calibration
from softtruth.uncertainty.resampling import weighted_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.target import Transfer
    from softtruth.uncertainty.keyed import Draws

_CHANGE = 1e-10
_EDGE = 1e-4  # relative: how far a slope may be from zero where the likelihood is greatest
_LOOSE = 1e-6  # in replicates, whose spread is wider by far
MAX_STEPS = 10_000


def expectation_maximisation(
    posteriors: NDArray[np.float64],
    prior: NDArray[np.float64],
    *,
    weight: NDArray[np.float64] | None = None,
    steps: int = MAX_STEPS,
    change: float = _CHANGE,
) -> tuple[NDArray[np.float64], int]:
    """Return the prior that the posteriors of unlabelled examples need, and the number of steps taken.

    Parameters
    ----------
    posteriors : ndarray, shape (n, K) or (..., n, K)
        At the prior of the source.
    prior : ndarray, shape (..., K)
        That of the source; the start.
    weight : ndarray, shape (..., n), optional
        How often each example counts.
    steps, change
        Stop after so many steps, or once no frequency changes by more.

    Examples
    --------
    >>> p = np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.6])
    >>> q, steps = expectation_maximisation(np.stack([1 - p, p], axis=1), np.array([0.6, 0.4]))
    >>> round(float(q[1]), 6)
    0.638011
    """
    count = np.asarray(posteriors.shape[-2], np.float64) if weight is None else weight.sum(-1, keepdims=True)
    q, taken, done = prior, 0, False
    while taken < steps and not done:
        ratio = q / prior
        shares = (posteriors @ ratio[..., None])[..., 0] if posteriors.ndim > 2 else ratio @ posteriors.T
        shares = 1 / shares if weight is None else weight / shares
        moved = (shares[..., None, :] @ posteriors)[..., 0, :] if posteriors.ndim > 2 else shares @ posteriors
        moved *= ratio / count
        done = float(abs(moved - q).max()) < change
        q, taken = moved, taken + 1
    return q, taken


class MostLikely:
    """The prior at which the target's scores are most likely.

    Parameters
    ----------
    transfer : Transfer
        Source and target, both as probabilities.
    calibrate : bool
        Whether to correct the probabilities on the source first, by bias-corrected temperature scaling.
    max_steps : int
        Where to stop, at the latest.
    """

    condition = None  # no rates are inverted

    def __init__(self, transfer: Transfer, *, calibrate: bool, max_steps: int = MAX_STEPS) -> None:
        """Maximise the likelihood, one problem for each column."""
        source, target = transfer.probabilities("mlls")
        self.transfer = transfer
        self.calibration = Calibration.fitted(transfer, source) if calibrate else None
        if self.calibration is not None:
            target = self.calibration(target)
        by_table = transfer.source.by_table
        self.posteriors = [target] if by_table else [np.stack([1 - p, p], axis=1) for p in target.T]
        own = transfer.source.prior
        self.own = [own] if by_table else [np.array([1 - p, p]) for p in own]
        found = [
            expectation_maximisation(p, own, steps=max_steps) for p, own in zip(self.posteriors, self.own, strict=True)
        ]
        self.solutions = [q for q, _ in found]
        self.steps: int | None = max(steps for _, steps in found)
        self.max_steps, self.stopped = max_steps, self.steps == max_steps
        self.prior = self.solutions[0] if by_table else np.array([q[1] for q in self.solutions])

    @cached_property
    def on_edge(self) -> NDArray[np.bool_]:
        """Which frequencies are zero (or one): there the likelihood rises towards the edge, and no slope is zero."""
        edges = [
            abs(shares.mean(axis=0) - own) > _EDGE * own
            for (_, shares, _), own in zip(self._tangents, self.own, strict=True)
        ]
        return edges[0] if self.transfer.source.by_table else np.array([e.any() for e in edges])

    @property
    def assumption(self) -> str:
        """What the estimate takes for granted, beyond label shift."""
        words = "the probabilities are calibrated"
        if self.calibration is not None:
            words += " on the source by temperature scaling"
        return f"{words}; stopped after {self.steps:,} steps, short of the maximum" if self.stopped else words

    @cached_property
    def _tangents(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """For each problem: the ratios q / pi, the shares u of the examples, and the inverse of their mean square.

        At the maximum the mean of ``u_k = p_k / sum_j w_j p_j`` is pi_k; its derivative by w is -mean(u u').
        """
        found = []
        for posteriors, own, q in zip(self.posteriors, self.own, self.solutions, strict=True):
            ratio = q / own
            shares = posteriors / (posteriors @ ratio)[:, None]
            found.append((ratio, shares, np.linalg.pinv(shares.T @ shares / len(shares), hermitian=True)))
        return found

    def _directions(self, direction: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the direction of each problem, (..., K) or (..., 2)."""
        if self.transfer.source.by_table:
            return [direction]
        return [np.stack([np.zeros_like(d), d], axis=-1) for d in np.moveaxis(direction, -1, 0)]

    def target_pulls(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how every example of the target pulls the prior in a direction (..., K), as (n, ...)."""
        pulls = 0.0
        for d, own, (_, shares, inverse) in zip(self._directions(direction), self.own, self._tangents, strict=True):
            pulls = pulls + np.moveaxis((own * d) @ inverse @ (shares - own).T, -1, 0) / len(shares)
        return np.asarray(pulls)

    def source_pulls(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how every source example pulls the prior in a direction (..., K), times its weight, (N, ...)."""
        examples = self.transfer.source.statistic
        by_table = self.transfer.source.by_table
        y = np.asarray(examples.sides(slice(0, len(examples)))[0], np.float64)
        pulls = np.zeros((len(examples), *direction.shape[:-1]))
        for column, (d, own, (ratio, _, inverse)) in enumerate(
            zip(self._directions(direction), self.own, self._tangents, strict=True)
        ):
            by_own = d * ratio - (own * d) @ inverse  # of the source prior
            counts = np.ones(len(y)) if by_table or examples.mask is None else examples.mask[:, column]
            weight = counts if examples.weight is None else counts * examples.weight
            each = y if by_table else np.stack([1 - y[:, column], y[:, column]], axis=1)
            mine = np.moveaxis(by_own @ (each - own).T, -1, 0)
            scale = weight / weight.sum()
            pulls += mine * scale.reshape(-1, *[1] * (mine.ndim - 1))
        if self.calibration is not None:
            pulls += self.calibration.pulls(self._by_calibration(direction))
        return pulls

    def _by_calibration(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivative of the prior, in a direction, by every parameter of the calibration."""
        assert self.calibration is not None  # noqa: S101  asked only then
        _, target = self.transfer.probabilities("mlls")
        found = []
        for moved in self.calibration.steps(target):
            by_table = self.transfer.source.by_table
            posteriors = [moved] if by_table else [np.stack([1 - p, p], axis=1) for p in moved.T]
            total = 0.0
            for d, own, p, (ratio, _, inverse) in zip(
                self._directions(direction), self.own, posteriors, self._tangents, strict=True
            ):
                shares = (p / (p @ ratio)[:, None]).mean(axis=0).imag / Calibration.STEP
                total = total + (own * d) @ inverse @ shares
            found.append(total)
        return np.stack(found, axis=-1)

    def replicates(self, draws: Draws) -> NDArray[np.float64]:
        """Return the prior in other samples of source and target, (draws, K).

        The calibration is refitted by one Newton step from the fitted one, which moves it as refitting does to first
        order.
        """
        weight = target_weights(len(self.posteriors[0]), draws).T
        target = self.transfer.probabilities("mlls")[1]
        columns = []
        for column, own in enumerate(self._source_priors(draws)):
            posteriors = self.posteriors[column]
            if self.calibration is not None:
                posteriors = self.calibration.refitted(target, column, draws)
            columns.append(
                expectation_maximisation(posteriors, own, weight=weight, steps=self.max_steps, change=_LOOSE)[0]
            )
        return columns[0] if self.transfer.source.by_table else np.stack([c[:, 1] for c in columns], axis=1)

    def _source_priors(self, draws: Draws) -> list[NDArray[np.float64]]:
        """Return the prior of the source in other samples, (draws, K) for each problem."""
        examples = self.transfer.source.statistic
        y = np.asarray(examples.sides(slice(0, len(examples)))[0], np.float64)
        mask = examples.mask
        rows = y if mask is None else np.concatenate([y * mask, mask], axis=1)
        rows = np.concatenate([rows, np.ones((len(y), 1))], axis=1)
        whole = slice(0, len(y))
        identity: Any = None if examples.clusters is not None else np.arange(len(y))
        sums = weighted_sums(examples, [(whole, rows)], draws, identity=identity)
        k = y.shape[1]
        shares = sums[:, :k] / (sums[:, -1:] if mask is None else sums[:, k : 2 * k])
        return [shares] if self.transfer.source.by_table else [np.stack([1 - s, s], axis=1) for s in shares.T]
