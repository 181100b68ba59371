"""Masses of any size: a value does not change when all are multiplied by a number, and tiny ones beside ones count."""

from dataclasses import replace

import numpy as np
import pytest
from array_api_compat import array_namespace

import strategies as draw
from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    Means,
    Table,
    annotations,
    mean_interval,
    parse,
    prior_curve,
    rk_coeff_np,
)
from softtruth.corrections.audit import difference_estimate
from softtruth.measures.operators import evaluate
from softtruth.structure.cost import total_cost
from test_backends import BACKENDS

SIZES = (1e-299, 1e-155, 1e-60, 1e60, 1e155, 1e290)
WIDE = np.finfo(np.longdouble).maxexp > 1024
DECADES = (-30, -100, -150)


def problem(size, n=60):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    p = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
    return IndicatorMatrix(y, p, sample_weight=rng.uniform(0.5, 2, n) * size)


@pytest.mark.parametrize("question", draw.QUESTIONS, ids=str)
def test_the_size_of_all_masses_does_not_count(question):
    plain = problem(1.0)
    value, interval = plain.compute(question), plain.interval(question)
    for size in SIZES:
        im = problem(size)
        assert im.compute(question) == pytest.approx(value, rel=1e-10, abs=1e-14, nan_ok=True)
        found = im.interval(question)
        assert [found.low, found.high] == pytest.approx([interval.low, interval.high], rel=1e-8, nan_ok=True)


def with_tiny_ones(shape, decade, seed):
    rng = np.random.default_rng(seed)
    masses = rng.integers(0, 4, (100, *shape)) * np.where(rng.random((100, *shape)) < 0.5, 10.0**decade, 1.0)
    return [m for m in masses if m.any()]


def in_wide_floats(measure, statistic):
    given = getattr(statistic, measure.rung)
    with np.errstate(all="ignore"):
        return measure.formula(replace(given, masses=given.masses.astype(np.longdouble)), *measure.parameters)


@pytest.mark.skipif(not WIDE, reason="this machine has no wider floats to compare with")
@pytest.mark.parametrize("decade", DECADES)
@pytest.mark.parametrize("measure", draw.MEASURES.values(), ids=draw.MEASURES)
def test_tiny_masses_beside_ones_are_neither_lost_nor_infinite(measure, decade):
    if measure.takes_operator:
        statistics = [Cells.of(*m) for m in with_tiny_ones((4,), decade, 1)]
    else:
        statistics = [Table.of(m) for m in with_tiny_ones((3, 3), decade, 2)]
    for statistic in statistics:
        expected = np.asarray(in_wide_floats(measure, statistic), float)
        np.testing.assert_allclose(measure(statistic), expected, rtol=1e-9, atol=1e-12, err_msg=str(statistic.masses))


def test_a_table_of_the_smallest_numbers_is_a_table():
    table = np.array([[8, 2], [1, 9]]) * 2.0**-1060
    assert rk_coeff_np(table) == pytest.approx(rk_coeff_np([[8, 2], [1, 9]]))
    assert float(evaluate(draw.measure_of("theil_u"), Table.of(table))) == pytest.approx(0.3973, abs=1e-4)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1e308, 1e308, 1e308], "from 1e+308 (the smallest above 0) to 1e+308"),
        ([1e-310, 1e-310, 0], "from 1e-310 (the smallest above 0)"),
        ([1e-200, 1, 1], "put 0 for those that count for nothing"),
    ],
)
def test_weights_that_cannot_be_added_are_refused(weights, words):
    with pytest.raises(InputError) as caught:
        IndicatorMatrix([0, 1, 1], [0, 1, 0], sample_weight=weights)
    assert words in str(caught.value)


def test_masses_that_cannot_be_added_are_refused():
    for make in (lambda: Table.of([[1e308, 1], [1, 1]]), lambda: Cells.of(1e308, 1, 1, 1)):
        with pytest.raises(InputError, match="at most 1e300"):
            make()


@pytest.mark.parametrize("size", SIZES)
def test_means_have_the_weights_of_any_size(size):
    values, weight = np.array([0.0, 1.0, 0.25]), np.array([1.0, 2.0, 3.0])
    plain, found = Means.of(values, weight), Means.of(values, weight * size) + Means()
    assert found.value() == pytest.approx(plain.value())
    assert found.standard_error() == pytest.approx(plain.standard_error())


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64, np.float16, np.float32, ">f8", "list", "frame"])
@pytest.mark.parametrize("measure", draw.MEASURES.values(), ids=draw.MEASURES)
def test_masses_of_any_kind_of_number_have_one_value(measure, kind):
    counts = [[200, 100, 3], [50, 240, 7], [0, 128, 255]]
    if kind == "frame":
        given = pytest.importorskip("pandas").DataFrame(counts)
    else:
        given = counts if kind == "list" else np.array(counts, kind)
    np.testing.assert_array_equal(measure(Table(given)), measure(Table(np.array(counts, float))))


