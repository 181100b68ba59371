"""Replicates: they belong to the examples, they add, they have the law of resampled rows, and nothing large is held."""

import math
import tracemalloc
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, Moments, NotAnswerableError, Table, parse, resample
from softtruth.conventions import Convention
from softtruth.measures.operators import evaluate
from softtruth.statistics import Examples
from softtruth.uncertainty.bootstrap import acceleration, replicate_interval
from softtruth.uncertainty.keyed import hashes, poisson_weights, uniforms

SOFT = np.random.default_rng(8).dirichlet(np.ones(3), (2, 300))


# --- numbers that belong to an example ------------------------------------------------------------------------------


def test_numbers_belong_to_the_example():
    whole = poisson_weights(3, np.arange(50), 33)
    parts = [poisson_weights(3, np.arange(a, b), 33) for a, b in ((0, 7), (7, 7), (7, 50))]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert (poisson_weights(4, np.arange(50), 33) != whole).any()
    np.testing.assert_array_equal(hashes(3, np.arange(50), 20), hashes(3, np.arange(50), 33)[:, :20])


def test_weights_have_the_law_of_poisson():
    weights = poisson_weights(0, np.arange(2000), 1000)
    shares = np.bincount(weights.astype(int).ravel(), minlength=6)[:6] / weights.size
    assert shares == pytest.approx([math.exp(-1) / math.factorial(k) for k in range(6)], abs=2e-3)
    for axis in (0, 1):  # neither examples nor replicates hang together
        sums = weights.sum(axis=axis)
        n = weights.shape[axis]
        assert (sums - n).std() / math.sqrt(n) == pytest.approx(1, abs=0.1)
    flat = uniforms(0, np.arange(1000), 100).ravel()
    assert np.histogram(flat, 20, (0, 1))[0] / flat.size == pytest.approx(0.05, abs=3e-3)


@pytest.mark.parametrize(("draws", "seed"), [(1, 0), (2.5, 0), (True, 0), (10, -1), (10, "a"), (10, 1.0)])
def test_draws_and_seed_are_whole_numbers(draws, seed):
    with pytest.raises(InputError, match="expected a whole number"):
        IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary").interval("f1", method="percentile", draws=draws, seed=seed)


# --- replicates add -------------------------------------------------------------------------------------------------


@given(st.data(), draw.problems(least=1, masked=False))
@settings(max_examples=25)
def test_replicates_of_parts_add_up_to_those_of_the_whole(data, problem):
    whole = resample(problem.build().statistic, 5, 1, identity=np.arange(len(problem)))
    parts = [
        resample(problem.take(rows).build().statistic, 5, 1, identity=np.array(rows, int))
        for rows in data.draw(draw.splits(len(problem)))
    ]
    kinds = {type(part) for part in parts}
    whole, *parts = (each if len(kinds) == 1 and type(whole) in kinds else each.cells for each in (whole, *parts))
    merged = reduce(add, parts)
    np.testing.assert_allclose(merged.masses, whole.masses, rtol=1e-12, atol=1e-12)


