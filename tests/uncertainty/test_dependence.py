"""Sharp ranges against linear programmes over the whole joint law; no coupling drawn at random leaves them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, NotAnswerableError, Table, list_measures
from softtruth.measures import Averaged, parse
from softtruth.measures.operators import evaluate

ONE_WAY = ("rises", "falls", "constant")
seeds = st.integers(0, 2**32 - 1)


def margins_of(k):
    """Return the equations that a K x K joint law must fulfil: row sums, then column sums."""
    rows = np.kron(np.eye(k), np.ones(k))
    columns = np.kron(np.ones(k), np.eye(k))
    return np.vstack([rows, columns])


def programme(cost, y, p):
    """Return the joint law (K, K) of least cost with these margins."""
    k = len(y)
    found = linprog(np.ravel(cost), A_eq=margins_of(k)[:-1], b_eq=np.concatenate([y, p])[:-1], bounds=(0, None))
    assert found.success
    return found.x.reshape(k, k)


def random_law(rng, y, p):
    """Return a joint law drawn at random: a mixture of corners and of independence."""
    corners = [programme(rng.standard_normal((len(y), len(y))), y, p) for _ in range(2)]
    shares = rng.dirichlet([0.7, 0.7, 0.7])
    return shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * np.outer(y, p)


def shares_of(rng, n, k):
    """Return rows of shares, some of them crisp and some equal."""
    rows = rng.multinomial(20, rng.dirichlet(np.full(k, 0.6), n)) / 20
    rows[rng.random(n) < 0.2] = np.eye(k)[0]
    return rows


def multiclass(seed, n=4, k=3):
    rng = np.random.default_rng(seed)
    y, p = shares_of(rng, n, k), shares_of(rng, n, k)
    weight = rng.choice([0.5, 1.0, 2.0], n) if rng.random() < 0.5 else None
    return rng, y, p, weight, IndicatorMatrix(y, p, "multiclass", coupling="independent", sample_weight=weight)


def inside(value, found, slack=1e-9):
    if math.isnan(found.value):
        return
    assert found.low - slack <= value <= found.high + slack or (math.isinf(value) and value in (found.low, found.high))


# --- multiclass -----------------------------------------------------------------------------------------------------


@given(seeds)
@settings(max_examples=15)
def test_the_diagonals_of_both_ends_are_attained_for_all_classes_at_once(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    y, p = shares_of(rng, 1, k)[0], shares_of(rng, 1, k)[0]
    most, least = programme(-np.eye(k), y, p), programme(np.eye(k), y, p)
    assert np.diag(most) == pytest.approx(np.minimum(y, p), abs=1e-9)
    assert np.diag(least) == pytest.approx(np.maximum(0, y + p - 1), abs=1e-9)


@given(seeds)
@settings(max_examples=8)
def test_no_coupling_of_classes_leaves_the_range(seed):
    rng, y, p, weight, im = multiclass(seed)
    w = np.ones(len(y)) if weight is None else weight
    asked = [
        parse(m, o) for m in list_measures(rung="cells") if m.takes_operator for o in ("micro", "macro", "weighted")
    ]
    asked += [m for m in list_measures() if not m.takes_operator]
    ranges = {}
    for question in asked:
        try:
            ranges[question] = im.bounds(question)
        except NotAnswerableError:
            continue
    exemplars = {m: im.bounds(m, "exemplar") for m in map(draw.MEASURES.get, ("f1", "mcc", "error_rate", "cramers_v"))}
    for _ in range(6):
        laws = np.array([random_law(rng, a, b) for a, b in zip(y, p, strict=True)])
        table = Table(np.einsum("n,nkl->kl", w, np.maximum(laws, 0)))
        for question, found in ranges.items():
            inside(float(evaluate(question, table)), found)
        for measure, found in exemplars.items():
            rows = [float(measure(Table(np.maximum(law, 0)).cells.pooled)[0]) for law in laws]
            kept = ~np.isnan(rows)
            inside(np.dot(np.array(rows)[kept], w[kept]) / w[kept].sum() if kept.any() else math.nan, found)


@given(seeds)
@settings(max_examples=10)
def test_ranges_of_table_measures_are_those_of_the_programme(seed):
    rng, y, p, weight, im = multiclass(seed, n=3, k=int(np.random.default_rng(seed).integers(2, 5)))
    del rng
    w = np.ones(len(y)) if weight is None else weight
    k = y.shape[1]
    rows, columns = w @ y, w @ p
    for measure, distance in (
        ("accuracy", None),
        ("linear_weighted_kappa", 1),
        ("quadratic_weighted_kappa", 2),
        ("mean_absolute_error", 1),
    ):
        away = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
        cost = (away > 0).astype(float) if distance is None else away.astype(float) ** distance
        ends = [
            sum(a * (cost * programme(sign * cost, u, v)).sum() for a, u, v in zip(w, y, p, strict=True))
            for sign in (1, -1)
        ]
        found = im.bounds(measure)
        if "kappa" in measure:
            chance = (cost * np.outer(rows, columns)).sum() / w.sum()
            expected = [1 - ends[1] / chance, 1 - ends[0] / chance] if chance else [math.nan] * 2
        elif measure == "accuracy":
            expected = [1 - ends[1] / w.sum(), 1 - ends[0] / w.sum()]
        else:
            expected = [ends[0] / w.sum(), ends[1] / w.sum()]
        assert [found.low, found.high] == pytest.approx(expected, abs=1e-9, nan_ok=True)
        assert math.isnan(found.value) or found.method == "sharp"


def test_measures_of_the_whole_table_are_refused():
    im = multiclass(1)[-1]
    for measure in ("cen", "table_mutual_information", "lambda"):
        with pytest.raises(NotAnswerableError, match="whole K x K table"):
            im.bounds(measure)
        with pytest.raises(NotAnswerableError, match="whole K x K table"):
            im.dependence_curve(measure)


# --- one column, and columns apart ----------------------------------------------------------------------------------


def fraction_ends(linear, y, p, weight):
    """Return the least and the greatest ratio of sums over all joint laws, by the programme of Charnes and Cooper."""
    n = len(y)
    a, b = (np.concatenate([w * np.array(side) for w in weight]) for side in linear)
    rows, totals = [], []
    for i in range(n):  # cells tp, fp, fn, tn of entry i, times the scale of the ratio
        for cells, total in (([1, 0, 1, 0], y[i]), ([1, 1, 0, 0], p[i]), ([1, 1, 1, 1], 1.0)):
            row = np.zeros(4 * n + 1)
            row[4 * i : 4 * i + 4], row[-1] = cells, -total
            rows.append(row)
            totals.append(0.0)
    rows.append(np.append(b, 0.0))
    totals.append(1.0)
    ends = []
    for sign in (1, -1):
        found = linprog(sign * np.append(a, 0.0), A_eq=rows, b_eq=totals, bounds=(0, None))
        ends.append(sign * found.fun if found.success else math.nan)
    return ends


@given(seeds)
@settings(max_examples=10)
def test_pooled_ranges_are_those_of_the_fractional_programme(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    y, p = np.round(rng.random((2, n)), 2)
    weight = rng.choice([0.5, 1.0, 3.0], n)
    im = IndicatorMatrix(y, p, "binary", coupling="independent", sample_weight=weight)
    for measure in list_measures(decomposable=True):
        found = im.bounds(measure)
        expected = fraction_ends(measure.linear, y, p, weight)
        if math.isnan(found.value) or any(math.isinf(end) for end in (found.low, found.high)):
            continue
        assert [found.low, found.high] == pytest.approx(expected, abs=1e-7), measure.name


@given(seeds, st.sampled_from(["binary", "multilabel"]))
@settings(max_examples=20)
def test_no_coupling_of_labels_leaves_the_range(seed, task):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 5)), 1 if task == "binary" else 3
    y, p = np.round(rng.random((2, n, m)), 1)
    mask = rng.random((n, m)) < 0.8 if task == "multilabel" else None
    weight = rng.choice([0.0, 1.0, 3.0], n)
    weight[0] = 1.0
    im = IndicatorMatrix(y, p, task, coupling="independent", sample_weight=weight, mask=mask)
    operators = ("micro",) if task == "binary" else ("micro", "macro", "weighted")
    ranges = {q: im.bounds(q) for m in draw.CELL_MEASURES.values() for q in (parse(m, o) for o in operators)}
    seen = np.ones((n, m)) if mask is None else mask
    least, most = np.maximum(0, y + p - 1), np.minimum(y, p)
    for _ in range(20):
        t = least + rng.choice([rng.random((n, m)), np.zeros((n, m)), np.ones((n, m))]) * (most - least)
        entries = np.clip(np.stack([t, p - t, y - t, 1 - y - p + t]), 0, None) * seen
        cells = Cells(np.einsum("cnm,n->cm", entries, weight), task)
        for question, found in ranges.items():
            value = float(evaluate(question, cells))
            if not math.isnan(value):
                inside(value, found, slack=1e-7)


@given(draw.problems(couplings=st.just({"coupling": "independent"}), weighted=None))
@settings(max_examples=30)
def test_the_ends_are_the_values_of_the_extreme_couplings(problem):
    whole = problem.build()
    ends = [problem.build(coupling=c) for c in ("least", "most")]
    for question in draw.QUESTIONS:
        measure = question.measure if isinstance(question, Averaged) else question
        if measure.rung == "table" or measure.joint not in ONE_WAY:
            continue
        try:
            found = whole.bounds(question)
            values = [end.compute(question) for end in ends]
        except NotAnswerableError:
            continue
        if math.isnan(found.value):
            continue
        for value in values:
            assert math.isnan(value) or math.isinf(value) or found.low - 1e-9 <= value <= found.high + 1e-9
        if not any(map(math.isnan, values)):
            assert [found.low, found.high] == pytest.approx(sorted(values), abs=1e-9)


def test_an_end_without_a_value_is_its_limit():
    """The odds ratio is 0/0 where an end empties two cells at once; on the way there it has a limit."""
    found = IndicatorMatrix([0.5, 0.5], [0.5, 0.5], "binary", coupling="independent").bounds("dor")
    assert (found.value, found.low, found.high) == (1.0, 0.0, math.inf)
    found = IndicatorMatrix([0.5, 1.0], [0.5, 1.0], "binary", coupling="independent").bounds("yule_q")
    assert found.high == 1.0


@pytest.mark.parametrize("measure", ["optimized_precision", "mutual_information", "cramers_v"])
def test_measures_that_turn_are_searched(measure):
    rng = np.random.default_rng(5)
    for _ in range(20):
        y, p = rng.random((2, 5))
        found = IndicatorMatrix(y, p, "binary", coupling="independent").bounds(measure)
        low, high = np.maximum(0, y + p - 1).sum(), np.minimum(y, p).sum()
        t = np.linspace(low, high, 20_001)
        cells = np.stack([t, p.sum() - t, y.sum() - t, 5 - y.sum() - p.sum() + t])[..., None]
        values = parse(measure).measure(Cells(np.maximum(cells, 0)))
        assert found.low == pytest.approx(values.min(), abs=2e-4)
        assert found.high == pytest.approx(values.max(), abs=2e-4)
        assert found.low <= values.min() + 1e-12
        assert found.method == ("approximate" if measure == "optimized_precision" else "sharp")


@given(seeds)
@settings(max_examples=8)
def test_no_coupling_of_grades_leaves_the_range(seed):
    rng = np.random.default_rng(seed)
    y, p = shares_of(rng, 3, 4), shares_of(rng, 3, 4)
    im = IndicatorMatrix(y, p, "ordinal", coupling="independent")
    asked = [
        parse(q) for q in ("macro f1", "micro mcc", "weighted recall", "accuracy", "cohen_kappa", "mean_absolute_error")
    ]
    ranges = {question: im.bounds(question) for question in asked}
    for _ in range(6):
        laws = np.array([random_law(rng, a, b) for a, b in zip(y, p, strict=True)])
        table = Table(np.maximum(laws, 0).sum(axis=0), "ordinal")
        for question, found in ranges.items():
            inside(float(evaluate(question, table)), found)
    for question in asked:
        curve = im.dependence_curve(question, rhos=[-1, 0, 1])
        found = ranges[question]
        if not math.isnan(found.value):
            assert sorted(curve) == pytest.approx([found.low, found.value, found.high], abs=1e-9)


def test_examples_of_several_parts_are_bounded_with_their_weights():
    rng = np.random.default_rng(0)
    y, p = rng.random((2, 4, 5))
    weight = np.array([1.0, 4.0, 0.5, 2.0])
    im = IndicatorMatrix(y[..., None], p[..., None], "binary", coupling="independent", sample_weight=weight)
    found = im.bounds("exemplar f1")
    ends = [
        np.average(
            [IndicatorMatrix(a, b, "binary", coupling=c).compute("f1") for a, b in zip(y, p, strict=True)],
            weights=weight,
        )
        for c in ("least", "independent", "most")
    ]
    assert [found.low, found.value, found.high] == pytest.approx(ends)
    assert im.dependence_curve("exemplar f1", rhos=[-1, 0, 1]) == pytest.approx(ends)


# --- degrees of dependence ------------------------------------------------------------------------------------------


@given(draw.problems(couplings=st.just({"coupling": "independent"}), least=1))
@settings(max_examples=25)
def test_the_curve_runs_from_least_over_independent_to_most(problem):
    whole = problem.build()
    for question in draw.QUESTIONS:
        try:
            curve = whole.dependence_curve(question, rhos=[-1, 0, 1, -0.5])
            values = [problem.build(coupling=c).compute(question) for c in ("least", "independent", "most")]
        except NotAnswerableError:
            continue
        measure = question.measure if isinstance(question, Averaged) else question
        if measure.rung == "table" and problem.task == "multiclass":
            continue
        assert curve[:3] == pytest.approx(values, abs=1e-9, nan_ok=True)


def test_a_point_of_the_curve_is_the_value_of_that_coupling():
    rng = np.random.default_rng(0)
    y, p = rng.dirichlet(np.ones(3), (2, 20))
    curve = IndicatorMatrix(y, p, "multiclass", coupling="independent").dependence_curve("macro f1", [-0.7, 0.2])
    values = [IndicatorMatrix(y, p, "multiclass", rho=rho).compute("macro f1") for rho in (-0.7, 0.2)]
    assert curve == pytest.approx(values, abs=1e-12)
    found = IndicatorMatrix(y, p, "multiclass", rho=-0.7).bounds("macro f1")
    assert found.value == pytest.approx(values[0])
    assert found.low < found.value < found.high


def test_the_curve_of_a_weighted_kappa_ends_in_its_range():
    im = multiclass(3)[-1]
    curve, found = im.dependence_curve("quadratic_weighted_kappa"), im.bounds("quadratic_weighted_kappa")
    assert [curve[0], curve[10], curve[-1]] == pytest.approx([found.low, found.value, found.high])
    assert (np.diff(curve) > 0).all()


def test_a_degree_of_dependence_has_its_limits():
    with pytest.raises(InputError, match="from -1"):
        multiclass(3)[-1].dependence_curve("f1", rhos=[0, 1.5])


# --- where there is nothing to bound --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("im", "reason"),
    [
        (IndicatorMatrix([0.2, 0.7], [0.3, 0.9], "binary"), "the prediction is hardened"),
        (IndicatorMatrix([0, 1], [0.3, 0.9], "binary", coupling="independent"), "the reference is crisp"),
        (IndicatorMatrix([0.2, 0.7], [0, 1], "binary", coupling="independent"), "the prediction is crisp"),
        (IndicatorMatrix.of(Table.of([[3, 1], [1, 3]], task="binary")), "the prediction is hard"),
    ],
)
def test_with_a_crisp_side_the_width_is_zero_and_says_why(im, reason):
    found = im.bounds("f1")
    assert found.low == found.high == found.value == im.compute("f1")
    assert reason in found.note
    assert reason in str(found)
    assert (im.dependence_curve("f1") == found.value).all()
    assert im.bounds("f1", level=0.95) == im.interval("f1")


def test_raw_cells_have_no_range():
    im = IndicatorMatrix([0.2, 0.7], [0.3, 0.9], "binary", tnorm="godel")
    with pytest.raises(NotAnswerableError, match="do not keep the margins"):
        im.bounds("f1")
    assert IndicatorMatrix([0.2, 0.7], [0.3, 0.9], "binary", tnorm="product").bounds("f1").width > 0


def test_sums_of_soft_data_have_no_range():
    cells = IndicatorMatrix([0.2, 0.7], [0.3, 0.9], "binary", coupling="independent").cells
    with pytest.raises(NotAnswerableError, match="only sums"):
        IndicatorMatrix.of(cells).bounds("f1")


def test_the_range_says_what_it_stands_on():
    found = IndicatorMatrix([0.2, 0.7], [0.3, 0.9], "binary", coupling="independent").bounds("f1")
    assert (found.source, found.level) == ("dependence", 1.0)
    assert "any dependence" in found.assumption
    assert "few votes" in str(found)
    assert "undefined" in str(IndicatorMatrix([0.0], [0.0], "binary", coupling="independent").bounds("f1"))


# --- with sampling --------------------------------------------------------------------------------------------------


def test_a_sampling_interval_of_the_range_is_wider_and_stays_in_the_range_of_the_measure():
    rng = np.random.default_rng(0)
    y = rng.random(60)
    im = IndicatorMatrix(y, np.clip(y + rng.normal(0, 0.2, 60), 0, 1), "binary", coupling="independent")
    plain, wide = im.bounds("f1"), im.bounds("f1", level=0.95)
    assert 0 < wide.low < plain.low < plain.high < wide.high < 1
    assert wide.method == "imbens-manski"
    # The range is wide in standard errors, so that one-sided quantiles do.
    least = IndicatorMatrix(y, np.clip(im.examples.prediction[:, 0], 0, 1), "binary", coupling="least").interval(
        "f1", level=0.9
    )
    assert wide.low == pytest.approx(least.low, abs=1e-6)


def test_a_sampling_interval_of_the_range_of_a_weighted_kappa():
    rng = np.random.default_rng(1)
    y, p = shares_of(rng, 80, 4), shares_of(rng, 80, 4)
    weight = 0.5 + rng.random(80)
    im = IndicatorMatrix(y, p, "multiclass", coupling="independent", sample_weight=weight)
    wide, plain = im.bounds("linear_weighted_kappa", level=0.95), im.bounds("linear_weighted_kappa")
    assert wide.low < plain.low < plain.high < wide.high
    ends = []
    for out in range(80):  # the error that leaving out one item after the other gives
        rest = np.arange(80) != out
        one = IndicatorMatrix(y[rest], p[rest], "multiclass", coupling="independent", sample_weight=weight[rest])
        found = one.bounds("linear_weighted_kappa")
        ends.append([found.low, found.high])
    jackknife = np.sqrt(79 / 80 * ((np.array(ends) - np.mean(ends, axis=0)) ** 2).sum(axis=0))
    assert wide.standard_error == pytest.approx(jackknife.max(), rel=0.03)


def test_no_sampling_interval_of_a_searched_range():
    im = IndicatorMatrix([0.2, 0.7, 0.4], [0.3, 0.9, 0.6], "binary", coupling="independent")
    assert "approximate" in im.bounds("optimized_precision", level=0.95).note


def test_weights_that_do_not_order_the_classes_are_refused():
    """Only where every step towards the diagonal counts the same way are the ends known without a programme."""
    from softtruth.measures import Measure

    def of_weights(weights):
        def formula(t):
            chance = t.rows[..., :, None] * t.columns[..., None, :]
            whole = t.masses.sum((-2, -1))
            return 1 - (weights * t.masses).sum((-2, -1)) * whole / (weights * chance).sum((-2, -1))

        return Measure("weights of one's own", formula, rung="table", range=(-1.0, 1.0))

    im = multiclass(3, n=6)[-1]
    away = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(float)
    found = im.bounds(of_weights(away))
    known = im.bounds("linear_weighted_kappa")
    assert [found.low, found.high] == pytest.approx([known.low, known.high])
    for weights in (np.minimum(away, 1), np.array([[0, 5, 1], [5, 0, 5], [1, 5, 0]], float)):
        with pytest.raises(NotAnswerableError, match="towards the diagonal"):
            im.bounds(of_weights(weights))
