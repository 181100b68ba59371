"""What a report says of a soft reference: the range of dependence and the values of drawn labels."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, evaluate

RNG = np.random.default_rng(0)
SHARES = RNG.dirichlet(np.ones(3), 60)
PREDICTION = (SHARES + RNG.dirichlet(np.ones(3), 60)) / 2


def found(report, code):
    return [finding for finding in report.findings if finding.code == code]


def test_a_soft_reference_has_a_range_and_drawn_labels():
    report = evaluate(SHARES, PREDICTION)
    (span,) = found(report, "dependence_range")
    soft = IndicatorMatrix(SHARES, PREDICTION, coupling="independent")
    for question in ("accuracy", "macro f1"):
        expected = soft.bounds(question)
        assert span.numbers[question]["low"] == pytest.approx(expected.low)
        assert span.numbers[question]["high"] == pytest.approx(expected.high)
        assert f"{question} {expected.value:.3f} in [{expected.low:.3f}, {expected.high:.3f}]" in span.sentence
    assert "few votes" in span.sentence
    (drawn,) = found(report, "drawn_truth")
    expected = IndicatorMatrix(SHARES, PREDICTION).distribution("accuracy")
    assert drawn.numbers["accuracy"]["mean"] == pytest.approx(expected.mean)
    assert "(exact)" in drawn.sentence
    assert drawn.where
    assert drawn.where != span.where


def test_a_crisp_reference_has_neither():
    report = evaluate(SHARES.argmax(1), PREDICTION)
    assert not found(report, "dependence_range")
    assert not found(report, "drawn_truth")


def test_a_crisp_prediction_has_no_range():
    report = evaluate(SHARES, PREDICTION.argmax(1))
    assert not found(report, "dependence_range")
    assert len(found(report, "drawn_truth")) == 1


def test_what_has_no_range_is_left_out():
    for how in ({"tnorm": "godel"}, {"measures": ["cen", "exemplar f1"]}):
        assert not found(evaluate(SHARES, PREDICTION, **how), "dependence_range")
    span = found(
        evaluate(SHARES[:, 0], PREDICTION[:, 0], task="binary", measures=["optimized_precision"]), "dependence_range"
    )
    assert "searched" in span[0].sentence
