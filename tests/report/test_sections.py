"""What a report shows beside its rows: confusion tables, other priors, wrong labels, suspects."""

import json
from dataclasses import replace

import numpy as np
import pytest

from softtruth import Answers, Cells, IndicatorMatrix, Table, evaluate, noisy_bounds, true_accuracy, under_prior
from softtruth.evaluation import evaluate_problem
from softtruth.evaluation.suspects import suspects_of
from softtruth.inputs.align import load_problem
from softtruth.report import confusion as confusion_module

SOFT = dict(zip("ycp", np.random.default_rng(0).dirichlet([0.4] * 3, (3, 60)), strict=True))


def hard(k, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return y, np.where(rng.random(n) < 0.7, y, rng.integers(0, k, n))


def test_sections_are_json_and_say_whose_they_are():
    report = evaluate(SOFT["y"], {"one": SOFT["p"], "two": SOFT["c"]}, "multiclass")
    sections = json.loads(report.to_json())["sections"]
    assert set(sections) == {"confusion", "prior_sweep", "label_errors"}
    assert {(e["prediction"], e["view"]) for e in sections["confusion"]} == {
        (name, view.name) for name in ("one", "two") for view in report.views
    }
    assert {(e["prediction"], e["view"]) for e in sections["prior_sweep"]} == {
        (name, "soft_decision") for name in ("one", "two")
    }
    assert {e["view"] for e in sections["label_errors"]} == {"majority"}


def test_only_the_first_predictions_have_sections():
    y, p = hard(3)
    report = evaluate(y, {f"model {i}": p for i in range(6)}, "multiclass")
    assert [e["prediction"] for e in report.sections["confusion"]] == [f"model {i}" for i in range(4)]


# --- confusion tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["binary", "multiclass", "ordinal"])
def test_the_confusion_table_is_that_of_the_problem(task):
    y, p = hard(2 if task == "binary" else 4)
    (entry,) = evaluate(y, p, task, n_classes=2 if task == "binary" else 4).sections["confusion"]
    matrix = IndicatorMatrix(y, p, task=task)
    assert entry["masses"] == matrix.table.masses.tolist()
    assert (entry["form"], entry["others"]) == ("table", 0)
    assert entry["classes"] == [str(label) for label in matrix.labels]


def test_labels_that_hold_together_show_their_cells():
    y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    p = np.array([[1, 1], [0, 1], [0, 0], [1, 1]])
    (entry,) = evaluate(y, p, "multilabel", labels=["a", "b"]).sections["confusion"]
    assert entry["form"] == "cells"
    assert entry["masses"] == [[1, 1, 1, 1], [2, 1, 0, 1]]


def test_classes_beyond_the_largest_are_added_up(monkeypatch):
    monkeypatch.setattr(confusion_module, "LARGEST", 2)
    table = np.array([[5, 1, 2, 3], [1, 50, 6, 7], [2, 4, 9, 8], [0, 1, 1, 70]])
    (entry,) = evaluate(Table.of(table), labels=["a", "b", "c", "d"]).sections["confusion"]
    assert entry["classes"] == ["b", "d"]
    assert entry["others"] == 2
    assert entry["masses"] == [[50, 7, 7], [1, 70, 1], [5, 11, 18]]
    assert np.sum(entry["masses"]) == table.sum()


def test_a_coupling_that_determines_no_table_shows_none():
    report = evaluate(SOFT["y"], SOFT["p"], "multiclass", coupling="most")
    assert [e["view"] for e in report.sections["confusion"]] == ["majority", "soft_decision"]


# --- other priors ---------------------------------------------------------------------------------------------------


def test_the_sweep_is_under_prior_at_every_step():
    report = evaluate(SOFT["y"], SOFT["p"], "multiclass", labels=["a", "b", "c"], level=0.9)
    matrix = IndicatorMatrix(SOFT["y"], SOFT["p"], task="multiclass", labels=["a", "b", "c"])
    own = np.asarray(SOFT["y"]).mean(axis=0)
    for entry in report.sections["prior_sweep"]:
        k = "abc".index(entry["class"])
        assert entry["steps"] == sorted(set(entry["steps"]))
        assert entry["steps"][entry["own"]] == pytest.approx(own[k])
        for i in (0, entry["own"], 20, len(entry["steps"]) - 1):
            prior = own * (1 - entry["steps"][i]) / (1 - own[k])
            prior[k] = entry["steps"][i]
            at = under_prior(matrix, prior)
            for question, curve in entry["curves"].items():
                interval = at.interval(question, level=0.9)
                found = curve["values"][i], curve["low"][i], curve["high"][i]
                assert found == pytest.approx((interval.value, interval.low, interval.high), rel=1e-9)


def test_the_step_of_the_data_has_the_very_value_of_the_data():
    report = evaluate(SOFT["y"], SOFT["p"], "multiclass")
    for entry in report.sections["prior_sweep"]:
        for question, curve in entry["curves"].items():
            assert curve["values"][entry["own"]] == report.value(question, "soft_decision")


def test_questions_of_ones_own_are_swept():
    y, p = hard(2)
    report = evaluate(y, p, "binary", measures=["npv", "exemplar f1", "specificity"])
    (entry,) = report.sections["prior_sweep"]
    assert list(entry["curves"]) == ["micro npv", "micro specificity"]
    assert len(set(entry["curves"]["micro specificity"]["values"])) == 1


def test_absent_and_only_classes_do_not_move():
    y, p = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 1, 1, 1, 0, 0])
    report = evaluate(y, p, "multiclass", n_classes=4)
    assert {e["class"] for e in report.sections["prior_sweep"]} == {"0", "1"}
    assert "prior_sweep" not in evaluate(y * 0, p, "binary").sections
    assert "prior_sweep" not in evaluate(*hard(4), "ordinal", n_classes=4).sections


