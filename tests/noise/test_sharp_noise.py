"""Every sharp range against a linear programme over the whole joint law of truth, label and prediction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from softtruth import InputError, NotAnswerableError, Table, noisy_bounds, ranking_is_robust, true_accuracy, true_table
from softtruth.conventions import Convention
from softtruth.corrections.error_budget import (
    Budget,
    measure_of_macro,
    of_class,
    programme_of,
    programmes_of_parts,
)
from softtruth.corrections.macro_range import denominator_range
from softtruth.corrections.sharp_range import accuracy_at_rho, sharp_range
from softtruth.corrections.suspects import settled_range
from softtruth.corrections.true_table import symmetric_transition, true_shares
from softtruth.corrections.two_class_search import two_class_extremes
from softtruth.corrections.two_models import difference_range
from softtruth.measures import parse
from softtruth.measures.operators import evaluate

seeds = st.integers(0, 2**32 - 1)
classes = st.sampled_from([2, 3, 4])
CLOSE = {"rtol": 0, "atol": 1e-8}


def law(rng, *shape):
    """Return a joint law with some cells near zero."""
    return rng.dirichlet(np.full(int(np.prod(shape)), rng.choice([0.15, 1.0]))).reshape(shape)


def programme(objective, equations, values):
    """Return the least and greatest value of a linear function of a law."""
    rows = np.array([row.ravel() for row in equations])
    ends = []
    for sign in (1, -1):
        found = linprog(sign * objective.ravel(), A_eq=rows, b_eq=values, bounds=(0, None), method="highs")
        assert found.success
        ends.append(sign * found.fun)
    return ends


def indicators(k, axes):
    return np.indices((k,) * axes)


@given(seeds, classes)
def test_true_accuracy(seed, k):
    rng = np.random.default_rng(seed)
    truth, label, said = indicators(k, 3)
    a_m, a_g = rng.random(2) if rng.random() < 0.5 else rng.uniform(0.8, 1, 2)
    equations = [np.ones((k, k, k)), label == said, label == truth]
    expected = programme((truth == said).astype(float), [e.astype(float) for e in equations], [1, a_m, a_g])
    assert np.allclose(sharp_range(a_m, a_g, k), expected, **CLOSE)


@given(seeds, classes)
def test_the_observed_table_does_not_narrow_the_range_of_accuracy(seed, k):
    rng = np.random.default_rng(seed)
    table, a_g = law(rng, k, k), rng.random()
    truth, label, said = indicators(k, 3)
    cells = [((label == i) & (said == j)).astype(float) for i in range(k) for j in range(k)]
    expected = programme((truth == said).astype(float), [*cells, (label == truth).astype(float)], [*table.ravel(), a_g])
    found = noisy_bounds(Table.of(table), "accuracy", reference_accuracy=a_g)
    assert np.allclose((found.low, found.high), expected, **CLOSE)


@given(seeds, classes)
def test_accuracy_when_the_law_of_label_and_truth_is_known(seed, k):
    rng = np.random.default_rng(seed)
    table = law(rng, k, k)
    joint = rng.dirichlet(np.full(k, 0.5), k) * table.sum(axis=1)[:, None]
    truth, label, said = indicators(k, 3)
    cells = [((label == i) & (said == j)).astype(float) for i in range(k) for j in range(k)]
    pairs = [((label == i) & (truth == j)).astype(float) for i in range(k) for j in range(k)]
    expected = programme((truth == said).astype(float), [*cells, *pairs], [*table.ravel(), *joint.ravel()])
    found = noisy_bounds(Table.of(table), "accuracy", label_truth=joint)
    assert np.allclose((found.low, found.high), expected, **CLOSE)
    for name in ("macro f1", "cohen_kappa", "r_k"):  # at fixed margins they rise with the diagonal, met all at once
        found = noisy_bounds(Table.of(table), name, label_truth=joint)
        inside = rng.dirichlet(np.ones(3), k)  # any law of truth and prediction given the label, by three couplings
        tables = [
            coupled(joint[i] / max(joint[i].sum(), 1e-300), table[i] / table[i].sum(), inside[i]) for i in range(k)
        ]
        drawn = sum(table[i].sum() * part for i, part in enumerate(tables))
        assert found.low - 1e-9 <= float(evaluate(parse(name), Table(drawn))) <= found.high + 1e-9


def coupled(y, p, shares):
    """Return a mixture of independence and of two transport plans with the margins y and p."""
    k = len(y)
    plans = [np.outer(y, p)]
    for cost in (np.eye(k), -np.eye(k)):
        rows = np.vstack([np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))])
        found = linprog(cost.ravel(), A_eq=rows[:-1], b_eq=np.concatenate([y, p])[:-1], bounds=(0, None))
        plans.append(found.x.reshape(k, k))
    return sum(s * plan for s, plan in zip(shares, plans, strict=True))


@given(seeds, classes)
def test_accuracy_when_the_precision_of_each_label_is_known(seed, k):
    rng = np.random.default_rng(seed)
    table, precision = law(rng, k, k), rng.random(k)
    truth, label, said = indicators(k, 3)
    cells = [((label == i) & (said == j)).astype(float) for i in range(k) for j in range(k)]
    right = [((label == i) & (truth == i)).astype(float) for i in range(k)]
    expected = programme(
        (truth == said).astype(float), [*cells, *right], [*table.ravel(), *(table.sum(axis=1) * precision)]
    )
    found = noisy_bounds(Table.of(table), "accuracy", precision=precision)
    assert np.allclose((found.low, found.high), expected, **CLOSE)


@given(seeds, st.sampled_from(["f1", "recall", "precision", "specificity", "jaccard", "kappa", "accuracy"]))
@settings(max_examples=60)
def test_searching_two_classes_finds_what_the_programme_finds(seed, name):
    rng = np.random.default_rng(seed)
    table, a_g = Table.of(law(rng, 2, 2), task="binary"), rng.uniform(0.5, 1)
    question = parse(name if name != "accuracy" else "cohen_kappa")
    expected = programme_of(question, table, Budget(a_g)).extremes()
    found = two_class_extremes(question, table, a_g, Convention.EXCLUDE)
    if np.all(np.isfinite(expected)):
        assert np.allclose(found, expected, rtol=0, atol=2e-7)


def spent(table, budget, order):
    """Return wrong labels (2, 2) that use up the budget cell by cell."""
    wrong = np.zeros(4)
    for cell in order:
        wrong[cell] = min(table.ravel()[cell], budget - wrong.sum())
    return wrong.reshape(2, 2)


@given(seeds, st.sampled_from(["mcc", "f1", "macro f1", "r_k", "yule_q", "g_mean"]))
def test_no_truth_drawn_at_random_leaves_the_searched_range(seed, name):
    rng = np.random.default_rng(seed)
    table, a_g = law(rng, 2, 2), rng.uniform(0.6, 1)
    found = noisy_bounds(table, name, reference_accuracy=a_g)
    corners = np.array([spent(table, 1 - a_g, rng.permutation(4)) for _ in range(40)])
    wrong = np.tensordot(rng.dirichlet(np.full(40, 0.1), 200), corners, 1)
    values = np.asarray(evaluate(parse(name), Table(table - wrong + wrong[:, ::-1], "binary")))
    values = values[np.isfinite(values)]
    assert np.all((found.low - 1e-9 <= values) & (values <= found.high + 1e-9))


def sides_of(name, table, k):
    """Return numerator and denominator of a measure as functions of the true table (K, K)."""
    if name == "cohen_kappa":
        chance = np.repeat(table.sum(axis=0)[:, None] / table.sum(), k, axis=1)
        return np.eye(k) - chance, 1 - chance
    own = np.arange(k) == 1
    cells = [np.outer(t, p) for p, t in ((own, own), (own, ~own), (~own, own), (~own, ~own))]
    return tuple(np.tensordot(np.array(side), np.array(cells, float), 1) for side in parse(name).measure.linear)


@given(seeds, classes, st.booleans(), st.sampled_from(["f1", "recall", "specificity", "cohen_kappa"]))
@settings(max_examples=60)
def test_ratios_when_only_shares_of_right_labels_are_known(seed, k, by_precision, name):
    """The extreme value is met by a truth that fits, and by none surpassed: a programme without a ratio says so."""
    rng = np.random.default_rng(seed)
    table = Table.of(law(rng, k, k))
    budget = Budget(precision=rng.random(k)) if by_precision else Budget(rng.uniform(0.5, 1))
    question = parse(name)
    found = (
        programme_of(question, table, budget) if name == "cohen_kappa" else of_class(question.measure, 1, table, budget)
    )
    low, high = found.extremes()
    if not np.isfinite([low, high]).all():
        return
    truth, label, said = indicators(k, 3)
    cells = [((label == i) & (said == j)).astype(float) for i in range(k) for j in range(k)]
    if by_precision:
        more = [((label == i) & (truth == i)).astype(float) for i in range(k)]
        known = table.masses.sum(axis=1) * budget.precision
    else:
        more, known = [(label == truth).astype(float)], [budget.accuracy]
    top, bottom = (side[truth, said] for side in sides_of(name, table.masses, k))
    for value, sign in ((high, 1), (low, -1)):
        gap = programme(top - value * bottom, [*cells, *more], [*table.masses.ravel(), *known])
        assert abs(gap[1] if sign > 0 else gap[0]) < 1e-6  # top <= value bottom everywhere, and somewhere equal


@given(seeds, classes)
def test_the_difference_of_two_models(seed, k):
    rng = np.random.default_rng(seed)
    observed, a_g = law(rng, k, k, k), rng.random() if rng.random() < 0.5 else rng.uniform(0.8, 1)
    truth, label, a, b = indicators(k, 4)
    cells = [((label == x) & (a == y) & (b == z)).astype(float) for x in range(k) for y in range(k) for z in range(k)]
    objective = (a == truth).astype(float) - (b == truth)
    expected = programme(objective, [*cells, (label == truth).astype(float)], [*observed.ravel(), a_g])
    label, a, b = indicators(k, 3)
    only_a, only_b = observed[(label == a) & (a != b)].sum(), observed[(label == b) & (a != b)].sum()
    neither = observed[(label != a) & (label != b) & (a != b)].sum()
    assert np.allclose(difference_range(only_a, only_b, a_g, k, neither_differ=neither), expected, **CLOSE)


@given(seeds, classes)
def test_the_range_after_a_review(seed, k):
    rng = np.random.default_rng(seed)
    same, other, settled, wrong = law(rng, 4)
    open_mass = same + other
    wrong = rng.random() * open_mass
    right_settled = rng.random() * settled
    truth, label, said = indicators(k, 3)
    agree = (label == said).astype(float)
    equations = [agree, 1 - agree, (label != truth).astype(float)]
    expected = programme((truth == said).astype(float), equations, [same, other, wrong])
    observed = right_settled + same
    found = settled_range(observed, same, other, wrong, k)
    assert np.allclose(found, np.array(expected) + right_settled, **CLOSE)
    least, most = np.sort(rng.random(2)) * open_mass  # for every share in between
    each = [settled_range(observed, same, other, w, k) for w in np.linspace(least, most, 200)]
    low, high = settled_range(observed, same, other, (least, most), k)
    assert low == pytest.approx(min(e[0] for e in each), abs=open_mass / 100)
    assert high == pytest.approx(max(e[1] for e in each), abs=open_mass / 100)
    assert all(low - 1e-12 <= e[0] and e[1] <= high + 1e-12 for e in each)


@given(st.floats(0.5, 1), st.floats(0.55, 1), st.floats(-1, 1), classes)
def test_rho_solves_its_equation(a_m, a_g, rho, k):
    c = 1 / (k - 1)
    for a_t in accuracy_at_rho(a_m, a_g, rho, k):
        ends = min(a_t, a_g) if rho >= 0 else max(0.0, a_t + a_g - 1)
        both = (1 - abs(rho)) * a_t * a_g + abs(rho) * ends
        assert both + c * (1 - a_t - a_g + both) == pytest.approx(a_m, abs=1e-9)


@given(seeds, classes)
def test_rogan_gladen_is_the_margin(seed, k):
    rng = np.random.default_rng(seed)
    table, right = law(rng, k, k), rng.uniform(0.6, 0.99)
    transition = symmetric_transition(right, k)
    found = true_table(table, transition)
    assert np.allclose(found.prior, true_shares(table.sum(axis=1), transition))
    assert np.allclose(transition.T @ found.table.masses, table)
    assert found.refuted is bool((found.table.masses < -1e-12).any())
    if k == 2:
        apparent = table[1].sum()
        assert found.prior[1] == pytest.approx((apparent + right - 1) / (2 * right - 1))


@given(seeds, classes)
@settings(max_examples=15)
def test_em_stays_on_the_simplex_and_is_at_least_as_likely(seed, k):
    rng = np.random.default_rng(seed)
    table, transition = law(rng, k, k) * 100, symmetric_transition(0.8, k)
    found = true_table(table, transition, method="em", max_steps=3000)
    assert (found.table.masses >= 0).all()
    assert np.allclose(found.table.masses.sum(), 100)
    shares = table / 100

    def likelihood(masses):
        expected = transition.T @ (masses / masses.sum())
        return float(np.sum(shares[shares > 0] * np.log(expected[shares > 0])))

    assert found.log_likelihood == pytest.approx(likelihood(np.asarray(found.table.masses)), abs=1e-9)
    assert found.log_likelihood >= likelihood(table) - 1e-9
    raw = true_table(table, transition)
    if not raw.refuted:
        assert np.allclose(found.table.masses, raw.table.masses, atol=2e-2)


def test_the_delta_method_agrees_with_resampling():
    rng = np.random.default_rng(3)
    table = np.array([[240, 30, 12], [25, 310, 40], [8, 22, 213]])
    transition = symmetric_transition(0.9, 3)
    found = true_table(table, transition)
    draws = rng.multinomial(900, table.ravel() / 900, 600).reshape(-1, 3, 3)
    for name in ("accuracy", "macro f1", "r_k"):
        spread = np.std([true_table(draw, transition).compute(name) for draw in draws])
        assert found.interval(name).standard_error == pytest.approx(spread, rel=0.12)


def test_a_robust_order_says_from_which_accuracy_on():
    label = np.repeat([0, 1], 100)
    a, b = label.copy(), label.copy()
    a[:10], b[:50] = 1, 1
    ranking = ranking_is_robust(label, a, b, 0.95)
    assert ranking
    assert ranking.enough_reference_accuracy == pytest.approx(0.9)
    assert not ranking_is_robust(label, a, b, 0.89)
    assert difference_range(0.2, 0.0, 0.9)[0] == pytest.approx(0.0, abs=1e-12)
    assert "cannot turn this order" in str(ranking)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "exactly one"),
        ({"precision": [1, 1, 1], "reference_accuracy": 0.9}, "exactly one"),
        ({"precision": [1, 1]}, "one share for each"),
        ({"label_truth": np.eye(3) / 3}, "one population"),
        ({"transition": [[0, 1, 0], [1, 0, 0], [0, 0, 2]]}, "sum to 1"),
        ({"transition": symmetric_transition(0.4, 3)}, "refute"),
    ],
)
def test_what_cannot_be_known_is_told(options, words):
    table = [[40, 6, 4], [5, 20, 2], [3, 4, 16]]
    with pytest.raises(InputError, match=words):
        noisy_bounds(table, **options)


def test_a_range_that_is_not_known_is_refused():
    with pytest.raises(NotAnswerableError, match=r"r_k is not known.* if a transition matrix said which class"):
        noisy_bounds([[40, 6, 4], [5, 20, 2], [3, 4, 16]], "r_k", reference_accuracy=0.9)
    outer = noisy_bounds([[40, 6, 4], [5, 20, 2], [3, 4, 16]], "macro f1", reference_accuracy=0.9)
    assert outer.method == "outer"


def test_the_sampling_interval_of_the_range_takes_intervals_and_sizes():
    both = true_accuracy(0.9, 0.96, n=500, n_reference=300)
    again = true_accuracy(both.observed.value, 0.96, n=500, n_reference=300)
    assert both.interval == again.interval
    assert both.interval.low < both.low < both.high < both.interval.high
    known = true_accuracy(0.9, 0.96, n=500)
    assert "taken as known" in known.interval.note
    assert known.interval.width < both.interval.width


@given(st.floats(0, 1), classes)
def test_labels_that_are_never_wrong_leave_no_range(a_m, k):
    found = true_accuracy(a_m, 1.0, k, n=300, n_reference=50)
    assert found.low <= found.high == pytest.approx(a_m)
    assert found.low == pytest.approx(a_m)
    assert found.interval.low <= found.low
    assert "never wrong" in str(found)


def corner(objective, equations, values):
    """Return the law that a linear function likes best."""
    rows = np.array([row.ravel() for row in equations], float)
    return linprog(objective.ravel(), A_eq=rows, b_eq=values, bounds=(0, None), method="highs").x


@given(
    seeds,
    st.sampled_from(["macro f1", "macro recall", "macro precision", "macro jaccard", "multiclass_balanced_accuracy"]),
    st.booleans(),
    st.sampled_from(["exclude", "zero"]),
)
@settings(max_examples=25)
def test_no_truth_leaves_the_range_of_a_macro_average(seed, name, by_precision, convention):
    """Corners of the set of truths that fit, and what lies between them; no wider than each class by itself."""
    rng = np.random.default_rng(seed)
    k = 3
    table, precision, a_g = law(rng, k, k), rng.uniform(0.5, 1, k), rng.uniform(0.6, 1)
    truth, label, said = indicators(k, 3)
    cells = [(label == i) & (said == j) for i in range(k) for j in range(k)]
    if by_precision:
        known = {"precision": precision}
        more, values = [(label == i) & (truth == i) for i in range(k)], table.sum(axis=1) * precision
    else:
        known = {"reference_accuracy": a_g}
        more, values = [label == truth], [a_g]
    found = noisy_bounds(Table.of(table), name, convention=convention, **known)
    values = [*table.ravel(), *values]
    corners = np.array([corner(rng.normal(size=(k, k, k)), [*cells, *more], values) for _ in range(30)])
    laws = np.vstack([corners, rng.dirichlet(np.full(30, 0.1), 100) @ corners]).clip(0).reshape(-1, k, k, k)
    seen = np.asarray(evaluate(parse(name), Table(laws.sum(axis=2)), Convention(convention)))  # axes: law, truth, label
    seen = seen[np.isfinite(seen)]
    assert np.all((found.low - 1e-6 <= seen) & (seen <= found.high + 1e-6))
    budget = Budget(precision=precision) if by_precision else Budget(a_g)
    measure = measure_of_macro(parse(name), Table.of(table))
    parts = programmes_of_parts(parse(name), measure, Table.of(table), budget)
    alone = np.array([part.extremes() for part in parts])
    if not np.isnan(alone).any() and all(denominator_range(part)[0] > 1e-6 for part in parts):
        low, high = alone.mean(axis=0)
        assert low - 1e-7 <= found.low <= found.high <= high + 1e-7


def test_classes_share_one_budget_of_label_errors():
    table = np.full((10, 10), 8) + np.eye(10) * 920
    found = noisy_bounds(table, "macro f1", reference_accuracy=0.95)
    assert 0.95 < found.high < 1.0  # accuracy is at most 0.978, and each class alone could have an F1 of 1
    assert found.low > 0.8
    assert str(found).endswith("(outer ends: the sharp range may be narrower)")
    assert noisy_bounds(table, "macro f1", reference_accuracy=1.0).width < 1e-7
    assert noisy_bounds(table, "accuracy", reference_accuracy=0.95).note == ""


@given(
    seeds, st.sampled_from(["f1", "recall", "macro f1", "macro recall", "multiclass_balanced_accuracy"]), st.booleans()
)
@settings(max_examples=25)
def test_grades_have_the_ranges_of_their_thresholds(seed, name, by_precision):
    rng = np.random.default_rng(seed)
    k = 3
    table = Table.of(law(rng, k, k), task="ordinal")
    value = float(evaluate(parse(name), table))
    exact = {"precision": np.ones(k)} if by_precision else {"reference_accuracy": 1.0}
    found = noisy_bounds(table, name, **exact)
    assert (found.low, found.high) == pytest.approx((value, value), abs=1e-6)
    truth, label, said = indicators(k, 3)
    cells = [(label == i) & (said == j) for i in range(k) for j in range(k)]
    values = [*table.masses.ravel(), 0.8]
    laws = np.array([corner(rng.normal(size=(k, k, k)), [*cells, label == truth], values) for _ in range(30)]).clip(0)
    seen = np.asarray(evaluate(parse(name), Table(laws.reshape(-1, k, k, k).sum(axis=2), "ordinal")))
    seen = seen[np.isfinite(seen)]
    found = noisy_bounds(table, name, reference_accuracy=0.8)
    assert np.all((found.low - 1e-6 <= seen) & (seen <= found.high + 1e-6))


def test_grades_have_no_range_of_what_is_no_ratio():
    with pytest.raises(NotAnswerableError, match="the range of macro mcc is not known"):
        noisy_bounds(
            Table(np.array([[30, 2, 1], [3, 20, 2], [0, 1, 2]]), "ordinal"), "macro mcc", reference_accuracy=0.9
        )


def test_a_class_that_may_be_absent_widens_the_range_by_what_stands_for_it():
    """Three items of the last class, and six labels that may be wrong."""
    table = [[30, 2, 1], [3, 20, 2], [0, 1, 2]]
    found = {c: noisy_bounds(table, "macro recall", reference_accuracy=0.9, convention=c.value) for c in Convention}
    for name, range_ in found.items():
        assert range_.low <= found[Convention.NAN].low, name  # an undefined mean has no place in a range
        assert range_.high >= found[Convention.NAN].high, name


@pytest.mark.parametrize(
    ("table", "question", "right"),
    [
        ([[0, 150, 53], [0, 0, 0], [0, 54, 1000]], "macro jaccard", 0.999999999),
        ([[0, 0, 0], [70, 8075695, 869], [138, 924, 13187]], "macro fbeta 1000", 1.0),
        (np.diag(np.arange(1, 6)) + 1, "macro specificity", 0.0),
    ],
)
def test_where_the_programme_gives_up_the_ends_of_the_classes_hold(table, question, right):
    found = noisy_bounds(table, question, reference_accuracy=right)
    assert 0 <= found.low <= found.high <= 1
    value = float(evaluate(parse(question), Table.of(table)))
    if right > 0.5:
        assert found.low - 1e-6 <= value <= found.high + 1e-6
