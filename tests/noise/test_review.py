"""Suspects, what reviewing them would settle, and probability samples for review."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softtruth import (
    InputError,
    Interval,
    NotAnswerableError,
    audit_apply,
    audit_plan,
    ranking_is_robust,
    shared_errors,
    suspects,
    true_accuracy,
)
from softtruth.corrections.audit import difference_estimate
from softtruth.corrections.suspects import BIASED


def problem(seed, n=3000, k=4, wrong=0.06):
    """Return truth, labels of which some are wrong, and calibrated probabilities of a model."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(k, 0.25), n)
    truth = (shares.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, k - 1)
    label = np.where(rng.random(n) < wrong, (truth + rng.integers(1, k, n)) % k, truth)
    return truth, label, shares, rng


def test_wrong_labels_stand_first_and_probabilities_are_calibrated():
    truth, label, shares, _ = problem(0, n=20_000)
    found = suspects(label, shares, reference_accuracy=0.94)
    wrong = (label != truth)[found.order]
    assert wrong[:200].mean() > 5 * wrong.mean()
    assert found.probability.sum() == pytest.approx(wrong.sum(), rel=0.05)
    assert found.probability[found.order[:500]].sum() == pytest.approx(wrong[:500].sum(), rel=0.1)
    assert np.all(np.diff(found.score[found.order]) <= 0)


def test_votes_help():
    truth, label, shares, rng = problem(1)
    votes = np.where(rng.random((3000, 5)) < 0.8, truth[:, None], (truth[:, None] + rng.integers(1, 4, (3000, 5))) % 4)
    alone, together = suspects(label, shares), suspects(label, shares, votes=votes, reference_accuracy=0.94)
    wrong = label != truth
    first = int(wrong.sum())
    assert wrong[together.order[:first]].mean() > wrong[alone.order[:first]].mean() + 0.05
    assert together.reference_accuracy == pytest.approx(1 - wrong.mean(), abs=0.01)


def test_the_order_by_the_model_does_not_need_the_accuracy_of_the_labels():
    _, label, shares, _ = problem(2, n=500, k=2)
    alone = suspects(label, shares)
    assert np.array_equal(alone.order, suspects(label, shares, reference_accuracy=0.9).order)
    assert math.isnan(alone.first(1)[0].probability)
    with pytest.raises(NotAnswerableError, match="reference_accuracy"):
        alone.review_effect([10])


def test_reviewing_narrows_the_range_and_starts_at_the_sharp_one():
    truth, label, shares, _ = problem(3)
    found = suspects(label, shares, reference_accuracy=0.94)
    model = shares.argmax(axis=1)
    sizes = [0, 50, 200, 1000, 3000]
    effects = found.review_effect(sizes)
    sharp = true_accuracy(float((model == label).mean()), 0.94, 4)
    assert (effects[0].low, effects[0].high) == pytest.approx((sharp.low, sharp.high))
    widths = [e.high - e.low for e in effects]
    assert np.all(np.diff(widths) <= 1e-12)
    for effect in effects[1:]:  # what the review really would give contains the truth
        done = found.order[: effect.reviewed]
        mended = label.copy()
        mended[done] = truth[done]
        assert (mended != truth).sum() <= (label != truth).sum()
        assert effect.observed == pytest.approx((mended == model).mean(), abs=0.01)
        assert effect.low - 0.01 <= (model == truth).mean() <= effect.high + 0.01


def test_a_rate_that_is_not_certain_widens_the_range():
    _, label, shares, _ = problem(3, k=3)
    found = suspects(label, shares, reference_accuracy=0.94)
    sizes = [0, 50, 400, 3000]
    certain = found.review_effect(sizes)
    for rate in (Interval(0.94, 0.90, 0.97), Interval(0.94, math.nan, math.nan)):
        for one, other in zip(certain, found.review_effect(sizes, reference_accuracy=rate), strict=True):
            assert other.low <= one.low <= one.high <= other.high
            assert (other.found, other.observed) == (one.found, one.observed)


