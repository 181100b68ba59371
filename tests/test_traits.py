"""Law 3: every promise of every measure holds, and none that holds is left unsaid.

Cells are tried on a whole grid (zeros, ones and unequal sizes in every place), tables at random with many zeros.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, InputError, Measure, Table, list_measures
from softtruth.measures import macro, micro
from softtruth.measures.operators import evaluate
from softtruth.statistics.cells import Cells as CellsOfAnything

CELLS, TABLES = draw.CELL_MEASURES, draw.TABLE_MEASURES
LEVELS = [0.0, 0.25, 1.0, 3.0, 20.0]
GRID = np.array(list(itertools.product(LEVELS, repeat=4))).T  # (4, 625): every cell at every level
SLACK = 1e-12


def tables(k, count=400):
    """Return random tables (count, K, K), many entries zero and some classes empty."""
    rng = np.random.default_rng(k)
    masses = rng.choice([0.0, 0.0, 0.5, 1.0, 2.0, 9.0, 40.0], (count, k, k))
    masses[::7, 0] = 0
    masses[1::7, :, -1] = 0
    return masses


TABLES_OF = {k: tables(k) for k in (2, 3, 4)}


def values(measure, masses):
    """Return the value of every column of cells (4, ..., R)."""
    return np.asarray(measure(Cells(np.asarray(masses, float))))


def of_tables(measure, masses):
    """Return the value of every table (..., K, K)."""
    return np.asarray(evaluate(measure, Table(np.asarray(masses, float))))


def held(condition, masses, *found):
    """Assert what must hold of every column of cells (4, ...) or table (..., K, K), and show the first to fail."""
    condition = np.asarray(condition)
    if condition.all():
        return
    where = tuple(np.argwhere(~condition)[0])
    of_cells = masses.shape[1:] == condition.shape
    told = (
        dict(zip(("tp", "fp", "fn", "tn"), masses[:, *where].tolist(), strict=True))
        if of_cells
        else masses[where].tolist()
    )
    pytest.fail(f"{(~condition).sum()} of {condition.size} fail, first {told}: {[float(x[where]) for x in found]}")


def same(a, b, masses=None):
    """Assert that two lists of values agree, or show the first masses where they do not."""
    if masses is not None:
        held(np.isclose(a, b, rtol=1e-9, atol=SLACK, equal_nan=True), np.asarray(masses), a, b)
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=SLACK)


def in_range(measure, found, masses):
    """Assert that no value is out of the range."""
    low, high = measure.range
    held(np.isnan(found) | ((found >= low - SLACK) & (found <= high + SLACK)), masses, found)


def differ(a, b):
    """Whether two lists of values differ somewhere where both are defined."""
    both = ~(np.isnan(a) | np.isnan(b)) & (a != b)  # an infinite value differs from every other
    return bool((np.abs(a[both] - b[both]) > 1e-6).any())


def those(among, promise):
    """Return a mark that runs a test for each measure that makes a promise."""
    chosen = {name: measure for name, measure in among.items() if promise(measure)}
    return pytest.mark.parametrize("measure", chosen.values(), ids=chosen)


MONOTONE = {"rises", "falls", "constant"}
cells_of_all = pytest.mark.parametrize("measure", CELLS.values(), ids=CELLS)
tables_of_all = pytest.mark.parametrize("measure", TABLES.values(), ids=TABLES)
every_measure = pytest.mark.parametrize("measure", draw.MEASURES.values(), ids=draw.MEASURES)
linear_ones = those(CELLS, lambda measure: measure.linear is not None)


# --- declarations ---------------------------------------------------------------------------------------------------


@every_measure
def test_traits_have_known_values(measure):
    assert measure.better in {"higher", "lower", "neither"}
    assert measure.rung in {"cells", "classes", "table"}
    assert measure.joint in {"rises", "falls", "constant", "dips", "varies"}
    low, high = measure.range
    assert low < high
    assert measure.takes_operator == (measure.rung == "cells" and not measure.folds)
    assert measure.decomposable == (measure.linear is not None)


def test_measures_can_be_looked_up_by_trait():
    assert [m.name for m in list_measures()] == [n for n in draw.MEASURES if n not in draw.MEMBERS]
    for trait in (
        "better",
        "rung",
        "joint",
        "symmetric",
        "class_symmetric",
        "skew_invariant",
        "tn_at_zero",
        "decomposable",
    ):
        found = {getattr(m, trait): list_measures(**{trait: getattr(m, trait)}) for m in list_measures()}
        assert sorted(m.name for some in found.values() for m in some) == sorted(m.name for m in list_measures())
        assert all(getattr(m, trait) == value for value, some in found.items() for m in some)
    with pytest.raises(InputError, match="trait 'colour' is not known"):
        list_measures(colour="red")


# --- range ----------------------------------------------------------------------------------------------------------


@cells_of_all
def test_values_stay_in_the_range(measure):
    in_range(measure, values(measure, GRID), GRID)


@cells_of_all
@given(masses=draw.cell_masses())
def test_values_of_any_cells_stay_in_the_range(measure, masses):
    in_range(measure, values(measure, masses), masses)


@tables_of_all
@pytest.mark.parametrize("k", TABLES_OF)
def test_values_of_tables_stay_in_the_range(measure, k):
    in_range(measure, of_tables(measure, TABLES_OF[k]), TABLES_OF[k])


def extremes(measure):
    """Return many values of a measure, those at the ends of its range among them."""
    if measure.takes_operator:
        return np.concatenate([values(measure, GRID), values(measure, GRID * 1e6 ** np.sign(GRID - 1))])
    right = np.linspace(0, 1, 2001)[:, None, None]
    even = right * np.eye(2) + (1 - right) * (1 - np.eye(2))
    return np.concatenate([of_tables(measure, masses) for masses in [*TABLES_OF.values(), even]])


def grows_with_the_classes(measure, sign):
    """Whether the value passes every number as classes are added."""
    largest = [
        max(
            float(sign * of_tables(measure, masses)) for masses in (np.eye(k), np.fliplr(np.eye(k)), np.eye(k, k=k - 1))
        )
        for k in (4, 16, 64, 256)
    ]
    return bool((np.diff(largest) > 1).all())


@every_measure
def test_the_range_is_not_wider_than_what_happens(measure):
    found = extremes(measure)
    for end, sign, reached in zip(measure.range, (-1, 1), (np.nanmin(found), np.nanmax(found)), strict=True):
        if math.isfinite(end):
            assert reached == pytest.approx(end, abs=1e-3)
        elif measure.rung == "cells":
            assert sign * reached > 1e6
        else:
            assert grows_with_the_classes(measure, sign) or sign * reached > 1e6


@those(draw.MEASURES, lambda measure: measure.better != "neither" and 1.0 in measure.range)
def test_a_perfect_prediction_gets_the_best_value(measure):
    """Where 1 ends the range. An odds ratio, say, is infinite then, and the sources of others tell no best value."""
    perfect = {"higher": 1.0, "lower": 0.0}[measure.better]
    if measure.takes_operator:
        right = GRID[:, (GRID[0] > 0) & (GRID[1] == 0) & (GRID[2] == 0) & (GRID[3] > 0)]
        same(values(measure, right), perfect)
    else:
        for k in TABLES_OF:
            same(of_tables(measure, np.diag(np.arange(k) + 3.0)), perfect)


# --- better ---------------------------------------------------------------------------------------------------------


@cells_of_all
@pytest.mark.parametrize(("wrong", "right"), [(1, 3), (2, 0)], ids=["fp to tn", "fn to tp"])
def test_a_mended_error_is_never_worse(measure, wrong, right):
    sign = {"higher": 1, "lower": -1, "neither": 0}[measure.better]
    if measure.joint == "varies":
        return  # it says of itself that it does not always rise
    before = GRID[:, GRID[wrong] > 0]
    if measure.joint == "dips":  # below independence, less dependence is a lower value
        before = before[:, before[0] * before[3] >= before[1] * before[2]]
    rises = []
    for share in (1e-3, 0.5, 1.0):
        after = before.copy()
        after[wrong] -= share * before[wrong]
        after[right] += share * before[wrong]
        with np.errstate(invalid="ignore"):
            rises.append(np.nan_to_num(values(measure, after) - values(measure, before)) * sign)
        held(rises[-1] >= -SLACK, before, values(measure, before), values(measure, after))
    if sign:
        assert np.max(rises) > 0 or measure.skew_invariant or not measure.symmetric


@cells_of_all
def test_mending_every_error_is_better_somewhere(measure):
    mended = GRID.copy()
    mended[0] += GRID[2]
    mended[3] += GRID[1]
    mended[1:3] = 0
    with np.errstate(invalid="ignore"):
        change = np.nan_to_num(values(measure, mended) - values(measure, GRID), posinf=1, neginf=-1)
    if measure.better == "higher":
        assert change.max() > 0
    elif measure.better == "lower":
        assert change.min() < 0
    else:
        assert change.min() < 0 < change.max() or measure.joint == "constant"


def corrects_for_chance(measure):
    """Whether the value is zero wherever prediction and reference are independent, on three classes."""
    rng = np.random.default_rng(1)
    rows, columns = rng.dirichlet(np.ones(3), 50), rng.dirichlet(np.ones(3), 50)
    found = of_tables(measure, rows[:, :, None] * columns[:, None, :])
    return bool(np.abs(found).max() < 1e-9)


@those(TABLES, lambda measure: measure.joint != "varies")  # which says of itself that it does not always rise
@pytest.mark.parametrize("k", TABLES_OF)
def test_a_mended_error_between_classes_is_never_worse(measure, k):
    """With three or more classes it may be, where chance is taken off: mending one error moves what chance would give.

    Such a measure still rises with every error mended at fixed margins: that is what ``joint`` promises.
    """
    sign = {"higher": 1, "lower": -1, "neither": 0}[measure.better]
    masses = TABLES_OF[k]
    before = of_tables(measure, masses)
    if k > 2 and corrects_for_chance(measure):
        assert measure.joint == {"higher": "rises", "lower": "falls"}[measure.better]
        return
    for row, column in itertools.permutations(range(k), 2):
        for share in (1e-3, 1.0):
            after = masses.copy()
            moved = share * masses[:, row, column]
            after[:, row, column] -= moved
            after[:, row, row] += moved
            mended = of_tables(measure, after)
            with np.errstate(invalid="ignore"):
                worse = (mended - before) * sign < -SLACK
            held(~worse, masses, before, mended)


# --- joint ----------------------------------------------------------------------------------------------------------


def shared_mass_grid():
    """Return cells (4, steps, problems): the shared mass rises along the steps, the margins stay."""
    found = []
    for reference, prediction, n in itertools.product([0.5, 2.0, 5.0, 9.0], [0.5, 3.0, 5.0, 8.0], [10.0]):
        t = np.linspace(max(0.0, reference + prediction - n), min(reference, prediction), 41)
        found.append([t, prediction - t, reference - t, n - reference - prediction + t])
    return np.maximum(np.moveaxis(np.array(found), 0, -1), 0)


@cells_of_all
def test_values_move_with_the_shared_mass_as_promised(measure):
    found = values(measure, shared_mass_grid())
    with np.errstate(invalid="ignore"):
        change = np.nan_to_num(np.diff(found, axis=0), posinf=1, neginf=-1)
    up, down = (change > SLACK).any(), (change < -SLACK).any()
    if measure.joint in MONOTONE:
        assert (up, down) == {"rises": (True, False), "falls": (False, True), "constant": (False, False)}[measure.joint]
        return
    assert up
    assert down
    if measure.joint == "dips":  # at each margin: down to zero at independence, then up
        for column in np.sign(np.round(change, 12)).T:
            turning = np.flatnonzero(np.diff(column[column != 0]))
            assert turning.size <= 1
        reference, prediction, n = 5.0, 4.0, 10.0
        t = reference * prediction / n
        same(values(measure, [[t], [prediction - t], [reference - t], [n - reference - prediction + t]]), 0.0)


@those(TABLES, lambda measure: measure.joint in MONOTONE)
@pytest.mark.parametrize("k", TABLES_OF)
def test_values_move_with_the_diagonal_at_fixed_margins_as_promised(measure, k):
    sign = {"rises": 1, "falls": -1, "constant": 0}[measure.joint]
    masses = TABLES_OF[k]
    before = of_tables(measure, masses)
    for size in range(2, k + 1):
        for cycle in itertools.permutations(range(k), size):
            rows, columns = np.array(cycle), np.roll(cycle, 1)
            moved = masses[:, rows, columns].min(axis=1)
            after = masses.copy()
            after[:, rows, columns] -= moved[:, None]
            after[:, rows, rows] += moved[:, None]
            found = of_tables(measure, after)
            change = found - before
            held(~(change * sign < -SLACK), masses, before, found)
            if not sign and measure.rung != "table":
                held(~(np.abs(change) > SLACK), masses, before, found)


# --- what changes nothing -------------------------------------------------------------------------------------------


@cells_of_all
def test_exchanging_the_sides_changes_exactly_what_is_not_symmetric(measure):
    exchanged = values(measure, GRID[[0, 2, 1, 3]])
    if measure.symmetric:
        same(exchanged, values(measure, GRID), GRID)
    else:
        assert differ(exchanged, values(measure, GRID))


@cells_of_all
def test_exchanging_the_classes_changes_exactly_what_is_not_class_symmetric(measure):
    exchanged = values(measure, GRID[::-1])
    if measure.class_symmetric:
        same(exchanged, values(measure, GRID), GRID)
    else:
        assert differ(exchanged, values(measure, GRID))


@cells_of_all
def test_another_class_frequency_changes_exactly_what_is_not_skew_invariant(measure):
    shifted = GRID * np.array([3.5, 0.2, 3.5, 0.2])[:, None]
    if measure.skew_invariant:
        same(values(measure, shifted), values(measure, GRID), GRID)
    else:
        assert differ(values(measure, shifted), values(measure, GRID))


@cells_of_all
def test_true_negatives_matter_without_true_positives_exactly_where_said(measure):
    none = GRID[:, GRID[0] == 0]
    more = none.copy()
    more[3] += 2.0
    assert differ(values(measure, none), values(measure, more)) == measure.tn_at_zero


@tables_of_all
def test_exchanging_the_sides_of_a_table_changes_exactly_what_is_not_symmetric(measure):
    exchanged = [(of_tables(measure, np.swapaxes(m, 1, 2)), of_tables(measure, m), m) for m in TABLES_OF.values()]
    if measure.symmetric:
        for pair in exchanged:
            same(*pair)
    else:
        assert any(differ(a, b) for a, b, _ in exchanged)


@tables_of_all
def test_another_order_of_the_classes_changes_exactly_what_is_not_class_symmetric(measure):
    reordered = [
        (of_tables(measure, m[:, order][:, :, order]), of_tables(measure, m), m)
        for k, m in TABLES_OF.items()
        for order in [list(o) for o in itertools.permutations(range(k))]
    ]
    if measure.class_symmetric:
        for pair in reordered:
            same(*pair)
    else:
        assert any(differ(a, b) for a, b, _ in reordered)


@tables_of_all
def test_other_class_frequencies_change_exactly_what_is_not_skew_invariant(measure):
    shifted = [
        (of_tables(measure, m * np.array([5.0, 0.3, 2.0, 1.0])[:k, None]), of_tables(measure, m), m)
        for k, m in TABLES_OF.items()
    ]
    if measure.skew_invariant:
        for pair in shifted:
            same(*pair)
    else:
        assert any(differ(a, b) for a, b, _ in shifted)


@every_measure
@pytest.mark.parametrize("factor", [1e-200, 1e-20, 0.1, 3.0, 1e25, 1e200])
def test_the_size_of_the_masses_does_not_matter(measure, factor):
    if measure.takes_operator:
        same(values(measure, GRID * factor), values(measure, GRID), GRID)
    else:
        for masses in TABLES_OF.values():
            same(of_tables(measure, masses * factor), of_tables(measure, masses), masses)


@every_measure
def test_a_power_of_two_changes_no_bit(measure):
    if measure.takes_operator:
        np.testing.assert_array_equal(values(measure, GRID * 2.0**9), values(measure, GRID))
        np.testing.assert_array_equal(values(measure, GRID * 2.0**-700), values(measure, GRID * 2.0**700))


# --- linear ---------------------------------------------------------------------------------------------------------


@linear_ones
def test_coefficients_give_the_value(measure):
    above, below = (np.array(side) @ GRID for side in measure.linear)
    with np.errstate(invalid="ignore"):
        same(np.where(below > 0, above / below, np.nan), values(measure, GRID), GRID)


@linear_ones
@given(masses=draw.cell_masses(most_classes=6))
def test_micro_is_the_denominator_weighted_macro_of_linear_measures(measure, masses):
    below = np.array(measure.linear[1]) @ masses
    each = values(measure, masses)
    expected = np.sum(np.where(below > 0, each * below, 0)) / below.sum() if below.sum() > 0 else np.nan
    same(evaluate(micro(measure), Cells(masses)), expected)


@cells_of_all
def test_a_measure_without_coefficients_has_none(measure):
    """A ratio a.v / b.v fits every v with a.v - value b.v = 0: a matrix of such rows loses rank."""
    v = np.random.default_rng(7).uniform(0.1, 5, (4, 400))
    value = values(measure, v)
    rows = np.concatenate([-v, np.where(np.isfinite(value), value, 0) * v]).T
    singular = np.linalg.svd(rows / np.linalg.norm(rows, axis=0), compute_uv=False)
    assert (singular[-1] < 1e-10 * singular[0]) == measure.decomposable


@those(CELLS, lambda measure: not measure.decomposable)
def test_micro_of_a_measure_without_coefficients_is_no_weighted_macro(measure):
    v = np.random.default_rng(8).uniform(0.1, 5, (4, 50, 2))
    each, pooled = values(measure, v), values(measure, v.sum(axis=-1, keepdims=True))[:, 0]
    share = (pooled - each[:, 1]) / (each[:, 0] - each[:, 1])  # the weight that the first column would need
    denominators = [np.array(b) for b in itertools.product([0, 1, 2], repeat=4) if any(b)]
    for b in denominators:
        weight = np.einsum("c,crk->rk", b, v)
        assert np.abs(share - weight[:, 0] / weight.sum(axis=1)).max() > 1e-6


# --- many at once ---------------------------------------------------------------------------------------------------


@every_measure
def test_axes_in_front_are_carried_along(measure):
    """Replicates, draws and thresholds stand before the class axis; each gets its own value."""
    rng = np.random.default_rng(3)
    if measure.takes_operator:
        v = rng.choice(LEVELS, (4, 5, 7, 3))
        together = values(measure, v)
        for i, j in itertools.product(range(5), range(7)):
            np.testing.assert_array_equal(together[i, j], values(measure, v[:, i, j]))
        for operator in (micro, macro):
            whole = evaluate(operator(measure), CellsOfAnything(v))
            each = [[evaluate(operator(measure), CellsOfAnything(v[:, i, j])) for j in range(7)] for i in range(5)]
            same(whole, np.array(each))
    else:
        masses = TABLES_OF[3][:6].reshape(2, 3, 3, 3)
        whole = of_tables(measure, masses)
        same(whole, np.array([[of_tables(measure, masses[i, j]) for j in range(3)] for i in range(2)]))


# --- a measure of one's own -----------------------------------------------------------------------------------------


@given(masses=draw.cell_masses(), convention=st.sampled_from(draw.CONVENTIONS))
def test_a_renamed_measure_has_the_same_values(masses, convention):
    own = CELLS["f1"].named("overlap", "agreement")
    assert isinstance(own, Measure)
    assert (own.name, own.aliases, own.linear) == ("overlap", ("agreement",), CELLS["f1"].linear)
    same(evaluate(macro(own), Cells(masses), convention), evaluate(macro(CELLS["f1"]), Cells(masses), convention))
