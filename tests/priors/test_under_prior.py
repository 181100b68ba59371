"""Another prior: known values, and the laws that hold for every measure, operator, convention and task."""

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
    NotAnswerableError,
    Table,
    prior_curve,
    prior_path,
    under_prior,
)
from softtruth.measures import OPERATORS, Measure, list_measures, macro, micro, parse, weighted

GOLDEN = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "golden/priors.json").read_text())["values"]}
QUESTIONS = [o(m) for m in list_measures() if m.takes_operator for o in (micro, macro, weighted)]
QUESTIONS += [m for m in list_measures() if not m.takes_operator]
SHIFTABLE = ("binary", "multiclass", "multilabel")  # thresholds between grades are no classes
shiftable = st.sampled_from([{}, {"coupling": "independent"}])


def same_bits(a, b):
    return np.float64(a).tobytes() == np.float64(b).tobytes() or (np.isnan(a) and np.isnan(b))


def of_counts(inputs):
    return Cells.of(inputs["tp"], inputs["fp"], inputs["fn"], inputs["tn"])


# --- known values ---------------------------------------------------------------------------------------------------


def test_the_code_of_the_document():
    y = np.array([1] * 80 + [0] * 120)
    p = np.array([1] * 60 + [0] * 20 + [1] * 30 + [0] * 90)
    im = IndicatorMatrix(y, p, task="binary")
    shifted = under_prior(im, 0.05)
    assert round(im.compute("precision"), 3) == 0.667
    assert round(shifted.compute("precision"), 3) == 0.136
    assert shifted.compute("recall") == im.compute("recall")
    assert shifted.compute("precision") == pytest.approx(3 / 22, abs=1e-14)
    assert shifted.accuracy() == pytest.approx(0.75)
    assert shifted.counts == pytest.approx((7.5, 47.5, 2.5, 142.5))
    assert shifted.per_class().shape == (1, 4)
    assert (shifted.prior, shifted.own_prior) == (0.05, 0.4)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("shift-mcc", "mcc"),
        ("shift-kappa", "kappa"),
        ("shift-accuracy", "accuracy"),
        ("shift-informedness", "informedness"),
        ("shift-markedness", "markedness"),
        ("shift-lr_plus", "lr_plus"),
        ("seed-precision-0.05", "precision"),
        ("seed-recall-0.05", "recall"),
    ],
)
def test_binary_values(name, measure):
    case = next(v for key, v in GOLDEN.items() if name.endswith(key) or key.endswith(name))
    found = under_prior(of_counts(case["inputs"]), case["inputs"]["prior"]).compute(measure)
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def test_one_against_the_rest_moves_with_three_classes():
    case = GOLDEN["shift-multiclass-specificity"]
    table = Table.of(case["inputs"]["table"])
    shifted = under_prior(table, case["inputs"]["prior"])
    assert IndicatorMatrix.of(table).parts("specificity") == pytest.approx(case["expected"]["before"], abs=1e-13)
    assert shifted.parts("specificity") == pytest.approx(case["expected"]["after"], abs=1e-13)


def test_soft_values():
    case = GOLDEN["shift-soft"]
    im = IndicatorMatrix(case["inputs"]["y"], case["inputs"]["p"], task="binary", tnorm="product")
    shifted = under_prior(im, case["inputs"]["prior"])
    for measure, value in case["expected"].items():
        assert shifted.compute(measure) == pytest.approx(value, abs=case["tolerance"])


def test_a_balanced_test_set_where_positives_are_rare():
    case = GOLDEN["case-S1"]
    confusion = case["inputs"]["confusion"]
    for name, value in case["expected"].items():
        measure, _, prior = name.partition("@")
        found = under_prior(Table.of(confusion, task="binary"), 0.01 if prior == "1/100" else 0.5)
        assert found.compute(measure) == pytest.approx(value, abs=1e-12)


