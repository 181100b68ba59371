"""Intervals of differences end where the difference does, and say so."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, compare_predictions
from softtruth.annotations import Answers
from softtruth.corrections.order_at_priors import order_at_priors
from softtruth.corrections.order_under_noise import order_under_noise
from softtruth.people.ceiling import human_ceiling
from softtruth.uncertainty.interval import Interval, cut, negated

Y = np.arange(6) % 2
FEW = {"right": Y, "wrong": np.where(np.arange(6) == 0, Y, 1 - Y)}


@pytest.mark.parametrize(("measure", "reach"), [("accuracy", 1.0), ("mcc", 2.0), ("macro f1", 1.0)])
def test_an_interval_of_a_difference_ends_where_the_difference_does(measure, reach):
    report = compare_predictions(Y, FEW, "multiclass" if "macro" in measure else "binary", measures=measure)
    row = report.row(measure, "right", "wrong")
    assert row.interval.high == reach
    assert row.interval.note == "cut where its range ends"
    assert row.interval.low == pytest.approx(row.interval.value - 1.959963985 * row.interval.standard_error)
    turned = report.row(measure, "wrong", "right").interval
    assert (turned.low, turned.note) == (-reach, "cut where its range ends")


def test_curves_of_differences_end_there_too():
    pair = [IndicatorMatrix(Y, p, "binary") for p in FEW.values()]
    for order in (order_at_priors(*pair, "accuracy"), order_under_noise(*pair, "accuracy")):
        assert np.nanmax(order.high) == 1.0
        assert np.nanmin(order.low) >= -1.0


@pytest.mark.parametrize("note", ["", "few items", "cut where its range ends", "few; cut where its range ends"])
def test_two_signs_are_none(note):
    interval = Interval(0.5, -0.2, 1.0, note=note)
    assert negated(negated(interval)) == interval
    both = negated(cut(Interval(0.0, -3.0, 3.0), (-1.0, 2.0)))
    assert (both.low, both.high, both.note) == (-2, 1, "cut where its range ends")


def test_a_model_that_is_never_right_is_zero_times_as_good_as_people():
    votes = Answers.of([[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]])
    never = human_ceiling(votes, [1, 0, 1, 0], aggregate="majority").ratio
    assert (never.value, np.isnan(never.low)) == (0.0, True)
    assert "edge of its range" in never.note
    apart = Answers.of([[0, 1], [1, 0], [0, 1], [1, 0]])
    assert human_ceiling(apart, [0, 1, 0, 1], aggregate="majority").ratio.value == np.inf


def test_nothing_over_nothing_is_undefined():
    apart = Answers.of([[0, 1], [1, 2], [0, 2], [1, 2]])
    found = human_ceiling(apart, [2, 0, 1, 0])
    assert (found.people.value, found.model.value) == (0.0, 0.0)
    assert np.isnan(found.ratio.value)
    assert found.ratio.note.startswith("the value is undefined")


def test_a_difference_to_people_is_cut_and_says_both_why():
    found = human_ceiling(Answers.of([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]]), [1, 0, 1, 0]).difference
    assert found.low >= -1
    assert "clusters of items" in found.note
    if found.low == -1:
        assert found.note.endswith("; cut where its range ends")
