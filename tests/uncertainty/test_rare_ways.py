"""Intervals of nothing, of infinite and of fixed values, and sums by class: the ways that few data take."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    Means,
    Measure,
    Moments,
    NotAnswerableError,
    Table,
    compare,
    mean_interval,
    parse,
    under_prior,
)
from softtruth.conventions import Convention
from softtruth.measures.distances import mean_cost
from softtruth.measures.measure import measure
from softtruth.statistics.cells import power_of_two
from softtruth.statistics.replicate_sums import ReplicateSums
from softtruth.uncertainty.bootstrap import bootstrap_interval
from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import Interval, wilson
from softtruth.uncertainty.keyed import Draws, identities
from softtruth.uncertainty.telling_apart import items_to_tell
from softtruth.uncertainty.transport import follows_concordance

DIFFERENCE = Interval(0.05, 0.01, 0.09, 0.95, standard_error=0.02)


def test_a_share_of_nothing_has_no_interval():
    found = wilson(0, 0, 0.95)
    assert math.isnan(found.value)
    assert "no interval" in str(found)


def test_a_notebook_shows_the_line_and_what_it_stands_on():
    found = Interval(0.5, 0.4, 0.6, 0.95, assumption='items are "drawn" & few')
    assert found._repr_html_() == (
        '<span title="items are &quot;drawn&quot; &amp; few">0.500 [0.400, 0.600] sampling 95%</span>'
    )


def test_names_of_no_letters_are_told_apart_by_nothing():
    same = identities(np.empty(0, np.uint8), np.zeros(3, np.int64))
    assert same[0] == same[1]
    assert identities(np.empty(0, np.uint8), np.zeros(1, np.int64)).size == 0


def test_a_table_of_nothing_follows_any_order():
    assert follows_concordance(parse("mae"), Table.of(np.zeros((3, 3))), Convention.EXCLUDE)


def test_moments_of_one_class_are_a_part_of_those_of_all():
    cells = np.random.default_rng(0).random((4, 20, 3))
    whole, one = Moments.of(cells), Moments.of(cells[:, :, 1:2])
    found = whole.of_class(1)
    np.testing.assert_allclose(found.first, one.first)
    np.testing.assert_allclose(found.second, one.second)
    weighted = Moments.of(cells, np.repeat([0.0, 2.0], 10))
    assert weighted.count == 10


def test_cells_as_plain_numbers_and_without_classes():
    assert tuple(Cells.of(1, 2, 3, 4).counts) == (1.0, 2.0, 3.0, 4.0)
    assert power_of_two(np.zeros((4, 0))) is None
    assert power_of_two(np.full((4, 1), np.inf)) is None


def test_soft_data_without_examples_make_an_empty_table():
    im = IndicatorMatrix(np.zeros(0, int), np.zeros((0, 3)), "multiclass", n_classes=3, coupling="independent")
    np.testing.assert_array_equal(im.table.masses, np.zeros((3, 3)))
    assert math.isnan(im.interval("r_k").standard_error)


def test_an_empty_table_that_counts_as_zero_has_no_error():
    found = IndicatorMatrix.of(Table(np.zeros((3, 3)), "multiclass")).interval("r_k", convention="zero")
    assert found.value == 0
    assert math.isnan(found.standard_error)


def test_no_rows_of_soft_data_make_an_empty_table():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 4).astype(np.float32)
    some = IndicatorMatrix([0, 1, 2, 0], p, coupling="independent").examples.taken(np.zeros(0, int))
    np.testing.assert_array_equal(some.table.masses, np.zeros((3, 3)))


def test_parts_that_are_taken_stay_parts_of_their_examples():
    """Of four images of three points each, all points of the second and two of the fourth."""
    y, p = np.random.default_rng(0).integers(0, 2, (2, 4, 3, 1))
    some = IndicatorMatrix(y, p, "binary").examples.taken(np.array([3, 4, 5, 9, 11]))
    assert some.n == 2
    np.testing.assert_array_equal(some.within, [0, 0, 0, 1, 1])
    hits = y * p
    rows = np.concatenate([cells[0] for _, cells in some.rows()])
    np.testing.assert_array_equal(rows, [hits[1].sum(), hits[3, [0, 2]].sum()])


def test_the_mean_of_a_finished_sum_is_that_of_its_numbers():
    numbers = [0.2, 0.5, 0.9, 0.4]
    found, plain = mean_interval(Means.of(numbers)), mean_interval(numbers)
    assert (found.value, found.standard_error) == pytest.approx((plain.value, plain.standard_error))


def test_an_interval_holds_numbers():
    with pytest.raises(InputError, match="value is 'high', expected a number"):
        Interval("high", 0, 1, 0.95)


def test_examples_of_other_kinds_do_not_add():
    one = IndicatorMatrix([0, 1], [0, 1], "binary").statistic
    with pytest.raises(TypeError, match="unsupported operand"):
        one + 1
    with pytest.raises(InputError, match="examples with task 'binary' and 'multiclass' do not add"):
        one + IndicatorMatrix([0, 1], [0, 1], n_classes=2, task="multiclass").statistic


def test_a_declaration_with_an_unknown_trait_is_refused():
    with pytest.raises(InputError, match="trait 'nice' is not known"):
        measure(traits="symmetric nice")


@pytest.mark.parametrize("given", [3, [1, 2]])
def test_costs_that_are_no_matrix_are_refused(given):
    with pytest.raises(InputError, match="expected K rows of K numbers"):
        mean_cost(given)


def test_confusion_entropy_of_one_class_is_nothing():
    assert float(np.nan_to_num(parse("cen")(Table.of([[5.0]])))) == 0.0


def test_a_comparison_without_a_value_says_so():
    y = np.zeros(6, int)
    sides = [IndicatorMatrix(y, y, "binary") for _ in range(2)]
    words = str(compare(*sides, "recall"))
    assert "nan" in words


def test_a_range_of_all_classes_that_is_searched_or_not_known():
    rng = np.random.default_rng(0)
    binary = IndicatorMatrix(rng.random(12), rng.random(12), "binary", coupling="independent")
    found = binary.bounds("lambda")
    assert found.low <= binary.compute("lambda") <= found.high
    classes = IndicatorMatrix(*rng.dirichlet(np.ones(3), (2, 12)), "multiclass", coupling="independent")
    with pytest.raises(NotAnswerableError, match="over every dependence is not known"):
        classes.bounds(replace(parse("r_k"), joint="varies"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"power": 1}, "power is 1, expected"),
        ({"comparisons": 0}, "comparisons is 0, expected"),
        ({"difference": replace(DIFFERENCE, value=0.0)}, "no difference, or no standard error"),
        ({"difference": replace(DIFFERENCE, value=1e-300)}, "too small for any number of items"),
    ],
)
def test_items_that_would_tell_models_apart(options, words):
    assert items_to_tell(DIFFERENCE, 100) < items_to_tell(DIFFERENCE, 100, comparisons=5)
    with pytest.raises((InputError, NotAnswerableError), match=words):
        items_to_tell(**{"difference": DIFFERENCE, "n": 100} | options)


def test_replicates_of_other_draws_do_not_add():
    two = ReplicateSums.zero(2, 3, ("hit",))
    assert (two + two).cells.shape == (4, 2, 3)
    with pytest.raises(InputError, match="replicates of other draws"):
        two + ReplicateSums.zero(3, 3, ("hit",))
    with pytest.raises(TypeError, match="unsupported operand"):
        two + 1


def test_odds_are_no_share_of_trials():
    """Of ten hits and five false alarms the odds are 2: no proportion, though both coefficients are 0 or 1."""
    odds = Measure.from_formula("hits_for_each_false_alarm", lambda tp, fp, fn, tn: tp / fp)  # noqa: ARG005  # all four are given
    found = IndicatorMatrix.of(Cells.of(10, 5, 3, 20)).interval(odds)
    assert (found.value, found.method) == (2.0, "influence log")
    assert found.standard_error == pytest.approx(2 * math.sqrt(1 / 10 + 1 / 5))  # delta method of a multinomial


def test_a_bootstrap_draws_its_own_replicates():
    im = IndicatorMatrix([0, 1, 2, 1, 0, 2] * 9, [0, 1, 1, 1, 0, 0] * 9, "multiclass")
    alone = bootstrap_interval(parse("macro f1"), im.statistic, method="percentile", draws=Draws(200, 4))
    assert alone == im.interval("macro f1", method="percentile", draws=200, seed=4)


def test_sums_have_no_interval_of_an_average_over_examples():
    table = Table.of([[3, 1], [2, 4]])
    for ask in (influence_interval, partial(bootstrap_interval, draws=Draws(9, 0))):
        with pytest.raises(NotAnswerableError, match="exemplar f1 needs the examples"):
            ask(parse("exemplar f1"), table)


@pytest.mark.parametrize("name", ["f1_of_means", "accuracy", "r_k"])
def test_a_measure_of_the_whole_table_is_one_part(name):
    im = IndicatorMatrix([0, 1, 2, 1, 0], [0, 1, 1, 1, 2], "multiclass")
    assert im.parts(name).tolist() == [im.compute(name)]
    shifted = under_prior(im, [0.2, 0.3, 0.5])
    assert shifted.parts(name).ravel().tolist() == pytest.approx([shifted.compute(name)])
