"""Measures of the whole table have sampling intervals: right by differences, by replicates and by coverage."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import strategies as draw
from softtruth import IndicatorMatrix, Measure, Moments, Table
from softtruth._arrays import total
from softtruth.conventions import Convention
from softtruth.measures.distances import weighted_kappa
from softtruth.measures.operators import evaluate
from softtruth.uncertainty.derivative import gradient, table_gradient

TABLE_MEASURES = {name: m for name, m in draw.TABLE_MEASURES.items() if m.rung == "table"} | {
    "of a matrix": weighted_kappa([[0, 3, 1], [0.5, 0, 2], [1, 4, 0]])
}
of_all = pytest.mark.parametrize("measure", TABLE_MEASURES.values(), ids=TABLE_MEASURES)


@of_all
def test_the_derivative_is_that_of_differences(measure):
    masses = np.random.default_rng(0).uniform(1, 9, (3, 3))
    found = table_gradient(measure, Table(masses), Convention.EXCLUDE)
    for at in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[at] = 1e-5
        slope = (evaluate(measure, Table(masses + step)) - evaluate(measure, Table(masses - step))) / 2e-5
        assert found[at] == pytest.approx(float(slope), rel=1e-5, abs=1e-8)


@of_all
def test_the_interval_is_that_of_many_replicates(measure):
    y = np.random.default_rng(1).integers(0, 3, 900)
    p = np.where(np.random.default_rng(2).random(900) < 0.6, y, np.random.default_rng(3).integers(0, 3, 900))
    im = IndicatorMatrix(y, p)
    boot = im.interval(measure, method="percentile")
    assert im.interval(measure).standard_error == pytest.approx(boot.standard_error, rel=0.1)


@of_all
@pytest.mark.parametrize("how", ["soft", "weighted", "clustered", "binary"])
def test_soft_weighted_and_clustered_data_have_intervals(measure, how):
    rng = np.random.default_rng(4)
    if measure.name.endswith("of a matrix") and how == "binary":
        return
    y, p = rng.dirichlet([0.5, 0.3, 0.15], 300), rng.dirichlet(np.ones(3), 300)
    p = (p + 4 * y) / 5
    settings = {"weighted": {"sample_weight": rng.uniform(1, 3, 300)}, "clustered": {"clusters": np.arange(300) // 3}}
    more = settings.get(how, {})
    if how == "binary":
        im = IndicatorMatrix(y[:, 0], p[:, 0], "binary", coupling="independent")
    else:
        im = IndicatorMatrix(y, p, coupling="independent", **more)
    linear, boot = im.interval(measure), im.interval(measure, method="percentile")
    assert linear.standard_error == pytest.approx(boot.standard_error, rel=0.2)


def test_sums_of_soft_data_do_not_say_how_the_table_varies():
    rng = np.random.default_rng(5)
    y = rng.dirichlet(np.ones(3), 50)
    im = IndicatorMatrix(y, y[::-1], coupling="independent")
    stream = IndicatorMatrix.of(im.table, moments=im.moments)
    assert isinstance(im.moments, Moments)
    assert stream.interval("macro f1").low == pytest.approx(im.interval("macro f1").low)
    interval = stream.interval("cen")
    assert np.isnan(interval.low)
    assert "keep the examples" in interval.note


def test_a_full_table_of_many_classes_costs_a_few_values():
    """300 classes have 90,000 entries: moved one after the other, they would take an hour."""
    masses = np.random.default_rng(6).integers(1, 20, (300, 300)).astype(float)
    tracemalloc.start()
    slopes = table_gradient(TABLE_MEASURES["cen"], Table(masses), Convention.EXCLUDE)
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()
    assert (masses * slopes).sum() == pytest.approx(0, abs=1e-12)  # it does not change with the size of the data


def of_numpy(measure):
    """Return the measure as someone would write it who calls NumPy in the formula."""

    def formula(statistic, *parameters, **how):
        return measure.formula(replace(statistic, masses=np.asarray(statistic.masses)), *parameters, **how)

    return replace(measure, formula=formula)


@pytest.mark.parametrize("measure", draw.TABLE_MEASURES.values(), ids=draw.TABLE_MEASURES)
@pytest.mark.parametrize("convention", draw.CONVENTIONS)
def test_a_formula_that_cannot_be_followed_has_the_same_derivative(measure, convention):
    rng = np.random.default_rng(8)
    masses = rng.uniform(0, 9, (2, 4, 4))
    masses[0, 2] = 0
    masses[1, :, 3] = 0
    convention = Convention(convention)
    for table in (Table(masses), Table(masses[1])):
        found = []
        if np.isnan(evaluate(measure, table, convention)).any():
            continue
        for asked in (measure, of_numpy(measure)):
            if measure.rung == "table":
                found.append(table_gradient(asked, table, convention))
            else:
                found.append(gradient(asked, table.classes, convention, [0, 1, 3] if measure.per_class else None))
        np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-8)


def test_a_formula_with_a_fold_is_not_taken_for_a_flat_one():
    """What NumPy's ``abs`` makes of an imaginary step has no slope, and nobody would be told."""
    own = Measure(
        "own",
        lambda t: (t.diagonal.sum(-1) - np.abs(t.rows - t.columns).sum(-1)) / t.rows.sum(-1),
        rung="table",
        range=(-2.0, 1.0),
    )
    table = Table.of([[60, 14, 1], [3, 49, 6], [0, 2, 31]])
    masses, n = table.masses, table.masses.sum()
    sign = np.sign(table.rows - table.columns)
    each = np.eye(3) - (sign[:, None] - sign) - float(evaluate(own, table))
    np.testing.assert_allclose(table_gradient(own, table, Convention.EXCLUDE), np.where(masses, each / n, 0), atol=1e-8)
    spread = np.sqrt((masses * each**2).sum()) / n
    assert IndicatorMatrix.of(table).interval(own).standard_error == pytest.approx(spread, rel=1e-6)


