"""The test of label shift: it keeps its level where label shift holds, and finds what breaks it."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, Table, label_shift_test


def binary_sample(rng, n, prevalence, distance=1.0):
    y = (rng.random(n) < prevalence).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(np.where(y == 1, distance, -1.0), 1.0)))


def class_sample(rng, n, prior, sharp=1.0):
    y = rng.choice(len(prior), n, p=prior)
    z = sharp * rng.normal(0, 1, (n, len(prior))) + 1.5 * np.eye(len(prior))[y]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return y, e / e.sum(axis=1, keepdims=True)


def share_refuted(make, count):
    p_values = np.array([make(np.random.default_rng([7, i])).p_value for i in range(count)])
    return (p_values < 0.05).mean()


def of_binary(rng, distance=1.0, n=600):
    y, p = binary_sample(rng, n, 0.5)
    source = IndicatorMatrix(y, p, "binary", coupling="independent")
    return label_shift_test(source, binary_sample(rng, n, 0.15, distance)[1])


def of_classes(rng, sharp=1.0, n=800):
    y, p = class_sample(rng, n, [1 / 3] * 3)
    source = IndicatorMatrix(y, p, "multiclass", coupling="independent")
    return label_shift_test(source, class_sample(rng, n, [0.7, 0.2, 0.1], sharp)[1])


def of_soft(rng, n=800):
    y, p = class_sample(rng, n, [1 / 3] * 3)
    votes = np.stack([np.where(rng.random(n) < 0.8, y, rng.integers(0, 3, n)) for _ in range(5)])
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    # A share of votes is not the class: within a class of the votes the scores are a mixture of classes.
    return label_shift_test(
        IndicatorMatrix(shares, p, "multiclass", coupling="independent"), class_sample(rng, n, [1 / 3] * 3)[1]
    )


@pytest.mark.parametrize("make", [of_binary, of_classes, of_soft])
def test_the_level_is_kept_under_label_shift(make):
    assert share_refuted(make, 200) <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(("make", "change"), [(of_binary, {"distance": 2.5}), (of_classes, {"sharp": 0.5})])
def test_a_change_within_the_classes_is_found(make, change):
    assert share_refuted(lambda rng: make(rng, **change), 40) > 0.9


def test_labels_are_tested_one_by_one():
    rng = np.random.default_rng(1)
    (y1, p1), (y2, p2) = binary_sample(rng, 900, 0.5), binary_sample(rng, 900, 0.5)
    target = np.stack([binary_sample(rng, 900, 0.2)[1], binary_sample(rng, 900, 0.2, 2.5)[1]], axis=1)
    source = IndicatorMatrix(
        np.stack([y1, y2], axis=1), np.stack([p1, p2], axis=1), "multilabel", coupling="independent"
    )
    found = label_shift_test(source, target)
    fine, wrong = found.per_label
    assert fine.p_value > 0.05 > wrong.p_value
    assert found.p_value == min(1.0, 2 * wrong.p_value)
    assert str(found).startswith("label shift: refuted by the target's scores, p < 0.0001 (")
    assert (fine.bins, fine.degrees) == (10, 8)


def test_clusters_count_once():
    rng = np.random.default_rng(3)
    y, p = binary_sample(rng, 300, 0.5)
    target = binary_sample(rng, 2000, 0.3)[1]
    once = IndicatorMatrix(y, p, "binary", coupling="independent")
    groups = np.repeat(np.arange(300), 4)
    many = IndicatorMatrix(np.repeat(y, 4), np.repeat(p, 4), "binary", coupling="independent", clusters=groups)
    found = label_shift_test(many, target)
    assert found.statistic == pytest.approx(label_shift_test(once, target).statistic, rel=0.35)


def test_too_little_is_not_testable():
    source = IndicatorMatrix([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.6], "binary", coupling="independent")
    found = label_shift_test(source, [0.2, 0.8])
    assert np.isnan(found.p_value)
    assert "not testable" in found.verdict
    both = IndicatorMatrix([[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.6]], "multilabel", coupling="independent")
    assert np.isnan(label_shift_test(both, [[0.2, 0.8]]).p_value)


def test_decisions_cannot_be_tested():
    with pytest.raises(InputError, match="the test of label shift needs predicted probabilities but the source keeps"):
        label_shift_test(Table.of([[4, 1], [1, 4]]), [0, 1])
