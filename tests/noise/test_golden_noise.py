"""Values found without the package: exact fractions, linear programmes, published formulas."""

import json
from pathlib import Path

import numpy as np
import pytest

from softtruth import (
    InputError,
    NotAnswerableError,
    Table,
    difference_estimate,
    noisy_bounds,
    true_accuracy,
    true_table,
)
from softtruth.annotations.annotator_accuracy import accuracy_from_pair, mean_accuracy_range
from softtruth.annotations.answers import Answers
from softtruth.annotations.dawid_skene import annotators_given_truth
from softtruth.corrections.sharp_range import independent_accuracy, sharp_range
from softtruth.corrections.two_models import difference_range

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "noise.json").read_text(encoding="utf-8"))


def case(name):
    entry = GOLDEN[name]
    return entry["inputs"], entry["expected"], max(entry["tolerance"], 2e-16)


@pytest.mark.parametrize("name", [n for n in GOLDEN if n.startswith("range-")])
def test_sharp_range(name):
    inputs, expected, tolerance = case(name)
    assert np.allclose(sharp_range(inputs["a_m"], inputs["a_g"], inputs["n_classes"]), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ["independence-article", "independence-linear-form", "independence-ten-classes"])
def test_independence(name):
    inputs, expected, tolerance = case(name)
    found = independent_accuracy(inputs["a_m"], inputs["a_g"], inputs["n_classes"])
    assert np.allclose(found, expected, rtol=0, atol=tolerance)


def test_refuted_independence_keeps_its_raw_value():
    inputs, expected, tolerance = case("independence-refuted")
    found = true_accuracy(inputs["a_m"], inputs["a_g"])
    assert found.estimate == pytest.approx(expected["raw"], abs=tolerance)
    assert found.refuted is expected["refuted"]


def test_the_other_independence_is_another_number():
    found = true_accuracy(0.90, 0.96)
    # Right label and agreement, or wrong label and disagreement: 0.96 * 0.90 + 0.04 * 0.10.
    assert found.estimate_if_agreement_ignores_label_errors == pytest.approx(0.868)
    with pytest.raises(NotAnswerableError, match="more than two classes"):
        _ = true_accuracy(0.90, 0.96, 3).estimate_if_agreement_ignores_label_errors


def test_labels_at_chance_give_no_estimate_but_a_range():
    inputs, _, _ = case("independence-not-identifiable")
    found = true_accuracy(inputs["a_m"], inputs["a_g"])
    with pytest.raises(ValueError, match="guessing"):
        _ = found.estimate
    assert (found.low, found.high) == pytest.approx((0.4, 0.6))
    assert "no estimate" in str(found)


@pytest.mark.parametrize("name", [n for n in GOLDEN if n.startswith("rho-")])
def test_rho(name):
    inputs, expected, tolerance = case(name)
    found = true_accuracy(inputs["a_m"], inputs["a_g"], inputs["n_classes"]).at_rho(inputs["rho"])
    assert found == pytest.approx(np.atleast_1d(expected), abs=tolerance)


def test_overlap():
    inputs, expected, tolerance = case("overlap")
    found = true_accuracy(inputs["a_m"], inputs["a_g"])
    assert [found.at_overlap(o) for o in inputs["overlap"]] == pytest.approx(expected, abs=tolerance)


def test_standard_error():
    inputs, expected, tolerance = case("independence-se")
    found = true_accuracy(inputs["a_m"], inputs["a_g"], n=inputs["n_m"], n_reference=inputs["n_g"])
    assert found.estimate_interval.standard_error == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize(("name", "measure"), [("noisy-table-accuracy", "accuracy"), ("noisy-table-rk", "r_k")])
def test_bounds_from_the_law_of_label_and_truth(name, measure):
    inputs, expected, tolerance = case(name)
    found = noisy_bounds(inputs["table"], measure, label_truth=inputs["label_truth"])
    assert (found.low, found.high) == pytest.approx(expected, abs=tolerance)


def test_bounds_from_the_precision_of_each_label():
    inputs, expected, tolerance = case("noisy-per-label-reliability")
    found = noisy_bounds(inputs["table"], "accuracy", precision=inputs["reliability"])
    assert (found.low, found.high) == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("measure", ["recall", "f1"])
