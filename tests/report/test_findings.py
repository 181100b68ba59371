"""Findings: what the report says beside the numbers, and that it says it once."""

import numpy as np

from softtruth import IndicatorMatrix, evaluate


def found(report, code):
    return [finding for finding in report.findings if finding.code == code]


def test_nothing_to_say_of_ordinary_data():
    reference = np.tile([0, 1, 2], 20)
    prediction = np.where(np.arange(60) % 7 == 0, 0, reference)
    assert IndicatorMatrix(reference, prediction, "multiclass").report().findings == ()


def test_rare_classes():
    (finding,) = found(evaluate(np.repeat(["a", "b"], [3, 20]), np.repeat(["a", "b"], [3, 20])), "rare_class")
    assert finding.severity == "warning"
    assert finding.sentence.startswith("1 class has fewer than 10 items in the reference: a (3).")


def test_rare_sides_of_binary_data():
    (finding,) = found(evaluate([0] * 4 + [1] * 30, [0] * 4 + [1] * 30, "binary", labels=["no", "yes"]), "rare_class")
    assert finding.numbers == {"no": 4.0}


def test_undefined_parts_and_what_the_convention_moves():
    reference, prediction = np.repeat([0, 1, 2], 20), np.repeat([0, 1, 1], 20)
    (finding,) = found(evaluate(reference, prediction, labels=["a", "b", "c"]), "undefined_parts")
    assert finding.numbers["macro precision"] == {"undefined": 1, "exclude": 0.75, "zero": 0.5, "one": 2.5 / 3}
    assert "macro precision (1 of 3 classes, c: 0.750 without, 0.500 as 0, 0.833 as 1)" in finding.sentence
    assert "macro recall" not in finding.numbers


def test_undefined_rows_of_labels():
    (finding,) = found(evaluate([[1, 0], [0, 0]] * 20, [[1, 0], [0, 0]] * 20, "multilabel"), "undefined_parts")
    assert finding.numbers["exemplar f1"]["undefined"] == 20


def test_constant_predictions():
    reference = np.repeat([0, 1], [70, 30])
    (finding,) = found(evaluate(reference, np.zeros(100, int), "binary"), "constant_prediction")
    assert finding.sentence == ("The prediction is constant: it names 0 for every item, the reference for 70.0%.")
    nearly = np.zeros(100, int)
    nearly[0] = 1
    (finding,) = found(evaluate(reference, nearly, "multiclass"), "constant_prediction")
    assert "nearly constant: it names 0 for 99.0% of the items" in finding.sentence
    assert not found(evaluate(np.zeros(50, int), np.zeros(50, int), "binary"), "constant_prediction")


def test_clusters_widen_intervals_and_few_of_them_do_not_suffice():
    rng = np.random.default_rng(3)
    reference = np.repeat(rng.integers(0, 2, 40), 10)
    prediction = np.repeat(rng.integers(0, 2, 40), 10)
    clusters = np.repeat(np.arange(40), 10)
    report = evaluate(reference, prediction, "binary", clusters=clusters)
    (finding,) = found(report, "clustered")
    assert 2.5 < finding.numbers["ratio"] < 4  # ten copies of each item: about the root of ten
    assert not found(report, "few_clusters")
    assert found(evaluate(reference, prediction, "binary", clusters=clusters % 8), "few_clusters")


def test_clusters_of_several_predictions_are_told_in_one_sentence():
    rng = np.random.default_rng(4)
    votes = rng.multinomial(5, [0.5, 0.5], 200)
    predictions = {name: rng.random(200) for name in "ab"}
    report = evaluate(votes, predictions, "binary", reference_kind="votes", clusters=np.arange(200) // 5)
    (finding,) = found(report, "clustered")
    assert finding.numbers["ratio"] <= finding.numbers["highest"]
    assert " to " in finding.sentence


def test_weights():
    (finding,) = found(evaluate([0, 1] * 20, [0, 1] * 20, "binary", sample_weight=[1, 3] * 20), "weighted")
    assert finding.numbers == {"items": 40, "effective": 80**2 / (20 + 180)}


def test_numbers_without_an_interval():
    report = evaluate(np.repeat([0, 1], 20), np.repeat([0, 1], 20), "multiclass")
    (finding,) = found(report, "no_interval")
    assert "edge of its range" in finding.sentence
    assert finding.numbers["numbers"] == sum(np.isnan(row.interval.low) for row in report.rows)


def test_tied_predictions():
    report = evaluate([0, 1], [[0.5, 0.5], [0.2, 0.8]], "multiclass")
    (finding,) = found(report, "tied_predictions")
    assert finding.sentence == "1 item has more than one most probable class: the decision is the first of them."


def test_what_holds_everywhere_is_said_once():
    rng = np.random.default_rng(5)
    votes = rng.multinomial(5, [0.6, 0.3, 0.1], 25)
    predictions = {name: rng.dirichlet([1, 1, 1], 25) for name in ("one", "two", "three")}
    report = evaluate(votes, predictions, "multiclass", reference_kind="votes", sample_weight=rng.random(25))
    for code in ("ties", "rare_class", "weighted"):
        (finding,) = found(report, code)
        assert finding.where == ()


def test_what_holds_somewhere_says_where():
    votes = [[5, 1, 0], [1, 5, 0], [0, 1, 5], [1, 0, 5]] * 10
    predictions = {"constant": [0] * 40, "other": [0, 1, 2, 2] * 10}
    report = evaluate(votes, predictions, "multiclass", reference_kind="votes")
    (finding,) = found(report, "constant_prediction")
    assert finding.where == ("constant",)
    (finding,) = found(report, "undefined_parts")
    assert finding.where == ("constant, majority reference", "constant, soft reference")
    assert finding.sentence.endswith("The numbers are those of constant, majority reference.")
