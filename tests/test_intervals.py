"""Intervals: the spread that linearisation finds is that of weights moved one by one; edges and gaps are said."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, NotAnswerableError, Table, true_accuracy
from softtruth.conventions import Convention
from softtruth.evaluation import evaluate as report_on
from softtruth.evaluation import evaluate_table
from softtruth.inputs.finished import load_table
from softtruth.measures import Averaged, exemplar
from softtruth.measures.operators import evaluate
from softtruth.uncertainty.derivative import gradient
from softtruth.uncertainty.imbens_manski import imbens_manski
from softtruth.uncertainty.interval import Interval, wilson

QUESTIONS = draw.QUESTIONS


def measure_of(question):
    return question.measure if isinstance(question, Averaged) else question


def per_example(question):
    return isinstance(question, Averaged) and question.operator is exemplar


# --- the same problems, with weights that can be moved --------------------------------------------------------------


def data_of(task, hard, seed):
    """Return reference and prediction of a small problem in which every class occurs and is sometimes missed."""
    rng = np.random.default_rng(seed)
    n = 24
    if task == "binary":
        y = np.r_[np.ones(10), np.zeros(14)] if hard else rng.random(n)
        p = np.where(rng.random(n) < 0.7, y, 1 - y) if hard else np.clip(y + rng.normal(0, 0.3, n), 0.02, 0.98)
        return (y.astype(int), p.astype(int)) if hard else (y, p)
    if task == "multiclass":
        y = np.arange(n) % 3
        p = np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n))
        return (
            (y, p) if hard else tuple(np.array([rng.dirichlet(1 + 3 * np.eye(3)[k]) for k in side]) for side in (y, p))
        )
    y = (rng.random((n, 3)) < 0.4).astype(int)
    p = np.where(rng.random((n, 3)) < 0.7, y, 1 - y)
    return (y, p) if hard else (0.1 + 0.8 * rng.random((n, 3)), 0.1 + 0.8 * rng.random((n, 3)))


def problem_of(task, sides, seed, *, weighted=False, masked=False, clusters=None, **coupling):
    rng = np.random.default_rng(seed + 100)
    (hard_y, hard_p), (soft_y, soft_p) = data_of(task, hard=True, seed=seed), data_of(task, hard=False, seed=seed)
    y, p = {"hard": (hard_y, hard_p), "soft": (soft_y, soft_p), "soft prediction": (hard_y, soft_p)}[sides]
    mask = None
    if masked:
        mask = rng.random((24, 3) if task == "multilabel" else 24) < 0.8
    weight = np.r_[0.0, 0.0, rng.uniform(0.2, 3, 22)] if weighted else None
    return draw.Problem(task, 1 if task == "binary" else 3, y, p, coupling, weight, mask, clusters)


PAIRS = np.arange(24) // 2
UNEVEN = np.array([0] * 9 + [1] * 2 + [2] * 6 + [3] + [4] * 6)
PROBLEMS = {
    "binary": problem_of("binary", "hard", 0),
    "binary, weights": problem_of("binary", "hard", 0, weighted=True),
    "binary, clusters": problem_of("binary", "hard", 1, clusters=PAIRS),
    "binary, soft": problem_of("binary", "soft", 2, coupling="independent"),
    "binary, soft, most": problem_of("binary", "soft", 2, coupling="most", weighted=True),
    "binary, soft, raw": problem_of("binary", "soft", 3, tnorm="lukasiewicz", clusters=UNEVEN),
    "binary, mask": problem_of("binary", "hard", 5, masked=True),
    "multiclass": problem_of("multiclass", "hard", 0),
    "multiclass, weights, clusters": problem_of("multiclass", "hard", 1, weighted=True, clusters=UNEVEN),
    "multiclass, soft": problem_of("multiclass", "soft", 2, coupling="independent"),
    "multiclass, soft, least": problem_of("multiclass", "soft", 3, coupling="least"),
    "multiclass, soft prediction": problem_of("multiclass", "soft prediction", 4, tnorm="product", weighted=True),
    "multilabel": problem_of("multilabel", "hard", 1),
    "multilabel, mask, weights": problem_of("multilabel", "hard", 2, masked=True, weighted=True),
    "multilabel, soft, clusters": problem_of("multilabel", "soft", 3, coupling="independent", clusters=PAIRS),
    "multilabel, soft, mask": problem_of("multilabel", "soft", 4, tnorm="godel", masked=True),
}
STEP = 1e-4


def values_of(im, questions, convention):
    return np.array([im.compute(q, convention=convention) for q in questions])


def answerable(im):
    found = []
    for question in QUESTIONS:
        try:
            im.compute(question)
        except NotAnswerableError:
            continue
        found.append(question)
    return found


def pulls_of(problem, questions, convention):
    """Return by how much each example pulls each value: its weight is moved, and everything computed anew."""
    weight = np.ones(len(problem)) if problem.weight is None else problem.weight
    pulls = np.zeros((len(problem), len(questions)))
    for i in np.flatnonzero(weight):
        up, down = weight.copy(), weight.copy()
        up[i] *= 1 + STEP
        down[i] *= 1 - STEP
        ends = [values_of(problem.build(sample_weight=w), questions, convention) for w in (up, down)]
        with np.errstate(invalid="ignore"):
            pulls[i] = (ends[0] - ends[1]) / (2 * STEP)
    return pulls


def expected_variance(problem, pulls, counted, *, plain):
    """Return the variance by the rule: squares of influences, summed within clusters, with their small factor."""
    if problem.clusters is not None:
        groups = np.unique(problem.clusters[counted])
        pulls = np.array([pulls[(problem.clusters == g) & counted].sum() for g in groups])
    else:
        pulls = pulls[counted]
    n = len(pulls)
    return ((pulls - pulls.mean()) ** 2).sum() * (1 if plain else n / (n - 1))


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("convention", ["exclude", "zero"])
def test_the_standard_error_is_that_of_weights_moved_one_by_one(problem, convention):
    im = problem.build()
    questions = answerable(im)
    pulls = pulls_of(problem, questions, convention)
    seen = np.ones(len(problem), bool) if problem.weight is None else problem.weight > 0
    if problem.mask is not None and problem.mask.ndim == 1:
        seen &= problem.mask
    plain = problem.counts_only and problem.clusters is None
    checked = 0
    for question, pull in zip(questions, pulls.T, strict=True):
        found = im.interval(question, convention=convention)
        if math.isnan(found.standard_error) or math.isnan(found.low):
            assert found.note
            continue
        counted = seen
        if per_example(question) and convention == "exclude":  # an undefined example is left out like a masked one
            counted = seen & ~np.isnan(im.parts(question))
        variance = expected_variance(problem, pull, counted, plain=plain)
        assert found.standard_error == pytest.approx(math.sqrt(variance), rel=2e-5, abs=1e-9), question
        assert found.value == im.compute(question, convention=convention)
        assert found.low <= found.value <= found.high
        checked += 1
    assert checked > 0.5 * len(questions)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_each_example_its_own_cluster_is_no_cluster_with_the_small_factor(problem):
    clustered, soft = problem.build(clusters=np.arange(24)), problem.build(clusters=None)
    for question in answerable(soft):
        a, b = clustered.interval(question), soft.interval(question)
        if math.isnan(a.standard_error) or math.isnan(b.standard_error):
            assert math.isnan(a.low)
            assert math.isnan(b.low) or b.method == "wilson"
            continue
        n = 24 if problem.weight is None else np.count_nonzero(problem.weight)
        if problem.mask is not None and problem.mask.ndim == 1:
            n = np.count_nonzero(problem.mask)
        if per_example(question):
            n = soft.means(question.measure).defined.count
        factor = math.sqrt(n / (n - 1)) if problem.counts_only else 1
        assert a.standard_error == pytest.approx(b.standard_error * factor, rel=1e-9, abs=1e-12), question


# --- hard tables ----------------------------------------------------------------------------------------------------

TABLES = {
    "two classes": np.array([[30.0, 5.0], [7.0, 21.0]]),
    "three classes": np.array([[23.0, 4.0, 1.0], [3.0, 9.0, 6.0], [1.0, 2.0, 11.0]]),
    "an absent class": np.array([[23.0, 4.0, 0.0], [3.0, 9.0, 2.0], [0.0, 0.0, 0.0]]),
}


@pytest.mark.parametrize("masses", TABLES.values(), ids=TABLES)
def test_the_variance_of_counts_is_the_multinomial_one(masses):
    n, k = masses.sum(), len(masses)
    im = IndicatorMatrix.of(Table.of(masses))
    for question in QUESTIONS:
        if per_example(question):
            continue
        found = im.interval(question)
        if math.isnan(found.low):
            assert found.note
            continue
        slopes = np.zeros((k, k))
        for where in np.argwhere(masses > 0):
            ends = []
            for sign in (1, -1):
                moved = masses.copy()
                moved[tuple(where)] += sign * 1e-4
                ends.append(float(evaluate(question, Table.of(moved))))
            slopes[tuple(where)] = (ends[0] - ends[1]) / 2e-4 * n  # by the share of the entry, not its count
        share = masses / n
        variance = ((share * slopes**2).sum() - (share * slopes).sum() ** 2) / n
        assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-5, abs=1e-9), question


@pytest.mark.parametrize("masses", TABLES.values(), ids=TABLES)
def test_a_table_has_the_intervals_of_its_examples(masses):
    counts = masses.astype(int).ravel()
    rows, columns = np.unravel_index(np.repeat(np.arange(counts.size), counts), masses.shape)
    of_examples = IndicatorMatrix(rows, columns, n_classes=len(masses))
    of_table = IndicatorMatrix.of(Table.of(masses))
    for question in QUESTIONS:
        if per_example(question):
            with pytest.raises(NotAnswerableError):
                of_table.interval(question)
            continue
        a, b = of_examples.interval(question), of_table.interval(question)
        same = [pytest.approx(x, rel=1e-12, nan_ok=True) for x in (a.value, a.low, a.high, a.standard_error)]
        assert [b.value, b.low, b.high, b.standard_error] == same, question
        assert (a.method, a.note) == (b.method, b.note)


# --- derivatives ----------------------------------------------------------------------------------------------------


def moved_cells(question, cells, convention, step):
    """Return the value after each cell has been moved by a step, (4, K)."""
    found = np.zeros(cells.masses.shape)
    for where in np.ndindex(cells.masses.shape):
        masses = cells.masses.copy()
        masses[where] += step
        found[where] = float(evaluate(question, Cells(masses, cells.task), convention))
    return found


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if not per_example(q) and measure_of(q).rung != "table"], ids=str
)
@given(masses=draw.cell_masses(draw.positive_masses))
def test_the_derivative_is_that_of_differences(question, masses):
    convention = Convention.EXCLUDE
    task = "multilabel"
    if not isinstance(question, Averaged):
        task = "multiclass" if masses.shape[1] > 1 else "binary"
    cells = Cells(masses, task)
    step = 1e-5
    here = float(evaluate(question, cells, convention))
    ahead, behind = (moved_cells(question, cells, convention, move) for move in (step, -step))
    left, right, expected = (here - behind) / step, (ahead - here) / step, (ahead - behind) / (2 * step)
    tolerance = 1e-6 * max(1.0, np.abs(expected).max())
    if (np.abs(left - right) > 0.01 * np.maximum(np.abs(left), np.abs(right)) + 1e-6).any():
        return  # these very data lie on a kink, as of an absolute value
    assert gradient(question, cells, convention) == pytest.approx(expected, rel=1e-4, abs=tolerance)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if not per_example(q) and measure_of(q).rung != "table"], ids=str
)
def test_a_class_without_a_value_pulls_as_its_convention_says(question):
    masses = np.array([[5.0, 0.0, 3.0], [2.0, 0.0, 1.0], [1.0, 0.0, 4.0], [9.0, 17.0, 9.0]])
    cells = Cells(masses, "multiclass")
    for convention in Convention:
        if not math.isfinite(evaluate(question, cells, convention)):
            continue
        expected = np.zeros((4, 3))
        for where in np.argwhere(masses > 0):
            ends = []
            for sign in (1, -1):
                moved = masses.copy()
                moved[tuple(where)] += sign * 1e-5
                ends.append(float(evaluate(question, Cells(moved, "multiclass"), convention)))
            expected[tuple(where)] = (ends[0] - ends[1]) / 2e-5
        found = np.where(masses > 0, gradient(question, cells, convention), 0)
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6), convention


# --- streams --------------------------------------------------------------------------------------------------------


@given(problem=draw.problems(tasks=("binary", "multilabel"), least=3))
def test_moments_give_sums_the_intervals_of_examples(problem):
    im = problem.build()
    stream = IndicatorMatrix.of(im.cells, moments=im.moments)
    n = im.moments.count
    for question in QUESTIONS:
        if per_example(question) or not isinstance(question, Averaged):
            continue
        a, b = im.interval(question), stream.interval(question)
        assert b.value == pytest.approx(a.value, abs=1e-12, nan_ok=True)
        if math.isnan(a.standard_error) or math.isnan(b.standard_error):
            continue
        if a.standard_error < 1e-3 * max(1.0, abs(a.value)):  # of a huge value rounding alone is more
            continue
        factor = math.sqrt(n / (n - 1)) if problem.counts_only else 1.0
        assert b.standard_error == pytest.approx(a.standard_error * factor, rel=1e-4, abs=1e-7), question


def test_moments_of_a_multiclass_stream():
    problem = PROBLEMS["multiclass, soft prediction"]
    im = problem.build()
    stream = IndicatorMatrix.of(im.cells, moments=im.moments)
    for question in QUESTIONS:
        if per_example(question) or measure_of(question).rung == "table":
            continue
        a, b = im.interval(question), stream.interval(question)
        if a.standard_error > 1e-8 or math.isnan(a.standard_error):
            assert b.standard_error == pytest.approx(a.standard_error, rel=1e-8, nan_ok=True)
            assert (b.low, b.high) == pytest.approx((a.low, a.high), rel=1e-8, nan_ok=True)


# --- ends -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "scale", "ends"),
    [
        (
            "macro f1",
            "influence logit",
            lambda v, d: [1 / (1 + math.exp(-(math.log(v / (1 - v)) + s * d / (v * (1 - v))))) for s in (-1, 1)],
        ),
        ("mcc", "influence atanh", lambda v, d: [math.tanh(math.atanh(v) + s * d / (1 - v * v)) for s in (-1, 1)]),
        ("lift", "influence log", lambda v, d: [v * math.exp(s * d / v) for s in (-1, 1)]),
        ("log_dor", "influence plain", lambda v, d: [v + s * d for s in (-1, 1)]),
    ],
)
def test_ends_lie_on_the_scale_of_the_range(name, scale, ends):
    im = IndicatorMatrix.of(Table.of(TABLES["two classes"], task="binary"))
    found = im.interval(name, level=0.9)
    assert found.method == scale
    assert [found.low, found.high] == pytest.approx(ends(found.value, 1.6448536269514722 * found.standard_error))
    assert (found.source, found.level, found.assumption) == ("sampling", 0.9, "examples drawn independently")


@pytest.mark.parametrize(
    "name", ["recall", "specificity", "precision", "npv", "label_accuracy", "fnr", "error_rate", "accuracy"]
)
def test_a_proportion_of_counts_has_wilsons_interval(name):
    im = IndicatorMatrix.of(Table.of([[40, 0], [3, 7]], task="binary"))
    found = im.interval(name)
    assert found.method == "wilson"
    n = {"recall": 10, "fnr": 10, "specificity": 40, "precision": 7, "npv": 43}.get(name, 50)
    expected = wilson(round(found.value * n), n, 0.95)
    assert (found.low, found.high, found.standard_error) == (expected.low, expected.high, expected.standard_error)
    assert 0 <= found.low < found.high <= 1


@pytest.mark.parametrize(
    "im",
    [
        IndicatorMatrix([0.2, 0.9], [0, 1], "binary"),
        IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary", sample_weight=[1, 2, 1]),
        IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary", clusters=[0, 0, 1]),
    ],
    ids=["soft", "weighted", "clustered"],
)
def test_wilsons_interval_is_for_plain_counts_only(im):
    assert im.interval("recall").method != "wilson"


@pytest.mark.parametrize(
    ("im", "name", "note"),
    [
        (
            IndicatorMatrix([0, 1, 1], [0, 1, 1], "binary"),
            "f1",
            "the value lies on the edge of its range, where linearisation says nothing; use a bootstrap",
        ),
        (
            IndicatorMatrix([0, 1, 1], [0, 1, 1], "binary"),
            "mcc",
            "the value lies on the edge of its range, where linearisation says nothing; use a bootstrap",
        ),
        (IndicatorMatrix([0, 0, 0], [0, 0, 0], "binary"), "f1", "the value is undefined"),
        (IndicatorMatrix([0.4], [1], "binary"), "f1", "too few examples to see how they vary"),
        (
            IndicatorMatrix([0.4, 0.4], [0.7, 0.7], "binary", tnorm="product"),
            "f1",
            "every example pulls the value alike, so linearisation sees no spread; use a bootstrap",
        ),
        (
            IndicatorMatrix([0.4, 0.6, 0.1], [1, 0, 1], "binary", clusters=[1, 1, 1]),
            "f1",
            "too few examples to see how they vary",
        ),
        (IndicatorMatrix([[0.4, 0.6]], [[1, 1]], "multilabel"), "exemplar f1", "too few examples to see how they vary"),
        (
            IndicatorMatrix([0, 1, 1], [0, 1, 1], "binary"),
            "lr_plus",
            "the value lies on the edge of its range, where linearisation says nothing; use a bootstrap",
        ),
        (
            IndicatorMatrix.of(Cells.of(3.5, 1, 1, 2)),
            "f1",
            "the masses are not whole counts, so how much they vary is not known; give moments or the examples",
        ),
    ],
)
def test_where_there_is_no_interval_the_reason_is_given(im, name, note):
    found = im.interval(name)
    assert (math.isnan(found.low), math.isnan(found.high)) == (True, True)
    assert found.note == note
    assert f"no interval: {note}" in str(found)


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, math.nan, "0.95", True])
def test_a_level_lies_between_none_and_all(level):
    with pytest.raises(InputError, match=r"expected a number( between 0 and 1 such as 0\.95)?\.$"):
        IndicatorMatrix([0, 1], [0, 1], "binary").interval("f1", level=level)


@given(problem=draw.problems(least=2), levels=st.tuples(st.floats(0.5, 0.9), st.floats(0.91, 0.999)))
def test_more_confidence_is_a_wider_interval_inside_the_range(problem, levels):
    im = problem.build()
    for question in QUESTIONS:
        try:
            narrow, wide = (im.interval(question, level=level) for level in levels)
        except NotAnswerableError:
            continue
        if math.isnan(narrow.low):
            continue
        low, high = measure_of(question).range
        assert low <= wide.low <= narrow.low <= narrow.high <= wide.high <= high
        assert narrow.value in narrow
        assert wide.width >= narrow.width


def test_perfect_data_of_any_mass_have_no_value_past_the_edge():
    rng = np.random.default_rng(0)
    for _ in range(300):
        tp, tn = rng.random(2) * 10.0 ** rng.integers(-3, 4, 2)
        for cells in (Cells.of(tp, 0, 0, tn), Cells.of(0, tp, tn, 0)):
            for measure in draw.CELL_MEASURES.values():
                found = IndicatorMatrix.of(cells).interval(measure)
                assert math.isnan(found.low)


def test_the_numbers_of_an_interval_are_plain():
    found = imbens_manski(np.float64(0.4), np.float64(0.6), np.float64(0.02), value=np.float64(0.5))
    assert {type(getattr(found, name)) for name in ("value", "low", "high", "level", "standard_error")} == {float}
    im = IndicatorMatrix([0.2, 0.9, 0.4], [0.3, 0.8, 0.6], "binary", coupling="independent")
    for one in (im.bounds("f1"), im.interval("f1"), im.bounds("f1", level=0.9), im.interval("f1", method="percentile")):
        assert {type(getattr(one, name)) for name in ("value", "low", "high", "level", "standard_error")} == {float}


@pytest.mark.parametrize("level", [None, 0.9])
def test_an_end_where_infinities_of_both_signs_meet_is_as_far_as_can_be(level):
    y = np.array([[1.0, 0.0, 1.0, 0.0], [0.5, 0.5, 0.5, 0.5]])
    for sides, operator in ((y, "exemplar"), (y.T, "macro")):
        im = IndicatorMatrix(sides, sides, "multilabel", coupling="independent")
        found = im.bounds("log_dor", operator, level=level)
        if level is None:
            assert (found.low, found.high, found.method) == (-math.inf, math.inf, "approximate")
        else:
            assert "no standard error" in found.note


@pytest.mark.parametrize("method", ["percentile", "bca", "influence"])
@pytest.mark.parametrize("task", ["binary", "multiclass", "ordinal"])
@pytest.mark.parametrize("left", [{"sample_weight": [0.0, 0.0, 0.0]}, {"mask": [False, False, False]}])
def test_where_no_example_is_left_intervals_say_so_quietly(method, task, left):
    classes = {} if task == "binary" else {"n_classes": 3}
    im = IndicatorMatrix([0, 1, 1], [0, 1, 0], task, **left, **classes)
    for convention in ("exclude", "one"):
        assert math.isnan(im.interval("f1", method=method, convention=convention).low)
        assert im.report(interval=method, convention=convention)


# --- levels and counts beyond what quantiles and generators know ----------------------------------------------------


@pytest.mark.parametrize("level", [1e-300, 1e-7, 1 - 1e-10, 1 - 2**-53])
@pytest.mark.parametrize("interval", ["influence", "percentile", "bca"])
def test_a_level_that_no_quantile_tells_from_zero_or_one_is_refused(level, interval):
    with pytest.raises(InputError, match=r"level is .*, expected a number from 1e-06 to 0\.999999999 such as 0\.95\."):
        report_on([0, 1, 1, 0], [0, 1, 0, 0], level=level, interval=interval)


@pytest.mark.parametrize("level", [1e-6, 1 - 1e-9])
def test_every_level_between_makes_an_interval(level):
    found = wilson(30.0, 40.0, level)
    assert found.low < 0.75 < found.high
    assert true_accuracy(0.9, 0.96, n=100, n_reference=50, level=level).interval.level == level


def test_an_interval_that_holds_for_certain_is_no_estimate_of_a_sample():
    with pytest.raises(InputError, match=r"level is 1\.0"):
        true_accuracy(0.9, Interval(0.96, 0.9, 1.0, level=1.0, standard_error=0.01))


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_more_examples_than_can_be_drawn_have_no_bootstrap(interval, tmp_path):
    (tmp_path / "t.csv").write_text("tp,fp,fn,tn\n1e19,2,3,20\n")
    with pytest.raises(InputError, match=r"the table counts 1e\+19 examples, .*; use 'influence'\."):
        evaluate_table(load_table(tmp_path / "t.csv"), interval=interval)
