"""What label noise refuses, sentence by sentence, and the ways through it that few data take."""

import math
from dataclasses import replace

import numpy as np
import pytest

from softtruth import (
    InputError,
    Interval,
    NotAnswerableError,
    Table,
    noisy_bounds,
    parse,
    ranking_is_robust,
    reference_accuracy_from_annotators,
    shared_errors,
    suspects,
    true_accuracy,
    true_table,
)
from softtruth.conventions import Convention
from softtruth.corrections.annotator_findings import annotator_findings
from softtruth.corrections.error_budget import Budget, programme_of
from softtruth.corrections.jackknife import jackknife
from softtruth.corrections.share import Share
from softtruth.corrections.sharp_range import (
    accuracy_at_overlap,
    accuracy_at_rho,
    checked_classes,
    checked_share,
    coincidence_of,
    overlap_range,
)
from softtruth.corrections.two_class_search import two_class_extremes

TABLE = [[40, 6, 4], [5, 20, 2], [3, 4, 16]]
UNSURE = Interval(0.9, math.nan, math.nan, 0.95)
MEASURED = Interval(0.9, 0.88, 0.92, 0.95, standard_error=0.01)
VOTES = np.random.default_rng(0).integers(0, 2, (30, 3))


def nothing_of(n, clusters=None):
    return jackknife(lambda _: np.zeros(1), n, clusters, level=0.95)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: true_accuracy("high", 0.9), "observed is 'high', expected a number"),
        (lambda: checked_share("half", "overlap"), "overlap is 'half', expected a number between 0 and 1"),
        (lambda: checked_classes(2.5), "n_classes is 2.5, expected a whole number of at least 2"),
        (lambda: coincidence_of(2, 0.5), "with two classes two wrong answers are always the same"),
        (lambda: accuracy_at_rho(0.9, 0.95, 2), "rho is 2, expected a number between -1 and 1"),
        (lambda: accuracy_at_overlap(0.3, 0.5, 0.7), "label errors of 0.5 it lies between 0 and 0.6"),
        (lambda: true_accuracy(MEASURED, 0.95, n=100), "has its own sampling error; leave out the size"),
        (lambda: Share.of(0.9, -5, "observed"), "expected a positive number"),
        (lambda: nothing_of(3, [0, 1]), "expected one cluster for each of the 3 items"),
        (lambda: nothing_of(1), "there is one item, and an interval needs at least two"),
        (lambda: nothing_of(2, [4, 4]), "there is one cluster"),
        (lambda: noisy_bounds(TABLE, label_truth=np.eye(2)), r"label_truth has shape \(2, 2\), expected \(3, 3\)"),
        (lambda: noisy_bounds(TABLE, label_truth=-np.eye(3)), "negative or infinite masses, or none"),
        (lambda: noisy_bounds(TABLE, "macro mcc", reference_accuracy=0.9), "macro mcc is not known for 3 classes"),
        (lambda: true_table(np.ones((2, 3, 3)), np.eye(3)), "expected one table K x K"),
        (lambda: true_table(np.zeros((3, 3)), np.eye(3)), "the table is empty"),
        (lambda: true_table(TABLE, np.eye(2)), r"transition has shape \(2, 2\), expected \(3, 3\)"),
        (lambda: true_table(TABLE, np.eye(3), reference_accuracy=0.9), "and not both"),
        (lambda: true_table(TABLE, np.eye(3), method="guess"), "method is 'guess', expected one of"),
        (lambda: true_table(TABLE, np.eye(3), method="em").interval("accuracy"), "only the raw table"),
        (lambda: ranking_is_robust([0, 1], [0, 1, 1], [0, 1], 0.9), "prediction_a has shape"),
        (lambda: ranking_is_robust([0, 1, 2], [0, 1, 2], [0, 1, 1], 0.9, 2), "n_classes is 2, but 3 classes occur"),
        (lambda: suspects([0, 1], [[0.5, -0.5], [0.2, 0.8]]), "negative or infinite values, or a row of zeros"),
        (lambda: reference_accuracy_from_annotators(VOTES, method="guess"), "method is 'guess', expected one of"),
        (lambda: shared_errors([[-1, -1], [-1, -1]], [0, 1]), "no item has two answers"),
        (
            lambda: reference_accuracy_from_annotators(VOTES, reference=np.zeros(30, int), method="pairs"),
            "method 'pairs' judges the annotators, not labels of another origin",
        ),
    ],
)  # fmt: skip
def test_refused(call, words):
    with pytest.raises((InputError, NotAnswerableError), match=words):
        call()


