"""Files in, one aligned problem out: what is matched, what is left out, and what is said about it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softtruth.errors import InputError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.align import load_problem
from softtruth.inputs.settings import bare_name

VOTES = "item,annotator,label\n" + "".join(
    f"{item},{who},{label}\n"
    for item, labels in (("a", "xxy"), ("b", "yyy"), ("c", "zx"), ("d", "x"))
    for who, label in zip("ABC", labels, strict=False)
)
WIDE = "item,p_z,p_x,p_y\nd,0.1,0.2,0.7\nc,0.5,0.25,0.25\nb,0,0,1\na,0.2,0.5,0.3\n"


@pytest.fixture
def make(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return [f"{name}.csv" for name in files]

    return write


def refused(*args, **options):
    with pytest.raises(InputError) as caught:
        load_problem(*args, **options)
    return str(caught.value)


def test_votes_meet_probabilities_in_the_order_of_the_columns(make):
    make(votes=VOTES, pred_one=WIDE)
    problem = load_problem(["pred_one.csv"], "votes.csv")
    assert (problem.task, problem.labels, problem.reference_kind) == ("multiclass", ("z", "x", "y"), "votes")
    assert problem.items.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(problem.reference, [[0, 2, 1], [0, 0, 3], [1, 1, 0], [0, 1, 0]])
    values, kind = problem.predictions["one"]
    assert kind == "probabilities"
    np.testing.assert_array_equal(values[3], [0.1, 0.2, 0.7])
    assert problem.mask is None
    assert problem.votes_per_item.tolist() == [3, 3, 2, 1]
    assert problem.accounting.to_dict() == {
        "items": 4,
        "reference_only": 0,
        "prediction_only": {"one": 0},
        "duplicated": 0,
        "tied": 1,
        "without_votes": 0,
        "ignored": 0,
        "sentences": [
            "Items in all files: 4.",
            "Reference items tied between their most likely classes: 1.",
        ],
    }
    assert problem.guesses == (
        (
            "votes.csv, reference: long annotations, one row for each vote (label, annotator); items in 'item' "
            "(override: --label, --item)."
        ),
        (
            "pred_one.csv, prediction: wide probabilities, rows sum to one (p_z, p_x, p_y); items in 'item' "
            "(override: --prediction-column, --item)."
        ),
        "Class order as in pred_one.csv: z, x, y (override: --labels).",
    )
    assert [(role, record.path) for role, record in problem.inputs] == [
        ("reference", "votes.csv"),
        ("prediction", "pred_one.csv"),
    ]


def test_of_many_classes_the_first_are_named_in_their_order(make):
    names = [f"k{i:02}" for i in range(45)]
    rows = "".join(f"{i},{name}\n" for i, name in enumerate(names))
    make(gold="item,label\n" + rows, pred="item,label\n" + rows)
    said = load_problem(["pred.csv"], "gold.csv").guesses[-1]
    assert said == f"Class order sorted by name: {', '.join(names[:40])}, and 5 more (override: --labels)."


def test_the_same_problem_comes_from_long_votes_counts_and_columns_of_annotators(make):
    counts = "item,n_x,n_y,n_z\na,2,1,0\nb,0,3,0\nc,1,0,1\nd,1,0,0\n"
    columns = "item,A,B,C\na,x,x,y\nb,y,y,y\nc,z,x,\nd,x,,\n"
    make(votes=VOTES, counts=counts, columns=columns, pred=WIDE)
    want = load_problem(["pred.csv"], "votes.csv", labels=["x", "y", "z"])
    for name in ("counts.csv", "columns.csv"):
        problem = load_problem(["pred.csv"], name, labels=["x", "y", "z"])
        np.testing.assert_array_equal(problem.reference, want.reference)
        assert problem.reference_kind == "votes"


def test_items_on_one_side_only_are_left_out_and_counted(make):
    make(votes=VOTES, one=WIDE.replace("d,0.1,0.2,0.7\n", "q,0.1,0.2,0.7\n"), two=WIDE.replace("a,", "r,"))
    problem = load_problem(["one.csv", "two.csv"], "votes.csv")
    assert problem.items.tolist() == ["b", "c"]
    assert problem.accounting.reference_only == 2
    assert problem.accounting.prediction_only == {"one": 1, "two": 1}
    assert problem.accounting.sentences[:5] == (
        "Items in all files: 2.",
        "Items of votes.csv without a row in one.csv, left out: 1 of 4.",
        "Items of one.csv that are not in votes.csv, left out: 1 of 4.",
        "Items of votes.csv without a row in two.csv, left out: 1 of 4.",
        "Items of two.csv that are not in votes.csv, left out: 1 of 4.",
    )


def test_items_without_votes_are_masked_and_counted(make):
    make(votes=VOTES.replace("d,A,x", "d,A,"), pred=WIDE)
    problem = load_problem(["pred.csv"], "votes.csv")
    assert problem.mask.tolist() == [True, True, True, False]
    assert problem.accounting.without_votes == 1
    assert "Reference items without any vote or label, masked: 1." in problem.accounting.sentences
    soft = problem.soft_reference()
    assert np.isnan(soft[3]).all()
    assert IndicatorMatrix(**problem.arguments("pred")).n == 3


def test_classes_named_like_missing_values_and_ids_with_zeros_survive(make):
    make(gold="item,gold\n001,NA\n002,None\n003,null\n", pred="item,prediction\n003,null\n002,NA\n001,NA\n")
    problem = load_problem(["pred.csv"], "gold.csv")
    assert problem.items.tolist() == ["001", "002", "003"]
    assert problem.labels == ("NA", "None", "null")
    assert problem.reference.tolist() == [0, 1, 2]
    assert problem.predictions["pred"].values.tolist() == [0, 0, 2]


def test_a_second_vote_of_one_annotator_is_refused_until_somebody_says_which_counts(make):
    make(votes=VOTES + "b,A,x\n", pred=WIDE)
    assert refused(["pred.csv"], "votes.csv") == (
        "votes.csv row 10 repeats item 'b' and annotator 'A', expected once; 1 such row. Pass --duplicates first or "
        "last, or 'keep' to count every vote, or filter with --where (other columns: 'label')."
    )
    order = ("x", "y", "z")
    counts = {
        how: load_problem(["pred.csv"], "votes.csv", duplicates=how, labels=order).reference[1].tolist()
        for how in ("first", "last", "keep")
    }
    assert counts == {"first": [0, 3, 0], "last": [1, 2, 0], "keep": [1, 3, 0]}


def test_a_second_row_of_an_item_is_refused_until_somebody_says_which_counts(make):
    make(gold="item,gold\na,x\nb,y\n", pred="item,prediction\na,x\nb,x\na,y\n")
    assert refused(["pred.csv"], "gold.csv") == (
        "pred.csv row 3 repeats item 'a', expected once; 1 such row. Pass --duplicates first or last, or filter with "
        "--where (other columns: 'prediction')."
    )
    problem = load_problem(["pred.csv"], "gold.csv", duplicates="last")
    assert problem.predictions["pred"].values.tolist() == [1, 0]
    assert problem.accounting.duplicated == 1


@pytest.mark.parametrize(
    ("names", "positive", "why"),
    [
        (("yes", "no"), "yes", "by its name"),
        (("0", "1"), "1", "by its name"),
        (("not_ironic", "ironic"), "ironic", "because 'not_ironic' names its absence"),
        (("bunting", "other"), "bunting", "because 'other' names its absence"),
        (("cat", "dog"), "dog", "the last in class order"),
    ],
)
def test_the_positive_class_is_guessed_and_said(make, names, positive, why):
    first, second = names
    make(gold=f"item,gold\na,{first}\nb,{second}\n", pred=f"item,prediction\na,{second}\nb,{second}\n")
    problem = load_problem(["pred.csv"], "gold.csv")
    assert problem.labels[1] == positive
    assert problem.guesses[-1] == f"The positive class is {positive!r}, {why} (override: --positive)."
    assert load_problem(["pred.csv"], "gold.csv", positive=first).labels == (second, first)


def test_one_class_against_the_rest(make):
    make(votes=VOTES, pred=WIDE, hard="item,prediction\na,x\nb,z\nc,y\nd,x\n", yes="item,is_x\na,1\nb,0\nc,0\nd,1\n")
    problem = load_problem(
        ["pred.csv", "hard.csv", "yes.csv"], "votes.csv", positive="x", prediction_column=["yes:is_x"]
    )
    assert (problem.task, problem.labels) == ("binary", ("not x", "x"))
    np.testing.assert_array_equal(problem.reference, [[1, 2], [3, 0], [1, 1], [0, 1]])
    np.testing.assert_array_equal(problem.predictions["pred"].values, [0.5, 0, 0.25, 0.2])
    assert problem.predictions["hard"].values.tolist() == [1, 0, 0, 1]
    assert problem.predictions["is_x"].values.tolist() == [1, 0, 0, 1]
    assert "yes.csv: 0 means any other class, 1 means x (override: --map)." in problem.guesses


def test_a_number_for_each_item_is_a_binary_prediction(make):
    make(gold="item,gold\na,no\nb,yes\n", score="item,score\na,0.25\nb,0.75\n", logit="item,score\na,-3\nb,1.5\n")
    problem = load_problem(["score.csv", "logit.csv"], "gold.csv")
    assert problem.predictions["score"].kind == "probabilities"
    assert problem.predictions["logit"].kind == "scores"
    make(share="item,share\na,0.25\nb,0.5\n")
    problem = load_problem(["score.csv"], "share.csv")
    assert (problem.labels, problem.reference_kind) == (("0", "1"), "distribution")
    make(many="item,gold\na,x\nb,y\nc,z\n")
    assert refused(["score.csv"], "many.csv") == (
        "score.csv holds one number for each item, which says nothing about 3 classes. Name the class that it is for "
        "with --positive, or give one column for each class."
    )


def test_class_numbers_take_the_names_of_the_other_side(make):
    make(pred="item,p_x,p_y,p_z\na,1,0,0\nb,0,1,0\nc,0,0.5,0.5\n", gold="item,gold\na,0\nb,2\nc,1\n")
    problem = load_problem(["pred.csv"], "gold.csv")
    assert problem.labels == ("x", "y", "z")
    assert problem.reference.tolist() == [0, 2, 1]
    assert "gold.csv: class numbers mean 0=x, 1=y, 2=z (override: --map)." in problem.guesses


def test_other_names_on_each_side_are_refused_with_the_remedy(make):
    make(pred="item,p_cat,p_dog\na,1,0\nb,0,1\n", gold="item,gold\na,kat\nb,hond\n")
    problem = load_problem(["pred.csv"], "gold.csv", rename=["reference:kat=cat", "hond=dog"])
    assert problem.labels == ("cat", "dog")
    assert refused(["pred.csv"], "gold.csv", labels=["cat", "dog"]) == (
        "gold.csv has the classes 'hond', 'kat', which are not among 'cat', 'dog'. Rename them with --map OLD=NEW, "
        "list all classes with --labels, leave reference values out with --ignore, or name another column with "
        "--label or --prediction-column."
    )


def test_renaming_adds_the_columns_that_become_one(make):
    make(votes=VOTES, pred=WIDE)
    problem = load_problem(["pred.csv"], "votes.csv", rename=["z=y"], labels=["x", "y"])
    np.testing.assert_array_equal(problem.reference, [[2, 1], [0, 3], [1, 1], [1, 0]])
    np.testing.assert_allclose(problem.predictions["pred"].values, [0.5, 1, 0.75, 0.8])


def test_ignored_values_leave_the_votes_and_the_averages(make):
    make(votes=VOTES, pred=WIDE)
    problem = load_problem(["pred.csv"], "votes.csv", ignore=["x"])
    assert problem.labels == ("z", "x", "y")  # the prediction still uses it
    assert problem.subset == ("z", "y")
    np.testing.assert_array_equal(problem.reference, [[0, 0, 1], [0, 0, 3], [1, 0, 0], [0, 0, 0]])
    assert problem.mask.tolist() == [True, True, True, False]
    assert problem.accounting.ignored == 4


def test_filters_on_either_side_and_on_facts_about_items(make):
    make(votes=VOTES, items="item,split\na,test\nb,dev\nc,test\nd,test\n", pred=WIDE)
    only = load_problem(["pred.csv"], "votes.csv", where=["reference:annotator=A", "reference:annotator=B"])
    assert only.votes_per_item.tolist() == [2, 2, 2, 1]
    rest = load_problem(["pred.csv"], "votes.csv", where=["annotator!=A"], labels=["x", "y", "z"])
    assert rest.items.tolist() == ["a", "b", "c"]
    test = load_problem(["pred.csv"], "votes.csv", "items.csv", where=["items:split=test"])
    assert test.items.tolist() == ["a", "c", "d"]
    assert test.accounting.sentences[0] == "--where items:split=test: kept 3 of 4 rows of items.csv."
    person = load_problem(["A=votes.csv", "pred.csv"], "votes.csv", where=["A:annotator=A", "reference:annotator!=A"])
    assert person.predictions["A"].kind == "labels"
    assert refused(["pred.csv"], "votes.csv", where=["annotator=Q"]) == (
        "--where: column 'annotator' of votes.csv never holds 'Q'; it holds 'A', 'B', 'C'."
    )
    assert refused(["pred.csv"], "votes.csv", where=["reference:who=A"]) == (
        "votes.csv has no column 'who'; it has 'item', 'annotator', 'label'. Change --where."
    )
    assert refused(["pred.csv"], "votes.csv", where=["nothing"]).startswith("--where 'nothing' is no filter; expected ")


def test_votes_as_a_prediction(make):
    make(votes="item,annotator,label\na,A,x\na,B,y\nb,A,y\nb,B,y\n", gold="item,gold\na,x\nb,y\n")
    problem = load_problem(["votes.csv"], "gold.csv")
    assert problem.predictions["votes"].kind == "probabilities"
    assert problem.predictions["votes"].values.tolist() == [0.5, 1]
    assert problem.accounting.sentences[-1] == (
        "votes.csv as a prediction is the share of votes, and its decision the most voted class; tied items, given to "
        "the first of the tied classes: 1."
    )


def test_rounded_probabilities(make):
    gold = "item,gold\na,x\nb,y\nc,y\n"
    make(gold=gold, fine="item,p_x,p_y\na,0.3333333,0.6666667\nb,0.5,0.499998\nc,0,1\n")
    problem = load_problem(["fine.csv"], "gold.csv")
    np.testing.assert_allclose(problem.predictions["fine"].values[1], 0.499998 / 0.999998, rtol=1e-12)
    said = (
        "fine.csv: rows were divided by their sums (rounded digits); 1 of 3 missed 1 by more than 1e-6, "
        "at most by 2e-06."
    )
    assert said in problem.accounting.sentences
    make(gold=gold, coarse="item,p_x,p_y\na,0.3333,0.6666\nb,0.5,0.5\nc,0,1\n")
    assert refused(["coarse.csv"], "gold.csv") == (
        "coarse.csv: 1 of 3 rows do not sum to 1 (row 1 (item 'a') sums to 0.9999). The values look rounded to 4 "
        "decimals, which moves sums that far: pass --normalize to divide every row by its sum."
    )
    problem = load_problem(["coarse.csv"], "gold.csv", normalize=True)
    np.testing.assert_allclose(problem.predictions["coarse"].values, [0.6666 / 0.9999, 0.5, 1])


def test_rounding_is_told_by_the_decimals_and_by_how_far_it_can_move_a_sum(make):
    right = "".join(f"{i},0.25,0.25,0.5\n" for i in range(20))
    make(gold="item,gold\n" + "".join(f"{i},{'xyz'[i % 3]}\n" for i in range(21)))
    said = "The values look rounded to 2 decimals, which moves sums that far: pass --normalize"
    make(p="item,p_x,p_y,p_z\n" + right + "20,0.33,0.33,0.33\n")
    assert said in refused(["p.csv"], "gold.csv")
    make(p="item,p_x,p_y,p_z\n" + right + "20,0.33,0.33,0.36\n")  # three halves of a hundredth at the most
    assert "Most rows are right, so that these look wrong" in refused(["p.csv"], "gold.csv")
    make(p="item,p_x,p_y,p_z\n" + right + "20,0.331,0.332,0.338\n")
    assert "rounded to 3 decimals" in refused(["p.csv"], "gold.csv")


def test_a_few_wrong_rows_among_probabilities_are_an_error_and_not_scores(make):
    rows = "".join(f"{i},0.5,0.5\n" for i in range(19))
    make(
        gold="item,gold\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(20)),
        p="item,p_x,p_y\n" + rows + "19,0.9,0.5\n",
    )
    assert refused(["p.csv"], "gold.csv") == (
        "p.csv: 1 of 20 rows do not sum to 1 (row 20 (item '19') sums to 1.4). Most rows are right, so that these look "
        "wrong: correct them, or pass --normalize to divide every row by its sum."
    )
    make(p="item,p_x,p_y\n" + rows + "19,1.5,-0.5\n")
    assert refused(["p.csv"], "gold.csv") == (
        "p.csv row 20 (item '19'): 1.5 is no probability, expected a value from 0 to 1. Pass vote counts in columns "
        "named n_<class>, or correct the value."
    )


@pytest.mark.parametrize("votes", ["1e308,1e308", "3,-1"])
def test_votes_that_nobody_can_have_counted(make, votes):
    make(gold=f"item,n_x,n_y\n1,{votes}\n2,3,0\n", p="item,prediction\n1,x\n2,y\n")
    assert "expected a count of votes, from 0 to 9,007,199,254,740,992" in refused(["p.csv"], "gold.csv")


def test_missing_predictions_are_refused_until_somebody_says_to_leave_them_out(make):
    make(gold="item,gold\na,x\nb,y\nc,x\n", pred="item,prediction\na,x\nb,\nc,y\n")
    assert refused(["pred.csv"], "gold.csv") == (
        "pred.csv row 2 (item 'b') has no prediction (1 in all). Complete it, or pass --drop-missing to leave such "
        "items out."
    )
    problem = load_problem(["pred.csv"], "gold.csv", drop_missing=True)
    assert problem.items.tolist() == ["a", "c"]
    assert "Items of pred.csv without a prediction, left out: 1." in problem.accounting.sentences


def test_rows_without_an_item_id_are_refused(make):
    make(gold="item,gold\na,x\n,y\n", pred="item,prediction\na,x\nb,y\n")
    assert refused(["pred.csv"], "gold.csv") == (
        "gold.csv row 2 has no item id in 'item' (1 in all). Give each row an id, or name the id column with --item."
    )


def test_no_common_item_is_refused_with_what_was_found(make):
    make(gold="item,gold\n001,x\n002,y\n", pred="item,prediction\n1,x\n2,y\n")
    assert refused(["pred.csv"], "gold.csv") == (
        "No item id is in both gold.csv (column 'item': '001', '002') and pred.csv (column 'item': '1', '2'). They "
        "differ in leading zeros only: write them alike."
    )


def test_rows_are_matched_by_position_when_there_are_no_ids(make, tmp_path):
    np.save(tmp_path / "p.npy", np.array([[0.25, 0.75], [0.5, 0.5]]))
    np.save(tmp_path / "y.npy", np.array([1, 0]))
    problem = load_problem(["p.npy"], "y.npy")
    assert (problem.items.tolist(), problem.labels) == (["1", "2"], ("0", "1"))
    assert problem.guesses[-1] == (
        "Rows were matched by their position, because not every file has item ids (override: --item)."
    )
    np.save(tmp_path / "y.npy", np.array([1, 0, 1]))
    assert refused(["p.npy"], "y.npy") == (
        "Items cannot be matched: some files have no item ids, and the numbers of rows differ (y.npy has 3 rows, "
        "p.npy has 2 rows). Add a column of item ids, or name it with --item."
    )


def test_clusters_and_weights_are_looked_up_by_item(make):
    items = "item,group,w\nd,g1,1\nc,g2,0.5\nb,g1,2\na,g2,0\n"
    make(votes=VOTES, pred=WIDE, items=items)
    problem = load_problem(["pred.csv"], "votes.csv", "items.csv", cluster="group", weight="w")
    assert problem.clusters.tolist() == [1, 0, 1, 0]
    assert problem.sample_weight.tolist() == [0, 2, 0.5, 1]
    assert (problem.cluster_name, problem.weight_name) == ("group", "w")
    assert refused(["pred.csv"], "votes.csv", cluster="annotator") == (
        "votes.csv row 2: item 'a' has two values in 'annotator'; --cluster needs one value for each item."
    )
    assert refused(["pred.csv"], "votes.csv", cluster="town") == (
        "--cluster 'town': no file has this column; the columns are 'item', 'annotator', 'label', 'p_z', 'p_x', 'p_y'."
    )
    make(items=items.replace("c,g2,0.5\n", ""))
    assert refused(["pred.csv"], "votes.csv", "items.csv", cluster="group") == (
        "items.csv lacks 1 of 4 items (the first is 'c'), so that they have no 'group'. Complete the file, or drop "
        "--cluster."
    )
    make(items=items.replace("0.5", "-1"))
    assert refused(["pred.csv"], "votes.csv", "items.csv", weight="w") == (
        "items.csv: item 'c' has the weight -1.0 in 'w', expected a finite number that is not negative."
    )


MULTI = "item,AF,ST\na,1,0\nb,0,0\nc,1,1\n"
LONG = "item,finding,annotator,label\n" + "".join(
    f"{item},{finding},{who},{value}\n"
    for item, values in (("a", "110"), ("b", "000"), ("c", "111"))
    for finding, shift in (("ST", 0), ("AF", 1))
    for who, value in zip("ABC", values[shift:] + values[:shift], strict=True)
)


def test_multilabel_gold_probabilities_and_long_answers(make):
    make(gold=MULTI, pred="item,p_ST,p_AF\nc,0.5,0.75\na,0.25,0.5\nb,0,0.125\n", long=LONG)
    problem = load_problem(["pred.csv", "A=long.csv"], "gold.csv", where=["A:annotator=A"])
    assert (problem.task, problem.labels, problem.reference_kind) == ("multilabel", ("AF", "ST"), "labels")
    np.testing.assert_array_equal(problem.predictions["pred"].values, [[0.5, 0.25], [0.125, 0], [0.75, 0.5]])
    np.testing.assert_array_equal(problem.predictions["A"].values, [[1, 1], [0, 0], [1, 1]])
    votes = load_problem(["pred.csv"], "long.csv")
    assert votes.reference_kind == "votes"
    assert votes.reference.shape == (3, 2, 2)
    np.testing.assert_allclose(votes.soft_reference(), [[2 / 3, 2 / 3], [0, 0], [1, 1]])
    assert load_problem(["pred.csv"], "gold.csv", labels=["ST"], task="multilabel").labels == ("ST",)


def test_multilabel_gaps_are_masked_entry_by_entry(make):
    make(gold=MULTI.replace("b,0,0", "b,,0"), pred=MULTI)
    problem = load_problem(["pred.csv"], "gold.csv")
    assert problem.mask.tolist() == [[True, True], [False, True], [True, True]]


def test_multilabel_sides_that_do_not_fit_are_refused(make):
    make(gold=MULTI, other=MULTI.replace("ST", "LBBB"), hard="item,prediction\na,AF\nb,ST\nc,AF\n")
    assert refused(["other.csv"], "gold.csv") == (
        "other.csv has no column for the labels 'ST'; it has 'AF', 'LBBB'. Rename with --map OLD=NEW, or choose the "
        "labels with --labels."
    )
    assert refused(["hard.csv"], "gold.csv") == (
        "hard.csv holds one class for each item, but the task is multilabel; expected one column for each of the "
        "labels 'AF', 'ST'."
    )
    assert "holds labels that do not exclude each other" in refused(["other.csv"], "gold.csv", task="multiclass")


def test_lists_are_votes_when_a_name_comes_twice_and_tags_when_none_does(make, tmp_path):
    make(pred="item,p_x,p_y\na,0.5,0.5\nb,0,1\n")
    (tmp_path / "votes.jsonl").write_text('{"item":"a","label":["x","x","y"]}\n{"item":"b","label":["y"]}\n')
    (tmp_path / "tags.jsonl").write_text('{"item":"a","label":["x","y"]}\n{"item":"b","label":[]}\n')
    votes = load_problem(["pred.csv"], "votes.jsonl")
    assert (votes.task, votes.reference.tolist()) == ("binary", [[2, 1], [0, 1]])
    tags = load_problem(["pred.csv"], "tags.jsonl")
    assert (tags.task, tags.reference.tolist()) == ("multilabel", [[1, 1], [0, 0]])


def test_one_table_with_both_sides(make):
    make(both="item,gold,p_x,p_y\na,x,0.75,0.25\nb,y,0.5,0.5\n", parts="item,y_true,y_pred\na,x,x\nb,y,x\n")
    problem = load_problem(table="both.csv")
    assert (list(problem.predictions), problem.reference.tolist()) == (["both"], [0, 1])
    assert problem.predictions["both"].kind == "probabilities"
    problem = load_problem(table=["parts.csv"])
    assert (list(problem.predictions), problem.predictions["y_pred"].values.tolist()) == (["y_pred"], [0, 0])
    make(long="item,annotator,label,guess\na,A,x,x\na,B,y,x\nb,A,y,y\n")
    problem = load_problem(table="long.csv", prediction_column="guess")
    assert problem.reference.tolist() == [[1, 1], [0, 1]]
    assert problem.predictions["guess"].values.tolist() == [0, 1]


def test_a_pattern_means_several_predictions_or_the_parts_of_one(make):
    make(votes=VOTES, pred_one=WIDE, pred_two=WIDE.replace("0.5,0.3", "0.3,0.5"))
    problem = load_problem(["pred_*.csv"], "votes.csv")
    assert list(problem.predictions) == ["one", "two"]
    assert problem.guesses[0] == "pred_*.csv matches 2 files with the same items: each is one prediction."
    head, *rows = WIDE.splitlines(keepends=True)
    make(part_1=head + "".join(rows[:2]), part_2=head + "".join(rows[2:]))
    problem = load_problem(["model=part_*.csv"], "votes.csv")
    assert (list(problem.predictions), problem.n) == (["model"], 4)


def test_names_of_predictions(make):
    make(votes=VOTES, pred=WIDE, models="item,one,two\na,x,y\nb,y,y\nc,z,x\nd,x,x\n")
    assert list(load_problem(["best=pred.csv", "models.csv"], "votes.csv").predictions) == ["best", "one", "two"]
    assert refused(["pred.csv", "pred.csv"], "votes.csv") == (
        "Two predictions are named 'pred'; give each its own name: --prediction NAME=PATH."
    )
    assert [bare_name(p) for p in ("d/pred_a.csv.gz", "predictions-b.parquet", "pred.csv")] == ["a", "b", "pred"]


def test_settings_are_checked_before_any_file_is_read():
    assert refused(["no.csv"], "no.csv", task="grades") == (
        "--task 'grades' is not known; expected one of 'binary', 'multiclass', 'multilabel', 'ordinal'."
    )
    assert (
        refused(["no.csv"], "no.csv", labels=["a", "b", "a"])
        == "--labels names 'a' more than once; name each class once."
    )
    assert refused(["no.csv"], "no.csv", colour="red").startswith("load_problem has no option 'colour'; it has ")
    assert refused(["no.csv"]) == "No --reference file was given; give both, or one table that holds both sides."


def test_options_and_hashes_are_kept_for_the_report(make):
    make(votes=VOTES, pred=WIDE)
    problem = load_problem(["pred.csv"], "votes.csv", ignore="z", positive=None)
    assert problem.options == {"ignore": ["z"]}
    provenance = problem.provenance()
    assert [entry["role"] for entry in provenance["inputs"]] == ["reference", "prediction"]
    assert all(len(entry["sha256"]) == 64 for entry in provenance["inputs"])


def test_the_majority_reference_shares_tied_items(make):
    make(votes="item,n_x,n_y,n_z\na,2,2,0\nb,0,1,3\nc,0,0,0\n", pred="item,p_x,p_y,p_z\na,1,0,0\nb,0,1,0\nc,0,1,0\n")
    shares, known = load_problem(["pred.csv"], "votes.csv").majority_reference()
    assert known.tolist() == [True, True, False]
    assert shares.tolist() == [[0.5, 0.5, 0], [0, 0, 1], [0, 0, 0]]


def test_the_majority_without_ties_is_a_row_of_shares_too(make):
    make(votes="item,n_x,n_y,n_z\na,3,2,0\nb,0,1,3\n", pred="item,p_x,p_y,p_z\na,1,0,0\nb,0,1,0\n")
    assert load_problem(["pred.csv"], "votes.csv").majority_reference()[0].tolist() == [[1, 0, 0], [0, 0, 1]]


@given(st.data())
def test_any_order_of_rows_and_parts_gives_the_same_votes(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("votes")
    rows = [f"i{i},a{a},{data.draw(st.sampled_from('xyz'))}\n" for i in range(4) for a in range(3)]
    mixed = data.draw(st.permutations(rows))
    (folder / "votes.csv").write_text("item,annotator,label\n" + "".join(rows))
    (folder / "part1.csv").write_text("item,annotator,label\n" + "".join(mixed[:5]))
    (folder / "part2.csv").write_text("item,annotator,label\n" + "".join(mixed[5:]))
    (folder / "pred.csv").write_text("item,p_x,p_y,p_z\n" + "".join(f"i{i},1,0,0\n" for i in range(4)))
    whole = load_problem([folder / "pred.csv"], folder / "votes.csv")
    parts = load_problem([folder / "pred.csv"], str(folder / "part*.csv"))
    order = np.argsort(parts.items)
    np.testing.assert_array_equal(whole.reference.sum(axis=-1) if whole.reference.ndim > 1 else 1, 3)
    np.testing.assert_array_equal(parts.reference[order], whole.reference[np.argsort(whole.items)])


def test_a_table_of_labels_and_columns_named_by_class(make, tmp_path):
    make(both="item,gold,cat,dog\na,cat,0.75,0.25\nb,dog,0.5,0.5\n")
    problem = load_problem(table="both.csv")
    assert (problem.labels, problem.reference.tolist()) == (("cat", "dog"), [0, 1])
    np.testing.assert_array_equal(problem.predictions["both"].values, [0.25, 0.5])
    np.savez(tmp_path / "arrays.npz", labels=np.array([0, 1]), probs=np.array([[0.75, 0.25], [0.5, 0.5]]))
    problem = load_problem(table="arrays.npz")
    assert (problem.labels, problem.reference.tolist()) == (("0", "1"), [0, 1])
    np.testing.assert_array_equal(problem.predictions["arrays"].values, [0.25, 0.5])


@pytest.mark.parametrize("digits", ["", ".0"])
def test_numbers_with_gaps_beside_each_other_are_annotators(make, digits):
    rows = ["a,0,1,2", "b,1,1,", "c,2,2,2", "d,0,,0"]
    people = "".join(",".join(c + digits if c.isdecimal() else c for c in row.split(",")) + "\n" for row in rows)
    model = "item,cat,dog,fox\na,0.5,0.3,0.2\nb,0.1,0.8,0.1\nc,0.1,0.1,0.8\nd,0.7,0.2,0.1\n"
    make(people="item,v1,v2,v3\n" + people, m=model)
    problem = load_problem(["m.csv"], "people.csv")
    assert problem.labels == ("cat", "dog", "fox")
    np.testing.assert_array_equal(problem.votes_per_item, [3, 2, 3, 2])
    assert "people.csv: the 3 label columns count as 3 annotators (override: --label)." in problem.guesses
    two = load_problem(["m.csv"], "people.csv", label=["v1", "v2"])
    np.testing.assert_array_equal(two.votes_per_item, [2, 2, 2, 1])
    assert refused(["m.csv"], "people.csv", item=["v1", "v2"]) == (
        "--item names 'v1', 'v2' for one file; name one, or say which file each is for: --item reference:v1."
    )


def test_numbers_without_gaps_and_yes_or_no_are_no_annotators(make):
    make(m="item,cat,dog,fox\na,0.5,0.3,0.2\nb,0.1,0.8,0.1\n", votes="item,cat,dog,fox\na,0,1,2\nb,1,1,1\n")
    assert load_problem(["m.csv"], "votes.csv").reference_kind == "votes"
    make(m="item,p_x,p_y\na,0.5,0.3\nb,0.1,0.8\nc,0.9,0.8\n", gold="item,y_x,y_y\na,0,1\nb,1,\nc,1,1\n")
    assert load_problem(["m.csv"], "gold.csv").task == "multilabel"


@pytest.mark.parametrize("none", ["", "nan", "inf"])
@pytest.mark.parametrize("flag", ["cluster", "by"])
def test_a_number_that_is_none_names_no_cluster_and_no_group(make, flag, none):
    make(
        gold="item,label\n1,a\n2,b\n3,a\n",
        pred="item,label\n1,a\n2,b\n3,b\n",
        facts=f"item,site\n1,10\n2,{none}\n3,{none}\n",
    )
    said = refused(["pred.csv"], "gold.csv", "facts.csv", **{flag: "site"})
    assert said.startswith("facts.csv: item '2' has no ")


@pytest.mark.parametrize("odd", ["1.5", "nan", "inf", "0.2", "1e3"])
def test_a_column_of_ids_is_one_whatever_its_values(make, odd):
    """Rows in another order would meet the wrong labels if they met by their place."""
    make(gold=f"item,label\n{odd},a\n2,b\n3,a\n4,b\n", pred=f"item,prediction\n4,b\n3,a\n2,b\n{odd},a\n")
    for item in ((), ("item",)):
        problem = load_problem(["pred.csv"], "gold.csv", item=item)
        assert sorted(problem.items) == sorted([odd, "2", "3", "4"])
        assert IndicatorMatrix(**problem.arguments("pred", "soft")).compute("accuracy") == 1


@pytest.mark.parametrize("where", ["items:bot=eliza", "reference:bot=eliza"])
def test_items_that_a_filter_left_out_are_not_said_to_be_missing(make, where):
    make(
        gold="item,label,bot\n1,a,eliza\n2,b,eliza\n3,a,other\n",
        pred="item,prediction\n1,a\n2,b\n3,a\n",
        facts="item,bot\n1,eliza\n2,eliza\n3,other\n",
    )
    problem = load_problem(["pred.csv"], "gold.csv", "facts.csv", where=[where], label=["reference:label"])
    said = problem.accounting.sentences
    assert "Items of pred.csv that are not in gold.csv after --where, left out: 1 of 3." in said


# --- classes that are numbers, and classes that never meet ------------------------------------------------------------


def columns(labels, name):
    return f"item,{name}\n" + "".join(f"i{i},{label}\n" for i, label in enumerate(labels.split(",")))


def accuracy(make, gold, pred, **options):
    make(gold=columns(gold, "label"), pred=columns(pred, "prediction"))
    problem = load_problem(["pred.csv"], "gold.csv", **options)
    return problem, IndicatorMatrix(**problem.arguments("pred", "soft")).compute("accuracy")


@pytest.mark.parametrize(
    ("gold", "pred", "labels", "value"),
    [
        ("0,1,1,0,1,0", "1.0,1.0,1.0,2.0,1.0,2.0", ("0", "1", "2.0"), 0.5),
        ("0,1,0,1", "-0.0,1.0,-0.0,1.0", ("0", "1"), 1),
        ("1,0,1,0", "1.0,0.0,1,0.0", ("0", "1"), 1),
        ("1.0,2.0,1.0", "1,2,2", ("1.0", "2.0"), 2 / 3),
        ("01,02,01", "01,02,02", ("01", "02"), 2 / 3),
    ],
)
def test_equal_numbers_are_one_class(make, gold, pred, labels, value):
    problem, found = accuracy(make, gold, pred)
    assert (problem.labels, found) == (labels, pytest.approx(value))
    other = "Classes that are equal numbers are one class"
    assert any(other in said for said in problem.guesses) == (set(gold.split(",")) != set(pred.split(",")))


@pytest.mark.parametrize("other", ["5.10", "5.1e0", "05.1", "+5.1"])
def test_names_that_are_equal_as_decimals_only_are_different_classes(make, other):
    """Sections and versions are names: 5.10 comes nine after 5.1."""
    classes = f"5.1,{other},intro"
    problem, found = accuracy(make, classes, f"{other},5.1,intro")
    assert (set(problem.labels), found) == (set(classes.split(",")), pytest.approx(1 / 3))
    assert not any("equal numbers" in said for said in problem.guesses)
    problem, found = accuracy(make, "1000,1e3,1000,x", "1000,1e3,1e3,x")
    assert (problem.task, found) == ("multiclass", 0.75)


@pytest.mark.parametrize("flags", [{}, {"task": "ordinal"}])
def test_a_negative_grade_that_the_reference_lacks_is_one_where_it_has_others(make, flags):
    problem, found = accuracy(make, "-1,0,1,0", "-2,0,1,0", **flags)
    assert (set(problem.labels), found) == ({"-2", "-1", "0", "1"}, 0.75)
    with pytest.raises(InputError, match=r"^pred.csv has the class '-2', which gold.csv lacks; negative numbers"):
        accuracy(make, "2,0,1,0", "-2,0,1,0", **flags)


def test_class_numbers_are_places_among_names_only(make):
    problem, found = accuracy(make, "cat,dog,cow,cat", "0,2,1,0")
    assert (found, problem.labels) == (1, ("cat", "cow", "dog"))
    with pytest.raises(InputError, match=r"^No class of pred.csv \('0', '1'\) occurs in gold.csv \('10', '11'\)"):
        accuracy(make, "10,11,10", "0,1,0")
    with pytest.raises(InputError, match=r"^No class of pred.csv \('0', '1'\) occurs in gold.csv \('01', '02'\)"):
        accuracy(make, "01,02,01", "0,1,0")


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("1,0,1,0", "True,False,True,True"),
        ("True,False,True,False", "1,0,1,1"),
        ("0,1,0,1", "no,yes,no,no"),
        ("yes,no,yes,no", "true,false,true,true"),
        ("yes,no,yes,no", "1.0,0.0,1.0,1.0"),
        ("1.0,0.0,1.0,0.0", "True,False,True,True"),
        ("no,yes,no,yes", "-0.0,1.0,0.0,0"),
        ("1,1,1,1", "True,False,True,True"),
    ],
)
def test_truth_values_are_read_as_each_other(make, gold, pred):
    problem, found = accuracy(make, gold, pred)
    assert found == 0.75
    assert any("means" in said and said.endswith("(override: --map).") for said in problem.guesses)
    assert len(problem.labels) == 2


@pytest.mark.parametrize(
    ("gold", "pred"), [("a,b,a", "c,d,c"), ("10,11,10", "0,1,0"), ("0,1,2", "yes,no,yes"), ("a,a,a", "b,b,b")]
)
def test_classes_that_never_meet_are_refused_unless_they_are_all_named(make, gold, pred):
    with pytest.raises(InputError, match=r"^No class of pred\.csv .* occurs in gold\.csv .* --map OLD=NEW"):
        accuracy(make, gold, pred)
    both = sorted({*gold.split(","), *pred.split(",")})
    assert accuracy(make, gold, pred, labels=both)[1] == 0


def test_classes_that_differ_in_case_say_how_they_become_one(make):
    with pytest.raises(InputError, match=r"differ only in case or blanks; .* --map Cat=cat --map Dog=dog"):
        accuracy(make, "cat,dog,cat", "Cat,Dog,Cat")


def test_decision_scores_are_no_class_numbers(make):
    with pytest.raises(InputError, match=r"^pred\.csv has the class '-1', which gold\.csv lacks; negative numbers"):
        accuracy(make, "0,1,0,1", "-2,3,-1,5")
    make(pred="item,score\ni0,-2\ni1,3\ni2,-1\ni3,5\n")
    problem = load_problem(["pred.csv"], "gold.csv")
    assert IndicatorMatrix(**problem.arguments("pred", "soft")).compute("accuracy") == 1
    assert accuracy(make, "-1,1,-1,1", "-1,1,1,1")[1] == 0.75


def test_a_decision_of_one_class_alone_meets_the_rest(make):
    assert accuracy(make, "a,b,c,b", "0,0,0,0", positive="a")[1] == 0.75
