"""Sets of torch, JAX and strict arrays give what NumPy gives, as arrays of their own, also where they are compiled."""

import numpy as np
import pytest

from softtruth import sets as classification_metrics

pytestmark = pytest.mark.backend

RNG = np.random.default_rng(0)
SCORES = np.round(RNG.random((50, 7)), 1).astype(np.float32)
SHARES = RNG.dirichlet(np.ones(7), 50).astype(np.float32)
RULES = ("first", "expected", "range")


def library(name):
    if name == "torch":
        import torch

        return torch.asarray
    if name == "jax":
        import jax.numpy

        return jax.numpy.asarray
    import array_api_strict

    return array_api_strict.asarray


@pytest.mark.parametrize("name", ["torch", "jax", "strict"])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_every_function_on_every_library(name, k):
    put, m = library(name), classification_metrics
    scores, shares = put(SCORES), put(SHARES)
    calls = [
        lambda s, _: m.topk_sets(s, k),
        lambda s, _: m.topk_sets(s, k, ties="expected"),
        lambda s, _: m.topk_indicators(s, k),
        lambda s, _: m.valid_prediction_sets(s),
        lambda s, _: m.size(m.topk_sets(s, k)),
        lambda s, d: m.aggregated_coverage(m.topk_sets(s, k), d),
        lambda _, d: m.topk_ceiling(d, k),
        lambda _, d: m.mass_sets(d, 0.9),
        lambda _, d: m.coverage_ceiling(m.mass_sets(d, 0.5), d),
        lambda _, d: m.rank_shares(d[..., None, :], k),
        *(lambda s, d, rule=rule: m.aggregated_topk_accuracy(s, d, k, ties=rule) for rule in RULES),
    ]
    for call in calls:
        found = call(scores, shares)
        assert type(found) is type(scores)
        np.testing.assert_allclose(np.asarray(found), call(SCORES, SHARES), atol=1e-6)
    mixed = m.aggregated_topk_accuracy(scores, SHARES, k)  # the truth goes where the prediction is
    assert type(mixed) is type(scores)


def test_everything_stays_on_the_device_of_the_prediction():
    import array_api_strict as strict

    m, device = classification_metrics, strict.Device("device1")
    scores, shares = (strict.asarray(a, device=device) for a in (SCORES, SHARES))
    found = [
        m.topk_sets(scores, 2, ties="expected"),
        m.topk_indicators(scores, 2),
        m.coverage_ceiling(m.mass_sets(shares, 0.9), shares),
        m.rank_shares(shares[..., None, :]),
        m.aggregated_coverage(m.topk_sets(scores, 2), SHARES),
        *(m.aggregated_topk_accuracy(scores, SHARES, 2, ties=rule) for rule in RULES),
    ]
    assert {array.device for array in found} == {device}


@pytest.mark.parametrize("rule", RULES)
def test_under_jit_and_vmap(rule):
    import jax
    import jax.numpy as jnp

    m, scores, shares = classification_metrics, jnp.asarray(SCORES), jnp.asarray(SHARES)
    expected = m.aggregated_topk_accuracy(SCORES, SHARES, 3, ties=rule)
    compiled = jax.jit(m.aggregated_topk_accuracy, static_argnums=(2, 3), static_argnames="ties")
    np.testing.assert_allclose(compiled(scores, shares, 3, True, ties=rule), expected, atol=1e-6)
    by_row = jax.jit(jax.vmap(lambda s, d: m.aggregated_topk_accuracy(s, d, 3, ties=rule), out_axes=-1))
    np.testing.assert_allclose(by_row(scores, shares), expected, atol=1e-6)
    sets_of = jax.jit(m.topk_sets, static_argnums=1)(scores, 3)
    np.testing.assert_array_equal(jax.jit(m.topk_indicators, static_argnums=1)(scores, 3).sum(axis=1), 1)
    np.testing.assert_allclose(
        jax.jit(m.aggregated_coverage)(sets_of, shares),
        m.aggregated_coverage(m.topk_sets(SCORES, 3), SHARES),
        atol=1e-6,
    )
    with pytest.raises(ValueError, match="k is 9"):
        compiled(scores, shares, 9, True, ties=rule)


@pytest.mark.parametrize("rule", RULES)
def test_under_the_vmap_of_torch(rule):
    import torch

    m = classification_metrics
    by_row = torch.func.vmap(lambda s, d: m.aggregated_topk_accuracy(s, d, 3, ties=rule), out_dims=-1)
    expected = m.aggregated_topk_accuracy(SCORES, SHARES, 3, ties=rule)
    np.testing.assert_allclose(by_row(torch.asarray(SCORES), torch.asarray(SHARES)), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["torch", "jax", "strict"])
def test_values_are_looked_at_where_there_are_values(name):
    put = library(name)
    with pytest.raises(ValueError, match="logits row 0 contains nan"):
        classification_metrics.topk_sets(put(np.full((2, 3), np.nan, np.float32)), 1)


def test_gradients_reach_the_distributions():
    import jax
    import jax.numpy as jnp

    chosen = classification_metrics.topk_sets(jnp.asarray(SCORES), 3)
    slope = jax.grad(lambda d: classification_metrics.aggregated_coverage(chosen, d, False).sum())(jnp.asarray(SHARES))
    np.testing.assert_array_equal(slope, chosen)
