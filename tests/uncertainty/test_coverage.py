"""How often nominal 95% intervals cover, over samples drawn from known populations.

The band is 0.935 to 0.970, for 200 items and more with 10 expected in the rarest cell that is used, at 2,000
replications (whose own error is 0.005). The figures stand in docs/validation.md; `-s` prints them.
"""

import math
import sys

import numpy as np
import pytest

from softtruth import IndicatorMatrix, Table, compare, parse
from softtruth.measures.operators import evaluate
from softtruth.statistics import Examples
from softtruth.statistics.coupling import INDEPENDENT

pytestmark = pytest.mark.slow
REPLICATIONS = 2000
BAND = (0.935, 0.970)
SEED = 20240607

# Shares of (reference, prediction); the rarest cell of 200 items is expected to hold 10.
BINARY = np.array([[0.55, 0.08], [0.07, 0.30]])
RARE = np.array([[0.825, 0.05], [0.05, 0.075]])
CLASSES = np.array([[0.22, 0.05, 0.05], [0.05, 0.20, 0.06], [0.05, 0.06, 0.26]])


def covered(intervals, truth):
    """Return the share that covers, those without an interval counted as misses, and print it."""
    return float(np.mean([truth in interval for interval in intervals]))


def of_tables(shares, n, question, rng, **how):
    task = "binary" if len(shares) == 2 else "multiclass"
    truth = float(evaluate(parse(question), Table(shares, task)))
    drawn = rng.multinomial(n, shares.ravel(), REPLICATIONS).reshape(-1, *shares.shape)
    return covered((IndicatorMatrix.of(Table.of(t, task=task)).interval(question, **how) for t in drawn), truth)


def within(share, what):
    sys.stdout.write(f"{what}: {share:.4f}\n")
    assert BAND[0] <= share <= BAND[1], what


@pytest.mark.parametrize("method", ["influence", "percentile", "bca"])
@pytest.mark.parametrize("question", ["micro f1", "micro mcc", "micro kappa"])
@pytest.mark.parametrize(
    ("name", "shares", "n"), [("balanced", BINARY, 200), ("rare positives", RARE, 200), ("balanced", BINARY, 1000)]
)
def test_measures_of_two_classes(name, shares, n, question, method):
    rng = np.random.default_rng(SEED)
    how = {"method": method} | ({} if method == "influence" else {"draws": 1000})
    within(of_tables(shares, n, question, rng, **how), f"{question}, {name}, n={n}, {method}")


@pytest.mark.parametrize("method", ["influence", "percentile", "bca"])
@pytest.mark.parametrize("question", ["macro f1", "r_k", "cohen_kappa", "accuracy"])
def test_measures_of_three_classes(question, method):
    rng = np.random.default_rng(SEED)
    how = {"method": method} | ({} if method == "influence" else {"draws": 1000})
    within(of_tables(CLASSES, 200, question, rng, **how), f"{question}, n=200, {method}")


def soft_population(rng, clusters, size, alike=0.8):
    """Return shares and probabilities of clusters of items that resemble each other, (clusters, size) each."""
    apart = math.sqrt(2 - alike**2)
    together = rng.normal(0, alike, (clusters, 1))
    y = 1 / (1 + np.exp(-(together + rng.normal(-0.5, apart, (clusters, size)))))
    votes = rng.binomial(5, y) / 5
    p = 1 / (1 + np.exp(-(0.9 * together + rng.normal(-0.4, apart, (clusters, size)))))
    return votes, p


def soft_f1(y, p):
    return 2 * (y * p).sum() / (y.sum() + p.sum())


def soft_samples(rng, votes, p, clusters):
    """Yield samples of whole clusters, with the code of the cluster of each item."""
    size = votes.shape[1]
    for _ in range(REPLICATIONS):
        chosen = rng.integers(0, len(votes), clusters)
        yield votes[chosen].reshape(-1, 1), p[chosen].reshape(-1, 1), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize("method", ["influence", "percentile"])
def test_soft_f1(method):
    rng = np.random.default_rng(SEED)
    votes, p = soft_population(rng, 20_000, 1)
    how = {"method": method} | ({} if method == "influence" else {"draws": 1000})
    found = (
        IndicatorMatrix(y, q, "binary", coupling="independent").interval("f1", **how)
        for y, q, _ in soft_samples(rng, votes, p, 200)
    )
    within(covered(found, soft_f1(votes, p)), f"soft f1, n=200, {method}")


@pytest.mark.parametrize("method", ["influence", "percentile", "bca"])
@pytest.mark.parametrize(("clusters", "alike"), [(60, 0.8), (200, 1.2)])
def test_soft_f1_between_clusters(clusters, alike, method):
    """Clusters of 5: taken for independent items they would cover far too seldom."""
    rng = np.random.default_rng(SEED)
    votes, p = soft_population(rng, 20_000, 5, alike)
    how = {"method": method} | ({} if method == "influence" else {"draws": 1000})
    truth = soft_f1(votes, p)
    clustered, alone = [], []
    for y, q, codes in soft_samples(rng, votes, p, clusters):
        examples = Examples("binary", 1, y, q, INDEPENDENT, clusters=codes)
        clustered.append(IndicatorMatrix.of(examples).interval("f1", **how))
        if method == "influence":
            alone.append(IndicatorMatrix.of(Examples("binary", 1, y, q, INDEPENDENT)).interval("f1"))
    within(covered(clustered, truth), f"soft f1, {clusters} clusters of 5, {method}")
    if alone:
        naive = covered(alone, truth)
        sys.stdout.write(f"soft f1, {clusters} clusters of 5, taken for independent items: {naive:.4f}\n")
        assert naive < 0.9


