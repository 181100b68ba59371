"""A formula of one's own: its traits are found, its thresholds are optimal, its intervals are right."""

import math
import pickle

import numpy as np
import pytest

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, Measure, list_measures, parse
from softtruth.measures import macro
from softtruth.measures.distances import mean_cost, weighted_kappa
from softtruth.measures.rates import fbeta
from softtruth.measures.similarity import tversky
from softtruth.measures.tables import recall_gmean

FAMILIES = {m.name: m for m in (tversky(0.3, 0.7), tversky(1, 1), tversky(0, 2), fbeta(0), fbeta(3), fbeta(0.25))}
TRAITS = ("better", "joint", "symmetric", "class_symmetric", "skew_invariant", "tn_at_zero")
cells_of_all = pytest.mark.parametrize(
    "measure", (draw.CELL_MEASURES | FAMILIES).values(), ids=draw.CELL_MEASURES | FAMILIES
)


def as_function(measure):
    """Return the measure as a function of four numbers, as a user would write it."""

    def formula(tp, fp, fn, tn):
        return measure(Cells(np.stack(np.broadcast_arrays(tp, fp, fn, tn))))

    return formula


def found(tp, fp, fn, tn):
    """Which share is found, in plain numbers?"""
    if tp + fn == 0:
        return math.nan
    return tp / (tp + fn)


@cells_of_all
def test_trying_finds_every_declared_trait(measure):
    own = Measure.from_formula("own", as_function(measure))
    assert {t: getattr(own, t) for t in TRAITS} == {t: getattr(measure, t) for t in TRAITS}
    low, high = measure.range
    assert own.range[0] <= low
    assert high <= own.range[1]
    assert own.decomposable == measure.decomposable
    if measure.decomposable:
        a, b = (np.array([*m.linear[0], *m.linear[1]]) for m in (own, measure))
        np.testing.assert_allclose(a / a[4:].max(), b / b[4:].max(), atol=1e-9)


def test_a_formula_of_plain_numbers_is_asked_number_by_number():
    own = Measure.from_formula("mine", found)
    assert (own.better, own.joint, own.skew_invariant, own.linear) == (
        "higher",
        "rises",
        True,
        ((1, 0, 0, 0), (1, 0, 1, 0)),
    )
    assert str(own) == "mine"
    assert own.__doc__ == "Which share is found, in plain numbers?"
    assert pickle.loads(pickle.dumps(own)) == own  # noqa: S301  our own bytes
    divides = Measure.from_formula("divides", lambda tp, fp, fn, tn: tp / (tp + fn) if tp >= 0 else 0)  # noqa: ARG005  # every formula takes four numbers
    assert math.isnan(float(divides(Cells.of(0, 1, 0, 4))[0]))


def test_a_measure_of_ones_own_goes_wherever_a_name_goes():
    own = Measure.from_formula("mine", found)
    y, p = np.random.default_rng(2).integers(0, 3, (2, 80))
    im = IndicatorMatrix(y, p, n_classes=3)
    assert parse(own, "macro") == macro(own)
    for operator in ("micro", "macro", "weighted"):
        assert im.compute(own, operator) == pytest.approx(im.compute("recall", operator))
        mine, builtin = im.interval(own, operator), im.interval("recall", operator)
        assert [mine.low, mine.high] == pytest.approx([builtin.low, builtin.high], rel=1e-6)
    assert im.report(["macro f1", macro(own)]).value("macro mine") == pytest.approx(im.compute("macro recall"))
    assert own not in list_measures()


@cells_of_all
def test_differences_give_the_derivative_of_a_users_formula(measure):
    own = Measure.from_formula("own", as_function(measure), **{t: getattr(measure, t) for t in ("range", *TRAITS)})
    y, p = (np.random.default_rng(3).random((2, 60, 3)) < 0.5).astype(int)
    im = IndicatorMatrix(y, p, "multilabel")
    for operator in ("micro", "macro"):
        mine, builtin = im.interval(own, operator), im.interval(measure, operator)
        assert mine.standard_error == pytest.approx(builtin.standard_error, rel=1e-5, nan_ok=True)


def test_known_traits_are_not_tried():
    own = Measure.from_formula("own", found, better="lower", range=(0.0, 2.0))
    assert (own.better, own.range, own.joint) == ("lower", (0.0, 2.0), "rises")
    with pytest.raises(InputError, match="trait 'colour' is not known"):
        Measure.from_formula("own", found, colour="red")


