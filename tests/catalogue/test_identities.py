"""Identities of averages: what micro, macro, folds, costs and correlations owe each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, Table, parse
from softtruth.measures import macro, micro
from softtruth.measures.operators import evaluate
from softtruth.structure import example_costs, micro_macro_gap, over_folds, total_cost

CELLS = draw.CELL_MEASURES
labels = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=30).map(
        lambda r: (k, r)
    )
)


def problem(drawn, task="multiclass"):
    k, rows = drawn
    y, p = np.array(rows).T
    return IndicatorMatrix(y, p, task, n_classes=k), k


@given(drawn=labels)
def test_micro_averages_of_one_label_data_are_accuracy(drawn):
    im, k = problem(drawn)
    accuracy = im.compute("accuracy")
    for name in ("precision", "recall", "f1", "fbeta 3", "kulczynski", "fowlkes_mallows"):
        assert im.compute(name, "micro") == pytest.approx(accuracy)
    assert im.compute("label_accuracy", "micro") == pytest.approx(1 - 2 * (1 - accuracy) / k)
    assert im.compute("mcc", "micro") == pytest.approx((k * accuracy - 1) / (k - 1), nan_ok=True)


@pytest.mark.parametrize("measure", CELLS.values(), ids=CELLS)
@given(masses=draw.cell_masses(elements=draw.positive_masses, most_classes=6))
def test_the_gap_is_a_covariance_exactly_for_decomposable_measures(measure, masses):
    gap = micro_macro_gap(measure, Cells(masses))
    if measure.decomposable:
        assert gap.explained == pytest.approx(gap.gap, abs=1e-12)
    else:
        assert np.isnan(gap.explained)


def test_the_gap_is_of_the_classes_that_have_a_value():
    cells = Cells(np.array([[3.0, 0, 5], [1, 0, 0], [2, 0, 4], [4, 10, 1]]))
    gap = micro_macro_gap("recall", cells)
    assert gap.values.size == 2
    assert gap.explained == pytest.approx(gap.gap)
    with pytest.raises(InputError, match="has no micro and macro average"):
        micro_macro_gap("accuracy", Table.of([[1, 2], [3, 4]]))


@given(drawn=labels)
def test_costs_of_distances_are_the_errors_of_grades(drawn):
    im, k = problem(drawn, "ordinal")
    y, p = (side.astype(float) for side in (im.examples.reference, im.examples.prediction))
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    assert im.cost(distance, normalize=True) == pytest.approx(np.abs(y - p).mean())
    assert im.cost(distance**2, normalize=True) == pytest.approx(((y - p) ** 2).mean())
    assert im.compute("mae") == pytest.approx(np.abs(y - p).mean())
    assert im.compute("mse") == pytest.approx(((y - p) ** 2).mean())
    assert im.compute("error_rate") == pytest.approx(np.abs(y - p).mean() / (k - 1))


@given(
    problem=draw.problems(tasks=("binary", "multiclass"), couplings=st.just({"coupling": "independent"}), masked=False)
)
def test_a_cost_is_the_sum_over_examples_under_every_operator(problem):
    im = problem.build()
    k = im.table.n_classes
    matrix = np.random.default_rng(0).uniform(-1, 3, (k, k))
    each = example_costs(im.examples, matrix)
    weight = np.ones(len(each)) if problem.weight is None else problem.weight
    assert im.cost(matrix) == pytest.approx((weight * each).sum(), abs=1e-9)
    assert im.cost(matrix, "macro") * k == pytest.approx((weight * each).sum(), abs=1e-9)
    if weight.sum() > 0:
        mean = (weight * each).sum() / weight.sum()
        assert im.cost(matrix, "exemplar") == pytest.approx(mean)
        assert im.cost(matrix, normalize=True) == pytest.approx(mean)


def test_costs_that_do_not_fit():
    im = IndicatorMatrix([0, 1, 2], [0, 1, 1])
    with pytest.raises(InputError, match="cost matrix is of 2 classes but there are 3"):
        im.cost([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="no weighted average"):
        im.cost(np.eye(3), "weighted")


@given(data=st.data())
def test_folds_are_pooled_or_averaged(data):
    problem = data.draw(draw.problems(tasks=("multilabel",), couplings=st.just({}), least=2, masked=False))
    parts = [part for part in data.draw(draw.splits(len(problem))) if part]
    folds = [problem.take(part).build() for part in parts]
    weights = [len(part) if problem.weight is None else problem.weight[part].sum() for part in parts]
    for question in ("micro f1", "macro recall", "exemplar jaccard"):
        assert over_folds(question, folds) == pytest.approx(problem.build().compute(question), nan_ok=True)
        values = np.array([fold.compute(question) for fold in folds])
        kept = ~np.isnan(values) & (np.array(weights) > 0)
        expected = np.average(values[kept], weights=np.array(weights)[kept]) if kept.any() else np.nan
        assert over_folds(question, folds, how="averaged") == pytest.approx(expected, nan_ok=True)


def test_folds_of_sums():
    folds = [Cells.of(3, 1, 1, 4), Cells.of(0, 0, 2, 7)]
    assert over_folds("f1", folds, how="averaged") == pytest.approx((9 * 0.75 + 0) / 18)
    with pytest.raises(InputError, match="there are no folds"):
        over_folds("f1", [])
    with pytest.raises(InputError, match="expected 'pooled' or 'averaged'"):
        over_folds("f1", folds, how="mean")


@given(masses=draw.table_masses())
def test_measures_of_tables_meet_those_of_cells_on_two_classes(masses):
    if masses.shape != (2, 2):
        return
    table = Table(masses, "binary")
    pairs = {
        "r_k": "mcc",
        "cohen_kappa": "kappa",
        "linear_weighted_kappa": "kappa",
        "quadratic_weighted_kappa": "kappa",
        "multiclass_scott_pi": "scott_pi",
        "multiclass_gwet_ac1": "gwet_ac1",
        "table_cramers_v": "cramers_v",
        "table_mutual_information": "mutual_information",
        "multiclass_balanced_accuracy_adjusted": "informedness",
        "mean_absolute_error": "error_rate",
        "mean_squared_error": "error_rate",
        "accuracy": "label_accuracy",
    }
    for whole, one in pairs.items():
        a, b = float(evaluate(parse(whole), table)), float(evaluate(parse(one), table))
        if whole == "multiclass_balanced_accuracy_adjusted" and np.isnan(b):
            continue  # a class may be absent there
        assert a == pytest.approx(b, abs=1e-9, nan_ok=True), whole


@given(drawn=labels)
def test_two_macro_f1s(drawn):
    """The mean of f1 never exceeds the f1 of the means where both are defined (Opitz & Burst 2019)."""
    im, _ = problem(drawn)
    p, r = im.compute("macro precision", convention="zero"), im.compute("macro recall", convention="zero")
    expected = 2 * p * r / (p + r) if p + r else 0.0
    found = im.compute("f1_of_means", convention="zero")
    assert found == pytest.approx(expected)
    assert found >= im.compute("macro f1", convention="zero") - 1e-12


def test_correlation_and_kappa_hang_together():
    v = np.random.default_rng(0).uniform(0.1, 5, (4, 100))
    value = {
        name: np.asarray(parse(name).measure(Cells(v)))
        for name in ("kappa", "gilbert_skill", "dor", "yule_q", "log_dor")
    }
    np.testing.assert_allclose(value["gilbert_skill"], value["kappa"] / (2 - value["kappa"]))
    np.testing.assert_allclose(value["yule_q"], (value["dor"] - 1) / (value["dor"] + 1), atol=1e-12)
    np.testing.assert_allclose(value["log_dor"], np.log(value["dor"]), atol=1e-12)


def test_information_near_independence_is_not_lost_in_rounding():
    """2 I is about chi-square over n for small dependence, and exactly zero without any."""
    row, column = np.array([3.0, 7.0]) / 10, np.array([2.0, 8.0]) / 10
    for step in (1e-3, 1e-6, 1e-9):
        masses = np.outer(row, column) + step * np.array([[1, -1], [-1, 1]])
        chi2 = (step**2 / np.outer(row, column)).sum()
        assert float(parse("table_mutual_information")(Table(masses))) == pytest.approx(chi2 / 2, rel=1e-2)
    assert float(parse("mutual_information").measure(Cells.of(3, 1, 6, 2))[0]) == 0


@given(drawn=labels, measure=st.sampled_from(sorted(CELLS)))
def test_micro_is_the_measure_of_the_pooled_cells(drawn, measure):
    im, _ = problem(drawn)
    pooled = Cells(im.cells.masses.sum(axis=1, keepdims=True))
    assert evaluate(micro(CELLS[measure]), im.cells) == pytest.approx(float(CELLS[measure](pooled)[0]), nan_ok=True)
    values = np.asarray(CELLS[measure](im.cells))
    kept = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        expected = kept.mean() if kept.size else np.nan
    assert evaluate(macro(CELLS[measure]), im.cells) == pytest.approx(expected, nan_ok=True)


def test_total_cost_of_cells():
    assert total_cost(Cells.of(3, 1, 2, 4), [[0, 10], [100, 0]]) == 210
