"""Law 1: any split, in any order, gives the statistic of the whole; nothing added changes nothing; weights count."""

import itertools
import math
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, Means, Moments, NotAnswerableError, Table
from softtruth.measures import Averaged, exemplar
from softtruth.statistics import Examples

QUESTIONS = draw.QUESTIONS


def answers(im, convention="exclude"):
    """Return the value of every question that can be answered, by its name."""
    found = {}
    for question in QUESTIONS:
        try:
            found[str(question)] = im.compute(question, convention=convention)
        except NotAnswerableError:
            found[str(question)] = "not answerable"
    return found


def agree(found, expected, tolerance=1e-10):
    """Whether two collections of answers are the same, whatever is undefined included."""
    assert found.keys() == expected.keys()
    off = {}
    for name, value in expected.items():
        close = value if isinstance(value, str) else pytest.approx(value, abs=tolerance, rel=tolerance, nan_ok=True)
        if found[name] != close:
            off[name] = (found[name], value)
    assert off == {}


def numbers(found, expected):
    """Return the answers that both sides have: what cannot be told of soft rows can be told without them."""
    both = {name for name in expected if not isinstance(found[name], str) and not isinstance(expected[name], str)}
    return {name: found[name] for name in both}, {name: expected[name] for name in both}


def same_masses(found, expected, problem):
    """Whether two masses are the same: counts exactly, others relative to the total of the column."""
    if problem.counts_only:
        np.testing.assert_array_equal(found, expected)
        return
    total = expected.sum() if expected.ndim == 2 and expected.shape[0] != 4 else expected.sum(axis=0)
    off = np.abs(found - expected) / np.where(total > 0, total, 1)
    assert off.max(initial=0.0) <= (1e-7 if problem.single else 1e-12)