@pytest.mark.parametrize(
    "name", ["accuracy", "f1", "F1", "dice", "f3", "fbeta 3", "macro f1", "r-k", " recall ", "", " "]
)
def test_a_name_of_ones_own_is_no_other_measures(name):
    words = f"is that of {parse(name)}" if name.strip() else "the name of a measure is empty"
    with pytest.raises(InputError, match=words):
        Measure.from_formula(name, found)
    with pytest.raises(InputError, match=words):
        parse("jaccard").measure.named(name)
    with pytest.raises(InputError, match=words):
        parse("jaccard").measure.named("overlap", name)
    assert parse("f1").measure.named("f1").name == "f1"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (3, "expected a function"),
        (lambda tp: tp, "failed on tp=3"),
        (lambda tp, fp, fn, tn: "high", "failed on tp=3"),  # noqa: ARG005  # every formula takes four numbers
        (lambda tp, fp, fn, tn: np.nan * tp, "no finite value"),  # noqa: ARG005  # every formula takes four numbers
        (lambda tp, fp, fn, tn: np.stack([tp, tp]), "failed on tp=3"),  # noqa: ARG005  # every formula takes four numbers
    ],
)
def test_what_is_no_formula_is_refused(function, words):
    with pytest.raises(InputError, match=words):
        Measure.from_formula("wrong", function)


@pytest.mark.parametrize(
    "function",
    [
        lambda tp, fp, fn, tn: fp + fn,  # noqa: ARG005  # every formula takes four numbers
        lambda tp, fp, fn, tn: (tp + 1) / (tp + fp + 2),  # noqa: ARG005  # every formula takes four numbers
        lambda tp, fp, fn, tn: (tp - fp) / (tp + fp + fn + tn) ** 0.5,
        lambda tp, fp, fn, tn: fn if fp > 0 else 0.0,  # noqa: ARG005  # every formula takes four numbers
    ],
    ids=["count", "constants added", "root", "plain numbers"],
)
def test_a_formula_that_sees_how_many_examples_there_are_is_refused(function):
    with pytest.raises(InputError, match=r"the formula gives .* for tp=1910, .* three times as many of each; expected"):
        Measure.from_formula("own", function)


def test_a_small_number_against_dividing_by_zero_is_let_through():
    own = Measure.from_formula("own", lambda tp, fp, fn, tn: tp / (tp + fn + 1e-7))  # noqa: ARG005  # takes four
    assert (own.better, own.joint) == ("higher", "rises")


# --- thresholds -----------------------------------------------------------------------------------------------------


def best_by_search(measure, probabilities):
    """Return the best value over all thresholds, and the threshold: expected cells of every cut of sorted examples."""
    p = np.sort(probabilities)[::-1]
    tp = np.concatenate([[0], np.cumsum(p)])
    fp = np.concatenate([[0], np.cumsum(1 - p)])
    values = np.asarray(measure(Cells(np.stack([tp, fp, p.sum() - tp, (1 - p).sum() - fp]))))
    sign = -1 if measure.better == "lower" else 1
    best = int(np.nanargmax(sign * values))
    above, below = (p[best - 1] if best else 1.0), (p[best] if best < p.size else 0.0)
    return values[best], below, above


WITH_THRESHOLD = {
    name: measure
    for name, measure in (draw.CELL_MEASURES | FAMILIES).items()
    if measure.bayes_threshold(optimum=0.5) is not None
    and measure.better != "neither"
    and "inf" not in str(measure.range)
    and measure.linear[0] != measure.linear[1]
}


@pytest.mark.parametrize("measure", WITH_THRESHOLD.values(), ids=WITH_THRESHOLD)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_bayes_threshold_is_the_one_that_search_finds(measure, seed):
    probabilities = np.random.default_rng(seed).beta(1, 2, 4000)
    value, below, above = best_by_search(measure, probabilities)
    threshold = measure.bayes_threshold(optimum=float(value))
    gain = [a - value * b for a, b in zip(*measure.linear, strict=True)]
    if (gain[0] - gain[2]) * {"higher": 1, "lower": -1}[measure.better] < 0:
        return  # such as precision alone: naming fewer is always better
    if 0 < threshold < 1:
        assert below - 1e-3 <= threshold <= above + 1e-3


def test_known_thresholds():
    thresholds = {
        "label_accuracy": 0.5,
        "error_rate": 0.5,
        "pabak": 0.5,
        "recall": 0,
        "fnr": 0,
        "specificity": 1,
        "fpr": 1,
    }
    for name, threshold in thresholds.items():
        assert parse(name).measure.bayes_threshold() == threshold
    assert parse("f1").measure.bayes_threshold() is None
    assert parse("mcc").measure.bayes_threshold(optimum=0.5) is None
    for beta in (0.5, 1, 3):
        assert fbeta(beta).bayes_threshold(optimum=0.8) == pytest.approx(0.8 / (1 + beta**2))


# --- floors ---------------------------------------------------------------------------------------------------------


@cells_of_all
@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_floor_is_what_an_always_wrong_prediction_gets(measure, k):
    y = np.arange(5 * k) % k
    im = IndicatorMatrix(y, (y + 1) % k, n_classes=k, task="multiclass")
    assert im.compute(measure, "micro") == pytest.approx(measure.attainable_floor(k), nan_ok=True)
    if measure.better == "higher" and not measure.tn_at_zero and not math.isinf(measure.range[0]):
        floor = measure.attainable_floor(k)
        assert math.isnan(floor) or floor == measure.range[0] or measure.skew_invariant


