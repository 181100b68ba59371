"""Hard data give what scikit-learn gives, wherever it answers the same question under the same convention."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import strategies as draw
from softtruth import IndicatorMatrix

metrics = pytest.importorskip("sklearn.metrics")
pytestmark = pytest.mark.backend

ZERO_DIVISION = {"zero": 0.0, "one": 1.0, "exclude": np.nan}
AVERAGES = {"micro": "micro", "macro": "macro", "weighted": "weighted", "exemplar": "samples"}
COUNTED = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "fbeta 2": lambda *sides, **settings: metrics.fbeta_score(*sides, beta=2, **settings),
    "fbeta 0.5": lambda *sides, **settings: metrics.fbeta_score(*sides, beta=0.5, **settings),
    "jaccard": metrics.jaccard_score,
}


def quietly(function, *sides, **settings):
    """Return scikit-learn's value without its warnings: what is undefined is asked about on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*sides, **settings))


def same(found, expected):
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def no_weight_left(support, parts, convention):
    """Whether no class with a value has weight: no weighted mean, where scikit-learn takes a plain one."""
    return support[~np.isnan(parts)].sum() == 0 if convention == "exclude" else support.sum() == 0


weights = st.one_of(st.just(0.0), st.integers(1, 5).map(float), st.floats(0.05, 20))


@st.composite
def labels(draw_one, *, most_classes=5):
    """Draw class indices of both sides and weights that are not all zero."""
    n, k = draw_one(st.integers(1, 25)), draw_one(st.integers(2, most_classes))
    y, p = (draw_one(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1))) for _ in range(2))
    w = draw_one(st.none() | hnp.arrays(np.float64, n, elements=weights).filter(lambda a: a.sum() > 0))
    return y, p, w, k


@st.composite
def tags(draw_one):
    """Draw 0/1 matrices of both sides and weights that are not all zero."""
    shape = draw_one(st.tuples(st.integers(1, 12), st.integers(2, 5)))
    y, p = (draw_one(hnp.arrays(np.int64, shape, elements=st.integers(0, 1))) for _ in range(2))
    w = draw_one(st.none() | hnp.arrays(np.float64, shape[0], elements=weights).filter(lambda a: a.sum() > 0))
    return y, p, w


@pytest.mark.parametrize("convention", ZERO_DIVISION)
@pytest.mark.parametrize("name", COUNTED)
@given(data=labels())
def test_averages_of_exclusive_classes(name, convention, data):
    y, p, w, k = data
    if name == "jaccard" and convention == "exclude":
        return  # scikit-learn has no such convention for it
    im = IndicatorMatrix(y, p, "multiclass", n_classes=k, sample_weight=w)
    support = np.bincount(y, weights=w, minlength=k)
    for operator in ("micro", "macro", "weighted"):
        if operator == "weighted" and no_weight_left(support, im.parts(name), convention):
            continue
        settings = {
            "average": operator,
            "labels": range(k),
            "zero_division": ZERO_DIVISION[convention],
            "sample_weight": w,
        }
        expected = quietly(COUNTED[name], y, p, **settings)
        same(im.compute(name, operator, convention), expected)
    each = quietly_many(COUNTED[name], y, p, average=None, labels=range(k), zero_division=0.0, sample_weight=w)
    np.testing.assert_allclose(np.nan_to_num(im.parts(name)), each, atol=1e-12)


def quietly_many(function, *sides, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*sides, **settings)


@pytest.mark.parametrize("convention", ZERO_DIVISION)
@pytest.mark.parametrize("name", COUNTED)
@given(data=tags())
def test_averages_of_labels_that_may_hold_together(name, convention, data):
    y, p, w = data
    if name == "jaccard" and convention == "exclude":
        return
    im = IndicatorMatrix(y, p, "multilabel", sample_weight=w)
    support = y.sum(axis=0) if w is None else w @ y
    for operator, average in AVERAGES.items():
        if operator == "weighted" and no_weight_left(support, im.parts(name), convention):
            continue
        settings = {"average": average, "zero_division": ZERO_DIVISION[convention], "sample_weight": w}
        same(im.compute(name, operator, convention), quietly(COUNTED[name], y, p, **settings))


@pytest.mark.parametrize("name", COUNTED)
@given(data=labels(most_classes=2))
def test_binary_values(name, data):
    y, p, w, _ = data
    im = IndicatorMatrix(y, p, "binary", sample_weight=w)
    for convention in ("zero", "one"):
        expected = quietly(COUNTED[name], y, p, zero_division=ZERO_DIVISION[convention], sample_weight=w)
        same(im.compute(name, convention=convention), expected)


