"""The summary of the page: what stands in it, and the sentence on what each number stands on."""

import numpy as np
import pytest

from softtruth import evaluate
from softtruth.render.headline import ACCURACY_ALONE, headline
from softtruth.render.html import heat, range_of, to_html

AT_PRIOR = {"name": "at_prior", "title": "at another prior", "sentence": "The decision elsewhere."}


def titles(report):
    return [part.title for part in headline(report)]


def part(report, title):
    return next(part for part in headline(report) if part.title == title)


def dependence(report, where, value=0.5):
    numbers = {"accuracy": {"value": value, "low": value - 0.25, "high": value + 0.25, "method": "sharp"}}
    finding = {"code": "dependence_range", "severity": "note", "sentence": "It is open.", "numbers": numbers}
    report["findings"].append({**finding, "where": where})


def test_every_view_and_what_is_known_of_wrong_labels(made):
    assert titles(made()) == [
        "majority reference",
        "soft reference",
        "soft, decision only",
        "truth, if 0.960 of the labels are right",
        "the same, if errors are independent",
    ]


def test_each_prediction_has_its_own_range(made):
    report = made()
    dependence(report, ["ours, soft reference"], 0.5)
    dependence(report, ["theirs, soft reference"], 0.625)
    found = part(report, "soft reference, any dependence")
    assert found.ends
    assert [line.cells[0]["low"] for line in found.lines] == [0.25, 0.375]
    assert [line.cells[1] for line in found.lines] == [None, None]
    assert "0.375 to 0.875" in to_html(report)


def test_what_holds_everywhere_holds_for_each(made):
    report = made(predictions=["ours"])
    dependence(report, [])
    assert part(report, "soft reference, any dependence").lines[0].cells[0]["high"] == 0.75


def test_drawn_labels_show_their_mean(made):
    report = made(predictions=["ours"])
    numbers = {"accuracy": {"mean": 0.625, "low": 0.5, "high": 0.75}}
    finding = {"code": "drawn_truth", "severity": "note", "sentence": "Drawn.", "numbers": numbers}
    report["findings"].append({**finding, "where": ["soft, decision only"]})
    found = part(report, "one label an item")
    assert found.lines[0].cells[0]["value"] == 0.625
    assert "95% of the values" in found.sentence


@pytest.mark.parametrize(
    ("coupling", "sentence", "expected"),
    [
        ("independent", "The prediction with its probabilities.", "both to be independent, given the item"),
        ("most", "The prediction with its probabilities.", "hang together as the coupling most says"),
        ("hardened", "The decision against the shares.", "these shares to be the truth"),
    ],
)
def test_a_soft_reference_says_what_it_assumes(made, coupling, sentence, expected):
    report = made()
    report["views"][1] = {**report["views"][1], "sentence": sentence}
    report["settings"]["coupling"]["soft"] = coupling
    assert expected in part(report, "soft reference").sentence


@pytest.mark.parametrize(
    ("task", "classes", "prior", "expected"),
    [
        ("binary", ["no", "yes"], [0.05], "The frequencies: yes 5%."),
        ("binary", ["no", "yes"], {"a": [0.1], "b": [0.3]}, "The frequencies: a: yes 10%; b: yes 30%."),
        ("multiclass", list("abcdefgh"), [0.3, *[0.1] * 7], "a 30%, b 10%, c 10%, d 10%, e 10%, f 10% and 2 more."),
    ],
)
def test_another_prior_says_which(made, task, classes, prior, expected):
    report = made(predictions=["ours"], classes=classes) | {"task": task}
    report["views"] = [*report["views"], AT_PRIOR]
    report["settings"]["prior"] = prior
    report["rows"] += [{**row, "view": "at_prior"} for row in report["rows"] if row["view"] == "soft"]
    assert part(report, "at another prior").sentence.endswith(expected)


def test_labels_at_chance_have_no_estimate_and_refuted_ones_say_so(made):
    report = made(predictions=["ours"])
    entry = report["sections"]["true_accuracy"][0]
    entry |= {"estimate": None, "estimate_interval": None, "interval": None}
    assert "the same, if errors are independent" not in titles(report)
    assert part(report, "truth, if 0.960 of the labels are right").lines[0].cells[0]["low"] == 0.81
    entry |= {"estimate": 1.25, "refuted": True}
    assert 'title="the data refute independent errors"' in to_html(report)


def test_of_many_predictions_the_first_are_shown_and_the_page_says_so(made):
    text = to_html(made(predictions=[f"model {i}" for i in range(15)]))
    assert "The first 12 of 15 predictions" in text
    assert "The first 4 of 15 predictions" in text


def test_a_part_without_data_is_absent(made):
    report = made()
    report["sections"] = {}
    text = to_html(report)
    assert "Other class frequencies" not in text
    assert "If some labels are wrong" not in text
    assert 'id="values"' in text


def test_large_data_stay_out_of_the_page(made, monkeypatch):
    monkeypatch.setattr("softtruth.render.html.LARGEST_DATA", 10)
    text = to_html(made())
    assert 'id="report"' not in text
    assert "too many to stand in it" in text


def test_shades_and_ranges():
    assert [heat(x, [1.0, 3.0]) for x in (1.0, 3.0)] == [2, 7]
    assert range_of([None, None]) == "any number"


def test_a_dash_for_other_measures_has_its_reason_and_the_rate_its_mark():
    y, p = np.arange(80) % 2, np.where(np.arange(80) % 9 == 0, 1 - np.arange(80) % 2, np.arange(80) % 2)
    report = evaluate(y, p, "binary", reference_accuracy=0.96)
    told = [part for part in headline(report.to_dict()) if "true" in part.title or "truth" in part.title]
    assert told
    assert all(ACCURACY_ALONE in part.sentence for part in told)
    assert "(dashed: 4%, as was asked)" in report.to_html()
    assert "as was asked" not in evaluate(y, p, "binary", reference_accuracy=0.6).to_html()  # beyond the picture
    assert "as was asked" not in evaluate(y, p, "binary").to_html()
    alone = evaluate(y, p, "binary", measures="accuracy", reference_accuracy=0.96).to_dict()
    assert not any(ACCURACY_ALONE in part.sentence for part in headline(alone))
