"""The target prior from the rates of the predictions: black-box shift estimation, and the adjusted count.

The target predicts class l at the rate ``mu_l = sum_k q_k R_kl``, with R the rates of the source (rows the reference)
and q the prior that is asked for. For a yes-or-no column that is ``q = (mu - fpr) / (tpr - fpr)``. No probability has
to be calibrated; R must not be singular.

Sources: Lipton, Wang & Smola 2018, ICML, PMLR 80; Forman 2008, Data Min. Knowl. Discov. 17:164,
doi:10.1007/s10618-008-0097-y.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.corrections.prior_error import example_pulls_at
from softtruth.corrections.replicates import source_replicates, target_means
from softtruth.errors import InputError
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.target import Transfer
    from softtruth.uncertainty.keyed import Draws

_SINGULAR = 1e-10  # relative: below this the rates do not tell the classes apart


class MatchedRates:
    """The prior at which the rates of the source explain those of the target.

    Parameters
    ----------
    transfer : Transfer
        Source and target.
    """

    assumption = ""
    stopped = False  # there are no steps to stop

    def __init__(self, transfer: Transfer) -> None:
        """Solve for the prior."""
        self.transfer = transfer
        self.means = transfer.degrees.mean(axis=0)
        self.rates = _rates(transfer.source)
        self.prior = solved(self.rates, self.means, by_table=transfer.source.by_table)
        self.steps: int | None = None
        self.on_edge = np.zeros(self.prior.shape, bool)

    @cached_property
    def condition(self) -> Any:
        """How much the rates magnify errors: largest over smallest singular value, for each label."""
        if self.transfer.source.by_table:
            return float(np.linalg.cond(self.rates))
        tpr, fpr = self.rates
        each = np.linalg.cond(np.stack([np.stack([fpr, tpr], -1), np.stack([1 - fpr, 1 - tpr], -1)], -2))
        return float(each[0]) if self.transfer.source.statistic.task == "binary" else each

    def source_pulls(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how every example of the source, or each kind of it, pulls the prior in a direction (..., K).

        Returns
        -------
        ndarray
            (N, ...) of examples, else (..., K, K) or (4, ..., m) as ``slopes_at`` gives them.
        """
        source, q = self.transfer.source, self.prior
        sizes = source.sizes / source.size_factor
        if source.by_table:
            u = np.linalg.solve(self.rates, direction[..., None])[..., 0]
            own = -(q / sizes)[:, None] * (u[..., None, :] - (u @ self.rates.T)[..., None])
        else:
            tpr, fpr = self.rates
            more, less = -q / sizes[0], -(1 - q) / sizes[1]
            cells = [more * (1 - tpr), less * (1 - fpr), -more * tpr, -less * fpr]
            own = np.stack([direction * cell / (tpr - fpr) for cell in cells])
        return example_pulls_at(own, source) if isinstance(source.statistic, Examples) else own

    def target_pulls(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how every example of the target pulls the prior in a direction (..., K), as (n, ...)."""
        if self.transfer.source.by_table:
            u = np.linalg.solve(self.rates, direction[..., None])[..., 0]
        else:
            tpr, fpr = self.rates
            u = direction / (tpr - fpr)
        apart = self.transfer.degrees - self.means
        return np.moveaxis(u @ apart.T, -1, 0) / len(apart)

    def replicates(self, draws: Draws) -> NDArray[np.float64]:
        """Return the prior in other samples of source and target, (draws, K); NaN where it has no solution."""
        rates = _rates(source_replicates(self.transfer.source, draws))
        means = target_means(self.transfer, draws)
        return solved(rates, means, by_table=self.transfer.source.by_table, strict=False)


def _rates(source: Any) -> NDArray[np.float64]:
    """Return the rates (..., K, K) of a table, or the true and false positive rates (2, ..., m)."""
    if source.by_table:
        return np.asarray(source.rates)
    tp, fp, _, _ = np.asarray(source.cells.masses)
    with np.errstate(invalid="ignore"):
        return np.stack([tp, fp]) / source.sizes


def solved(
    rates: NDArray[np.float64], means: NDArray[np.float64], *, by_table: bool, strict: bool = True
) -> NDArray[np.float64]:
    """Return the prior that the rates need for these mean predictions; it may leave the simplex.

    Raises
    ------
    InputError
        If the rates are singular and ``strict``; otherwise the prior is NaN there.
    """
    if not by_table:
        tpr, fpr = rates
        apart = tpr - fpr
        bad = ~(abs(apart) > _SINGULAR)
        if strict and bad.any():
            msg = (
                f"positives and negatives are predicted at the same rate ({tpr[bad][0]:.4g}), so the target's "
                f"predictions do "
                "not depend on its prior; use a model, or a threshold, that tells them apart."
            )
            raise InputError(msg)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bad, np.nan, (means - fpr) / apart)
    known = np.asarray(np.isfinite(rates).all((-1, -2)))
    filled = np.where(known[..., None, None], rates, np.eye(rates.shape[-1]))
    singular = np.linalg.svd(filled, compute_uv=False)
    bad = np.asarray(~known | (singular[..., -1] < _SINGULAR * singular[..., 0]))
    if strict and bad.any():
        msg = (
            "some classes are predicted at the same rates, or at mixtures of those of others (the matrix of rates is "
            "singular), so the target's predictions do not determine its prior; merge these classes, or use bbse_soft "
            "or mlls."
        )
        raise InputError(msg)
    filled = np.where(bad[..., None, None], np.eye(rates.shape[-1]), filled)
    found = np.linalg.solve(filled.swapaxes(-1, -2), means[..., None])[..., 0]
    return np.where(bad[..., None], np.nan, found)
