"""Law 8: what is wrong is said in one line that names where, what was found, what was expected and what to do.

The sentences are stored in tests/stored/errors.txt. After a change on purpose, store them anew and read what changed:
STORE=1 python -m pytest tests/test_errors.py
"""

import re
from pathlib import Path

import numpy as np
import pytest

from softtruth import Cells, Convention, IndicatorMatrix, InputError, NotAnswerableError, SofttruthError, Table, tnorms
from softtruth.annotations import Answers
from stored import assert_stored

NAN, INF = float("nan"), float("inf")
TWO, ROWS = [[0.5, 0.5], [0.3, 0.7]], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]


def binary(reference, prediction=(0.5, 0.5), **settings):
    return lambda: IndicatorMatrix(reference, list(prediction), "binary", **settings)


def multiclass(reference, prediction=(0, 1), **settings):
    return lambda: IndicatorMatrix(reference, prediction, "multiclass", **settings)


def multilabel(reference, prediction, **settings):
    return lambda: IndicatorMatrix(reference, prediction, "multilabel", **settings)


def matrix(reference, prediction, *task, **settings):
    return lambda: IndicatorMatrix(reference, prediction, *task, **settings)


def asked(question, *more, **settings):
    im = IndicatorMatrix([0, 1, 2, 2], [0, 2, 2, 1])
    return lambda: im.compute(question, *more, **settings)


class Failing:
    """What cannot be had as an array, such as data that lie elsewhere."""

    def __array__(self, *_, **__):
        raise RuntimeError("the connection is gone")