def test_a_class_that_is_absent_in_the_target():
    case = GOLDEN["case-S3"]
    shifted = under_prior(Table.of(case["inputs"]["confusion"]), case["inputs"]["prior"])
    for name, value in case["expected"].items():
        measure, _, convention = name.replace("macro_", "macro ").partition("/")
        assert shifted.compute(measure, convention=convention or "exclude") == pytest.approx(value, abs=1e-12)
    assert np.isnan(shifted.parts("recall")[2])


# --- laws -----------------------------------------------------------------------------------------------------------


@given(
    problem=draw.problems(tasks=SHIFTABLE, couplings=shiftable, least=1, masked=False),
    convention=st.sampled_from(draw.CONVENTIONS),
)
def test_the_prior_of_the_data_changes_no_bit(problem, convention):
    im = problem.build()
    shifted = _at_own(im)
    assume(shifted is not None)
    for question in QUESTIONS:
        try:
            expected = im.compute(question, convention=convention)
        except NotAnswerableError:
            continue
        assert same_bits(shifted.compute(question, convention=convention), expected), str(question)
    assert shifted.counts == im.counts
    np.testing.assert_array_equal(shifted.per_class(), im.per_class())
    np.testing.assert_array_equal(shifted.parts("f1"), im.parts("f1"))


def _at_own(im):
    from softtruth.corrections.priors import Source

    own = Source.of(im).prior
    if np.isnan(own).any():
        return None
    return under_prior(im, float(own[0]) if im.task == "binary" else own)


def test_frequencies_that_a_user_computes_are_those_of_the_data():
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 4, 307), rng.integers(0, 4, 307)
    im = IndicatorMatrix(y, p)
    for prior in (np.bincount(y) / 307, [np.mean(y == k) for k in range(4)]):
        assert under_prior(im, prior).compute("macro f1") == im.compute("macro f1")
    votes = rng.dirichlet(np.ones(3), 100)
    soft = IndicatorMatrix(votes, rng.integers(0, 3, 100))
    assert under_prior(soft, votes.mean(axis=0)).compute("macro f1") == soft.compute("macro f1")


@given(
    masses=draw.table_masses(st.integers(0, 60).map(float), least_classes=2),
    weights=st.lists(st.floats(1e-6, 1.0), min_size=4, max_size=4),
)
def test_what_no_prior_can_move_keeps_its_bits(masses, weights):
    rows = masses.sum(axis=1)
    assume((rows > 0).all())
    k = len(masses)
    prior = np.array(weights[:k]) / sum(weights[:k])
    table = Table.of(masses)
    im, shifted = IndicatorMatrix.of(table), under_prior(table, prior)
    for measure in list_measures(skew_invariant=True):
        if not measure.takes_operator:
            assert same_bits(shifted.compute(measure), im.compute(measure)), measure.name
        elif k == 2 or measure.name in {"recall", "fnr"}:
            assert same_bits(shifted.compute(macro(measure)), im.compute(macro(measure))), measure.name
            np.testing.assert_array_equal(shifted.parts(measure), im.parts(measure))
    if k == 2:
        one = IndicatorMatrix.of(Table.of(masses, task="binary"))
        for operator in (micro, macro, weighted):
            for measure in list_measures(skew_invariant=True, takes_operator=True):
                found = under_prior(one, float(prior[1])).compute(operator(measure))
                assert same_bits(found, one.compute(operator(measure))), measure.name


def test_a_prior_of_zero_erases_only_what_needs_the_class():
    one = IndicatorMatrix.of(Table.of([[71, 30], [8, 43]], task="binary"))
    for measure, prior in (("specificity", 0.0), ("fpr", 0.0), ("recall", 1.0), ("fnr", 1.0)):
        assert same_bits(under_prior(one, prior).compute(measure), one.compute(measure))
        assert np.isnan(under_prior(one, 1 - prior).compute(measure))
    three = IndicatorMatrix.of(Table.of([[23, 4, 1], [3, 9, 6], [0, 2, 11]]))
    found = under_prior(three, [0.3, 0.7, 0.0]).parts("recall")
    np.testing.assert_array_equal(found[:2], three.parts("recall")[:2])
    assert np.isnan(found[2])
    curve = prior_curve(three, "macro recall", [[0.3, 0.7, 0.0], [0.5, 0.3, 0.2]])
    assert curve.values[0] == three.parts("recall")[:2].mean()
    assert same_bits(curve.values[1], three.compute("macro recall"))


