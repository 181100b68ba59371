"""R_K of tables and examples: golden values, extreme numbers, both forms, the gradient, the losses."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, Table, rk_coeff, rk_coeff_np, rk_gradient
from softtruth.conventions import Convention
from softtruth.rk import minus_log, one_minus
from softtruth.statistics.margins import cells_from_margins, cells_of_codes, cells_of_degrees, rest, table_of_degrees
from softtruth.uncertainty.derivative import gradient

GOLDEN = json.loads((Path(__file__).parent / "golden/rk_coeff.json").read_text(encoding="utf-8"))


def table_of(given):
    if "ones" in given:
        return np.ones((given["ones"], given["ones"]))
    if "tp" in given:
        return np.array([[given["tn"], given["fp"]], [given["fn"], given["tp"]]])
    return np.array(given.get("table", given.get("confusion")), given.get("dtype"))


TABLES = {
    g["name"]: g
    for g in GOLDEN
    if isinstance(g["expected"], float) and {"table", "ones", "confusion", "tp"} & set(g["input"])
}


def golden(name):
    return next(g for g in GOLDEN if g["name"] == name)


@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES)
def test_published_and_exact_values(case):
    table = table_of(case["input"])
    for found in (rk_coeff(table), rk_coeff_np(table), rk_coeff(table.astype(np.float64))):
        assert found == pytest.approx(case["expected"], rel=0, abs=case["tolerance"])


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.float32])
def test_narrow_tables_do_not_overflow(dtype):
    for name in ("overflow_and_cancellation E1", "overflow_and_cancellation E3"):
        case = golden(name)
        found = rk_coeff(table_of(case["input"]).astype(dtype))
        assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def test_soft_tables_and_references():
    soft, weighted = golden("soft-rk"), golden("soft-rk-weighted")
    y, p = soft["input"]["y"], soft["input"]["p"]
    assert rk_coeff(y, p) == pytest.approx(soft["expected"], abs=1e-13)
    found = rk_coeff(y, p, sample_weight=weighted["input"]["weights"])
    assert found == pytest.approx(weighted["expected"], abs=1e-13)
    table = golden("soft-table")
    np.testing.assert_allclose(
        IndicatorMatrix(y, p, coupling="independent").table.masses, table["expected"], atol=1e-14
    )
    hard = golden("soft_rk AE1")
    assert rk_coeff(hard["input"]["y_true"], hard["input"]["y_pred"]) == pytest.approx(hard["expected"], abs=1e-12)


@pytest.mark.parametrize("name", ["error-not-square", "error-negative"])
def test_what_is_no_table_is_refused(name):
    table = golden(name)["input"]["table"]
    for ask in (rk_coeff, rk_coeff_np, rk_gradient):
        with pytest.raises(ValueError, match="table"):
            ask(table)


def test_words_of_refusal():
    with pytest.raises(InputError, match="form 'neither' is not known"):
        rk_coeff(np.eye(2), form="neither")
    with pytest.raises(InputError, match="need the examples"):
        rk_coeff(np.eye(2), form="sample")
    with pytest.raises(InputError, match="finite"):
        rk_coeff([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(InputError, match="leading axes"):
        rk_coeff_np(np.ones((2, 3, 3)))


def test_extreme_tables_keep_their_digits():
    small = np.array([[8.0, 2.0], [1.0, 9.0]])
    for scale in (1e-200, 1e25, 1e200, 2.0**-900):
        assert rk_coeff(small * scale) == pytest.approx(rk_coeff(small), rel=1e-14)
        np.testing.assert_allclose(rk_gradient(small * scale) * scale, rk_gradient(small), rtol=1e-13)
    assert rk_coeff([[1e9, 0], [0, 1]]) == 1.0
    assert rk_coeff([[1e9, 1], [1, 0]]) == pytest.approx(-1 / (1e9 + 1), rel=1e-14)
    for k in (4, 500):
        assert rk_coeff(np.ones((k, k))) == 0.0
    for k in (2, 3, 7, 50):
        assert rk_coeff(np.eye(k)) == 1.0


def test_tables_along_leading_axes():
    tables = np.random.default_rng(0).random((2, 5, 3, 3))
    found = rk_coeff(tables)
    assert found.shape == (2, 5)
    assert found[1, 2] == rk_coeff(tables[1, 2])
    np.testing.assert_allclose(rk_gradient(tables)[1, 2], rk_gradient(tables[1, 2]))


def test_a_constant_side_has_the_value_zero_here_and_none_under_a_convention():
    for table in (np.zeros((3, 3)), np.eye(3) * [1, 0, 0], [[0, 15, 0]] * 3):
        assert rk_coeff(table) == 0.0
        assert not rk_gradient(table).any()
        im = IndicatorMatrix.of(Table.of(table))
        assert np.isnan(im.compute("r_k"))
        assert im.compute("r_k", convention="one") == 1.0


# --- two forms ------------------------------------------------------------------------------------------------------


def direct_sample_form(y, p, w):
    s = w.sum()
    r, c = w @ y, w @ p
    top = s * (w @ (y * p).sum(1)) - r @ c
    return top / np.sqrt((s * (w @ (y * y).sum(1)) - r @ r) * (s * (w @ (p * p).sum(1)) - c @ c))


def test_the_sample_form_is_the_correlation_of_the_numbers():
    rng = np.random.default_rng(1)
    y, p, w = rng.dirichlet(np.ones(4), 300), rng.dirichlet(np.ones(4), 300), rng.random(300)
    assert rk_coeff(y, p, form="sample", sample_weight=w) == pytest.approx(direct_sample_form(y, p, w), rel=1e-12)
    assert rk_coeff(y, y, form="sample") == pytest.approx(1, rel=1e-14)
    assert rk_coeff(y, y) < 1
    assert rk_coeff(y, np.full_like(y, 0.25), form="sample") == 0.0
    assert rk_coeff(y, np.tile([0.1, 0.2, 0.3, 0.4], (300, 1)), form="sample") == 0.0
    assert rk_coeff(y, p, form="sample", sample_weight=w * 1e-290) == pytest.approx(direct_sample_form(y, p, w))


@given(st.integers(2, 4).flatmap(lambda k: hnp.arrays(np.int64, (12, 2), elements=st.integers(0, k - 1))))
def test_both_forms_agree_on_hard_labels(labels):
    y, p = labels.T
    assert rk_coeff(y, p, form="sample") == pytest.approx(rk_coeff(y, p), abs=1e-12)


def test_one_column_of_probabilities():
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4]
    both = np.stack([1 - np.array(p), p], axis=1)
    assert rk_coeff(y, p) == pytest.approx(rk_coeff(y, both), rel=1e-14)


# --- gradient -------------------------------------------------------------------------------------------------------


def test_the_gradient_has_its_golden_value():
    case = golden("gradient-table")
    np.testing.assert_allclose(rk_gradient(case["input"]["table"]), case["expected"], atol=1e-14)


def through_cells(table):
    """Return the derivative by every entry of the table, from the derivative by the cells of every class."""
    from softtruth.measures.tables import r_k

    g = gradient(r_k, Table.of(table).classes, Convention.EXCLUDE)
    k = len(table)
    found = np.empty((k, k))
    for i, j in np.ndindex(k, k):
        others = [c for c in range(k) if c not in (i, j)]
        found[i, j] = g[3, others].sum() + (g[0, i] if i == j else g[2, i] + g[1, j])
    return found


@given(draw.table_masses(draw.positive_masses))
def test_the_closed_form_is_the_derivative_of_the_formula(table):
    found = rk_gradient(table)
    np.testing.assert_allclose(found, through_cells(table), atol=1e-11 / table.sum() + 1e-13 * np.abs(found).max())
    assert (table * found).sum() == pytest.approx(0, abs=1e-12)


def test_the_gradient_of_a_rare_class_keeps_its_digits():

    def exact(t):
        s, d = Fraction(sum(map(sum, t))), Fraction(sum(t[i][i] for i in range(2)))
        r, c = [Fraction(sum(row)) for row in t], [Fraction(sum(row[j] for row in t)) for j in range(2)]
        rc = sum(a * b for a, b in zip(r, c, strict=True))
        top, dr, dc = s * d - rc, s * s - sum(a * a for a in r), s * s - sum(a * a for a in c)
        root = float(dr) ** 0.5 * float(dc) ** 0.5

        def entry(i, j):
            return d + (s if i == j else 0) - c[i] - r[j] - top * ((s - r[i]) / dr + (s - c[j]) / dc)

        return [[float(entry(i, j)) / root for j in range(2)] for i in range(2)]

    t = [[10**9, 3], [2, 5]]
    np.testing.assert_allclose(rk_gradient(t), exact(t), rtol=1e-7)


def test_losses():
    assert one_minus(0.25) == 0.75
    assert minus_log(np.float64(0.5)) == pytest.approx(np.log(2))
    assert minus_log(np.float64(-1 / 3)) == np.inf
    assert minus_log(np.float64(-0.5), shifted=True) == pytest.approx(np.log(4))
    table = golden("log-loss-nonpositive")["input"]["table"]
    assert minus_log(np.float64(rk_coeff(table))) == np.inf


# --- cells from margins ---------------------------------------------------------------------------------------------


def test_the_rest_is_added_up_and_never_subtracted():
    np.testing.assert_array_equal(rest(np.array([1e20, 1.0, 2.0, 3.0])), [6.0, 1e20, 1e20, 1e20])
    np.testing.assert_array_equal(rest(np.array([[4.0]])), [[0.0]])


@given(st.integers(2, 5), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_cells_from_margins_are_those_of_the_table(k, n, seed):
    rng = np.random.default_rng(seed)
    y, p, w = rng.integers(0, k, n), rng.dirichlet(np.full(k, 0.3), n), rng.random(n)
    rows = np.eye(k)[y]
    expected = Table(table_of_degrees(rows, p, w)).classes.masses
    np.testing.assert_allclose(cells_of_codes(y, p, w).masses, expected, atol=1e-13)
    np.testing.assert_allclose(cells_of_degrees(rows, p, w).masses, expected, atol=1e-13)
    weighed = rows * rng.random(k)  # rows that do not sum to one
    expected = Table(table_of_degrees(weighed, p)).classes.masses
    np.testing.assert_allclose(cells_of_degrees(weighed, p).masses, expected, atol=1e-13)


def test_sums_behind_a_softmax_may_be_taken_elsewhere():
    rng = np.random.default_rng(0)
    y, logits, w = rng.integers(0, 3, 20), rng.normal(size=(20, 3)), rng.random(20)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def sums(logits, codes, weight):
        return p[np.arange(20), codes], weight @ p

    for weight in (None, w):
        found = cells_of_codes(y, logits, weight, softmax_sums=sums)
        np.testing.assert_allclose(found.masses, cells_of_codes(y, p, weight).masses, rtol=1e-12)


def test_a_class_that_has_nearly_everything_keeps_its_digits_in_single_precision():
    hit, miss, columns = np.array([[8188.3, 0.4], [0.7, 2.6], [8190.9, 1.1]])
    columns[0] = 8192 - columns[1]
    found, expected = (cells_from_margins(*(x.astype(t) for x in (hit, miss, columns))) for t in (np.float32, float))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# --- class indices against distributions ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_indices_against_distributions_are_counted_like_any_other(dtype, weighted):
    rng = np.random.default_rng(3)
    n, k = 30_000, 7
    y = rng.choice(k, n, p=[0.7, 0.1, 0.1, 0.05, 0.04, 0.01, 0])
    p = rng.dirichlet(np.full(k, 0.4), n).astype(dtype)
    w = rng.random(n) if weighted else None
    rows, exact = np.eye(k)[y], p.astype(np.float64)
    table = (rows * (1 if w is None else w[:, None])).T @ exact
    cells = Table(table).classes.masses
    tolerance = {"rtol": 1e-12 if dtype is np.float64 else 1e-7}
    options = {"task": "multiclass", "coupling": "independent", "sample_weight": w, "n_classes": k}
    im = IndicatorMatrix(y, p, **options)
    np.testing.assert_allclose(im.table.masses, table, **tolerance)
    np.testing.assert_allclose(im.cells.masses, cells, **tolerance)
    turned = IndicatorMatrix(p, y, **options)
    np.testing.assert_allclose(turned.table.masses, table.T, **tolerance)
    np.testing.assert_allclose(turned.cells.masses, cells[[0, 2, 1, 3]], **tolerance)
    both = IndicatorMatrix(p, p, **options)
    np.testing.assert_allclose(
        both.table.masses, (exact * (1 if w is None else w[:, None])).T @ exact, rtol=1e-12 if weighted else 3e-7
    )


def test_no_rows_have_a_table_of_zeros():
    im = IndicatorMatrix(np.empty(0, int), np.empty((0, 3)), "multiclass", coupling="independent", n_classes=3)
    np.testing.assert_array_equal(im.table.masses, np.zeros((3, 3)))
    assert np.isnan(im.compute("accuracy"))
    assert im.compute("accuracy", convention="one") == 1.0
    assert isinstance(im.cells, Cells)
