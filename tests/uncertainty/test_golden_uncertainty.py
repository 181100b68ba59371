"""Values found without the package: see tests/golden/uncertainty.json."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from softtruth import IndicatorMatrix, Table, compare, imbens_manski, mcnemar, uncertainty_adjusted
from softtruth.uncertainty.imbens_manski import critical_value
from softtruth.uncertainty.interval import wilson

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "uncertainty.json").read_text())
VALUES = {value["name"]: value for value in GOLDEN["values"]}
VOTES = np.array(GOLDEN["example"]["votes_for"])
EXAMPLE = (VOTES / GOLDEN["example"]["of"], GOLDEN["example"]["score"])
ALIASES = {"mutual_information_nats": "mutual_information", "rk": "r_k"}


def of(topic, start=""):
    """Parametrize over the values of a topic whose name starts so."""
    names = [name for name, value in VALUES.items() if value["topic"] == topic and name.startswith(start)]
    assert names
    return pytest.mark.parametrize("name", names)


def near(name, pick=lambda expected: expected):
    value = VALUES[name]
    return pytest.approx(pick(value["expected"]), abs=value["tolerance"], rel=0)


def soft(y, p, task="binary", **settings):
    return IndicatorMatrix(y, p, task, coupling="independent", **settings)


# --- dependence -----------------------------------------------------------------------------------------------------


@of("dependence", "micro-")
def test_range_of_a_pooled_measure(name):
    given = VALUES[name]["inputs"]
    measure = name.removeprefix("micro-")
    found = soft(given["y"], given["p"]).bounds(ALIASES.get(measure, measure))
    assert [found.low, found.high] == near(name)
    assert found.method == "sharp"


def test_the_worked_example():
    found = soft(*EXAMPLE).bounds("f1")
    assert found.value == pytest.approx(0.5331486, abs=5e-8)
    assert [found.low, found.high] == near("example-f1")
    assert [found.low, found.high] == pytest.approx([0.40564, 0.75872], abs=5e-6)


def test_the_shared_mass_of_one_entry():
    given = VALUES["width"]["inputs"]
    widths = [soft([y], [p]).bounds("label_accuracy").width / 2 for y, p in zip(given["y"], given["p"], strict=True)]
    assert widths == near("width")


def test_a_degree_of_dependence():
    given = VALUES["mixture--0.5"]["inputs"]
    assert soft(given["y"], given["p"]).dependence_curve("f1", rhos=[given["rho"]])[0] == near("mixture--0.5")


def test_a_frank_coupling():
    given = VALUES["frank-coupled-f1"]["inputs"]

    def frank(a, b, s=given["s"]):
        return np.log1p((s**a - 1) * (s**b - 1) / (s - 1)) / np.log(s)

    im = IndicatorMatrix(given["y"], given["p"], "binary", coupling=frank)
    assert im.compute("f1") == near("frank-coupled-f1")
    assert im.bounds("f1").low == soft(given["y"], given["p"]).bounds("f1").low


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("multiclass-accuracy", "accuracy"),
        ("multiclass-rk", "r_k"),
        ("kappa-linear", "linear_weighted_kappa"),
        ("kappa-quadratic", "quadratic_weighted_kappa"),
    ],
)
def test_range_of_a_measure_of_all_classes(name, measure):
    given = VALUES[name]["inputs"]
    found = soft(given["y"], given["p"], "multiclass").bounds(measure)
    assert [found.low, found.high] == near(name)


def test_range_of_ordinal_macro_f1():
    given = VALUES["ordinal-macro-f1"]["inputs"]
    above = [np.clip(1 - np.cumsum(given[side], axis=1)[:, :-1], 0, 1) for side in ("y", "p")]
    found = soft(*above, "multilabel").bounds("f1", "macro")
    assert [found.low, found.high] == near("ordinal-macro-f1")


def test_range_of_the_difference_of_two_models():
    given = VALUES["model-difference"]["inputs"]
    found = compare(soft(given["y"], given["a"]), soft(given["y"], given["b"]), "f1").dependence
    assert [found.low, found.high] == near("model-difference")


# --- drawn truth ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("expected-f1-three", "f1"),
        ("expected-f1", "f1"),
        ("expected-f2", "f2"),
        ("expected-accuracy", "accuracy"),
        ("expected-mcc", "mcc"),
    ],
)
def test_mean_over_truths_of_a_crisp_prediction(name, measure):
    given = VALUES[name]["inputs"]
    found = IndicatorMatrix(given["y"], given["z"], "binary").distribution(measure)
    expected = VALUES[name]["expected"]
    expected = expected if isinstance(expected, dict) else {"value": expected, "p_undefined": 0.0}
    assert [found.mean, found.p_undefined] == pytest.approx([expected["value"], expected["p_undefined"]], abs=1e-13)
    assert found.method == "exact"


@pytest.mark.parametrize("convention", ["exclude", "zero", "one"])
def test_undefined_truths_follow_the_convention(convention):
    name = "expected-f1-no-predicted"
    given = VALUES[name]["inputs"]
    found = IndicatorMatrix(given["y"], given["z"], "binary").distribution("f1", convention=convention)
    assert found.mean == near(name, lambda expected: expected[convention])
    assert found.p_undefined == near(name, lambda expected: expected["p_undefined"])


@pytest.mark.parametrize(("name", "measure"), [("expected-soft-f1", "f1"), ("expected-soft-recall", "recall")])
def test_mean_over_truths_of_a_soft_prediction(name, measure):
    given = VALUES[name]["inputs"]
    found = soft(given["y"], given["p"]).distribution(measure)
    assert found.mean == near(name, lambda expected: expected["value"])
    assert found.p_undefined == near(name, lambda expected: expected["p_undefined"])


def test_drawn_truths_of_the_worked_example():
    hard = IndicatorMatrix(*EXAMPLE, "binary", threshold=VALUES["example-expected-f1-hard"]["inputs"]["threshold"])
    assert hard.distribution("f1").mean == near("example-expected-f1-hard")
    found = soft(*EXAMPLE).distribution("f1")
    assert {"mean": found.mean, "sd": found.sd} == near("example-expected-f1-soft")
    assert found.mean == pytest.approx(0.5328680, abs=5e-8)


def test_value_over_samples_of_distributions():
    given = VALUES["ua-top1"]["inputs"]
    assert uncertainty_adjusted(given["plausibilities"], given["predictions"]).mean == near("ua-top1")


# --- intervals ------------------------------------------------------------------------------------------------------


def counts_of(name):
    given = VALUES[name]["inputs"]
    tp, fp, fn, tn = (given[cell] for cell in ("tp", "fp", "fn", "tn"))
    return IndicatorMatrix.of(Table.of([[tn, fp], [fn, tp]], task="binary"))


@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "kappa", "log_dor"])
def test_standard_error_of_counts(measure):
    assert counts_of(f"se-{measure}").interval(measure).standard_error == near(f"se-{measure}")


def test_standard_error_of_macro_f1():
    im = IndicatorMatrix.of(Table.of(VALUES["se-macro-f1"]["inputs"]["table"]))
    assert im.interval("macro f1").standard_error == near("se-macro-f1")


@pytest.mark.parametrize(("name", "measure"), [("ci-f1-logit", "f1"), ("ci-mcc-fisher", "mcc")])
def test_interval_on_the_scale_of_the_measure(name, measure):
    found = counts_of(name).interval(measure)
    assert [found.low, found.high] == near(name)


@of("intervals", "wilson")
def test_wilson(name):
    found = wilson(**VALUES[name]["inputs"])
    assert [found.low, found.high] == near(name)


def test_standard_error_between_clusters():
    given = VALUES["soft-cluster"]["inputs"]
    found = soft(given["y"], given["p"], clusters=given["clusters"]).interval("f1")
    assert found.standard_error == near("soft-cluster")


@pytest.mark.parametrize("name", ["mcnemar-12-4", "mcnemar-0-0"])
def test_mcnemar(name):
    given = VALUES[name]["inputs"]
    found = mcnemar(given["b"], given["c"])
    assert {"exact": found.exact, "mid_p": found.mid_p} == near(name)


def test_mcnemar_chi_square():
    found = mcnemar(12, 4)
    assert {"plain": found.chi_square, "corrected": found.chi_square_corrected} == near("mcnemar-chi2")
    assert math.isnan(mcnemar(0, 0).chi_square)


def test_variance_of_the_bootstrap_of_accuracy():
    im = counts_of("bootstrap-variance-accuracy")
    assert im.interval("accuracy").standard_error ** 2 == near("bootstrap-variance-accuracy")
    drawn = im.interval("accuracy", method="percentile", draws=200_000).standard_error ** 2
    assert drawn == pytest.approx(VALUES["bootstrap-variance-accuracy"]["expected"], rel=0.015)


def test_imbens_manski():
    given = VALUES["imbens-manski"]["inputs"]
    found = imbens_manski(given["low"], given["high"], given["se"], level=given["level"])
    assert [found.low, found.high] == near("imbens-manski", lambda expected: expected["interval"])
    critical = critical_value((given["high"] - given["low"]) / given["se"], given["level"])
    assert critical == near("imbens-manski", lambda expected: expected["critical"])