def test_every_other_measure_moves():
    one = IndicatorMatrix.of(Table.of([[70, 30], [8, 42]], task="binary"))
    stays = {m.name for m in list_measures(skew_invariant=True)}
    for question in QUESTIONS:
        measure = question if isinstance(question, Measure) else question.measure
        moved = under_prior(one, 0.05).compute(question) != one.compute(question)
        assert moved == (measure.name not in stays), str(question)


@given(
    problem=draw.problems(tasks=SHIFTABLE, couplings=shiftable, least=2, masked=False),
    weights=st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4),
)
def test_values_are_those_of_reweighted_examples(problem, weights):
    """Label shift changes labels and weights: y'_k in proportion to (q_k / pi_k) y_k, and their sum as weight."""
    from softtruth.corrections.priors import Source

    im = problem.build()
    source = Source.of(im)
    assume((source.sizes > 0).all())
    k = source.prior.size
    given_prior = np.array(weights[:k]) / (sum(weights[:k]) if source.by_table else 2.0)
    shifted = under_prior(im, float(given_prior[0]) if im.task == "binary" else given_prior)
    soft = problem.reference
    own = np.ones(len(problem)) if problem.weight is None else problem.weight
    if im.task == "multiclass":
        y = np.eye(k)[soft] if soft.ndim == 1 else soft
        ratio = y * (given_prior / source.prior)
        total = ratio.sum(axis=1)
        again = IndicatorMatrix(
            ratio / total[:, None],
            problem.prediction,
            "multiclass",
            sample_weight=own * total,
            n_classes=k,
            **problem.coupling,
        )
        cells = np.asarray(again.cells.masses)
    else:
        y = soft.reshape(len(problem), k)
        more, less = y * (given_prior / source.prior), (1 - y) * ((1 - given_prior) / (1 - source.prior))
        total = more + less
        columns = [
            IndicatorMatrix(
                np.divide(more[:, j], total[:, j]),
                problem.prediction.reshape(len(problem), k)[:, j],
                "binary",
                sample_weight=own * total[:, j],
                **problem.coupling,
            ).cells.masses
            for j in range(k)
        ]
        cells = np.concatenate(columns, axis=1)
    np.testing.assert_allclose(shifted.per_class().T, cells, rtol=1e-9, atol=1e-9 * cells.sum())


shares = st.one_of(st.just(0.0), st.floats(1e-6, 1.0))


@given(masses=draw.table_masses(draw.positive_masses), weights=st.lists(shares, min_size=4, max_size=4))
def test_rungs_agree(masses, weights):
    k = len(masses)
    assume(sum(weights[:k]) > 0)
    prior = np.array(weights[:k]) / sum(weights[:k])
    table = Table.of(masses)
    shifted = under_prior(table, prior)
    again = IndicatorMatrix.of(Table.of(masses * (prior / (masses.sum(axis=1) / masses.sum()))[:, None]))
    for question in QUESTIONS:
        assert shifted.compute(question) == pytest.approx(again.compute(question), rel=1e-7, abs=1e-9, nan_ok=True), (
            str(question)
        )
    if k == 2:
        cells = under_prior(Cells(table.cells.masses[:, 1:], "binary"), float(prior[1]))
        both = under_prior(Table.of(masses, task="binary"), float(prior[1]))
        for question in QUESTIONS:
            assert cells.compute(question) == pytest.approx(both.compute(question), rel=1e-12, abs=1e-12, nan_ok=True)


