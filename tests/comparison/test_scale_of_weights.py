"""A factor of all weights changes nothing, and the sign of a rounding error is no lead."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softtruth import IndicatorMatrix, compare, compare_predictions, evaluate
from softtruth.cli import GATE, PASS, run
from softtruth.corrections.crossing import crossing_prior
from softtruth.render.arranged import which_is_better
from softtruth.report.findings import rare_classes, weighting
from softtruth.uncertainty.rounding import UNITS, apart, at_least, best_of

FACTORS = (0.1, 0.7, 3.0, 1e-3)
TASKS = ("binary", "multiclass", "ordinal", "multilabel")
# Labels, and two predictions that are right on four of eight.
EQUAL = tuple([int(label) for label in side] for side in ("00011101", "01111011", "00000110"))


def problem(task, seed, n=37):
    """Labels, three predictions and groups of some items."""
    rng = np.random.default_rng(seed)
    shape, k = ((n, 3), 2) if task == "multilabel" else ((n,), 2 if task == "binary" else 3)
    y = rng.integers(0, k, shape)
    y[:3] = np.arange(3).reshape(-1, *[1] * (y.ndim - 1)) % k
    models = {name: np.where(rng.random(shape) < 0.6, y, rng.integers(0, k, shape)) for name in "pqr"}
    return y, models, rng.integers(0, 2, n)


def told(report):
    """Everything that a comparison says, and who is ahead where."""
    parts = (report.verdicts, report.swaps, report.noise, report.groups, report.findings)
    said = [(f.code, f.severity, f.sentence) for part in parts for f in part]
    return said, [(row.question, row.group, row.verdict, row.ahead, row.items_needed) for row in report.rows]


# --- what is a difference -------------------------------------------------------------------------------------------


def test_rounding_is_no_difference_and_all_else_is():
    unit = np.finfo(float).eps
    assert apart(1.0 + UNITS / 2 * unit, 1.0) == 0
    assert apart(1.0 + 4 * UNITS * unit, 1.0) == 4 * UNITS * unit
    assert apart(1e9 * (1 + UNITS / 2 * unit), 1e9) == 0
    assert apart(1e-9, 0.0) == 1e-9
    assert np.isnan(apart([np.inf, np.nan], [np.inf, 1.0])).all()
    assert apart([np.inf, 1.0], [1.0, -np.inf]).tolist() == [np.inf, np.inf]


def test_a_million_rounded_weights_add_up_to_no_difference():
    rng = np.random.default_rng(0)
    n = 1_000_000
    y = rng.integers(0, 2, n)
    p, q = np.where(np.arange(n) % 4 == 0, 1 - y, y), np.where(np.arange(n) % 4 == 1, 1 - y, y)
    one, other = (IndicatorMatrix(y, each, "binary", sample_weight=np.full(n, 0.1)) for each in (p, q))
    assert compare(one, other).difference.value == 0


def test_a_bound_is_met_up_to_rounding():
    assert at_least(0.9 - 1, -0.1)
    assert at_least(np.inf, np.inf)
    assert not at_least(np.nan, 0.0)
    assert not at_least(-1e-12, 0.0)


def test_the_best_are_all_that_differ_by_rounding():
    assert best_of({"a": 0.3, "b": 0.1 + 0.2}, "higher") == best_of({"b": 0.1 + 0.2, "a": 0.3}, "lower")[::-1]
    assert best_of({"a": np.inf, "b": np.inf, "c": 1.0}, "higher") == ["a", "b"]


@given(st.sampled_from(TASKS), st.integers(0, 10_000), st.sampled_from(FACTORS))
@settings(max_examples=8, deadline=None)
def test_a_factor_of_all_weights_changes_no_word(task, seed, factor):
    y, models, groups = problem(task, seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    ones, scaled = (
        told(compare_predictions(y, models, task, groups=groups, sample_weight=weight * by)) for by in (1.0, factor)
    )
    assert ones == scaled


@pytest.mark.parametrize("factor", FACTORS)
def test_equal_values_are_equal_at_any_weight(factor):
    y, p, q = map(np.array, EQUAL)
    report = compare_predictions(
        y, {"p": p, "q": q}, "binary", groups=np.arange(8) % 2, sample_weight=np.full(8, factor), baseline="p"
    )
    assert (report.row("accuracy", "q", "p").gain, report.row("accuracy", "q", "p").ahead) == (0.0, "")
    assert report.verdicts[0].sentence.startswith("q and p are equal in accuracy on these items")
    assert {f.code for f in report.groups} <= {"groups_agree", "small_groups", "worst_group"}
    assert "If labels err evenly, accuracy: q and p are level against these labels." in [
        f.sentence for f in report.noise
    ]
    best = which_is_better(evaluate(y, {"p": p, "q": q}, "binary", sample_weight=[factor] * 8).to_dict())
    assert "accuracy: p and q. " in best


@pytest.mark.parametrize("bootstrap", ["percentile", "bca"])
def test_replicates_that_differ_by_rounding_are_equal(bootstrap):
    y, p, q = (np.tile(side, 5) for side in EQUAL)
    rows = [
        compare_predictions(
            y, {"p": p, "q": q}, "binary", sample_weight=np.full(40, by), interval=bootstrap, draws=200
        ).row("accuracy", "p", "q")
        for by in (1.0, 0.1)
    ]
    assert rows[0].p_value == rows[1].p_value


def test_equal_models_cross_nowhere_at_any_weight():
    y, p = map(np.array, EQUAL[:2])
    for factor in FACTORS:
        one, other = (IndicatorMatrix(y, p, "binary", sample_weight=np.arange(1, 9) * by) for by in (1.0, factor))
        assert crossing_prior(one, other, "g_mean").verdict == "everywhere"


@pytest.mark.parametrize("factor", [1.0, *FACTORS])
@pytest.mark.parametrize(("gate", "code"), [("accuracy=0", PASS), ("accuracy=0.001", GATE), ("f1=-0.26", GATE)])
def test_gates_are_the_same_at_any_weight(tmp_path, monkeypatch, factor, gate, code):
    monkeypatch.chdir(tmp_path)
    for name, side in zip(("gold", "p", "q"), EQUAL, strict=True):
        lines = [f"i{i},{label}" for i, label in enumerate(side)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,label", *lines, ""]))
    (tmp_path / "items.csv").write_text("\n".join(["item,w", *(f"i{i},{factor}" for i in range(8)), ""]))
    sides = ["--reference", "gold.csv", "--prediction", "p.csv", "--prediction", "q.csv", "--items", "items.csv"]
    assert run(["compare", *sides, "--weight", "w", "--baseline", "p", "--fail-under", gate, "-q"]) == code


def test_a_bound_that_is_met_up_to_rounding_is_met(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, side in zip(("gold", "p", "q"), ("a" * 9 + "b", "a" * 10, "a" * 9 + "b"), strict=True):
        lines = [f"i{i},{label}" for i, label in enumerate(side)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,label", *lines, ""]))
    sides = ["--reference", "gold.csv", "--prediction", "p.csv", "--prediction", "q.csv", "--baseline", "q"]
    assert 0.9 - 1 < -0.1 + 1e-16  # 0.9 - 1 is a little less than -0.1
    assert run(["compare", *sides, "--fail-under", "accuracy=-0.1", "-q"]) == PASS


# --- how many items -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e200, *FACTORS])
def test_classes_are_counted_in_items_of_equal_weight(factor):
    y = np.repeat(["a", "b", "c"], [30, 4, 6])
    weight = np.where(np.arange(40) % 2 == 0, 1.0, 3.0) * factor
    matrix = IndicatorMatrix(y, y, sample_weight=weight)
    (rare,), (weighted,) = rare_classes(matrix, range(3)), weighting(matrix)
    assert rare.numbers == pytest.approx({"b": 8**2 / 20, "c": 12**2 / 30})
    assert weighted.numbers == {"items": 40, "effective": pytest.approx(80**2 / 200)}


@pytest.mark.parametrize("task", ["binary", "multiclass", "ordinal", "multilabel"])
def test_ten_items_are_ten_at_any_weight(task):
    y = np.arange(20) % 2 if task != "multilabel" else np.tile([[0, 1], [1, 0]], (10, 1))
    for factor in (1.0, *FACTORS):
        assert rare_classes(IndicatorMatrix(y, y, task, sample_weight=np.full(20, factor)), range(2)) == []


def test_items_without_weight_are_none():
    y = np.repeat([0, 1], 20)
    (rare,) = rare_classes(IndicatorMatrix(y, y, "multiclass", sample_weight=np.arange(40) < 25), range(2))
    assert rare.numbers == {"1": 5.0}


def test_soft_classes_are_counted_by_their_shares():
    shares = np.array([[0.9, 0.1]] * 40)
    for weight in (None, np.full(40, 0.01)):
        matrix = IndicatorMatrix(shares, shares, "multiclass", coupling="independent", sample_weight=weight)
        (rare,) = rare_classes(matrix, range(2))
        assert rare.numbers == {"1": pytest.approx(4.0)}


def test_too_few_items_are_named_unless_they_are_clusters():
    y, p = np.arange(8) % 2, np.arange(8) // 4
    codes = [{f.code for f in evaluate(y, p, "binary", clusters=of).findings} for of in (None, np.arange(8))]
    assert ["few_items" in found for found in codes] == [True, False]
    assert ["few_clusters" in found for found in codes] == [False, True]
    (told,) = [f for f in compare_predictions(y, {"p": p, "q": y}, "binary").findings if f.code == "few_items"]
    assert told.sentence == "There are only 8 items: intervals and p-values of so few say little."
