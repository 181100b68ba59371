"""What priors and orders of two models refuse, and the ways through them that few data take."""

import numpy as np
import pytest

from softtruth import (
    IndicatorMatrix,
    InputError,
    Measure,
    NotAnswerableError,
    Table,
    crossing_prior,
    estimate_prior,
    label_shift_test,
    prior_curve,
    under_prior,
)
from softtruth.corrections.order_at_priors import MOST_CLASSES, order_at_priors
from softtruth.corrections.order_under_noise import MOST_CLASSES as MOST
from softtruth.corrections.order_under_noise import order_under_noise
from softtruth.measures import macro

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 50)
EAGER = IndicatorMatrix(Y, np.where(RNG.random(100) < 0.2, 1, Y), "binary")
CAREFUL = IndicatorMatrix(Y, np.where(RNG.random(100) < 0.2, 0, Y), "binary")
LABELS = np.arange(60) % 3


def three(seed, **more):
    wrong = np.random.default_rng(seed).random(60) < 0.3
    return IndicatorMatrix(LABELS, np.where(wrong, (LABELS + 1) % 3, LABELS), n_classes=3, **more)


def many(seed, k=MOST_CLASSES + 1):
    y = np.arange(k)
    return IndicatorMatrix(y, np.random.default_rng(seed).permutation(k), n_classes=k)


def tags(seed):
    return IndicatorMatrix(np.eye(3)[LABELS], np.random.default_rng(seed).integers(0, 2, (60, 3)), "multilabel")


def soft(seed):
    return IndicatorMatrix(LABELS, np.random.default_rng(seed).dirichlet(np.ones(3), 60), coupling="independent")


def never(seed):
    return IndicatorMatrix(LABELS % 2, np.random.default_rng(seed).integers(0, 3, 60), n_classes=3)


def nothing(_):
    return IndicatorMatrix(np.zeros(0, int), np.zeros(0, int), "multiclass", n_classes=3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: order_at_priors(many(0), many(1), "accuracy"), "the order at other priors is not looked for"),
        (lambda: order_at_priors(three(0), three(1), "accuracy", label=3), "label is 3, expected the position of"),
        (lambda: order_at_priors(never(0), never(1), "accuracy", label=2), "class 2 is never there"),
        (lambda: order_under_noise(tags(0), tags(1), "micro f1"), "label noise is taken up one question at a time"),
        (lambda: order_under_noise(three(0), three(1), "exemplar f1"), "the truth of each is not known"),
        (lambda: order_under_noise(soft(0), soft(1), "accuracy"), "one side here is soft"),
        (lambda: order_under_noise(nothing(0), nothing(1), "accuracy"), "there are no items"),
        (lambda: order_under_noise(many(0, MOST + 1), many(1, MOST + 1), "r_k"), "under label noise is not looked for"),
        (lambda: under_prior(EAGER, 0.2).interval("f1", method="guess"), "method 'guess' is not known"),
        (lambda: crossing_prior(three(0), three(1), "accuracy"), r"pass path=\(start, end\)"),
    ],
)  # fmt: skip
def test_refused(call, words):
    with pytest.raises((InputError, NotAnswerableError), match=words):
        call()


def test_a_model_beside_itself_is_level_everywhere():
    assert str(crossing_prior(EAGER, EAGER, "f1")) == "micro f1: the two are equal at every prior"


def test_a_measure_with_no_better_end_prefers_neither():
    words = "micro predicted_prevalence: the two are never equal, and the measure says of neither that it is better"
    assert str(crossing_prior(EAGER, CAREFUL, "predicted_prevalence")) == words


def test_a_class_that_is_not_there_has_no_crossing():
    sides = (IndicatorMatrix(np.zeros(10, int), np.arange(10) % k > 0, "binary") for k in (2, 3))
    with pytest.raises(InputError, match="class 1 does not occur in the data, so its rates are unknown"):
        crossing_prior(*sides, "accuracy")


def test_models_that_exchange_two_classes_meet_half_way():
    early = np.arange(60) < 30
    one, two = (np.where((k == LABELS) & early, 2, LABELS) for k in (0, 1))
    path = [0.5, 0.25, 0.25], [0.25, 0.5, 0.25]
    found = crossing_prior(*(IndicatorMatrix(LABELS, p, n_classes=3) for p in (one, two)), "accuracy", path=path)
    assert found.positions == pytest.approx([0.5])
    assert found.better == ("second", "first")


