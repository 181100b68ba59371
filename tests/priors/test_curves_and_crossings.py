"""Many priors at once, families of priors, and where two models swap places."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies as draw
from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    Measure,
    NotAnswerableError,
    Table,
    crossing_prior,
    long_tail,
    prevalence_grid,
    prior_curve,
    prior_path,
    under_prior,
)
from softtruth.measures import list_measures, macro, micro, weighted

GOLDEN = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "golden/priors.json").read_text())["values"]}
QUESTIONS = [o(m) for m in list_measures() if m.takes_operator for o in (micro, macro, weighted)]
QUESTIONS += [m for m in list_measures() if not m.takes_operator]


def of_rates(recall, false_alarms):
    return Cells.of(recall, false_alarms, 1 - recall, 1 - false_alarms)


# --- curves ---------------------------------------------------------------------------------------------------------

TABLE = Table.of([[80, 15, 5], [10, 60, 30], [5, 35, 60]])
PRIORS = np.concatenate([long_tail(3, [1, 10, 100]), [[1, 0, 0], [0.3, 0.3, 0.4], [1 / 3, 1 / 3, 1 / 3]]])


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_a_curve_is_what_each_prior_gives(question):
    curve = prior_curve(TABLE, question, PRIORS, level=0.9)
    for prior, value, low, high in zip(PRIORS, curve.values, curve.low, curve.high, strict=True):
        at = under_prior(TABLE, prior)
        assert value == pytest.approx(at.compute(question), rel=1e-12, abs=1e-15, nan_ok=True)
        interval = at.interval(question, level=0.9)
        assert (low, high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize("weighted_items", [False, True])
@pytest.mark.parametrize("coupling", [None, "independent"])
def test_bands_of_soft_data_are_the_intervals_at_each_prior(task, weighted_items, coupling):
    """Among so many, second moments of the examples serve all priors; one prior alone looks at each example."""
    rng = np.random.default_rng(1)
    n, k = 200, 3
    shapes = {"binary": (n,), "multilabel": (n, k)}
    y, p = (rng.dirichlet(np.ones(k), n) if task == "multiclass" else rng.random(shapes[task]) for _ in "yp")
    weight = rng.random(n) * (rng.random(n) > 0.1) if weighted_items else None
    matrix = IndicatorMatrix(y, p, task=task, sample_weight=weight, coupling=coupling)
    priors = {
        "binary": np.linspace(0.1, 0.9, 9),
        "multiclass": rng.dirichlet(np.ones(k), 9),
        "multilabel": rng.random((9, k)),
    }[task]
    for question in ("micro f1", "macro precision"):
        curve = prior_curve(matrix, question, priors, level=0.9)
        alone = [under_prior(matrix, prior).interval(question, level=0.9) for prior in priors]
        assert curve.low == pytest.approx([i.low for i in alone], rel=1e-10)
        assert curve.high == pytest.approx([i.high for i in alone], rel=1e-10)


@pytest.mark.parametrize("convention", ["exclude", "zero", "one", "nan"])
def test_many_priors_give_what_one_gives(convention):
    """Among so many, ratios of linear forms take a shorter way; the third class is never right, nor predicted."""
    table = Table.of([[80, 15, 0], [10, 60, 0], [5, 45, 0]])
    priors = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
    priors[:3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for question in QUESTIONS:
        found = prior_curve(table, question, priors, convention=convention).values
        one = [under_prior(table, p).compute(question, convention=convention) for p in priors]
        assert found == pytest.approx(one, rel=1e-12, abs=1e-14, nan_ok=True), question


@pytest.mark.parametrize("task", ["binary", "multilabel"])
def test_curves_of_columns(task):
    rng = np.random.default_rng(0)
    shape = (120,) if task == "binary" else (120, 2)
    im = IndicatorMatrix(rng.integers(0, 2, shape), rng.random(shape), task, coupling="independent")
    priors = prevalence_grid(5, 0.05, 0.95) if task == "binary" else rng.random((5, 2))
    curve = prior_curve(im, "macro f1", priors, level=0.95)
    assert len(curve) == 5
    for prior, value, low, high in zip(priors, curve.values, curve.low, curve.high, strict=True):
        at = under_prior(im, float(prior) if task == "binary" else prior)
        interval = at.interval("macro f1")
        assert (value, low, high) == pytest.approx((interval.value, interval.low, interval.high), abs=1e-12)
    assert curve.own_value == im.compute("macro f1")
    assert (curve.low < curve.values).all()


def test_a_formula_of_ones_own_moves_too():
    own = Measure("mine", lambda c: c.tp / (c.tp + c.fp + 0.5 * c.fn))
    curve = prior_curve(TABLE, macro(own), PRIORS[:2], level=0.95)
    f = [under_prior(TABLE, p).per_class().T for p in PRIORS[:2]]
    assert curve.values == pytest.approx([np.mean(c[0] / (c[0] + c[1] + 0.5 * c[2])) for c in f])
    assert np.isfinite(curve.low).all()


def test_curves_are_refused_where_priors_are():
    with pytest.raises(InputError, match=r"prior has shape \(3,\), expected P x 3 class frequencies"):
        prior_curve(TABLE, "accuracy", [0.2, 0.3, 0.5])
    with pytest.raises(NotAnswerableError, match="exemplar"):
        prior_curve(TABLE, "exemplar f1", PRIORS)


def test_a_path_may_be_an_array_and_holds_two_priors():
    other = Table.of([[70, 25, 5], [5, 75, 20], [5, 45, 50]])
    ends = long_tail(3, [1, 100])
    found = crossing_prior(TABLE, other, "macro f1", path=ends)
    assert str(found) == str(crossing_prior(TABLE, other, "macro f1", path=tuple(ends)))
    for wrong, sentence in (
        (3, "path is 3, expected two priors"),
        ([ends[0], [1, 1, 1]], "prior sums to 3, expected 1"),
    ):
        with pytest.raises(InputError, match=sentence):
            crossing_prior(TABLE, other, "macro f1", path=wrong)


# --- families -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
@pytest.mark.parametrize("imbalance", [1, 2.5, 1000])
def test_a_long_tail_has_its_imbalance(k, imbalance):
    prior = long_tail(k, imbalance)
    assert prior.sum() == pytest.approx(1)
    assert prior[0] / prior[-1] == pytest.approx(imbalance)
    assert np.all(np.diff(prior) <= 1e-15)
    steps = prior[1:] / prior[:-1]
    assert steps == pytest.approx(np.full(k - 1, steps[0]))


def test_grids_hold_their_ends():
    for scale in ("linear", "log", "logit"):
        grid = prevalence_grid(7, 0.001, 0.3, scale=scale)
        assert (grid[0], grid[-1], len(grid)) == (0.001, 0.3, 7)
        assert np.all(np.diff(grid) > 0)
    odds = np.log(grid / (1 - grid))
    assert np.diff(odds) == pytest.approx(np.full(6, np.diff(odds)[0]))
    path = prior_path(0.1, 0.5, 5)
    assert path == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: prevalence_grid(1), "count is 1, expected a whole number of at least 2"),
        (lambda: prevalence_grid(5, 0.5, 0.2), "expected two rising prevalences"),
        (lambda: prevalence_grid(5, scale="cube"), "scale 'cube' is not known"),
        (lambda: prevalence_grid(5, scale="log"), "are infinitely far"),
        (lambda: prevalence_grid(5, 0.1, 1.0, scale="logit"), "are infinitely far"),
        (lambda: long_tail(3, 0.5), "imbalance is 0.5, expected"),
        (lambda: long_tail(3, 2, order=[0, 1, 1]), "expected each of the classes 0 to 2 once"),
        (lambda: prior_path([0.5, 0.5], [1, 0, 0]), "expected two priors of the same classes"),
    ],
)
def test_families_refuse_what_is_none(call, sentence):
    with pytest.raises(InputError) as refused:
        call()
    assert sentence in str(refused.value)


# --- crossings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["f1", "accuracy", "kappa", "jaccard", "balanced_accuracy"])
def test_known_crossings(measure):
    case = GOLDEN[f"crossing-{measure}"]
    found = crossing_prior(of_rates(*case["inputs"]["a"]), of_rates(*case["inputs"]["b"]), measure)
    assert found.priors == pytest.approx(case["expected"], abs=case["tolerance"])
    assert found.method == "closed form"
    assert found.verdict == ("crosses" if case["expected"] else "never")


rates = st.floats(0.02, 0.98)
EXACT = [
    m for m in list_measures(takes_operator=True) if m.linear is not None or m.name in {"kappa", "mcc", "gilbert_skill"}
]


@given(a=st.tuples(rates, rates), b=st.tuples(rates, rates))
def test_closed_forms_find_every_change_of_sign(a, b):
    assume(min(abs(a[0] - b[0]), abs(a[1] - b[1])) > 1e-3)
    one, other = of_rates(*a), of_rates(*b)
    grid = prevalence_grid(400, 1e-5, 1 - 1e-5, scale="logit")
    for measure in EXACT:
        found = crossing_prior(one, other, measure)
        difference = prior_curve(one, measure, grid).values - prior_curve(other, measure, grid).values
        for prior, value in zip(found.priors, found.values, strict=True):
            assert under_prior(one, prior).compute(measure) == pytest.approx(value, abs=1e-12)
            assert under_prior(other, prior).compute(measure) == pytest.approx(value, abs=1e-9)
        clear = np.abs(difference) > 1e-11
        changes = np.flatnonzero(np.diff(np.sign(difference[clear])))
        for i in changes:
            low, high = grid[clear][i], grid[clear][i + 1]
            assert any(low <= x <= high for x in found.priors), measure.name
        inside = [x for x in found.priors if 1e-4 < x < 1 - 1e-4]
        assert len(found.priors) <= 1, measure.name
        assert len(inside) <= len(changes) + 1
        if found.verdict == "crosses" and measure.better != "neither":
            assert {*found.better} == {"first", "second"}


def test_whoever_is_better_is_named():
    found = crossing_prior(of_rates(0.9, 0.2), of_rates(0.7, 0.05), "f1")
    assert found.better == ("second", "first")
    assert str(found) == "micro f1: equal at the prevalence 0.322; better is second, then first"
    never = crossing_prior(of_rates(0.9, 0.2), of_rates(0.7, 0.05), "precision")
    assert (never.verdict, never.better, never.priors.size) == ("never", ("second",), 0)
    lower = crossing_prior(of_rates(0.9, 0.2), of_rates(0.7, 0.05), "error_rate")
    assert lower.better == ("second", "first")


@pytest.mark.parametrize("question", ["f1", "mcc", "kappa", "accuracy", "precision", "p4", "markedness", "recall"])
def test_a_model_equals_itself_everywhere(question):
    found = crossing_prior(of_rates(0.8, 0.1), of_rates(0.8, 0.1), question)
    assert (found.verdict, found.better) == ("everywhere", ("neither",))
    assert str(found).endswith("the two are equal at every prior")


def test_models_that_do_not_see_the_class_never_tie_but_at_nothing():
    found = crossing_prior(of_rates(0.9, 0.2), of_rates(0.2, 0.9), "mcc")
    assert (found.verdict, found.better) == ("never", ("first",))


def test_other_measures_are_searched_and_say_so():
    found = crossing_prior(of_rates(0.9, 0.2), of_rates(0.7, 0.05), "kulczynski")
    assert found.priors == pytest.approx([0.0362, 0.2971], abs=1e-4)
    for prior in found.priors:
        tie = [under_prior(of_rates(*r), prior).compute("kulczynski") for r in ((0.9, 0.2), (0.7, 0.05))]
        assert tie[0] == pytest.approx(tie[1], abs=1e-12)
    assert found.better == ("first", "second", "first")
    assert "curves that touch without crossing" in found.method


def test_crossings_on_a_path_of_many_classes():
    other = Table.of([[60, 30, 10], [15, 80, 5], [1, 4, 95]])
    ends = (long_tail(3, 1), [1.0, 0.0, 0.0])
    found = crossing_prior(TABLE, other, "accuracy", path=ends)
    a, b = np.diag(TABLE.masses) / 100, np.diag(other.masses) / np.asarray(other.masses).sum(axis=1)
    gain = a - b
    at = (gain @ ends[0]) / (gain @ ends[0] - gain @ ends[1])  # accuracy is linear in the prior
    assert found.positions == pytest.approx([at], abs=1e-12)
    assert found.priors[0] == pytest.approx((1 - at) * ends[0] + at * np.array(ends[1]))
    assert found.better == ("second", "first")
    assert "position on the path" in str(found)
    never = crossing_prior(TABLE, other, "accuracy", path=(long_tail(3, 1), [0.0, 0.0, 1.0]))
    assert never.verdict == "never"


def test_crossings_are_refused_where_there_is_nothing_to_compare():
    with pytest.raises(InputError, match="binary data of 2 classes, the second multiclass data of 3"):
        crossing_prior(of_rates(0.9, 0.2), TABLE, "f1")
    with pytest.raises(InputError, match=r"pass path=\(start, end\)"):
        crossing_prior(TABLE, TABLE, "macro f1")
    nothing = Cells.of(0, 0, 5, 5)
    with pytest.raises(InputError, match="undefined at every prior of the path"):
        crossing_prior(nothing, nothing, "lift")


@given(masses=draw.four_masses(draw.positive_masses))
def test_models_tie_at_their_crossing_at_any_size(masses):
    one, other = Cells.of(*masses), Cells.of(*masses[[3, 1, 2, 0]] * 7.0)
    found = crossing_prior(one, other, "mcc")
    for prior in found.priors:
        assert under_prior(one, prior).compute("mcc") == pytest.approx(
            under_prior(other, prior).compute("mcc"), abs=1e-8
        )
