"""The majority of shares: ties are exact, and each way of settling them keeps the mass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softtruth import InputError, compare_predictions, evaluate
from softtruth.annotations import majority

VOTES = arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(2, 5)), elements=st.integers(0, 4))


@given(VOTES)
def test_shared_ties_keep_the_mass_of_every_item(votes):
    votes = votes + np.eye(*votes.shape, dtype=int)[:, : votes.shape[1]] * (votes.sum(axis=1, keepdims=True) == 0)
    votes[votes.sum(axis=1) == 0, 0] = 1
    shares = votes / votes.sum(axis=1, keepdims=True)
    reference, tied = majority(shares, exclusive=True)
    first, same = majority(shares, exclusive=True, ties="first")
    assert (tied == same).all()
    assert (tied == ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1)).all()
    if tied.any():
        assert reference.sum(axis=1) == pytest.approx(1)
        assert (reference[np.arange(len(first)), first] > 0).all()
    else:
        assert (reference == first).all()


def test_more_than_half_must_say_so():
    shares = np.array([[0.5, 0.51, 0.49]])
    reference, tied = majority(shares, exclusive=False)
    assert reference.tolist() == [[0.5, 1, 0]]
    assert tied.tolist() == [[True, False, False]]
    assert majority(shares, exclusive=False, ties="first")[0].tolist() == [[0, 1, 0]]


def test_without_ties_the_majority_is_hard():
    for exclusive, shares in ((True, [[0.6, 0.4]]), (False, [[0.6, 0.4]])):
        assert majority(np.array(shares), exclusive=exclusive)[0].dtype.kind in "iu"


def test_names_of_ways():
    with pytest.raises(InputError, match="ties is 'coin'"):
        majority(np.ones((1, 2)), exclusive=True, ties="coin")


def test_columns_that_rest_on_other_items_say_so():
    votes = np.array([[3, 0], [0, 3], [2, 2], [1, 3]] * 10)
    models = {"a": votes / votes.sum(1, keepdims=True), "b": np.full((40, 2), 0.5)}
    for made in (
        evaluate(votes, models["a"], "multiclass", reference_kind="votes", ties="drop"),
        compare_predictions(votes, models, "multiclass", reference_kind="votes", ties="drop"),
    ):
        assert made.n == 40
        assert "multiclass, 40 items" in made.to_text()
        (told,) = [f.sentence for f in made.findings if f.code == "ties"]
        assert "the majority reference leaves them out and rests on 30 items, all else on 40" in told
