"""Annotators: their accuracies, the truth behind their answers, copiers, and where the true accuracy lies."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softtruth import (
    Answers,
    InputError,
    NotAnswerableError,
    dawid_skene,
    reference_accuracy_from_annotators,
    shared_errors,
)
from softtruth.annotations.annotator_accuracy import (
    accuracies_from_agreement,
    accuracy_from_pair,
    accuracy_from_triple,
    majority_accuracy,
    pairwise,
)
from softtruth.annotations.annotators_and_model import annotators_and_model
from softtruth.annotations.copiers import find_copiers, shared_difficulty
from softtruth.annotations.dawid_skene import annotators_given_truth, truth_given_annotators

seeds = st.integers(0, 2**32 - 1)


def answers_to(truth, accuracy, k, rng):
    """Return votes (N, R) that are right with these chances and wrong evenly."""
    accuracy = np.broadcast_to(accuracy, (len(truth), np.shape(accuracy)[-1]))
    wrong = (truth[:, None] + rng.integers(1, k, accuracy.shape)) % k
    return np.where(rng.random(accuracy.shape) < accuracy, truth[:, None], wrong)


def test_answers_from_a_matrix_and_from_rows_are_the_same():
    matrix = np.array([[0, 2, -1], [1, -1, 1]])
    one = Answers.of(matrix)
    item, annotator = np.nonzero(matrix >= 0)
    other = Answers.long(item, annotator, matrix[item, annotator], classes=[0, 1, 2])
    assert np.array_equal(one.counts, other.counts)
    assert np.array_equal(one.indicator.toarray(), other.indicator.toarray())
    assert np.array_equal(Answers.of(np.where(matrix < 0, np.nan, matrix)).counts, one.counts)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Answers.of([0, 1]), "N items, R annotators"),
        (lambda: Answers.of([[0, 0.5]]), "class indices"),
        (lambda: Answers.of([[0, 3]], n_classes=2), "name class 3"),
        (lambda: Answers.long([1, 1], ["a", "a"], [0, 1]), "more than once"),
        (lambda: Answers.long([1, 2], ["a", "b"], ["x", "y"], classes=["x"]), "declared"),
        (lambda: reference_accuracy_from_annotators([[0], [1]]), "no item has two answers"),
        (lambda: reference_accuracy_from_annotators([[0, 1], [1, 0], [0, 1]], method="pairs"), "below 0.5"),
        (lambda: reference_accuracy_from_annotators([[0, 1], [1, 1]], method="majority"), "expected one of"),
        (lambda: shared_errors([[0, 1], [1, 1]], [0, 2]), "from 0 to 1"),
    ],
)
def test_what_is_wrong_is_told(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_dawid_skene_by_enumeration():
    """The E step against Bayes' rule spelled out, and a likelihood that never falls."""
    rng = np.random.default_rng(0)
    votes = answers_to(rng.integers(0, 3, 60), [0.8, 0.7, 0.6, 0.75], 3, rng)
    votes[rng.random(votes.shape) < 0.2] = -1
    found = dawid_skene(votes, 3)
    assert found.converged
    assert np.all(np.diff(found.log_likelihood) > -1e-9)
    posterior, likelihood = truth_given_annotators(found.answers, found.prior, found.confusion)
    whole = 0.0
    for row, expected in zip(votes, posterior, strict=True):
        joint = found.prior.copy()
        for r, v in enumerate(row):
            if v >= 0:
                joint = joint * found.confusion[r, :, v]
        whole += np.log(joint.sum())
        assert np.allclose(expected, joint / joint.sum(), atol=1e-12)
    assert likelihood == pytest.approx(whole, abs=1e-9)


def test_dawid_skene_finds_the_annotators_and_hundreds_of_answers_do_not_underflow():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 400)
    accuracy = np.linspace(0.4, 0.9, 600)
    found = dawid_skene(answers_to(truth, accuracy, 3, rng))
    assert np.array_equal(found.label, truth)
    assert np.abs(found.annotator_accuracy - accuracy).max() < 0.12
    assert np.isfinite(found.log_likelihood[-1])


def test_items_without_answers_keep_the_prior():
    found = dawid_skene([[0, 0], [1, 1], [-1, -1], [0, 0]])
    assert np.allclose(found.posterior[2], found.prior)


def test_an_impossible_answer_is_no_accident():
    answers = Answers.of([[0, 1], [1, 1]])
    posterior, _ = truth_given_annotators(answers, np.array([0.5, 0.5]), np.array([np.eye(2), [[0.5, 0.5]] * 2]))
    assert np.allclose(posterior, [[1, 0], [0, 1]])