def test_plain_operators_are_followed():
    """``-x``, ``1 / x`` and ``!=`` stand in no formula of the catalogue, but may in one's own."""
    own = Measure("own", lambda t: -(1 / t.diagonal).sum(-1), rung="table")
    summed = Measure("own", lambda t: -total((1 / t.diagonal) * (t.diagonal != 2)), rung="table")
    slopes = table_gradient(summed, Table.of([[2, 1], [1, 4]]), Convention.EXCLUDE)
    np.testing.assert_allclose(slopes, [[0, 0], [0, 1 / 16]])
    np.testing.assert_allclose(
        table_gradient(own, Table.of([[2, 1], [1, 4]]), Convention.EXCLUDE), np.diag([1 / 4, 1 / 16])
    )


def test_the_largest_of_equal_masses_share_their_slope():
    slopes = table_gradient(TABLE_MEASURES["lambda"], Table(np.full((3, 3), 2.0)), Convention.EXCLUDE)
    assert slopes.sum() == pytest.approx(0, abs=1e-14)


def test_a_constant_has_no_slope():
    flat = Measure("flat", lambda t: np.full(t.masses.shape[:-2], 0.5), rung="table")
    assert not table_gradient(flat, Table(np.ones((2, 2))), Convention.EXCLUDE).any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quadratic_weighted_kappa", "cen", "theil_u", "mean_absolute_error"])
def test_intervals_of_the_table_cover_at_their_rate(name):
    rng = np.random.default_rng(7)
    truth = rng.dirichlet(np.full(9, 3.0)).reshape(3, 3) + np.eye(3) * 0.15
    truth /= truth.sum()
    target = float(evaluate(TABLE_MEASURES[name], Table(truth)))
    samples = rng.multinomial(400, truth.ravel(), 2000).reshape(-1, 3, 3)
    covered = [target in IndicatorMatrix.of(Table.of(t)).interval(name) for t in samples]
    assert 0.935 <= np.mean(covered) <= 0.970
