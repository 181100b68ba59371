"""Small cases after questions that users of other libraries asked: tests/golden/cases.json."""

import json
from pathlib import Path

import numpy as np
import pytest

from softtruth import Cells, IndicatorMatrix, InputError, Table, parse

CASES = {c["id"]: c for c in json.loads((Path(__file__).parents[1] / "golden" / "cases.json").read_text())["cases"]}
CONVENTIONS = ("exclude", "zero", "one", "nan")


def inputs(case):
    return CASES[case]["inputs"]


def same(case, found, name=None):
    expected = CASES[case]["expected"]
    expected = expected if name is None else expected["by"][name]
    assert found == pytest.approx(float(expected["float"]), abs=expected.get("tol", 0), nan_ok=True), name


def hard(case, **more):
    given = inputs(case)
    return IndicatorMatrix(given["y_true"], given["y_pred"], n_classes=given.get("n_classes"), **more)


def test_absent_classes_do_not_move_the_average():
    for convention in CONVENTIONS:
        same("A1", hard("A1").compute("macro f1", convention=convention), convention)
    given = inputs("A1")
    many = {IndicatorMatrix(given["y_true"], given["y_pred"], n_classes=k).compute("macro f1") for k in (3, 6, 40)}
    assert len(many) == 1


def test_a_class_that_is_only_predicted():
    for convention in CONVENTIONS:
        same("B1", hard("B1").compute("multiclass_balanced_accuracy", convention=convention), convention)
        same("B1", hard("B1").compute("macro recall", convention=convention), convention)


def test_zero_is_not_undefined():
    given = inputs("C1")
    im = IndicatorMatrix(given["y_true"], given["y_pred"], "binary")
    for convention in CONVENTIONS:
        same("C1", im.compute("f1", convention=convention), convention)
    same("C2", hard("C2").compute("macro f1", convention="one"))


def test_constant_sides_have_no_correlation():
    for name, given in inputs("D1").items():
        im = IndicatorMatrix(given["y_true"], given["y_pred"], "binary")
        for convention in CONVENTIONS:
            same("D1", im.compute("mcc", convention=convention), f"{name}/{convention}")


def test_large_and_unequal_counts():
    given = inputs("E1")
    four = [given[name] for name in ("tp", "fp", "fn", "tn")]
    same("E1", float(parse("mcc").measure(Cells.of(*four))[0]))
    same("E1", float(parse("mcc").measure(Cells.of(*np.array(four, np.int32)))[0]))
    table = inputs("E3")["confusion"]
    for kind in (np.float64, np.float32):
        same("E3", float(parse("r_k")(Table.of(np.array(table, kind)))))


def test_kappa_undefined_and_large():
    given = inputs("F1")
    one = given["single_class"]
    im = IndicatorMatrix(one["y_true"], one["y_pred"], n_classes=one["n_classes"], task="multiclass")
    for convention in CONVENTIONS:
        same("F1", im.compute("cohen_kappa", convention=convention), f"single_class/{convention}")
    same("F1", float(parse("cohen_kappa")(Table.of(given["large_counts"]["confusion"]))), "large_counts")


def test_distances_are_between_grades_used_or_not():
    given = inputs("F2")
    im = IndicatorMatrix(given["y_true"], given["y_pred"], "ordinal", n_classes=len(given["scale"]))
    same("F2", im.compute("linear_weighted_kappa"), "linear")
    same("F2", im.compute("quadratic_weighted_kappa"), "quadratic")


def test_ignored_values_and_classes():
    given = inputs("G1")
    im = hard("G1", ignore=given["ignored_class"])
    same("G1", im.compute("macro recall"), "macro_recall")
    same("G1", im.compute("macro precision"), "macro_precision")
    im = hard("G2", ignore=inputs("G2")["ignore"])
    for name in ("macro_precision", "macro_recall", "accuracy"):
        same("G2", im.compute(name.replace("_", " ")), name)


def test_logits_are_declared_and_batches_do_not_matter():
    batches = inputs("H1")["batches"]
    y = [v for b in batches for v in b["y_true"]]
    z = [v for b in batches for v in b["logits"]]
    same("H1", IndicatorMatrix(y, z, "binary", prediction_kind="logits").compute("label_accuracy"))
    parts = [IndicatorMatrix(b["y_true"], b["logits"], "binary", prediction_kind="logits").cells for b in batches]
    same("H1", IndicatorMatrix.of(parts[0] + parts[1]).compute("label_accuracy"))


def test_weights():
    given = inputs("J1")["weighted"]
    im = IndicatorMatrix(given["y_true"], given["y_pred"], "binary", sample_weight=given["sample_weight"])
    same("J1", im.compute("precision"), "precision")
    same("J1", im.compute("recall"), "recall")
    given = inputs("J1")["repeated"]
    im = IndicatorMatrix(given["y_true"], given["y_pred"], "binary", sample_weight=given["sample_weight"])
    y, p = (np.repeat(given[side], given["sample_weight"]) for side in ("y_true", "y_pred"))
    same("J1", im.compute("mcc"), "mcc_repeated")
    same("J1", IndicatorMatrix(y, p, "binary").compute("mcc"), "mcc_repeated")


