"""The public face: what it understands of two arrays, what it leaves out, what it says of itself."""

import math

import numpy as np
import pytest
from hypothesis import given

import strategies as draw
from softtruth import IndicatorMatrix, InputError, NotAnswerableError, Table
from softtruth.measures import Averaged, exemplar, parse
from softtruth.statistics import examples as examples_module

# --- the task -------------------------------------------------------------------------------------------------------

ROWS, ONE_HOT, TAGS = [[0.2, 0.8], [0.6, 0.4]], [[1, 0], [0, 1]], [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("reference", "prediction", "settings", "task"),
    [
        ([0, 1, 1], [1, 1, 0], {}, "binary"),
        ([0, 1, 1], [0.2, 0.9, 0.4], {}, "binary"),
        ([0.2, 0.8, 1.0], [0.2, 0.9, 0.4], {}, "binary"),
        ([True, False], [True, True], {}, "binary"),
        ([0, 1, 2], [0, 1, 1], {}, "multiclass"),
        ([0, 1, 1], [0, 1, 2], {}, "multiclass"),
        ([0.0, 1.0, 2.0], [0, 1, 1], {}, "multiclass"),
        (["a", "b"], ["a", "a"], {}, "multiclass"),
        ([0, 1], ROWS, {}, "multiclass"),
        (ROWS, [0, 1], {}, "multiclass"),
        (ROWS, ROWS, {}, "multiclass"),
        (ROWS, ONE_HOT, {}, "multiclass"),
        ([[3, 2], [0, 4]], [0, 1], {"reference_kind": "votes"}, "multiclass"),
        (TAGS, TAGS, {}, "multilabel"),
        (TAGS, [[0.7, 0.9], [0.2, 0.4]], {}, "multilabel"),
        ([[0.7, 0.9], [0.2, 0.4]], TAGS, {}, "multilabel"),
        ([0, 1, 1], [1, 1, 0], {"n_classes": 2}, "multiclass"),
        ([0, 1, 1], [1, 1, 0], {"labels": ["a", "b"]}, "multiclass"),
    ],
)
def test_the_task_is_told_where_an_array_says_it(reference, prediction, settings, task):
    assert IndicatorMatrix(reference, prediction, **settings).task == task


@pytest.mark.parametrize(
    ("reference", "prediction"), [(ONE_HOT, ONE_HOT), (TAGS, ROWS), (np.zeros((0, 2)), np.zeros((0, 2)))]
)
def test_the_task_is_asked_for_where_none_does(reference, prediction):
    with pytest.raises(InputError, match="the task cannot be told"):
        IndicatorMatrix(reference, prediction)


def test_what_the_task_means_for_the_same_arrays():
    y, p = [[1, 0], [0, 1]], [[0.4, 0.6], [0.1, 0.9]]
    assert IndicatorMatrix(y, p, "multiclass").per_class().tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]
    assert IndicatorMatrix(y, p, "multilabel").per_class().tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]
    assert IndicatorMatrix(y, p, "binary").counts == (1, 1, 0, 0)
    assert IndicatorMatrix(y, p, "binary", threshold=0.7).counts == (1, 0, 0, 1)
    assert IndicatorMatrix(y, [[0.6, 0.6], [0.1, 0.2]], "multilabel").per_class().tolist() == [
        [1, 0, 0, 1],
        [0, 1, 1, 0],
    ]


def test_ties_go_to_the_first_class_and_are_counted():
    im = IndicatorMatrix([1, 0, 2], [[0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1]])
    assert im.table.masses.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert im.tied_predictions == 2
    assert IndicatorMatrix([1, 0], [[0.4, 0.6], [1, 0]]).tied_predictions == 0


def test_a_reference_is_never_hardened():
    im = IndicatorMatrix([[0.7, 0.3], [0.4, 0.6]], [0, 0], "multiclass")
    np.testing.assert_allclose(im.table.masses, [[1.1, 0], [0.9, 0]])
    assert IndicatorMatrix([0.7, 0.4], [0.9, 0.8], "binary").counts == pytest.approx((1.1, 0.9, 0, 0))


# --- what is left out -----------------------------------------------------------------------------------------------


