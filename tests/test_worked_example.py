"""The worked example of soft labels: five annotators, 400 examples, a score; every number that is stated for it."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, marginal_defect
from softtruth.tnorms import hamacher


@pytest.fixture(scope="module")
def example():
    """Votes of five annotators who are right four times in five, and a score that mostly follows the truth."""
    rng = np.random.default_rng(0)
    truth = (rng.random(400) < 0.3).astype(int)
    right = rng.random((400, 5)) < 0.8
    share = np.where(right, truth[:, None], 1 - truth[:, None]).mean(axis=1)
    score = np.clip(0.55 * truth + 0.45 * rng.random(400), 0, 1)
    return share, score


def test_soft_f1(example):
    im = IndicatorMatrix(*example, task="binary", tnorm="product")
    assert round(im.compute("f1", "micro"), 4) == 0.5331


def test_hard_f1(example):
    share, score = example
    hard = IndicatorMatrix((share > 0.5).astype(int), score, task="binary")
    assert round(hard.compute("f1"), 3) == 0.892
    assert hard.counts == (95, 10, 13, 282)


@pytest.mark.parametrize(
    ("tnorm", "positives", "f1", "defect"),
    [("product", 137.60, 0.533, 0.0), ("godel", 187.62, 0.561, 0.5), ("lukasiewicz", 87.58, 0.627, 0.5)],
)
def test_what_each_tnorm_makes_of_it(example, tnorm, positives, f1, defect):
    im = IndicatorMatrix(*example, task="binary", tnorm=tnorm)
    assert round(im.counts.tp + im.counts.fn, 2) == positives
    assert round(im.compute("f1"), 3) == f1
    assert marginal_defect(tnorm) == defect


def test_the_product_keeps_the_positives_of_the_reference(example):
    share, score = example
    assert share.sum() == pytest.approx(137.6)
    counts = IndicatorMatrix(share, score, task="binary", tnorm="product").counts
    assert counts.tp + counts.fn == pytest.approx(share.sum(), rel=1e-14)


def test_a_share_and_a_score_meet_in_all_four_cells():
    """A score of 0.6 against a share of 0.8 has 0.48 in common."""
    assert IndicatorMatrix([0.8], [0.6], task="binary", tnorm="product").counts == pytest.approx(
        (0.48, 0.12, 0.32, 0.08)
    )


def test_the_cells_are_ordered_by_the_tnorms_and_their_ratio_is_not(example):
    cells, f1 = [], []
    for tnorm in ("lukasiewicz", "product", "godel"):
        im = IndicatorMatrix(*example, task="binary", tnorm=tnorm)
        cells.append(im.counts)
        f1.append(im.compute("f1"))
    assert (np.diff(cells, axis=0) > 0).all()
    assert f1 != sorted(f1)
    assert f1 != sorted(f1, reverse=True)


def test_the_hamacher_family(example):
    assert marginal_defect(hamacher(1.0)) == 0.0
    assert round(marginal_defect(hamacher(2.0)), 3) == 0.101
    im = IndicatorMatrix(*example, task="binary", tnorm=hamacher(2.0))
    assert 0 < im.compute("f1") < 1
    same = IndicatorMatrix(*example, task="binary", tnorm=hamacher(1.0))
    assert same.compute("f1") == IndicatorMatrix(*example, task="binary", tnorm="product").compute("f1")


def test_several_labels_with_one_value_per_example():
    rng = np.random.default_rng(1)
    reference, prediction = rng.random((50, 4)), rng.random((50, 4))
    im = IndicatorMatrix(reference, prediction, task="multilabel", tnorm="product")
    tp = (reference * prediction).sum(axis=1)
    expected = np.mean(2 * tp / (reference.sum(axis=1) + prediction.sum(axis=1)))
    assert im.compute("f1", "exemplar") == pytest.approx(expected, rel=1e-12)


def test_a_hard_label_is_a_soft_one():
    rng = np.random.default_rng(2)
    hard, score = rng.integers(0, 2, 60), rng.random(60)
    found = {
        name: IndicatorMatrix(reference, score, task="binary", tnorm=name).compute("f1")
        for name in ("product", "godel", "lukasiewicz")
        for reference in (hard, hard.astype(float))
    }
    assert max(found.values()) == pytest.approx(min(found.values()), rel=1e-12)


def test_without_a_tnorm_probabilities_are_cut_at_the_threshold():
    reference, score = [1, 0, 1, 0], [0.9, 0.4, 0.5, 0.6]
    assert IndicatorMatrix(reference, score, task="binary").counts == (1, 1, 1, 1)
    assert IndicatorMatrix(reference, score, task="binary", threshold=0.4).counts == (2, 1, 0, 1)
    rows = [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]
    assert IndicatorMatrix([1, 1], rows).table.masses.tolist() == [[0, 0, 0], [1, 1, 0], [0, 0, 0]]
