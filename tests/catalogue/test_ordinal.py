"""Grades: thresholds from classes, distributions or cumulative probabilities; the table of grades beside them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as draw
from softtruth import Cells, IndicatorMatrix, InputError, NotAnswerableError, Table, evaluate
from softtruth.cli import run
from softtruth.statistics.one_hot import Thresholds

QUESTIONS = ("micro f1", "macro mcc", "weighted recall", "exemplar jaccard", "micro label_accuracy", "macro gmean")


def tails(shares):
    return np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, 1:]


COUPLINGS = [{"coupling": "independent"}, {"coupling": "most"}, {"tnorm": "godel"}, {"rho": 0.3}]


def grades(n, k):
    return st.lists(st.integers(0, k - 1), min_size=n, max_size=n).map(np.array)


@st.composite
def sides(draw_):
    k, n = draw_(st.integers(2, 5)), draw_(st.integers(1, 8))
    return k, [draw_(st.one_of(draw.distributions(n, k, np.float64), grades(n, k))) for _ in range(2)]


def thresholds(side, k):
    return (side[:, None] > np.arange(k - 1)).astype(float) if side.ndim == 1 else tails(side)


@given(
    drawn=sides(),
    coupling=st.sampled_from([{"coupling": "independent"}, {"coupling": "most"}, {"tnorm": "godel"}, {"rho": 0.3}]),
)
def test_a_soft_ordinal_problem_is_the_multilabel_problem_of_its_thresholds(drawn, coupling):
    k, (y, p) = drawn
    im = IndicatorMatrix(y, p, "ordinal", n_classes=k, **coupling)
    other = IndicatorMatrix(*(thresholds(side, k).clip(0, 1) for side in (y, p)), "multilabel", **coupling)
    np.testing.assert_allclose(im.per_class(), other.per_class(), atol=1e-12)
    np.testing.assert_allclose(im.per_example(), other.per_example(), atol=1e-12)
    for question in QUESTIONS:
        a, b = im.interval(question), other.interval(question)
        if abs(a.standard_error) > 1e-6:
            assert [a.value, a.low, a.high] == pytest.approx([b.value, b.low, b.high], rel=1e-6, abs=1e-9, nan_ok=True)


@given(drawn=sides())
def test_distributions_and_cumulative_probabilities_say_the_same(drawn):
    k, (y, p) = drawn
    if k == 2 or y.ndim == 1 or p.ndim == 1:
        return
    for coupling in ({}, {"coupling": "independent"}):
        a = IndicatorMatrix(y, p, "ordinal", n_classes=k, **coupling)
        b = IndicatorMatrix(tails(y).clip(0, 1), tails(p).clip(0, 1), "ordinal", n_classes=k, **coupling)
        np.testing.assert_allclose(a.table.masses, b.table.masses, atol=1e-12)
        np.testing.assert_allclose(a.per_class(), b.per_class(), atol=1e-12)


@given(drawn=sides())
def test_the_table_of_grades_stands_beside_the_thresholds(drawn):
    k, (y, p) = drawn
    im = IndicatorMatrix(y, p, "ordinal", n_classes=k, coupling="independent")
    classes = IndicatorMatrix(y, p, "multiclass", n_classes=k, coupling="independent")
    np.testing.assert_allclose(im.table.masses, classes.table.masses, atol=1e-12)
    for name in ("accuracy", "r_k", "quadratic_weighted_kappa", "multiclass_balanced_accuracy", "mae", "cen"):
        a, b = im.interval(name), classes.interval(name)
        assert a.value == pytest.approx(b.value, abs=1e-9, nan_ok=True)
        if a.standard_error > 1e-6:
            assert a.standard_error == pytest.approx(b.standard_error, rel=1e-6)
    np.testing.assert_allclose(im.table.cells.masses, im.cells.masses, atol=1e-12)
    assert im.compute("error_rate") * (k - 1) == pytest.approx(im.compute("mae"), abs=1e-12)


def test_hardening_is_by_the_probability_of_lying_above():
    p = np.array([[0.4, 0.35, 0.25], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]])
    im = IndicatorMatrix([1, 2, 0], p, "ordinal")
    assert im.examples.prediction.tolist() == [
        1,
        2,
        0,
    ]  # the median grade: the first row's most likely is 0
    assert IndicatorMatrix([1, 2, 0], p, "ordinal", threshold=0.7).examples.prediction.tolist() == [0, 1, 0]
    logits = IndicatorMatrix([0, 2], [[-1.0, -3.0], [2.0, 1.0]], "ordinal", prediction_kind="logits")
    assert logits.examples.prediction.tolist() == [0, 2]
    assert logits.labels == (0, 1, 2)


def test_two_grades_by_one_number():
    im = IndicatorMatrix([0.2, 0.9], [0.3, 0.6], "ordinal", coupling="independent")
    assert im.labels == (0, 1)
    assert im.counts == pytest.approx(IndicatorMatrix([0.2, 0.9], [0.3, 0.6], "binary", coupling="independent").counts)


def test_names_votes_masks_and_weights():
    labels = ["poor", "fair", "good"]
    im = IndicatorMatrix(["poor", "good", "fair"], ["fair", "good", "fair"], "ordinal", labels=labels)
    assert im.column_labels == ("above poor", "above fair")
    assert im.compute("mae") == pytest.approx(1 / 3)
    votes = IndicatorMatrix([[2, 0, 0], [0, 1, 1], [0, 0, 0]], [0, 2, 1], "ordinal", reference_kind="votes")
    assert votes.left_out == {"without votes": 1}
    assert votes.compute("mae") == pytest.approx(0.25)
    masked = IndicatorMatrix([0, 1, 9], [0, 2, 1], "ordinal", ignore=9, sample_weight=[1, 3, 5], n_classes=3)
    assert masked.compute("mae") == pytest.approx(3 / 4)


def test_sums_add_and_say_what_they_can():
    y, p = np.random.default_rng(0).integers(0, 4, (2, 40))
    parts = [IndicatorMatrix(y[s], p[s], "ordinal", n_classes=4) for s in (slice(0, 15), slice(15, 40))]
    whole = IndicatorMatrix(y, p, "ordinal", n_classes=4)
    for add in (
        parts[0].table + parts[1].table,
        parts[0].examples + parts[1].examples,
        parts[0].cells + parts[1].cells,
    ):
        im = IndicatorMatrix.of(add)
        assert im.labels == (0, 1, 2, 3)
        assert im.compute("macro f1") == pytest.approx(whole.compute("macro f1"))
    with pytest.raises(NotAnswerableError, match="thresholds do not say what each grade got"):
        IndicatorMatrix.of(parts[0].cells).compute("accuracy")
    soft = IndicatorMatrix(np.eye(4)[y] * 0.8 + 0.05, p, "ordinal", coupling="independent")
    mixed = soft.examples + IndicatorMatrix(y, p, "ordinal", n_classes=4, coupling="independent").examples
    assert IndicatorMatrix.of(mixed).compute("mae") == pytest.approx((soft.compute("mae") + whole.compute("mae")) / 2)


def test_a_report_of_grades():
    y, p = np.random.default_rng(0).integers(0, 3, (2, 90))
    report = IndicatorMatrix(y, p, "ordinal", labels=["low", "mid", "high"]).report()
    assert report.headline == ("mean_absolute_error", "quadratic_weighted_kappa")
    assert {row.label for row in report.rows} == {None, "above low", "above mid"}
    assert "3 grades" in report.to_text()


def test_replicates_and_draws_of_grades():
    rng = np.random.default_rng(1)
    y, p = (rng.dirichlet(np.ones(4), 120) for _ in range(2))
    im = IndicatorMatrix(y, p, "ordinal")
    for question in ("macro f1", "exemplar f1", "quadratic_weighted_kappa", "accuracy"):
        linear, boot = im.interval(question), im.interval(question, method="percentile")
        assert boot.standard_error == pytest.approx(linear.standard_error, rel=0.2)
    drawn = im.distribution("mean_absolute_error")
    assert drawn.mean == pytest.approx(im.compute("mean_absolute_error"), abs=5 * drawn.sd / 40)


@pytest.mark.parametrize(
    ("reference", "prediction", "how", "words"),
    [
        (["a", "b"], ["b", "b"], {}, "needs their order; pass labels="),
        ([0, 2], [[0.5, 0.6], [0.9, 0.1]], {"n_classes": 3}, r"row 0, column 1 rises from 0.5 to 0.6"),
        ([0, 2], [[0.5, 0.2, 0.2], [0.3, 0.3, 0.4]], {}, "row 1, column 2 rises from 0.3 to 0.4"),
        ([0, 1], [[0.6, 0.2], [0.9, 0.1]], {"n_classes": 3, "prediction_kind": "scores"}, "needs probabilities"),
        ([0, 1], [0, 1], {"subset": [1], "n_classes": 3}, "thresholds as columns"),
        ([0, 5], [0, 1], {"n_classes": 3}, "expected a class index from 0 to 2"),
    ],
)
def test_what_is_no_grade_is_refused(reference, prediction, how, words):
    with pytest.raises(InputError, match=words):
        IndicatorMatrix(reference, prediction, "ordinal", **how)


def test_ordinal_is_never_guessed():
    assert IndicatorMatrix([0, 1, 2], [0, 1, 1]).task == "multiclass"


def test_thresholds_read_like_a_matrix():
    hard = Thresholds(np.array([0, 2, 1]), np.arange(2))
    assert hard.shape == (3, 2)
    assert hard[:].tolist() == [[False, False], [True, True], [True, False]]
    assert hard[:, [1]][0:2].tolist() == [[False], [True]]
    assert Table.of([[1, 2], [3, 4]], task="ordinal").cells.tp.tolist() == [4]
    assert isinstance(Table.zero(3, "ordinal").cells, Cells)


def test_the_majority_of_a_soft_reference_is_its_most_likely_grade():
    rng = np.random.default_rng(0)
    y, p = rng.dirichlet(np.ones(4), 60), rng.integers(0, 4, 60)
    report = evaluate(y, p, "ordinal")
    assert report.value("mean_absolute_error", "majority") == pytest.approx(np.abs(y.argmax(axis=1) - p).mean())
    assert report.value("mean_absolute_error", "soft") == pytest.approx(IndicatorMatrix(y, p, "ordinal").compute("mae"))


@pytest.mark.parametrize(
    ("grades", "options", "said"),
    [
        (["poor", "good", "fair"], ["--labels", "poor,fair,good"], "3 grades"),
        (["10", "9", "2"], [], "above 2"),
        (["poor", "good", "fair"], [], "The order of the grades 'fair', 'good', 'poor' must be named: give --labels"),
        (["1", "2", "3"], ["--positive", "2"], "--positive compares one class with the rest"),
    ],
)
def test_files_of_grades(tmp_path, capsys, grades, options, said):
    rows = [f"{i},{grade}" for i, grade in enumerate(grades * 4)]
    for name, column in (("reference", "label"), ("prediction", "prediction")):
        (tmp_path / f"{name}.csv").write_text("\n".join([f"item,{column}", *rows]))
    files = [f"--reference={tmp_path / 'reference.csv'}", f"--prediction={tmp_path / 'prediction.csv'}"]
    run(["report", *files, "--task", "ordinal", *options])
    found = capsys.readouterr()
    assert said in " ".join((found.out + found.err).split())
