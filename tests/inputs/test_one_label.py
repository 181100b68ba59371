"""One label of many, asked by its column, its name or a filter, is a binary problem of its own."""

import numpy as np
import pytest

from softtruth.errors import InputError
from softtruth.inputs.align import load_problem

GOLD = "item,AF,ST,SB\na,1,0,0\nb,0,1,0\nc,0,0,0\nd,1,1,0\n"
WIDE = "item,p_AF,p_ST,p_SB\na,0.9,0.2,0.1\nb,0.6,0.7,0.1\nc,0.1,0.2,0.3\nd,0.4,0.8,0.1\n"
HARD = "item,AF,ST,SB\na,1,0,0\nb,1,1,0\nc,0,0,0\nd,0,1,0\n"
LONG = "item,finding,annotator,label\n" + "".join(
    f"{item},{finding},{who},{answer}\n"
    for item, answers in (("a", "110"), ("b", "001"), ("c", "000"), ("d", "111"))
    for finding, start in (("AF", 0), ("ST", 1))
    for who, answer in zip("ABC", answers[start:] + answers[:start], strict=True)
)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"gold": GOLD, "pred_one": WIDE, "pred_hard": HARD, "long": LONG}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def refused(*args, **options):
    with pytest.raises(InputError) as caught:
        load_problem(*args, **options)
    return str(caught.value)


def is_af(problem):
    assert (problem.task, problem.labels) == ("binary", ("not AF", "AF"))
    np.testing.assert_array_equal(problem.predictions["one"].values, [0.9, 0.6, 0.1, 0.4])
    assert problem.predictions["one"].kind == "probabilities"


@pytest.mark.parametrize(
    "options",
    [
        {"label": "AF"},
        {"label": "reference:AF"},
        {"labels": ["AF"]},
        {"positive": "AF"},
        {"label": "AF", "positive": "AF"},
        {"label": "AF", "task": "binary"},
        {"labels": ["AF"], "task": "binary"},
    ],
)
def test_every_way_to_name_a_label_asks_the_same(options):
    problem = load_problem(["pred_one.csv", "pred_hard.csv"], "gold.csv", **options)
    is_af(problem)
    np.testing.assert_array_equal(problem.reference, [1, 0, 0, 1])
    np.testing.assert_array_equal(problem.predictions["hard"].values, [1, 1, 0, 0])
    assert any(guess.startswith("Only the label 'AF' is asked, yes or no") for guess in problem.guesses)


def test_a_column_that_is_named_on_both_sides():
    problem = load_problem(["one=pred_one.csv"], "gold.csv", label="AF", prediction_column="p_AF")
    is_af(problem)
    swapped = load_problem(
        ["one=pred_one.csv"], "gold.csv", label="AF", prediction_column="p_AF", labels=["rest", "AF"]
    )
    assert swapped.labels == ("rest", "AF")


@pytest.mark.parametrize("options", [{"where": "reference:finding=AF"}, {"labels": ["AF"]}])
def test_one_finding_of_long_annotations(options):
    problem = load_problem(["pred_one.csv"], "long.csv", **options)
    is_af(problem)
    np.testing.assert_array_equal(problem.reference, [[1, 2], [2, 1], [3, 0], [0, 3]])
    assert problem.reference_kind == "votes"


def test_the_column_is_known_without_the_others_beside_it(files):
    (files / "gold.csv").write_text("item,age,AF,note\na,61,1,x\nb,70,0,y\nc,55,0,z\nd,52,1,w\n")
    is_af(load_problem(["pred_one.csv"], "gold.csv", label="AF"))
    (files / "gold.csv").write_text("item,age,AF,note\na,61,yes,x\nb,70,no,y\nc,55,no,z\nd,52,yes,w\n")
    is_af(load_problem(["pred_one.csv"], "gold.csv", label="AF"))
    (files / "gold.csv").write_text("item,age,AF,note\na,61,0.8,x\nb,70,0.2,y\nc,55,0,z\nd,52,1,w\n")
    problem = load_problem(["pred_one.csv"], "gold.csv", label="AF")
    is_af(problem)
    np.testing.assert_array_equal(problem.reference, [0.8, 0.2, 0, 1])


def test_a_prediction_of_other_labels_is_refused(files):
    (files / "pred_two.csv").write_text(WIDE.replace("p_AF", "p_VT"))
    assert refused(["pred_two.csv"], "gold.csv", label="AF") == (
        "gold.csv: 'AF' holds 0 and 1, that is which items are 'AF', and pred_two.csv has no such class; it has 'VT', "
        "'ST', 'SB'. Name the column of 'AF' there with --prediction-column, or say which class each value means with "
        "--map reference:OLD=NEW."
    )
    told = refused(["pred_two.csv"], "gold.csv", labels=["AF"])
    assert told.startswith("pred_two.csv has no column for the label 'AF'; it has 'VT', 'ST', 'SB'.")


def test_other_wishes_that_do_not_fit_are_refused():
    assert "leave out --task multiclass" in refused(["pred_one.csv"], "gold.csv", label="AF", task="multiclass")
    assert refused(["pred_one.csv"], "gold.csv", positive="VT") == (
        "--positive 'VT' is no label; the labels are 'AF', 'ST', 'SB'."
    )
    assert "but --positive is 'ST'" in refused(["pred_one.csv"], "gold.csv", labels=["AF"], positive="ST")
    assert "Name one label: --labels AF" in refused(["pred_one.csv"], "gold.csv", task="binary")


def test_counts_of_one_class_are_no_classes(files):
    (files / "votes.csv").write_text("item,n_AF,n_ST,n_SB\na,2,1,0\nb,0,3,0\nc,1,1,1\nd,2,1,0\n")
    told = refused(["pred_one.csv"], "votes.csv", label="n_AF")
    assert told.startswith("votes.csv: 'n_AF' counts the votes for 'AF' and not those against it.")


def test_classes_that_exclude_each_other_meet_one_of_them(files):
    (files / "pred_soft.csv").write_text(
        "item,p_AF,p_ST,p_SB\na,0.5,0.25,0.25\nb,0.25,0.5,0.25\nc,0,0,1\nd,0.75,0.25,0\n"
    )
    (files / "pred_names.csv").write_text("item,prediction\na,AF\nb,ST\nc,SB\nd,ST\n")
    problem = load_problem(["pred_soft.csv", "pred_names.csv"], "gold.csv", label="AF")
    np.testing.assert_array_equal(problem.predictions["soft"].values, [0.5, 0.25, 0, 0.75])
    np.testing.assert_array_equal(problem.predictions["names"].values, [1, 0, 0, 0])


def test_codes_of_classes_stay_codes(files):
    (files / "codes.csv").write_text("item,label\na,0\nb,1\nc,2\nd,1\n")
    problem = load_problem(["pred_one.csv"], "codes.csv")
    assert problem.labels == ("AF", "ST", "SB")
    np.testing.assert_array_equal(problem.reference, [0, 1, 2, 1])