def test_all_routes_give_the_same_replicates():
    """Class indices, one-hot rows and binary columns: the weights of an example do not depend on its form."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, (2, 40))
    ids = np.arange(40)
    codes = resample(Examples("multiclass", 3, y, p), 50, 7, identity=ids).cells.masses
    rows = resample(Examples("multiclass", 3, np.eye(3)[y], np.eye(3)[p]), 50, 7, identity=ids).cells.masses
    np.testing.assert_allclose(codes, rows, atol=1e-12)
    many = resample(Examples("multiclass", 900, y, p, clusters=ids), 50, 7)  # too many classes to hold tables
    assert isinstance(many, Cells)
    np.testing.assert_allclose(many.masses[..., :3], codes + np.array([0, 0, 0, 0])[:, None, None], atol=1e-12)


def test_clusters_share_their_weights():
    codes = np.repeat(np.arange(20), 3)
    y, p = np.random.default_rng(1).integers(0, 2, (2, 60))
    table = resample(Examples("multiclass", 2, y, p, clusters=codes), 100, 2).masses
    weights = np.repeat(poisson_weights(2, np.arange(20), 100), 3, axis=0)
    expected = np.stack([[((y == a) & (p == b)) @ weights for b in (0, 1)] for a in (0, 1)])
    np.testing.assert_allclose(table, np.moveaxis(expected, -1, 0))
    crossed = resample(Examples("multiclass", 2, y, p, clusters=np.stack([codes, np.arange(60) % 7], axis=1)), 100, 2)
    assert (crossed.masses != table).any()


# --- their law ------------------------------------------------------------------------------------------------------


def test_tables_have_the_law_of_resampled_rows():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (2, 9))
    table = IndicatorMatrix(y, p, "binary").table
    drawn = resample(table, 20_000, 3).masses.reshape(-1, 4)
    rows = rng.integers(0, 9, (20_000, 9))
    resampled = np.stack([((y[rows] == a) & (p[rows] == b)).sum(axis=1) for a in (0, 1) for b in (0, 1)], axis=1)
    assert (drawn.sum(axis=1) == 9).all()
    np.testing.assert_allclose(drawn.mean(axis=0), resampled.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(resampled.T), atol=0.05)


DATA = {
    "hard": {"reference": SOFT[0].argmax(1), "prediction": SOFT.sum(0).argmax(1)},
    "soft": {"reference": SOFT[0], "prediction": SOFT.mean(0), "coupling": "independent"},
    "weighted": {
        "reference": SOFT[0],
        "prediction": SOFT.mean(0),
        "coupling": "independent",
        "sample_weight": 0.2 + np.random.default_rng(0).random(300),
    },
    "clustered": {"reference": SOFT[0].argmax(1), "prediction": SOFT.sum(0).argmax(1), "clusters": np.arange(300) // 2},
}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("question", ["accuracy", "macro f1", "weighted mcc", "exemplar jaccard", "r_k"])
def test_the_spread_of_replicates_is_the_linearised_error(kind, question):
    im = IndicatorMatrix(**DATA[kind])
    expected = im.interval(question)
    for method in ("percentile", "bca"):
        found = im.interval(question, method=method, draws=4000)
        assert found.value == expected.value
        assert found.standard_error == pytest.approx(expected.standard_error, rel=0.06)
        for mine, other in ((found.low, expected.low), (found.high, expected.high)):
            assert mine == pytest.approx(other, abs=0.3 * expected.standard_error)
        assert method in found.method
        assert "seed 0" in found.method


def test_crossed_clusters_widen():
    rng = np.random.default_rng(3)
    item, rater = np.divmod(np.arange(600), 10)
    easy, good = rng.normal(0, 1, 60)[item], rng.normal(0, 1, 10)[rater]
    y = rng.integers(0, 2, 600)
    right = easy + good + rng.normal(0, 1, 600) > -1
    p = np.where(right, y, 1 - y)
    errors = {
        name: IndicatorMatrix(y, p, "binary", clusters=clusters).interval("f1").standard_error
        for name, clusters in (("none", None), ("item", item), ("rater", rater), ("both", (item, rater)))
    }
    assert errors["none"] < min(errors["item"], errors["rater"])
    assert errors["both"] > max(errors["item"], errors["rater"])
    pairs = IndicatorMatrix(y, p, "binary", clusters=np.stack([item, rater], axis=1))
    assert pairs.interval("f1").standard_error == errors["both"]
    drawn = pairs.interval("f1", method="percentile").standard_error
    assert errors["both"] < drawn < 1.5 * errors["both"]  # products of weights are mildly cautious


def test_clusters_that_cross_have_one_shape():
    with pytest.raises(InputError, match="or two that cross"):
        IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary", clusters=np.zeros((3, 3)))


def test_table_measures_have_replicates():
    for settings_ in DATA.values():
        im = IndicatorMatrix(**settings_)
        found = im.interval("linear_weighted_kappa", method="percentile", draws=300)
        assert found.value == im.compute("linear_weighted_kappa")
        assert 0.005 < found.standard_error < 0.1


def test_large_tables_are_drawn_in_parts():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 80, 3000)
    im = IndicatorMatrix(y, np.where(rng.random(3000) < 0.5, y, rng.integers(0, 80, 3000)), n_classes=80)
    assert isinstance(resample(im.statistic, 1000), Cells)
    for question in ("macro f1", "r_k", "cen"):
        found = im.interval(question, method="percentile", draws=1000)
        assert found.low < found.high
    with pytest.raises(NotAnswerableError, match="fewer draws"):
        IndicatorMatrix(y, y[::-1], n_classes=80, clusters=y).interval("cen", method="percentile")


# --- what is held ---------------------------------------------------------------------------------------------------


def test_nothing_of_size_examples_times_replicates_is_held():
    rng = np.random.default_rng(0)
    n, draws = 20_000, 2000
    y, p = rng.random((2, n))
    for given_ in ({"coupling": "independent"}, {"clusters": np.arange(n) // 4}):
        im = (
            IndicatorMatrix(y, p, "binary", **given_)
            if "coupling" in given_
            else IndicatorMatrix(y > 0.5, p, "binary", **given_)
        )
        tracemalloc.start()
        im.interval("f1", method="percentile", draws=draws)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < n * draws / 2  # bytes: less than half a byte for each of them


def test_many_questions_are_put_to_one_resampling(monkeypatch):
    from softtruth import indicator_matrix

    calls = []
    monkeypatch.setattr(indicator_matrix, "resample", lambda *given_: calls.append(given_) or resample(*given_))
    im = IndicatorMatrix(**DATA["soft"])
    for question in ("macro f1", "r_k", "micro mcc"):
        im.interval(question, method="percentile", draws=100)
    assert len(calls) == 1
    im.interval("macro f1", method="percentile", draws=100, seed=1)
    assert len(calls) == 2


# --- intervals from replicates --------------------------------------------------------------------------------------


def test_percentiles_are_order_statistics():
    found = replicate_interval(0.5, np.arange(1, 101) / 100, level=0.9)
    assert (found.low, found.high) == (0.05, 0.95)


def test_bca_moves_with_bias_and_skewness():
    rng = np.random.default_rng(0)
    values = rng.normal(0.5, 0.1, 4000)
    plain = replicate_interval(0.5, values)
    corrected = replicate_interval(0.5, values, method="bca")
    assert corrected.low == pytest.approx(plain.low, abs=0.01)
    assert replicate_interval(0.52, values, method="bca").low > plain.low
    assert replicate_interval(0.5, values, method="bca", skewness=0.1).high > plain.high
    from scipy.stats import bootstrap

    data = rng.exponential(1, 60)
    known = bootstrap((data,), np.mean, method="BCa", n_resamples=9999, random_state=1)
    pulls = (data - data.mean()) / 60
    mine = replicate_interval(
        data.mean(),
        known.bootstrap_distribution,
        method="bca",
        skewness=(pulls**3).sum() / (6 * (pulls**2).sum() ** 1.5),
    )
    assert [mine.low, mine.high] == pytest.approx(list(known.confidence_interval), abs=0.01)


def test_acceleration_of_counts_is_that_of_the_examples():
    im = IndicatorMatrix(**DATA["hard"])
    examples = im.statistic
    for question in ("macro f1", "accuracy", "weighted recall"):
        asked, exclude = parse(question), Convention.EXCLUDE
        alone = Examples("multiclass", 3, examples.reference, examples.prediction, weight=np.ones(300))
        assert acceleration(asked, examples, exclude) == pytest.approx(acceleration(asked, alone, exclude))


def test_undefined_replicates_are_left_out_and_counted():
    im = IndicatorMatrix([0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1], "binary")
    found = im.interval("recall", method="percentile")
    assert "every replicate gives the same value" in found.note
    found = im.interval("mcc", method="percentile")
    share = float(found.note.partition("%")[0])
    assert share == pytest.approx(100 * ((5 / 6) ** 6 + (4 / 6) ** 6 - (4 / 6) ** 6), abs=4)
    assert "undefined and left out" in found.note


@pytest.mark.parametrize(
    ("value", "replicates", "method", "reason"),
    [
        (math.nan, np.ones(5), "percentile", "the value is undefined"),
        (0.5, np.full(5, math.nan), "percentile", "no replicate is defined"),
        (1.0, np.ones(5), "bca", "every replicate gives the same value"),
        (0.9, np.linspace(0, 0.5, 9), "bca", "one side of the value"),
    ],
)
def test_an_interval_that_cannot_be_had_says_why(value, replicates, method, reason):
    found = replicate_interval(value, replicates, method=method)
    assert math.isnan(found.low)
    assert reason in found.note
    assert reason in str(found)


def test_infinite_replicates_are_values():
    found = replicate_interval(3.0, np.array([1.0, 2.0, 3.0, math.inf, math.inf]), level=0.6)
    assert found.high == math.inf
    assert math.isnan(found.standard_error)


def test_sums_that_do_not_say_how_examples_vary_are_refused():
    soft = IndicatorMatrix(**DATA["soft"])
    for sums in (
        soft.cells,
        soft.table,
        Table.of([[1.5, 2], [1, 2]]),
        Cells.of([1, 2], [1, 1], [0, 0], [3, 2], task="multilabel"),
    ):
        with pytest.raises(NotAnswerableError, match="how examples vary"):
            IndicatorMatrix.of(sums).interval("micro f1", method="percentile")
    with pytest.raises(NotAnswerableError, match="needs the examples"):
        IndicatorMatrix.of(Table.of([[3, 1], [1, 3]])).interval("exemplar f1", method="bca")
    assert IndicatorMatrix.of(soft.cells, moments=Moments.zero(3)).interval("f1").note


def test_unknown_methods_and_lengths_are_refused():
    im = IndicatorMatrix(**DATA["hard"])
    with pytest.raises(InputError, match="'influence', 'percentile', 'bca'"):
        im.interval("f1", method="magic")
    with pytest.raises(InputError, match="identity has 3 entries"):
        resample(im.statistic, 10, identity=[1, 2, 3])


def test_replicates_stand_in_front_of_the_classes():
    replicates = resample(IndicatorMatrix(**DATA["soft"]).statistic, 64)
    assert replicates.masses.shape == (4, 64, 3)
    assert evaluate(parse("macro f1"), replicates).shape == (64,)
