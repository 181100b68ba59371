"""JAX: the same numbers as NumPy under jit, grad, vmap and over shards; statistics as pytrees; a training loop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, Table, rk_coeff, rk_gradient
from softtruth.adapters import jax as adapter
from softtruth.adapters.jax import RunningCells, cells, log_rk_loss, measure_loss, measure_value, rk_loss

pytestmark = pytest.mark.backend
K = 4
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, K, 64)
SOFT = RNG.dirichlet(np.full(K, 0.5), 64)
PROBABILITIES = RNG.dirichlet(np.ones(K), 64)
WEIGHT = RNG.random(64)


@pytest.fixture(autouse=True)
def _double_precision():
    jax.config.update("jax_enable_x64", val=True)  # the context manager of JAX has had two addresses
    yield
    jax.config.update("jax_enable_x64", val=False)


def closed_form(y, p, w):
    return (w[:, None] * y) @ rk_gradient((w[:, None] * y).T @ p)


@pytest.mark.parametrize("y", [LABELS, LABELS[:, None], np.eye(K)[LABELS], SOFT], ids=["N", "N1", "NK", "soft"])
def test_values_and_gradients(y):
    rows = y if y.ndim == 2 and y.shape[1] == K else np.eye(K)[y.ravel()]
    value, slope = jax.jit(jax.value_and_grad(rk_loss))(PROBABILITIES, y, sample_weight=WEIGHT)
    assert float(value) == pytest.approx(1 - rk_coeff(rows, PROBABILITIES, sample_weight=WEIGHT), abs=1e-13)
    np.testing.assert_allclose(slope, -closed_form(rows, PROBABILITIES, WEIGHT), atol=1e-14)
    logits = np.log(PROBABILITIES)
    assert float(rk_loss(logits, y, from_logits=True, sample_weight=WEIGHT)) == pytest.approx(float(value), abs=1e-13)


@pytest.mark.parametrize("by_class", [None, np.array([1.0, 2.0, 0.5, 3.0])])
def test_logits_against_indices_take_a_way_of_their_own(by_class):
    logits = np.log(PROBABILITIES)
    settings = {"sample_weight": WEIGHT, "class_weight": by_class}

    def through_probabilities(z, w):
        return rk_loss(jax.nn.softmax(z), LABELS, **(settings | {"sample_weight": w}))

    def from_logits(z, w):
        return rk_loss(z, LABELS, from_logits=True, **(settings | {"sample_weight": w}))

    for argument in (0, 1):
        expected, found = (jax.jit(jax.grad(f, argument))(logits, WEIGHT) for f in (through_probabilities, from_logits))
        np.testing.assert_allclose(found, expected, atol=1e-14)
    step = RNG.normal(size=logits.shape)
    slopes = [jax.jvp(lambda z, f=f: f(z, WEIGHT), (logits,), (step,))[1] for f in (through_probabilities, from_logits)]
    assert float(slopes[0]) == pytest.approx(float(slopes[1]), abs=1e-13)


def test_vmap_and_one_column():
    stack = RNG.dirichlet(np.ones(K), (3, 64))
    found = jax.vmap(lambda p: rk_loss(p, LABELS))(stack)
    np.testing.assert_allclose(found, [1 - rk_coeff(LABELS, p) for p in stack], atol=1e-13)
    p, y = PROBABILITIES[:, 0], LABELS % 2
    for a in (p, p[:, None]):
        for b in (y, y[:, None]):
            assert float(adapter.rk_coeff(a, b)) == pytest.approx(rk_coeff(y, p), abs=1e-13)


def test_degenerate_batches_have_finite_gradients():
    zeros = np.zeros(64, int)
    for p in (PROBABILITIES, np.full((64, K), 0.25), np.eye(K)[zeros]):
        for y in (zeros, LABELS):
            for loss in (rk_loss, log_rk_loss, lambda a, b: log_rk_loss(a, b, shifted=True)):
                assert bool(jnp.isfinite(jax.grad(loss)(p, y)).all())
    assert float(rk_loss(PROBABILITIES, zeros)) == 1.0
    assert not jax.grad(rk_loss)(PROBABILITIES, zeros).any()
    assert float(log_rk_loss(PROBABILITIES, zeros)) == np.inf


def test_single_precision_near_a_constant_prediction():
    y = np.random.default_rng(5).integers(0, K, 100_000)
    p = 0.9999 * 0.25 + 0.0001 * np.eye(K)[y]
    found = 1 - float(rk_loss(p.astype(np.float32), y))
    assert found == pytest.approx(rk_coeff(y, p), abs=5e-7)


def test_statistics_are_pytrees():
    batch = cells(PROBABILITIES, LABELS)
    assert len(jax.tree.leaves(batch)) == len(jax.tree.leaves(Table(jnp.eye(3)))) == 1
    whole = jax.jit(lambda a, b: a + b)(batch, cells(PROBABILITIES, LABELS))
    np.testing.assert_allclose(whole.masses, 2 * batch.masses)
    stacked = cells(PROBABILITIES.reshape(4, 16, K)[0], LABELS[:16])
    for part in range(1, 4):
        stacked += cells(PROBABILITIES.reshape(4, 16, K)[part], LABELS[16 * part : 16 * part + 16])
    for name in ("macro f1", "micro mcc", "r_k"):
        expected = IndicatorMatrix(LABELS, PROBABILITIES, coupling="independent").compute(name)
        assert float(measure_value(name, stacked)) == pytest.approx(expected, rel=1e-12)
    assert float(measure_value("weighted_kappa 2", Table(jnp.asarray([[8.0, 2], [1, 9]])))) == pytest.approx(0.7)


def test_sums_of_very_many_batches_in_single_precision():
    one = cells(jnp.asarray([[0.7, 0.3]], jnp.float32), jnp.asarray([0]))

    def add(running, _):
        return running + one, None

    start = RunningCells.zero(one.masses) + type(one)(jnp.full((4, 2), 2.0**24, jnp.float32), one.task, one.coupling)
    whole, _ = jax.jit(lambda r: jax.lax.scan(add, r, length=1000))(start)
    found = np.asarray(whole.sums, float) + np.asarray(whole.lost, float)
    np.testing.assert_allclose(found - 2.0**24, 1000 * np.asarray(one.masses, float), rtol=1e-5, atol=1e-9)


def test_shards():
    whole = 1 - rk_coeff(LABELS, PROBABILITIES)
    p, y = PROBABILITIES.reshape(4, 16, K), LABELS.reshape(4, 16)

    def loss(p, y):
        return rk_loss(p, y, axis_name="shards")

    found, slope = jax.vmap(jax.value_and_grad(loss), axis_name="shards")(p, y)
    np.testing.assert_allclose(found, whole, atol=1e-13)
    exact = -closed_form(np.eye(K)[LABELS], PROBABILITIES, np.ones(64)).reshape(4, 16, K)
    np.testing.assert_allclose(slope / 4, exact, atol=1e-14)  # what averaging over the shards leaves


def test_measures_as_losses():
    im = IndicatorMatrix(LABELS, PROBABILITIES, coupling="independent")
    for name in ("macro f1", "micro jaccard", "cohen_kappa"):
        assert float(measure_loss(name, PROBABILITIES, LABELS)) == pytest.approx(1 - im.compute(name), abs=1e-13)
    with pytest.raises(InputError, match="average over examples"):
        measure_loss("exemplar f1", PROBABILITIES, LABELS)
    with pytest.raises(InputError, match="labels have shape"):
        rk_loss(PROBABILITIES, LABELS[:-1])


def test_an_optax_and_flax_loop_learns():
    import optax
    from flax import linen

    x = RNG.normal(size=(300, 5)).astype(np.float32)
    y = (x @ RNG.normal(size=(5, 3))).argmax(1)
    model, optimizer = linen.Dense(3), optax.adam(0.1)
    weights = model.init(jax.random.key(0), x)
    state = optimizer.init(weights)

    @jax.jit
    def step(weights, state):
        value, slope = jax.value_and_grad(lambda w: rk_loss(model.apply(w, x), y, from_logits=True))(weights)
        change, state = optimizer.update(slope, state)
        return optax.apply_updates(weights, change), state, value

    values = []
    for _ in range(60):
        weights, state, value = step(weights, state)
        values.append(float(value))
    assert values[-1] < 0.3 < values[0]