def test_a_model_that_is_too_sure_is_tempered():
    truth, label, shares, _ = problem(6, n=20_000)
    sure = shares**3 / (shares**3).sum(axis=1, keepdims=True)
    found = suspects(label, sure, reference_accuracy=0.94)
    wrong = (label != truth)[found.order]
    assert found.probability[found.order[:500]].sum() == pytest.approx(wrong[:500].sum(), rel=0.15)
    assert found.probability.sum() == pytest.approx(wrong.sum(), rel=0.1)


def test_decisions_in_place_of_probabilities():
    label, model = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 1])
    found = suspects(label, model, reference_accuracy=0.9)
    assert found.first(1)[0].item == 2
    assert "does not measure" in BIASED


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: suspects([0.5, 1], [0, 1]), "one class index"),
        (lambda: suspects([0, 1], [[0.5, 0.5]]), "a row for each of 2"),
        (lambda: suspects([0, 1], [[0, 0], [1, 0]]), "row of zeros"),
        (lambda: suspects([0, 3], [[1, 0], [1, 0]]), "2 classes"),
        (
            lambda: suspects([0, 1], [0.5, 0.5]),
            r"prediction has shape \(2,\), expected probabilities \(N, K\) or class",
        ),
        (lambda: difference_estimate([1.0], [0.0, 1.0]), "need at least two items each"),
        (lambda: audit_apply([0, 1], [0, 1], [0, 1], [0], stratum=[0, 0], sizes=[2]), "expected one length"),
        (lambda: suspects([0, 1], [0, 1], votes=[[0, 1]]), "1 items"),
        (lambda: audit_plan(10, 11), "from 2 to the 10 items"),
        (lambda: audit_plan(10, 8, scores=np.full(10, 2.0)), r"in \[0, 1\]"),
        (lambda: audit_apply([0, 1], [0, 1], [0], [0], stratum=[0], sizes=[2]), "biased"),
        (lambda: audit_apply([0, 1, 1], [0, 1, 0], [0, 1], [0, 1], stratum=[0, 0], sizes=[2]), "make up the 3 items"),
        (lambda: audit_apply([0, 1, 1], [0, 1, 0], [0, 0], [0, 1], stratum=[0, 0], sizes=[3]), "twice"),
    ],
)
def test_what_is_wrong_is_told(make, words):
    with pytest.raises(InputError, match=words):
        make()


@given(st.integers(8, 300), st.integers(0, 2**32 - 1), st.booleans())
def test_a_plan_has_its_size_and_its_weights_add_up(n, seed, scored):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, n + 1))
    plan = audit_plan(n, size, scores=rng.random(n) ** 3 if scored else None, seed=seed)
    assert len(plan.rows) == len(set(plan.rows)) == size
    assert (1 / plan.probability).sum() == pytest.approx(n)
    assert plan.sizes.sum() == n
    assert scored or np.array_equal(plan.rows, audit_plan(n, size, seed=seed).rows)


def test_a_full_review_gives_the_truth_itself():
    truth, label, shares, _ = problem(4, n=400)
    model = shares.argmax(axis=1)
    found = audit_apply(label, model, np.arange(400), truth, stratum=np.zeros(400, int), sizes=[400])
    assert found.reference_accuracy.value == pytest.approx((label == truth).mean())
    assert found.true_accuracy.value == pytest.approx((model == truth).mean())
    wrong = label != truth
    assert found.overlap == pytest.approx((model == label)[wrong].mean())


def test_a_review_without_errors_or_preference_tells_of_neither():
    label, model = np.array([0, 1, 1, 0, 1, 1]), np.array([0, 1, 0, 0, 1, 1])
    found = str(audit_apply(label, model, [0, 2, 5], label[[0, 2, 5]], stratum=[0, 0, 0], sizes=[6]))
    assert found.startswith("Reviewed 3 of 6 items.")
    assert "repeats" not in found
    assert "without weights" not in found


