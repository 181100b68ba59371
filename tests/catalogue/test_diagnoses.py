"""Each diagnosis fires where it is due, is silent elsewhere, and has a code, a severity, a sentence and numbers."""

import warnings

import numpy as np
import pytest

from softtruth import Cells, FindingWarning, IndicatorMatrix

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, 200)
P = np.where(RNG.random(200) < 0.6, Y, RNG.integers(0, 4, 200))
IM = IndicatorMatrix(Y, P)
BINARY = IndicatorMatrix(Y > 1, P > 1, "binary")


def found(matrix, measures, operators=None):
    return {finding.code: finding for finding in matrix.diagnose(measures, operators)}


def test_an_inflated_floor():
    finding = found(IM, ["label_accuracy", "f1"], ["micro"])["inflated_floor"]
    assert finding.numbers == {"micro label_accuracy": 0.5}
    assert finding.severity == "warning"
    assert "micro label_accuracy (0.500)" in finding.sentence
    assert "inflated_floor" not in found(IM, ["f1", "precision", "jaccard"])
    assert "inflated_floor" not in found(BINARY, ["label_accuracy"])


def test_micro_averages_that_are_one_number():
    finding = found(IM, ["precision", "recall", "mcc"])["micro_collapse"]
    assert finding.numbers["questions"] == ["micro precision", "micro recall"]
    assert finding.severity == "note"
    assert "micro_collapse" not in found(IM, ["macro precision", "macro recall"])


def test_a_pooled_value_outside_the_classes():
    # Each label alone is predicted at random; what is pooled is that frequent labels are predicted frequently.
    cells = Cells.of([81, 1], [9, 9], [9, 9], [1, 81], task="multilabel")
    im = IndicatorMatrix.of(cells)
    parts = im.parts("macro mcc")
    finding = found(im, ["micro mcc", "micro f1"])["outside_classes"]
    numbers = finding.numbers["micro mcc"]
    assert not parts.min() <= numbers["micro"] <= parts.max()
    assert (numbers["low"], numbers["high"]) == (parts.min(), parts.max())
    assert "micro f1" not in finding.sentence  # decomposable measures never do


def test_a_degenerate_optimum():
    assert found(BINARY, ["recall"])["degenerate_optimum"].numbers == {"micro recall": 0.0}
    assert "everything negative" in found(BINARY, ["specificity", "fpr"])["degenerate_optimum"].sentence
    for measures in (["recall", "specificity"], ["recall", "precision"], ["f1"], ["prevalence"]):
        assert "degenerate_optimum" not in found(BINARY, measures)


def test_classes_whose_errors_are_uneven_drift():
    finding = found(IM, ["macro specificity", "macro recall"])["class_drift"]
    assert finding.numbers["questions"] == ["macro specificity"]
    even = np.full((3, 3), 10) + 70 * np.eye(3, dtype=int)
    y, p = (side.repeat(even.ravel()) for side in np.indices((3, 3)).reshape(2, -1))
    assert "class_drift" not in found(IndicatorMatrix(y, p), ["macro specificity"])
    assert "class_drift" not in found(BINARY, ["specificity"])


def test_a_redundant_suite():
    finding = found(BINARY, ["recall", "specificity", "f1", "mcc"])["redundant_suite"]
    assert finding.numbers == {"measures": 4, "rank": 2, "degrees_of_freedom": 2}
    assert "redundant_suite" not in found(BINARY, ["recall", "specificity"])
    raw = IndicatorMatrix(RNG.random(30), RNG.random(30), "binary", tnorm="godel")
    assert "redundant_suite" not in found(raw, ["recall", "specificity", "f1"])


def test_undefined_parts_few_items_and_constant_predictions():
    im = IndicatorMatrix([0, 0, 0, 1, 1, 2] * 5, [0] * 30, labels=["a", "b", "c"])
    codes = found(im, ["macro precision"])
    assert {"undefined_parts", "rare_class", "constant_prediction"} <= set(codes)
    assert codes["undefined_parts"].numbers["macro precision"]["undefined"] == 2


def test_a_sound_suite_has_no_findings():
    y = np.repeat([0, 1], 50)
    p = np.where(np.arange(100) % 7 == 0, 1 - y, y)
    assert IndicatorMatrix(y, p, "binary").diagnose(["recall", "precision"]) == []


def test_findings_can_be_warnings_in_a_test_suite():
    with pytest.warns(FindingWarning, match="inflated_floor: With 4 classes"):
        IM.diagnose(["micro label_accuracy"], warn=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        IM.diagnose(["micro precision", "micro recall"], warn=True)  # notes are not raised


def test_the_report_shows_what_the_measures_that_were_asked_for_do_here():
    report = IM.report(["label_accuracy", "precision", "recall"])
    assert {"inflated_floor", "micro_collapse", "redundant_suite"} <= {finding.code for finding in report.findings}
    assert {"micro_collapse", "redundant_suite"}.isdisjoint(finding.code for finding in IM.report().findings)
    assert "a prediction that is wrong for every item" in " ".join(report.to_text().split())