@pytest.mark.parametrize("inner", [False, True], ids=["rows", "examples with parts"])
@given(data=st.data())
def test_parts_add_up_to_the_whole(inner, data):
    problem = data.draw(draw.problems(dtypes=(np.float64, np.float32), parts=inner, most=4 if inner else 9))
    whole = problem.build()
    parts = [problem.take(rows).build() for rows in data.draw(draw.splits(len(problem)))]
    merged = reduce(add, [part.cells for part in parts])
    same_masses(merged.masses, whole.cells.masses, problem)
    joined = reduce(add, [part.statistic for part in parts])
    same_masses(joined.cells.masses, whole.cells.masses, problem)
    try:
        table = whole.table
    except NotAnswerableError:
        with pytest.raises(NotAnswerableError):
            _ = joined.table
    else:
        same_masses(reduce(add, [part.table for part in parts]).masses, table.masses, problem)
        same_masses(joined.table.masses, table.masses, problem)
    moments, expected = reduce(add, [part.moments for part in parts]), whole.moments
    assert moments.count == expected.count
    np.testing.assert_allclose(moments.first, expected.first, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moments.second, expected.second, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("inner", [False, True], ids=["rows", "examples with parts"])
@given(data=st.data(), convention=st.sampled_from(draw.CONVENTIONS))
def test_parts_answer_like_the_whole(inner, data, convention):
    problem = data.draw(draw.problems(parts=inner, most=4 if inner else 9))
    whole = problem.build()
    parts = [problem.take(rows).build() for rows in data.draw(draw.splits(len(problem)))]
    expected = answers(whole, convention)
    agree(answers(IndicatorMatrix.of(reduce(add, [part.statistic for part in parts])), convention), expected)
    agree(*numbers(answers(IndicatorMatrix.of(reduce(add, [part.cells for part in parts])), convention), expected))
    if problem.task != "multilabel" and not any(isinstance(expected[name], str) for name in draw.TABLE_MEASURES):
        agree(*numbers(answers(IndicatorMatrix.of(reduce(add, [part.table for part in parts])), convention), expected))
    for measure in draw.CELL_MEASURES:
        means = reduce(add, [part.means(measure) for part in parts])
        value = expected[f"exemplar {measure}"]
        assert means.value(convention) == pytest.approx(value, abs=1e-10, rel=1e-10, nan_ok=True)


def test_a_sum_answers_what_its_rung_can():
    im = IndicatorMatrix([0, 1, 2, 2], [0, 2, 2, 1])
    cells, table = answers(IndicatorMatrix.of(im.cells)), answers(IndicatorMatrix.of(im.table))
    for question in QUESTIONS:
        measure = question.measure if isinstance(question, Averaged) else question
        of_examples = isinstance(question, Averaged) and question.operator is exemplar
        assert (cells[str(question)] == "not answerable") == (of_examples or measure.rung == "table")
        assert (table[str(question)] == "not answerable") == of_examples


@given(
    problem=draw.problems(couplings=st.just({}), tasks=("binary", "multilabel", "ordinal"), least=1),
    threshold=st.sampled_from([-0.5, 0.0, 0.2, 0.5, 0.8, 1.0, 1.5]),
)
def test_a_batch_meets_the_threshold_like_the_whole(problem, threshold):
    whole = problem.build(threshold=threshold)
    rows = [problem.take([i]).build(threshold=threshold).cells for i in range(len(problem))]
    same_masses(reduce(add, rows).masses, whole.cells.masses, problem)


@given(draw.problems())
def test_an_empty_part_is_neutral(problem):
    whole, empty = problem.build(), problem.take([]).build()
    np.testing.assert_array_equal((empty.cells + whole.cells).masses, whole.cells.masses)
    np.testing.assert_array_equal((whole.cells + empty.cells).masses, whole.cells.masses)
    np.testing.assert_array_equal((whole.statistic + empty.statistic).cells.masses, whole.cells.masses)
    zero = Cells.zero(whole.cells.n_classes, whole.task, whole.coupling)
    np.testing.assert_array_equal((zero + whole.cells).masses, whole.cells.masses)
    np.testing.assert_array_equal((Moments.zero(whole.cells.n_classes) + whole.moments).second, whole.moments.second)
    assert Means() + whole.means("recall") == whole.means("recall")
    assert empty.means("recall") + whole.means("recall") == whole.means("recall")
    assert all(math.isnan(v) for v in answers(empty).values() if not isinstance(v, str))


@given(draw.table_masses(), st.integers(0, 3))
def test_tables_add_and_the_zero_table_is_neutral(masses, parts):
    table = Table.of(masses)
    np.testing.assert_array_equal((Table.zero(table.n_classes) + table).masses, masses)
    share = reduce(add, [Table.of(masses / (parts + 1))] * (parts + 1))
    np.testing.assert_allclose(share.masses, masses, rtol=1e-12)
    np.testing.assert_allclose(share.cells.masses, table.cells.masses, rtol=1e-9)


@given(draw.problems(masked=False))
def test_deriving_a_rung_commutes_with_the_examples(problem):
    im = problem.build()
    if not isinstance(im.statistic, Examples) or problem.task == "multilabel":
        return
    try:
        table = im.table
    except NotAnswerableError:
        return
    derived, direct = table.cells.masses, im.cells.masses
    assert np.abs(derived - direct).max(initial=0.0) <= 1e-12 * max(1.0, direct.sum(axis=0).max(initial=0.0))


# --- weights and masks ----------------------------------------------------------------------------------------------


@given(st.data(), draw.problems(weighted=False))
def test_a_whole_weight_is_an_example_seen_that_often(data, problem):
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(problem), max_size=len(problem))), int)
    repeated = problem.take(np.repeat(np.arange(len(problem)), times)).build()
    weighted = problem.build(sample_weight=times)
    np.testing.assert_allclose(weighted.cells.masses, repeated.cells.masses, rtol=1e-12, atol=1e-12)
    agree(*numbers(answers(weighted), answers(repeated)))


