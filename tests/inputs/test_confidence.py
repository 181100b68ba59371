"""A number beside a decision: a score where it says the same, the confidence in the decision where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from softtruth.cli import run
from softtruth.errors import InputError
from softtruth.inputs.align import load_problem

GOLD = "item,gold\na,yes\nb,no\nc,yes\nd,no\n"
TOLD = (
    "pred.csv: at 0.5 'confidence' decides otherwise than 'prediction', so it was taken for the confidence in that "
    "decision and is not used (override: --prediction-column confidence)."
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.csv").write_text(GOLD)
    return tmp_path


def rows(header, *lines):
    return "\n".join([header, *lines]) + "\n"


def values(problem):
    (found, kind), *_ = problem.predictions.values()
    return np.asarray(found).tolist(), kind


def test_confidence_in_either_class_is_not_the_score_of_one(here):
    text = rows("item,prediction,confidence", "a,yes,0.9", "b,no,0.8", "c,yes,0.7", "d,no,0.95")
    (here / "pred.csv").write_text(text)
    problem = load_problem(["pred.csv"], "gold.csv")
    assert values(problem) == ([1, 0, 1, 0], "labels")
    assert TOLD in problem.guesses
    chosen = load_problem(["pred.csv"], "gold.csv", prediction_column="confidence")
    assert values(chosen)[0] == [0.9, 0.8, 0.7, 0.95]


def test_of_more_than_two_classes_too(here):
    (here / "gold.csv").write_text("item,gold\na,x\nb,y\nc,z\n")
    (here / "pred.csv").write_text(rows("item,prediction,confidence", "a,x,0.9", "b,y,0.4", "c,z,0.7"))
    problem = load_problem(["pred.csv"], "gold.csv")
    assert values(problem) == ([0, 1, 2], "labels")
    assert TOLD in problem.guesses


@pytest.mark.parametrize(("threshold", "scores"), [(0.5, (0.9, 0.2, 0.7, 0.05)), (0.3, (0.9, 0.2, 0.4, 0.05))])
def test_a_score_that_says_the_same_as_the_decision_is_used(here, threshold, scores):
    lines = [f"{item},{said},{p}" for item, said, p in zip("abcd", ("yes", "no", "yes", "no"), scores, strict=True)]
    (here / "pred.csv").write_text(rows("item,prediction,score", *lines))
    problem = load_problem(["pred.csv"], "gold.csv", threshold=threshold)
    assert values(problem) == (list(scores), "probabilities")
    assert not any("confidence" in guess for guess in problem.guesses)


def test_decisions_at_a_threshold_of_their_own_count(here):
    (here / "pred.csv").write_text(rows("item,prediction,score", "a,yes,0.4", "b,no,0.2", "c,yes,0.9", "d,no,0.1"))
    problem = load_problem(["pred.csv"], "gold.csv")
    assert values(problem) == ([1, 0, 1, 0], "labels")
    assert any("at 0.5 'score' decides otherwise" in guess for guess in problem.guesses)


def test_one_table_with_both_sides(here):
    text = rows("item,gold,prediction,confidence", "a,yes,yes,0.9", "b,no,no,0.8", "c,yes,no,0.7", "d,no,no,0.95")
    (here / "both.csv").write_text(text)
    problem = load_problem(table="both.csv")
    assert values(problem) == ([1, 0, 0, 0], "labels")
    assert any("both.csv: at 0.5 'confidence' decides otherwise" in guess for guess in problem.guesses)


def test_a_column_that_may_be_the_reference_is_asked_about(here):
    (here / "pred.csv").write_text(rows("item,label,score", "a,yes,0.9", "b,no,0.8", "c,yes,0.7", "d,no,0.95"))
    with pytest.raises(InputError) as caught:
        load_problem(["pred.csv"], "gold.csv")
    assert str(caught.value) == (
        "pred.csv: 'score' may be the score of one class or the confidence in 'label', whichever it names. If 'label' "
        "is the prediction pass --prediction-column label; if it is a copy of the reference, --prediction-column score."
    )
    for column, kind in (("label", "labels"), ("score", "probabilities")):
        assert values(load_problem(["pred.csv"], "gold.csv", prediction_column=column))[1] == kind


def test_a_stream_which_sees_the_first_rows_only_asks(here, capsys):
    text = rows("item,gold,prediction,confidence", "a,yes,yes,0.9", "b,no,no,0.8", "c,yes,no,0.7", "d,no,no,0.95")
    (here / "both.csv").write_text(text)
    command = ["report", "both.csv", "--engine", "stream", "--labels", "no,yes"]
    assert run(command) == 1
    assert "'confidence' may be the score of one class or the confidence in 'prediction'" in capsys.readouterr().err
    assert run([*command, "--prediction-column", "prediction"]) == 0