def test_values_that_jump_past_each_other_swap_places_without_being_equal():
    """Accuracy, 0.3 + 0.6 prior and its complement, passes a half at the prior 1/3: one way for either model."""
    above = Measure("above", lambda c: 1.0 * (c.tp + c.tn > c.fp + c.fn))
    model = np.repeat([1, 0, 1, 0], [35, 15, 45, 5])
    sides = [IndicatorMatrix(Y, p, "binary") for p in (model, 1 - model)]
    assert [list(prior_curve(side, macro(above), [0.3, 0.4]).values) for side in sides] == [[0, 1], [1, 0]]
    found = crossing_prior(*sides, macro(above))
    assert found.positions == pytest.approx([1 / 3])
    assert found.better == ("second", "first")
    assert "swap places, by a jump, at the prevalence 0.3333; better is second, then first" in str(found)


def test_a_prior_on_the_edge_has_no_linear_error():
    found = estimate_prior(IndicatorMatrix(Y, Y, "binary"), [0] * 40).intervals()[0]
    assert found.value == 0
    assert found.note == "the frequency lies on the edge, where linearisation says nothing; ask for replicates()"


def test_an_estimate_that_was_stopped_has_no_intervals():
    target = np.random.default_rng(1).dirichlet(np.ones(3), 40)
    found = estimate_prior(soft(0), target, method="mlls", max_steps=1).intervals()
    note = "the estimated prior was stopped short of the maximum; give it more max_steps"
    assert [each.note for each in found] == [note] * 3


def test_a_table_and_its_examples_give_one_error():
    counts, target = [[30, 10], [5, 55]], [1] * 60 + [0] * 90
    table = IndicatorMatrix.of(Table(np.array(counts, float), "binary", counts=True))
    sides = (np.repeat(side, np.ravel(counts)) for side in ([0, 0, 1, 1], [0, 1, 0, 1]))
    one, other = (
        under_prior(each, estimate_prior(each, target)).interval("precision")
        for each in (table, IndicatorMatrix(*sides, "binary"))
    )
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_what_no_prior_moves_crosses_nowhere():
    found = crossing_prior(EAGER, CAREFUL, "recall")
    assert found.verdict == "never"
    assert found.positions.size == 0


def test_the_order_of_three_classes_along_the_frequency_of_one():
    order = order_at_priors(three(0), three(1), "macro f1", label=1)
    assert order.label == "1"
    assert order.own == pytest.approx(1 / 3)
    assert ((order.low <= order.values) & (order.values <= order.high)).all()
    weighted = order_at_priors(
        three(0, sample_weight=np.full(60, 2.0)), three(1, sample_weight=np.full(60, 2.0)), "macro f1", label=1
    )  # two models
    np.testing.assert_allclose(weighted.values, order.values, rtol=1e-12)