def test_each_label_has_its_own_prevalence_and_keeps_its_weight():
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, (200, 3)), rng.integers(0, 2, (200, 3))
    mask = rng.random((200, 3)) < 0.8
    im = IndicatorMatrix(y, p, "multilabel", mask=mask)
    prior = [0.01, 0.5, 0.9]
    shifted = under_prior(im, prior)
    cells = shifted.per_class()
    assert (cells[:, 0] + cells[:, 2]) / cells.sum(axis=1) == pytest.approx(prior)
    assert cells.sum(axis=1) == pytest.approx(mask.sum(axis=0))
    for j in range(3):
        alone = under_prior(IndicatorMatrix(y[mask[:, j], j], p[mask[:, j], j], "binary"), prior[j])
        assert shifted.parts("f1")[j] == pytest.approx(alone.compute("f1"), abs=1e-14)
    np.testing.assert_array_equal(shifted.parts("specificity"), im.parts("specificity"))


def test_classes_that_take_part_are_those_of_the_data():
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    im = IndicatorMatrix(y, p, subset=[1, 3])
    shifted = under_prior(im, [0.1, 0.2, 0.3, 0.4])
    assert shifted.compute("macro f1") == pytest.approx(shifted.parts("f1").mean())
    assert shifted.parts("f1").shape == (2,)
    assert shifted.compute("micro recall") == pytest.approx(
        sum(shifted.per_class()[[1, 3], 0]) / sum(shifted.per_class()[[1, 3]][:, [0, 2]].ravel())
    )


def test_priors_by_name():
    im = IndicatorMatrix(["cat", "dog", "cat", "cow"], ["cat", "cat", "cow", "cow"], labels=["cat", "dog", "cow"])
    by_name = under_prior(im, {"cow": 0.2, "cat": 0.7, "dog": 0.1})
    assert by_name.prior.tolist() == [0.7, 0.1, 0.2]
    one = IndicatorMatrix(["no", "yes"], ["no", "yes"], "binary", labels=["no", "yes"])
    assert under_prior(one, {"yes": 0.1}).prior == under_prior(one, {"no": 0.9, "yes": 0.1}).prior == 0.1


@given(st.floats(0.0, 1.0))
def test_classes_that_are_not_named_stand_to_each_other_as_in_the_data(share):
    three = Table.of([[6, 1, 1], [1, 2, 1], [0, 2, 2]])  # 0.5, 0.25, 0.25
    assert under_prior(three, {0: share}).prior == pytest.approx([share, (1 - share) / 2, (1 - share) / 2], abs=2e-6)
    assert under_prior(three, {0: 0.5}).prior.tolist() == three.prior.tolist()
    rest = 1 - share
    assert under_prior(three, {1: share / 2, 2: share / 2}).prior == pytest.approx(
        [rest, share / 2, share / 2], abs=2e-6
    )
    binary = IndicatorMatrix(["no", "yes"], ["no", "yes"], "binary", labels=["no", "yes"])
    assert under_prior(binary, {"no": share}).prior == pytest.approx(rest, abs=2e-6)
    labels = IndicatorMatrix([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [1, 0]], labels=["a", "b"], task="multilabel")
    assert under_prior(labels, {"b": share}).prior == pytest.approx([2 / 3, share])


def test_masses_of_extreme_size():
    ordinary = under_prior(Table.of([[8, 2], [1, 9]]), [0.9, 0.1])
    for factor in (1e-250, 1e250):
        shifted = under_prior(Table.of(np.array([[8, 2], [1, 9]]) * factor), [0.9, 0.1])
        assert shifted.compute("mcc", "macro") == pytest.approx(ordinary.compute("mcc", "macro"))
        assert shifted.counts.tp == pytest.approx(ordinary.counts.tp * factor)


def test_signature_names_the_prior():
    im = IndicatorMatrix([1, 0, 1, 0], [1, 0, 0, 0], "binary")
    assert " prior=0.05 softtruth=" in under_prior(im, 0.05).signature("f1")
    assert "prior=0.2,0.8" in under_prior(Table.of([[3, 1], [1, 3]]), [0.2, 0.8]).signature("macro f1")
    assert repr(under_prior(im, 0.05)).endswith("prior=0.05)")


def test_a_pair_of_frequencies_is_a_prevalence():
    assert under_prior(BINARY, [0.95, 0.05]).prior == 0.05
    assert prior_curve(BINARY, "f1", [[0.95, 0.05], [0.5, 0.5]]).priors.tolist() == [0.05, 0.5]
    assert prior_curve(BINARY, "f1", [0.95, 0.05]).priors.tolist() == [0.95, 0.05]  # two prevalences


