"""How often intervals at other priors hold the truth. ``-s`` prints the shares that docs/validation.md quotes."""

import sys

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, Table, estimate_prior, long_tail, under_prior

pytestmark = pytest.mark.slow

# Three standard errors of 2,000 replications around 0.95, and a little for what linearisation misses.
BAND = (0.930, 0.970)
REPLICATIONS = 2000


def told(name, held):
    """Return the share of intervals that held the truth among those that there are, and print it."""
    held = np.array(held, float)
    share = np.nanmean(held)
    sys.stdout.write(f"{name}: {share:.3f} of {np.isfinite(held).sum()}, none for {np.isnan(held).sum()}\n")
    return share


def holds(interval, truth):
    return np.nan if np.isnan(interval.low) else interval.low <= truth <= interval.high


RATES = np.array([[0.8, 0.1, 0.06, 0.04], [0.15, 0.7, 0.1, 0.05], [0.1, 0.15, 0.65, 0.1], [0.05, 0.1, 0.15, 0.7]])


@pytest.mark.parametrize("measure", ["precision", "f1", "mcc", "accuracy", "npv"])
@pytest.mark.parametrize("prior", [0.05, 0.9])
def test_fixed_prior_binary(measure, prior):
    rng = np.random.default_rng(1)
    rates = np.array([[0.85, 0.15], [0.2, 0.8]])
    truth = under_prior(Table.of(rates, task="binary"), prior).compute(measure)
    tables = rng.multinomial(200, (rates / 2).ravel(), REPLICATIONS).reshape(-1, 2, 2)
    held = [holds(under_prior(Table.of(t, task="binary"), prior).interval(measure), truth) for t in tables]
    share = told(f"fixed prior {prior}, n=200, {measure}", held)
    assert BAND[0] <= share <= BAND[1]


@pytest.mark.parametrize(
    ("measure", "n"),
    # Errors between far classes are rare and weigh most in the last one, which needs more examples.
    [
        ("macro f1", 400),
        ("accuracy", 400),
        ("r_k", 400),
        ("weighted precision", 400),
        ("quadratic_weighted_kappa", 1600),
    ],
)
def test_fixed_prior_multiclass(measure, n):
    rng = np.random.default_rng(2)
    prior = long_tail(4, 30)
    truth = under_prior(Table.of(RATES), prior).compute(measure)
    tables = rng.multinomial(n, (RATES / 4).ravel(), REPLICATIONS).reshape(-1, 4, 4)
    held = [holds(under_prior(Table.of(t), prior).interval(measure), truth) for t in tables]
    share = told(f"fixed prior, long tail 30, 4 classes, n={n}, {measure}", held)
    assert BAND[0] <= share <= BAND[1]


