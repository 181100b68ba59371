"""Workloads of R_K: soft tables, R_K of soft predictions, and the loss of each framework against its cross-entropy."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
from core import read
from harness import Workload

from softtruth import rk_coeff_np
from softtruth._arrays import one_blas_thread
from softtruth.rk import coefficient
from softtruth.statistics.coupling import INDEPENDENT
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N, K = 10**6, 100
BATCH = (8192, 1000)


def _examples(y: Any, p: Any) -> Examples:
    return Examples("multiclass", K, y, p, INDEPENDENT)


def _distributions(rng: np.random.Generator) -> Any:
    rows = rng.random((N, K), np.float32)
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def _one_product(y: Any, p: Any) -> Callable[[], object]:
    def run() -> object:
        with one_blas_thread():
            return y.T @ p

    return run


def _torch(z: Any, y: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    import torch

    from softtruth.adapters.torch import rk_loss

    torch.set_num_threads(1)
    logits, labels = torch.tensor(z, requires_grad=True), torch.tensor(y)

    def ours() -> object:
        return torch.autograd.grad(rk_loss(logits, labels, from_logits=True), logits)

    return ours, lambda: torch.autograd.grad(torch.nn.functional.cross_entropy(logits, labels), logits)


def _jax(z: Any, y: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    import jax

    from softtruth.adapters.jax import rk_loss

    logits, labels = jax.numpy.asarray(z), jax.numpy.asarray(y)

    def entropy(a: Any) -> Any:
        return -jax.numpy.take_along_axis(jax.nn.log_softmax(a), labels[:, None], axis=1).mean()

    ours = jax.jit(jax.value_and_grad(lambda a: rk_loss(a, labels, from_logits=True)))
    theirs = jax.jit(jax.value_and_grad(entropy))
    return lambda: jax.block_until_ready(ours(logits)), lambda: jax.block_until_ready(theirs(logits))


def _tensorflow(z: Any, y: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    import tensorflow as tf

    from softtruth.adapters.tensorflow import rk_loss_tf

    logits, labels = tf.constant(z), tf.constant(y)

    def with_gradient(loss: Callable[[Any], Any]) -> Callable[[], object]:
        @tf.function
        def run() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(logits)
                value = loss(logits)
            return tape.gradient(value, logits)

        return lambda: run().numpy()

    return (
        with_gradient(lambda a: rk_loss_tf(labels, tf.nn.softmax(a))),
        with_gradient(lambda a: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, a))),
    )


def workloads() -> Iterator[Workload]:
    """Yield the rows one by one, so that their data do not all lie in memory."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, N)
    p, q = (_distributions(rng) for _ in range(2))
    yield Workload(
        "f_table_hard", "soft table, 1e6 labels x probabilities, K=100", lambda: _examples(y, p).table, read(p), 3
    )
    yield Workload("f_table_soft", "soft table, soft x soft", lambda: _examples(q, p).table, _one_product(q, p), 1.1)
    yield Workload("f_rk", "R_K of soft predictions", lambda: coefficient(_examples(y, p).classes), read(p), 2.2)
    table = rng.integers(0, 100, (1000, 1000))
    yield Workload("f_rk_table", "R_K of a 1000 x 1000 table", lambda: rk_coeff_np(table), read(table), None, repeat=20)
    z, labels = rng.normal(size=BATCH).astype(np.float32), rng.integers(0, BATCH[1], BATCH[0])
    for name, make, ceiling in (("torch", _torch, 1.6), ("jax", _jax, 1.6), ("tensorflow", _tensorflow, 1.0)):
        if importlib.util.find_spec(name):
            ours, entropy = make(z, labels)
            what = f"R_K loss with gradient, 8192 x 1000, against the cross-entropy of {name}"
            yield Workload(f"f_loss_{name}", what, ours, entropy, ceiling)