# --- refusals -------------------------------------------------------------------------------------------------------

BINARY = IndicatorMatrix([1, 1, 0, 0], [1, 0, 0, 1], "binary")
THREE = Table.of([[3, 1, 0], [1, 3, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("problem", "prior", "sentence"),
    [
        (BINARY, 1.5, "prior contains 1.5, expected frequencies between 0 and 1"),
        (BINARY, -0.1, "prior contains -0.1"),
        (BINARY, float("nan"), "prior contains nan"),
        (BINARY, [0.2, 0.3, 0.5], "prior has shape (3,), expected the prevalence of the positive class"),
        (BINARY, [0.5, 0.6], "prior sums to 1.1, expected 1; divide by the sum if these are counts"),
        (BINARY, [-0.1, 1.1], "prior contains 1.1, expected frequencies between 0 and 1"),
        (BINARY, "often", "prior 'often' is not a number for each class"),
        (BINARY, {"yes": 0.5}, "prior names 'yes', expected frequencies of 0, 1"),
        (BINARY, {}, "prior names no class, expected frequencies of 0, 1"),
        (BINARY, {0: "often"}, "prior {0: 'often'} is not a number for each class"),
        (BINARY, {0: 1.5}, "prior gives 1.5 to 0, expected at most 1"),
        (THREE, {0: 0.7, 1: 0.5}, "prior gives 1.2 to 0, 1 together, expected at most 1"),
        (THREE, {0: 0.7, 1: 0.2}, "prior leaves 0.1 to 2, which do not occur in the data; give it to others"),
        (THREE, {0: -0.1}, "prior contains -0.1"),
        (BINARY, {0: 0.5, 1: 0.6}, "prior sums to 1.1, expected 1"),
        (THREE, [0.5, 0.3, 0.3], "prior sums to 1.1, expected 1; divide by the sum if these are counts"),
        (THREE, [0.5, 0.5], "prior has shape (2,), expected 3 class frequencies. A dict names them: {0: ..., 1: ..."),
        (THREE, 0.5, "prior is the one number 0.5, expected 3 class frequencies."),
        (
            THREE,
            [0.5, 0.3, 0.2],
            "class 2 does not occur in the data, so its rates are unknown, but the prior gives it 0.2",
        ),
        (IndicatorMatrix([1, 1], [1, 0], "binary"), 0.5, "class 0 does not occur in the data"),
        (IndicatorMatrix([0, 0], [1, 0], "binary"), 0.5, "class 1 does not occur in the data"),
        (3, 0.5, "3 cannot be put under another prior; expected an IndicatorMatrix, a Table or Cells"),
    ],
)
def test_bad_priors_are_refused(problem, prior, sentence):
    with pytest.raises(InputError) as refused:
        under_prior(problem, prior)
    assert sentence in str(refused.value)


def test_a_missing_class_may_stay_missing():
    shifted = under_prior(THREE, [0.9, 0.1, 0.0])
    assert shifted.compute("accuracy") == pytest.approx(0.75)
    assert under_prior(IndicatorMatrix([1, 1], [1, 0], "binary"), 1.0).compute("recall") == 0.5


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            lambda: IndicatorMatrix([0, 1, 2], [0, 1, 1], mask=[True, True, False]),
            "the mask leaves out 1 rows of multiclass",
        ),
        (
            lambda: IndicatorMatrix([0.5, 0.2], [0.5, 0.9], "binary", tnorm="godel"),
            "the coupling 'raw godel' of a soft",
        ),
        (lambda: IndicatorMatrix([0.5, 0.2], [0.5, 0.9], "binary", coupling="most"), "the coupling 'most' of a soft"),
        (
            lambda: IndicatorMatrix([0, 1, 2, 1], [0, 1, 1, 2], "ordinal"),
            "ordinal data cannot be put under another prior",
        ),
        (lambda: Table.of([[1, 1, 1]] * 3).cells, "cells of more than two classes do not say"),
    ],
)
def test_what_has_no_answer_is_refused_with_the_reason(problem, sentence):
    with pytest.raises(NotAnswerableError) as refused:
        under_prior(problem(), 0.5)
    assert sentence in str(refused.value)


