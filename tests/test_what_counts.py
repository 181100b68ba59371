"""What does not count is not there: rows without a visible entry, missing values behind a mask, columns by name."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from softtruth import IndicatorMatrix, InputError
from softtruth.measures.distances import mean_cost
from softtruth.statistics.evidence import Evidence, Sums

MASKED = {"mask": [[0, 0], [1, 1]]}


@pytest.mark.parametrize("left_out", [MASKED, {"ignore": -1}])
def test_a_row_without_a_visible_entry_is_no_example(left_out):
    reference = [[1, 0], [1, 1]] if "mask" in left_out else [[-1, -1], [1, 1]]
    im = IndicatorMatrix(reference, [[1, 0], [1, 1]], "multilabel", **left_out)
    assert im.n == 1
    for convention in ("exclude", "zero", "one", "nan"):
        assert im.compute("exemplar f1", convention=convention) == 1
        assert im.subset_accuracy(convention) == 1
    assert np.isnan(im.per_example()[0]).all()
    assert im.per_example()[1].tolist() == [2, 0, 0, 0]


@pytest.mark.parametrize("task", ["binary", "multilabel", "multiclass"])
def test_an_image_without_a_visible_part_is_no_example(task):
    image = np.array([[[1, 0], [1, 1]], [[0, 1], [1, 1]], [[0, 0], [1, 0]]])
    other = image[:, ::-1]
    classes = {"n_classes": 2} if task == "multiclass" else {}
    whole = IndicatorMatrix(image, other, task, mask=[0, 1, 1], **classes)
    fewer = IndicatorMatrix(image[1:], other[1:], task, **classes)
    assert whole.n == fewer.n == 2
    for question in ("exemplar f1", "micro f1", "macro label_accuracy"):
        assert whole.compute(question, convention="zero") == fewer.compute(question, convention="zero")
        np.testing.assert_equal(
            whole.interval(question).standard_error, fewer.interval(question).standard_error, err_msg=question
        )
    assert np.isnan(whole.per_example()[0]).all()
    assert whole.per_example()[1:].tolist() == fewer.per_example().tolist()


def test_intervals_of_soft_data_do_not_count_hidden_rows():
    rng = np.random.default_rng(0)
    y, p, mask = rng.random((8, 3)), rng.random((8, 3)), np.ones((8, 3), int)
    mask[5:] = 0
    hidden = IndicatorMatrix(y, p, "multilabel", tnorm="product", mask=mask)
    fewer = IndicatorMatrix(y[:5], p[:5], "multilabel", tnorm="product")
    for question in ("micro f1", "macro f1", "weighted f1", "exemplar f1"):
        found, expected = hidden.interval(question), fewer.interval(question)
        assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)


def test_a_value_that_does_not_count_may_be_missing():
    named = IndicatorMatrix(["a", "b", None], ["a", "b", "a"], "multiclass", labels=["a", "b"], mask=[1, 1, 0])
    assert named.compute("accuracy") == 1
    numbers = IndicatorMatrix(
        [0, 1, None], [0, 1, None], "multiclass", mask=[1, 1, 0], sample_weight=[1, 1, None], clusters=["x", "y", None]
    )
    assert numbers.n == 2
    assert IndicatorMatrix([0, 1, np.nan], [0, 1, 1], "multiclass", ignore=np.nan).compute("accuracy") == 1
    with pytest.raises(InputError, match="reference row 1 is missing; leave it out with mask="):
        IndicatorMatrix(["a", None, None], ["a", "b", "a"], "multiclass", mask=[1, 1, 0])


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda data, columns: pl.DataFrame(data, schema=columns, orient="row")]
)
def test_columns_of_frames_meet_by_name(frame):
    one = frame(np.eye(3), columns=list("abc"))
    moved = frame(np.eye(3)[:, [2, 0, 1]], columns=list("cab"))
    for task, question in (("multiclass", "accuracy"), ("multilabel", "macro f1")):
        im = IndicatorMatrix(one, moved, task)
        assert im.compute(question) == 1
        assert im.labels == ("a", "b", "c")
    assert IndicatorMatrix(["a", "b", "c"], moved, "multiclass").compute("accuracy") == 1
    assert IndicatorMatrix(one, moved, "multiclass", labels=["b", "c", "a"]).labels == ("b", "c", "a")
    apart = IndicatorMatrix(one, frame(np.eye(3), columns=["p_a", "p_b", "p_c"]), "multiclass")
    assert apart.compute("accuracy") == 1
    with pytest.raises(InputError, match="share the column 'b' but not 'a', 'z'"):
        IndicatorMatrix(one, frame(np.eye(3), columns=["z", "b", "c"]), "multiclass")


def test_an_undefined_part_counts_under_nan_whatever_its_weight():
    im = IndicatorMatrix([0, 1], [0, 1], "multiclass", n_classes=3)
    assert np.isnan(im.compute("weighted recall", convention="nan"))
    assert [im.compute("weighted recall", convention=c) for c in ("exclude", "zero", "one")] == [1, 1, 1]


@pytest.mark.parametrize("kind", [np.float16, np.float64])
def test_one_hot_rows_and_scores_that_miss_one_do_not_say_the_task(kind):
    scores = np.array([[0.7, 0.2, 0.2], [0.1, 0.8, 0.3]], kind)
    with pytest.raises(InputError, match="the task cannot be told"):
        IndicatorMatrix([[1, 0, 0], [0, 1, 0]], scores)
    assert IndicatorMatrix([[1, 0, 0], [0, 1, 0]], scores, "multiclass").compute("accuracy") == 1
    assert IndicatorMatrix([[1, 0, 1], [0, 1, 0]], scores).task == "multilabel"


BY_ORDER = ["quadratic_weighted_kappa", "mean_absolute_error", mean_cost([[0, 1], [2, 0]])]


@pytest.mark.parametrize("question", BY_ORDER, ids=str)
def test_names_without_an_order_are_no_grades(question):
    y, p = ["low", "high", "low"], ["low", "low", "high"]
    for ask in (IndicatorMatrix(y, p).compute, IndicatorMatrix(y, p).interval):
        with pytest.raises(InputError, match="pass labels= in the order of the grades"):
            ask(question)
    ordered = IndicatorMatrix(y, p, labels=["low", "high"])
    coded = IndicatorMatrix([0, 1, 0], [0, 0, 1], "multiclass", n_classes=2)
    assert ordered.compute(question) == coded.compute(question)
    assert IndicatorMatrix(y, p).compute("accuracy") == coded.compute("accuracy")


def test_rows_of_half_precision_may_be_off_by_its_rounding():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 10, 200), rng.dirichlet(np.ones(10), 200).astype(np.float32)

    def macro_f1(prediction):
        return IndicatorMatrix(y, prediction, "multiclass", coupling="independent").compute("macro f1")

    half = p.astype(np.float16)
    short = ((p.view(np.uint32) + 0x8000) & 0xFFFF0000).view(np.float32)  # as bfloat16 keeps them
    assert np.abs(half.astype(float).sum(axis=1) - 1).max() > 1e-4
    assert macro_f1(half) == pytest.approx(macro_f1(p), rel=1e-3)
    assert macro_f1(short) == pytest.approx(macro_f1(p), rel=1e-2)
    few_digits = p.copy()
    few_digits[3] = [0.5, 0.25, 0.2490234375, *[0] * 7]  # as float16 holds it, among rows that it does not hold
    for wrong in (p * np.float32(1.0005), half * np.float16(1.01), p.astype(float) * 1.0005, few_digits):
        with pytest.raises(InputError, match="sums to"):
            macro_f1(wrong)


def test_evidence_is_summed_as_anything_that_adds():
    one = Sums(IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary").cells)
    evidence = Evidence({"threshold": 0.5}, {("a", "reference"): one}, 3)
    assert sum([one, one]).statistic.tp.tolist() == [2.0]
    assert sum([evidence, evidence]).rows == 6
    for each in (one, evidence):
        with pytest.raises(TypeError):
            1 + each
