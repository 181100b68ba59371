"""`softtruth demo`: the example, what it shows, and that it is the same everywhere."""

import csv
import gzip
import json
import re
from importlib.resources import files

import numpy as np
import pytest

from softtruth.cli import run
from softtruth.cli.demo import run_demo
from softtruth.evaluation.noise import decisions, majority_codes
from softtruth.inputs.align import load_problem

FOLDER = files("softtruth").joinpath("demo")
ACCURACY = {"ann": 0.95, "bob": 0.90, "cyd": 0.85, "dan": 0.80, "eve": 0.70}


def rows(name):
    text = gzip.decompress(FOLDER.joinpath(f"{name}.csv.gz").read_bytes()).decode()
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def report():
    return run_demo()


def test_truth_majority_and_votes_stand_beside_each_other(report):
    assert [view.name for view in report.views] == ["truth", "majority", "soft"]
    assert {row.view for row in report.rows} == {"truth", "majority", "soft"}


def test_the_hard_score_is_the_one_against_the_truth(report):
    truth = {row["item"]: row["label"] for row in rows("truth")}
    given = rows("logistic_regression")
    best = {row["item"]: max("0123456789", key=lambda digit: float(row[f"p_{digit}"])) for row in given}
    right = np.mean([best[item] == label for item, label in truth.items()])
    assert len(truth) == 600
    assert report.value("accuracy", "truth") == pytest.approx(right)


def test_annotators_are_as_good_as_they_are_said_to_be():
    truth = {row["item"]: row["label"] for row in rows("truth")}
    votes = rows("votes")
    assert len(votes) == 5 * 600
    for name, accuracy in ACCURACY.items():
        hits = [row["label"] == truth[row["item"]] for row in votes if row["annotator"] == name]
        assert np.mean(hits) == pytest.approx(accuracy, abs=4 * np.sqrt(accuracy * (1 - accuracy) / 600))


def test_it_says_that_the_annotators_are_simulated(report):
    (finding,) = (f for f in report.findings if f.code == "simulated")
    assert "five annotators are simulated" in finding.sentence
    assert "are simulated" in report.to_html()


def test_it_does_not_say_where_it_is_installed(report):
    assert [record["path"] for record in report.provenance["inputs"]] == ["votes.csv.gz", "logistic_regression.csv.gz"]
    assert "site-packages" not in report.to_json()
    assert str(FOLDER) not in report.to_json()


def test_the_command_writes_the_page_and_says_where(tmp_path, capsys):
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    assert run(["demo", "--out", str(page), "--json", str(data)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    words = " ".join(printed.out.split())
    assert f"The report as a page: {page} (open it in a browser; it needs no network)." in words
    assert "softtruth inspect votes.csv predictions.csv" in printed.out
    assert "\x1b" not in printed.out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(data.read_text(encoding="utf-8"))["schema_version"] == "1"


def test_the_story_has_the_numbers_of_the_report(report, tmp_path, capsys):
    run(["demo", "--out", str(tmp_path / "page.html")])
    printed = capsys.readouterr().out
    for view in ("truth", "majority", "soft"):
        assert f"  {report.value('accuracy', view):.3f}  against" in printed


def test_it_may_be_markdown_and_fits_80_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["demo", "--out", "demo.md"]) == 0
    out = capsys.readouterr().out
    assert "\nThe report: demo.md.\n" in out
    assert [line for line in out.splitlines() if len(line) > 80 and not line.startswith("  softtruth ")] == []
    assert (tmp_path / "demo.md").read_text(encoding="utf-8").startswith("# Demo: a digit classifier")


def test_the_page_may_go_to_stdout(capsys):
    assert run(["demo", "--out", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_folder_is_no_page(tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "is a folder" in capsys.readouterr().err


def test_what_is_said_of_wrong_labels_bears_the_known_truth(report, capsys):
    """The truth of the untied items lies between every pair of ends that is printed for it."""
    paths = {name: str(FOLDER.joinpath(f"{name}.csv.gz")) for name in ("logistic_regression", "votes", "truth")}
    voted = load_problem([paths["logistic_regression"]], paths["votes"])
    true = load_problem([paths["logistic_regression"]], paths["truth"])
    single = majority_codes(voted)[1]
    right = decisions(true, "logistic_regression") == majority_codes(true)[0]
    accuracy = right[single].mean()
    words = ["--prediction", paths["logistic_regression"], "--reference", paths["votes"], "--suspects", "20", "-q"]
    assert run(["noise", *words]) == 0
    said = " ".join(capsys.readouterr().out.split())
    told = said[said.index(f"On the {single.sum()} items") :]
    ends = [(float(low), float(high)) for low, high in re.findall(r"between (0\.\d+) and (0\.\d+)", told)]
    assert len(ends) == 2
    assert all(low <= accuracy <= high for low, high in ends)
    (section,) = report.sections["suspects"]
    assert "between" not in section["effect"]  # how many to expect, and on what that rests, but no range beside it
    assert "if the model's probabilities are right" in section["effect"]
