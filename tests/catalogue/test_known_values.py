"""Soft cells, degenerate tables, operators, conventions, weights, masks and costs, against values found elsewhere."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from softtruth import Cells, IndicatorMatrix, InputError, Table, parse, tnorms
from softtruth.measures.operators import evaluate
from softtruth.tnorms import tnorm_of

FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = {v["id"]: v for v in json.loads((FOLDER / "catalogue.json").read_text())["values"]}
EXAMPLE = json.loads((FOLDER / "uncertainty.json").read_text())["example"]
SHARE, SCORE = np.array(EXAMPLE["votes_for"]) / EXAMPLE["of"], np.array(EXAMPLE["score"])


def known(name):
    case = GOLDEN[name]
    return case["inputs"], case["expected"], case["tolerance"]


def near(expected, tolerance):
    return pytest.approx(number(expected), abs=max(tolerance, 1e-15), rel=1e-13, nan_ok=True)


def number(x):
    return [number(v) for v in x] if isinstance(x, list) else float(x)


@pytest.mark.parametrize("tnorm", ["product", "godel", "lukasiewicz"])
def test_the_example_of_five_annotators(tnorm):
    im = IndicatorMatrix(SHARE, SCORE, "binary", tnorm=tnorm)
    _, positives, tolerance = known(f"example-positives-{tnorm}")
    assert im.counts.tp + im.counts.fn == near(positives, tolerance)
    _, f1, tolerance = known(f"example-f1-{tnorm}")
    assert im.compute("f1") == near(f1, tolerance)


def test_the_example_made_hard():
    _, f1, tolerance = known("example-f1-hard")
    hard = IndicatorMatrix((SHARE > 0.5).astype(int), SCORE, "binary")
    assert hard.compute("f1") == near(f1, tolerance)


def test_raw_cells_of_the_minimum_keep_their_differences():
    _, expected, tolerance = known("example-frank-differences")
    c = IndicatorMatrix(SHARE, SCORE, "binary", tnorm="godel").counts
    assert [c.tp - c.tn, c.fp - c.fn] == near(expected, tolerance)


@pytest.mark.parametrize(
    "name", ["cells-godel", "cells-lukasiewicz", "cells-completed-godel", "cells-completed-hamacher"]
)
def test_soft_cells(name):
    inputs, expected, tolerance = known(name)
    t = tnorms.hamacher(2) if inputs["tnorm"] == "hamacher" else tnorm_of(inputs["tnorm"])
    how = {"coupling": t} if "completed" in name else {"tnorm": t}
    assert list(IndicatorMatrix(inputs["y"], inputs["p"], "binary", **how).counts) == near(expected, tolerance)


def test_crisp_predictions_have_the_same_cells_with_every_t_norm():
    inputs, expected, tolerance = known("cells-crisp-agree")
    for name in inputs["tnorms"]:
        assert list(IndicatorMatrix(inputs["y"], inputs["p"], "binary", tnorm=name).counts) == near(expected, tolerance)


@pytest.mark.parametrize("name", ["edge-no-predicted", "edge-no-positives", "edge-all-wrong"])
def test_degenerate_tables(name):
    inputs, expected, tolerance = known(name)
    cells = Cells.of(inputs["tp"], inputs["fp"], inputs["fn"], inputs["tn"])
    assert len(expected) >= 8
    for measure, value in expected.items():
        assert float(evaluate(parse(measure), cells)) == near(value, tolerance), measure


def test_coefficients():
    _, expected, _ = known("coefficients-f2")
    assert parse("f2").measure.linear == (tuple(expected["numerator"]), tuple(expected["denominator"]))


@pytest.mark.parametrize(("name", "measure"), [("operators-f1", "f1"), ("operators-jaccard", "jaccard")])
def test_operators(name, measure):
    inputs, expected, tolerance = known(name)
    im = IndicatorMatrix(inputs["y_true"], inputs["y_pred"])
    for operator, value in expected.items():
        assert im.compute(measure, operator) == near(value, tolerance)


@pytest.mark.parametrize("operator", ["macro", "exemplar"])
def test_conventions(operator):
    inputs, expected, tolerance = known(f"conventions-{operator}-precision")
    im = IndicatorMatrix(inputs["y"], inputs["p"], "multilabel")
    for convention, value in expected.items():
        assert im.compute("precision", operator, convention) == near(value, tolerance)


def test_weights_and_masks():
    inputs, expected, tolerance = known("weights-soft-f1")
    im = IndicatorMatrix(inputs["y"], inputs["p"], "binary", tnorm="product", sample_weight=inputs["weights"])
    assert im.compute("f1") == near(expected, tolerance)
    for name, measure, how in (("mask-micro", "label_accuracy", {}), ("mask-soft", "f1", {"tnorm": "product"})):
        inputs, expected, tolerance = known(name)
        im = IndicatorMatrix(inputs["y"], inputs["p"], "multilabel", mask=inputs["mask"], **how)
        assert im.compute(measure) == near(expected, tolerance)


def test_threshold_accuracy_of_grades():
    inputs, expected, tolerance = known("ordinal-accuracy-mae")
    im = IndicatorMatrix(inputs["y"], inputs["p"], "ordinal", n_classes=inputs["n_classes"])
    assert im.compute("label_accuracy") == near(expected, tolerance)
    assert 1 - im.compute("mae") / 3 == near(expected, tolerance)


def test_costs():
    inputs, expected, tolerance = known("cost-hard")
    assert IndicatorMatrix(inputs["y_true"], inputs["y_pred"]).cost(inputs["cost"]) == near(expected, tolerance)
    inputs, expected, tolerance = known("cost-soft")
    im = IndicatorMatrix(inputs["y"], inputs["p"], coupling="independent")
    assert im.cost(inputs["cost"]) == near(expected, tolerance)


def test_measures_of_tables():
    for name, question in (("macro-gmean-ovr", "macro gmean"), ("micro-mcc", "micro mcc")):
        inputs, expected, tolerance = known(f"table-{name}")
        assert float(evaluate(parse(question), Table.of(inputs["table"]))) == near(expected, tolerance)
    inputs, expected, tolerance = known("cen-uniform-4")
    assert float(parse("cen")(Table.of(inputs["table"]))) == near(expected, tolerance)
    assert expected == pytest.approx(0.75 * math.log(8, 6))
    assert float(parse("cen")(Table.of(np.ones((5, 5)) - np.eye(5)))) == pytest.approx(1)
    assert float(parse("cen")(Table.of(np.eye(3)))) == 0


def test_means_of_precision_and_recall_over_some_classes():
    """Classes 0 and 2 have precision 1 and 1/2, recall 1/2 and 1; class 1 has 1/2 and 1/2."""
    y, p = [0, 1, 2, 1, 0], [0, 2, 2, 1, 1]
    assert IndicatorMatrix(y, p).compute("f1_of_means") == pytest.approx(2 / 3)
    assert IndicatorMatrix(y, p, subset=[0, 2]).compute("f1_of_means") == pytest.approx(3 / 4)


@pytest.mark.parametrize("name", ["error-nan", "error-range", "error-negative-weight"])
def test_invalid_input_is_refused(name):
    inputs, _, _ = known(name)
    y = [float(v) for v in inputs["y"]]
    with pytest.raises(InputError):
        IndicatorMatrix(y, [0.5] * len(y), "binary", tnorm="product", sample_weight=inputs.get("weights"))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("multiclass_balanced_accuracy", (5 / 8, 5 / 12, 3 / 4, np.nan)),
        ("multiclass_balanced_accuracy_adjusted", (1 / 4, 1 / 8, 5 / 8, np.nan)),
        ("recall_gmean", ((3 / 8) ** (1 / 2), 0.0, (3 / 8) ** (1 / 3), np.nan)),
        ("recall_gmean 0.1", ((3 / 8) ** (1 / 2), (3 / 80) ** (1 / 3), (3 / 8) ** (1 / 3), np.nan)),
    ],
)
def test_the_recall_of_an_absent_class_follows_the_convention(name, values):
    """Recalls 3/4 and 1/2, and a class that does not occur."""
    im = IndicatorMatrix.of(Table.of([[0, 0, 0], [1, 3, 0], [0, 1, 1]]))
    found = [im.compute(name, convention=convention) for convention in ("exclude", "zero", "one", "nan")]
    assert found == pytest.approx(values, nan_ok=True)
