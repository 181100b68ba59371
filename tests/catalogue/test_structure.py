"""Rates, dominance, and suites that repeat themselves, by what they are defined to be."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, Table
from softtruth.measures.operators import evaluate
from softtruth.structure import best_suite, canonical_coordinates, degrees_of_freedom, dominance, jacobian, suite_of

TABLE = Table.of([[23, 4, 1], [3, 9, 6], [0, 2, 11]])
CELLS = Cells.of(52, 17, 23, 108)


def test_degrees_of_freedom():
    y = np.array([0, 1, 2, 3])
    assert degrees_of_freedom(IndicatorMatrix(y, y).statistic) == 12
    assert degrees_of_freedom(IndicatorMatrix(y, y, "ordinal").statistic) == 12
    assert degrees_of_freedom(IndicatorMatrix([0, 1], [0, 1], "binary").statistic) == 2
    assert degrees_of_freedom(IndicatorMatrix(np.eye(3), np.eye(3), "multilabel").statistic) == 6


@given(masses=draw.table_masses())
def test_rates_do_not_know_the_class_frequencies(masses):
    shifted = masses * np.arange(1, len(masses) + 1)[:, None]
    rates = canonical_coordinates(Table(masses))
    np.testing.assert_allclose(canonical_coordinates(Table(shifted)), rates)
    np.testing.assert_allclose(np.nansum(rates, axis=1), np.where(masses.sum(axis=1) > 0, 1, 0))


# --- dominance ------------------------------------------------------------------------------------------------------

RISING = [m for m in draw.CELL_MEASURES.values() if m.better == "higher" and m.joint == "rises"]


@given(masses=draw.four_masses(), share=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_who_dominates_is_not_worse_by_any_rising_measure(masses, share):
    tp, fp, fn, tn = masses
    better = np.array([tp + share[0] * fn, fp * (1 - share[1]), fn * (1 - share[0]), tn + share[1] * fp])
    a, b = Cells(better[:, None], "binary"), Cells(masses[:, None], "binary")
    assert dominance(a, b) in {"first", "equal"}
    assert dominance(b, a) in {"second", "equal"}
    for measure in RISING:
        x, y = float(measure(a)[0]), float(measure(b)[0])
        if not np.isnan(x + y):
            assert x >= y or y - x <= 1e-9 * max(1, abs(y)), measure


@given(masses=st.tuples(draw.table_masses(most_classes=3), draw.table_masses(most_classes=3)))
def test_dominance_is_about_every_error(masses):
    a, b = (m + 1.0 for m in masses)
    if a.shape != b.shape:
        with pytest.raises(InputError, match="different classes"):
            dominance(Table(a), Table(b))
        return
    errors = ~np.eye(len(a), dtype=bool)
    x, y = ((m / m.sum(axis=1, keepdims=True))[errors] for m in (a, b))
    expected = {(True, True): "equal", (True, False): "first", (False, True): "second", (False, False): "neither"}
    assert dominance(Table(a), Table(b)) == expected[bool((x <= y).all()), bool((y <= x).all())]


# --- suites ---------------------------------------------------------------------------------------------------------


def by_differences(question, statistic, step=1e-6):
    """Return the derivative by the rates of each error, rows of the reference held."""
    masses = statistic.masses
    found = []
    for k, j in itertools.permutations(range(len(masses)), 2):
        moved = []
        for sign in (1, -1):
            m = masses.copy()
            shift = sign * step * masses[k].sum()
            m[k, j] += shift
            m[k, k] -= shift
            moved.append(float(evaluate(question, Table(m))))
        found.append((moved[0] - moved[1]) / (2 * step))
    return found


@pytest.mark.parametrize("question", [q for q in draw.QUESTIONS if "exemplar" not in str(q)], ids=str)
def test_the_jacobian_is_the_derivative_by_the_rates(question):
    full = Table(TABLE.masses + np.array([[0.0, 1, 2], [0, 1, 1], [3, 0, 1]]))  # no empty entry, no tie
    found = jacobian([question], full)[0]
    assert found == pytest.approx(by_differences(question, full), rel=1e-4, abs=1e-6)


def test_binary_suites():
    found = suite_of(["recall", "specificity"], CELLS)
    assert (found.rank, found.volume, found.redundant) == (2, pytest.approx(1), False)
    three = suite_of(["precision", "recall", "f1"], CELLS)
    assert (three.rank, three.degrees_of_freedom, three.volume, three.redundant) == (2, 2, 0, True)
    same = suite_of(["fdr", "precision"], CELLS)
    assert (same.rank, same.volume) == (1, 0)
    assert suite_of(["prevalence", "recall"], CELLS).flat == suite_of(["prevalence"], CELLS).questions
    table = suite_of(["linear_weighted_kappa", "kappa"], CELLS)
    assert (table.rank, table.redundant) == (1, True)


def test_micro_averages_of_one_label_data_are_one_direction():
    assert suite_of(["precision", "recall", "f1"], TABLE, operator="micro").rank == 1
    assert suite_of(["precision", "recall", "f1"], TABLE, operator="macro").rank == 3
    assert suite_of(["micro f1", "accuracy", "macro f1"], TABLE).rank == 2


def test_multilabel_suites():
    y, p = np.random.default_rng(0).integers(0, 2, (2, 60, 3))
    statistic = IndicatorMatrix(y, p, "multilabel").statistic
    assert suite_of(["macro recall", "macro specificity", "macro balanced_accuracy"], statistic).rank == 2
    assert suite_of(["micro f1", "macro f1", "f1_of_means"], statistic).rank == 3


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_best_suite_is_best_of_all(size):
    names = ["f1", "recall", "precision", "specificity", "mcc", "accuracy", "quadratic_weighted_kappa"]
    best = best_suite(TABLE, size, names)
    volumes = [suite_of(some, TABLE).volume for some in itertools.combinations(names, size)]
    assert best.volume == pytest.approx(max(volumes))
    assert len(best.questions) == size


def test_the_best_of_very_many_is_built_one_by_one():
    best = best_suite(TABLE, 5)
    assert best.rank == 5
    assert best.volume > 0
    assert not best.redundant
    assert best_suite(CELLS).rank == 2


def test_suites_that_cannot_be():
    with pytest.raises(InputError, match="span 2 directions here"):
        best_suite(CELLS, 3, ["f1", "recall", "precision"])
    with pytest.raises(InputError, match="no function of the rates"):
        jacobian(["exemplar f1"], TABLE)