@given(draw.problems(weighted=True))
def test_an_example_of_weight_zero_is_not_there(problem):
    rows = np.flatnonzero(problem.weight > 0)
    with_zeros, without = problem.build(), problem.take(rows).build()
    np.testing.assert_allclose(with_zeros.cells.masses, without.cells.masses, rtol=1e-12, atol=1e-12)
    agree(*numbers(answers(with_zeros), answers(without)))


@given(st.data(), draw.problems(masked=False))
def test_masking_rows_is_dropping_them(data, problem):
    seen = np.array(data.draw(st.lists(st.booleans(), min_size=len(problem), max_size=len(problem))), bool)
    masked, dropped = problem.build(mask=seen), problem.take(seen).build()
    np.testing.assert_array_equal(masked.cells.masses, dropped.cells.masses)
    agree(answers(masked), answers(dropped), tolerance=0)
    if problem.task == "multilabel":
        entries = problem.build(mask=np.repeat(seen[:, None], problem.n_classes, axis=1))
        np.testing.assert_allclose(entries.cells.masses, dropped.cells.masses, rtol=1e-12, atol=1e-12)
        agree(answers(entries), answers(dropped))
    assert np.isnan(masked.per_example()[~seen]).all()
    np.testing.assert_array_equal(masked.per_example()[seen], dropped.per_example())


@given(draw.problems(tasks=("multilabel",), masked=True))
def test_a_masked_entry_counts_nowhere(problem):
    """Whatever stands behind the mask, the answers are the same bits."""
    hidden = ~(problem.mask if problem.mask.ndim == 2 else np.repeat(problem.mask[:, None], problem.n_classes, axis=1))
    other = draw.replace(problem, prediction=np.where(hidden, 1 - problem.prediction, problem.prediction))
    np.testing.assert_array_equal(other.build().cells.masses, problem.build().cells.masses)
    agree(answers(other.build()), answers(problem.build()), tolerance=0)


@pytest.mark.parametrize("factor", [1e-200, 1e-50, 1e-20, 3.0, 1e25, 1e50])
@given(problem=draw.problems(weighted=True, dtypes=(np.float64, np.float32)))
def test_the_size_of_the_weights_changes_no_value(factor, problem):
    plain, scaled = problem.build(), problem.build(sample_weight=problem.weight * factor)
    agree(answers(scaled), answers(plain), 1e-4 if problem.single else 1e-10)


@pytest.mark.parametrize("power", [-660, -170, -66, 1, 83, 170])
@given(problem=draw.problems(weighted=True))
def test_the_size_of_the_weights_changes_no_interval(power, problem):
    """Powers of two round nothing, so that even a measure with a kink at these very data has the same slopes."""
    plain, scaled = problem.build(), problem.build(sample_weight=problem.weight * 2.0**power)
    for question in QUESTIONS:
        try:
            expected = plain.interval(question)
        except NotAnswerableError:
            continue
        found = scaled.interval(question)
        ends = [expected.low, expected.high, expected.standard_error]
        close = pytest.approx(ends, rel=1e-6, abs=1e-9, nan_ok=True)
        assert [found.low, found.high, found.standard_error] == close, question


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.bool_])
def test_hard_data_of_any_type_keep_the_digits_of_their_weights(dtype):
    rng = np.random.default_rng(5)
    y, p, w = rng.integers(0, 2, (500, 3)), rng.integers(0, 2, (500, 3)), rng.random(500)
    cells = IndicatorMatrix(y.astype(dtype), p.astype(dtype), "multilabel", sample_weight=w).per_class()
    for k in range(3):
        expected = [math.fsum(w[(y[:, k] == a) & (p[:, k] == b)]) for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))]
        assert cells[k] == pytest.approx(expected, rel=1e-13)