def test_a_share_without_an_error_counts_as_known():
    assert Share.of(UNSURE, None, "observed") == Share(0.9)
    assert true_accuracy(UNSURE, 0.95).interval.low == true_accuracy(0.9, 0.95).low


def test_labels_that_are_never_wrong_overlap_anywhere():
    assert overlap_range(0.9, 1.0) == (0.0, 1.0)


def test_a_measure_of_very_many_classes_is_refused_but_accuracy_is_not():
    table = Table.of(np.eye(65) * 9 + 1)
    with pytest.raises(NotAnswerableError, match="65 classes needs a programme with 65\\^3 unknowns"):
        noisy_bounds(table, "cohen_kappa", reference_accuracy=0.9)
    assert noisy_bounds(table, "accuracy", reference_accuracy=0.9).low < 0.2


def test_micro_measures_of_more_classes_are_ratios_of_the_true_table():
    """Pooled over exclusive classes, precision, recall and f1 are accuracy."""
    accuracy = noisy_bounds(TABLE, "accuracy", reference_accuracy=0.9)
    for name in ("micro f1", "micro precision", "micro recall"):
        found = noisy_bounds(TABLE, name, reference_accuracy=0.9)
        assert (found.low, found.high) == pytest.approx((accuracy.low, accuracy.high))
    balanced = noisy_bounds(TABLE, "multiclass_balanced_accuracy", precision=[0.9, 0.9, 0.9])
    assert balanced.low < balanced.high
    assert programme_of(parse("micro mcc"), Table.of(TABLE), Budget(0.9)) is None
    binary = Table.of([[50, 5], [5, 40]])
    kappa = noisy_bounds([[50, 5], [5, 40]], "kappa", reference_accuracy=0.95)
    assert kappa.low < parse("cohen_kappa")(binary) < kappa.high


def test_a_binary_search_where_more_labels_are_wrong_than_there_are():
    table = Table(np.array([[50.0, 5.0], [5.0, 40.0]]), task="binary")
    low, high = two_class_extremes(parse("mcc"), table, 0.95, Convention.EXCLUDE)
    assert low < high <= 1


def test_a_measure_that_no_truth_defines_has_no_range():
    found = noisy_bounds([[50, 0], [50, 0]], "mcc", reference_accuracy=0.9)  # all items are predicted alike
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_labels_thrown_by_a_coin_say_nothing_of_a_model_independent_of_them():
    with pytest.raises(NotAnswerableError, match="at rho 0 every true accuracy from 0 to 1 fits"):
        accuracy_at_rho(0.5, 0.5, 0)
    assert accuracy_at_rho(0.6, 0.5, 0) == ()
    assert str(accuracy_at_rho(0.0, 1.0, -1.0, 3)) == "(0.0,)"
    assert accuracy_at_rho(0.5, 0.5, 0.5)


def test_classes_of_which_none_is_harder_speak_of_nothing():
    truth = np.repeat(np.arange(5), 40)
    found = shared_errors(np.repeat(truth[:, None], 3, axis=1), truth)
    words = {check.name: check.words for check in found.checks}
    assert words["Classes that are hard for anybody"] == "cannot be told: all classes are equally hard."


def test_the_verdict_on_independence_has_a_side():
    truth = np.repeat(np.arange(2), 60)
    votes = np.where(np.arange(120)[:, None] % 10 == np.arange(5), 1 - truth[:, None], truth[:, None])
    found = shared_errors(votes, np.where(np.arange(120) % 7, truth, 1 - truth))
    for low, words in (
        (-0.7, "errors avoid each other, and the truth is higher"),
        (0.3, "errors go together, and the"),
    ):
        rho = Interval(low + 0.2, low, low + 0.4, 0.95)
        assert words in replace(found, rho=rho).verdict


def test_rates_of_wrong_labels_give_the_joint_law_of_label_and_truth():
    """Half of the labels are of either class: 0.9 s + 0.2 (1 - s) = 0.5, so that the first has 3/7 of the truth."""
    table = [[40, 10], [5, 45]]
    joint = np.array([[0.9 * 3, 0.2 * 4], [0.1 * 3, 0.8 * 4]]) / 7
    for name in ("accuracy", "f1", "mcc"):
        rates = noisy_bounds(table, name, transition=[[0.9, 0.1], [0.2, 0.8]])
        known = noisy_bounds(table, name, label_truth=joint)
        assert (rates.low, rates.high) == pytest.approx((known.low, known.high))