def test_many_classes_have_no_sweep():
    assert "prior_sweep" not in evaluate(*hard(101, 2000), "multiclass", n_classes=101).sections


def test_many_soft_items_have_no_bands(monkeypatch):
    monkeypatch.setattr("softtruth.report.prior_sweep._ALL", 1)
    monkeypatch.setattr("softtruth.report.prior_sweep._ONE", 2)
    report = evaluate(SOFT["y"], SOFT["p"], "multiclass")
    (entry,) = report.sections["prior_sweep"]
    assert entry["level"] is None
    assert entry["not_moved"] == 2
    assert set(entry["curves"]["accuracy"]) == {"values"}
    assert "too many for intervals" in report.to_html()


# --- wrong labels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 7])
def test_ranges_for_wrong_labels_are_those_of_true_accuracy(k):
    y, p = hard(k)
    task = "binary" if k == 2 else "multiclass"
    (entry,) = evaluate(y, p, task, n_classes=k).sections["label_errors"]
    matrix = IndicatorMatrix(y, p, task=task, n_classes=k)
    observed = matrix.interval("accuracy")
    curve = entry["curves"]["accuracy"]
    for i, rate in enumerate(entry["rates"]):
        found = true_accuracy(observed, 1 - rate, k)
        assert (curve["low"][i], curve["high"][i]) == (found.low, found.high)
        assert (curve["outer_low"][i], curve["outer_high"][i]) == (found.interval.low, found.interval.high)
        assert curve["estimate"][i] == (None if found.refuted else found.estimate)
    others = {2: {"f1", "mcc"}, 3: {"cohen_kappa"}, 7: set()}[k]
    assert set(entry["curves"]) == {"accuracy"} | others
    for measure in others:
        found = noisy_bounds(matrix, measure, reference_accuracy=1 - entry["rates"][4])
        assert entry["curves"][measure]["low"][4] == pytest.approx(found.low)


def test_wrong_labels_of_one_question_only():
    y = np.array([[1, 0], [1, 1], [0, 0]])
    assert "label_errors" not in evaluate(y, y, "multilabel").sections
    assert "label_errors" not in evaluate(Cells.of([3, 2], [1, 1], [1, 0], [5, 7], task="multilabel")).sections


def test_the_true_accuracy_where_it_is_known_how_often_labels_are_right():
    y, p = hard(3)
    report = evaluate(y, p, "multiclass", reference_accuracy=0.9, n_reference=80)
    (entry,) = report.sections["true_accuracy"]
    found = true_accuracy(IndicatorMatrix(y, p, task="multiclass").interval("accuracy"), 0.9, 3, n_reference=80)
    assert (entry["low"], entry["high"], entry["estimate"]) == (found.low, found.high, found.estimate)
    assert entry["sentences"] == found.sentences()


def test_no_true_accuracy_of_several_questions_or_of_nothing():
    y = np.array([[1, 0], [1, 1], [0, 0]])
    assert "true_accuracy" not in evaluate(y, y, "multilabel", reference_accuracy=0.9).sections
    nothing = evaluate(np.zeros(0, int), np.zeros(0, int), "multiclass", n_classes=3, reference_accuracy=0.9)
    assert set(nothing.sections) == {"confusion"}


# --- suspects -------------------------------------------------------------------------------------------------------


def test_suspects_have_their_ids(tmp_path):
    (tmp_path / "r.csv").write_text("item,label\nx1,cat\nx2,dog\nx3,cat\nx4,dog\n")
    (tmp_path / "p.csv").write_text("item,cat,dog\nx1,0.9,0.1\nx2,0.95,0.05\nx3,0.99,0.01\nx4,0.3,0.7\n")
    report = evaluate_problem(load_problem([str(tmp_path / "p.csv")], str(tmp_path / "r.csv")))
    (entry,) = report.sections["suspects"]
    assert entry["labels"][0] == {"item": "x2", "label": "dog", "model": "cat", "doubt": pytest.approx(0.95)}
    assert [row["item"] for row in entry["labels"]] == ["x2", "x4", "x1", "x3"]
    assert not entry["voted"]
    assert entry["effect"] == ""


def test_suspects_of_many_numbers_are_not_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("softtruth.evaluation.suspects.LARGEST", 7)
    (tmp_path / "r.csv").write_text("item,label\nx1,cat\nx2,dog\nx3,cat\nx4,dog\n")
    (tmp_path / "p.csv").write_text("item,label\nx1,cat\nx2,cat\nx3,cat\nx4,dog\n")
    report = evaluate_problem(load_problem([str(tmp_path / "p.csv")], str(tmp_path / "r.csv")))
    assert "suspects" not in report.sections


def test_tied_items_alone_have_no_suspects(tmp_path):
    (tmp_path / "r.csv").write_text("item,n_cat,n_dog\nx1,2,2\nx2,1,1\n")
    (tmp_path / "p.csv").write_text("item,cat,dog\nx1,0.9,0.1\nx2,0.2,0.8\n")
    problem = load_problem([str(tmp_path / "p.csv")], str(tmp_path / "r.csv"))
    answers = Answers.of([[0, 0, 1, 1], [0, 1, -1, -1]], 2)
    assert suspects_of(problem, answers, None) == []


def test_items_without_labels_have_no_suspects(tmp_path):
    (tmp_path / "r.csv").write_text("item,label\nx1,cat\nx2,dog\n")
    (tmp_path / "p.csv").write_text("item,label\nx1,cat\nx2,cat\n")
    problem = load_problem([str(tmp_path / "p.csv")], str(tmp_path / "r.csv"))
    assert suspects_of(replace(problem, mask=np.zeros(2, bool)), None, None) == []
