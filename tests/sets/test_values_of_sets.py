"""Sets against values by hand and in exact fractions."""

import json
from pathlib import Path

import numpy as np
import pytest

from softtruth import IndicatorMatrix, Means, sets
from softtruth.measures import parse
from softtruth.measures.operators import evaluate

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sets.json").read_text())


def golden(name):
    entry = GOLDEN[name]
    return {k: np.asarray(v) if isinstance(v, list) else v for k, v in entry["inputs"].items()}, entry["expected"]


def expected_of(case):
    return {name: value["float"] for name, value in case["by"].items()}


def test_coverage_and_size():
    given, expected = golden("coverage")
    np.testing.assert_allclose(sets.aggregated_coverage(given["sets"], given["distributions"]), expected, atol=1e-15)
    given, expected = golden("set-size")
    assert sets.size(given["sets"]).tolist() == expected


@pytest.mark.parametrize("name", ["rank-indicator", "rank-indicator-3"])
def test_classes_on_a_rank(name):
    given, expected = golden(name)
    assert sets.topk_indicators(given["scores"], given["k"]).tolist() == expected


@pytest.mark.parametrize("name", ["topk-accuracy", "topk-k-equals-K"])
def test_topk_accuracy(name):
    given, expected = golden(name)
    found = sets.aggregated_topk_accuracy(given["scores"], given["distributions"], given["k"])
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_least_and_most_over_ties():
    given, expected = golden("topk-accuracy-range")
    found = sets.aggregated_topk_accuracy(given["scores"], given["distributions"], given["k"], ties="range")
    np.testing.assert_allclose(found.T, expected, atol=1e-15)


def test_a_set_larger_than_the_classes_is_refused():
    given, expected = golden("topk-error-too-large")
    assert expected == {"raises": "ValueError"}
    for function in (sets.topk_sets, sets.topk_indicators):
        with pytest.raises(ValueError, match="k is 5, expected a whole number from 1 to 4"):
            function(given["scores"], given["k"])


def test_the_ceiling_of_topk():
    given, expected = golden("ceiling-topk")
    for k, value in expected.items():
        assert Means.of(sets.topk_ceiling(given["distributions"], int(k))).value() == pytest.approx(value, abs=1e-15)


def test_certainty_and_adjusted_accuracy():
    given, expected = golden("annotation-certainty")
    samples = np.array(given["plausibilities"])
    assert sets.annotation_certainty(samples).tolist() == expected
    given, expected = golden("rank2-certainty")
    assert sets.rank_shares(np.array(given["plausibilities"]), given["k"]).tolist() == expected
    given, expected = golden("ua-top1")
    decisions = np.eye(3)[given["predictions"]]
    found = sets.uncertainty_adjusted_topk_accuracy(decisions, np.array(given["plausibilities"]))
    assert Means.of(found).value() == expected


def test_rules_for_ties():
    given, case = golden("case topk_ties")
    arguments = (given["scores"], given["distribution"], given["k"])
    values = expected_of(case)
    assert sets.aggregated_topk_accuracy(*arguments)[0] == pytest.approx(values["first_index"])
    assert sets.aggregated_topk_accuracy(*arguments, ties="expected")[0] == pytest.approx(values["uniform_over_ties"])


def test_a_row_without_preference():
    given, case = golden("case score_rows")
    truth, values = np.eye(3)[given["y_true"]], expected_of(case)
    for rule, name in (("first", "first_index"), ("expected", "share_the_credit")):
        found = Means.of(sets.aggregated_topk_accuracy(given["scores"], truth, 1, ties=rule)).value()
        assert found == pytest.approx(values[name])


def test_coverage_of_empty_and_full_sets():
    given, case = golden("case set_coverage")
    found, values = sets.aggregated_coverage(given["sets"], given["distribution"]), expected_of(case)
    np.testing.assert_allclose(found, [values["example_0"], values["example_1"], values["example_2"]])
    assert Means.of(found).value() == pytest.approx(values["mean"])
    assert Means.of(sets.size(given["sets"])).value() == pytest.approx(values["mean_size"])


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("convention", ["exclude", "zero"])
def test_topk_recall_averaged_over_classes(k, convention):
    given, case = golden("case topk_macro")
    truth = np.eye(given["n_classes"])[given["y_true"]]
    cells = sets.set_cells(sets.topk_sets(given["scores"], k), truth)
    found = evaluate(parse("macro recall"), cells, convention)
    assert found == pytest.approx(expected_of(case)[f"top{k}/{convention}"])


@pytest.mark.parametrize("kind", [">f2", ">f4", ">f8", ">i4"])
def test_the_byte_order_of_another_machine_changes_nothing(kind):
    held, shares = np.array([[1, 0], [1, 1], [0, 1]]), np.array([[1, 0], [0, 1], [1, 0]]) / (2 if "f" in kind else 1)
    other = held.astype(kind), shares.astype(kind)
    np.testing.assert_array_equal(sets.aggregated_coverage(*other), sets.aggregated_coverage(held, shares))
    labels, weight = shares[:, 1].astype(bool), np.array([1.0, 2.0, 3.0])
    expected = IndicatorMatrix(labels.astype(int), held[:, 1], "binary", sample_weight=weight).interval("f1")
    found = IndicatorMatrix(
        labels.astype(">i8"), held[:, 1].astype(kind), "binary", sample_weight=weight.astype(">f8")
    ).interval("f1")
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
