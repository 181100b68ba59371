"""Measures of the whole table have sampling intervals: right by differences, by replicates and by coverage."""

import time
import tracemalloc

import numpy as np
import pytest

import strategies as draw
from softtruth import IndicatorMatrix, Moments, Table
from softtruth.conventions import Convention
from softtruth.measures.distances import weighted_kappa
from softtruth.measures.operators import evaluate
from softtruth.uncertainty.derivative import table_gradient

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


def test_many_classes_stay_in_memory():
    """A full table of 60 classes: 3,600 directions of 3,600 entries each, never all at once."""
    table = Table(np.random.default_rng(6).integers(1, 20, (60, 60)).astype(float))
    tracemalloc.start()
    started = time.process_time()
    table_gradient(TABLE_MEASURES["cen"], table, Convention.EXCLUDE)
    assert time.process_time() - started < 30
    assert tracemalloc.get_traced_memory()[1] < 40e6
    tracemalloc.stop()


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
