"""The ends of a range are reached exactly, and no rounding passes them, whatever the sizes of the cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, Table, rk_coeff
from softtruth.measures import macro
from softtruth.measures.operators import evaluate

counts = st.one_of(st.integers(1, 5000), st.integers(1, 10**12)).map(float)
EXAMPLES = (
    np.random.default_rng(5).integers(1, 10 ** np.arange(1, 11)[:, None, None], (10, 400, 2)).reshape(-1, 2).T * 1.0
)
NOTHING = np.zeros(EXAMPLES.shape[1])


def values(name, *cells):
    return np.asarray(draw.CELL_MEASURES[name](Cells(np.array(cells, float))))


def at_ends(masses):
    """Return the names of the measures that are at an end of their range (to a few digits) on all of these cells."""
    found = {}
    for name, measure in draw.CELL_MEASURES.items():
        value = np.asarray(measure(Cells(masses)))
        for end in measure.range:
            if np.isfinite(end) and np.all(np.abs(value - end) < 1e-9):
                found[name] = end
    return found


RIGHT = np.stack([EXAMPLES[0], NOTHING, NOTHING, EXAMPLES[1]])
WRONG = RIGHT[[1, 0, 3, 2]]
EVEN = np.stack([NOTHING, EXAMPLES[0], EXAMPLES[0], NOTHING])


@pytest.mark.parametrize("masses", [RIGHT, WRONG, EVEN], ids=["right", "wrong", "wrong and even"])
def test_cells_at_the_ends(masses):
    ends = at_ends(masses)
    assert len(ends) > 20
    for name, end in ends.items():
        if name == "mutual_information":  # log 2 is no number of floating point: an ulp below it is as near
            assert np.all(np.abs(values(name, *masses) - end) < 2e-16)
        else:
            assert set(np.unique(values(name, *masses))) == {end}, name


def test_what_is_at_an_end():
    assert {"mcc": -1.0, "cramers_v": 1.0, "f1": 0.0}.items() <= at_ends(WRONG).items()
    assert {"mcc": 1.0, "kappa": 1.0, "adjusted_f": 1.0, "gilbert_skill": 1.0}.items() <= at_ends(RIGHT).items()
    assert {"gilbert_skill": -1 / 3, "kappa": -1.0, "scott_pi": -1.0}.items() <= at_ends(EVEN).items()


@given(cells=st.tuples(*[counts] * 4), empty=st.sets(st.integers(0, 3)), even=st.integers(-2, 2))
def test_no_cells_pass_an_end(cells, empty, even):
    """Also where the counts are nearly even, so that the value is next to an end without being there."""
    tp, fp = cells[:2]
    for given_cells in (cells, [tp, fp, max(fp + even, 0), max(tp + even, 0)]):
        masses = np.array([0.0 if i in empty else mass for i, mass in enumerate(given_cells)])[:, None]
        for name, measure in draw.CELL_MEASURES.items():
            low, high = measure.range
            value = measure(Cells(masses))
            assert np.all(np.isnan(value) | ((low <= value) & (value <= high))), name


@pytest.mark.parametrize("k", [2, 3, 5])
def test_tables_at_the_ends(k):
    rng = np.random.default_rng(k)
    tables = np.zeros((2000, k, k))
    tables[:, range(k), range(k)] = rng.integers(1, 10 ** rng.integers(1, 11, (2000, k)))
    renamed = np.roll(tables, 1, axis=-1)
    for name, measure in draw.TABLE_MEASURES.items():
        right, wrong = (np.asarray(evaluate(measure, Table(t))) for t in (tables, renamed))
        low, high = measure.range
        for found in (right, wrong):
            assert np.all(np.isnan(found) | ((low <= found) & (found <= high))), name
        if measure.better != "neither" and measure.range in {(0.0, 1.0), (-1.0, 1.0)}:
            assert set(right[~np.isnan(right)]) <= {1.0 if measure.better == "higher" else 0.0}, name
    for name in ("theil_u", "table_cramers_v"):
        assert np.all(evaluate(draw.TABLE_MEASURES[name], Table(renamed)) == 1.0)


@given(table=draw.table_masses(counts))
def test_no_table_passes_an_end(table):
    for name, measure in draw.TABLE_MEASURES.items():
        low, high = measure.range
        value = evaluate(measure, Table(table))
        assert np.isnan(value) or low <= value <= high, name


def test_numbers_that_were_an_ulp_out():
    assert float(values("mcc", [0], [1701], [1274], [0])[0]) == -1.0
    assert float(values("cramers_v", [0], [1701], [1274], [0])[0]) == 1.0
    assert float(values("adjusted_f", [1233], [0], [0], [345])[0]) == 1.0
    assert evaluate(macro(draw.CELL_MEASURES["mcc"]), Cells(WRONG)) == -1.0


def test_a_value_that_is_really_out_of_range_is_not_taken_back():
    own = draw.CELL_MEASURES["mcc"].from_formula(
        "too much", lambda tp, fp, fn, tn: 1.001 + 0.0 * (tp + fp + fn + tn), range=(-1.0, 1.0)
    )
    assert float(own(Cells.of(1, 2, 3, 4))[0]) == 1.001


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_the_sample_form_stays_in_its_range(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.dirichlet(np.ones(k), 37)
    assert rk_coeff(y, y, form="sample") == 1.0
    assert rk_coeff(y, 0.7 * y + 0.3 / k, form="sample") <= 1.0
    if k == 2:
        assert rk_coeff(y, y[:, ::-1], form="sample") >= -1.0


@pytest.mark.parametrize("power", [-300, -199, 0, 199, 300])
def test_the_ends_do_not_depend_on_the_unit(power):
    assert set(values("mcc", *(WRONG * 2.0**power))) == {-1.0}
    assert values("mcc", *(np.array([[3.0], [1.0], [1.0], [4.0]]) * 2.0**power))[0] == pytest.approx(0.55)
