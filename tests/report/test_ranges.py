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


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("reference", [SHARES, SHARES.argmax(1)])
def test_a_report_makes_its_intervals_by_a_bootstrap(method, reference):
    settings = {"interval": method, "draws": 500, "seed": 3}
    report = evaluate(reference, PREDICTION, **settings)
    plain = evaluate(reference, PREDICTION)
    for row, other in zip(report.rows, plain.rows, strict=True):
        assert row.question == other.question
        assert row.interval.value == pytest.approx(other.interval.value)
        assert row.interval.method.startswith(method)
        assert row.interval.width == pytest.approx(other.interval.width, rel=0.35)
        assert "seed-3" in row.signature
    assert report.settings["interval"] == f"{method}, 500 draws, seed 3"
    assert "interval" not in plain.settings
    one = next(row for row in report.rows if row.label == "1" and row.measure == "f1" and row.view != "majority")
    matrix = IndicatorMatrix(reference, PREDICTION, coupling="independent" if reference is SHARES else None)
    whole = np.asarray(matrix.replicates(500, 3).cells.masses)[:, :, 1]
    values = 2 * whole[0] / (2 * whole[0] + whole[1] + whole[2])
    if method == "percentile":
        ends = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
        assert [one.interval.low, one.interval.high] == pytest.approx(ends.tolist())


def test_sums_that_allow_no_bootstrap_say_so():
    soft = IndicatorMatrix(SHARES, PREDICTION, coupling="independent")
    report = IndicatorMatrix.of(soft.cells, moments=soft.moments).report(interval="percentile")
    assert "how examples vary" in report.row("macro f1").interval.note
    assert next(row for row in report.rows if row.label).interval.method.startswith("influence")