CASES = {
    # values
    "a missing reference": binary([0.5, NAN], tnorm="product"),
    "an infinite reference": binary([0.5, INF], tnorm="product"),
    "a reference above one": binary([0.5, 1.2], tnorm="product"),
    "a reference below zero": binary([0.5, -0.1], tnorm="product"),
    "a whole number above one": binary([0, 2], [0, 1]),
    "a whole number below zero": binary([0, -1], [0, 1]),
    "a byte far above one": binary(np.array([255, 0], np.uint8), [0, 1]),
    "a missing prediction": binary([0, 1], [0.5, NAN]),
    "a prediction above one": binary([0, 1], [0.5, 1.5]),
    "logits that nobody declared": binary([0, 1], [-2.0, 3.0]),
    "a label far below zero": multilabel([[0, 1], [1, 1]], [[0.5, 0.1], [0.2, -3]]),
    "a missing label": multilabel([[0, 1], [1, NAN]], [[0.5, 0.1], [0.2, 0.3]], tnorm="product"),
    "a missing label after rows that were left out": multilabel(
        [[0, 1], [1, 1], [1, NAN]], [[0, 1], [1, 1], [1, 1]], mask=[False, True, True]
    ),
    "a missing object": binary(np.array([1, None], object), [0, 1]),
    "a missing object in a matrix": multilabel(np.array([[1, 0], [0, None]], object), [[0, 1], [1, 1]]),
    "a missing name": multiclass(["a", NAN], ["a", "b"]),
    "an unknown kind of object": binary(np.array([{}, {}], object), [0, 1]),
    "dates": binary(np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"), [0, 1]),
    "complex numbers": binary(np.array([1j, 0]), [0, 1]),
    "text beside numbers": multiclass(["a", 1], ["a", "b"]),
    "a whole number beyond floats": multiclass([[10**400, 1], [1, 2]], [0, 1], reference_kind="votes"),
    "an array that fails": matrix([0, 1], Failing(), "binary"),
    "a list of arrays that fail": binary([0, 1], [Failing(), Failing()]),
    "answers in place of their counts": matrix(Answers.of([[0, 1], [1, 1]]), [0, 1]),
    # shapes
    "sides of different lengths": binary([0, 1, 1], [0, 1]),
    "matrices of different lengths": multiclass(np.eye(3), np.eye(2)),
    "a lone number": binary(1, [0, 1]),
    "a lone word": multiclass("abc", ["a"]),
    "ragged rows": multilabel([[1, 0], [1]], [[1, 0], [1, 0]]),
    "ragged predictions": multiclass([0, 1], [[1, 0], [1]]),
    "three columns for two classes": multiclass([0, 1], ROWS, n_classes=2),
    "two columns beside three": multiclass([[1, 0], [0, 1]], ROWS),
    "two labels beside three": multilabel([[1, 0], [0, 1]], ROWS),
    "three columns of a binary problem": binary([0, 1], ROWS),
    # distributions, votes, scores
    "a distribution that sums to less": multiclass([[0.5, 0.3, 0.1], [1, 0, 0]], [0, 0]),
    "counts that nobody declared": multiclass([[3, 2, 0], [1, 0, 4]], [0, 0]),
    "probabilities that sum to less": multiclass([0, 1], [[0.5, 0.3], [1, 0]], tnorm="product"),
    "probabilities that sum to less, as declared": multiclass(
        [0, 1], [[0.5, 0.3], [1, 0]], prediction_kind="probabilities"
    ),
    "two columns of a binary problem that sum to less": binary([0, 1], [[0.5, 0.3], [1, 0]], tnorm="product"),
    "a threshold between two scores": binary([0, 1], [[0.5, 0.3], [1, 0]], prediction_kind="scores", threshold=0.3),
    "a threshold that two columns do not sum to one for": binary([0, 1], [[0.5, 0.3], [1, 0]], threshold=0.3),
    "a distribution off one after rows that were left out": multiclass(
        [[1, 0], [1, 0], [0.5, 0.2]], [0, 0, 0], mask=[0, 1, 1]
    ),
    "a missing score": multiclass([0, 1], [[0.5, NAN], [1, 0]]),
    "a missing probability": multiclass([0, 1], [[0.5, NAN], [1, 0]], tnorm="product"),
    "a missing logit": multiclass([0, 1], [[5, NAN], [2, 1]], prediction_kind="logits"),
    "scores under a t-norm": multiclass([0, 1], [[0.5, 0.9], [2, 1]], prediction_kind="scores", tnorm="product"),
    "one score under a t-norm": binary([0, 1], [0.5, 0.9], prediction_kind="scores", tnorm="product"),
    "logits without columns": multiclass([0, 1], [0, 1], prediction_kind="logits"),
    "labels that are shares": binary([0, 1], [0.5, 0.7], prediction_kind="labels"),
    "a reference of labels that are shares": multiclass(TWO, [0, 1], reference_kind="labels"),
    "fewer votes than none": multiclass([[3, -2], [1, 4]], [0, 0], reference_kind="votes"),
    "one column under a mask of entries": lambda: IndicatorMatrix(
        np.zeros((6, 2)), np.zeros(6), "multilabel", mask=np.arange(12).reshape(6, 2) > 2
    ),
    "an infinite column": lambda: IndicatorMatrix(
        [0, 1, 1], [0.5, np.inf, 0.5], "binary", prediction_kind="probabilities"
    ),
    "more votes than can be counted": multiclass([[3, 1e200], [1, 4]], [0, 0], reference_kind="votes"),
    "votes without classes": multiclass([3, 2], [0, 0], reference_kind="votes"),
    "missing votes": multiclass([[3, NAN], [1, 4]], [0, 0], reference_kind="votes"),
    "votes in words": multiclass([["a", "b"], ["a", "b"]], [0, 0], reference_kind="votes"),
    # weights and clusters
    "a weight below zero": binary([0, 1], [0, 1], sample_weight=[1, -1]),
    "a missing weight": binary([0, 1], [0, 1], sample_weight=[1, NAN]),
    "an infinite weight": binary([0, 1], [0, 1], sample_weight=[INF, 1]),
    "no weights": binary([0, 1], [0, 1], sample_weight=[]),
    "too many weights": binary([0, 1], [0, 1], sample_weight=[1, 1, 1]),
    "weights in rows": binary([0, 1], [0, 1], sample_weight=[[1, 1], [1, 1]]),
    "weights in words": binary([0, 1], [0, 1], sample_weight=["a", "b"]),
    "a lone weight": binary([0, 1], [0, 1], sample_weight=2.0),
    "too few clusters": binary([0, 1], [0, 1], clusters=[1]),
    "a missing cluster": binary([0, 1], [0, 1], clusters=["a", None]),
    "a cluster that is no number": binary([0, 1], [0, 1], clusters=[1, NAN]),
    "an infinite cluster": binary([0, 1], [0, 1], clusters=[[1, 2], [1, INF]]),
    # classes
    "a name that is no class": multiclass(["a", "b"], ["a", "c"], labels=["a", "b"]),
    "an index that is no class": multiclass([0, 1, 3], [0, 1, 1], n_classes=3),
    "a negative index": multiclass([0, 1, -1], [0, 1, 1]),
    "half an index": multiclass([0, 1, 1.5], [0, 1, 1]),
    "a predicted index that is no class": multiclass([0, 1, 2], [0, 1, 7], n_classes=3),
    "an index after rows that were left out": multiclass([9, 1, 3], [0, 1, 1], n_classes=3, mask=[0, 1, 1]),
    "two names, none of them positive": binary(["yes", "no"], ["yes", "no"]),
    "three names of a binary problem": binary(["yes", "no"], ["yes", "no"], labels=["a", "b", "c"]),
    "a name twice": multiclass([0, 1], [0, 1], labels=["a", "a"]),
    "a missing name of a class": multiclass(["a", "b"], ["a", "b"], labels=["a", "b", None]),
    "a name that is no number": multiclass([0, 1], [0, 1], labels=[0.0, 1.0, NAN]),
    "names beside numbers in labels": multiclass(["a", "b"], ["a", "b"], labels=["a", 1]),
    "more classes than can be declared": multiclass([0, 1], [0, 1], n_classes=10**9),
    "a code beyond all classes": multiclass([0, 1e300], [0, 1]),
    "no names": multiclass([0, 1], [0, 1], labels=[]),
    "names and another number of classes": multiclass([0, 1], [0, 1], labels=["a", "b"], n_classes=3),
    "fewer names than classes": multiclass([0, 2], [0, 1], labels=["a", "b"]),
    "no classes": multiclass([0, 1], [0, 1], n_classes=0),
    "half a class": multiclass([0, 1], [0, 1], n_classes=2.5),
    "more classes than names occur": multiclass(["a", "b"], ["a", "b"], n_classes=3),
    "names beside numbers": multiclass([0, 1], ["a", "b"]),
    "several names in a row": multiclass(["a", "b"], [["a", "b"], ["b", "a"]], labels=["a", "b"]),
    "several grades in a row": matrix(["a", "b"], [["a", "b"], ["b", "a"]], "ordinal", labels=["a", "b"]),
    "references of several names in a row": multiclass([["a", "b"], ["b", "a"]], ["a", "b"], labels=["a", "b"]),
    "names beside columns": multiclass(["a", "b"], TWO),
    "more labels than columns": multilabel([[0, 1]], [[0, 1]], labels=["a", "b", "c"]),
    "labels in words": multilabel([["a", "b"]], [["a", "b"]]),
    # settings
    "an unknown task": matrix([0, 1], [0, 1], "multi"),
    "a task that two matrices do not tell": matrix([[1, 0], [0, 1]], [[1, 0], [0, 1]]),
    "counts whose kind nobody tells": matrix([[3, 0, 1], [1, 2, 0]], [0, 1]),
    "an unknown kind of reference": binary([0, 1], [0, 1], reference_kind="soft"),
    "an unknown kind of prediction": binary([0, 1], [0, 1], prediction_kind="prob"),
    "a threshold in words": binary([0, 1], [0, 1], threshold="high"),
    "no threshold": binary([0, 1], [0, 1], threshold=NAN),
    "an unknown t-norm": binary([0.5, 1], tnorm="prodct"),
    "a t-norm that is a number": binary([0.5, 1], tnorm=3),
    "an unknown coupling": binary([0.5, 1], coupling="indep"),
    "a t-norm and a coupling": binary([0.5, 1], tnorm="product", coupling="most"),
    "a coupling that is no copula": binary([0.5, 1], coupling=tnorms.hamacher(3)),
    "a callable that is no copula": binary([0.7, 1], [0.6, 1], coupling=lambda a, b: a * b / 4),
    "a parameter below its family": lambda: tnorms.hamacher(-1),
    # mask, ignore, subset
    "a mask of another length": binary([0, 1], [0, 1], mask=[True]),
    "a mask of shares": binary([0, 1], [0, 1], mask=[0.5, 1]),
    "a mask of other whole numbers": binary([0, 1], [0, 1], mask=[2, 1]),
    "a mask of bytes": binary([0, 1], [0, 1], mask=np.array([255, 0], np.uint8)),
    "a mask in words": binary([0, 1], [0, 1], mask=["a", "b"]),
    "a mask of other labels": multilabel([[0, 1], [1, 0]], [[0, 1], [1, 1]], mask=[[1, 1, 1], [1, 1, 1]]),
    "a mask of entries of exclusive classes": multiclass([0, 1], [0, 1], mask=[[1, 0], [1, 0]]),
    "an ignored word among numbers": multiclass([0, 1], [0, 1], ignore="a"),
    "an ignored value among distributions": multiclass([[0.5, 0.5], [1, 0]], [0, 1], ignore=0),
    "all values ignored": multiclass([0, 1], [0, 1], ignore=[0, 1]),
    "a subset of unknown classes": multiclass(["a", "b"], ["a", "b"], subset=["z"]),
    "a subset past the classes": multiclass([0, 1], [0, 1], subset=[5]),
    "a subset of a binary problem": binary([0, 1], [0, 1], subset=[1]),
    "a subset that is a slice": multiclass([0, 1], [0, 1], subset=slice(0, 2)),
    "a subset in rows": multiclass([0, 1], [0, 1], subset=np.array([[0, 1]])),
    "an empty subset": multiclass([0, 1], [0, 1], subset=[]),
    # nothing
    "no rows and no task": matrix([], []),
    "no rows and no classes": multiclass([], []),
    # finished statistics
    "a negative count": lambda: Cells.of(3, -1, 1, 4),
    "counts of several shapes": lambda: Cells.of([3, 1], 1, 1, 4),
    "a table that is not square": lambda: Table.of([[1, 2, 3], [4, 5, 6]]),
    "a table with a negative entry": lambda: Table.of([[1, -1], [0, 2]]),
    "a table with a missing entry": lambda: Table.of([[1, 2], [NAN, 2]]),
    "a table of words": lambda: Table.of([["a", "b"], ["c", "d"]]),
    "a binary table of three classes": lambda: Table.of(np.eye(3), task="binary"),
    "fewer names than the table has classes": lambda: IndicatorMatrix.of(Table.of(np.eye(3)), labels=["a", "b"]),
    # questions
    "an unknown measure": asked("f1_scroe"),
    "an unknown operator": asked("f1", "mean"),
    "an unknown convention": asked("f1", "macro", "skip"),
    "an operator on a measure of the table": asked("macro accuracy"),
    "accuracy of several labels": lambda: IndicatorMatrix([[1, 0], [1, 1]], [[1, 1], [0, 1]], "multilabel").accuracy(),
    "whole rows of soft labels": lambda: IndicatorMatrix(
        [[0.2, 0.9], [1, 0.4]], [[1, 1], [0, 1]], "multilabel"
    ).subset_accuracy(),
    "examples of a sum": lambda: IndicatorMatrix.of(Cells.of(3, 1, 1, 4)).per_example(),
    "one value per example of a sum": lambda: IndicatorMatrix.of(Cells.of(3, 1, 1, 4)).compute("exemplar f1"),
    "the table of cells of many classes": lambda: IndicatorMatrix.of(Cells(np.ones((4, 3)), "multiclass")).table,
    "the table of raw cells": lambda: IndicatorMatrix([0.4, 0.7], [0.3, 0.6], "binary", tnorm="godel").compute("r_k"),
    "the table under a coupling": lambda: IndicatorMatrix(ROWS, ROWS, "multiclass", coupling="most").table,
}


def used(call):
    """Make what the call makes, and count it at once: values are also checked while they are counted."""
    made = call()
    if isinstance(made, IndicatorMatrix):
        _ = made.counts


def sentence(call):
    """Return the sentence of the error."""
    with pytest.raises(InputError) as caught:
        used(call)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


@pytest.mark.parametrize("call", CASES.values(), ids=CASES)
def test_an_error_is_one_line_that_says_what_was_found(call):
    said = sentence(call)
    assert "\n" not in said
    assert said.endswith((".", "?"))
    assert 20 < len(said) < 400
    assert not re.search(r"<\w+ object at|0x[0-9a-f]{6}", said)


def test_the_sentences_are_the_stored_ones():
    said = "".join(f"{name}\n    {sentence(call)}\n" for name, call in CASES.items())
    assert_stored(Path(__file__).parent / "stored" / "errors.txt", said)


@pytest.mark.backend
def test_tensors_that_hold_nothing_numpy_knows_say_so():
    torch = pytest.importorskip("torch")
    grown = [torch.tensor(0.2, requires_grad=True)] * 2
    for tensor, why in (
        (torch.zeros(2, device="meta"), "cannot be read as an array (Cannot copy out of meta tensor"),
        (torch.zeros(2, dtype=torch.complex64).conj(), "has values of type complex64"),
        (grown, "cannot be read as an array (Can't call numpy() on Tensor that requires grad"),
    ):
        assert sentence(matrix([0, 1], tensor, "binary")).startswith(f"prediction {why}")


@pytest.mark.backend
def test_missing_clusters_of_frames_are_no_cluster():
    pd, pl = pytest.importorskip("pandas", exc_type=ImportError), pytest.importorskip("polars")
    for clusters in (pd.Series([1, None], dtype="Int64"), pl.Series([1, None]), pd.Series([1.0, NAN])):
        assert sentence(binary([0, 1], [0, 1], clusters=clusters)).startswith("clusters row 1 is nan, expected a name")
    assert IndicatorMatrix([0, 1], [0, 1], "binary", clusters=[1, NAN], mask=[1, 0]).n == 1


@pytest.mark.parametrize("number", [0, 7, 131_072, 199_999])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("task", ["binary", "multilabel", "multiclass"])
def test_the_row_is_named_wherever_it_stands(task, dtype, number):
    n = 200_000
    y = np.zeros((n, 2), dtype)
    y[:, 0] = 1
    y[number, 0] = 1.5
    side = y[:, 0] if task == "binary" else y
    place = f"row {number}" if task == "binary" else f"row {number}, column 0"
    for settings in ({}, {"tnorm": "product"}, {"coupling": "most"}):
        with pytest.raises(InputError, match=rf"^reference {place} is 1\.5, expected"):
            _ = IndicatorMatrix(
                side, side.clip(0, 1) * 0.5 if task != "multiclass" else side.clip(0, 1), task, **settings
            )


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_rounding_past_the_ends_is_no_error(task):
    y = np.array([[1 + 5e-10, -5e-10], [0.5, 0.5]])
    y = y[:, 0] if task == "binary" else y
    exact = np.clip(y, 0, 1)
    for settings in ({"tnorm": "product"}, {"coupling": "most"}, {"coupling": tnorms.hamacher(0)}):
        found, expected = (IndicatorMatrix(side, side, task, **settings).cells.masses for side in (y, exact))
        np.testing.assert_allclose(found, expected, atol=2e-9)
        assert (found >= 0).all()


@pytest.mark.parametrize("off", [2e-6, -2e-6])
def test_a_row_may_be_off_one_by_rounding_only(off):
    rows = np.array([[0.5, 0.5 + off / 4], [0.25, 0.75]])
    IndicatorMatrix(rows, [0, 1], "multiclass")
    rows[0, 1] = 0.5 + off
    with pytest.raises(InputError, match="reference row 0 sums to"):
        IndicatorMatrix(rows, [0, 1], "multiclass")


def test_single_precision_rows_sum_to_one_well_enough():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(1000, 0.1), 50).astype(np.float32)
    IndicatorMatrix(rows, rows, "multiclass", tnorm="product")


