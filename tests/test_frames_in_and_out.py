"""Frames in and frames out: rows that cannot be told to belong together are refused, categories declare classes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from softtruth import (
    Answers,
    IndicatorMatrix,
    InputError,
    audit_apply,
    estimate_prior,
    evaluate,
    shared_errors,
    suspects,
)
from softtruth.people import agreement, human_ceiling, perspectives
from softtruth.sets import aggregated_coverage, set_cells

pytestmark = pytest.mark.backend
Y, P = ["b", "a", "c", "b"], ["b", "a", "a", "b"]


# --- rows -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("about", ["prediction", "sample_weight", "mask", "clusters"])
def test_the_same_index_in_another_order_is_refused(about):
    given = {
        "reference": pd.Series(Y, index=[10, 11, 12, 13]),
        "prediction": pd.Series(P, index=[10, 11, 12, 13]),
        "sample_weight": pd.Series([1.0, 2, 3, 4], index=[10, 11, 12, 13]),
        "mask": pd.Series([True, True, False, True], index=[10, 11, 12, 13]),
        "clusters": pd.Series(list("aabb"), index=[10, 11, 12, 13]),
    }
    IndicatorMatrix(**given)
    turned = {**given, about: given[about].iloc[::-1]}
    with pytest.raises(InputError) as caught:
        IndicatorMatrix(**turned)
    assert str(caught.value) == (
        f"{about} has the same index in another order than reference: row 0 is 13, and 10 there. Rows meet by their "
        f"place; put them in one order with {about}.loc[reference.index], or pass {about}.to_numpy() if the places are "
        "right."
    )
    namespace = {**turned, "reference": given["reference"]}
    IndicatorMatrix(**{**turned, about: eval(f"{about}.loc[reference.index]", {}, namespace)})  # noqa: S307  as it says
    IndicatorMatrix(**{**turned, about: turned[about].to_numpy()})


def test_a_counted_index_says_nothing_of_other_rows():
    reference = pd.Series(Y, index=[57, 3, 990, 12])  # as a split leaves it
    found = IndicatorMatrix(reference, pd.Series(P))
    assert found.compute("accuracy") == 0.75
    shuffled = pd.Series(Y, index=[3, 0, 2, 1])
    with pytest.raises(InputError, match="the same index in another order than reference: row 0 is 0, and 3 there"):
        IndicatorMatrix(shuffled, pd.Series(P))


def test_other_indices_are_refused():
    with pytest.raises(InputError, match="prediction has another index than reference: row 3 is 'e', and 'd' there"):
        IndicatorMatrix(pd.Series(Y, index=list("abcd")), pd.Series(P, index=list("abce")))
    with pytest.raises(InputError, match="another index"):
        IndicatorMatrix(pd.Series(Y, index=list("abcd")), pd.DataFrame({"x": P}, index=[5, 6, 7, 8]))
    twice = pd.Series(Y, index=list("aabb"))
    IndicatorMatrix(twice, pd.Series(P, index=list("aabb")))  # the same names at the same places
    with pytest.raises(InputError, match="the same index in another order"):
        IndicatorMatrix(twice, pd.Series(P, index=list("abab")))


def test_other_numbers_of_rows_are_said_as_ever():
    with pytest.raises(InputError, match="reference has 4 rows but prediction has 3"):
        IndicatorMatrix(pd.Series(Y), pd.Series(P[:3], index=[7, 8, 9]))


def test_evaluate_looks_at_every_prediction():
    reference = pd.Series(Y, index=list("wxyz"))
    right, turned = pd.Series(P, index=list("wxyz")), pd.Series(P, index=list("zyxw"))
    with pytest.raises(InputError, match="the same index in another order"):
        evaluate(reference, {"one": right, "other": turned})
    mixed = evaluate(reference, {"one": right, "other": pl.Series(P)})  # polars has no index
    assert mixed.value("accuracy", prediction="one") == mixed.value("accuracy", prediction="other")


# --- classes --------------------------------------------------------------------------------------------------------

ORDER = ["c", "b", "a", "z"]
DECLARED = {
    "pandas": lambda values: pd.Series(values, dtype=pd.CategoricalDtype(ORDER)),
    "pandas, ordered": lambda values: pd.Series(values, dtype=pd.CategoricalDtype(ORDER, ordered=True)),
    "polars": lambda values: pl.Series(values, dtype=pl.Enum(ORDER)),
    "pyarrow": lambda values: pa.DictionaryArray.from_arrays(
        pa.array([ORDER.index(v) for v in values], pa.int32()), pa.array(ORDER), ordered=True
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_categories_are_the_classes_in_their_order(name):
    put = DECLARED[name]
    others = [put(P), P, np.array(P), pl.Series(P), pd.Series(P, dtype="category")]
    for other in others:
        found = IndicatorMatrix(put(Y), other)
        assert found.labels == tuple(ORDER)  # the one that nobody has, too
        assert found.compute("accuracy") == 0.75
        assert found.table.rows.tolist() == [1, 2, 1, 0]
    assert IndicatorMatrix(Y, put(P)).labels == tuple(ORDER)
    assert IndicatorMatrix(put(Y), put(P), labels=["a", "b", "c", "z"]).labels == ("a", "b", "c", "z")
    assert evaluate(put(Y), {"one": put(P), "other": P}).classes == tuple(ORDER)


def test_ordered_categories_are_grades():
    grades = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    y, p = (pd.Series(v, dtype=grades) for v in (["low", "high", "mid"], ["mid", "high", "mid"]))
    plain = IndicatorMatrix([0, 2, 1], [1, 2, 1], "ordinal", n_classes=3)
    assert IndicatorMatrix(y, p, "ordinal").compute("weighted_kappa 2") == plain.compute("weighted_kappa 2")
    nobody_chose = [pd.Series(list(side), dtype="category") for side in (y, p)]
    with pytest.raises(InputError, match=r"pass labels= in the order of the grades\.$"):
        IndicatorMatrix(*nobody_chose).compute("weighted_kappa 2")


def test_of_two_categories_the_second_is_the_positive_one():
    y = pd.Series(["yes", "no", "yes"], dtype=pd.CategoricalDtype(["yes", "no"]))
    assert IndicatorMatrix(y, [0.9, 0.2, 0.4], "binary").labels == ("yes", "no")
    for nobody_chose in (y.astype(str), y.astype(str).astype("category")):
        with pytest.raises(InputError, match="needs to know which is positive"):
            IndicatorMatrix(nobody_chose, [0.9, 0.2, 0.4], "binary")
    chosen = y.cat.reorder_categories(["no", "yes"], ordered=True)
    assert IndicatorMatrix(chosen, [0.9, 0.2, 0.4], "binary").labels == ("no", "yes")


def test_categories_that_are_numbers_are_classes_and_no_indices():
    y, p = (pd.Series(v, dtype="category") for v in ([1, 2, 3, 1], [1, 2, 2, 1]))
    found = IndicatorMatrix(y, p)
    assert found.labels == (1, 2, 3)
    assert found.compute("macro recall") == pytest.approx(2 / 3)
    assert IndicatorMatrix(y, [1, 2, 2, 1]).labels == (1, 2, 3)


def test_columns_meet_categories_by_name():
    y = pd.Series(["cat", "dog"], dtype=pd.CategoricalDtype(["dog", "cat"]))
    table = {"cat": [0.9, 0.2], "dog": [0.1, 0.8]}
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        found = IndicatorMatrix(y, frame, "multiclass")
        assert (found.labels, found.compute("accuracy")) == (("dog", "cat"), 1.0)
    with pytest.raises(InputError, match="pass labels= with the names in the order of the columns"):
        IndicatorMatrix(y, np.array([[0.9, 0.1], [0.2, 0.8]]), "multiclass")  # which column is which?
    three = pd.Series(["a", "b"], dtype=pd.CategoricalDtype(["b", "a", "c"]))
    with pytest.raises(InputError, match="pass labels= with the names in the order of the numbers"):
        IndicatorMatrix(three, [0, 1], "multiclass")  # codes, or sorted names?


def test_two_orders_are_refused_unless_one_is_only_sorted():
    y = pd.Series(Y, dtype=pd.CategoricalDtype(["c", "a", "b"]))
    with pytest.raises(InputError, match=r"the two sides have the categories .* pass labels= with the order that is"):
        IndicatorMatrix(y, pd.Series(P, dtype=pd.CategoricalDtype(["b", "a", "c"])))
    assert IndicatorMatrix(pd.Series(Y, dtype="category"), y).labels == ("c", "a", "b")
    mixed = pd.Series([1, "a"], dtype=pd.CategoricalDtype([1, "a"]))
    with pytest.raises(InputError):
        IndicatorMatrix(mixed, mixed)


def test_a_column_of_lists_is_a_matrix():
    shares = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]
    expected = IndicatorMatrix(np.array(shares), np.array(shares), "multiclass", coupling="independent").per_class()
    for column in (
        pd.Series(shares),
        pl.Series(shares),
        pl.Series(shares, dtype=pl.Array(pl.Float64, 3)),
        pa.array(shares),
        pd.Series(shares, dtype=pd.ArrowDtype(pa.list_(pa.float64()))),
    ):
        found = IndicatorMatrix(column, column, "multiclass", coupling="independent")
        np.testing.assert_array_equal(found.per_class(), expected)
    with pytest.raises(InputError, match="reference has rows of different lengths"):
        IndicatorMatrix(pl.Series([[0.5, 0.5], [1.0]]), pl.Series(shares), "multiclass")
    with pytest.raises(InputError, match=r"reference row 1 is missing|reference has rows of different lengths"):
        IndicatorMatrix(pl.Series([[0.5, 0.5], None]), pl.Series(shares), "multiclass")


@pytest.mark.parametrize(
    "dtype", ["Int64", "Int8", "Float32", "boolean", "int64[pyarrow]", "float[pyarrow]", "bool[pyarrow]", "category"]
)
def test_any_type_of_a_pandas_column(dtype):
    y, p = pd.Series([1, 0, 1, 1]).astype(dtype), pd.Series([1, 0, 0, 1]).astype(dtype)
    weight = pd.Series([1, 2, 1, 1]).astype(dtype if "bool" not in dtype else "Int64")
    mask = pd.Series([True, True, True, False]).astype("boolean")
    found = IndicatorMatrix(y, p, "binary", sample_weight=weight, mask=mask)
    assert (
        found.counts
        == IndicatorMatrix(
            [1, 0, 1, 1], [1, 0, 0, 1], "binary", sample_weight=[1, 2, 1, 1], mask=[True, True, True, False]
        ).counts
    )


# --- out ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("put", "library"),
    [(pd.Series, "pandas"), (pl.Series, "polars"), (pa.array, "pyarrow"), (list, "pandas"), (np.array, "pandas")],
)
def test_rows_come_in_the_library_of_the_data(put, library):
    report = evaluate(put([0, 1, 1]), put([0, 1, 0]), "binary")
    assert type(report.to_frame()).__module__.partition(".")[0] == library
    assert type(report.to_frame("polars")).__module__.partition(".")[0] == "polars"


def test_every_row_has_its_settings():
    votes = [[5, 0], [4, 1], [3, 2], [1, 4], [0, 5]]
    given = {"reference_kind": "votes", "convention": "zero", "ties": "first", "interval": "percentile", "draws": 50}
    report = evaluate(votes, [0.1, 0.2, 0.6, 0.7, 0.9], "binary", **given)
    frame = report.to_frame("polars")
    assert frame["task"].unique().to_list() == ["binary"]
    assert frame["n"].unique().to_list() == [5]
    assert dict(frame.select("view", "coupling").unique().iter_rows()) == {
        "majority": "hardened", "soft": "independent", "soft_decision": "hardened",
    }  # fmt: skip
    assert frame["convention"].unique().to_list() == ["zero"]
    assert frame["ties"].unique().to_list() == ["first"]
    assert frame["intervals"].unique().to_list() == ["percentile, 50 draws, seed 0"]
    assert frame["software"][0].startswith("softtruth ")
    again = pl.read_json(frame.write_json().encode(), infer_schema_length=None)
    assert again.columns == frame.columns


def test_one_label_of_a_frame_is_no_class_number():
    gold = pd.DataFrame({"AF": [0, 1, 0], "ST": [1, 0, 0], "SB": [0, 0, 1]})
    shares = pd.DataFrame({"AF": [0.1, 0.8, 0.2], "ST": [0.8, 0.1, 0.2], "SB": [0.1, 0.1, 0.6]})
    with pytest.raises(InputError, match="yes or no of one label is no class number"):
        IndicatorMatrix(gold["AF"], shares)
    assert IndicatorMatrix(gold["AF"], shares["AF"], task="binary").compute("accuracy") == 1
    for name in ("AF", "y_AF", "p_AF"):
        with pytest.raises(
            InputError, match=r"is no class number\. Take that column of the other side too: \['p_AF'\]"
        ):
            IndicatorMatrix(gold["AF"].rename(name), shares.add_prefix("p_"), "multiclass")
    sick = pd.DataFrame({"p_neg": [0.9, 0.2], "p_pos": [0.1, 0.8]})
    assert IndicatorMatrix(pd.Series([0, 1], name="pos"), sick, "binary").compute("accuracy") == 1


# --- columns of other names -----------------------------------------------------------------------------------------

CLASSES = ["maybe", "no", "yes"]
SHARES = pd.DataFrame(np.eye(3)[[0, 1, 2, 1]], columns=CLASSES)


def library(put):
    return {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[put]


@pytest.mark.parametrize("put", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(("ours", "theirs"), [("n_", "p_"), ("", "p_"), ("n_", ""), ("y_true_", "prob_")])
def test_prefixes_of_columns_say_the_side_and_not_the_class(put, ours, theirs):
    reference, turned = library(put)(SHARES.add_prefix(ours)), library(put)(SHARES[CLASSES[::-1]].add_prefix(theirs))
    im = IndicatorMatrix(reference, turned, "multiclass")
    assert im.labels == tuple(CLASSES)
    assert im.compute("accuracy") == 1
    assert set_cells(reference, turned).tp.tolist() == [1, 2, 1]
    assert aggregated_coverage(reference, turned).tolist() == [1, 1, 1, 1]


def test_columns_that_stand_for_other_classes_are_refused_unless_labels_name_them():
    other = SHARES.rename(columns={"maybe": "a", "no": "b", "yes": "c"})
    with pytest.raises(InputError, match="which belongs to which is a guess"):
        IndicatorMatrix(SHARES, other, "multiclass")
    assert IndicatorMatrix(SHARES, other, "multiclass", labels=["x", "y", "z"]).compute("accuracy") == 1
    assert IndicatorMatrix(SHARES, other.to_numpy(), "multiclass").compute("accuracy") == 1


ANSWERS = Answers.long(list("aabbccdd"), ["x", "y"] * 4, [name for name in ("maybe", "no", "yes", "no") for _ in "xy"])
ITEMS = SHARES.set_axis(list("abcd"))


@pytest.mark.parametrize("put", ["pandas", "polars", "pyarrow"])
def test_columns_meet_the_classes_of_answers(put):
    turned = library(put)(ITEMS[CLASSES[::-1]].reset_index(drop=True).add_prefix("p_"))
    assert human_ceiling(ANSWERS, turned).model.value == 1
    found = suspects([0, 1, 2, 1], turned, votes=ANSWERS)
    assert found.model.tolist() == [0, 1, 2, 1]
    shifted = estimate_prior(IndicatorMatrix([*CLASSES, "no"], [*CLASSES, "no"], "multiclass"), turned)
    assert shifted.prior.tolist() == pytest.approx([0.25, 0.5, 0.25])


THREE = ["cat", "dog", "emu"]
CODES = np.array([0, 1, 2, 0, 1, 2])
TURNED = pd.DataFrame(np.eye(3)[CODES], columns=THREE)[["emu", "cat", "dog"]]


@pytest.mark.parametrize("put", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("prefix", ["p_", "", "model:"])
@pytest.mark.parametrize(
    "reference",
    [np.array(THREE)[CODES], np.eye(3)[CODES], pd.DataFrame(np.eye(3)[CODES], columns=THREE).add_prefix("p_")],
)
def test_columns_meet_the_labels_that_are_given(reference, prefix, put):
    turned = library(put)(TURNED.add_prefix(prefix))
    assert IndicatorMatrix(reference, turned, "multiclass", labels=THREE).compute("accuracy") == 1
    assert IndicatorMatrix(turned, reference, "multiclass", labels=THREE).compute("accuracy") == 1


def test_a_column_with_the_name_of_a_class_at_another_place_is_refused():
    for names in (["emu", "cat", "wolf"], ["p_emu", "p_cat", "p_wolf"]):
        with pytest.raises(InputError, match="so that 'emu' stands at another place but not all columns are named"):
            IndicatorMatrix(np.array(THREE)[CODES], TURNED.set_axis(names, axis=1), labels=THREE)
    other = TURNED[THREE].rename(columns={"emu": "a large bird"})  # labels= may rename
    assert IndicatorMatrix(np.array(THREE)[CODES], other, labels=THREE).compute("accuracy") == 1


def test_a_frame_beside_names_says_the_classes():
    names = np.array(THREE)[CODES]
    declared = pd.Series(names, dtype=pd.CategoricalDtype(THREE))
    for prefix in ("p_", "", "model:"):
        turned = TURNED.add_prefix(prefix)
        assert IndicatorMatrix(names, turned).labels == ("emu", "cat", "dog")
        assert IndicatorMatrix(declared, turned).labels == tuple(THREE)
        assert IndicatorMatrix(names, turned).compute("accuracy") == 1
        assert IndicatorMatrix(declared, turned).compute("accuracy") == 1
    full = np.char.add("very_", names)
    assert IndicatorMatrix(full, TURNED.add_prefix("very_")).labels == ("very_emu", "very_cat", "very_dog")


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [2, 1, 0]])
@pytest.mark.parametrize("columns", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], ["p_1", "p_2", "p_3"], [-1, 0, 7]])
def test_columns_whose_names_are_numbers_are_the_classes_of_these_numbers(columns, order):
    frame = pd.DataFrame(np.eye(3)[CODES], columns=columns).iloc[:, order]
    numbers = [int(str(name).strip("p_").removesuffix(".0")) for name in columns]
    y = np.array(numbers)[CODES]
    for reference in (y, y.tolist(), y.astype(float), pd.Series(y), pl.Series(y), pd.Series(y, dtype="category")):
        found = IndicatorMatrix(reference, frame, "multiclass")
        assert found.labels == tuple(numbers)
        assert found.compute("accuracy") == 1
        assert IndicatorMatrix(reference, frame, labels=numbers).compute("accuracy") == 1
    assert IndicatorMatrix(y.astype(str), frame, "multiclass").compute("accuracy") == 1
    both = IndicatorMatrix(pd.DataFrame(np.eye(3)[CODES], columns=numbers), frame, "multiclass")
    assert both.labels == tuple(numbers)
    assert both.compute("accuracy") == 1


def test_the_order_of_two_columns_alone_makes_no_class_positive():
    names, share = np.array(["neg", "pos", "neg", "pos"]), np.array([0.1, 0.8, 0.6, 0.9])
    frame = pd.DataFrame({"p_neg": 1 - share, "p_pos": share})
    expected = IndicatorMatrix(names, share, "binary", labels=["neg", "pos"]).counts
    turned = frame[["p_pos", "p_neg"]]
    for reference in (names, pd.DataFrame({"pos": names == "pos", "neg": names == "neg"}), [0, 1, 0, 1]):
        with pytest.raises(InputError, match=r"class names 'pos', 'neg' needs to know which is positive; pass labels="):
            IndicatorMatrix(reference, turned, "binary")
        assert IndicatorMatrix(reference, turned, "binary", labels=["neg", "pos"]).counts == expected
    assert IndicatorMatrix(names, frame, "binary").counts == expected
    assert IndicatorMatrix([1, 2, 1, 2], turned.set_axis([2, 1], axis=1), "binary").counts == expected
    ranked = pd.Series(names, dtype=pd.CategoricalDtype(["neg", "pos"], ordered=True))
    assert IndicatorMatrix(ranked, turned, "binary").counts == expected


def test_columns_that_are_only_counted_have_no_names():
    shares = pd.DataFrame(np.eye(3)[CODES])
    assert IndicatorMatrix(CODES, shares).compute("accuracy") == 1
    assert IndicatorMatrix(CODES, shares[[2, 0, 1]]).compute("accuracy") == 1
    assert IndicatorMatrix(shares, shares.set_axis(THREE, axis=1), "multiclass").compute("accuracy") == 1
    assert IndicatorMatrix(np.array(THREE)[CODES], shares, labels=THREE).compute("accuracy") == 1


def test_columns_of_numbers_meet_the_classes_of_answers():
    answers = Answers.long(np.repeat(np.arange(6), 2), list("ab") * 6, np.repeat(CODES + 1, 2))
    frame = pd.DataFrame(np.eye(3)[CODES], columns=[1, 2, 3])
    assert human_ceiling(answers, frame[[3, 1, 2]]).model.value == 1
    for said in (frame, CODES + 1):
        found = suspects(CODES + 1, said, votes=answers)
        assert found.model.tolist() == CODES.tolist()
        expected = suspects(
            CODES, CODES if said is not frame else np.eye(3)[CODES], votes=np.stack([CODES, CODES], axis=1)
        )
        assert found.score.tolist() == expected.score.tolist()
    shifted = estimate_prior(IndicatorMatrix(CODES + 1, CODES + 1, labels=[1, 2, 3]), frame[[3, 1, 2]])
    assert shifted.prior.tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("ask", [human_ceiling, perspectives, shared_errors])
def test_rows_meet_the_items_of_answers(ask):
    codes = pd.Series([0, 1, 2, 1], index=list("abcd"))
    ask(ANSWERS, codes)
    for wrong in (codes.iloc[::-1], codes.set_axis(list("abce"))):
        with pytest.raises(InputError, match="answers"):
            ask(ANSWERS, wrong)
    ask(ANSWERS, codes.reset_index(drop=True))
    ask(Answers.of([[0, 0], [1, 1], [2, 2], [1, 1]]), codes)  # items without names


def test_other_columns_than_the_classes_of_answers_are_refused():
    with pytest.raises(InputError, match="expected one for each of the classes 'maybe', 'no', 'yes'"):
        human_ceiling(ANSWERS, ITEMS.rename(columns={"no": "never"}))


def test_rows_of_reviews_and_suspects_belong_together():
    label, model = pd.Series([0, 1, 0, 1], index=list("abcd")), pd.Series([0, 1, 1, 1], index=list("dcba"))
    with pytest.raises(InputError, match="the same index in another order"):
        suspects(label, model)
    with pytest.raises(InputError, match="the same index in another order"):
        audit_apply(label, model, [0, 1], [0, 1], stratum=[0, 0], sizes=[4])


def test_an_order_of_classes_that_nobody_gave_is_no_distance():
    given = list("aabbccdd"), ["x", "y"] * 4, ["low", "mid", "high", "high", "low", "low", "mid", "high"]
    with pytest.raises(InputError, match="needs the order of the classes, and 'high', 'low', 'mid' are only sorted"):
        agreement(Answers.long(*given), distance="ordinal")
    order = ["low", "mid", "high"]
    named = agreement(Answers.long(*given, classes=order), distance="ordinal")
    column = pd.Categorical(given[2], order, ordered=True)
    assert agreement(Answers.long(given[0], given[1], column), distance="ordinal") == named
    grades = [order.index(name) for name in given[2]]
    assert agreement(Answers.long(given[0], given[1], grades), distance="ordinal") == named
    with pytest.raises(InputError, match="needs the order of the classes"):
        agreement(Answers.long(*given), distance="interval")


def test_classes_that_are_numbers_lie_as_far_apart_as_these():
    given = list("aabbccdd"), ["x", "y"] * 4, [1, 2, 10, 10, 1, 1, 2, 10]
    found = agreement(Answers.long(*given), distance="interval")
    assert found == agreement(Answers.long(*given), distance="interval", values=[1, 2, 10])
    assert found.value == pytest.approx(0.5933869526362824)  # krippendorff 0.9 says so
    text = Answers.long(given[0], given[1], [str(grade) for grade in given[2]])
    assert agreement(text, distance="interval").value == found.value