def test_weights_of_classes():
    binary = under_prior(EAGER, 0.1)
    assert binary.own_prior == pytest.approx(0.5)
    np.testing.assert_allclose(binary.weights, [0.9 / 0.5, 0.1 / 0.5])
    labels = under_prior(tags(0), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(labels.weights[1], np.array([0.1, 0.2, 0.3]) * 3)
    np.testing.assert_allclose(under_prior(three(0), [0.5, 0.25, 0.25]).weights, [1.5, 0.75, 0.75])


def test_an_order_that_noise_turns_and_one_that_it_does_not():
    y = [1] * 100 + [0] * 400
    eager = IndicatorMatrix(y, [1] * 90 + [0] * 10 + [1] * 60 + [0] * 340, "binary")
    careful = IndicatorMatrix(y, [1] * 60 + [0] * 40 + [1] * 10 + [0] * 390, "binary")
    order = order_under_noise(eager, careful, "f1")
    assert 0 < order.turns_at < order.rates[-1]
    assert np.isnan(order.sure_up_to)
    same = order_under_noise(eager, eager, "f1")
    assert np.isnan(same.turns_at)
    wrong = IndicatorMatrix(y, [0] * 90 + [1] * 10 + [1] * 60 + [0] * 340, "binary")
    sure = order_under_noise(eager, wrong, "f1")
    assert sure.sure_up_to > 0


def bits(seed, n=200):
    y = np.random.default_rng(seed).integers(0, 2, n)
    return y, np.clip(0.5 * y + 0.5 * np.random.default_rng(seed + 1).random(n), 0.01, 0.99)


def test_clusters_widen_the_test_of_label_shift():
    y, p = bits(0)
    groups, target = np.arange(200) // 10, bits(5)[1]
    alone, clustered = (
        label_shift_test(IndicatorMatrix(y, p, "binary", coupling="independent", clusters=c), target)
        for c in (None, groups)
    )
    assert 0 <= clustered.p_value <= 1
    assert clustered.p_value != alone.p_value


def test_a_class_that_nobody_predicts_on_one_side_is_a_bin_of_its_own():
    y = np.repeat([0, 1, 2], 40)
    scores = np.eye(3)[np.where(y == 2, 1, y)] * 0.8 + 0.2 / 3
    source = IndicatorMatrix(y, scores, "multiclass", coupling="independent")
    found = label_shift_test(source, np.eye(3)[np.arange(90) % 3] * 0.8 + 0.2 / 3)
    assert found.bins == 2
    assert np.isnan(found.p_value)  # the two classes that are left have one score each, which tells nothing


def test_probabilities_that_are_never_wrong_have_no_temperature():
    y = np.repeat([0, 1], 30)
    source = IndicatorMatrix(y, np.where(y == 1, 0.9, 0.1), "binary", coupling="independent")
    with pytest.raises(InputError, match="tell its classes apart without error"):
        estimate_prior(source, bits(3)[1], method="mlls", calibrate=True)


def test_how_much_the_rates_of_labels_magnify_errors():
    found = estimate_prior(tags(0), np.random.default_rng(1).integers(0, 2, (50, 3)))
    assert np.shape(found.solution.condition) == (3,)
    classes = estimate_prior(three(0), LABELS)
    assert classes.solution.condition == pytest.approx(np.linalg.cond(classes.solution.rates))


def test_a_curve_at_no_prior_is_empty():
    curve = prior_curve(EAGER, "f1", [], level=0.95)
    assert [len(curve), curve.values.size, curve.low.size] == [0, 0, 0]


def test_a_prior_estimated_with_other_examples_varies_on_its_own():
    answers = np.repeat([0, 1], 1000)
    one, other = (  # nearly the same examples, drawn apart
        IndicatorMatrix(y, np.where(np.arange(2000) % 5, y, 1 - y), "binary") for y in (answers, np.r_[answers[1:], 0])
    )
    question = under_prior(other, estimate_prior(one, [1] * 600 + [0] * 900))
    plain = question.interval("precision")
    drawn = question.interval("precision", method="percentile", draws=4000)
    assert drawn.standard_error == pytest.approx(plain.standard_error, rel=0.1)


def test_replicates_of_sums():
    table = IndicatorMatrix.of(Table(np.array([[30.0, 10.0], [5.0, 55.0]]), "binary", counts=True))
    found = under_prior(table, 0.2).interval("precision", method="percentile", draws=200)
    assert found.low < found.value < found.high
    cells = IndicatorMatrix.of(tags(0).cells)
    with pytest.raises(NotAnswerableError, match="cells do not say how the labels of an example hang together"):
        under_prior(cells, [0.1, 0.2, 0.3]).interval("macro f1", method="percentile", draws=50)
    with pytest.raises(NotAnswerableError, match="are more than are held at once"):
        under_prior(three(0), [0.2, 0.3, 0.5]).interval("accuracy", method="percentile", draws=10**7)


def test_the_target_of_a_problem_has_its_shape():
    for target, words in (
        (np.zeros((2, 2, 2)), "expected .N,. or .N, K."),
        (np.zeros((0, 3)), "target has no rows"),
    ):
        with pytest.raises(InputError, match=words):
            estimate_prior(three(0), target)
    with pytest.raises(InputError, match="expected a column for each of 3 labels"):
        estimate_prior(tags(0), np.zeros((4, 2), int))
