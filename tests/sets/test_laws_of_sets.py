"""Sets against enumeration: every tie break, every class, every block of rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from softtruth import Means, sets
from softtruth.annotations import dirichlet_samples
from softtruth.errors import InputError
from softtruth.sets import topk


@st.composite
def problems(draw, most=6):
    """Draw scores with many ties, shares that need not sum to one, and k."""
    n, classes = draw(st.integers(1, 5)), draw(st.integers(1, most))
    scores = draw(hnp.arrays(np.float64, (n, classes), elements=st.sampled_from([-1.0, 0.0, 0.0, 0.5, 2.0])))
    shares = draw(hnp.arrays(np.float64, (n, classes), elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])))
    return scores, shares, draw(st.integers(1, classes))


def tie_breaks(row, k):
    """Return every top-k set that some order of equal scores gives."""
    orders = itertools.permutations(range(len(row)))
    kept = [order for order in orders if all(row[a] >= row[b] for a, b in itertools.pairwise(order))]
    return [order[:k] for order in kept]


@given(problems())
def test_ties_against_every_tie_break(problem):
    scores, shares, k = problem
    options = [
        [sum(own[list(chosen)]) for chosen in tie_breaks(row, k)] for row, own in zip(scores, shares, strict=True)
    ]
    low, high = sets.aggregated_topk_accuracy(scores, shares, k, False, ties="range")
    np.testing.assert_allclose(low, [min(o) for o in options], atol=1e-12)
    np.testing.assert_allclose(high, [max(o) for o in options], atol=1e-12)
    mean = sets.aggregated_topk_accuracy(scores, shares, k, False, ties="expected")
    np.testing.assert_allclose(mean, [np.mean(o) for o in options], atol=1e-12)
    first = sets.aggregated_topk_accuracy(scores, shares, k, False)
    stable = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    np.testing.assert_allclose(first, np.take_along_axis(shares, stable, axis=1).sum(axis=1), atol=1e-12)


@given(problems())
def test_sets_and_ranks_belong_together(problem):
    scores, shares, k = problem
    chosen = sets.topk_sets(scores, k)
    assert (sets.size(chosen) == k).all()
    np.testing.assert_array_equal(sum(sets.topk_indicators(scores, r) for r in range(1, k + 1)), chosen)
    accuracy, coverage = (
        sets.aggregated_topk_accuracy(scores, shares, k, False),
        sets.aggregated_coverage(chosen, shares, False),
    )
    np.testing.assert_allclose(accuracy, coverage, rtol=1e-15)  # the same terms, which NumPy may add in another order
    np.testing.assert_allclose(sets.topk_sets(scores, k, ties="expected").sum(axis=1), k)


@given(problems())
def test_nothing_passes_the_ceiling(problem):
    scores, shares, k = problem
    ceiling = sets.topk_ceiling(shares, k, False)
    high = sets.aggregated_topk_accuracy(scores, shares, k, False, ties="range")[1]
    assert (high <= ceiling + 1e-12).all()
    best = [max(sum(row[list(c)]) for c in itertools.combinations(range(len(row)), k)) for row in shares]
    np.testing.assert_allclose(ceiling, best, atol=1e-12)


@given(problems(), st.randoms(use_true_random=False))
def test_the_expected_rule_does_not_depend_on_the_order_of_classes(problem, random):
    scores, shares, k = problem
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    ours = sets.aggregated_topk_accuracy(scores, shares, k, ties="expected")
    theirs = sets.aggregated_topk_accuracy(scores[:, order], shares[:, order], k, ties="expected")
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@given(problems())
def test_cells_of_sets_say_what_is_covered(problem):
    scores, shares, k = problem
    chosen = sets.topk_sets(scores, k)
    cells = sets.set_cells(chosen, shares)
    np.testing.assert_allclose(cells.tp, (chosen * shares).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(cells.fp, (chosen * (1 - shares)).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(cells.fn, ((1 - chosen) * shares).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(cells.tn, ((1 - chosen) * (1 - shares)).sum(axis=0), atol=1e-12)
    with np.errstate(invalid="ignore"):
        by_class = (chosen * shares).sum(axis=0) / shares.sum(axis=0)
    np.testing.assert_allclose(sets.coverage_by_class(chosen, shares), by_class, atol=1e-12)


@given(problems(), st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_the_fewest_classes_that_hold_a_mass(problem, mass):
    p = problem[1] + 0.01
    p = p / p.sum(axis=1, keepdims=True)
    chosen = sets.mass_sets(p, mass)
    for row, inside in zip(p, chosen, strict=True):
        fewest = next(
            size
            for size in range(1, len(row) + 1)
            if any(sum(c) >= mass - 1e-6 for c in itertools.combinations(row, size))
        )
        assert inside.sum() == fewest
        assert row[inside == 1].sum() >= mass - 1e-6
        assert row[inside == 1].min() >= row[inside == 0].max(initial=0)


@given(problems())
def test_no_set_of_a_size_covers_more(problem):
    scores, shares, k = problem
    chosen = sets.topk_sets(scores, k)
    np.testing.assert_allclose(
        sets.coverage_ceiling(chosen, shares, False), sets.topk_ceiling(shares, k, False), atol=1e-12
    )
    several = (scores > 0).astype(int)
    ceiling = sets.coverage_ceiling(several, shares, False)
    assert (sets.aggregated_coverage(several, shares, False) <= ceiling + 1e-12).all()


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(0)
    chosen, shares, times = rng.integers(0, 2, (40, 5)), rng.dirichlet(np.ones(5), 40), rng.integers(1, 4, 40)
    again = np.repeat(np.arange(40), times)
    np.testing.assert_allclose(
        sets.coverage_by_class(chosen, shares, weight=times), sets.coverage_by_class(chosen[again], shares[again])
    )
    ours = sets.coverage_by_size(chosen, shares, weight=times)
    theirs = sets.coverage_by_size(chosen[again], shares[again])
    assert list(ours) == list(theirs) == sorted(ours)
    for size, means in ours.items():
        assert means.value() == pytest.approx(theirs[size].value())
    whole = sum(ours.values(), Means())
    assert whole.value() == pytest.approx(
        Means.of(sets.aggregated_coverage(chosen, shares), times.astype(float)).value()
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_blocks_of_rows_change_nothing(monkeypatch, dtype):
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 9, (101, 7)).astype(dtype)
    shares = rng.dirichlet(np.ones(7), 101).astype(np.float32)
    whole = [sets.aggregated_topk_accuracy(scores, shares, 3, ties=t) for t in ("first", "expected", "range")]
    covered = sets.aggregated_coverage(scores > 4, shares)
    monkeypatch.setattr(topk, "BLOCK", 50)
    for rule, value in zip(("first", "expected", "range"), whole, strict=True):
        np.testing.assert_allclose(sets.aggregated_topk_accuracy(scores, shares, 3, ties=rule), value, rtol=1e-6)
    np.testing.assert_allclose(sets.aggregated_coverage(scores > 4, shares), covered, rtol=1e-6)


def test_an_axis_of_draws_stands_in_front():
    rng = np.random.default_rng(2)
    scores, shares = rng.integers(0, 4, (3, 20, 5)), rng.dirichlet(np.ones(5), 20)
    for rule in ("first", "expected", "range"):
        found = sets.aggregated_topk_accuracy(scores, shares, 2, ties=rule)
        each = [sets.aggregated_topk_accuracy(one, shares, 2, ties=rule) for one in scores]
        np.testing.assert_allclose(found, np.stack(each, axis=-2))


def test_clipping_is_for_rows_of_more_than_one():
    chosen, shares = [[1, 1]], [[0.8, 0.7]]
    assert sets.aggregated_coverage(chosen, shares).tolist() == [1.0]
    assert sets.aggregated_coverage(chosen, shares, False).tolist() == [1.5]
    assert sets.aggregated_topk_accuracy(chosen, shares, 2, clip=False).tolist() == [1.5]


def test_shares_from_a_law_are_those_of_its_draws():
    parameters = np.array([[3.0, 1.0, 0.0, 2.0], [0.5, 0.5, 0.5, 0.5], [3.0, 1.0, 0.0, 2.0]])
    found = sets.sampled_rank_shares(parameters, n_samples=20_000, seed=0)
    plain = sets.rank_shares(dirichlet_samples(parameters, 20_000, seed=1))
    np.testing.assert_allclose(found, plain, atol=0.02)
    np.testing.assert_array_equal(found[0], found[2])
    second = sets.sampled_rank_shares(parameters, 2, n_samples=20_000, seed=0)
    np.testing.assert_allclose(second, sets.rank_shares(dirichlet_samples(parameters, 20_000, seed=1), 2), atol=0.02)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sets.topk_sets([[1.0, np.nan]], 1), "logits row 0 contains nan"),
        (lambda: sets.aggregated_topk_accuracy([[1.0, 0.0], [np.nan, 1.0]], np.eye(2), 1), "logits row 1 contains nan"),
        (lambda: sets.aggregated_topk_accuracy(np.eye(2), [[1.0, 0.0], [np.nan, 1.0]], 2), "distributions row 1"),
        (lambda: sets.aggregated_coverage(np.eye(2), [[np.nan, 0.0], [0.0, 1.0]]), "distributions row 0"),
        (lambda: sets.aggregated_coverage([[np.nan, 0.0]], [[0.5, 0.5]]), "prediction_sets row 0"),
        (lambda: sets.aggregated_coverage(np.eye(2), np.eye(3)), "expected the same rows and classes"),
        (lambda: sets.aggregated_coverage(np.ones((1, 3)), np.ones((5, 3))), "expected the same rows and classes"),
        (lambda: sets.topk_sets([[1, 2]], 0), "k is 0, expected a whole number from 1 to 2"),
        (lambda: sets.topk_sets([[1, 2]], 1.0), "k is 1.0"),
        (lambda: sets.topk_sets([[1, 2]], True), "k is True"),
        (lambda: sets.topk_sets([[1, 2]], 1, ties="range"), "a set has no range"),
        (lambda: sets.aggregated_topk_accuracy([[1, 2]], [[1, 0]], 1, ties="last"), "ties is 'last'"),
        (lambda: sets.size(3), "expected \\(N, K\\)"),
        (lambda: sets.size([["a"]]), "expected numbers"),
        (lambda: sets.mass_sets([[0.5, 0.5]], 0), "mass is 0"),
        (lambda: sets.mass_sets([[0.5, np.nan]], 0.5), "probabilities row 0"),
        (lambda: sets.rank_shares([0.5, 0.5]), "expected \\(N, S, K\\)"),
        (lambda: sets.sampled_rank_shares([[1.0, 0.0]], 2, seed=0), "no class is on rank 2"),
    ],
)
def test_what_cannot_be_used_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
