"""scikit-learn: scorers in its tools, metadata routing, soft references, displays."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

from softtruth import IndicatorMatrix, InputError, rk_coeff_np
from softtruth.adapters.sklearn import MeasureScorer, SoftTableDisplay, ThresholdDisplay

pytestmark = pytest.mark.backend
X, Y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
NAMES = np.array(["ant", "bee", "cat"])[Y]
MODEL = LogisticRegression(max_iter=500)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("y", [Y, NAMES], ids=["numbers", "names"])
def test_scores_are_those_of_scikit_learn(y):
    for ours, theirs in (
        ("macro f1", make_scorer(f1_score, average="macro", pos_label=None)),
        ("weighted f1", make_scorer(f1_score, average="weighted", pos_label=None)),
        ("r_k", make_scorer(matthews_corrcoef)),
    ):
        found = cross_val_score(MODEL, X, y, scoring=MeasureScorer(ours), cv=4)
        np.testing.assert_allclose(found, cross_val_score(MODEL, X, y, scoring=theirs, cv=4), rtol=1e-12)


def test_the_confusion_matrix_of_scikit_learn():
    predicted = MODEL.fit(X, Y).predict(X)
    table = sklearn.metrics.confusion_matrix(Y, predicted)
    assert rk_coeff_np(table) == pytest.approx(matthews_corrcoef(Y, predicted), rel=1e-12)


def test_two_classes_take_the_second_as_positive():
    y = np.where(Y == 0, "no", "yes")
    scorer = MeasureScorer("f1", response_method="predict_proba")
    expected = cross_val_score(MODEL, X, y, scoring=make_scorer(f1_score, pos_label="yes"), cv=4)
    np.testing.assert_allclose(cross_val_score(MODEL, X, y, scoring=scorer, cv=4), expected)


def test_lower_is_better_comes_with_the_other_sign():
    model = MODEL.fit(X, Y)
    value = IndicatorMatrix(Y, model.predict(X)).compute("macro fall_out")
    assert MeasureScorer("macro fall_out")(model, X, Y) == -value


def test_a_search_picks_by_the_measure():
    scorers = {
        "rk": MeasureScorer("r_k", convention="zero"),
        "f1": MeasureScorer("macro f1", response_method="predict_proba"),
    }
    search = GridSearchCV(MODEL, {"C": [1e-4, 1.0]}, scoring=scorers, refit="rk", cv=3).fit(X, Y)
    assert search.best_params_ == {"C": 1.0}
    assert np.isfinite(search.cv_results_["mean_test_f1"]).all()


def test_soft_probabilities():
    model = MODEL.fit(X, Y)
    found = MeasureScorer("r_k", response_method="predict_proba", coupling="independent")(model, X, Y)
    expected = IndicatorMatrix(Y, model.predict_proba(X), coupling="independent").compute("r_k")
    assert found == pytest.approx(expected)


def test_labels_that_may_hold_together():
    x, y = make_multilabel_classification(100, random_state=0)
    model = RandomForestClassifier(10, random_state=0).fit(x, y)
    expected = IndicatorMatrix(y, model.predict(x), "multilabel").compute("exemplar f1")
    assert MeasureScorer("exemplar f1")(model, x, y) == pytest.approx(expected)
    found = MeasureScorer("macro f1", response_method="predict_proba")(model, x, y)
    assert 0.8 < found <= 1


def test_metadata_is_routed():
    shares = 0.9 * np.eye(3)[Y] + 0.1 / 3
    weight = RNG.random(len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = MeasureScorer("macro f1").set_score_request(sample_weight=True, reference=True)
        model = LogisticRegression(max_iter=500).set_fit_request(sample_weight=False)
        folds = KFold(3, shuffle=True, random_state=0)
        given = {"sample_weight": weight, "reference": shares}
        found = cross_validate(model, X, Y, scoring={"soft": scorer}, cv=folds, params=given)["test_soft"]
    for value, (train, test) in zip(found, folds.split(X), strict=True):
        predicted = clone(MODEL).fit(X[train], Y[train]).predict(X[test])
        im = IndicatorMatrix(shares[test], predicted, "multiclass", sample_weight=weight[test])
        assert value == pytest.approx(im.compute("macro f1"))


def test_scorers_are_pickled_printed_and_refused():
    scorer = pickle.loads(pickle.dumps(MeasureScorer("macro f1", coupling="most")))  # noqa: S301  our own bytes
    assert repr(scorer) == "MeasureScorer('macro f1', response_method='predict', coupling='most')"
    with pytest.raises(InputError, match="response_method 'transform' is not known"):
        MeasureScorer("f1", response_method="transform")
    with pytest.raises(InputError, match="no better end"):
        MeasureScorer("prevalence")


def test_a_constant_model_scores_under_the_convention():
    model = DummyClassifier().fit(X, Y)
    assert np.isnan(MeasureScorer("r_k")(model, X, Y))
    assert MeasureScorer("r_k", convention="zero")(model, X, Y) == 0


def test_a_table_is_shown():
    model = MODEL.fit(X, NAMES)
    display = SoftTableDisplay.from_estimator(model, X, NAMES)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["ant", "bee", "cat"]
    np.testing.assert_allclose(display.im_.get_array().sum(axis=1), 1)
    soft = SoftTableDisplay.from_predictions(0.5 * np.eye(3)[Y] + 0.5 / 3, Y, ax=display.ax_)
    assert soft.figure_ is display.figure_
    assert soft.table.sum() == pytest.approx(len(Y))


def test_a_curve_over_thresholds_is_shown():
    y, p, w = RNG.random(50), RNG.integers(0, 9, 50) / 8, RNG.random(50)
    display = ThresholdDisplay.from_predictions(y, p, "f1", sample_weight=w, name="model")
    for threshold, value in zip(display.thresholds, display.values, strict=True):
        expected = IndicatorMatrix(y, p, "binary", threshold=threshold, sample_weight=w).compute("f1")
        assert value == pytest.approx(expected, nan_ok=True)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["model"]
    model = MODEL.fit(X, Y == 1)
    found = ThresholdDisplay.from_estimator(model, X, Y == 1, "mcc")
    assert np.nanmax(found.values) > 0.4
    with pytest.raises(InputError, match="no one value"):
        ThresholdDisplay.from_predictions(y, p, "exemplar f1")


@pytest.mark.parametrize("response", ["predict", "predict_proba"])
def test_labels_say_which_class_is_the_positive_one(response):
    words = np.where(Y == 2, "yes", "no")
    model = LogisticRegression(max_iter=500).fit(X, words)
    recall = MeasureScorer("recall", response_method=response)(model, X, words)
    assert MeasureScorer("recall", response_method=response, labels=["no", "yes"])(model, X, words) == recall
    turned = MeasureScorer("recall", response_method=response, labels=("yes", "no"))(model, X, words)
    assert turned == pytest.approx(MeasureScorer("specificity", response_method=response)(model, X, words))
    for labels in (["no"], ["no", "no", "yes"], ["no", "maybe"]):
        with pytest.raises(InputError, match="expected each of its classes once"):
            MeasureScorer("recall", response_method=response, labels=labels)(model, X, words)


def test_labels_and_task_of_more_classes_and_of_displays():
    model = LogisticRegression(max_iter=500).fit(X, NAMES)
    order = ["cat", "ant", "bee"]
    for settings in ({}, {"coupling": "independent"}):
        same = {"response_method": "predict_proba", **settings}
        scorer = MeasureScorer("macro f1", labels=order, **same)
        assert scorer(model, X, NAMES) == pytest.approx(MeasureScorer("macro f1", **same)(model, X, NAMES))
    drawn = SoftTableDisplay.from_estimator(model, X, NAMES, labels=order)
    assert drawn.labels == order
    assert drawn.table.sum(axis=1).tolist() == [np.sum(name == NAMES) for name in order]
    graded = MeasureScorer("weighted_kappa 2", task="ordinal")(model, X, NAMES)
    assert graded == IndicatorMatrix(NAMES, model.predict(X), "ordinal", labels=sorted(order)).compute(
        "weighted_kappa 2"
    )
    words = np.where(Y == 2, "yes", "no")
    two = LogisticRegression(max_iter=500).fit(X, words)
    curve = ThresholdDisplay.from_estimator(two, X, words, "recall", labels=["yes", "no"])
    np.testing.assert_array_equal(np.sort(np.unique(two.predict_proba(X)[:, 0])), curve.thresholds)