# --- size -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["independent", "most", "least"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-7)])
def test_large_soft_data_in_uneven_parts(name, dtype, tolerance):
    rng = np.random.default_rng(2)
    n, k = 150_001, 3
    y, p = (rng.dirichlet([0.3, 0.3, 0.01], n).astype(dtype) for _ in range(2))
    whole = IndicatorMatrix(y, p, "multilabel", coupling=name).cells.masses
    ends = [0, 1, 7, 60_000, 60_001, n]
    parts = [IndicatorMatrix(y[a:b], p[a:b], "multilabel", coupling=name).cells for a, b in itertools.pairwise(ends)]
    assert np.abs(reduce(add, parts).masses - whole).max() <= tolerance * n
    y64, p64 = y.astype(np.float64), p.astype(np.float64)
    joint = {"independent": y64 * p64, "most": np.minimum(y64, p64), "least": np.maximum(0, y64 + p64 - 1)}[name]
    for i, cell in enumerate((joint, p64 - joint, y64 - joint, 1 - y64 - p64 + joint)):
        exact = np.array([math.fsum(np.maximum(cell[:, c], 0)) for c in range(k)])
        assert np.abs(whole[i] - exact).max() <= tolerance * n


def test_large_hard_data_are_counted_exactly_in_any_order():
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 5, 300_001), rng.integers(0, 5, 300_001)
    whole = IndicatorMatrix(y, p).table.masses
    order = rng.permutation(300_001)
    parts = [IndicatorMatrix(y[rows], p[rows], n_classes=5).table for rows in np.array_split(order, 13)]
    np.testing.assert_array_equal(reduce(add, parts).masses, whole)
    np.testing.assert_array_equal(whole, np.histogram2d(y, p, bins=5)[0])


def test_float32_counts_go_beyond_its_last_whole_number():
    n = 2**24 + 5
    ones = np.broadcast_to(np.float32(1), n)
    assert IndicatorMatrix(ones, ones, "binary", tnorm="product").counts.tp == n


# --- what does not add ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (Cells.zero(2, "multilabel"), Cells.zero(3, "multilabel"), "cells with n_classes 2 and 3 do not add."),
        (
            Cells.zero(2, "multilabel"),
            Cells.zero(2, "multiclass"),
            "cells with task 'multilabel' and 'multiclass' do not add.",
        ),
        (
            Cells.zero(1, "binary"),
            Cells.zero(1, "binary", "most"),
            "cells with coupling 'hardened' and 'most' do not add.",
        ),
        (Table.zero(2), Table.zero(3), "tables with n_classes 2 and 3 do not add."),
        (Table.zero(2), Table.zero(2, "binary"), "tables with task 'multiclass' and 'binary' do not add."),
        (
            IndicatorMatrix([0, 1], [0, 1], "binary", sample_weight=[1, 2]).statistic,
            IndicatorMatrix([0, 1], [0, 1], "binary").statistic,
            "only one of the two has weight; give it for both or for neither.",
        ),
    ],
)
def test_what_does_not_fit_together_does_not_add(a, b, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        _ = a + b


@pytest.mark.parametrize("statistic", [Cells.zero(1, "binary"), Table.zero(2), Moments.zero(1), Means()])
def test_statistics_add_to_their_like_only(statistic):
    with pytest.raises(TypeError):
        statistic + 1


def test_sum_begins_with_zero():
    cells, table = Cells.of(1, 2, 3, 4), Table.of([[1, 2], [3, 4]])
    np.testing.assert_array_equal(sum([cells, cells]).masses, 2 * cells.masses)
    np.testing.assert_array_equal(sum([table, table]).masses, 2 * table.masses)
    assert sum([Means.of(np.array([0.0])), Means.of(np.array([1.0]))]).value() == 0.5
    moments = Moments.of(np.ones((4, 3, 1)))
    assert sum([moments, moments]).count == 6
    for one in (cells, table, moments, Means()):
        with pytest.raises(TypeError):
            1 + one


def test_infinities_of_both_signs_have_no_mean_and_no_warning():
    for weight in (None, np.array([1.0, 2.0])):
        assert math.isnan(Means.of(np.array([np.inf, -np.inf]), weight).value())
