"""What a report says of the people behind its reference."""

import json

import numpy as np
import pytest

from softtruth import mean_interval, sets
from softtruth.annotations import Answers
from softtruth.annotations.answer_files import load_answers
from softtruth.cli import run
from softtruth.evaluation import evaluate, evaluate_problem
from softtruth.inputs.align import load_problem
from softtruth.inputs.settings import Settings
from softtruth.people import agreement, human_ceiling

CLASSES = ("a", "b", "c")


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    votes = np.where(rng.random((60, 5)) < 0.6, truth[:, None], rng.integers(0, 3, (60, 5)))
    lines = [f"i{i},p{r},{CLASSES[votes[i, r]]}" for i in range(60) for r in range(5) if (i + r) % 7]
    p = 0.7 * np.eye(3)[truth] + 0.1
    rows = [f"i{i}," + ",".join(f"{x:.3f}" for x in p[i]) for i in range(60)]
    labels = [f"i{i},{CLASSES[truth[i]]}" for i in range(60)]
    for name, header, content in (
        ("votes", "item,annotator,label", lines),
        ("pred_model", "item,p_a,p_b,p_c", rows),
        ("pred_hard", "item,prediction", labels),
    ):
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *content]) + "\n", encoding="utf-8")
    return tmp_path


def of(report, code, where=None):
    found = [f for f in report.findings if f.code == code and (where is None or where in f.where)]
    assert len(found) == 1
    return found[0]


def problem_of(files, **options):
    predictions = [str(files / "pred_model.csv"), str(files / "pred_hard.csv")]
    return load_problem(predictions, str(files / "votes.csv"), **options)


def test_the_numbers_are_those_of_the_functions(files):
    problem = problem_of(files)
    found = load_answers(str(files / "votes.csv"), Settings(), items=problem.items.tolist(), classes=problem.labels)
    report = evaluate_problem(problem, answers=found.answers)
    assert of(report, "agreement").numbers["krippendorff_alpha"]["value"] == agreement(problem.reference).value
    shares, p = problem.soft_reference(), problem.predictions["model"].values
    topk = of(report, "topk").numbers
    assert set(topk) == {"top_1", "top_2"}
    expected = mean_interval(sets.aggregated_topk_accuracy(p, shares, 2))
    assert (topk["top_2"]["value"], topk["top_2"]["low"]) == (expected.value, expected.low)
    assert topk["top_2"]["ceiling"] == pytest.approx(sets.topk_ceiling(shares, 2).mean())
    covered = of(report, "set_coverage").numbers
    chosen = sets.mass_sets(p, 0.9)
    assert covered["coverage"]["value"] == pytest.approx(sets.aggregated_coverage(chosen, shares).mean())
    assert covered["size"] == pytest.approx(chosen.sum(axis=1).mean())
    for name in ("model", "hard"):
        beside = of(report, "human_ceiling", name).numbers
        ceiling = human_ceiling(found.answers, problem.predictions[name].values)
        assert beside["difference"]["value"] == ceiling.difference.value
        assert beside["p_superiority"] == ceiling.superiority()
    certainty = of(report, "annotation_certainty").numbers
    assert 1 / 3 < certainty["annotation_certainty"]["value"] < 1


def test_decisions_have_no_depth_and_counts_name_nobody(files):
    report = evaluate_problem(problem_of(files))
    assert [f.where for f in report.findings if f.code in {"topk", "set_coverage"}] == [("model",)] * 2
    assert "human_ceiling" not in {f.code for f in report.findings}


def test_arrays_say_the_same_as_files(files):
    problem = problem_of(files)
    votes = problem.reference.copy()
    votes[3] = 0  # an item without votes counts for nothing
    predictions = {name: prediction.values for name, prediction in problem.predictions.items()}
    report = evaluate(votes, predictions, "multiclass", reference_kind="votes", labels=problem.labels)
    kept = np.arange(len(votes)) != 3
    ours = {f.code: f for f in report.findings}
    assert ours["agreement"].numbers["krippendorff_alpha"]["value"] == agreement(votes[kept]).value
    shares = votes[kept] / votes[kept].sum(axis=1, keepdims=True)
    expected = sets.aggregated_topk_accuracy(predictions["model"][kept], shares, 1).mean()
    assert ours["topk"].numbers["top_1"]["value"] == pytest.approx(expected)
    assert ours["topk"].where == ("model",)
    soft = evaluate(shares, predictions["model"][kept], "multiclass")
    assert {"topk", "set_coverage"} < {f.code for f in soft.findings}
    assert not {"agreement", "annotation_certainty"} & {f.code for f in soft.findings}


def test_hard_labels_have_no_people(files):
    report = evaluate_problem(load_problem([str(files / "pred_model.csv")], str(files / "pred_hard.csv")))
    codes = {f.code for f in report.findings}
    assert not codes & {"agreement", "annotation_certainty", "topk", "set_coverage", "human_ceiling"}


def test_labels_that_hold_together_agree_one_by_one(tmp_path):
    rng = np.random.default_rng(1)
    answers = rng.random((40, 3, 2)) < [0.6, 0.2]
    lines = [
        f"i{i},r{r},{name},{int(answers[i, r, j])}" for i in range(40) for r in range(3) for j, name in enumerate("xy")
    ]
    (tmp_path / "votes.csv").write_text("\n".join(["item,annotator,finding,label", *lines]) + "\n", encoding="utf-8")
    rows = [f"i{i},{rng.random():.3f},{rng.random():.3f}" for i in range(40)]
    (tmp_path / "p.csv").write_text("\n".join(["item,p_x,p_y", *rows]) + "\n", encoding="utf-8")
    problem = load_problem([str(tmp_path / "p.csv")], str(tmp_path / "votes.csv"))
    found = load_answers(str(tmp_path / "votes.csv"), Settings(), items=problem.items.tolist(), classes=problem.labels)
    report = evaluate_problem(problem, answers=found.answers)
    by_label = of(report, "agreement").numbers["krippendorff_alpha"]
    for j, name in enumerate("xy"):
        expected = agreement(Answers.of(answers[:, :, j].astype(int), 2)).value
        assert by_label[name]["value"] == pytest.approx(expected)
    assert of(report, "human_ceiling").numbers["measure"] == "micro f1"


def test_the_command_says_it_too(files, capsys):
    arguments = ["--prediction", str(files / "pred_model.csv"), "--reference", str(files / "votes.csv"), "--json", "-"]
    assert run(["report", *arguments, "--quiet"]) == 0
    report = json.loads(capsys.readouterr().out)
    codes = [finding["code"] for finding in report["findings"]]
    for code in ("agreement", "annotation_certainty", "topk", "set_coverage", "human_ceiling"):
        assert codes.count(code) == 1


def test_the_label_of_a_prediction_is_not_that_of_the_answers(tmp_path, capsys):
    rows = [f"{item},{who},{label}" for item, label in zip("1234", ("a", "b", "b", "a"), strict=True) for who in "xyz"]
    (tmp_path / "votes.csv").write_text("item,annotator,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "model.csv").write_text("item,said,other\n1,a,b\n2,b,a\n3,b,b\n4,b,a\n", encoding="utf-8")
    words = ["--reference", str(tmp_path / "votes.csv"), "--prediction", f"A={tmp_path / 'model.csv'}"]
    assert run(["report", *words, "--label", "A:said"]) == 0
    assert "people" in capsys.readouterr().out.lower()