def test_products_of_counts_do_not_overflow():
    counts = [[40_000, 20_000], [3, 40_000]]
    assert parse("r_k")(Table(np.array(counts))) == parse("r_k")(Table.of(counts))
    cells = np.array([[40_000], [3], [20_000], [40_000]], np.int32)
    assert parse("kappa").measure(Cells(cells)) == parse("kappa").measure(Cells.of(*cells))


def in_bytes(backend):
    """Return a table of whole numbers of one byte, made by the library of this array."""
    array = backend.put(np.array([[200, 100], [100, 200]]))
    xp = array_namespace(array)
    return xp.astype(array, xp.uint8)


@pytest.mark.backend
@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_whole_numbers_of_other_libraries_become_floats(backend):
    counts = in_bytes(backend)
    assert float(parse("accuracy")(Table(counts))) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: Table(np.ones((1, 2))), r"the table has shape \(1, 2\), expected K x K"),
        (lambda: Table([["much"]]), r"masses are \[\['much'\]\], expected an array of numbers"),
        (lambda: parse("f1").measure(Cells(np.ones((1, 2)))), r"cells have masses of shape \(1, 2\), expected \(4"),
    ],
)
def test_masses_of_another_shape_are_refused(ask, words):
    with pytest.raises(InputError, match=words):
        ask()
    assert "masses=[[1. 1.]]" in repr(Cells(np.ones((1, 2))))


@pytest.mark.parametrize("size", [1e-200, 1e154, 1e200, 1e298])
@pytest.mark.parametrize("question", ["macro f1", "accuracy", "r_k"])
def test_intervals_at_many_priors_do_not_depend_on_the_size_of_the_weights(question, size):
    rng = np.random.default_rng(1)
    y, q, weight = rng.integers(0, 3, 60), rng.dirichlet([1, 1, 1], 60), rng.uniform(0.5, 1, 60)
    priors = np.linspace([0.6, 0.3, 0.1], [0.2, 0.3, 0.5], 12)
    plain, found = (
        prior_curve(IndicatorMatrix(y, q, coupling="independent", sample_weight=w), question, priors, level=0.9)
        for w in (weight, weight * size)
    )
    assert np.isfinite(plain.low).all()
    np.testing.assert_allclose((found.low, found.high), (plain.low, plain.high), rtol=1e-9)


TINY = np.array([[1e-320, 1.0, 0.0]] * 60)


@pytest.mark.parametrize("how", [{"coupling": "most"}, {"tnorm": "drastic"}])
@pytest.mark.parametrize("measure", ["dor", "f1", "lr_plus", "log_dor"])
def test_the_smallest_probabilities_have_values_and_no_warning(measure, how):
    y = np.random.default_rng(0).integers(0, 3, 60)
    im = IndicatorMatrix(y, TINY, "multiclass", **how)
    assert im.compute(f"macro {measure}") == pytest.approx(im.interval(f"macro {measure}").value, nan_ok=True)


def test_numbers_at_the_edge_of_float64_have_values_and_no_warning():
    assert Means.of([1e308, 1e308, 0.0]).value() == pytest.approx(1e308 / 3 * 2)
    assert Means.of([1e308, 1e308, -1e308], [1.0, 1.0, 2.0]).value() == 0
    assert mean_interval([1e-320, 0.0, 1e-320]).value == pytest.approx(0, abs=1e-300)
    logits = IndicatorMatrix([0, 1], [[-1e308, 1e308], [1.0, 2.0]], "multiclass", prediction_kind="logits")
    assert logits.compute("accuracy") == 0.5
    with pytest.raises(InputError, match="parameters contain inf"):
        annotations.irn_samples([0.5, 10.0], 2, temperature=1e308, seed=0)
    with pytest.raises(InputError, match="agreement contains 1e"):
        difference_estimate([1e308, 1.0], [0.0, 0.0])
    with pytest.raises(InputError, match="the costs are so large"):
        total_cost(Table.of([[8, 2], [1, 9]]), np.full((2, 2), 1e308))


def test_tiny_parameters_of_a_dirichlet_law_keep_their_ratio():
    draws = annotations.dirichlet_samples([1e-320, 3e-320, 0.0], 4000, seed=0)
    np.testing.assert_array_equal(draws.sum(axis=-1), 1)
    assert draws[:, 0].mean() == pytest.approx(0.25, abs=0.03)
    assert annotations.dirichlet_samples([1e-320, 2.0], 5, seed=0)[:, 0].max() == 0


@pytest.mark.parametrize("question", ["macro f1", "r_k", "macro dor"])
def test_a_class_of_next_to_nothing_is_not_moved(question):
    with pytest.raises(InputError, match="a class has so small a share of the reference"):
        prior_curve(Table.of([[1e-320, 0], [1, 2]]), question, [[0.2, 0.8]] * 3, level=0.95)
