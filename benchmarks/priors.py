"""Workloads of other priors: one measure at many of them, from a finished table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from harness import Workload

from softtruth import Table, prior_curve, under_prior

if TYPE_CHECKING:
    from collections.abc import Iterator


def workloads() -> Iterator[Workload]:
    """Yield the workload: the limit is the product of the priors with the rates."""
    rng = np.random.default_rng(0)
    k = 10
    counts = rng.integers(1, 50, (k, k)) + np.diag(rng.integers(100, 900, k))
    table = Table.of(counts)
    rates = counts / counts.sum(axis=1, keepdims=True)
    priors = rng.dirichlet(np.ones(k), 1000)
    yield Workload(
        "h",
        "macro F1 at 1,000 priors, K=10, from a finished table",
        lambda: prior_curve(table, "macro f1", priors),
        lambda: priors @ rates,
        13,
        {"a loop over the priors": (lambda: [under_prior(table, p).compute("macro f1") for p in priors], 100)},
        repeat=200,
    )
    yield Workload(
        "h_band",
        "the same with pointwise intervals",
        lambda: prior_curve(table, "macro f1", priors, level=0.95),
        lambda: priors @ rates,
        None,
        repeat=20,
    )
