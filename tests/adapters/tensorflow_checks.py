"""What the TensorFlow adapter promises: eager, traced and compiled, and the op pair in graphs."""

import doctest

import numpy as np
import pytest
import tensorflow as tf

from softtruth import InputError, rk_gradient
from softtruth import rk_coeff as core
from softtruth.adapters import tensorflow as adapter
from softtruth.adapters.tensorflow import log_rk_loss_tf, rk_coeff, rk_loss_tf, soft_confusion_matrix_tf

v1 = tf.compat.v1
RNG = np.random.default_rng(0)
N, K = 300, 3
Y = RNG.integers(0, K, N)
P = RNG.dirichlet(np.ones(K), N)
W = RNG.random(N)


def test_examples():
    assert doctest.testmod(adapter).failed == 0


def compiled(function):
    return tf.function(function, jit_compile=True)


@pytest.mark.parametrize("mode", [lambda f: f, tf.function, compiled], ids=["eager", "function", "xla"])
@pytest.mark.parametrize(
    "y", [Y, Y[:, None], np.eye(K)[Y], RNG.dirichlet(np.ones(K), N)], ids=["N", "N1", "NK", "soft"]
)
def test_losses_and_gradients(mode, y):
    rows = y if y.ndim == 2 and y.shape[1] == K else np.eye(K)[y.ravel()]

    @mode
    def both(p):
        with tf.GradientTape() as tape:
            tape.watch(p)
            loss = rk_loss_tf(y, p, W)
        return loss, tape.gradient(loss, p)

    value, slope = both(tf.constant(P))
    assert float(value) == pytest.approx(1 - core(rows, P, sample_weight=W), abs=1e-13)
    weighted = W[:, None] * rows
    np.testing.assert_allclose(slope, -weighted @ rk_gradient(weighted.T @ P), atol=1e-14)
    shifted = mode(lambda p: log_rk_loss_tf(y, p, shifted=True))(tf.constant(P))
    assert float(shifted) == pytest.approx(-np.log((1 + core(rows, P)) / 2), abs=1e-12)


def test_batches_of_one_class():
    p = tf.Variable(P)
    with tf.GradientTape(persistent=True) as tape:
        loss, log = rk_loss_tf(np.zeros(N, int), p), log_rk_loss_tf(np.zeros(N, int), p)
    assert (float(loss), float(log)) == (1, np.inf)
    assert not tape.gradient(loss, p).numpy().any()
    assert not tape.gradient(log, p).numpy().any()


def test_soft_confusion_matrix():
    expected = np.eye(K)[Y].T @ P
    for y in (Y, Y[:, None], np.eye(K)[Y]):
        np.testing.assert_allclose(soft_confusion_matrix_tf(y, P), expected)
    with pytest.raises(InputError, match="probabilities have 3 columns but num_classes is 5"):
        soft_confusion_matrix_tf(Y, P, 5)


def run(streaming, labels, size=64):
    with tf.Graph().as_default():
        a = v1.placeholder(tf.int32, (None, *labels.shape[1:]))
        b = v1.placeholder(tf.float32, (None, K))
        value, update = rk_coeff(a, b, K, streaming=streaming, metrics_collections=["m"], updates_collections=["u"])
        assert (v1.get_collection("m"), v1.get_collection("u")) == ([value], [update])
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            found = [session.run(value)]
            for start in range(0, N, size):
                part = slice(start, start + size)
                last = session.run(update, {a: labels[part], b: P[part]})
                assert session.run(value) == last
            session.run(v1.variables_initializer(v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)))
            found += [last, session.run(value)]
    return found


@pytest.mark.parametrize("labels", [Y, Y[:, None], np.eye(K, dtype=int)[Y]], ids=["N", "N1", "NK"])
def test_the_op_pair(labels):
    assert run(True, labels) == pytest.approx([0, core(Y, P), 0], abs=1e-7)
    last = slice(N - N % 64, None)
    assert run(False, labels) == pytest.approx([0, core(Y[last], P[last]), 0], abs=1e-7)


def test_the_op_pair_needs_a_graph():
    with pytest.raises(RuntimeError, match="RkMetric"):
        rk_coeff(Y, P, K)