def soft_sample(rng, n, clusters=None):
    """Return a soft reference and prediction of three classes, whose rates within the classes are always the same."""
    y = (
        rng.dirichlet([0.6, 0.6, 0.6], n)
        if clusters is None
        else np.repeat(rng.dirichlet([0.6] * 3, n // clusters), clusters, 0)
    )
    p = 0.6 * y + 0.4 * rng.dirichlet(np.ones(3), n)
    return y, p


@pytest.mark.parametrize("clusters", [None, 4])
@pytest.mark.parametrize("measure", ["macro f1", "accuracy"])
def test_fixed_prior_soft(measure, clusters):
    rng = np.random.default_rng(3)
    prior = [0.7, 0.2, 0.1]
    truth = under_prior(
        IndicatorMatrix(*soft_sample(rng, 1_000_000), "multiclass", coupling="independent"), prior
    ).compute(measure)
    held = []
    for _ in range(REPLICATIONS):
        y, p = soft_sample(rng, 240, clusters)
        groups = None if clusters is None else np.repeat(np.arange(240 // clusters), clusters)
        im = IndicatorMatrix(y, p, "multiclass", coupling="independent", clusters=groups)
        held.append(holds(under_prior(im, prior).interval(measure), truth))
    share = told(f"fixed prior, soft, n=240, clusters of {clusters or 1}, {measure}", held)
    assert BAND[0] <= share <= BAND[1]


def scores(rng, y, k):
    """Return calibrated posteriors of balanced classes, from features that are normal around their class."""
    z = 1.8 * (rng.normal(0, 1, (len(y), k)) + 1.8 * np.eye(k)[y])
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


ESTIMATES = [("bbse_hard", False), ("bbse_soft", False), ("mlls", False), ("mlls", True)]


def truth_of(k, prior, measure):
    rng = np.random.default_rng(11)
    y = rng.integers(0, k, 1_000_000)
    p = scores(rng, y, k)
    im = IndicatorMatrix(y if k > 2 else (y == 1), p if k > 2 else p[:, 1], "multiclass" if k > 2 else "binary")
    return under_prior(im, prior if k > 2 else prior[1]).compute(measure)


@pytest.mark.parametrize(("method", "calibrate"), ESTIMATES)
@pytest.mark.parametrize("prior", [[0.9, 0.1], [0.6, 0.3, 0.1]])
def test_estimated_prior(method, calibrate, prior):
    rng = np.random.default_rng(4)
    k, measure = len(prior), "macro f1"
    truth = truth_of(k, prior, measure)
    of_prior, of_measure, alone = [], [], []
    for _ in range(REPLICATIONS):
        y, t = rng.integers(0, k, 600), rng.choice(k, 500, p=prior)
        p, target = scores(rng, y, k), scores(rng, t, k)
        if k == 2:
            p, target = p[:, 1], target[:, 1]
        task = "binary" if k == 2 else "multiclass"
        soft = IndicatorMatrix(y, p, task, coupling="independent")
        estimate = estimate_prior(soft, target, method=method, calibrate=calibrate)
        of_prior.append(holds(estimate.intervals()[-1], prior[-1]))
        hard = IndicatorMatrix(y, p, task)
        try:
            of_measure.append(holds(under_prior(hard, estimate).interval(measure), truth))
            alone.append(holds(under_prior(hard, estimate.prior).interval(measure), truth))
        except InputError:  # outside the simplex
            of_measure.append(np.nan)
            alone.append(np.nan)
    name = f"estimated by {method}{' calibrated' if calibrate else ''}, {k} classes, 600 and 500 examples"
    shares = told(f"{name}, prior", of_prior), told(f"{name}, {measure}", of_measure)
    told(f"{name}, {measure} as if the prior were known", alone)
    assert all(BAND[0] <= share <= BAND[1] for share in shares)


@pytest.mark.parametrize(("method", "calibrate"), [("bbse_hard", False), ("mlls", False), ("mlls", True)])
def test_bootstrap_of_an_estimated_prior(method, calibrate):
    rng = np.random.default_rng(5)
    prior, measure = [0.6, 0.3, 0.1], "macro f1"
    truth = truth_of(3, prior, measure)
    of_prior, of_measure = [], []
    for seed in range(400):
        y, t = rng.integers(0, 3, 600), rng.choice(3, 500, p=prior)
        p, target = scores(rng, y, 3), scores(rng, t, 3)
        estimate = estimate_prior(
            IndicatorMatrix(y, p, "multiclass", coupling="independent"), target, method=method, calibrate=calibrate
        )
        low, high = np.quantile(estimate.replicates(500, seed)[:, 2], [0.025, 0.975])
        of_prior.append(low <= prior[2] <= high)
        at = under_prior(IndicatorMatrix(y, p, "multiclass"), estimate)
        of_measure.append(holds(at.interval(measure, method="percentile", draws=500, seed=seed), truth))
    name = f"joint bootstrap, {method}{' calibrated' if calibrate else ''}, 3 classes"
    shares = told(f"{name}, prior", of_prior), told(f"{name}, {measure}", of_measure)
    assert all(0.915 <= share <= 0.985 for share in shares)  # three standard errors of 400 replications