@given(data=labels())
def test_the_table_and_its_measures(data):
    y, p, w, k = data
    im = IndicatorMatrix(y, p, "multiclass", n_classes=k, sample_weight=w)
    table = metrics.confusion_matrix(y, p, labels=range(k), sample_weight=w)
    np.testing.assert_allclose(im.table.masses, table, rtol=1e-12)
    cells = metrics.multilabel_confusion_matrix(y, p, labels=range(k), sample_weight=w)
    np.testing.assert_allclose(im.per_class(), cells.reshape(k, 4)[:, [3, 1, 2, 0]], rtol=1e-12, atol=1e-12)
    same(im.accuracy(), quietly(metrics.accuracy_score, y, p, sample_weight=w))
    same(im.compute("r_k", convention="zero"), quietly(metrics.matthews_corrcoef, y, p, sample_weight=w))


@given(data=labels())
def test_agreement_beyond_chance(data):
    y, p, w, k = data
    im = IndicatorMatrix(y, p, "ordinal", n_classes=k, sample_weight=w)
    for name, weighting in (
        ("cohen_kappa", None),
        ("linear_weighted_kappa", "linear"),
        ("quadratic_weighted_kappa", "quadratic"),
    ):
        found = im.compute(name)
        if math.isnan(found):  # scikit-learn says 1 here, 0 there
            continue
        expected = quietly(metrics.cohen_kappa_score, y, p, labels=range(k), weights=weighting, sample_weight=w)
        assert found == pytest.approx(expected, abs=1e-9)


@given(data=labels())
def test_balanced_accuracy(data):
    y, p, w, k = data
    im = IndicatorMatrix(y, p, "multiclass", n_classes=k, sample_weight=w)
    expected = quietly(metrics.balanced_accuracy_score, y, p, sample_weight=w)
    same(im.compute("multiclass_balanced_accuracy"), expected)
    same(im.compute("macro recall"), expected)
    seen = len(np.unique(y if w is None else y[w > 0]))
    if seen > 1:
        adjusted = quietly(metrics.balanced_accuracy_score, y, p, sample_weight=w, adjusted=True)
        if len(np.unique(y)) == seen:
            same(im.compute("multiclass_balanced_accuracy_adjusted"), adjusted)


@given(data=labels(most_classes=2))
def test_binary_agreement_and_likelihood_ratios(data):
    y, p, w, _ = data
    im = IndicatorMatrix(y, p, "binary", sample_weight=w)
    same(im.compute("mcc", convention="zero"), quietly(metrics.matthews_corrcoef, y, p, sample_weight=w))
    if not math.isnan(im.compute("kappa")):
        expected = quietly(metrics.cohen_kappa_score, y, p, labels=[0, 1], sample_weight=w)
        assert im.compute("kappa") == pytest.approx(expected, abs=1e-9)
    if not math.isnan(im.compute("balanced_accuracy")):
        same(im.compute("balanced_accuracy"), quietly(metrics.balanced_accuracy_score, y, p, sample_weight=w))
    if set(y) == {0, 1} and set(p) == {0, 1} and (w is None or (w > 0).all()):
        for found, expected in zip(
            ("lr_plus", "lr_minus"), quietly_many(metrics.class_likelihood_ratios, y, p, sample_weight=w), strict=True
        ):
            if math.isfinite(expected):
                assert im.compute(found) == pytest.approx(expected, rel=1e-9)


@given(data=tags())
def test_whole_rows_and_single_decisions(data):
    y, p, w = data
    im = IndicatorMatrix(y, p, "multilabel", sample_weight=w)
    same(im.subset_accuracy(), quietly(metrics.accuracy_score, y, p, sample_weight=w))
    same(im.compute("error_rate"), quietly(metrics.hamming_loss, y, p, sample_weight=w))
    same(im.compute("zero_one_loss"), im.compute("error_rate"))


@given(data=labels(), seed=st.integers(0, 1000))
def test_the_top_of_probabilities(data, seed):
    y, _, w, k = data
    scores = np.random.default_rng(seed).dirichlet(np.ones(k), len(y))
    im = IndicatorMatrix(y, scores, "multiclass", sample_weight=w)
    same(
        im.accuracy(),
        quietly(metrics.top_k_accuracy_score, y, scores, k=1, labels=range(k), sample_weight=w)
        if k > 2
        else im.accuracy(),
    )
    same(im.accuracy(), quietly(metrics.accuracy_score, y, scores.argmax(axis=1), sample_weight=w))


def test_the_names_of_classes_make_no_difference():
    rng = np.random.default_rng(1)
    names = np.array(["ant", "bee", "cat", "dog"])
    y, p = names[rng.integers(0, 4, 60)], names[rng.integers(0, 3, 60)]
    im = IndicatorMatrix(y, p)
    assert im.labels == ("ant", "bee", "cat", "dog")
    same(im.compute("macro f1", convention="zero"), quietly(metrics.f1_score, y, p, average="macro", zero_division=0.0))
    np.testing.assert_array_equal(im.table.masses, metrics.confusion_matrix(y, p))
    assert draw.CONVENTIONS[0] == "exclude"
