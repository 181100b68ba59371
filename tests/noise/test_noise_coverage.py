"""How often the intervals cover what they should, by simulation; `-s` prints the shares.

The band is 0.935 to 0.970 for a nominal 0.95 (its Monte Carlo error is 0.005 at 2,000 replications). Where an interval
is known to be cautious the upper end is open, and the test says so.
"""

import numpy as np
import pytest

from softtruth import (
    audit_apply,
    audit_plan,
    ranking_is_robust,
    reference_accuracy_from_annotators,
    shared_errors,
    suspects,
    true_accuracy,
    true_table,
)
from softtruth.corrections.sharp_range import sharp_range
from softtruth.corrections.true_table import symmetric_transition

pytestmark = pytest.mark.slow


def told(name, hits):
    share = np.mean(hits, axis=0)
    print(f"\n{name}: {np.round(share, 3)} of {len(hits)}")  # noqa: T201  the figures are what one runs this for
    return share


@pytest.mark.parametrize(
    ("a_t", "a_g", "n", "m", "k"),
    [(0.92, 0.96, 500, 300, 2), (0.85, 0.9, 300, 200, 2), (0.8, 0.9, 400, 400, 10), (0.95, 0.97, 2000, 500, 4)],
)
def test_the_estimate_under_independent_errors(a_t, a_g, n, m, k):
    rng = np.random.default_rng(0)
    a_m = a_t * a_g + (1 - a_t) * (1 - a_g) / (k - 1)
    draws = zip(rng.binomial(n, a_m, 4000) / n, rng.binomial(m, a_g, 4000) / m, strict=True)
    hits = [a_t in true_accuracy(x, y, k, n=n, n_reference=m).estimate_interval for x, y in draws]
    assert 0.935 <= told(f"estimate {a_t, a_g, n, m, k}", hits) <= 0.97


@pytest.mark.parametrize(
    ("a_m", "a_g", "n", "m", "highest"),
    [
        (0.90, 0.96, 500, 300, 0.97),
        (0.85, 0.98, 300, 200, 0.98),
        (0.95, 0.93, 500, 300, 0.97),
        (0.842, 0.892, 1135, 1135, 0.97),
        (0.90, 0.99, 500, 100, 1.0),  # one error expected: Wilson's interval is cautious there, plain ones too short
    ],
)
def test_the_range_wherever_the_truth_lies_in_it(a_m, a_g, n, m, highest):
    rng = np.random.default_rng(1)
    low, high = (float(x) for x in sharp_range(a_m, a_g))
    draws = zip(rng.binomial(n, a_m, 4000) / n, rng.binomial(m, a_g, 4000) / m, strict=True)
    found = [true_accuracy(x, y, n=n, n_reference=m).interval for x, y in draws]
    share = told(f"range {a_m, a_g, n, m}", [[low in i, (low + high) / 2 in i, high in i] for i in found])
    assert share[1] > 0.97
    assert np.all((share[[0, 2]] >= 0.935) & (share[[0, 2]] <= highest))


def test_measures_of_the_recovered_table():
    rng = np.random.default_rng(2)
    truth = np.array([[0.30, 0.04, 0.02], [0.03, 0.28, 0.03], [0.01, 0.05, 0.24]])
    transition = symmetric_transition(0.9, 3)
    observed = (transition.T @ truth).ravel()
    names = ("accuracy", "macro f1", "r_k")
    exact = {name: true_table(observed.reshape(3, 3), transition).compute(name) for name in names}
    hits = []
    for counts in rng.multinomial(600, observed / observed.sum(), 2000):
        found = true_table(counts.reshape(3, 3), transition)
        hits.append([exact[name] in found.interval(name) for name in names])
    share = told("recovered table", hits)
    assert np.all((share >= 0.93) & (share <= 0.97))


@pytest.mark.parametrize("scored", [True, False])
def test_an_audit(scored):
    rng = np.random.default_rng(3)
    n, size, k = 2000, 200, 4
    hits = []
    for _ in range(2000):
        shares = rng.dirichlet(np.full(k, 0.25), n)
        truth = (shares.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, k - 1)
        label = np.where(rng.random(n) < 0.06, (truth + rng.integers(1, k, n)) % k, truth)
        model = shares.argmax(axis=1)
        score = suspects(label, shares, reference_accuracy=0.94).score if scored else None
        plan = audit_plan(n, size, scores=score, seed=int(rng.integers(2**31)))
        found = audit_apply(label, model, plan.rows, truth[plan.rows], stratum=plan.stratum, sizes=plan.sizes)
        accuracy = np.mean([s.max(axis=1).mean() for s in (shares,)])
        hits.append([0.94 in found.reference_accuracy, accuracy in found.true_accuracy])
    share = told(f"audit, suspects preferred: {scored}", hits)
    assert np.all((share >= 0.93) & (share <= 0.985))


@pytest.mark.parametrize("method", ["pairs", "triples", "dawid_skene"])
def test_the_accuracy_of_labels_by_their_annotators(method):
    rng = np.random.default_rng(4)
    accuracy = np.array([0.85, 0.85, 0.85]) if method == "pairs" else np.array([0.9, 0.8, 0.85])
    votes = np.array(list(np.ndindex(2, 2, 2)))
    chance = np.prod(np.where(votes, accuracy, 1 - accuracy), axis=1)
    exact = chance[votes.sum(axis=1) >= 2].sum(), accuracy.mean()
    hits = []
    for _ in range(400):
        truth = rng.integers(0, 2, 800)
        given = np.where(rng.random((800, 3)) < accuracy, truth[:, None], 1 - truth[:, None])
        found = reference_accuracy_from_annotators(given, method=method)
        hits.append([exact[0] in found.interval, exact[1] in found.one_answer])
    share = told(f"annotators, {method}", hits)
    assert np.all(share >= (0.9 if method != "pairs" else 0.92))


def test_where_between_the_ends():
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(200):
        truth = rng.integers(0, 2, 2000)
        model = np.where(rng.random(2000) < 0.85, truth, 1 - truth)
        right = np.where(model == truth, 0.88, 0.75)[:, None]  # annotators err more often where the model does
        votes = np.where(rng.random((2000, 5)) < right, truth[:, None], 1 - truth[:, None])
        found = shared_errors(votes, model)
        hits.append([0.85 in found.true_accuracy, not found.independent])
    share = told("where between the ends: true accuracy covered, dependence seen", hits)
    assert share[0] >= 0.9
    assert share[1] > 0.8


def test_the_difference_of_two_models():
    rng = np.random.default_rng(6)
    hits = []
    for _ in range(2000):
        truth = rng.integers(0, 2, 600)
        wrong = rng.random(600) < 0.05
        label = np.where(wrong, 1 - truth, truth)
        b = np.where(rng.random(600) < 0.8, truth, 1 - truth)
        a = np.where(wrong, label, np.where(rng.random(600) < 0.9, truth, 1 - truth))  # A repeats every label error
        b = np.where(wrong, truth, b)  # and B none: the lower end
        found = ranking_is_robust(label, a, b, 0.95)
        hits.append([0.95 * 0.1 - 0.05 in found.interval])
    assert told("two models", hits)[0] >= 0.935
