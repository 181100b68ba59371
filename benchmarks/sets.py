"""Workloads of sets and annotations: top-k and coverage against distributions, rankings to distributions."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
from core import read
from harness import Workload

from softtruth import sets
from softtruth.annotations import Rankings, inverse_rank_normalization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _jax(chosen: Any, scores: Any, shares: Any, k: int) -> dict[str, Callable[[], object]]:
    """Return the same two numbers as a plain compiled JAX program has them."""
    import jax
    import jax.numpy as jnp

    rows = jnp.arange(len(scores))[:, None]

    def covered(inside: Any, held: Any) -> Any:
        return jnp.clip(jnp.sum((inside > 0).astype(int) * held, axis=1), 0, 1)

    def topk(values: Any, held: Any) -> Any:
        _, first = jax.lax.top_k(values, k)
        return covered(jnp.zeros(values.shape, int).at[rows, first].set(1), held)

    coverage, accuracy = jax.jit(covered), jax.jit(topk)
    given = jnp.asarray(chosen), jnp.asarray(scores), jnp.asarray(shares)
    calls = {
        "top-5": lambda: accuracy(given[1], given[2]).block_until_ready(),
        "coverage": lambda: coverage(given[0], given[2]).block_until_ready(),
    }
    for call in calls.values():
        call()  # compiled before it is timed
    return calls


def workloads() -> Iterator[Workload]:
    """Yield the rows one by one."""
    rng = np.random.default_rng(0)
    n, k = 10**6, 100
    scores, shares = rng.random((n, k), dtype=np.float32), rng.random((n, k), dtype=np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    chosen = (scores > 0.9).astype(np.uint8)
    peers = _jax(chosen, scores, shares, 5) if importlib.util.find_spec("jax") else {}
    yield Workload(
        "g_topk",
        "1e6 x 100: aggregated top-5 accuracy, values checked",
        lambda: sets.aggregated_topk_accuracy(scores, shares, 5),
        read(scores, shares),
        9,
        {"JAX, jitted": (peers["top-5"], 3)} if peers else {},
    )
    yield Workload(
        "g_cov",
        "1e6 x 100: aggregated coverage of sets of bytes, values checked",
        lambda: sets.aggregated_coverage(chosen, shares),
        read(chosen, shares),
        3.5,
        {"JAX, jitted": (peers["coverage"], 2.5)} if peers else {},
    )
    cases, readers, ranks, classes = 200, 5, 5, 20
    item, reader, rank = (a.ravel() for a in np.indices((cases, readers, ranks)))
    label = rng.permuted(np.tile(np.arange(classes), (cases * readers, 1)), axis=1)[:, :ranks].ravel()
    yield Workload(
        "i_irn",
        "200 cases, 5 readers, 5 of 20 classes ranked: inverse rank normalisation of checked columns",
        lambda: inverse_rank_normalization(Rankings.of(item, reader, rank, label, n_classes=classes)),
        read(item, reader, rank, label),
        None,
        repeat=20,
    )