def test_rows_that_are_left_out_are_counted_by_reason():
    votes = [[2, 1], [0, 0], [1, 1], [3, 0]]
    im = IndicatorMatrix(votes, [0, 0, 1, 1], reference_kind="votes", mask=[True, True, True, False])
    assert im.left_out == {"masked": 1, "without votes": 1}
    assert im.n == 2
    assert np.isnan(im.per_example()).any(axis=1).tolist() == [False, True, False, True]
    assert IndicatorMatrix([0, 1, 9], [0, 1, 1], n_classes=2, ignore=9).left_out == {"ignored": 1}
    assert IndicatorMatrix([0, 1], [0, 1]).left_out == {}
    entries = IndicatorMatrix([[1, 9], [0, 1]], [[1, 1], [0, 1]], "multilabel", ignore=9)
    assert entries.left_out == {"ignored": 1}
    assert entries.per_class().tolist() == [[1, 0, 0, 1], [1, 0, 0, 0]]


@pytest.mark.parametrize("ignore", [7, [7], (7, 8), np.array([7, 8])])
def test_values_to_ignore(ignore):
    im = IndicatorMatrix([0, 7, 1, 1], [0, 1, 1, 0], "multiclass", n_classes=2, ignore=ignore)
    assert im.table.masses.tolist() == [[1, 0], [1, 1]]


def test_an_ignored_class_leaves_the_averages():
    im = IndicatorMatrix(["sky", "cat", "dog", "cat"], ["cat", "cat", "sky", "dog"], ignore="sky")
    assert im.labels == ("cat", "dog", "sky")
    assert im.compute("macro recall") == pytest.approx((1 / 2 + 0) / 2)
    assert im.parts("recall").tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("subset", "columns"),
    [(["b"], [1]), ("b", [1]), ([1], [1]), (["c", "a"], [2, 0]), ([2, "a", 2], [2, 0]), (np.array(["a", "c"]), [0, 2])],
)
def test_averages_over_some_classes(subset, columns):
    rng = np.random.default_rng(0)
    names = np.array(["a", "b", "c"])
    y, p = names[rng.integers(0, 3, 40)], names[rng.integers(0, 3, 40)]
    whole, some = IndicatorMatrix(y, p), IndicatorMatrix(y, p, subset=subset)
    for name in ("f1", "mcc", "specificity"):
        parts = whole.parts(name)[columns]
        assert some.parts(name) == pytest.approx(parts)
        assert some.compute(name, "macro") == pytest.approx(parts.mean())
    assert some.counts == pytest.approx(tuple(whole.per_class()[columns].sum(axis=0)))
    assert some.compute("multiclass_balanced_accuracy") == pytest.approx(whole.parts("recall")[columns].mean())
    assert some.compute("accuracy") == whole.compute("accuracy")
    assert some.per_class().tolist() == whole.per_class().tolist()


# --- questions ------------------------------------------------------------------------------------------------------


@given(problem=draw.problems(least=1))
def test_parts_are_what_values_are_made_of(problem):
    im = problem.build()
    for measure in draw.CELL_MEASURES.values():
        assert im.parts(measure, "micro") == pytest.approx([im.compute(measure)], nan_ok=True)
        each = im.parts(measure, "macro")
        assert each.shape == (im.cells.n_classes,)
        with np.errstate(invalid="ignore"):
            expected = np.mean(each[~np.isnan(each)]) if (~np.isnan(each)).any() else math.nan
        assert im.compute(measure, "macro") == pytest.approx(expected, abs=1e-12, nan_ok=True)
        rows = im.parts(measure, "exemplar")
        assert rows.shape == (len(problem),)
        weight = np.ones(len(problem)) if problem.weight is None else problem.weight
        kept = ~np.isnan(rows) & (weight > 0)
        with np.errstate(invalid="ignore"):
            expected = np.average(rows[kept], weights=weight[kept]) if kept.any() else math.nan
        assert im.compute(measure, "exemplar") == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@given(problem=draw.problems(least=1))
def test_cells_of_examples_add_up_to_those_of_classes(problem):
    im = problem.build()
    weight = np.ones(len(problem)) if problem.weight is None else problem.weight
    rows = np.nan_to_num(im.per_example()) * weight[:, None]
    assert rows.sum(axis=0) == pytest.approx(im.per_class().sum(axis=0), abs=1e-9)
    assert tuple(im.counts) == pytest.approx(tuple(im.per_class().sum(axis=0)), abs=1e-9)


