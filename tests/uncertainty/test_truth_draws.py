"""Drawn truths against enumeration of every labelling."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as draw
from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    Measure,
    NotAnswerableError,
    fold_samples,
    uncertainty_adjusted,
)
from softtruth.measures import parse
from softtruth.measures.operators import evaluate
from softtruth.uncertainty import truth_draws
from softtruth.uncertainty.poisson_binomial import counts_law, poisson_binomial

seeds = st.integers(0, 2**32 - 1)


def moments(outcomes, convention="exclude"):
    """Return mean, sd and probability of no value of (value, probability) pairs."""
    values, shares = np.array(outcomes, float).T
    lost = np.isnan(values)
    p_undefined = shares[lost].sum()
    if convention in ("zero", "one"):
        values, lost = np.where(lost, float(convention == "one"), values), lost & False
    values, shares = values[~lost], shares[~lost]
    if shares.sum() == 0:
        return math.nan, math.nan, p_undefined
    mean = (values @ shares) / shares.sum()
    return mean, math.sqrt((values - mean) ** 2 @ shares / shares.sum()), p_undefined


def shares_of(rng, *shape):
    return rng.choice([0.0, 0.2, 0.5, 0.7, 1.0], shape)


# --- one column, every labelling ------------------------------------------------------------------------------------


@given(seeds, st.sampled_from(draw.CONVENTIONS))
@settings(max_examples=15)
def test_crisp_predictions(seed, convention):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    y, z = shares_of(rng, n), rng.integers(0, 2, n)
    im = IndicatorMatrix(y, z, "binary")
    for measure in ("f1", "recall", "mcc", "label_accuracy", "accuracy", "cohen_kappa", "f2"):
        question = parse(measure)
        outcomes = []
        for labels in itertools.product((0, 1), repeat=n):
            share = math.prod(a if label else 1 - a for a, label in zip(y, labels, strict=True))
            outcomes.append((IndicatorMatrix(np.array(labels), z, "binary").compute(question), share))
        found = im.distribution(measure, convention=convention)
        mean, sd, p_undefined = moments(outcomes, convention)
        assert found.p_undefined == pytest.approx(p_undefined, abs=1e-12)
        if convention != "nan" or p_undefined == 0:
            assert [found.mean, found.sd] == pytest.approx([mean, sd], abs=1e-9, nan_ok=True)
        else:
            assert math.isnan(found.mean)
        assert found.method == "exact"


@given(seeds, st.sampled_from(["independent", "most", "least"]))
@settings(max_examples=12)
def test_soft_predictions_are_drawn_too(seed, coupling):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    y, p = shares_of(rng, 2, n)
    im = IndicatorMatrix(y, p, "binary", coupling=coupling)
    entries = np.stack(next(cells for _, cells in im.examples.entries()))[:, :, 0]
    for measure in ("f1", "jaccard", "precision", "specificity", "label_accuracy", "mcc", "kappa", "f2", "accuracy"):
        outcomes = []
        for cells in itertools.product(range(4), repeat=n):
            share = math.prod(entries[cell, i] for i, cell in enumerate(cells))
            counts = Cells(np.bincount(cells, minlength=4).astype(float)[:, None], "binary")
            outcomes.append((float(evaluate(parse(measure), counts)), share))
        found = im.distribution(measure)
        mean, sd, p_undefined = moments(outcomes)
        assert found.p_undefined == pytest.approx(p_undefined, abs=1e-12)
        assert [found.mean, found.sd] == pytest.approx([mean, sd], abs=1e-7, nan_ok=True)
        assert found.method == "exact"


# --- classes that exclude each other, and labels that do not --------------------------------------------------------


def every_labelling(y):
    """Yield the class of every row, with its probability."""
    for labels in itertools.product(range(y.shape[1]), repeat=len(y)):
        share = math.prod(y[i, label] for i, label in enumerate(labels))
        if share:
            yield np.array(labels), share


QUESTIONS = ("accuracy", "micro f1", "macro f1", "weighted recall", "r_k", "exemplar jaccard", "linear_weighted_kappa")


@pytest.mark.parametrize("question", QUESTIONS)
def test_classes(question):
    rng = np.random.default_rng(1)
    y = rng.dirichlet(np.ones(3), 6)
    p = rng.integers(0, 3, 6)
    outcomes = [
        (IndicatorMatrix(labels, p, "multiclass", n_classes=3).compute(question), share)
        for labels, share in every_labelling(y)
    ]
    mean, sd, p_undefined = moments(outcomes)
    found = IndicatorMatrix(y, p, "multiclass").distribution(question, draws=20_000)
    exact = question in ("accuracy", "micro f1")
    assert found.method.startswith("exact" if exact else "exact mean" if question == "macro f1" else "monte carlo")
    assert found.mean == pytest.approx(mean, abs=max(4 * found.error, 1e-12))
    assert found.sd == pytest.approx(sd, abs=1e-9 if exact else 0.01)
    assert found.p_undefined == pytest.approx(p_undefined, abs=1e-12 if exact else 0.01)
    chosen = IndicatorMatrix(y, p, "multiclass", subset=[0, 2])
    if question in ("micro f1", "exemplar jaccard"):
        outcomes = [
            (IndicatorMatrix(labels, p, "multiclass", n_classes=3, subset=[0, 2]).compute(question), share)
            for labels, share in every_labelling(y)
        ]
        drawn = chosen.distribution(question, draws=20_000)
        assert drawn.mean == pytest.approx(moments(outcomes)[0], abs=4 * drawn.error)


def test_soft_classes_are_drawn_too():
    rng = np.random.default_rng(2)
    y, p = rng.dirichlet(np.ones(3), (2, 4))
    im = IndicatorMatrix(y, p, "multiclass", coupling="independent")
    outcomes = [
        (IndicatorMatrix(a, b, "multiclass", n_classes=3).compute("macro f1", convention="zero"), u * v)
        for a, u in every_labelling(y)
        for b, v in every_labelling(p)
    ]
    found = im.distribution("macro f1", convention="zero", draws=20_000)
    mean, sd, _ = moments(outcomes)
    assert found.mean == pytest.approx(mean, abs=1e-12)  # by linearity
    assert found.error == 0
    assert found.sd == pytest.approx(sd, abs=0.01)
    assert "exact mean" in found.method
    for coupling in ("most", "least"):  # the share that both name the same class is all that matters
        other = IndicatorMatrix(y, p, "multiclass", coupling=coupling)
        assert other.distribution("accuracy").mean == pytest.approx(other.compute("accuracy"))
        with pytest.raises(NotAnswerableError, match="not which other one"):
            other.distribution("weighted f1")


LABEL_QUESTIONS = ("micro f1", "macro f1", "weighted recall", "exemplar f1", "micro mcc", "f1_of_means")


@pytest.mark.parametrize("question", LABEL_QUESTIONS)
def test_labels(question):
    rng = np.random.default_rng(3)
    y, p = rng.random((4, 2)), rng.integers(0, 2, (4, 2))
    mask = np.array([[1, 1], [0, 1], [1, 1], [1, 1]], bool)
    outcomes = []
    for labels in itertools.product((0, 1), repeat=8):
        hard = np.array(labels).reshape(4, 2)
        share = np.prod(np.where(hard, y, 1 - y))
        outcomes.append((IndicatorMatrix(hard, p, "multilabel", mask=mask).compute(question), share))
    mean, sd, p_undefined = moments(outcomes)
    found = IndicatorMatrix(y, p, "multilabel", mask=mask).distribution(question, draws=20_000)
    assert found.mean == pytest.approx(mean, abs=max(4 * found.error, 1e-12))
    assert found.sd == pytest.approx(sd, abs=0.01)
    assert found.p_undefined == pytest.approx(p_undefined, abs=0.01)


def test_weights_are_drawn_with():
    y, p = np.array([0.3, 0.6, 0.9]), np.array([1, 0, 1])
    weight = np.array([1.0, 2.5, 0.5])
    outcomes = []
    for labels in itertools.product((0, 1), repeat=3):
        share = np.prod(np.where(labels, y, 1 - y))
        outcomes.append((IndicatorMatrix(np.array(labels), p, "binary", sample_weight=weight).compute("f1"), share))
    found = IndicatorMatrix(y, p, "binary", sample_weight=weight).distribution("f1", draws=20_000)
    assert found.method.startswith("monte carlo")
    assert found.mean == pytest.approx(moments(outcomes)[0], abs=4 * found.error)


@pytest.mark.parametrize("question", ["accuracy", "macro f1", "exemplar jaccard", "linear_weighted_kappa"])
def test_grades(question):
    rng = np.random.default_rng(4)
    y = rng.dirichlet(np.ones(3), 5)
    p = rng.integers(0, 3, 5)
    outcomes = [
        (IndicatorMatrix(labels, p, "ordinal", n_classes=3).compute(question), share)
        for labels, share in every_labelling(y)
    ]
    mean, sd, _ = moments(outcomes)
    found = IndicatorMatrix(y, p, "ordinal").distribution(question, draws=20_000)
    assert found.mean == pytest.approx(mean, abs=max(4 * found.error, 1e-12))
    assert found.sd == pytest.approx(sd, abs=0.01)


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_examples_of_several_parts(task):
    rng = np.random.default_rng(5)
    y, p = rng.dirichlet(np.ones(2), (2, 3)), rng.integers(0, 2, (2, 3))
    weight = [1.0, 3.0]
    outcomes = []
    for labels, share in every_labelling(y.reshape(6, 2)):
        kinds = {"reference_kind": "labels", "prediction_kind": "labels"} if task == "multiclass" else {}
        sides = (labels.reshape(2, 3, 1), p[..., None])
        hard = IndicatorMatrix(*sides, task, n_classes=2, sample_weight=weight, **kinds)
        outcomes.append((hard.compute("exemplar jaccard", convention="zero"), share))
    soft = (y[..., 1:], p[..., None]) if task == "binary" else (y, p)
    im = IndicatorMatrix(*soft, task, sample_weight=weight)
    found = im.distribution("exemplar jaccard", convention="zero", draws=20_000)
    mean, sd, _ = moments(outcomes)
    assert found.mean == pytest.approx(mean, abs=4 * found.error)
    assert found.sd == pytest.approx(sd, abs=0.01)
    with pytest.raises(NotAnswerableError, match="several parts"):
        im.distribution("exemplar jaccard", draws=2_000_000)


# --- the law of counts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 200, 3000])
def test_the_law_of_a_count(n):
    from scipy.stats import binom

    law = poisson_binomial(np.full(n, 0.3))
    assert law.mass.sum() == pytest.approx(1, abs=1e-12)
    assert law.mass == pytest.approx(binom.pmf(law.values(), n, 0.3), abs=1e-14)
    p = np.concatenate([np.random.default_rng(n).random(n), [0.0, 1.0, 1.0]])
    law = poisson_binomial(p)
    assert law.values() @ law.mass == pytest.approx(p.sum())
    assert (law.values() - p.sum()) ** 2 @ law.mass == pytest.approx((p * (1 - p)).sum(), abs=1e-9)


def test_small_probabilities_are_as_right_as_large_ones():
    from scipy.stats import binom

    mass = poisson_binomial(np.full(40, 0.1)).mass
    assert mass[:20] == pytest.approx(binom.pmf(np.arange(20), 40, 0.1), rel=1e-12)


def test_the_joint_law_of_counts():
    shares = np.random.default_rng(0).dirichlet(np.ones(4), 5)
    law = counts_law(shares)
    expected = np.zeros((6, 6, 6))
    for groups in itertools.product(range(4), repeat=5):
        expected[tuple(groups.count(g) for g in (1, 2, 3))] += math.prod(shares[i, g] for i, g in enumerate(groups))
    whole = np.zeros((6, 6, 6))
    whole[tuple(slice(s, s + size) for s, size in zip(law.start, law.mass.shape, strict=True))] = law.mass
    np.testing.assert_allclose(whole, expected, atol=1e-15)


def test_what_is_too_large_is_drawn(monkeypatch):
    rng = np.random.default_rng(0)
    y, p = rng.random((2, 30))
    im = IndicatorMatrix(y, p, "binary", coupling="independent")
    exact = {m: im.distribution(m) for m in ("f1", "mcc", "label_accuracy")}
    monkeypatch.setattr(truth_draws, "MOST_PAIRS", 29)
    monkeypatch.setattr(truth_draws, "MOST_TRIPLES", 29)
    for measure, known in exact.items():
        found = im.distribution(measure, draws=4000)
        assert (found.method == "exact") == (measure == "label_accuracy")
        assert found.mean == pytest.approx(known.mean, abs=max(4 * found.error, 1e-12))
        assert found.sd == pytest.approx(known.sd, rel=0.06)
        for level in (0.5, 0.95):
            assert found.interval(level).low == pytest.approx(known.interval(level).low, abs=0.02)


def test_laws_of_too_many_outcomes_are_drawn(monkeypatch):
    y, p = np.random.default_rng(0).random((2, 30))
    soft, crisp = IndicatorMatrix(y, p, "binary", coupling="independent"), IndicatorMatrix(y, p > 0.5, "binary")
    exact = soft.distribution("f1"), crisp.distribution("mcc")
    monkeypatch.setattr(truth_draws, "MOST_OUTCOMES", 5)
    drawn = soft.distribution("f1", draws=4000), crisp.distribution("mcc", draws=4000)
    for known, found in zip(exact, drawn, strict=True):
        assert known.method == "exact"
        assert found.method.startswith("monte carlo")
        assert found.mean == pytest.approx(known.mean, abs=4 * found.error)


def test_what_counts_every_cell_alike_is_certain():
    everything = Measure("everything", lambda c: c.masses.sum(0) / c.masses.sum(0), linear=((1.0,) * 4, (1.0,) * 4))
    y, p = np.random.default_rng(0).random((2, 6))
    found = IndicatorMatrix(y, p, "binary", coupling="independent").distribution(everything)
    assert (found.method, found.mean, found.sd) == ("exact", pytest.approx(1), pytest.approx(0, abs=1e-7))


def test_the_same_seed_draws_the_same_truths():
    y, p = np.random.default_rng(0).dirichlet(np.ones(3), (2, 20))
    im = IndicatorMatrix(y, p, "multiclass")
    one, two, other = (im.distribution("macro f1", draws=100, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.support, two.support)
    assert one.sd != other.sd


def test_many_classes_are_drawn_without_tables():
    rng = np.random.default_rng(0)
    y, p = rng.dirichlet(np.full(200, 0.02), 60), rng.integers(0, 200, 60)
    few = IndicatorMatrix(y, p, "multiclass").distribution("weighted f1", draws=100)
    many = IndicatorMatrix(y, p, "multiclass").distribution("weighted f1", draws=500)
    assert few.mean == pytest.approx(many.mean, abs=0.02)
    with pytest.raises(NotAnswerableError, match="fewer draws"):
        IndicatorMatrix(y, p, "multiclass").distribution("cen", draws=500)


# --- what a distribution says ---------------------------------------------------------------------------------------


def test_quantiles_are_those_of_the_law():
    found = IndicatorMatrix([0.5, 0.5], [1, 1], "binary").distribution("precision")
    assert found.quantile([0.0, 0.25, 0.26, 0.75, 1.0]).tolist() == [0.0, 0.0, 0.5, 0.5, 1.0]
    interval = found.interval(0.4)
    assert (interval.value, interval.low, interval.high, interval.source) == (0.5, 0.5, 0.5, "truth")
    assert "exact" in str(found)
    with pytest.raises(InputError, match="expected probabilities"):
        found.quantile(1.5)


def test_no_outcome_has_no_interval():
    found = IndicatorMatrix([0.0, 0.0], [0, 0], "binary").distribution("f1")
    assert (found.p_undefined, math.isnan(found.mean)) == (1.0, True)
    assert "no mean" in str(found)
    assert np.isnan(found.quantile([0.5])).all()


def test_undefined_outcomes_are_told():
    found = IndicatorMatrix([0.1, 0.2], [0, 0], "binary").distribution("f1")
    assert "undefined with probability 0.72" in str(found.interval())


def test_what_cannot_be_drawn_is_refused():
    raw = IndicatorMatrix([0.2, 0.6], [0.3, 0.4], "binary", tnorm="godel")
    with pytest.raises(NotAnswerableError, match="no probabilities"):
        raw.distribution("f1")
    with pytest.raises(NotAnswerableError, match="only sums"):
        IndicatorMatrix.of(raw.cells).distribution("f1")


# --- samples of distributions ---------------------------------------------------------------------------------------


def test_each_sample_gives_a_value():
    rng = np.random.default_rng(0)
    samples = rng.dirichlet(np.ones(3), (30, 12))
    p = rng.integers(0, 3, 30)
    weight = rng.random(30)
    for question in ("accuracy", "macro f1", "cohen_kappa"):
        for reference in ("top", "soft"):
            found = uncertainty_adjusted(samples, p, question, reference=reference, sample_weight=weight)
            values = []
            for s in range(12):
                y = samples[:, s].argmax(axis=1) if reference == "top" else samples[:, s]
                values.append(IndicatorMatrix(y, p, "multiclass", n_classes=3, sample_weight=weight).compute(question))
            assert found.support == pytest.approx(np.sort(values))
            assert found.mean == pytest.approx(np.mean(values))
            assert found.interval().source == "annotators"
    scores = np.eye(3)[p] * 2.0
    assert uncertainty_adjusted(samples, scores).mean == uncertainty_adjusted(samples, p).mean
    assert uncertainty_adjusted(np.ones((3, 5, 1)), [[0.0], [1.0], [2.0]]).mean == 1


def test_numbers_of_items_and_samples_are_folded():
    values = np.random.default_rng(0).random((5, 7))
    whole, each = fold_samples(values, sample_weight=[1, 2, 3, 4, 0])
    assert whole.support == pytest.approx(np.sort(np.average(values, axis=0, weights=[1, 2, 3, 4, 0])))
    assert each == pytest.approx(values.mean(axis=1))


@pytest.mark.parametrize(
    ("samples", "prediction", "words"),
    [
        ([[0.5, 0.5]], [0], "expected \\(N, S, K\\)"),
        ([[[0.5, 0.6]]], [0], "row 0, sample 0"),
        ([[[0.5, 0.5]]], [2], "class indices from 0 to 1"),
        ([[[0.5, 0.5]]], [0.5], "class indices from 0 to 1"),
    ],
)
def test_samples_are_checked(samples, prediction, words):
    with pytest.raises(InputError, match=words):
        uncertainty_adjusted(samples, prediction)


def test_settings_are_checked():
    with pytest.raises(InputError, match="'top', 'soft'"):
        uncertainty_adjusted([[[0.5, 0.5]]], [0], reference="hard")
    with pytest.raises(InputError, match="expected \\(N, S\\)"):
        fold_samples([1.0, 2.0])
