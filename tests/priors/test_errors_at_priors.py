"""How examples pull values at another prior and estimated priors: against what happens when an example counts more."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    NotAnswerableError,
    Table,
    estimate_prior,
    prior_curve,
    under_prior,
)
from softtruth.conventions import Convention
from softtruth.corrections.likelihood import expectation_maximisation
from softtruth.corrections.prior_error import example_pulls_at, slopes_at
from softtruth.corrections.priors import Source
from softtruth.corrections.shift import shifted
from softtruth.corrections.target import Transfer
from softtruth.corrections.target_prior import PriorEstimate
from softtruth.measures import list_measures, macro, micro, parse, weighted

GOLDEN = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "golden/priors.json").read_text())["values"]}
QUESTIONS = [
    o(m) for m in list_measures() if m.takes_operator and np.isfinite(m.range).all() for o in (micro, macro, weighted)
]
QUESTIONS += [m for m in list_measures() if not m.takes_operator]
STEP = 1e-5


def sides(task, seed=0, n=40, k=3):
    """Return a soft reference and a soft prediction that have to do with each other."""
    rng = np.random.default_rng(seed)
    if task == "multiclass":
        y = rng.dirichlet(np.full(k, 0.4), n)
        p = 0.5 * y + 0.5 * rng.dirichlet(np.ones(k), n)
    else:
        y = rng.beta(0.5, 0.5, (n, 1 if task == "binary" else k))
        p = 0.5 * y + 0.5 * rng.random(y.shape)
    return (y[:, 0], p[:, 0]) if task == "binary" else (y, p)


def problem(task, *, hard=False, seed=0, n=40, **more):
    y, p = sides(task, seed, n)
    if hard:
        y = y.argmax(1) if task == "multiclass" else (y > 0.5).astype(int)
    return IndicatorMatrix(y, p, task, coupling="independent", **more)


PRIOR = {"binary": np.array([0.15]), "multiclass": np.array([0.7, 0.2, 0.1]), "multilabel": np.array([0.1, 0.3, 0.8])}


@pytest.mark.parametrize("task", PRIOR)
@pytest.mark.parametrize("seed", [0, 1])
def test_pulls_are_what_an_example_moves(task, seed):
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 40)
    source = Source.of(problem(task, seed=seed, sample_weight=weight))
    shift = shifted(source, PRIOR[task])
    for question in QUESTIONS:
        try:
            value = float(shift.values(question))
        except NotAnswerableError:
            continue
        if np.isnan(value) or str(question) == "lambda" or "optimized_precision" in str(question):  # these have corners
            continue
        own, by_prior = slopes_at(question, shift, Convention.EXCLUDE)
        pulls = example_pulls_at(own, source)
        assert pulls.shape == (40,)
        for i in (0, 7):
            ends = []
            for step in (STEP, -STEP):
                heavier = weight.copy()
                heavier[i] *= 1 + step
                moved = replace(source, statistic=replace(source.statistic, weight=heavier))
                ends.append(float(shifted(moved, PRIOR[task]).values(question)))
            assert pulls[i] == pytest.approx((ends[0] - ends[1]) / (2 * STEP), abs=1e-7), str(question)
        direction = np.zeros(PRIOR[task].size)
        direction[:2] = [1, -1] if task == "multiclass" else 1
        ends = [float(shifted(source, PRIOR[task] + step * direction).values(question)) for step in (STEP, -STEP)]
        assert by_prior @ direction == pytest.approx((ends[0] - ends[1]) / (2 * STEP), abs=1e-6), str(question)


METHODS = [("bbse_hard", False), ("bbse_soft", False), ("mlls", False), ("mlls", True)]


@pytest.mark.parametrize("task", PRIOR)
@pytest.mark.parametrize(("method", "calibrate"), METHODS)
def test_pulls_of_estimated_priors_are_what_an_example_moves(task, method, calibrate):
    weight = np.random.default_rng(5).uniform(0.5, 2.0, 150)
    mask = None if task != "multilabel" else np.random.default_rng(6).random((150, 3)) < 0.9
    target = sides(task, 12, 60)[1]
    im = problem(task, n=150, sample_weight=weight, mask=mask)
    estimate = estimate_prior(im, target, method=method, calibrate=calibrate)
    assert not estimate.solution.on_edge.any()
    directions = np.eye(estimate.values.size)

    def again(w, rows):
        other = problem(task, n=150, sample_weight=w, mask=mask)
        return estimate_prior(other, target[rows], method=method, calibrate=calibrate).values

    pulls = estimate.solution.source_pulls(directions)
    rows = np.arange(60)
    for i in (3, 11):
        ends = []
        for step in (1e-4, -1e-4):
            heavier = weight.copy()
            heavier[i] *= 1 + step
            ends.append(again(heavier, rows))
        assert pulls[i] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=2e-5)
    target_pulls = estimate.solution.target_pulls(directions)
    for j in (2, 30):  # the example many times over, seen from a target that is large already
        many = np.concatenate([np.tile(rows, 400), [j]])
        moved = (again(weight, many) - estimate.values) * 60 * 400 / 60
        assert target_pulls[j] == pytest.approx(moved, abs=0.02 * abs(target_pulls).max() + 1e-9)


# --- known values ---------------------------------------------------------------------------------------------------


def test_bbse_of_known_rates():
    case = GOLDEN["bbse-hard"]
    target = [0] * 408 + [1] * 242  # the rates of the case
    estimate = estimate_prior(Table.of(case["inputs"]["source_table"]), target)
    assert estimate.prior == pytest.approx(case["expected"]["prior"], abs=case["tolerance"])
    assert estimate.weights == pytest.approx(case["expected"]["weights"], abs=case["tolerance"])
    case = GOLDEN["bbse-soft"]
    y = np.argmax(case["inputs"]["y_source"], axis=1)
    im = IndicatorMatrix(y, case["inputs"]["p_source"], "multiclass", coupling="independent")
    estimate = estimate_prior(im, [case["inputs"]["target_mean"]], method="bbse_soft")
    assert estimate.prior == pytest.approx(case["expected"], abs=case["tolerance"])


def test_adjusted_count_with_its_standard_error():
    case = GOLDEN["acc-se"]
    source = Table.of([[240, 60], [60, 240]], task="binary")
    for problem_ in (source, Cells.of(240, 60, 60, 240)):
        estimate = estimate_prior(problem_, [1] * 190 + [0] * 310, method="adjusted_count")
        assert estimate.prior == pytest.approx(case["expected"]["prior"], abs=1e-12)
        assert estimate.standard_error == pytest.approx(case["expected"]["se"], abs=1e-12)


def test_standard_errors_of_bbse_follow_the_delta_method():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 400)
    p = np.where(rng.random(400) < 0.7, y, rng.integers(0, 3, 400))
    target = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    estimate = estimate_prior(IndicatorMatrix(y, p), target)
    sizes = np.bincount(y)
    rates = np.array([np.bincount(p[y == k], minlength=3) / sizes[k] for k in range(3)])
    mu = np.bincount(target, minlength=3) / 300
    spread = (np.diag(mu) - np.outer(mu, mu)) / 300
    for k, q in enumerate(estimate.prior):
        spread += q**2 * (np.diag(rates[k]) - np.outer(rates[k], rates[k])) / sizes[k]
    inverse = np.linalg.inv(rates)
    np.testing.assert_allclose(estimate.covariance, inverse.T @ spread @ inverse, rtol=1e-10)
    np.testing.assert_allclose(estimate.standard_error, np.sqrt(np.diag(estimate.covariance)), rtol=1e-10)
    of_table = estimate_prior(Table.of(IndicatorMatrix(y, p).table.masses), target)
    np.testing.assert_allclose(of_table.covariance, estimate.covariance, rtol=1e-10)


@pytest.mark.parametrize(("name", "steps"), [("mlls-two-steps", 2), ("mlls-fixed-point", 10_000)])
def test_steps_of_expectation_maximisation(name, steps):
    case = GOLDEN[name]
    p = np.array(case["inputs"]["posteriors"])
    own = case["inputs"]["source_prior"]
    found, taken = expectation_maximisation(np.stack([1 - p, p], axis=1), np.array([1 - own, own]), steps=steps)
    assert found[1] == pytest.approx(case["expected"], abs=case["tolerance"])
    assert taken <= steps


def test_an_estimate_that_was_stopped_says_so():
    case = GOLDEN["mlls-two-steps"]
    own, n = case["inputs"]["source_prior"], 50
    y = np.arange(n) < own * n
    im = IndicatorMatrix(y, np.where(y, 0.7, 0.2), task="binary", coupling="independent")
    estimate = estimate_prior(im, case["inputs"]["posteriors"], method="mlls", max_steps=2)
    assert estimate.prior == pytest.approx(case["expected"], abs=case["tolerance"])
    assert "stopped after 2 steps, short of the maximum" in estimate.caveat
    assert np.isnan(estimate.standard_error)
    interval = under_prior(im, estimate).interval("precision")
    assert np.isnan(interval.low)
    assert interval.note == "the estimated prior was stopped short of the maximum; give it more max_steps"
    assert "stopped" not in estimate_prior(im, case["inputs"]["posteriors"], method="mlls").caveat
    with pytest.raises(InputError, match="max_steps is 0, expected a whole number of at least 1"):
        estimate_prior(im, case["inputs"]["posteriors"], method="mlls", max_steps=0)


def test_likelihood_is_greatest_at_the_estimate():
    im, target = problem("multiclass", hard=True, n=200), sides("multiclass", 4, 100)[1]
    estimate = estimate_prior(im, target, method="mlls")

    def likelihood(q):
        return np.log(target @ (q / Source.of(im).prior)).mean()

    best = likelihood(estimate.prior)
    for step in np.random.default_rng(1).normal(0, 0.02, (50, 3)):
        other = np.maximum(estimate.prior + step, 0)
        assert likelihood(other / other.sum()) <= best + 1e-12


def test_probabilities_that_are_alike_in_every_row_are_not_calibrated():
    y = np.random.default_rng(0).integers(0, 3, 60)
    same = np.array([[1e-320, 1.0, 0.0]] * 60)
    im = IndicatorMatrix(y, same, "multiclass", coupling="independent")
    with pytest.raises(InputError, match="alike in every row, so that calibrated they say nothing"):
        estimate_prior(im, same, method="mlls", calibrate=True)


def test_calibration_mends_overconfident_probabilities():
    rng = np.random.default_rng(8)

    def sample(n, prior):
        y = rng.choice(3, n, p=prior)
        x = rng.normal(0, 1, (n, 3)) + 1.5 * np.eye(3)[y]
        z = 1.5 * x  # the posteriors of balanced classes
        z = 2.5 * z + [2.0, 0.0, -2.0]
        e = np.exp(z - z.max(1, keepdims=True))
        return y, e / e.sum(1, keepdims=True)

    y, p = sample(4000, [1 / 3] * 3)
    truth = np.array([0.7, 0.2, 0.1])
    target = sample(4000, truth)[1]
    im = IndicatorMatrix(y, p, "multiclass", coupling="independent")
    raw = estimate_prior(im, target, method="mlls")
    mended = estimate_prior(im, target, method="mlls", calibrate=True)
    a, b2, b3 = mended.solution.calibration.parameters[0]
    assert a == pytest.approx(0.4, abs=0.03)
    assert (b2, b3) == pytest.approx((0.8, 1.6), abs=0.15)
    assert abs(mended.prior - truth).max() < 0.03 < abs(raw.prior - truth).max()


# --- replicates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", PRIOR)
@pytest.mark.parametrize(("method", "calibrate"), METHODS)
def test_replicates_spread_as_the_standard_errors_say(task, method, calibrate):
    im, target = problem(task, hard=True, n=600), sides(task, 3, 500)[1]
    estimate = estimate_prior(im, target, method=method, calibrate=calibrate)
    spread = estimate.replicates(600, seed=4).std(axis=0)
    np.testing.assert_allclose(spread, np.atleast_1d(estimate.standard_error), rtol=0.15)


@pytest.mark.parametrize("task", PRIOR)
@pytest.mark.parametrize("estimated", [False, True])
def test_both_intervals_of_a_value_agree(task, estimated):
    im, target = problem(task, hard=True, n=800), sides(task, 3, 600)[1]
    decided = IndicatorMatrix(*(im.statistic.reference, im.statistic.prediction), task, sample_weight=np.ones(800))
    prior = PRIOR[task][0] if task == "binary" else PRIOR[task]
    if estimated:
        prior = estimate_prior(im, target, method="bbse_soft")
    for data in (im, decided):
        at = under_prior(data, prior)
        for measure in ("macro f1", "micro precision", "weighted jaccard"):
            by_pulls = at.interval(measure)
            by_draws = at.interval(measure, method="percentile", draws=600, seed=2)
            assert by_draws.standard_error == pytest.approx(by_pulls.standard_error, rel=0.15)
            assert by_pulls.source == by_draws.source == ("prior" if estimated else "sampling")


def test_what_is_estimated_from_the_same_examples_moves_with_them():
    im, target = problem("multiclass", hard=True, n=500), sides("multiclass", 3, 400)[1]
    estimate = estimate_prior(im, target, method="bbse_soft")
    alone = under_prior(im, estimate.prior).interval("accuracy").standard_error
    joint = under_prior(im, estimate).interval("accuracy").standard_error
    other = problem("multiclass", hard=True, n=500, seed=77)
    apart = under_prior(other, estimate).interval("accuracy").standard_error
    expected = np.sqrt(
        under_prior(other, estimate.prior).interval("accuracy").standard_error ** 2 + _of_prior(other, estimate)
    )
    assert apart == pytest.approx(expected, rel=1e-6)
    assert joint != pytest.approx(np.sqrt(alone**2 + _of_prior(im, estimate)), rel=1e-3)


def _of_prior(im, estimate):
    _, by_prior = slopes_at(parse("accuracy"), shifted(Source.of(im), estimate.values), Convention.EXCLUDE)
    return by_prior @ estimate.covariance @ by_prior


def test_clusters_widen_intervals():
    y, p = sides("multiclass", 0, 100)
    y, p = np.repeat(y.argmax(1), 5), np.repeat(p, 5, axis=0)
    groups = np.repeat(np.arange(100), 5)
    plain, clustered = (
        under_prior(IndicatorMatrix(y, p, "multiclass", clusters=c), PRIOR["multiclass"]).interval("macro f1")
        for c in (None, groups)
    )
    assert clustered.standard_error == pytest.approx(plain.standard_error * np.sqrt(5), rel=0.05)
    assert clustered.assumption.startswith("clusters drawn independently; label shift")


def test_streams_have_intervals_where_moments_are_kept():
    y, p = sides("multilabel", 0, 300)
    im = IndicatorMatrix(y, p, "multilabel", coupling="independent")
    stream = IndicatorMatrix.of(im.cells, moments=im.moments)
    whole, kept = (under_prior(x, PRIOR["multilabel"]).interval("macro f1") for x in (im, stream))
    assert kept.standard_error == pytest.approx(whole.standard_error, rel=1e-9)
    without = under_prior(im.cells, PRIOR["multilabel"]).interval("macro f1")
    assert np.isnan(without.low)
    assert "give moments or the examples" in without.note
    curve = prior_curve(im.cells, "macro f1", [PRIOR["multilabel"]], level=0.95)
    assert np.isnan(curve.low).all()
    table = IndicatorMatrix.of(Table.of([[2.5, 1], [1, 3]]))
    assert "not whole counts" in under_prior(table, [0.2, 0.8]).interval("accuracy").note
    rows = problem("multiclass")
    summed = IndicatorMatrix.of(rows.table, moments=rows.moments)
    assert "taken for others" in under_prior(summed, PRIOR["multiclass"]).interval("accuracy").note


def test_a_value_that_cannot_move_has_the_interval_of_the_data():
    im = problem("binary", hard=True)
    own, at = im.interval("recall"), under_prior(im, 0.01).interval("recall")
    assert (at.low, at.high) == (own.low, own.high)
    assert under_prior(im, 0.01).interval("recall").assumption.endswith("the rates within each class are kept")


def test_on_the_edge_there_is_no_interval():
    at = under_prior(Table.of([[5, 0], [0, 5]], task="binary"), 0.1).interval("f1")
    assert at.value == 1
    assert np.isnan(at.low)
    assert "edge" in at.note


# --- the estimate as a value ----------------------------------------------------------------------------------------


def test_an_estimate_outside_the_simplex_is_said_and_projected_only_when_asked():
    source = Table.of([[80, 20], [20, 80]], task="binary")
    estimate = estimate_prior(source, [1] * 5 + [0] * 95)
    assert estimate.outside
    assert estimate.prior == pytest.approx(-0.25)
    assert np.isnan(estimate.interval().low)
    assert "leaves the range from 0 to 1; ask for project()" in estimate.interval().note
    with pytest.raises(InputError, match="left the simplex"):
        under_prior(source, estimate)
    projected = estimate.project()
    assert projected.prior == 0
    assert "projected on the simplex" in projected.caveat
    table = Table.of([[80, 10, 10], [10, 80, 10], [10, 10, 80]])
    three = estimate_prior(table, [0] * 95 + [1] * 5).project()
    assert three.prior.min() == 0
    assert three.prior.sum() == pytest.approx(1)
    assert "the estimated prior lies on the edge" in under_prior(table, three).interval("accuracy").note
    interval = under_prior(table, three).interval("accuracy", method="percentile", draws=200)
    assert "needed a prior outside the simplex" in interval.note


def test_an_estimate_says_what_it_stands_on():
    im, target = problem("binary", hard=True, n=300), sides("binary", 3, 200)[1]
    estimate = estimate_prior(im, target, method="mlls")
    interval = under_prior(im, estimate).interval("f1")
    assert "prior by mlls from 200 target predictions; the probabilities are calibrated" in interval.assumption
    assert "the target's scores, p = " in interval.assumption
    assert (estimate.steps > 1, estimate.condition) == (True, None)
    assert estimate_prior(im, target).condition > 1
    assert (
        "not testable from decisions"
        in under_prior(im, estimate_prior(Table.of([[70, 30], [20, 80]], task="binary"), [0, 1]))
        .interval("f1")
        .assumption
    )
    assert str(estimate).startswith("1: 0.")
    assert "prior-by=mlls" in under_prior(im, estimate).signature("f1")


@pytest.mark.parametrize(
    ("source", "target", "options", "sentence"),
    [
        (lambda: Table.of([[5, 5], [5, 5]], task="binary"), [1, 0], {}, "predicted at the same rate (0.5)"),
        (lambda: Table.of([[4, 4, 2], [4, 4, 2], [1, 1, 8]]), [0, 1], {}, "the matrix of rates is singular"),
        (lambda: Table.of([[4, 4], [0, 0]]), [0, 1], {}, "class 1 does not occur in the source"),
        (lambda: Table.of([[4, 1], [1, 4]]), [], {}, "target has no rows"),
        (lambda: Table.of([[4, 1], [1, 4]]), [0, 5], {}, "target: "),
        (lambda: Table.of([[4, 1], [1, 4]]), [0, 1], {"method": "em"}, "method 'em' is not known"),
        (
            lambda: Table.of([[4, 1], [1, 4]]),
            [0, 1],
            {"method": "mlls"},
            "mlls needs predicted probabilities but the source keeps",
        ),
        (
            lambda: problem("binary"),
            [0, 1],
            {"method": "bbse_soft"},
            "bbse_soft needs predicted probabilities but the target holds",
        ),
        (
            lambda: Table.of([[4, 1, 0], [1, 4, 0], [0, 0, 3]]),
            [0],
            {"method": "adjusted_count"},
            "adjusted_count is for two",
        ),
        (lambda: problem("binary"), [0.2, 0.1], {"calibrate": True}, "calibrate belongs to method='mlls'"),
    ],
)
def test_estimates_that_cannot_be_made_are_refused(source, target, options, sentence):
    with pytest.raises(InputError) as refused:
        estimate_prior(source(), target, **options)
    assert sentence in str(refused.value)


def test_a_prior_of_other_classes_is_refused():
    estimate = estimate_prior(IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary", labels=["a", "b"]), ["a", "b"])
    assert isinstance(estimate, PriorEstimate)
    assert isinstance(estimate.transfer, Transfer)
    with pytest.raises(InputError, match="estimated for the classes 'a', 'b', but the data have 0, 1"):
        under_prior(problem("binary"), estimate)
    with pytest.raises(InputError, match="ask for intervals"):
        estimate_prior(Table.of([[4, 1, 0], [1, 4, 0], [0, 0, 3]]), [0, 1, 2]).interval()