def test_an_audit_ends_where_shares_end():
    label = np.array([0, 1] * 50)
    rows = np.arange(20)
    found = audit_apply(label, label, rows, label[rows], stratum=np.zeros(20, int), sizes=[100])
    for interval in (found.reference_accuracy, found.true_accuracy):
        assert interval.value == interval.high == 1
        assert 0.8 < interval.low < 1
        assert interval.note == "cut where its range ends"
    estimate = true_accuracy(0.95, 0.96, n=30, n_reference=30)
    assert estimate.estimate_interval.high == estimate.interval.high == 1
    assert "cut where its range ends" in str(estimate)
    refuted = true_accuracy(0.98, 0.95, n=300, n_reference=300).estimate_interval
    assert refuted.high > refuted.value > 1  # a contradiction is shown and not cut


def test_few_answers_say_nothing_of_dependence_and_stay_in_its_range():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    votes = np.where(rng.random((60, 4)) < 0.95, truth[:, None], 1 - truth[:, None])
    found = shared_errors(votes, np.where(rng.random(60) < 0.8, truth, 1 - truth))
    assert -1 <= found.rho.low <= found.rho.high <= 1
    for share in (found.true_accuracy, found.overlap, found.place, found.annotators.interval):
        assert share.low >= 0
        assert share.high <= 1
    assert "rho, between -1 and 1: " in found.verdict


def test_models_keep_their_names_and_the_sign():
    label = np.zeros(100, int)
    worse, better = (label + (np.arange(100) < wrong) for wrong in (40, 5))
    said = str(ranking_is_robust(label, worse, better, 0.95, names=("old", "new")))
    assert said.startswith("Against the labels new is ahead of old by 0.3500 (old - new: -0.3500); ")
    assert "the true difference old - new lies between -0.3500 and -0.2500." in said


def test_weights_undo_the_preference_for_suspects():
    truth, label, shares, _ = problem(5, n=4000)
    model = shares.argmax(axis=1)
    score = suspects(label, shares, reference_accuracy=0.94).score
    values = []
    for seed in range(60):
        plan = audit_plan(4000, 200, scores=score, seed=seed)
        values.append(audit_apply(label, model, plan.rows, truth[plan.rows], stratum=plan.stratum, sizes=plan.sizes))
    labels = np.array([v.reference_accuracy.value for v in values])
    models = np.array([v.true_accuracy.value for v in values])
    naive = np.array([v.unweighted[0] for v in values])
    spread = labels.std() / math.sqrt(60)
    assert labels.mean() == pytest.approx((label == truth).mean(), abs=4 * spread)
    assert models.mean() == pytest.approx((model == truth).mean(), abs=4 * models.std() / math.sqrt(60))
    assert naive.mean() < labels.mean() - 0.02
    assert "suspicious items were preferred" in str(values[0])
    plain = [
        audit_apply(label, model, p.rows, truth[p.rows], stratum=p.stratum, sizes=p.sizes).true_accuracy.value
        for p in (audit_plan(4000, 200, seed=s) for s in range(60))
    ]
    assert models.std() < np.std(plain)  # suspects carry most of what there is to learn


def test_shares_that_are_crisp_are_classes():
    truth, label, shares, rng = problem(5, n=400)
    model, plan = shares.argmax(axis=1), audit_plan(400, 60, scores=rng.random(400))
    given = {"stratum": plan.stratum, "sizes": plan.sizes}
    found = audit_apply(label, model, plan.rows, truth[plan.rows], **given)
    assert audit_apply(np.eye(4)[label], model, plan.rows, truth[plan.rows], **given) == found


def test_tied_classes_share_an_item():
    tied = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    model, truth = [0, 0, 0, 2], [1, 0, 0, 2]
    found = audit_apply(tied, model, range(4), truth, stratum=[0] * 4, sizes=[4])
    assert found.observed == 0.625  # 0.5 + 1 + 0 + 1
    assert found.reference_accuracy.value == 0.625  # 0.5 + 1 + 0 + 1
    assert found.true_accuracy.value == 0.75
    assert found.overlap == pytest.approx(0.5 / 1.5)  # of the mass that is wrong, what the model says too
    with pytest.raises(InputError, match=r"reference has shape \(4, 3\) and prediction \(3,\)"):
        audit_apply(tied, model[:3], range(4), truth, stratum=[0] * 4, sizes=[4])