def test_a_question_is_a_name_a_measure_or_a_measure_under_an_operator():
    im = IndicatorMatrix([0, 1, 2, 2], [0, 2, 2, 1])
    expected = im.compute("macro f1")
    for question in ("f1", "F1", parse("f1").measure):
        assert im.compute(question, "macro") == expected
        assert im.compute(question, parse("macro f1").operator) == expected
    assert im.compute(parse("macro f1")) == expected
    assert im.compute("macro f1", "macro") == expected
    with pytest.raises(InputError, match="names the operator macro, but 'weighted' was asked for"):
        im.compute("macro f1", "weighted")
    assert im.accuracy() == im.compute("accuracy") == im.compute(parse("accuracy")) == 0.5


def test_whole_rows():
    y, p = [[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 0]]
    assert IndicatorMatrix(y, p, "multilabel").subset_accuracy() == pytest.approx(2 / 3)
    assert IndicatorMatrix(y, p, "multilabel", mask=[[1, 1], [0, 1], [1, 1]]).subset_accuracy() == 1
    hidden = IndicatorMatrix(y, p, "multilabel", mask=[[1, 1], [0, 0], [0, 1]])
    assert [hidden.subset_accuracy(c) for c in draw.CONVENTIONS] == [1, 1, 1, 1]  # a row without an entry is no row
    of_one = IndicatorMatrix(y, p, "multilabel", mask=[[1, 1], [0, 1], [1, 1]], subset=[0])
    assert [of_one.subset_accuracy(c) for c in draw.CONVENTIONS] == pytest.approx([1, 2 / 3, 1, math.nan], nan_ok=True)
    assert IndicatorMatrix(y, p, "multilabel", sample_weight=[1, 2, 1]).subset_accuracy() == 0.5
    assert IndicatorMatrix([0, 1, 2], [0, 1, 1]).subset_accuracy() == pytest.approx(2 / 3)


# --- sums in place of examples --------------------------------------------------------------------------------------


@given(problem=draw.problems(couplings=draw.sure_of_margins, masked=False))
def test_a_finished_statistic_is_a_problem_too(problem):
    im = problem.build()
    try:
        table = im.table
    except NotAnswerableError:
        return
    again = IndicatorMatrix.of(table)
    for question in draw.QUESTIONS:
        if isinstance(question, Averaged) and question.operator is exemplar:
            continue
        assert again.compute(question) == pytest.approx(im.compute(question), rel=1e-6, abs=1e-7, nan_ok=True), question
    assert again.task == im.task
    assert again.coupling == im.coupling
    with pytest.raises(NotAnswerableError, match="the examples are not kept"):
        _ = again.n


def test_names_and_subsets_of_a_finished_statistic():
    im = IndicatorMatrix.of(Table.of([[5, 1, 0], [2, 4, 1], [0, 1, 6]]), labels=["a", "b", "c"], subset=["a", "c"])
    assert im.labels == ("a", "b", "c")
    assert im.compute("macro recall") == pytest.approx((5 / 6 + 6 / 7) / 2)
    assert "subset=a,c" in im.signature("macro recall")
    assert im.left_out == {}
    assert im.tied_predictions == 0
    with pytest.raises(NotAnswerableError):
        _ = im.moments


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("im", "words"),
    [
        (IndicatorMatrix([0, 1], [0.2, 0.9]), "IndicatorMatrix(task='binary', n=2, classes=2, coupling='hardened')"),
        (
            IndicatorMatrix([0, 1, 2], [0, 1, 1]),
            "IndicatorMatrix(task='multiclass', n=3, classes=3, coupling='hardened')",
        ),
        (
            IndicatorMatrix([0.2, 1], [0.2, 0.9], tnorm="godel"),
            "IndicatorMatrix(task='binary', n=2, classes=2, coupling='raw godel')",
        ),
        (
            IndicatorMatrix.of(Table.of(np.eye(3))),
            "IndicatorMatrix(task='multiclass', table, classes=3, coupling='hardened')",
        ),
    ],
)
def test_a_problem_says_what_it_understood(im, words):
    assert repr(im) == words