def test_floors_need_two_classes_and_cells():
    assert parse("label_accuracy").measure.attainable_floor(10) == 0.8
    for measure, k in ((parse("f1").measure, 1), (parse("accuracy"), 3)):
        with pytest.raises(InputError, match="the floor of"):
            measure.attainable_floor(k)


# --- families -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tversky 0.3 0.7", "micro tversky 0.3 0.7"),
        ("macro tversky 1 1.0", "macro tversky 1 1"),
        ("weighted_kappa 1", "linear_weighted_kappa"),
        ("weighted-kappa 2", "quadratic_weighted_kappa"),
        ("weighted_kappa 1.5", "weighted_kappa 1.5"),
        ("qwk", "quadratic_weighted_kappa"),
        ("recall_gmean", "recall_gmean"),
        ("recall_gmean 0.001", "recall_gmean 0.001"),
        ("ac1", "micro gwet_ac1"),
        ("fbeta 1e200", "micro fbeta 1e+200"),
    ],
)
def test_families_are_named_and_read_back(text, name):
    question = parse(text)
    assert str(question) == name
    assert parse(str(question)) == question


@pytest.mark.parametrize("cells", [(3, 1, 2, 4), (0, 1, 2, 4), (7e299, 1e290, 2e299, 0), (3e-320, 1e-310, 2e-310, 1)])
def test_weights_of_any_size_have_their_limits(cells):
    c = Cells.of(*cells)
    for large in ("1e50", "1e154", "1e200", "1.7e308"):
        assert parse(f"fbeta {large}").measure(c) == pytest.approx(parse("recall").measure(c), rel=1e-12)
    for small in ("0", "1e-50", "1e-154", "1e-200", "5e-324"):
        assert parse(f"fbeta {small}").measure(c) == pytest.approx(parse("precision").measure(c), rel=1e-12)
    for large in (1e100, 1e300, 1.7e308):
        expected = c.tp / large / (c.fp + c.fn)
        assert parse(f"tversky {large} {large}").measure(c) == pytest.approx(expected, rel=1e-12, abs=1e-98)
    assert parse("tversky 1e-320 5e-324").measure(c) == (cells[0] > 0)


def test_a_weight_that_is_not_zero_leaves_nothing_undefined():
    for beta in ("1e-200", "1e-3", "1", "1e3", "1e200"):
        for cells in ((0, 1, 0, 4), (0, 0, 2, 4)):
            assert parse(f"fbeta {beta}").measure(Cells.of(*cells)) == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tversky 1", "measure 'tversky 1': expected the numbers that tversky takes after its name, as in 'tversky 0.3 0.7'."),  # noqa: E501  # the sentence as it is printed
        ("tversky 0 0", "tversky's weights are both 0, so that errors do not count; expected one above 0."),
        ("tversky -1 1", "tversky's alpha is -1.0, expected a number of at least 0."),
        ("weighted_kappa", "measure 'weighted_kappa': expected the number that weighted_kappa takes after its name, as in 'weighted_kappa 2'."),  # noqa: E501  # the sentence as it is printed
        ("weighted_kappa 3", "weighted_kappa's power is 3.0, expected a number above 0 and at most 2."),
        ("recall_gmean 1", "recall_gmean's floor is 1.0, expected a number of at least 0 and below 1."),
    ],
)  # fmt: skip
def test_parameters_out_of_range_say_so(text, sentence):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value) == sentence


def test_a_floor_stands_in_for_lost_classes():
    im = IndicatorMatrix([0, 0, 1, 1], [0, 0, 0, 0], n_classes=2, task="multiclass")
    assert im.compute("recall_gmean") == 0
    assert im.compute(recall_gmean(0.01)) == pytest.approx(0.1)


def test_weights_of_ones_own():
    y, p = np.random.default_rng(5).integers(0, 4, (2, 100))
    im = IndicatorMatrix(y, p, n_classes=4)
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert im.compute(weighted_kappa(distance)) == pytest.approx(im.compute("linear_weighted_kappa"))
    assert im.compute(weighted_kappa(distance > 0)) == pytest.approx(im.compute("cohen_kappa"))
    lopsided = np.triu(distance)
    assert not weighted_kappa(lopsided).symmetric
    assert im.compute(mean_cost(distance)) == pytest.approx(im.compute("mae"))
    assert im.interval(mean_cost(distance)).standard_error == pytest.approx(im.interval("mae").standard_error)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([[0, 1], [1, 2]], "0 on the diagonal"),
        ([[0, -1], [1, 0]], "at least 0"),
        ([[0, 1, 2], [1, 0]], "expected K rows of K numbers"),
        ([[0, math.nan], [1, 0]], "expected a finite number"),
        ("linear", "could not convert|expected"),
        ({}, "expected K rows of K numbers"),
    ],
)
def test_weights_are_checked(weights, words):
    with pytest.raises(ValueError, match=words):
        weighted_kappa(weights)


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(InputError, match="matrix is of 2 classes but the table has 3"):
        IndicatorMatrix([0, 1, 2], [0, 1, 1]).compute(mean_cost([[0, 1], [1, 0]]))
