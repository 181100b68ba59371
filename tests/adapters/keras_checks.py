"""What Keras promises, on the backend that KERAS_BACKEND names; test_frameworks.py runs it once for each."""

import doctest

import keras
import numpy as np
import pytest
from keras import ops

from softtruth import InputError, rk_coeff, rk_gradient
from softtruth.adapters import keras as adapter
from softtruth.adapters.keras import LogRkLoss, RkLoss, RkMetric, log_rk_loss_fn, rk_loss_fn

BACKEND = keras.backend.backend()
RNG = np.random.default_rng(0)
N, K = 200, 3
X = RNG.normal(size=(N, 5)).astype(np.float32)
Y = (X @ RNG.normal(size=(5, K))).argmax(1)
W = RNG.uniform(0.5, 2, N).astype(np.float32)
P = RNG.dirichlet(np.ones(K), N)


def test_examples():
    assert doctest.testmod(adapter).failed == 0


def number(x):
    return float(ops.convert_to_numpy(x))


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def a_model(outputs=K, activation=None):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(outputs, activation=activation)])


def test_labels_in_every_shape_and_weights():
    expected = 1 - rk_coeff(Y, P, sample_weight=W)
    for y in (Y, Y[:, None], np.eye(K)[Y], Y.astype(np.float32)):
        assert number(RkLoss()(y, P.astype(np.float32), sample_weight=W)) == pytest.approx(expected, abs=1e-6)
        assert number(rk_loss_fn()(y, P.astype(np.float32))) == pytest.approx(1 - rk_coeff(Y, P), abs=1e-6)
    soft = RNG.dirichlet(np.ones(K), N)
    assert number(RkLoss()(soft, P.astype(np.float32))) == pytest.approx(1 - rk_coeff(soft, P), abs=1e-6)
    shifted = number(log_rk_loss_fn(shifted=True)(Y, P.astype(np.float32)))
    assert shifted == pytest.approx(-np.log((1 + rk_coeff(Y, P)) / 2), abs=1e-6)
    with pytest.raises(InputError, match="labels have shape"):
        RkLoss()(Y[:-1], P)


def test_one_column():
    y, p = Y % 2, P[:, :1].astype(np.float32)
    for a in (y, y[:, None]):
        for b in (p, p[:, 0]):
            assert number(RkLoss()(a, b)) == pytest.approx(1 - rk_coeff(y, p[:, 0].astype(float)), abs=1e-6)


def test_a_metric_adds_up_and_resets():
    metric = RkMetric(K)
    assert number(metric.result()) == 0
    for start in range(0, N, 64):
        part = slice(start, start + 64)
        metric.update_state(Y[part], P[part].astype(np.float32), sample_weight=W[part])
    assert number(metric.result()) == pytest.approx(rk_coeff(Y, P, sample_weight=W), abs=1e-6)
    metric.reset_state()
    assert number(metric.result()) == 0
    again = keras.metrics.deserialize(keras.metrics.serialize(RkMetric(K, from_logits=True, name="mine")))
    assert (again.num_classes, again.from_logits, again.name) == (K, True, "mine")
    assert keras.losses.deserialize(keras.losses.serialize(LogRkLoss(shifted=True))).shifted is True


def test_single_precision_counts_on():
    metric = RkMetric(2)
    one = np.array([[1.0, 0.0]], np.float32)
    metric.update_state([0], one, sample_weight=[2.0**24])
    for _ in range(5):
        metric.update_state([1], one[:, ::-1])
        metric.update_state([1], one)
    table = [[2.0**24, 0], [5, 5]]
    assert number(metric.result()) == pytest.approx(rk_coeff(table), rel=1e-6)


def test_fit_evaluate_save_and_load(tmp_path):
    model = a_model()
    settings = {
        "metrics": [RkMetric(K, from_logits=True)],
        "weighted_metrics": [RkMetric(K, from_logits=True, name="w")],
    }
    model.compile(optimizer=keras.optimizers.Adam(0.1), loss=rk_loss_fn(from_logits=True), **settings)
    history = model.fit(X, Y, sample_weight=W, epochs=4, batch_size=100, verbose=0).history["loss"]
    assert history[-1] < history[0]
    found = model.evaluate(X, Y, sample_weight=W, batch_size=64, verbose=0, return_dict=True)
    p = softmax(np.asarray(model.predict(X, verbose=0), float))
    assert found["rk"] == pytest.approx(rk_coeff(Y, p), abs=1e-5)
    assert found["w"] == pytest.approx(rk_coeff(Y, p, sample_weight=W), abs=1e-5)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert type(again.loss) is RkLoss
    assert again.loss.from_logits is True
    assert again.evaluate(X, Y, sample_weight=W, batch_size=64, verbose=0, return_dict=True) == pytest.approx(found)


def test_mixed_precision():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = a_model(1, "sigmoid")
        model.compile(optimizer="adam", loss=LogRkLoss(shifted=True), metrics=[RkMetric(2)])
        y = (Y > 0).astype(np.float32)
        model.fit(X, y, batch_size=100, verbose=0)
        found = model.evaluate(X, y, verbose=0, return_dict=True)
        p = np.asarray(model.predict(X, verbose=0), float)[:, 0]
        assert found["rk"] == pytest.approx(rk_coeff(y, p), abs=1e-3)
        assert np.isfinite(found["loss"])
        assert model.metrics[-1].variables[0].dtype == "float32"
    finally:
        keras.mixed_precision.set_global_policy("float32")


def test_masked_steps_weigh_nothing():
    p = P[:40].reshape(8, 5, K).astype(np.float32)
    y = Y[:40].reshape(8, 5)
    kept = RNG.random((8, 5)) < 0.6
    given = ops.convert_to_tensor(p)
    try:
        given._keras_mask = ops.convert_to_tensor(kept)
    except AttributeError:  # JAX's arrays take no attribute: there Keras passes masks as weights
        assert BACKEND == "jax"
        found = RkLoss()(y, p, sample_weight=kept.astype(np.float32))
    else:
        found = RkLoss()(y, given)
    assert number(found) == pytest.approx(1 - rk_coeff(y[kept], p[kept]), abs=1e-6)


def slope(loss, p):
    if BACKEND == "jax":
        import jax

        return np.asarray(jax.grad(loss)(p))
    if BACKEND == "torch":
        import torch

        leaf = torch.tensor(p, requires_grad=True)
        loss(leaf).backward()
        return leaf.grad.numpy()
    import tensorflow as tf

    variable = tf.Variable(p)
    with tf.GradientTape() as tape:
        value = loss(tf.convert_to_tensor(variable))
    return tape.gradient(value, variable).numpy()


def test_gradients():
    p = P.astype(np.float32)
    expected = -np.eye(K)[Y] @ rk_gradient(np.eye(K)[Y].T @ P)
    np.testing.assert_allclose(slope(lambda q: RkLoss()(Y, q), p), expected, atol=1e-6)
    zeros = np.zeros(N, int)
    assert number(RkLoss()(zeros, p)) == 1
    assert not slope(lambda q: RkLoss()(zeros, q), p).any()
    assert np.isfinite(slope(lambda q: LogRkLoss()(Y, q), np.full_like(p, 1 / 3))).all()