def test_a_number_says_what_made_it():
    weighted = IndicatorMatrix([0, 1, 1], [0.2, 0.9, 0.4], sample_weight=[1, 2, 1], threshold=0.3)
    words = weighted.signature("f1", convention="zero").split()
    assert words[:2] == ["micro", "f1"]
    assert {"task=binary", "n=3", "coupling=hardened", "0/0=zero", "threshold=0.3", "weighted"} <= set(words)
    assert words[-1].startswith("softtruth=")
    soft = IndicatorMatrix([[0.5, 0.5], [1, 0]], [[0.2, 0.8], [1, 0]], "multiclass", coupling="most")
    assert soft.signature("macro mcc").startswith("macro mcc task=multiclass n=2 coupling=most 0/0=exclude softtruth=")
    assert "mass=7" in IndicatorMatrix.of(Table.of([[3, 1], [1, 2]])).signature("accuracy")


# --- very many classes ----------------------------------------------------------------------------------------------


def test_cells_without_a_table_are_those_of_the_table(monkeypatch):
    rng = np.random.default_rng(0)
    y, w = rng.integers(0, 30, 500), rng.random(500)
    p = np.where(rng.random(500) < 0.6, y, rng.integers(0, 30, 500))
    for weight in (None, w):
        with_table = IndicatorMatrix(y, p, n_classes=30, sample_weight=weight)
        expected = {q: (with_table.compute(q), with_table.interval(q).standard_error) for q in draw.QUESTIONS}
        with monkeypatch.context() as patched:
            patched.setattr(examples_module, "LARGEST_TABLE", 8)
            patched.setattr("softtruth.uncertainty.pulls.LARGEST_TABLE", 8)
            without = IndicatorMatrix(y, p, n_classes=30, sample_weight=weight)
            np.testing.assert_allclose(without.per_class(), with_table.per_class(), rtol=1e-12, atol=1e-12)
            for question, (value, error) in expected.items():
                measure = question.measure if isinstance(question, Averaged) else question
                if measure.rung == "table":
                    continue
                assert without.compute(question) == pytest.approx(value, rel=1e-9, nan_ok=True)
                assert without.interval(question).standard_error == pytest.approx(
                    error, rel=1e-7, abs=1e-12, nan_ok=True
                )


@pytest.mark.parametrize("k", [5000, 20_000])
def test_very_many_classes_need_no_table(k):
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, 20_000)
    p = np.where(rng.random(20_000) < 0.5, y, rng.integers(0, k, 20_000))
    im = IndicatorMatrix(y, p, n_classes=k)
    hits = (y == p).mean()
    assert im.compute("accuracy") == pytest.approx(hits)
    assert im.compute("micro f1") == pytest.approx(hits)
    assert im.interval("accuracy").standard_error == pytest.approx(math.sqrt(hits * (1 - hits) / 20_000))
    assert im.compute("label_accuracy") == pytest.approx(1 - 2 * (1 - hits) / k)
    assert 0.4 < im.compute("cohen_kappa") < im.compute("accuracy")
    for name in ("cohen_kappa", "r_k"):  # chance hardly agrees, so they vary as accuracy does
        assert im.interval(name).standard_error == pytest.approx(im.interval("accuracy").standard_error, rel=1e-2)
    assert im.interval("macro f1").low < im.compute("macro f1") < im.interval("macro f1").high


# --- identities -----------------------------------------------------------------------------------------------------


@given(problem=draw.problems(tasks=("multiclass",), couplings=draw.st.just({}), least=1, masked=False))
def test_identities_of_one_hot_data(problem):
    """With hard predictions, soft references included, pooled cells are functions of accuracy alone."""
    im = problem.build()
    right, k = im.accuracy(), problem.n_classes
    if math.isnan(right):
        return
    for name in ("f1", "precision", "recall"):
        assert im.compute(name, "micro") == pytest.approx(right, abs=1e-12)
    assert im.compute("mcc", "micro") == pytest.approx((k * right - 1) / (k - 1), abs=1e-9)
    assert im.compute("label_accuracy", "micro") == pytest.approx(1 - 2 * (1 - right) / k, abs=1e-12)