def test_a_fit_that_was_stopped_is_found():
    found = reference_accuracy_from_annotators(VOTES)
    assert "The fit of the annotators had not settled when it was stopped." not in found.findings
    stopped = annotator_findings(replace(found.truth, converged=False), found.copiers, found.difficulty, None)
    assert stopped[-1] == "The fit of the annotators had not settled when it was stopped."


def test_many_who_answer_little_and_wrong_may_have_the_classes_switched():
    truth = np.random.default_rng(3).integers(0, 2, 300)
    right = np.where(np.random.default_rng(4).random((300, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    wrong = np.where(np.arange(300)[:, None] // 60 == np.arange(5), 1 - truth[:, None], -1)
    found = reference_accuracy_from_annotators(np.concatenate([right, wrong], axis=1))
    assert len(found.truth.worse_than_chance) == 5
    assert "the classes may be switched" in " ".join(found.findings)


def test_two_annotators_of_whom_one_skipped_items():
    answers = np.array([[0, 0], [1, 1], [0, 1], [1, -1], [0, 0], [1, 1], [1, 1], [0, -1]])
    whole = reference_accuracy_from_annotators(answers[(answers >= 0).all(axis=1)], method="pairs")
    part = reference_accuracy_from_annotators(answers, method="pairs")
    assert part.one_answer.value == whole.one_answer.value
    assert part.without_independence != whole.without_independence


def test_two_models_that_are_level_or_whose_order_is_turned_the_other_way():
    y = np.repeat([0, 1], 50)
    worse, best = np.where(np.arange(100) % 5, y, 1 - y), y.copy()
    level = ranking_is_robust(y, worse, worse, 0.95)
    assert "A and B are level" in str(level)
    assert math.isnan(level.enough_reference_accuracy)
    behind = ranking_is_robust(y, worse, best, 0.6)
    assert "B is ahead of A by 0.2000 (A - B: -0.2000)" in str(behind)
    assert "Label errors could turn this order; they could not if more than 0.9 of the labels" in str(behind)


def test_an_order_that_labels_cannot_turn_may_still_be_chance():
    y = np.arange(40) % 2
    found = ranking_is_robust(y, np.where(np.arange(40) < 4, 1 - y, y), np.where(np.arange(40) < 5, 1 - y, y), 1.0)
    assert found.robust
    assert "Label errors cannot turn this order.\nSampling error could: with it the difference lies" in str(found)


def test_annotators_who_agree_more_than_any_accuracy_allows_refute_it():
    """The first agrees with both others always, who agree with each other on 6 of 10: 1 x 1 / 0.2 is more than one."""
    answers = np.array([[0, 0, -1]] * 60 + [[1, -1, 1]] * 60 + [[-1, 0, 0]] * 6 + [[-1, 0, 1]] * 4)
    found = reference_accuracy_from_annotators(answers, method="triples")
    assert found.one_answer.value > 1
    assert found.interval.value == found.one_answer.value
    assert found.refuted


def test_where_between_the_ends():
    found = true_accuracy(0.9, 0.96)
    assert [found.place(x) for x in (0.86, 0.9, 0.94)] == pytest.approx([0, 0.5, 1])
    assert math.isnan(true_accuracy(0.9, 1.0).place(0.9))


def test_em_that_was_stopped_says_so():
    found = true_table(TABLE, np.eye(3) * 0.7 + 0.1, method="em", max_steps=2)
    assert found.note.endswith("EM was stopped after 2 steps")
    assert found.table.masses.sum() == pytest.approx(100)


def test_findings_without_an_estimate_are_json_too():
    found = true_accuracy(0.5, 0.5).to_dict()
    assert found["estimate"] is None


def test_a_measure_that_does_not_move_one_way_is_searched():
    found = noisy_bounds([[50, 5], [5, 40]], "mutual_information", reference_accuracy=0.95)
    assert 0 <= found.low < found.high <= math.log(2)


def test_a_true_accuracy_without_an_interval_says_why():
    truth = np.repeat(np.arange(2), 60)
    votes = np.where(np.arange(120)[:, None] % 10 == np.arange(5), 1 - truth[:, None], truth[:, None])
    found = shared_errors(votes, truth)
    alone = Interval(0.9, np.nan, np.nan, 0.95, note="one item only")
    assert f"True accuracy {alone}, " in str(replace(found, true_accuracy=alone))
    assert "one item only" in str(alone)
