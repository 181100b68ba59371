"""Two predictions for the same items: what they share cancels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softtruth import (
    IndicatorMatrix,
    InputError,
    NotAnswerableError,
    Table,
    compare,
    compare_all,
    holm,
    imbens_manski,
    mcnemar,
    sample_size,
    sample_size_of_share,
)
from softtruth.uncertainty.imbens_manski import critical_value
from softtruth.uncertainty.keyed import poisson_weights

RNG = np.random.default_rng(11)
N, K = 400, 3
TRUTH = RNG.integers(0, K, N)
GOOD, FAIR = (np.where(RNG.random(N) < share, TRUTH, RNG.integers(0, K, N)) for share in (0.75, 0.65))
SOFT = RNG.dirichlet(np.ones(K), N)
NEAR, FAR = 0.7 * SOFT + 0.3 * RNG.dirichlet(np.ones(K), N), RNG.dirichlet(np.ones(K), N)
KINDS = {
    "hard": ({"reference": TRUTH}, GOOD, FAIR),
    "clustered": ({"reference": TRUTH, "clusters": np.arange(N) // 4}, GOOD, FAIR),
    "weighted": ({"reference": TRUTH, "sample_weight": RNG.random(N) + 0.2}, GOOD, FAIR),
    "soft": ({"reference": SOFT, "coupling": "independent"}, NEAR, FAR),
}


def pair(kind, **more):
    settings_, first, second = KINDS[kind]
    return tuple(IndicatorMatrix(prediction=p, task="multiclass", **settings_, **more) for p in (first, second))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", ["accuracy", "macro f1", "weighted recall", "exemplar jaccard", "r_k"])
def test_all_methods_agree_on_a_difference(kind, question):
    a, b = pair(kind)
    known = compare(a, b, question)
    assert known.difference.value == pytest.approx(a.compute(question) - b.compute(question))
    assert known.values == (a.compute(question), b.compute(question))
    back = compare(b, a, question)
    assert back.difference.low == pytest.approx(-known.difference.high)
    assert back.p_value == pytest.approx(known.p_value)
    for method in ("percentile", "bca"):
        drawn = compare(a, b, question, method=method, draws=4000)
        assert drawn.difference.value == known.difference.value
        assert drawn.difference.standard_error == pytest.approx(known.difference.standard_error, rel=0.07)
        assert drawn.difference.low == pytest.approx(known.difference.low, abs=0.3 * known.difference.standard_error)
        if known.p_value > 1e-3:
            assert drawn.p_value == pytest.approx(known.p_value, rel=0.7)


def test_a_paired_difference_is_surer_than_two_values():
    rng = np.random.default_rng(0)
    better = np.where(rng.random(N) < 0.1, TRUTH, GOOD)  # nearly the same predictions
    a, b = (IndicatorMatrix(TRUTH, p, "multiclass") for p in (better, GOOD))
    apart = math.hypot(*(m.interval("accuracy").standard_error for m in (a, b)))
    assert compare(a, b).difference.standard_error < 0.5 * apart


def test_replicates_of_a_difference_are_those_of_resampled_items():
    a, b = pair("clustered")
    drawn = compare(a, b, "macro f1", method="percentile", draws=300, seed=4).difference
    weights = poisson_weights(4, np.arange(N // 4), 300)[np.arange(N) // 4]
    by_hand = [
        IndicatorMatrix(TRUTH, GOOD, "multiclass", sample_weight=w).compute("macro f1")
        - IndicatorMatrix(TRUTH, FAIR, "multiclass", sample_weight=w).compute("macro f1")
        for w in weights.T
    ]
    assert drawn.standard_error == pytest.approx(np.std(by_hand, ddof=1))


def test_many_distinct_outcomes_are_resampled_by_item():
    rng = np.random.default_rng(0)
    y, p, q = rng.integers(0, 60, (3, 5000))
    a, b = (IndicatorMatrix(y, z, "multiclass") for z in (p, q))
    known, drawn = (compare(a, b, "accuracy", method=m, draws=1000).difference for m in ("influence", "percentile"))
    assert drawn.standard_error == pytest.approx(known.standard_error, rel=0.1)


def test_binary_and_multilabel():
    rng = np.random.default_rng(0)
    y, p, q = rng.integers(0, 2, (3, 200, 4))
    for task, cut in (("binary", np.s_[:, 0]), ("multilabel", np.s_[:])):
        a, b = (IndicatorMatrix(y[cut], side[cut], task) for side in (p, q))
        for question in ("micro f1", "exemplar jaccard"):
            known, drawn = (
                compare(a, b, question, method=m, draws=4000).difference for m in ("influence", "percentile")
            )
            assert drawn.standard_error == pytest.approx(known.standard_error, rel=0.07)
        assert (compare(a, b, "f1").mcnemar is None) == (task == "multilabel")


def test_grades_and_examples_of_several_parts():
    grades = tuple(IndicatorMatrix(TRUTH, p, "ordinal", n_classes=K) for p in (GOOD, FAIR))
    kinds = {"reference_kind": "labels", "prediction_kind": "labels"}
    truth, *sides = (side.reshape(-1, 4, 1) for side in (TRUTH, GOOD, FAIR))
    images = tuple(IndicatorMatrix(truth, p, "multiclass", **kinds) for p in sides)
    for a, b in (grades, images):
        for question in ("macro f1", "exemplar jaccard", "linear_weighted_kappa"):
            known = compare(a, b, question).difference
            for method in ("percentile", "bca"):
                drawn = compare(a, b, question, method=method, draws=4000).difference
                assert drawn.standard_error == pytest.approx(known.standard_error, rel=0.08)
            alone = a.interval(question, method="bca", draws=4000)
            assert alone.standard_error == pytest.approx(a.interval(question).standard_error, rel=0.08)


def test_equal_predictions_have_no_interval():
    a, _ = pair("hard")
    for method in ("influence", "percentile", "bca"):
        found = compare(a, a, method=method)
        assert found.difference.value == 0
        assert math.isnan(found.difference.low)
        assert "alike" in found.difference.note or "same value" in found.difference.note
    with np.errstate(all="raise"):
        undefined = compare(
            IndicatorMatrix([0, 0], [0, 0], "binary"), IndicatorMatrix([0, 0], [0, 1], "binary"), "recall"
        )
    assert "undefined" in undefined.difference.note


def test_what_is_compared_must_be_the_same_items():
    a, b = pair("hard")
    cases = {
        "the reference of the two differs": IndicatorMatrix(TRUTH[::-1], FAIR, "multiclass"),
        "400 and 399 items": IndicatorMatrix(TRUTH[1:], FAIR[1:], "multiclass", n_classes=K),
        "differ in n_classes": IndicatorMatrix(TRUTH, FAIR, "multiclass", n_classes=K + 1),
        "the weight of the two differs": IndicatorMatrix(TRUTH, FAIR, "multiclass", sample_weight=np.ones(N)),
        "different classes": IndicatorMatrix(TRUTH, FAIR, "multiclass", subset=[0, 1]),
        "differ in task": IndicatorMatrix(np.eye(K)[TRUTH], np.eye(K)[FAIR], "multilabel"),
    }
    for words, other in cases.items():
        with pytest.raises(InputError, match=words):
            compare(a, other)
    with pytest.raises(NotAnswerableError, match="needs the examples of both"):
        compare(a, IndicatorMatrix.of(b.table))


# --- whatever the dependence ----------------------------------------------------------------------------------------


def test_better_at_every_degree_of_dependence():
    a, b = pair("soft")
    found = compare(a, b, "macro f1", names=("near", "far"))
    assert found.better_for_every_rho == "near"
    curves = [m.dependence_curve("macro f1") for m in (a, b)]
    assert (curves[0] > curves[1]).all()
    ranges = [m.bounds("macro f1") for m in (a, b)]
    assert found.dependence.low == ranges[0].low - ranges[1].high
    assert found.dependence.high == ranges[0].high - ranges[1].low
    assert "near is better at every degree of dependence" in str(found)
    assert compare(a, b, "error_rate", names=("near", "far")).better_for_every_rho == "near"  # lower is better
    assert compare(a, b, "prevalence").better_for_every_rho == ""
    assert compare(*pair("hard")).dependence is None


def test_curves_that_cross_favour_nobody():
    y = np.array([0.5, 0.5])
    a, b = (IndicatorMatrix(y, p, "binary", coupling="independent") for p in ([0.5, 0.5], [0.0, 1.0]))
    assert compare(a, b, "label_accuracy").better_for_every_rho == ""


def test_a_comparison_stands_without_a_range():
    a, b = (IndicatorMatrix(SOFT, p, "multiclass", coupling="independent") for p in (NEAR, FAR))
    found = compare(a, b, "cen", method="percentile", draws=200)
    assert found.dependence is None
    assert found.difference.low < found.difference.high


# --- tests and corrections ------------------------------------------------------------------------------------------


@given(st.integers(0, 1500), st.integers(0, 1500))
@settings(max_examples=40)
def test_mcnemar_is_the_binomial_test(b, c):
    from scipy.stats import binom, binomtest

    found = mcnemar(b, c)
    exact = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert found.exact == pytest.approx(exact, rel=1e-9)
    assert found.mid_p == pytest.approx(1.0 if b == c else exact - binom.pmf(b, b + c, 0.5), rel=1e-9, abs=1e-300)


def test_mcnemar_of_two_predictions_counts_where_one_is_right():
    a, b = pair("hard")
    found = compare(a, b).mcnemar
    assert found == mcnemar(
        int(((GOOD == TRUTH) & (FAIR != TRUTH)).sum()), int(((FAIR == TRUTH) & (GOOD != TRUTH)).sum())
    )
    assert compare(*pair("weighted")).mcnemar is None
    assert compare(*pair("clustered")).mcnemar is None


def test_mcnemar_and_holm_are_those_of_statsmodels():
    from statsmodels.stats import contingency_tables
    from statsmodels.stats.multitest import multipletests

    assert mcnemar(13, 4).exact == pytest.approx(contingency_tables.mcnemar([[0, 13], [4, 0]], exact=True).pvalue)
    p = np.random.default_rng(0).random(9) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert holm([]).size == 0


@pytest.mark.parametrize("given_", [(-1, 2), (1.5, 2), (True, 2), ("a", 2)])
def test_mcnemar_takes_counts(given_):
    with pytest.raises(InputError, match=r"only_first is .*, expected a (whole number|number of items)"):
        mcnemar(*given_)


def test_holm_takes_probabilities():
    with pytest.raises(InputError, match="from 0 to 1"):
        holm([0.5, 1.2])


def test_every_pair_of_several_is_corrected():
    rng = np.random.default_rng(0)
    models = {
        name: IndicatorMatrix(TRUTH, np.where(rng.random(N) < share, TRUTH, rng.integers(0, K, N)), "multiclass")
        for name, share in (("a", 0.5), ("b", 0.7), ("c", 0.7))
    }
    models["d"] = models["c"]
    found = compare_all(models, "macro f1")
    assert [each.names for each in found] == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    tested = [each for each in found if not math.isnan(each.p_value)]
    assert len(tested) == 5
    assert [each.p_adjusted for each in tested] == pytest.approx(holm([each.p_value for each in tested]))
    assert "after Holm" in str(found[0])
    assert math.isnan(found[-1].p_adjusted)


# --- sample sizes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["macro f1", "r_k", "accuracy", "exemplar jaccard"])
def test_the_size_that_is_asked_for_gives_the_width(question):
    pilot = IndicatorMatrix(TRUTH[:100], GOOD[:100], "multiclass")
    n = sample_size(pilot, question, half_width=pilot.interval(question).width / 4)
    assert 300 < n < 500  # half the width: about four times as many
    large = IndicatorMatrix(np.repeat(TRUTH[:100], 4), np.repeat(GOOD[:100], 4), "multiclass")
    half = large.interval(question).width / 2
    assert sample_size(pilot, question, half_width=half * (1 + 1e-9)) == pytest.approx(400, abs=1)


def test_the_size_for_a_share():
    for share in (0.0, 0.1, 0.5, 0.93):
        n = sample_size_of_share(share, half_width=0.04)
        from softtruth.uncertainty.interval import wilson

        assert wilson(share * n, n, 0.95).width <= 0.08 < wilson(share * (n - 1), n - 1, 0.95).width
    recall = IndicatorMatrix([1] * 20 + [0] * 80, [1] * 15 + [0] * 85, "binary")
    positives = sample_size_of_share(0.75, half_width=0.05)
    assert sample_size(recall, "recall", half_width=0.05) == pytest.approx(5 * positives, abs=5)


def test_sizes_that_cannot_be_had_say_why():
    perfect = IndicatorMatrix([0, 1, 1], [0, 1, 1], "binary")
    with pytest.raises(NotAnswerableError, match="edge of its range"):
        sample_size(perfect, "f1", half_width=0.1)
    with pytest.raises(NotAnswerableError, match="sample_size_of_share"):
        sample_size(perfect, "accuracy", half_width=0.1)
    pilot = IndicatorMatrix(TRUTH, GOOD, "multiclass")
    for wrong in (0, -1, True, math.nan):
        with pytest.raises(InputError, match=r"half_width is .*, expected a (positive )?number"):
            sample_size(pilot, "macro f1", half_width=wrong)
    with pytest.raises(NotAnswerableError, match="no number of items"):
        sample_size(pilot, "macro f1", half_width=1e-12)
    with pytest.raises(InputError, match=r"share is 1\.2"):
        sample_size_of_share(1.2, half_width=0.1)


# --- partially identified values ------------------------------------------------------------------------------------


@given(st.floats(0, 30), st.floats(0.5, 0.999))
@settings(max_examples=40)
def test_the_critical_value_solves_its_equation(width, level):
    from scipy.stats import norm

    c = critical_value(width, level)
    assert norm.cdf(c + width) - norm.cdf(-c) == pytest.approx(level, abs=1e-9)


def test_ends_without_errors_and_ends_on_the_edge():
    assert "no standard error" in imbens_manski(0.2, 0.4, math.nan).note
    found = imbens_manski(0.0, 0.9, 0.0, 0.02, limits=(0.0, 1.0))
    assert found.low == 0.0
    assert 0.9 < found.high < 1
    with pytest.raises(InputError, match="low <= high"):
        imbens_manski(0.5, 0.4, 0.1)
    with pytest.raises(InputError, match="at least 0"):
        critical_value(-1.0)
    assert imbens_manski(0.3, 0.3, 0.0).width == 0


def test_a_table_of_two_columns_is_no_comparison():
    with pytest.raises(NotAnswerableError):
        compare(IndicatorMatrix.of(Table.of([[3, 1], [1, 3]])), IndicatorMatrix.of(Table.of([[3, 1], [1, 3]])))