def test_a_crisp_side_makes_every_coupling_fine():
    y, p = [1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4]
    one, other = (under_prior(IndicatorMatrix(y, p, "binary", tnorm=t), 0.2) for t in ("product", "godel"))
    assert one.compute("f1") == pytest.approx(other.compute("f1"), abs=1e-15)


def test_single_examples_are_not_known_at_another_prior():
    with pytest.raises(NotAnswerableError, match="exemplar f1 cannot be put under another prior"):
        under_prior(BINARY, 0.2).compute("exemplar f1")
    with pytest.raises(NotAnswerableError, match="exemplar recall"):
        under_prior(BINARY, 0.2).interval("recall", OPERATORS["exemplar"])
    with pytest.raises(NotAnswerableError, match="exemplar f1"):
        under_prior(BINARY, 0.2).parts(parse("exemplar f1"))


NAMED = IndicatorMatrix(["a", "b", "c", "a"] * 5, ["a", "c", "c", "b"] * 5)


@pytest.mark.backend
def test_a_series_goes_by_the_names_in_its_index():
    """What `value_counts` gives stands in the order of the frequencies, and not of the classes."""
    pd = pytest.importorskip("pandas", exc_type=ImportError)
    by_name = {"c": 0.6, "a": 0.3, "b": 0.1}
    expected = under_prior(NAMED, by_name)
    for series in (pd.Series(by_name), pd.Series(["c"] * 6 + ["a"] * 3 + ["b"]).value_counts(normalize=True)):
        assert under_prior(NAMED, series).compute("accuracy") == expected.compute("accuracy")
        assert under_prior(NAMED, series).prior.tolist() == [0.3, 0.1, 0.6]
    assert under_prior(NAMED, pd.Series([0.3, 0.1, 0.6])).prior.tolist() == [0.3, 0.1, 0.6]
    with pytest.raises(InputError, match=r"^prior names 'x', 'a', 'b', expected frequencies of 'a', 'b', 'c'"):
        under_prior(NAMED, pd.Series({"x": 0.6, "a": 0.3, "b": 0.1}))
    with pytest.raises(InputError, match=r"^prior gives 'a' twice"):
        under_prior(NAMED, pd.Series([0.5, 0.5], index=["a", "a"]))
    numbered = IndicatorMatrix([0, 1, 2, 0], [0, 2, 2, 1])
    assert under_prior(numbered, pd.Series({2: 0.6, 0: 0.3, 1: 0.1})).prior.tolist() == [0.3, 0.1, 0.6]
    binary = IndicatorMatrix([0, 1, 1, 0], [0, 1, 0, 1], "binary")
    assert under_prior(binary, pd.Series({1: 0.2, 0: 0.8})).prior == 0.2


@pytest.mark.backend
def test_a_frame_of_priors_goes_by_the_names_of_its_columns():
    pd = pytest.importorskip("pandas", exc_type=ImportError)
    priors = np.array([[0.3, 0.1, 0.6], [0.2, 0.4, 0.4]])
    frame = pd.DataFrame(priors, columns=["a", "b", "c"])
    expected = prior_curve(NAMED, "accuracy", priors).values
    assert prior_curve(NAMED, "accuracy", frame).values.tolist() == expected.tolist()
    assert prior_curve(NAMED, "accuracy", frame[["c", "a", "b"]]).values.tolist() == expected.tolist()
    with pytest.raises(InputError, match=r"^priors has the columns 'x', 'b', 'c', expected one for each"):
        prior_curve(NAMED, "accuracy", frame.rename(columns={"a": "x"}))
    with pytest.raises(InputError, match="start is a series whose rows have names"):
        prior_path(pd.Series({"a": 0.5, "b": 0.5}), [0.5, 0.5])
