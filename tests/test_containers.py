"""One answer, whatever the data come in: lists, NumPy of any type, pandas, polars, pyarrow, torch, JAX."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, compare_predictions, evaluate

LABELS, PREDICTED = [0, 1, 2, 2, 1, 0, 2], [0, 2, 2, 1, 1, 1, 2]
HARD, CALLED = [1, 0, 0, 1, 1], [1, 1, 0, 0, 1]
SHARES, SCORES = [0.75, 0.25, 1.0, 0.0, 0.5], [0.5, 0.5, 0.25, 0.875, 1.0]  # exact in sixteen bits, too
ROWS = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.375, 0.5], [0.25, 0.5, 0.25]]
TAGS = [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
NAMES = ["cat", "dog", "cow", "cow", "dog", "cat", "cow"]
NAMED = ["cat", "cow", "cow", "dog", "dog", "dog", "cow"]


def answers(put, kinds=("labels", "binary", "shares", "rows", "tags", "names")):
    """Return values of all sorts of problems, both sides handed over by ``put``."""
    found = {}
    if "labels" in kinds:
        im = IndicatorMatrix(put(LABELS), put(PREDICTED))
        found["labels"] = (im.task, im.compute("macro f1"), im.compute("accuracy"), im.compute("r_k"), im.counts)
    if "binary" in kinds:
        im = IndicatorMatrix(put(HARD), put(CALLED), "binary")
        found["binary"] = (im.compute("mcc"), im.counts)
    if "shares" in kinds:
        im = IndicatorMatrix(
            put(SHARES), put(SCORES), "binary", tnorm="product", sample_weight=put([1.0, 2.0, 0.5, 0.0, 1.0])
        )
        found["shares"] = (im.compute("f1"), im.compute("exemplar recall"), im.counts)
        im = IndicatorMatrix(put(SHARES), put(SCORES), "binary", coupling="least")
        found["least"] = (im.compute("mcc"), im.counts)
    if "rows" in kinds:
        im = IndicatorMatrix(put(ROWS), put(ROWS[::-1]), "multiclass", tnorm="godel")
        found["rows"] = (im.compute("macro jaccard"), im.counts)
        im = IndicatorMatrix(put([0, 1, 2, 1]), put(ROWS), "multiclass")
        found["top"] = (im.compute("accuracy"), im.counts)
    if "tags" in kinds:
        im = IndicatorMatrix(
            put(TAGS), put(TAGS[::-1]), "multilabel", mask=put([[1, 1, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
        )
        found["tags"] = (im.compute("weighted f1"), im.subset_accuracy(), im.counts)
    if "names" in kinds:
        im = IndicatorMatrix(put(NAMES), put(NAMED))
        found["names"] = (im.labels, im.compute("macro precision"), im.table.masses.tolist())
    return found


EXPECTED = answers(list)


def same(put, kinds=("labels", "binary", "shares", "rows", "tags", "names")):
    found = answers(put, kinds)
    assert found
    assert found == {key: EXPECTED[key] for key in found}


# --- lists and NumPy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("put", [tuple, np.array, np.asfortranarray, lambda x: np.array(x)[::-1][::-1]])
def test_lists_and_arrays(put):
    same(put)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_whole_numbers_of_any_width(dtype):
    same(lambda x: np.array(x, dtype), ("labels", "binary", "tags"))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, object])
def test_fractions_of_any_precision(dtype):
    same(lambda x: np.array(x, dtype), ("labels", "binary", "shares", "rows", "tags"))


def test_truth_values():
    same(lambda x: np.array(x, bool), ("binary", "tags"))
    same(lambda x: [bool(v) for v in x], ("binary",))
    assert IndicatorMatrix(np.array(HARD, bool), np.array(CALLED, bool)).task == "binary"


@pytest.mark.parametrize("dtype", ["U3", "S3", object, np.dtypes.StringDType()])
def test_names_of_any_type(dtype):
    same(lambda x: np.array(x, dtype), ("names",))


def test_exact_numbers():
    for kind in (Decimal, Fraction):
        same(lambda x, kind=kind: [kind(v) for v in x], ("shares", "binary"))


def test_read_only_memory_and_views():
    def put(x):
        array = np.repeat(np.array(x), 2, axis=0)[::2]
        array.flags.writeable = False
        return array

    same(put)


def test_nothing_that_is_given_is_changed():
    y, p, w = (np.array(x, float) for x in (SHARES, SCORES, [1.0, 2.0, 0.5, 0.0, 1.0]))
    p[0] = 1 + 1e-10
    before = [a.copy() for a in (y, p, w)]
    for settings in ({}, {"tnorm": "product"}, {"coupling": "most"}):
        im = IndicatorMatrix(y, p, "binary", sample_weight=w, **settings)
        im.compute("f1")
        im.interval("f1")
    assert all((a == b).all() for a, b in zip(before, (y, p, w), strict=True))


@pytest.mark.parametrize("shape", [(5,), (5, 1)])
def test_one_column_is_a_vector(shape):
    im = IndicatorMatrix(np.reshape(SHARES, shape), np.reshape(SCORES, (5, 1)), "binary", tnorm="product")
    assert im.counts == IndicatorMatrix(SHARES, SCORES, "binary", tnorm="product").counts
    im = IndicatorMatrix(np.reshape(HARD, shape), np.reshape(CALLED, shape), "multilabel")
    assert im.per_class().shape == (1, 4)
    assert im.counts == IndicatorMatrix(HARD, CALLED, "binary").counts


def test_two_columns_are_the_negative_and_the_positive_class():
    two = np.stack([1 - np.array(SCORES), SCORES], axis=1)
    for settings in ({}, {"tnorm": "product"}):
        found = IndicatorMatrix(SHARES, two, "binary", **settings).counts
        assert found == IndicatorMatrix(SHARES, SCORES, "binary", **settings).counts


@pytest.mark.parametrize("kind", ["auto", "scores"])
def test_of_two_scores_in_a_row_the_higher_one_wins(kind):
    """As among three classes: ties go to the first, and any monotone change of a row changes nothing."""
    rng = np.random.default_rng(0)
    scores, hard = rng.normal(size=(200, 2)).round(1), rng.integers(0, 2, 200)
    several = IndicatorMatrix(hard, scores, "multiclass", prediction_kind=kind)
    assert several.tied_predictions > 0
    for given in (scores, 3 * scores - 7, np.exp(scores), (10 * scores).round().astype(int)):
        im = IndicatorMatrix(hard, given, "binary", prediction_kind=kind)
        assert im.compute("accuracy") == several.compute("accuracy")
        assert im.tied_predictions == several.tied_predictions
    logits = IndicatorMatrix(hard, scores, "binary", prediction_kind="logits")
    assert logits.compute("accuracy") == several.compute("accuracy")
    named = IndicatorMatrix(np.array(["no", "yes"])[hard], scores, "binary", labels=["no", "yes"], prediction_kind=kind)
    assert named.compute("accuracy") == several.compute("accuracy")


def test_two_columns_that_sum_to_one_meet_the_threshold():
    two = np.array([[0.6, 0.4], [0.9, 0.1], [0.2, 0.8]])
    assert IndicatorMatrix([1, 0, 1], two, "binary", threshold=0.3).compute("accuracy") == 1
    assert IndicatorMatrix([1, 0, 1], two, "binary").compute("accuracy") == pytest.approx(2 / 3)


def test_masked_arrays_are_refused_where_something_is_missing():
    with pytest.raises(InputError, match=r"^reference row 1 is missing; leave it out with mask="):
        IndicatorMatrix(np.ma.array(HARD, mask=[0, 1, 0, 0, 0]), CALLED, "binary")
    same(lambda x: np.ma.array(x, mask=False), ("labels", "shares", "rows"))


# --- other libraries ------------------------------------------------------------------------------------------------


@pytest.mark.backend
def test_pandas():
    pd = pytest.importorskip("pandas", exc_type=ImportError)

    def frame(x):
        return pd.DataFrame(x) if isinstance(x[0], list) else pd.Series(x, index=range(10, 10 + len(x)))

    def nullable(x):
        made = frame(x)
        return made.convert_dtypes()

    same(frame)
    same(nullable)
    same(lambda x: pd.Series(x, dtype="category"), ("labels", "binary", "names"))
    same(lambda x: pd.Series(x, dtype="Int64"), ("labels", "binary"))
    same(lambda x: pd.Series(x, dtype="boolean"), ("binary",))
    same(lambda x: pd.Series(x, dtype="string"), ("names",))
    same(lambda x: pd.Series(x, dtype="double[pyarrow]"), ("shares",))
    same(pd.Index, ("labels", "names"))
    for missing in (pd.Series([1, None], dtype="Int64"), pd.Series([0.5, None], dtype="Float64")):
        with pytest.raises(InputError, match="reference row 1 is nan"):
            IndicatorMatrix(missing, [0, 1], "binary")
    for missing in (
        pd.Series(["a", None]),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["a", pd.NA], dtype=object),
    ):
        with pytest.raises(InputError, match="reference row 1 is missing"):
            IndicatorMatrix(missing, ["a", "b"])


@pytest.mark.backend
def test_polars():
    pl = pytest.importorskip("polars")

    def put(x):
        return pl.DataFrame(x, orient="row") if isinstance(x[0], list) else pl.Series(x)

    same(put)
    same(lambda x: pl.Series(x, dtype=pl.Categorical), ("names",))
    same(lambda x: pl.Series(x, dtype=pl.UInt8), ("labels", "binary"))
    same(lambda x: pl.Series(x, dtype=pl.Float32), ("shares",))
    same(lambda x: pl.Series(x, dtype=pl.Array(pl.Float64, 3)) if isinstance(x[0], list) else pl.Series(x), ("rows",))
    with pytest.raises(InputError, match="reference row 1 is nan"):
        IndicatorMatrix(pl.Series([1, None]), [0, 1], "binary")
    with pytest.raises(InputError, match="reference row 1 is missing"):
        IndicatorMatrix(pl.Series(["a", None]), ["a", "b"])


def test_pyarrow():
    import pyarrow as pa

    def table(x):
        return pa.table({f"c{i}": column for i, column in enumerate(zip(*x, strict=True))})

    for vector in (pa.array, lambda x: pa.chunked_array([x[:2], x[2:]]), lambda x: pa.array(x).dictionary_encode()):
        same(lambda x, vector=vector: table(x) if isinstance(x[0], list) else vector(x))
    same(lambda x: pa.array([bool(v) for v in x]), ("binary",))
    same(lambda x: pa.array(np.array(x, np.float16)), ("shares",))
    with pytest.raises(InputError, match="reference row 1 is nan"):
        IndicatorMatrix(pa.array([1, None]), [0, 1], "binary")
    with pytest.raises(InputError, match="reference row 1 is missing"):
        IndicatorMatrix(pa.array(["a", None]), ["a", "b"])


NUMBERS = ("labels", "binary", "shares", "rows", "tags")


@pytest.mark.backend
def test_torch():
    torch = pytest.importorskip("torch")
    same(torch.tensor, NUMBERS)
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        same(lambda x, dtype=dtype: torch.tensor(x, dtype=dtype), ("labels", "binary", "shares", "rows", "tags"))
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32):
        same(lambda x, dtype=dtype: torch.tensor(x, dtype=dtype), ("labels", "binary", "tags"))
    same(lambda x: torch.tensor(x, dtype=torch.bool), ("binary", "tags"))
    same(lambda x: torch.tensor(x, dtype=torch.float32, requires_grad=True), ("shares", "rows"))
    same(lambda x: torch.tensor(x, dtype=torch.float64)[..., None].expand(*np.shape(x), 2)[..., 0], ("rows", "shares"))
    same(lambda x: [torch.tensor(v) for v in x], ("labels", "rows"))
    same(lambda x: torch.tensor(x).to_sparse(), ("tags",))


@pytest.mark.backend
def test_jax():
    jax = pytest.importorskip("jax")
    same(jax.numpy.array, NUMBERS)
    for dtype in ("float32", "float16", "bfloat16"):
        same(lambda x, dtype=dtype: jax.numpy.array(x, dtype=dtype), NUMBERS)
    for dtype in ("uint8", "int16"):
        same(lambda x, dtype=dtype: jax.numpy.array(x, dtype=dtype), ("labels", "binary", "tags"))
    same(lambda x: jax.numpy.array(x, dtype=bool), ("binary", "tags"))


@pytest.mark.backend
def test_libraries_may_be_mixed():
    torch, pd = pytest.importorskip("torch"), pytest.importorskip("pandas")
    im = IndicatorMatrix(
        pd.Series(SHARES), torch.tensor(SCORES), "binary", tnorm="product", sample_weight=[1, 2, 0.5, 0, 1]
    )
    assert im.counts == EXPECTED["shares"][-1]


def arrow(names):
    import pyarrow as pa

    return pa.array(names)


def pandas_index(names):
    import pandas as pd

    return pd.Index(names)


def polars_series(names):
    import polars as pl

    return pl.Series(names)


@pytest.mark.parametrize("put", [list, tuple, iter, np.array, arrow, pandas_index, polars_series])
def test_names_of_classes_come_in_any_container(put):
    order = ["dog", "cow", "cat"]
    plain = IndicatorMatrix(NAMES, NAMED, "multiclass", labels=order, subset=["cow", "cat"])
    given = IndicatorMatrix(NAMES, NAMED, "multiclass", labels=put(order), subset=put(["cow", "cat"]))
    assert given.labels == plain.labels == ("dog", "cow", "cat")
    assert given.compute("macro f1") == plain.compute("macro f1")
    predictions = {"one": NAMED, "two": NAMES}
    for ask in (evaluate, compare_predictions):
        found, expected = (
            ask(NAMES, predictions, "multiclass", labels=names(order), subset=names(["cow", "cat"]))
            for names in (put, list)
        )
        assert found.to_dict()["rows"] == expected.to_dict()["rows"]
