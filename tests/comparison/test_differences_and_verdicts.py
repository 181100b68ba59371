"""The numbers of a comparison, against brute force: resampled pairs, counts by hand, and laws of the two sides."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from softtruth import IndicatorMatrix, InputError, NotAnswerableError, compare, compare_predictions, evaluate
from softtruth.evaluation.comparison.pairs import paired_differences
from softtruth.report.difference import COLUMNS
from softtruth.report.questions import questions_of
from softtruth.report.rows import Way
from softtruth.uncertainty.telling_apart import items_to_tell


def noisy(rng, y, k, right):
    return np.where(rng.random(len(y)) < right, y, (y + rng.integers(1, k, len(y))) % k)


@pytest.fixture(scope="module")
def three():
    """Labels of three classes, and two models that share some of their errors."""
    rng = np.random.default_rng(2)
    y = rng.choice(3, 600, p=[0.6, 0.3, 0.1])
    a = noisy(rng, y, 3, 0.75)
    return y, {"a": a, "b": np.where(rng.random(600) < 0.6, a, noisy(rng, y, 3, 0.85))}


def soft_problem(task, rng, n=120, k=3):
    """A soft reference and two predictions with probabilities, of any task."""
    if task in {"multiclass", "ordinal"}:
        y = rng.dirichlet(np.ones(k) * 0.5, n)
        p, q = (0.6 * y + 0.4 * rng.dirichlet(np.ones(k), n) for _ in range(2))
        return y, {"a": p, "b": q}
    shape = (n,) if task == "binary" else (n, k)
    y = rng.beta(0.5, 0.5, shape)
    return y, {name: 0.6 * y + 0.4 * rng.random(shape) for name in "ab"}


def hard_problem(task, rng, n=120, k=3):
    shape, classes = ((n, k), 2) if task == "multilabel" else ((n,), 2 if task == "binary" else k)
    y = rng.integers(0, classes, shape)
    return y, {name: np.where(rng.random(shape) < 0.7, y, rng.integers(0, classes, shape)) for name in "ab"}


TASKS = ("binary", "multiclass", "multilabel", "ordinal")


# --- differences ----------------------------------------------------------------------------------------------------


def test_intervals_are_those_of_resampled_pairs(three):
    y, models = three
    report = compare_predictions(y, models, "multiclass", measures=["accuracy", "macro f1", "r_k"])
    rng = np.random.default_rng(0)
    draws = {question: [] for question in report.headline}
    for _ in range(600):
        rows = rng.integers(0, len(y), len(y))
        matrices = [IndicatorMatrix(y[rows], models[name][rows], n_classes=3) for name in "ab"]
        for question, found in draws.items():
            found.append(np.subtract(*(matrix.compute(question) for matrix in matrices)))
    for question, found in draws.items():
        row = report.row(question, "a", "b")
        assert row.interval.standard_error == pytest.approx(np.std(found), rel=0.12)
        assert (row.interval.low + row.interval.high) / 2 == pytest.approx(row.interval.value)


def test_accuracy_is_a_difference_of_two_counts(three):
    y, models = three
    row = compare_predictions(y, models, "multiclass").row("accuracy", "b", "a")
    gains = (models["b"] == y).astype(float) - (models["a"] == y)
    assert row.interval.value == pytest.approx(gains.mean())
    reach = 1.959963985 * gains.std() / math.sqrt(len(y))
    assert (row.interval.low, row.interval.high) == pytest.approx((gains.mean() - reach, gains.mean() + reach))
    assert row.values == ((models["b"] == y).mean(), (models["a"] == y).mean())


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_verdicts_in_every_view(task, soft):
    y, models = (soft_problem if soft else hard_problem)(task, np.random.default_rng(5))
    report = compare_predictions(y, models, task)
    views = ["majority", "soft", "soft_decision"] if soft else ["reference"]
    assert [view.name for view in report.views] == views
    for question in report.headline:
        for view in views:
            row = report.row(question, "a", "b", view)
            assert row.interval.low < row.interval.value < row.interval.high
            assert row.verdict in {"first", "second", "undecided"}
    assert len([v for v in report.verdicts if v.code == "verdict"]) == len(report.headline)


@pytest.mark.parametrize("task", TASKS)
def test_they_are_those_of_compare(task):
    y, models = soft_problem(task, np.random.default_rng(6))
    report = compare_predictions(y, models, task)
    matrices = [IndicatorMatrix(y, models[name], task, coupling="independent") for name in "ab"]
    for question in report.headline:
        row, alone = report.row(question, "a", "b", "soft"), compare(*matrices, question)
        assert (row.interval, row.p_value, row.values) == (alone.difference, alone.p_value, alone.values)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("task", TASKS)
def test_the_other_order_negates(task, soft):
    y, models = (soft_problem if soft else hard_problem)(task, np.random.default_rng(9), n=40)
    one = compare_predictions(y, models, task)
    other = compare_predictions(y, dict(reversed(models.items())), task)
    assert len(one.rows) == len(other.rows)
    for row in one.rows:
        back = other.row(row.question, row.second, row.first, row.view)
        assert back.interval.value == -row.interval.value
        ends = [-back.interval.high, -back.interval.low]
        assert ends == pytest.approx([row.interval.low, row.interval.high], nan_ok=True)
        assert back.p_value == pytest.approx(row.p_value, nan_ok=True)
        assert (back.ahead, back.beyond_chance, back.items_needed) == (row.ahead, row.beyond_chance, row.items_needed)
        turned = one.row(row.question, row.second, row.first, row.view)
        assert (turned.gain, *turned.gain_ends) == pytest.approx((back.gain, *back.gain_ends), nan_ok=True)
        assert turned.verdict == back.verdict


def test_few_clusters_are_said_as_in_a_report():
    rng = np.random.default_rng(5)
    y, models = rng.integers(0, 2, 200), {name: rng.integers(0, 2, 200) for name in "ab"}
    pages, doctors = np.arange(200), np.arange(200) % 5
    warning = "There are only 5 clusters: intervals between so few come out too narrow."
    for clusters, expected in ((np.column_stack([pages, doctors]), [warning]), (doctors, [warning]), (pages, [])):
        for ask in (compare_predictions, evaluate):
            report = ask(y, models, "binary", clusters=clusters)
            assert [f.sentence for f in report.findings if f.code == "few_clusters"] == expected


def test_clusters_widen_what_moves_together():
    rng = np.random.default_rng(3)
    of = np.repeat(np.arange(80), 5)
    y = rng.integers(0, 2, 400)
    right = (rng.random(80) < 0.8)[of]
    models = {"a": np.where(right, y, 1 - y), "b": noisy(rng, y, 2, 0.7)}
    plain = compare_predictions(y, models, "binary").row("accuracy", "a", "b").interval
    grouped = compare_predictions(y, models, "binary", clusters=of).row("accuracy", "a", "b").interval
    gains = (models["a"] == y).astype(float) - (models["b"] == y)
    within = np.bincount(of, gains - gains.mean())
    assert grouped.standard_error == pytest.approx(math.sqrt((within**2).sum() * 80 / 79) / 400)
    assert grouped.width > 1.3 * plain.width


def test_bootstrap_intervals_are_close_to_linearised_ones(three):
    y, models = three
    plain = compare_predictions(y, models, "multiclass")
    drawn = compare_predictions(y, models, "multiclass", interval="percentile", draws=1500)
    for question in plain.headline:
        one, other = (report.row(question, "a", "b").interval for report in (plain, drawn))
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.15 * one.width)
    assert drawn.settings["interval"] == "percentile, 1500 draws, seed 0"


# --- verdicts -------------------------------------------------------------------------------------------------------


def test_identical_predictions_are_the_same():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 100)
    a = noisy(rng, y, 3, 0.8)
    report = compare_predictions(y, {"one": a, "copy": a.copy()}, "multiclass")
    assert {row.verdict for row in report.rows} == {"same"}
    assert {row.gain_ends for row in report.rows} == {(0.0, 0.0)}
    assert report.verdicts[0].sentence == "one and copy give the same answers, so that they are equal in accuracy."
    assert report.swaps == ()
    assert report.noise == ()


def test_a_verdict_needs_the_interval_and_the_corrected_p_value():
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 500)
    a = noisy(rng, y, 2, 0.78)
    b = np.where(rng.random(500) < 0.7, a, noisy(rng, y, 2, 0.92))
    two = compare_predictions(y, {"a": a, "b": b}, "binary", measures="accuracy")
    others = {f"c{i}": np.where(rng.random(500) < 0.97, a, 1 - a) for i in range(2)}
    four = compare_predictions(y, {"a": a, "b": b} | others, "binary", measures="accuracy")
    alone, among = two.row("accuracy", "b", "a"), four.row("accuracy", "b", "a")
    assert among.interval == alone.interval
    p = sorted(row.p_value for row in four.rows if row.question == "accuracy")
    steps = np.minimum(np.maximum.accumulate(np.array(p) * np.arange(6, 0, -1)), 1)
    assert sorted(row.p_adjusted for row in four.rows if row.question == "accuracy") == pytest.approx(steps.tolist())
    for row in four.rows:
        beyond = not row.interval.low <= 0 <= row.interval.high
        assert row.beyond_chance == (beyond and row.p_adjusted <= 0.05)
    leader = next(v for v in four.verdicts if v.code == "leader")
    assert leader.numbers["leader"] == "b"
    assert set(leader.numbers["better_than"]) | set(leader.numbers["not_told_from"]) == {"a", "c0", "c1"}


def test_many_are_compared_with_the_first_or_with_the_baseline():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    models = {name: noisy(rng, y, 2, 0.7 + 0.05 * i) for i, name in enumerate("abcde")}
    report = compare_predictions(y, models, "binary")
    assert report.baseline == "a"
    assert {(row.first, row.second) for row in report.rows} == {(name, "a") for name in "bcde"}
    report = compare_predictions(y, models, "binary", baseline="c")
    assert {(row.first, row.second) for row in report.rows} == {(name, "c") for name in "abde"}
    told = next(v for v in report.verdicts if v.code == "against_baseline").numbers
    assert sorted(told["better"] + told["worse"] + told["not_told_from"]) == list("abde")


def test_undefined_and_unranked_values_are_said():
    y, a, b = [0] * 20, [0] * 20, [0] * 19 + [1]
    report = compare_predictions(y, {"a": a, "b": b}, "binary", measures=["recall", "prevalence"], labels=[0, 1])
    assert report.row("recall", "a", "b").verdict == "undefined"
    assert "cannot be compared in recall: the value of one of the two is undefined." in report.verdicts[0].sentence
    assert report.row("prevalence", "a", "b").verdict in {"same", "unranked"}


def test_less_is_better_where_errors_are_counted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    models = {"far": (y + 2) % 4, "near": np.clip(y + (rng.random(300) < 0.3), 0, 3)}
    report = compare_predictions(y, models, "ordinal", measures="mean_absolute_error")
    row = report.row("mean_absolute_error", "near", "far")
    assert row.interval.value < 0 < row.gain
    assert (row.verdict, row.ahead) == ("first", "near")
    assert row.gain_ends == (-row.interval.high, -row.interval.low)
    assert report.verdicts[0].sentence.startswith("near is better than far in mean_absolute_error by ")
    assert "(less is better)" in report.verdicts[0].sentence


def test_a_prediction_without_probabilities_is_compared_by_its_decisions():
    rng = np.random.default_rng(0)
    y, models = soft_problem("binary", rng)
    models["labels"] = (models["b"] > 0.5).astype(int)
    report = compare_predictions(y, models, "binary")
    assert {(r.first, r.second) for r in report.rows if r.view == "soft"} == {("a", "b")}
    assert report.row("accuracy", "b", "labels", "soft_decision").verdict == "same"
    told = [f.sentence for f in report.findings if f.code == "not_asked"]
    assert any(
        s.startswith("Soft reference: one has only decisions, the other probabilities (a and labels") for s in told
    )
    assert any(s.startswith("Probabilities of labels: there are only decisions") for s in told)


def test_whole_rows_are_compared():
    rng = np.random.default_rng(4)
    y, models = hard_problem("multilabel", rng)
    report = compare_predictions(y, models, "multilabel", measures="subset_accuracy")
    gains = (models["a"] == y).all(axis=1).astype(float) - (models["b"] == y).all(axis=1)
    row = report.row("subset_accuracy", "a", "b")
    assert row.interval.value == pytest.approx(gains.mean())
    assert row.interval.standard_error == pytest.approx(gains.std() / math.sqrt(len(y)))


def test_few_items_that_tell_are_warned_of():
    y = [0, 1] * 50
    a, b = list(y), list(y)
    b[:4] = [1 - v for v in b[:4]]
    report = compare_predictions(y, {"a": a, "b": b}, "binary", measures="accuracy")
    finding = next(f for f in report.findings if f.code == "mcnemar")
    assert (finding.severity, finding.numbers["only"]) == ("warning", {"a": 4, "b": 0})
    assert finding.numbers["exact"] == 0.125
    assert "rests on these 4 items" in finding.sentence


# --- how many items -------------------------------------------------------------------------------------------------


def test_the_number_of_items_has_the_power_that_it_says():
    rng = np.random.default_rng(7)
    n = 400
    kinds = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])  # right or not: of a and of b
    shares = [0.7, 0.12, 0.08, 0.1]
    counts = (np.array(shares) * n).astype(int)
    right = np.repeat(kinds, counts, axis=0)
    y = np.zeros(n, int)
    pilot = compare_predictions(y, {"a": 1 - right[:, 0], "b": 1 - right[:, 1]}, "binary", measures="label_accuracy")
    needed = pilot.rows[0].items_needed
    assert needed == pytest.approx(
        400 * ((1.95996 + 0.84162) * pilot.rows[0].interval.standard_error / 0.04) ** 2, abs=1
    )
    found = 0
    for _ in range(1500):
        drawn = rng.multinomial(needed, shares)
        d, m = (drawn[1] - drawn[2]) / needed, (drawn[1] + drawn[2]) / needed
        found += d > 1.95996 * math.sqrt((m - d * d) / needed)
    assert found / 1500 == pytest.approx(0.8, abs=0.035)


def test_no_number_of_items_shows_nothing(three):
    y, models = three
    row = compare_predictions(y, models, "multiclass").row("accuracy", "a", "b")
    with pytest.raises(InputError, match="power is 1, expected a share between 0 and 1"):
        items_to_tell(row.interval, 600, power=1)
    with pytest.raises(InputError, match="comparisons is 0"):
        items_to_tell(row.interval, 600, comparisons=0)
    same = compare_predictions(y, {"a": models["a"], "b": models["a"]}, "multiclass").rows[0]
    with pytest.raises(NotAnswerableError, match="no number of items would show it"):
        items_to_tell(same.interval, 600)
    assert items_to_tell(row.interval, 600, comparisons=3) > items_to_tell(row.interval, 600)


# --- the report -----------------------------------------------------------------------------------------------------


def test_frames_have_one_row_for_each_difference(three):
    y, models = three
    report = compare_predictions(y, models, "multiclass", groups=np.arange(600) % 2)
    for backend in ("pandas", "polars", "pyarrow"):
        frame = report.to_frame(backend)
        assert tuple(frame.column_names if backend == "pyarrow" else frame.columns) == COLUMNS
        assert len(frame) == len(report.rows)
    assert report.to_frame().difference[0] == report.rows[0].interval.value


def test_frames_are_of_the_library_of_the_data(three):
    y, models = three
    frame = pl.DataFrame({"y": y, **models})
    for reference, predictions in ((frame["y"], models), (y, {name: frame[name] for name in "ab"})):
        for ask in (compare_predictions, evaluate):
            report = ask(reference, predictions, "multiclass")
            assert isinstance(report.to_frame(), pl.DataFrame)
            assert isinstance(report.to_frame("pandas"), pd.DataFrame)


def test_rows_that_are_not_there_are_named(three):
    y, models = three
    report = compare_predictions(y, models, "multiclass")
    with pytest.raises(InputError, match="the comparison has no 'macro f9' of 'a' and 'b'"):
        report.row("macro f9", "a", "b")
    assert repr(report) == f"ComparisonReport('Comparison of a, b': {len(report.rows)} rows, 2 verdicts)"
    assert str(report).startswith("Comparison of a, b\n")
    assert report._repr_html_().startswith('<iframe title="Comparison of a, b"')


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"predictions": {"a": [0, 1, 1]}}, r"there is only one prediction \('a'\)"),
        ({"predictions": {}}, "there are no predictions"),
        ({"predictions": {1: [0, 1], 2: [1, 1]}}, "predictions have the names 1, 2, expected text"),
        ({"baseline": "z"}, "the baseline 'z' is no prediction; expected one of"),
        ({"groups": [1, 2]}, r"groups have shape \(2,\), expected one for each of 3 items"),
        ({"reference_accuracy": 1.5}, "reference_accuracy"),
        ({"predictions": {"a": [0, 1, 1], "b": [0, 1]}}, "prediction"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    given = {"predictions": {"a": [0, 1, 1], "b": [0, 0, 1]}, **given}
    with pytest.raises(InputError, match=message):
        compare_predictions([0, 1, 0], task="binary", **given)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300])
def test_false_verdicts_are_as_rare_as_the_level_says(n):
    rng = np.random.default_rng(0)
    false, samples = {"accuracy": 0, "macro f1": 0}, 800
    for _ in range(samples):
        y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
        base = noisy(rng, y, 3, 0.75)
        models = {name: np.where(rng.random(n) < 0.5, base, noisy(rng, y, 3, 0.75)) for name in "abc"}
        matrices = {name: IndicatorMatrix(y, model, n_classes=3) for name, model in models.items()}
        for question in false:
            told = paired_differences(questions_of("multiclass", question, None)[0], matrices, Way())
            false[question] += any(pair.p_adjusted <= 0.05 for pair in told.values())
    for count in false.values():
        assert 0.025 < count / samples < 0.07  # Monte Carlo error 0.0077
