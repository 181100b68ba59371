"""Law 2: couplings keep margins, agree on crisp data, and order every value that rises with the shared mass."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, NotAnswerableError, marginal_defect, tnorms
from softtruth.measures.operators import evaluate, micro
from softtruth.statistics import Coupling
from softtruth.statistics.coupled_sums import CHUNK_ENTRIES, row_cells
from softtruth.statistics.coupling import coupling_of
from softtruth.tnorms import TNorm

UNIT = np.linspace(0, 1, 17)
A, B = np.meshgrid(UNIT, UNIT, indexing="ij")
COMPLETED = {name: coupling_of(None, c) for name, c in draw.COUPLINGS.items()}
RAW = {name: coupling_of(t, None) for name, t in draw.TNORMS.items()}
sides = st.integers(1, 12).flatmap(lambda n: st.tuples(*[hnp.arrays(np.float64, n, elements=draw.degrees)] * 2))


# --- t-norms themselves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", draw.TNORMS.values(), ids=draw.TNORMS)
def test_a_tnorm_keeps_its_axioms(t):
    joint = t(A, B)
    np.testing.assert_allclose(joint, t(B, A), atol=1e-15)
    np.testing.assert_allclose(t(A, np.ones_like(A)), A, atol=1e-15)
    np.testing.assert_array_equal(t(A, np.zeros_like(A)), 0)
    assert (np.diff(joint, axis=0) >= -1e-15).all()
    np.testing.assert_allclose(t(t(A, B), 0.3), t(A, t(B, 0.3 + 0 * B)), atol=1e-12)
    assert (joint <= np.minimum(A, B) + 1e-15).all()


@pytest.mark.parametrize("t", draw.TNORMS.values(), ids=draw.TNORMS)
def test_a_tnorm_is_declared_a_copula_exactly_where_it_is_one(t):
    fine = np.arange(257) / 256
    joint = t(fine[:, None], fine[None, :])
    two_increasing = (np.diff(np.diff(joint, axis=0), axis=1) >= -1e-12).all()
    if isinstance(t, TNorm):
        assert t.copula == two_increasing
    else:
        assert two_increasing == (t is draw.clayton)


@pytest.mark.parametrize("gamma", [0, 0.25, 0.5, 2, 3, 10])
def test_the_margin_that_hamacher_loses_has_a_closed_form(gamma):
    s = (1 - gamma) / (1 + gamma)
    assert marginal_defect(tnorms.hamacher(gamma)) == pytest.approx(abs(1 - 2 * (math.sqrt(1 + s) - 1) / s), abs=2e-3)


@pytest.mark.parametrize("t", [t for t in draw.TNORMS.values() if t is not tnorms.product])
def test_only_the_product_keeps_both_margins(t):
    assert marginal_defect("product") == marginal_defect(tnorms.hamacher(1)) == 0.0
    assert marginal_defect(t) > 0.01


@pytest.mark.parametrize(
    ("name", "t"),
    [
        *[(name, tnorms.product) for name in ("product", "prod", "Product")],
        *[(name, tnorms.godel) for name in ("godel", "goedel", "gödel", "minimum", "min", "GODEL")],
        *[(name, tnorms.lukasiewicz) for name in ("lukasiewicz", "łukasiewicz", "luk", "Luk")],
    ],
)
def test_a_tnorm_by_any_of_its_names_is_the_same(name, t):
    assert tnorms.tnorm_of(name) is t
    assert coupling_of(name, None) == coupling_of(t, None)
    assert coupling_of(None, name) == coupling_of(None, t)


def test_one_coupling_has_one_name():
    assert coupling_of(None, "product").name == coupling_of("product", None).name == "independent"
    assert coupling_of(None, "godel").name == "most"
    assert coupling_of(None, "lukasiewicz").name == "least"
    assert coupling_of("godel", None).name == "raw godel"
    assert coupling_of(None, tnorms.hamacher(0.5)).name == "hamacher 0.5"
    assert coupling_of(tnorms.hamacher(1), None).name == "independent"


# --- cells ----------------------------------------------------------------------------------------------------------


def in_order(y, p, **settings):
    return np.array(IndicatorMatrix(y, p, "binary", **settings).counts)


def added_up(coupling, y, p):
    """Return the cells by the definition, each summed without rounding."""
    return np.array([math.fsum(np.maximum(cell, 0)) for cell in coupling.entries(y, p)])


@pytest.mark.parametrize("name", [*COMPLETED, *(f"raw {name}" for name in RAW)])
@given(data=sides)
def test_cells_are_the_sums_of_their_definition(name, data):
    y, p = data
    raw = name.startswith("raw ")
    coupling = RAW[name.removeprefix("raw ")] if raw else COMPLETED[name]
    settings = {"tnorm": draw.TNORMS[name.removeprefix("raw ")]} if raw else {"coupling": draw.COUPLINGS[name]}
    t = coupling.tnorm
    if coupling.completed:
        joint = t(y, p)
        expected = [joint, p - joint, y - joint, 1 - y - p + joint]
    else:
        expected = [t(y, p), t(1 - y, p), t(y, 1 - p), t(1 - y, 1 - p)]
    assert in_order(y, p, **settings) == pytest.approx([math.fsum(cell) for cell in expected], abs=1e-12 * len(y))
    entries = np.array([IndicatorMatrix(y, p, "binary", **settings).per_example()])[0]
    assert entries == pytest.approx(np.array(expected).T, abs=1e-12)


@pytest.mark.parametrize("name", COMPLETED)
@given(data=sides)
def test_completed_cells_keep_both_margins(name, data):
    y, p = data
    tp, fp, fn, tn = in_order(y, p, coupling=draw.COUPLINGS[name])
    assert min(tp, fp, fn, tn) >= 0
    assert tp + fn == pytest.approx(math.fsum(y), abs=1e-12 * len(y))
    assert tp + fp == pytest.approx(math.fsum(p), abs=1e-12 * len(y))
    assert tp + fp + fn + tn == pytest.approx(len(y), abs=1e-12 * len(y))


@pytest.mark.parametrize("settings", draw.SETTINGS[1:])
@given(data=sides, crisp_reference=st.booleans())
def test_all_couplings_agree_where_one_side_is_crisp(settings, data, crisp_reference):
    y, p = data
    y, p = (np.round(y), p) if crisp_reference else (y, np.round(p))
    assert in_order(y, p, **settings) == pytest.approx(in_order(y, p, tnorm="product"), abs=1e-12 * len(y))


@given(data=sides)
def test_all_four_raw_cells_keep_the_order_of_the_tnorms(data):
    y, p = data
    small, middle, large = (in_order(y, p, tnorm=t) for t in ("lukasiewicz", "product", "godel"))
    slack = 1e-12 * len(y)
    assert (small <= middle + slack).all()
    assert (middle <= large + slack).all()


@given(data=sides)
def test_raw_frank_cells_keep_the_two_differences(data):
    y, p = data
    for t in ("lukasiewicz", "product", "godel"):
        tp, fp, fn, tn = in_order(y, p, tnorm=t)
        assert tp - tn == pytest.approx(math.fsum(y) + math.fsum(p) - len(y), abs=1e-11)
        assert fp - fn == pytest.approx(math.fsum(p) - math.fsum(y), abs=1e-11)


@pytest.mark.parametrize("n", [1, 10, 1000, 60_000])
def test_structural_zeros_are_exact(n):
    rng = np.random.default_rng(n)
    y, low = rng.random(n), rng.random(n) / 2
    assert in_order(y, y / 3, coupling="most")[1] == 0.0
    assert in_order(y, np.minimum(1, y * 1.0000001), coupling="most")[2] == 0.0
    assert in_order(low, 0.5 - low / 2, coupling="least")[0] == 0.0
    assert in_order(1 - low, 1 - low / 2, coupling="least")[3] == 0.0
    ones = np.ones(n)
    for settings in draw.SETTINGS[1:]:
        tp, fp, fn, tn = in_order(ones, y, **settings)
        assert fp == tn == 0.0
        tp, fp, fn, tn = in_order(y, ones, **settings)
        assert fn == tn == 0.0
        tp, fp, fn, tn = in_order(y, 0 * ones, **settings)
        assert tp == fp == 0.0


def test_wide_rows_are_summed_one_block_after_another():
    y, p = np.random.default_rng(0).random((2, 3, CHUNK_ENTRIES // 2 + 1))
    parts, blocks = zip(*row_cells(coupling_of(None, "independent"), y, p), strict=True)
    assert len(parts) == 3
    expected = [np.sum(one, axis=1) for one in (y * p, (1 - y) * p, y * (1 - p), (1 - y) * (1 - p))]
    np.testing.assert_allclose(np.concatenate(blocks, axis=1), expected, rtol=1e-10)


# --- order of values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", draw.CELL_MEASURES)
@given(data=sides)
def test_couplings_order_the_values_as_the_trait_says(name, data):
    y, p = data
    measure = draw.MEASURES[name]
    least, independent, most = (
        IndicatorMatrix(y, p, "binary", coupling=c).compute(measure) for c in ("least", "independent", "most")
    )
    if math.isnan(least + independent + most):
        return
    slack = 1e-11
    if measure.joint == "rises":
        assert least <= independent + slack
        assert independent <= most + slack
    elif measure.joint == "falls":
        assert least >= independent - slack
        assert independent >= most - slack
    elif measure.joint == "constant":
        assert least == pytest.approx(independent, abs=slack) == pytest.approx(most, abs=slack)


# The whole table is not determined by a coupling of its diagonal.
ORDERED = [
    name
    for name, measure in draw.TABLE_MEASURES.items()
    if measure.rung != "table" and measure.joint in {"rises", "falls", "constant"}
]


@pytest.mark.parametrize("name", ORDERED)
@given(problem=draw.problems(tasks=("multiclass",), couplings=st.just({}), weighted=False, masked=False))
def test_couplings_order_the_values_of_all_classes_too(name, problem):
    measure = draw.MEASURES[name]
    values = [problem.build(coupling=c).compute(measure) for c in ("least", "independent", "most")]
    assume(not any(math.isnan(v) for v in values))
    signed = np.diff(values) * {"rises": 1, "falls": -1, "constant": 0}[measure.joint]
    assert (signed >= -1e-11).all()
    if measure.joint == "constant":
        assert np.ptp(values) <= 1e-11


# --- what is refused ------------------------------------------------------------------------------------------------


def test_a_declared_tnorm_that_is_no_copula_is_refused_as_a_coupling():
    with pytest.raises(InputError, match="not a copula"):
        IndicatorMatrix([0.5], [0.5], "binary", coupling=tnorms.hamacher(3))


@pytest.mark.parametrize("task", ["binary", "multilabel", "multiclass"])
def test_a_callable_that_is_no_copula_is_refused_when_a_cell_is_negative(task):
    y, p = np.array([0.7, 0.2]), np.array([0.6, 0.4])
    if task != "binary":
        y, p = np.stack([y, 1 - y], axis=1), np.stack([p, 1 - p], axis=1)
    im = IndicatorMatrix(y, p, task, tnorm=draw.drastic)
    assert min(im.counts) >= 0
    with pytest.raises(InputError, match="is not a copula: it leaves a negative cell"):
        _ = IndicatorMatrix(y, p, task, coupling=draw.drastic).counts


def test_a_coupling_of_ones_own_is_taken_as_it_is():
    own = Coupling("my own", draw.clayton, completed=True)
    y, p = np.array([0.7, 0.2]), np.array([0.6, 0.4])
    im = IndicatorMatrix(y, p, "binary", coupling=own)
    assert im.coupling == "my own"
    assert im.counts.tp == pytest.approx(float(draw.clayton(y, p).sum()))


def test_raw_cells_refuse_what_needs_the_margins():
    y = np.array([[0.7, 0.3], [0.4, 0.6]])
    im = IndicatorMatrix(y, y[::-1], "multiclass", tnorm="godel")
    for name, measure in draw.TABLE_MEASURES.items():
        if measure.rung != "cells":
            with pytest.raises(NotAnswerableError):
                im.compute(name)


def test_a_coupling_of_both_soft_sides_leaves_the_table_open_but_not_its_diagonal():
    y = np.array([[0.7, 0.2, 0.1], [0.4, 0.6, 0.0]])
    im = IndicatorMatrix(y, y[::-1], "multiclass", coupling="most")
    with pytest.raises(NotAnswerableError, match="not determined"):
        _ = im.table
    assert im.compute("accuracy") == pytest.approx(np.minimum(y, y[::-1]).sum() / 2)
    hard = IndicatorMatrix([0, 1], y, "multiclass", coupling="most")
    np.testing.assert_allclose(hard.table.masses, [y[0], y[1], [0, 0, 0]])


def test_micro_of_pooled_cells_is_the_measure_of_their_sum():
    cells = Cells(np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 1.0], [5.0, 7.0]]))
    for measure in draw.CELL_MEASURES.values():
        pooled = Cells.of(3.0, 3.0, 2.0, 12.0)
        assert evaluate(micro(measure), cells) == pytest.approx(float(measure(pooled)[0]), nan_ok=True)
