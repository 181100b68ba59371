"""Limits that are said: too many classes, draws, grades; measures that travel; files that are not overwritten."""

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

from softtruth import IndicatorMatrix, InputError, Measure, list_measures, parse
from softtruth.cli.group import cli


def faith(tp, fp, fn, tn):
    return (tp + tn / 2) / (tp + fp + fn + tn)


MEASURES = [*list_measures(), parse("tversky 0.3 0.7").measure, parse("fbeta 3").measure]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_measures_travel_to_other_processes(measure):
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301  our own bytes


def test_averaged_and_own_measures_travel():
    for measure in (parse("macro f1"), Measure.from_formula("faith", faith)):
        assert str(pickle.loads(pickle.dumps(measure))) == str(measure)  # noqa: S301  our own bytes


def test_a_measure_of_very_many_classes_has_an_interval():
    labels = np.arange(3000)
    rolled = IndicatorMatrix(labels, np.roll(labels, 1), "multiclass", n_classes=3000).interval("cohen_kappa")
    assert "linearisation sees no spread" in rolled.note  # every example is wrong in the same way
    half = IndicatorMatrix(labels, np.where(labels % 2, labels, 0), "multiclass", n_classes=3000)
    for measure in ("r_k", "cohen_kappa", "accuracy"):
        found = half.interval(measure)
        assert 0 < found.low < found.value < found.high < 1


def test_draws_have_an_end():
    im = IndicatorMatrix([0, 1, 1], [0, 1, 0])
    with pytest.raises(InputError, match="draws is 100000000000, expected a whole number from 2 to 10000000"):
        im.interval("f1", method="percentile", draws=10**11)


def test_grades_are_at_least_two():
    with pytest.raises(InputError, match="an ordinal problem has 1 grade, expected at least two"):
        IndicatorMatrix([0] * 5, [0] * 5, "ordinal")


def test_results_do_not_go_over_what_is_read(tmp_path):
    prediction, reference = tmp_path / "pred.csv", tmp_path / "votes.csv"
    prediction.write_text("item,p_a,p_b\nx,0.5,0.5\ny,0.2,0.8\n")
    reference.write_text("item,n_a,n_b\nx,1,2\ny,0,3\n")
    sides = ["report", "--prediction", f"mine={prediction}", "--reference", str(reference)]
    for flags in (["--junit", str(prediction), "--fail-under", "accuracy=0.1"], ["--json", str(reference)]):
        found = CliRunner().invoke(cli, [*sides, *flags])
        assert found.exit_code == 2
        assert "choose another name." in " ".join(found.output.split())
    found = CliRunner().invoke(cli, [*sides, "--out", str(tmp_path / "a"), "--json", str(tmp_path / "a")])
    assert found.exit_code == 2
    assert prediction.read_text().startswith("item")


def test_not_a_number_is_no_class(tmp_path):
    labels = tmp_path / "gold.jsonl"
    labels.write_text("".join(json.dumps({"item": f"i{i}", "label": x}) + "\n" for i, x in enumerate([0.0, 1.0, None])))
    predictions = tmp_path / "pred.jsonl"
    predictions.write_text(
        '{"item":"i0","prediction":0.0}\n{"item":"i1","prediction":1.0}\n{"item":"i2","prediction":NaN}\n'
    )
    found = CliRunner().invoke(cli, ["report", "--prediction", str(predictions), "--reference", str(labels)])
    assert "nan" not in found.output.split()
