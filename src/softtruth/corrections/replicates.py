"""Other samples of source and target together, as an axis in front of the classes.

An example of the source has the same weight in every statistic that is made of it, so that an estimated prior and the
rates that it moves are resampled as one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.shift import shifted
from softtruth.errors import NotAnswerableError
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import Table
from softtruth.uncertainty.keyed import Draws, poisson_weights
from softtruth.uncertainty.resampling import resample, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.corrections.priors import Source
    from softtruth.corrections.shift import Shift
    from softtruth.corrections.target import Transfer
    from softtruth.corrections.target_prior import PriorEstimate
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged

_MASSES = 4_000_000  # of tables held at a time
_TARGET, _SOURCE = 0x7A26E7, 0x50C3E5  # keep the weights of samples apart that have nothing to do with each other


def source_replicates(source: Source, draws: Draws) -> Source:
    """Return the source in other samples, with an axis of replicates in front of the classes.

    Raises
    ------
    NotAnswerableError
        If only sums of soft data are kept, or the tables would not fit.
    """
    statistic = source.statistic
    if not isinstance(statistic, Examples):
        if statistic.task == "multilabel":
            msg = "cells do not say how the labels of an example hang together; keep the examples for a bootstrap."
            raise NotAnswerableError(msg)
        drawn = resample(statistic, draws.count, draws.seed)
        return replace(source, statistic=drawn if source.by_table else drawn.cells)
    k = statistic.n_classes
    if source.by_table and draws.count * k * k > _MASSES:
        msg = (
            f"{draws.count} replicates of a table of {k} x {k} masses are more than are held at once; ask for fewer "
            f"draws, or for "
            "the interval by linearisation."
        )
        raise NotAnswerableError(msg)
    each = None if statistic.clusters is not None else np.arange(len(statistic))
    if statistic.indexed or not source.by_table:
        return replace(source, statistic=resample(statistic, draws.count, draws.seed, identity=each))

    def blocks() -> Iterator[tuple[slice, Any]]:
        rows = max(1, _MASSES // (k * k))
        for start in range(0, len(statistic), rows):
            part = slice(start, min(start + rows, len(statistic)))
            y, p = (np.asarray(side, np.float64) for side in statistic.sides(part))
            yield part, (y[:, :, None] * p[:, None, :]).reshape(-1, k * k)

    sums = weighted_sums(statistic, blocks(), draws, identity=each)
    return replace(source, statistic=Table(sums.reshape(-1, k, k), "multiclass", statistic.coupling.name))


def target_weights(n: int, draws: Draws) -> NDArray[np.float64]:
    """Return how often each replicate counts each example of the target, (n, draws)."""
    return poisson_weights(draws.seed ^ _TARGET, np.arange(n), draws.count)


def target_means(transfer: Transfer, draws: Draws) -> NDArray[np.float64]:
    """Return the mean prediction of the target in other samples, (draws, K) or (draws, m)."""
    degrees = transfer.degrees
    sums, count = np.zeros((draws.count, degrees.shape[1])), np.zeros(draws.count)
    rows = max(1, _MASSES // draws.count)
    for start in range(0, len(degrees), rows):
        part = slice(start, min(start + rows, len(degrees)))
        weight = poisson_weights(draws.seed ^ _TARGET, np.arange(part.start, part.stop), draws.count)
        sums += weight.T @ degrees[part]
        count += weight.sum(axis=0)
    return sums / count[:, None]


def values_in_replicates(
    question: Averaged | Measure, shift: Shift, estimate: PriorEstimate | None, convention: Convention, draws: Draws
) -> tuple[NDArray[np.float64], float]:
    """Return the value in other samples of the source, and of the target where the prior was estimated.

    Returns
    -------
    tuple
        Values, (draws,), NaN where they are undefined; and the share of the replicates whose prior left the simplex and
        was brought back.
    """
    source, outside = shift.source, 0.0
    priors = np.broadcast_to(shift.priors, (draws.count, shift.priors.shape[-1]))
    mine = draws
    if estimate is not None:
        priors = estimate.solution.replicates(draws)
        with np.errstate(invalid="ignore"):
            out = (priors < 0).any(-1) | (priors > 1).any(-1)
        outside = float(out.mean())
        priors = np.where(out[:, None], to_simplex(priors) if source.by_table else np.clip(priors, 0, 1), priors)
        if not same_examples(source.statistic, estimate.solution.transfer.source.statistic):
            mine = Draws(draws.count, draws.seed ^ _SOURCE)
    drawn = source_replicates(source, mine)
    absent = drawn.sizes == 0
    lost = (
        (absent & (priors > 0)).any(-1)
        if source.by_table
        else ((absent & (np.stack([priors, 1 - priors]) > 0)).any((0, -1)))
    )
    lost |= np.isnan(priors).any(-1)
    values = shifted(drawn, np.where(lost[:, None], drawn.prior, priors)).values(question, convention)
    return np.where(lost, np.nan, values), outside


def same_examples(one: Any, other: Any) -> bool:
    """Whether two statistics are made of the same labelled examples."""
    if one is other:
        return True
    if isinstance(one, Examples) and isinstance(other, Examples):
        return bool(np.array_equal(one.reference, other.reference))
    return type(one) is type(other) and not isinstance(one, Examples) and bool(np.array_equal(one.masses, other.masses))


def to_simplex(prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest points of the simplex, (..., K).

    Source: Wang & Carreira-Perpiñán 2013, arXiv 1309.1541.

    Examples
    --------
    >>> to_simplex(np.array([1.2, 0.1, -0.3])).tolist()
    [1.0, 0.0, 0.0]
    """
    ordered = -np.sort(-prior, axis=-1)
    excess = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, prior.shape[-1] + 1)
    last = np.maximum(np.count_nonzero(ordered > excess, axis=-1, keepdims=True) - 1, 0)
    return np.maximum(prior - np.take_along_axis(excess, last, axis=-1), 0.0)