def test_three_things_called_accuracy():
    im = hard("K1", task="multilabel")
    same("K1", im.subset_accuracy(), "exact_match")
    same("K1", im.compute("label_accuracy"), "label_accuracy_micro")
    same("K1", im.compute("exemplar jaccard"), "jaccard_exemplar")


def test_rows_without_labels():
    for convention in CONVENTIONS:
        same("L1", hard("L1", task="multilabel").compute("exemplar f1", convention=convention), convention)


def test_subsets():
    for name, subset in (("0,1", [0, 1]), ("1,3", [1, 3]), ("all", None)):
        same("M1", hard("M1", task="multilabel", subset=subset).compute("macro f1"), name)


def test_micro_averages_are_accuracy():
    for name in ("precision", "recall", "f1", "accuracy"):
        same("N1", hard("N1").compute(name), name)
    same("N1", hard("N1").compute("label_accuracy"), "label_accuracy_micro")


def test_soft_cells():
    given = inputs("Q1")
    im = IndicatorMatrix(given["y_true"], given["y_pred"], "binary", tnorm="product")
    for name, value in im.counts._asdict().items():
        same("Q1", value, name)
    for name in ("precision", "recall", "f1", "jaccard"):
        same("Q1", im.compute(name), name)
    for t in ("product", "godel", "lukasiewicz", "drastic", "nilpotent_minimum"):
        im = IndicatorMatrix(inputs("Q4")["y_true"], inputs("Q4")["y_pred"], "binary", tnorm=t)
        same("Q4", im.compute("f1"), "f1")
        same("Q4", im.compute("jaccard"), "jaccard")
    im = IndicatorMatrix(inputs("Q5")["y_true"], inputs("Q5")["y_pred"], tnorm="product")
    for name in ("accuracy", "macro_f1", "micro_f1"):
        same("Q5", im.compute(name.replace("_", " ")), name)


def test_empty_soft_sides():
    im = IndicatorMatrix(inputs("R1")["y_true"], inputs("R1")["y_pred"], "binary", tnorm="product")
    for convention in CONVENTIONS:
        same("R1", im.compute("dice", convention=convention), f"dice/{convention}")
    same("R1", im.compute("label_accuracy"), "label_accuracy")


def test_the_mean_over_classes_of_one_against_the_rest():
    same("V1", hard("V1").compute("macro gmean"))


def test_a_row_without_preference():
    im = IndicatorMatrix(inputs("W1")["y_true"], inputs("W1")["scores"], "multiclass", prediction_kind="scores")
    same("W1", im.compute("accuracy"), "first_index")
    assert im.tied_predictions == 1


def test_eight_bit_labels():
    given = inputs("X1")
    y, p = (np.array(given[side], given["dtype"]) for side in ("y_true", "y_pred"))
    im = IndicatorMatrix(y, p, n_classes=given["n_classes"])
    same("X1", im.compute("accuracy"), "accuracy")
    assert np.argwhere(im.table.masses).tolist() == CASES["X1"]["expected"]["nonzero_cells"]


def test_names_and_their_order_do_not_matter():
    given = inputs("Y1")
    for labels in (None, ["C", "A", "B"]):
        im = IndicatorMatrix(given["y_true"], given["y_pred"], labels=labels)
        for name, measure in (("kappa", "cohen_kappa"), ("rk", "r_k"), ("accuracy", "accuracy")):
            same("Y1", im.compute(measure), name)


def test_invalid_input():
    with pytest.raises(InputError, match=r"reference row 0 sums to 0\.9"):
        IndicatorMatrix(inputs("Z1")["y_true"], inputs("Z1")["y_pred"], "multiclass")
    for weights in ([], [1], [1, 1, 1]):
        with pytest.raises(InputError, match=rf"sample_weight has {len(weights)} values .* 2 rows"):
            IndicatorMatrix(inputs("Z3")["y_true"], inputs("Z3")["y_pred"], "binary", sample_weight=weights)


def test_likelihood_ratios_without_false_alarms():
    given = inputs("AA1")
    cells = Cells.of(given["tp"], given["fp"], given["fn"], given["tn"])
    for name in ("lr_plus", "lr_minus"):
        same("AA1", float(parse(name).measure(cells)[0]), name)


def test_no_rows():
    im = hard("AC1")
    for convention in CONVENTIONS:
        same("AC1", im.compute("accuracy", convention=convention), f"accuracy/{convention}")
    assert im.table.masses.tolist() == CASES["AC1"]["expected"]["table"]


def test_padded_shards():
    shards = [
        IndicatorMatrix(s["y_true"], s["y_pred"], "binary", sample_weight=s["sample_weight"]).cells
        for s in inputs("AC3")["shards"]
    ]
    same("AC3", IndicatorMatrix.of(shards[0] + shards[1]).compute("label_accuracy"))


def test_one_column_is_no_matrix():
    same("AD1", IndicatorMatrix(inputs("AD1")["y_true"], inputs("AD1")["y_pred"], "binary").compute("label_accuracy"))


def test_grades_are_thresholds():
    im = hard("AG1", task="ordinal")
    same("AG1", im.compute("macro f1"), "macro_f1")
    same("AG1", im.compute("micro f1"), "micro_f1")
    same("AG1", im.compute("error_rate"), "entry_error")
    same("AG1", im.compute("mae") / 3, "mae_over_3")


def test_every_case_is_asked():
    text = Path(__file__).read_text()
    assert all(f'"{case}"' in text for case in CASES)