@given(seeds, st.sampled_from([2, 3, 5]))
def test_pairs_and_triples_undo_what_they_assume(seed, k):
    g = np.random.default_rng(seed).uniform(1 / k + 0.05, 0.99, 3)
    agree = [a * b + (1 - a) * (1 - b) / (k - 1) for a, b in itertools.combinations(g, 2)]
    assert np.allclose(accuracy_from_triple(agree, k), g)
    assert accuracy_from_pair(g[0] ** 2 + (1 - g[0]) ** 2 / (k - 1), k) == pytest.approx(g[0])


def test_agreement_of_many_finds_each_accuracy():
    rng = np.random.default_rng(2)
    accuracy = np.array([0.9, 0.8, 0.7, 0.6, 0.85])
    answers = Answers.of(answers_to(rng.integers(0, 4, 40_000), accuracy, 4, rng))
    assert np.abs(accuracies_from_agreement(answers) - accuracy).max() < 0.01
    three = answers.where(answers.annotator < 3)
    shared, agreed = pairwise(three)
    pairs = (agreed / np.maximum(shared, 1))[[0, 0, 1], [1, 2, 2]]
    assert np.allclose(accuracies_from_agreement(three)[:3], accuracy_from_triple(pairs, 4))


@given(st.floats(0, 1), st.integers(1, 7), st.sampled_from([2, 3, 4]))
def test_the_majority_by_enumeration(g, r, k):
    expected = 0.0
    for votes in itertools.product(range(k), repeat=r) if k**r < 3000 else []:
        counts = np.bincount(votes, minlength=k)
        chance = np.prod([g if v == 0 else (1 - g) / (k - 1) for v in votes])
        expected += chance * (counts[0] == counts.max()) / (counts == counts.max()).sum()
    if k**r < 3000:
        assert float(majority_accuracy(g, r, k)) == pytest.approx(expected, abs=1e-12)


def test_honest_annotators_raise_no_warning_and_are_estimated_right():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 4000)
    votes = answers_to(truth, [0.8, 0.8, 0.8, 0.8, 0.8], 2, rng)
    majority = (votes.mean(axis=1) > 0.5).astype(int)
    for method in ("pairs", "triples", "dawid_skene"):
        found = reference_accuracy_from_annotators(votes, method=method)
        assert not found.findings
        assert (majority == truth).mean() == pytest.approx(found.value, abs=0.012)
        assert 0.8 in found.one_answer
        assert not found.refuted
    assert reference_accuracy_from_annotators(votes, reference=majority).value == pytest.approx(found.value)


def test_copiers_are_named_and_others_are_not():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 800)
    votes = answers_to(truth, np.full(12, 0.75), 3, rng)
    for copier in (5, 9):
        copied = rng.random(800) < 0.9
        votes[copied, copier] = votes[copied, 2]
    (group,) = find_copiers(Answers.of(votes))
    assert group.annotators == (2, 5, 9)
    found = reference_accuracy_from_annotators(votes)
    assert any("copy each other" in words for words in found.findings)
    assert found.without_copiers.truth.answers.n_annotators == 12  # two of them without answers
    assert not found.without_copiers.copiers
    assert "see the findings" in str(found)


def test_shared_difficulty_is_seen():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 2000)
    hard = np.where(rng.random((2000, 1)) < 0.25, 0.45, 0.92)
    seen = shared_difficulty(dawid_skene(answers_to(truth, np.repeat(hard, 9, axis=1), 2, rng)))
    even = shared_difficulty(dawid_skene(answers_to(truth, np.full(9, 0.8), 2, rng)))
    assert seen.present
    assert not even.present
    assert seen.correlation > 0.02 > even.correlation


def test_an_estimate_above_what_any_truth_allows_is_refuted():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 3000)
    hard = np.where(rng.random((3000, 1)) < 0.4, 0.5, 1.0)
    found = reference_accuracy_from_annotators(answers_to(truth, np.repeat(hard, 15, axis=1), 2, rng), method="pairs")
    assert found.one_answer.value > found.without_independence[1]
    assert found.refuted


def test_annotators_below_chance_and_switched_classes():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 1000)
    found = dawid_skene(answers_to(truth, [0.9, 0.85, 0.8, 0.2], 2, rng))
    assert found.worse_than_chance == (3,)
    switched = reference_accuracy_from_annotators(
        Answers.of(
            np.concatenate([answers_to(truth, [0.9, 0.9], 2, rng), answers_to(truth, [0.1] * 3, 2, rng)], axis=1)
        )
    )
    assert any("guessing" in words for words in switched.findings)