def test_bounds_from_the_accuracy_alone(measure):
    inputs, expected, tolerance = case(f"error-budget-{measure}")
    found = noisy_bounds(Table.of(inputs["table"], task="binary"), measure, reference_accuracy=inputs["a_g"])
    assert (found.low, found.high) == pytest.approx(expected, abs=tolerance)


def test_the_true_table():
    inputs, expected, tolerance = case("transition-inverse")
    for method, slack in (("inverse", tolerance), ("em", 1e-7)):
        found = true_table(inputs["table"], inputs["transition"], method=method)
        assert np.allclose(found.table.masses, expected, rtol=0, atol=slack)
        assert not found.refuted


def test_a_singular_transition_matrix():
    inputs, _, _ = case("transition-singular")
    with pytest.raises(ValueError, match="singular"):
        true_table(inputs["table"], inputs["transition"])


@pytest.mark.parametrize("name", ["pair-agreement-binary", "pair-agreement-five"])
def test_two_annotators(name):
    inputs, expected, tolerance = case(name)
    assert accuracy_from_pair(inputs["agreement"], inputs["n_classes"]) == pytest.approx(expected, abs=tolerance)


def test_two_annotators_without_independence():
    inputs, expected, tolerance = case("pair-agreement-range")
    assert mean_accuracy_range(inputs["agreement"]) == pytest.approx(expected, abs=tolerance)


def test_an_audited_subset():
    inputs, expected, tolerance = case("audited-subset")
    found = difference_estimate(inputs["noisy_agreement"], inputs["audit_correction"])
    assert (found.value, found.standard_error) == pytest.approx((expected["estimate"], expected["se"]), abs=tolerance)


def test_two_models_on_the_same_labels():
    inputs, expected, tolerance = case("paired-difference-0.9")
    observed = np.array(inputs["observed"])  # label, A, B
    found = difference_range(
        observed[0, 0, 1] + observed[1, 1, 0], observed[0, 1, 0] + observed[1, 0, 1], inputs["a_g"]
    )
    assert np.allclose(found, expected, rtol=0, atol=tolerance)


def test_dawid_skene_m_step():
    inputs, expected, tolerance = case("dawid-skene-m-step")
    votes = np.array([[-1 if v is None else v for v in row] for row in inputs["votes"]])
    prior, confusion = annotators_given_truth(Answers.of(votes), np.array(inputs["posteriors"]), smoothing=0)
    assert np.allclose(prior, expected["prior"], rtol=0, atol=tolerance)
    assert np.allclose(confusion[0], expected["confusion_0"], rtol=0, atol=tolerance)
    assert np.allclose(confusion[2], expected["confusion_2"], rtol=0, atol=tolerance)


def test_range_and_independence_of_the_same_numbers():
    inputs, expected, tolerance = case("case_range_and_independence")
    found = true_accuracy(inputs["measured_accuracy"], inputs["label_accuracy"], inputs["n_classes"])
    values = {"low": found.low, "high": found.high, "independent": found.estimate}
    assert values == pytest.approx(expected, abs=tolerance)


def test_known_share_on_which_both_are_wrong():
    inputs, expected, tolerance = case("case_known_both_wrong")
    found = true_accuracy(inputs["measured_accuracy"], inputs["label_accuracy"])
    for name, value in expected.items():
        overlap = min(float(name.removeprefix("b=")) / (1 - inputs["label_accuracy"]), 1.0)
        assert found.at_overlap(overlap) == pytest.approx(value, abs=tolerance)


def test_low_accuracies():
    inputs, expected, tolerance = case("case_low_accuracies")
    two, more = (true_accuracy(inputs["measured_accuracy"], inputs["label_accuracy"], k) for k in (2, 3))
    values = {"binary_low": two.low, "binary_high": two.high, "many_low": more.low, "many_high": more.high}
    assert values == pytest.approx(expected, abs=tolerance)


def test_percentages_are_told():
    with pytest.raises(InputError, match=r"Write 0\.9 for 90 %"):
        true_accuracy(90, 0.96)
