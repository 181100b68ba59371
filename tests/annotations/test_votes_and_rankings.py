"""Votes and rankings to distributions: values by hand, and promises against enumeration or the law of the draws."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softtruth import IndicatorMatrix, suspects, true_accuracy
from softtruth.annotations import (
    Answers,
    Rankings,
    average_overlap,
    dirichlet_samples,
    distribution_samples,
    distribution_variance,
    distributions,
    inverse_rank_normalization,
    irn_samples,
    partial_average_overlap,
    reader_overlap,
    vote_counts,
)
from softtruth.annotations.converted import convert
from softtruth.errors import InputError
from softtruth.inputs.settings import Settings

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "annotations.json").read_text())


def golden(name):
    return GOLDEN[name]["inputs"], GOLDEN[name]["expected"]


def test_the_package_is_not_hidden_by_a_feature_of_the_language():
    words = "from softtruth import annotations; annotations.distributions([[1, 1]])"
    assert subprocess.run([sys.executable, "-c", words], check=False, capture_output=True).stderr == b""


# --- votes ----------------------------------------------------------------------------------------------------------


def test_smoothed_shares():
    inputs, expected = golden("votes-smoothing")
    np.testing.assert_allclose(distributions(inputs["counts"], smoothing=inputs["alpha"]), expected, atol=1e-15)


def test_an_item_without_votes_is_refused_or_nan():
    inputs, _ = golden("votes-empty")
    counts = vote_counts(inputs["votes"], inputs["n_classes"])
    with pytest.raises(ValueError, match="counts row 0 has no votes"):
        distributions(counts)
    assert np.isnan(distributions(counts, empty="nan")).all()


def test_votes_with_gaps():
    inputs, expected = golden("case votes with gaps")
    counts = vote_counts(inputs["votes"], inputs["n_classes"])
    shares = distributions(counts, empty="nan")
    np.testing.assert_allclose(shares[:3], [[2 / 3, 1 / 3, 0], [0, 0, 1], [0, 0.5, 0.5]])
    assert np.isnan(shares[3]).all()
    im = IndicatorMatrix(counts, inputs["y_pred"], task="multiclass", reference_kind="votes")
    assert im.compute("accuracy") == pytest.approx(expected["float"], abs=expected["tol"])


def test_over_items_and_over_votes():
    inputs, expected = golden("case unequal numbers of votes")
    counts = vote_counts(inputs["votes"], inputs["n_classes"])
    shares, votes = distributions(counts), counts.sum(axis=1)
    found = {
        name: IndicatorMatrix(shares, np.array(inputs["y_pred"]), "multiclass", n_classes=2, sample_weight=w).compute(
            "accuracy"
        )
        for name, w in (("over_items", None), ("over_votes", votes))
    }
    for name, value in expected["by"].items():
        assert found[name] == pytest.approx(value["float"])


def test_annotator_weights_scale_votes():
    votes = [[0, 1, -1], [1, 1, 0], [-1, -1, 2]]
    weights = np.array([2.0, 0.5, 3.0])
    by_hand = [[2.0, 0.5, 0.0], [3.0, 2.5, 0.0], [0.0, 0.0, 3.0]]
    np.testing.assert_allclose(vote_counts(votes, 3, annotator_weights=weights), by_hand)
    long = Answers.long(["a", "a", "b"], ["x", "y", "x"], ["no", "yes", "no"])
    np.testing.assert_allclose(vote_counts(long, annotator_weights=[2, 1]), [[2, 1], [2, 0]])
    with pytest.raises(InputError, match="annotator_weights"):
        vote_counts(votes, 3, annotator_weights=[1, 1])


def test_draws_have_the_mean_and_the_variance_of_the_posterior():
    counts, prior = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 7.0]]), 0.5
    draws = distribution_samples(counts, 40_000, smoothing=prior, seed=0)
    mean = distributions(counts, smoothing=prior)
    np.testing.assert_allclose(draws.mean(axis=-2), mean, atol=0.005)
    np.testing.assert_allclose(draws.var(axis=-2), distribution_variance(counts, smoothing=prior), atol=0.002)


def test_tiny_parameters_give_whole_draws():
    draws = dirichlet_samples([1e-4, 2e-4, 1e-4], 20_000, seed=0)
    np.testing.assert_allclose(draws.sum(axis=-1), 1)
    np.testing.assert_allclose(draws.mean(axis=0), [0.25, 0.5, 0.25], atol=0.02)
    assert (draws.max(axis=-1) > 0.999).mean() > 0.99


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: distributions([[1.0, -1.0]]), "counts contains -1.0"),
        (lambda: distributions([[1.0, np.nan]]), "counts contains nan"),
        (lambda: distributions([[1, 1]], smoothing=[1, 1, 1]), "smoothing has shape"),
        (lambda: distributions([[1, 1]], smoothing=-1), "smoothing contains -1.0"),
        (lambda: distributions([[1, 1]], empty="drop"), "empty is 'drop'"),
        (lambda: vote_counts([[0, 3]], 2), "n_classes is 2"),
        (lambda: vote_counts([[0, 0.5]], 2), "0.5"),
        (lambda: dirichlet_samples([0.0, 0.0], 10, seed=0), "all zero"),
        (lambda: dirichlet_samples([1.0, 1.0], 0, seed=0), "n_samples is 0"),
        (lambda: irn_samples([0.5, 0.5], 3, temperature=0, seed=0), "temperature is 0"),
        (lambda: irn_samples([0.5, 0.5], 3, temperature=1, bias=-1, seed=0), "bias is -1"),
        (lambda: inverse_rank_normalization([[[0], [0]]], 2), "names class 0 twice"),
        (lambda: inverse_rank_normalization([[[2]]], 2), "labels row 0 is 2"),
        (lambda: inverse_rank_normalization([], 2), "item 0 has no ranking"),
        (lambda: inverse_rank_normalization([[[0], []]], 2), "empty block"),
        (lambda: inverse_rank_normalization([[[0]]]), "n_classes is needed"),
        (lambda: Rankings.of([0, 2], [0, 0], [1, 1], [0, 0], n_classes=1), "item 1 has no ranking"),
        (lambda: average_overlap([0, 0], [1], 1), "each class once"),
        (lambda: partial_average_overlap([[0]], [[1]], 2, 3), "depth is 3"),
    ],
)
def test_what_cannot_be_used_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


# --- rankings -------------------------------------------------------------------------------------------------------


def test_inverse_rank_normalisation():
    for name, shared in (("irn", False), ("irn-shared", True)):
        inputs, expected = golden(name)
        found = inverse_rank_normalization(inputs["rankings"], inputs["n_classes"], shared=shared)
        np.testing.assert_allclose(found, expected, atol=1e-15)


def test_overlap_by_hand():
    inputs, expected = golden("partial-average-overlap")
    arguments = (inputs["a"], inputs["b"], inputs["n_classes"], inputs["depth"])
    assert partial_average_overlap(*arguments) == pytest.approx(expected["raw"], abs=1e-13)
    assert partial_average_overlap(*arguments, normalized=True) == pytest.approx(expected["normalised"], abs=1e-13)
    inputs, expected = golden("average-overlap-depth-zero")
    assert average_overlap(inputs["a"], inputs["b"], inputs["depth"]) == expected


@st.composite
def partial_rankings(draw, classes=4):
    """Draw a partial ranking of up to all classes: blocks of tied ones, best first."""
    order = draw(st.permutations(range(classes)))
    named = order[: draw(st.integers(1, classes))]
    cuts = sorted(draw(st.sets(st.integers(1, len(named)), max_size=len(named))) | {len(named)})
    return [list(named[a:b]) for a, b in itertools.pairwise([0, *cuts])]


def orders_of(blocks, classes=4):
    """Return every full order that breaks the ties of a partial ranking."""
    rest = [c for c in range(classes) if not any(c in b for b in blocks)]
    parts = [list(itertools.permutations(b)) for b in [*blocks, rest] if b]
    return [list(itertools.chain(*choice)) for choice in itertools.product(*parts)]


@given(partial_rankings(), partial_rankings(), st.integers(1, 4))
def test_partial_overlap_is_the_mean_over_all_tie_breaks(a, b, depth):
    by_hand = np.mean([average_overlap(x, y, depth) for x in orders_of(a) for y in orders_of(b)])
    assert partial_average_overlap(a, b, 4, depth) == pytest.approx(by_hand, abs=1e-12)


@given(st.lists(st.lists(partial_rankings(), min_size=1, max_size=3), min_size=1, max_size=3), st.integers(1, 4))
def test_overlap_of_readers_is_the_mean_over_their_pairs(cases, depth):
    found = reader_overlap(Rankings.of_lists(cases, n_classes=4), depth)
    for value, case in zip(found, cases, strict=True):
        pairs = [partial_average_overlap(a, b, 4, depth) for a, b in itertools.combinations(case, 2)]
        assert np.isnan(value) if not pairs else value == pytest.approx(np.mean(pairs), abs=1e-12)


@given(st.lists(st.lists(partial_rankings(), min_size=1, max_size=3), min_size=1, max_size=3))
def test_many_items_at_once_are_as_one_at_a_time(cases):
    found = inverse_rank_normalization(Rankings.of_lists(cases, n_classes=4))
    for row, case in zip(found, cases, strict=True):
        weights = np.zeros(4)
        for ranking in case:
            for b, block in enumerate(ranking, 1):
                weights[block] += 1 / b
        np.testing.assert_allclose(row, weights / weights.sum(), atol=1e-15)


def test_only_the_order_of_ranks_counts():
    plain = Rankings.of([0, 0, 0], ["x"] * 3, [1, 2, 2], [2, 0, 1], n_classes=3)
    gaps = Rankings.of([0, 0, 0], ["x"] * 3, [10, 30, 30], [2, 0, 1], n_classes=3)
    np.testing.assert_array_equal(plain.block, gaps.block)
    assert plain.tie_size.tolist() == [1, 2, 2]
    assert plain.start.tolist() == [0, 1, 1]


def test_draws_around_a_plausibility():
    share = np.array([0.6, 0.4, 0.0])
    draws = irn_samples(share, 40_000, temperature=4, seed=0)
    np.testing.assert_allclose(draws.mean(axis=0), share, atol=0.01)
    np.testing.assert_allclose(draws.var(axis=0), share * (1 - share) / 5, atol=0.005)
    assert (draws[:, 2] == 0).all()
    assert (irn_samples(share, 100, temperature=4, bias=0.1, seed=0)[:, 2] > 0).any()


OF_TWO = [[[0], [1, 2]], [[1], [0]]]  # one item, two readers


@pytest.mark.parametrize(
    "call",
    [
        lambda: inverse_rank_normalization([OF_TWO, OF_TWO], 3),  # several items
        lambda: inverse_rank_normalization([[0, 1], [1, 0]], 3),
        lambda: inverse_rank_normalization([0, 1], 3),
        lambda: inverse_rank_normalization([[["a"]]], 3),
        lambda: inverse_rank_normalization(["ab"], 3),
        lambda: inverse_rank_normalization(3, 3),
        lambda: inverse_rank_normalization([[[0.5]]], 3),
        lambda: Rankings.of_lists([[[0, 1]]], n_classes=3),
        lambda: partial_average_overlap([0, 1], [1, 0], 3, 2),
        lambda: partial_average_overlap([[0], [1]], OF_TWO, 3, 2),
        lambda: partial_average_overlap([[0], [1]], None, 3, 0),
        lambda: partial_average_overlap("ab", [[0]], 3, 2),
    ],
)
def test_rankings_that_are_nested_otherwise_are_refused(call):
    with pytest.raises(InputError, match="a ranking is a list of blocks, best first"):
        call()


def test_rankings_of_arrays_are_read():
    found = inverse_rank_normalization([[np.array([0]), (1, np.int32(2))], [[1], range(1)]], 3)
    np.testing.assert_array_equal(found, inverse_rank_normalization(OF_TWO, 3))


@pytest.mark.parametrize("votes", [[["a", "b"]], [[0, "b"]], [["0", "1"]], [[0, 1], [1]], [[{}, 1]], [[1j, 0]]])
def test_votes_that_are_no_indices_are_refused(votes):
    for call in (vote_counts, Answers.of):
        with pytest.raises(InputError, match="expected class indices from 0"):
            call(votes)


# --- numbers that no memory would hold, and ids that are none ---------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Answers.of([[1e308, 0]]), "votes go up to 1e+308, expected class indices from 0, below 1,048,576"),
        (lambda: Answers.of([[2**53 + 1, 0]]), "votes go up to 9.00719925474099e+15"),
        (lambda: Answers.of([[1, 0]], n_classes=10**9), "n_classes is 1000000000, expected at most 1,048,576"),
        (lambda: inverse_rank_normalization([[[0]]], 10**12), "n_classes is 1000000000000, expected at most"),
        (lambda: dirichlet_samples([1.0, 1.0], 10**12, seed=0), "1,000,000,000,000 samples would be 2,000,000,000,000"),
        (lambda: Answers.of([[1, 0]] * 2000, n_classes=10**6).counts, "the counts of the answers would be"),
        (lambda: distributions([[1, 2]], smoothing=1e308), "smoothing contains 1e+308, expected numbers from 0 to"),
        (lambda: Answers.long([1, np.nan, np.nan], [1, 2, 3], [0, 1, 0]), "item row 1 is nan, expected a name"),
        (lambda: Answers.long([1, 2], [1, np.inf], [0, 1]), "annotator row 1 is inf, expected a name"),
        (lambda: Answers.long([1, 2], [1, 2], [0, np.nan]), "label row 1 is nan, expected a name"),
        (lambda: suspects([0, 1], [0, 1], n_classes=10**9), "n_classes is 1000000000, expected at most"),
    ],
)
def test_what_no_memory_holds_is_refused_in_a_sentence(call, said):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 250


def test_what_holds_thousands_of_ids_prints_in_a_line():
    answers = Answers.of(np.tile([[0, 1, 2]], (3000, 1)))
    assert repr(answers) == "Answers(9,000 answers, 3,000 items, 3 annotators, 3 classes: 0, 1, 2)"
    found = suspects([0, 1] * 500, [0, 0] * 500, reference_accuracy=0.9)
    assert repr(found) == "Suspects(1,000 items, 2 classes, reference_accuracy=0.9)"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (
            "item,reader,rank\nx,A,1\n",
            r"not clear \('item', 'reader', 'rank' hold other things\); name it with --label",
        ),
        ("item,reader,rank,one,two\nx,A,1,a,b\n", r"not clear \('one', 'two' could be it\); name it with --label"),
    ],
)
def test_ranked_classes_that_are_not_clear_say_what_was_found(tmp_path, header, said):
    path = tmp_path / "ranks.csv"
    path.write_text(header)
    with pytest.raises(InputError, match=said):
        convert(str(path), Settings())


def test_one_class_says_how_to_declare_more():
    with pytest.raises(InputError, match=r"n_classes is 1, expected .* at least 2; declare classes that do not occur"):
        true_accuracy(0.9, 0.95, n_classes=1)