def test_declared_classes_make_no_rows_legal():
    for im in (
        IndicatorMatrix([], [], "binary"),
        IndicatorMatrix([], [], n_classes=3),
        IndicatorMatrix([], [], "multiclass", labels=["a", "b"]),
        IndicatorMatrix(np.zeros((0, 3)), np.zeros((0, 3)), "multilabel"),
        IndicatorMatrix([0, 1], [0, 1], n_classes=2, mask=[False, False]),
    ):
        for convention in Convention:
            found = im.compute("f1", convention=convention)
            assert found == pytest.approx(
                convention.substitute if convention.substitute is not None else NAN, nan_ok=True
            )
        assert im.n == 0


def test_what_cannot_be_answered_is_told_apart_from_bad_input():
    im = IndicatorMatrix([[1, 0], [1, 1]], [[1, 1], [0, 1]], "multilabel")
    with pytest.raises(NotAnswerableError, match=r"label_accuracy.*subset_accuracy"):
        im.accuracy()
    assert issubclass(NotAnswerableError, InputError)
    assert issubclass(InputError, SofttruthError)


def test_a_byte_does_not_wrap_around():
    """0 - 1 is 255 in eight bits."""
    y, p = np.array([0, 1, 1, 0], np.uint8), np.array([1, 1, 0, 0], np.uint8)
    for task in ("binary", "multiclass"):
        for settings in ({}, {"tnorm": "lukasiewicz"}, {"tnorm": "product"}, {"coupling": "least"}):
            im = IndicatorMatrix(y, p, task, **settings)
            assert im.compute("mcc", "macro") == 0.0
            assert im.compute("f1", "macro") == 0.5


def test_cells_of_several_columns_are_not_binary():
    assert Cells.of(1, 0, 3, 4).task == Cells.of([1], [0], [3], [4]).task == "binary"
    assert Cells.of([1, 2], [0, 1], [3, 1], [4, 4]).task == "multilabel"
    assert Cells.of([1, 2], [0, 1], [3, 1], [4, 4], task="multiclass").task == "multiclass"
    with pytest.raises(InputError, match="binary cells have 2 columns, expected one"):
        Cells.of([1, 2], [0, 1], [3, 1], [4, 4], task="binary")


@pytest.mark.parametrize("two", [(-1, 1), (1, 2), (-1, 0)])
@pytest.mark.parametrize("kind", [int, float])
def test_two_whole_numbers_may_be_the_labels(two, kind):
    sides = np.array([two[0], two[1], two[1]], kind), np.array([two[0], two[0], two[1]], kind)
    with pytest.raises(InputError, match=re.escape(f"pass labels=({two[0]}, {two[1]}). If not: pass counts")):
        IndicatorMatrix(*sides, "binary")
    assert IndicatorMatrix(*sides, "binary", labels=two).compute("accuracy") == pytest.approx(2 / 3)