@pytest.mark.parametrize(("hard", "independent"), [(0.0, True), (0.35, False)])
def test_where_between_the_ends(hard, independent):
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 6000)
    is_hard = rng.random((6000, 1)) < hard
    votes = answers_to(truth, np.repeat(np.where(is_hard, 0.6, 0.88), 5, axis=1), 2, rng)
    model = answers_to(truth, np.where(is_hard, 0.5, 0.9), 2, rng)[:, 0]
    found = shared_errors(votes, model)
    true = (model == truth).mean()
    assert found.independent is independent
    assert found.low <= found.true_accuracy.value <= found.high
    assert found.true_accuracy.value == pytest.approx(true, abs=0.05)  # what is left of shared difficulty pulls it down
    assert found.checks[0].speaks is not independent
    assert ("tenable" in found.verdict) is independent
    assert len(found.checks) == 5
    assert found.to_dict()["checks"][1]["speaks"] is None  # with two classes it cannot be told


def test_a_model_that_wrote_an_annotators_answers_is_found():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 3, 4000)
    votes, model = answers_to(truth, [0.75] * 6, 3, rng), answers_to(truth, [0.8], 3, rng)[:, 0]
    votes[:, 2] = np.where(rng.random(4000) < 0.8, model, votes[:, 2])
    found = shared_errors(votes, model)
    machine = next(c for c in found.checks if c.name == "Labels made by a model")
    assert machine.speaks
    assert "2 repeat" in machine.words


def test_common_biases_and_hard_classes_are_found():
    rng = np.random.default_rng(10)
    k, n = 6, 5000
    truth = rng.integers(0, k, n)
    hard = np.linspace(0.95, 0.6, k)[truth][:, None]
    trap = rng.integers(1, k, (n, 1))  # each item has a class that it is taken for
    votes = np.where(rng.random((n, 5)) < hard, truth[:, None], (truth[:, None] + trap) % k)
    model = np.where(rng.random(n) < hard[:, 0], truth, (truth + trap[:, 0]) % k)
    found = {c.name: c for c in shared_errors(votes, model).checks}
    assert found["The model has the biases of the annotators"].speaks
    assert found["Many ways to be wrong"].speaks
    assert found["Classes that are hard for anybody"].speaks


def test_three_answers_determine_the_truth_within_each_predicted_class():
    rng = np.random.default_rng(11)
    truth = (rng.random(20_000) < 0.4).astype(int)
    votes, model = answers_to(truth, [0.9, 0.85, 0.8], 2, rng), answers_to(truth, [0.85], 2, rng)[:, 0]
    answers = Answers.of(votes)
    found = annotators_and_model(answers, model, dawid_skene(answers).posterior)
    assert found.converged
    assert found.posterior[np.arange(20_000), model].mean() == pytest.approx((model == truth).mean(), abs=0.01)
    assert np.abs(found.confusion[0].diagonal(axis1=1, axis2=2) - [[0.9], [0.85], [0.8]]).max() < 0.02


@pytest.mark.parametrize("k", [2, 4])
def test_labels_of_another_origin_are_judged_without_bias(k):
    rng = np.random.default_rng(12)
    truth = rng.integers(0, k, 4000)
    hard = rng.random((4000, 1)) < 0.2
    votes = answers_to(truth, np.full(5, 0.78), k, rng)
    label, model = (answers_to(truth, np.where(hard, 0.6, right), k, rng)[:, 0] for right in (0.96, 0.9))
    found = shared_errors(votes, model, reference=label)
    right, said = label == truth, model == truth
    assert found.reference_accuracy == pytest.approx(right.mean(), abs=0.02)
    assert found.annotators.value == pytest.approx(right.mean(), abs=0.02)
    assert found.true_accuracy.value == pytest.approx(said.mean(), abs=0.02)
    assert found.overlap.value == pytest.approx((model == label)[~right].mean(), abs=0.1)


def test_smoothing_keeps_every_answer_possible():
    answers = Answers.of([[0, 0], [1, 1], [0, 1]])
    _, confusion = annotators_given_truth(answers, np.eye(2)[[0, 1, 0]])
    assert (confusion > 0).all()
    with pytest.raises(InputError, match="smoothing"):
        dawid_skene([[0, 1]], smoothing=-1)
    plain = dawid_skene([[0, 0, 0], [1, 1, 1], [0, 0, -1]], smoothing=0)
    assert np.isfinite(plain.posterior).all()
    assert np.all(np.diff(plain.log_likelihood) > -1e-9)


def test_two_answers_to_an_item_are_too_few_to_tell_and_it_says_so():
    rng = np.random.default_rng(13)
    truth = rng.integers(0, 2, 300)
    found = shared_errors(answers_to(truth, [0.8, 0.8], 2, rng), truth)
    assert "Only 0 % of the items have 3 answers" in str(found)


def test_fewer_than_three_annotators_have_no_triple():
    with pytest.raises(NotAnswerableError, match="use pairs"):
        accuracies_from_agreement(Answers.of([[0, 1], [1, 1]]))