def crossed_sample(rng, items, raters, share):
    """Return labels, predictions and codes of answers that items and raters both have in common."""
    item, rater = rng.normal(0, 0.8, items), rng.normal(0, 0.6, raters)
    guess = 0.8 * item + rng.normal(0, 0.5, items)
    i, r = np.nonzero(rng.random((items, raters)) < share)
    y = (item[i] + rater[r] + rng.normal(0, 1, i.size) > 0).astype(np.uint8)
    p = (guess[i] + 0.3 * rater[r] + rng.normal(0, 0.8, i.size) > 0).astype(np.uint8)
    return y[:, None], p[:, None], np.stack([i, r], axis=1)


@pytest.mark.parametrize("method", ["influence", "percentile"])
def test_f1_between_items_and_raters(method):
    """Both clusterings are needed: either alone covers less often."""
    rng = np.random.default_rng(SEED)
    y, p, _ = crossed_sample(rng, 4000, 4000, 0.5)
    truth = soft_f1(y.astype(float), p.astype(float))
    how = {"method": method} | ({} if method == "influence" else {"draws": 500})
    found = {"items and raters": [], "items": [], "raters": []}
    for _ in range(REPLICATIONS):
        y, p, codes = crossed_sample(rng, 100, 100, 0.1)
        ways = {"items and raters": codes}
        if method == "influence":
            ways |= {"items": codes[:, 0], "raters": codes[:, 1]}
        for name, clusters in ways.items():
            im = IndicatorMatrix.of(Examples("binary", 1, y, p, clusters=clusters))
            found[name].append(im.interval("f1", **how))
    share = covered(found["items and raters"], truth)
    if method == "percentile":  # products of weights are cautious: a cell that is alone in both counts three times
        sys.stdout.write(f"f1, 100 items x 100 raters, percentile: {share:.4f}\n")
        assert share >= BAND[0]
    else:
        within(share, f"f1, 100 items x 100 raters, {method}")
    for name in ("items", "raters") if method == "influence" else ():
        alone = covered(found[name], truth)
        sys.stdout.write(f"f1, 100 items x 100 raters, clustered by {name} only: {alone:.4f}\n")
        assert alone < share


@pytest.mark.parametrize("method", ["influence", "percentile"])
@pytest.mark.parametrize("question", ["accuracy", "macro f1", "r_k"])
def test_paired_differences(question, method):
    rng = np.random.default_rng(SEED)
    # Joint shares of (reference, first, second): the first is right more often, and both err alike.
    k = 3
    joint = np.full((k, k, k), 0.004)
    for c in range(k):
        joint[c, c, c] += 0.17
        joint[c, c] += 0.02
        joint[c, :, c] += 0.012
    joint /= joint.sum()
    truth = float(np.subtract(*(evaluate(parse(question), Table(joint.sum(axis=axis))) for axis in (2, 1))))
    where = np.array(np.unravel_index(rng.choice(joint.size, (REPLICATIONS, 200), p=joint.ravel()), joint.shape))
    how = {"method": method} | ({} if method == "influence" else {"draws": 1000})
    found = (
        compare(
            IndicatorMatrix.of(Examples("multiclass", k, y, p)),
            IndicatorMatrix.of(Examples("multiclass", k, y, q)),
            question,
            **how,
        ).difference
        for y, p, q in np.moveaxis(where, 0, 1)
    )
    within(covered(found, truth), f"difference in {question}, n=200, {method}")


def test_a_soft_paired_difference():
    rng = np.random.default_rng(SEED)
    votes, p = soft_population(rng, 20_000, 1)
    q = np.clip(p + rng.normal(0, 0.15, p.shape), 0, 1)
    truth = soft_f1(votes, p) - soft_f1(votes, q)
    found = []
    for _ in range(REPLICATIONS):
        rows = rng.integers(0, len(votes), 200)
        a, b = (IndicatorMatrix.of(Examples("binary", 1, votes[rows], side[rows], INDEPENDENT)) for side in (p, q))
        found.append(compare(a, b, "micro f1").difference)
    within(covered(found, truth), "difference in soft f1, n=200, influence")


@pytest.mark.parametrize("end", ["least", "most"])
def test_a_value_at_an_end_of_the_range(end):
    """Imbens and Manski's interval covers the value that the extreme coupling has in the population."""
    rng = np.random.default_rng(SEED)
    votes, p = soft_population(rng, 20_000, 1)
    whole = IndicatorMatrix(votes, p, "binary", coupling=end)
    truth = whole.compute("f1")
    found = []
    for _ in range(REPLICATIONS):
        rows = rng.integers(0, len(votes), 200)
        im = IndicatorMatrix.of(Examples("binary", 1, votes[rows], p[rows], INDEPENDENT))
        found.append(im.bounds("f1", level=0.95))
    within(covered(found, truth), f"soft f1 at the end {end}, n=200, imbens-manski")


def test_drawn_truths_cover_the_value_of_a_single_labelling():
    """The exact law holds a value that is computed from labels drawn from the shares."""
    rng = np.random.default_rng(SEED)
    y = rng.beta(0.6, 0.9, 300)
    z = (y + rng.normal(0, 0.25, 300) > 0.5).astype(int)
    found = IndicatorMatrix(y, z, "binary").distribution("f1").interval()
    labels = rng.random((REPLICATIONS, 300)) < y
    tp = (labels & (z == 1)).sum(axis=1)
    values = 2 * tp / (labels.sum(axis=1) + z.sum())
    within(float(np.mean((found.low <= values) & (values <= found.high))), "f1 of drawn labels, n=300, exact law")
