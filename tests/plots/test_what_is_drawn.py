"""The numbers in the pictures are those of the library."""

import math

import numpy as np
import pytest

from softtruth import (
    Cells,
    IndicatorMatrix,
    InputError,
    Interval,
    NotAnswerableError,
    Table,
    crossing_prior,
    evaluate,
    long_tail,
    prevalence_grid,
    prior_curve,
    sets,
    true_accuracy,
)
from softtruth.evaluation.shift import shift_report
from softtruth.inputs.align import load_problem
from softtruth.plots import (
    ConfusionDisplay,
    CoverageDisplay,
    DependenceDisplay,
    IntervalDisplay,
    NoiseCurveDisplay,
    PriorCurveDisplay,
)

ONE, OTHER = Table.of([[160, 40], [20, 180]], task="binary"), Table.of([[190, 10], [60, 140]], task="binary")
RNG = np.random.default_rng(1)
SHARES = RNG.dirichlet([1, 1, 1, 1], 40)
MODEL = RNG.dirichlet([2, 1, 1, 1], 40)


def words(display):
    return " ".join(display.ax_.get_title(loc="left").split())


# --- intervals ------------------------------------------------------------------------------------------------------


def report():
    votes = [[5, 0, 0], [4, 1, 0], [0, 5, 0], [1, 3, 1], [0, 1, 4], [1, 0, 4], [0, 0, 5], [2, 2, 1]]
    models = {"ours": [0, 0, 1, 1, 2, 2, 1, 0], "theirs": [0, 1, 1, 1, 2, 0, 1, 0]}
    return evaluate(votes, models, "multiclass", reference_kind="votes", labels=["cat", "dog", "bird"])


def test_values_and_ends_of_a_report():
    found = report()
    for view in ("majority", "soft"):
        display = IntervalDisplay.from_report(found, ["accuracy", "macro f1"], view=view).plot()
        for name, markers in zip(("ours", "theirs"), display.markers_, strict=True):
            assert markers.get_xdata() == pytest.approx([found.value(q, view, name) for q in ("accuracy", "macro f1")])
        ends = np.concatenate([np.array(c.get_segments())[:, :, 0] for c in display.ax_.collections])
        assert ends[1] == pytest.approx(
            [getattr(found.row("macro f1", view, "ours").interval, end) for end in ("low", "high")]
        )
    assert words(display).startswith("Values against the soft reference Assumption: examples drawn independently.")
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["ours", "theirs"]


def test_values_of_each_class():
    display = IntervalDisplay.from_report(report(), by_class="recall").plot()
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["cat", "dog", "bird"]
    assert words(display).startswith("recall of each class against the majority reference")


def test_by_default_everything_that_fits_on_one_scale_is_drawn():
    found = evaluate([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], "binary", measures=["f1", "odds_ratio", "mcc", "accuracy"])
    assert list(IntervalDisplay.from_report(found).series["prediction"]) == ["f1", "mcc", "accuracy"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"view": "soft_truth"}, "view 'soft_truth'"),
        ({"by_class": "mcc"}, "by_class 'mcc'; it has the views 'majority', 'soft' and for each class 'f1'"),
        ({"questions": "f7"}, "the report has no row 'f7'"),
    ],
)
def test_rows_that_are_not_there_are_named(asked, sentence):
    with pytest.raises(InputError, match=sentence):
        IntervalDisplay.from_report(report(), **asked)


def test_what_cannot_be_drawn_is_said():
    given = {
        "a": Interval(math.nan, math.nan, math.nan),
        "b": Interval(0.5, math.nan, math.nan, note="why"),
        "c": Interval(math.inf, math.nan, math.nan),
        "d": Interval(1.02, 0.9, 1.0, source="noise"),  # a value outside its ends
    }
    display = IntervalDisplay.from_intervals(given).plot()
    assert [text.get_text() for text in display.ax_.texts] == ["undefined", "infinite"]
    assert words(display) == "Hollow: no interval."
    assert display.markers_[0].get_xdata() == [1.02]
    assert display.ax_.get_legend() is None


def test_more_series_than_can_be_told_apart_are_refused():
    with pytest.raises(InputError, match="found 7 series, expected one to 6: more cannot be told apart"):
        IntervalDisplay({str(i): {"f1": Interval(0.5, 0.4, 0.6)} for i in range(7)}).plot()
    with pytest.raises(InputError, match="found 0 series"):
        IntervalDisplay({}).plot()


# --- priors ---------------------------------------------------------------------------------------------------------


def test_curves_are_drawn_with_bands_and_crossings():
    grid = prevalence_grid(21, 0.01, 0.99)
    curves = {name: prior_curve(table, "f1", grid, level=0.95) for name, table in (("A", ONE), ("B", OTHER))}
    crossing = crossing_prior(ONE, OTHER, "f1")
    display = PriorCurveDisplay.from_curves(curves, crossings=[crossing], prior=0.1).plot(log=True)
    axes = display.ax_
    np.testing.assert_allclose(display.lines_[0].get_ydata(), curves["A"].values)
    assert len(axes.collections) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A", "B"]
    assert axes.texts[0].get_text() == f"{crossing.positions[0]:.3g}"
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale()) == ("prevalence of 1", "f1", "log")
    assert "Diamonds: where models are equal. Dashed: the prior 0.1." in words(display)


def test_curves_are_computed_with_their_crossings():
    display = PriorCurveDisplay.from_problems({"A": ONE, "B": OTHER}, "f1", level=None)
    assert display.crossings[0].positions == pytest.approx(crossing_prior(ONE, OTHER, "f1").positions)
    assert not display.plot().ax_.collections
    alone = PriorCurveDisplay.from_problems(ONE, "precision", [0.1, 0.5]).plot()
    assert alone.ax_.get_legend() is None
    assert "Diamonds" not in words(alone)


def test_a_path_of_many_classes_is_drawn_from_end_to_end():
    table = Table.of([[8, 1, 1], [2, 7, 1], [1, 1, 8]])
    curve = prior_curve(table, "macro f1", np.linspace(long_tail(3, 1), long_tail(3, 50), 11))
    axes = PriorCurveDisplay.from_curves(curve).plot().ax_
    assert axes.get_xlabel() == "from the prior (0.33, 0.33, 0.33) to (0.86, 0.12, 0.017)"
    assert axes.lines[1].get_xdata() == pytest.approx([0.0])  # the data have the prior at which the path begins
    assert not axes.collections
    still = prior_curve(table, "macro f1", np.tile(long_tail(3, 4), (2, 1)))
    assert len(PriorCurveDisplay.from_curves(still).plot().ax_.lines) == 1  # a path that goes nowhere has no own prior


def test_curves_that_do_not_belong_together_are_refused():
    grids = {"a": prevalence_grid(5, 0.1, 0.9), "b": prevalence_grid(5, 0.2, 0.9)}
    with pytest.raises(InputError, match="different priors"):
        PriorCurveDisplay.from_curves({name: prior_curve(ONE, "f1", grid) for name, grid in grids.items()})
    with pytest.raises(InputError, match="found 0 curves"):
        PriorCurveDisplay.from_curves({})


def test_a_report_of_another_prior_is_drawn(tmp_path):
    for name, text in {
        "y.csv": "item,label\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n",
        "p.csv": "item,prediction\n1,a\n2,b\n3,c\n4,b\n5,b\n6,a\n",
        "q.csv": "item,prediction\n1,a\n2,a\n3,c\n4,a\n5,b\n6,c\n",
    }.items():
        (tmp_path / name).write_text(text)
    problem = load_problem([str(tmp_path / "p.csv"), str(tmp_path / "q.csv")], str(tmp_path / "y.csv"))
    report = shift_report(problem, prior={"a": 0.6, "b": 0.3, "c": 0.1})
    display = PriorCurveDisplay.from_shift(report)
    assert list(display.curves) == ["p", "q"]
    assert display.prior is None  # on a path there is no one prevalence to mark
    assert all(c.question == str(display.curves["p"].question) for c in display.crossings)
    with pytest.raises(InputError, match="there is no picture: the other prior is that of the data"):
        PriorCurveDisplay.from_shift(shift_report(problem, prior=[1 / 3] * 3))


# --- dependence -----------------------------------------------------------------------------------------------------


def test_the_curve_goes_from_the_least_to_the_most():
    matrix = IndicatorMatrix(SHARES, MODEL, "multiclass", coupling="independent")
    display = DependenceDisplay.from_matrix(matrix, "macro f1", [-1, 0, 1]).plot()
    bounds = matrix.bounds("macro f1")
    np.testing.assert_allclose(
        display.lines_[0].get_ydata(), [bounds.low, matrix.compute("macro f1"), bounds.high], rtol=1e-12
    )
    (ends,) = display.ax_.collections
    assert [segment[0, 1] for segment in ends.get_segments()] == pytest.approx([bounds.low, bounds.high])
    assert "Dotted: the ends over every dependence." in words(display)


def test_a_range_that_is_not_known_is_refused():
    matrix = IndicatorMatrix(SHARES, MODEL, "multiclass", coupling="independent")
    with pytest.raises(NotAnswerableError, match="the range of cen"):
        DependenceDisplay.from_matrix(matrix, "cen")


def test_an_undefined_value_draws_no_ends():
    matrix = IndicatorMatrix([0.0, 0.0], [0.0, 0.0], "binary", coupling="independent")
    display = DependenceDisplay([-1, 1], {"": [math.nan] * 2}, {"": matrix.bounds("f1")}, "f1").plot()
    display.figure_.draw_without_rendering()
    assert np.isnan(display.lines_[0].get_ydata()).all()


def test_a_hard_side_leaves_nothing_to_draw():
    hard = IndicatorMatrix(SHARES, MODEL, "multiclass")
    with pytest.raises(InputError, match=r"there is no dependence to draw: .* Pass coupling='independent'"):
        DependenceDisplay.from_matrix(hard, "macro f1")
    soft = IndicatorMatrix(SHARES, MODEL, "multiclass", coupling="independent")
    both = DependenceDisplay.from_matrix({"hard": hard, "soft": soft}, "macro f1").plot()
    assert np.ptp(both.values["hard"]) == 0


# --- noise ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "right"), [(2, 0.5), (10, 0.9)])
def test_noise_is_drawn_with_its_crossover(k, right):
    display = NoiseCurveDisplay([right], k, result=true_accuracy(0.99, 0.95, k)).plot()
    assert any(f"crossover at {1 / k:.3g}" in text.get_text() for text in display.ax_.texts)
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == [f"labels right on {100 * right:g} %", "this model: possible"]  # independence is refuted


def test_a_result_is_marked():
    result = true_accuracy(0.9, 0.96)
    display = NoiseCurveDisplay.from_result(result, beside=(0.95, 0.8)).plot()
    assert display.reference_accuracies == (0.96, 0.8)
    marks = {tuple(np.round(line.get_ydata(), 6)) for line in display.ax_.lines}
    assert {(0.86, 0.94), (round(result.estimate, 6),)} <= marks
    line = display.lines_[0]
    at = np.interp(0.9, line.get_xdata(), line.get_ydata())
    assert at == pytest.approx(result.estimate, abs=1e-9)
    chance = NoiseCurveDisplay.from_accuracies([0.5, 0.9]).plot()
    assert len(chance.lines_[0].get_xdata()) == 0
    with pytest.raises(InputError, match="found 0 accuracies of the labels"):
        NoiseCurveDisplay([])
    with pytest.raises(InputError, match="reference_accuracies"):
        NoiseCurveDisplay([1.2])
    assert "independent" not in str(NoiseCurveDisplay.from_result(true_accuracy(0.5, 0.5)).plot().ax_.get_legend())


# --- confusion ------------------------------------------------------------------------------------------------------


def test_a_table_of_counts():
    display = ConfusionDisplay.from_predictions([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], labels=["no", "yes"]).plot()
    assert [text.get_text() for text in display.ax_.texts] == ["1", "1", "1", "2"]
    np.testing.assert_allclose(display.im_.get_array(), [[0.5, 0.5], [1 / 3, 2 / 3]])
    assert words(display).endswith("Numbers: counts. Assumption: each item has one class.")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("prediction", "reference")


def test_a_soft_table_says_how_its_sides_meet():
    matrix = IndicatorMatrix(SHARES, MODEL, "multiclass", coupling="independent")
    display = ConfusionDisplay.from_matrix(matrix).plot(normalize="all", colorbar=False)
    np.testing.assert_allclose(display.im_.get_array(), matrix.table.masses / 40)
    assert words(display).endswith("Numbers: expected counts. Assumption: coupling independent.")
    assert len(display.figure_.axes) == 1
    hard = ConfusionDisplay.from_predictions(SHARES, MODEL.argmax(1), task="multiclass").plot()
    assert words(hard).endswith("Numbers: expected counts. Assumption: hard decisions.")


@pytest.mark.parametrize(("normalize", "axis"), [("reference", 1), ("prediction", 0)])
def test_shares_of_rows_and_columns(normalize, axis):
    display = ConfusionDisplay.from_table([[8, 2, 0], [1, 9, 0], [0, 0, 0]], ["a", "b", "c"]).plot(normalize=normalize)
    np.testing.assert_allclose(display.im_.get_array().sum(axis=axis), [1, 1, 0])
    assert display.ax_.texts[0].get_text() == {"reference": "0.80", "prediction": "0.89"}[normalize]


def test_numbers_can_be_read_on_every_colour():
    display = ConfusionDisplay.from_table([[99, 1], [50, 50]]).plot()
    assert [text.get_color() for text in display.ax_.texts] == ["white", "black", "black", "black"]


def test_large_tables_have_no_numbers_and_not_every_name():
    display = ConfusionDisplay.from_table(np.eye(120)).plot()
    assert not display.ax_.texts
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == [str(i) for i in range(0, 120, 3)]


def test_tables_that_are_none_are_refused():
    for given, sentence in (
        (lambda: ConfusionDisplay.from_table([[1, 2]]), "K x K"),
        (lambda: ConfusionDisplay.from_table([[1, 0], [0, 1]], ["a"]), "labels names 1 classes, but the table has 2"),
        (lambda: ConfusionDisplay.from_table(np.ones((3, 2, 2))), "expected one table"),
        (lambda: ConfusionDisplay.from_table([[1]]).plot(normalize="true"), "normalize is 'true', expected None or"),
    ):
        with pytest.raises(InputError, match=sentence):
            given()
    with pytest.raises(NotAnswerableError):
        ConfusionDisplay.from_matrix(IndicatorMatrix.of(Cells.of([3, 1], [1, 2], [2, 2], [4, 5])))


# --- coverage -------------------------------------------------------------------------------------------------------


def test_top_k_beside_the_most_that_is_possible():
    display = CoverageDisplay.from_topk(MODEL, SHARES, clusters=np.arange(40) // 2).plot()
    for k, interval in enumerate(display.coverage[""], 1):
        assert interval.value == pytest.approx(sets.aggregated_topk_accuracy(MODEL, SHARES, k).mean())
        assert display.ceiling[""][k - 1] == pytest.approx(sets.topk_ceiling(SHARES, k).mean())
    assert display.lines_[0].get_xdata().tolist() == [1, 2, 3, 4]
    assert "clusters drawn independently" in words(display)
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == [
        "the model",
        "the most that any model could",
    ]
    with pytest.raises(InputError, match="ties is 'range'"):
        CoverageDisplay.from_topk(MODEL, SHARES, ties="range")


def test_mass_sets_with_their_sizes():
    display = CoverageDisplay.from_mass({"ours": MODEL}, SHARES, [0.5, 0.9]).plot()
    for at, (mass, interval) in enumerate(zip((0.5, 0.9), display.coverage["ours"], strict=True)):
        found = sets.mass_sets(MODEL, mass)
        assert interval.value == pytest.approx(sets.aggregated_coverage(found, SHARES).mean())
        assert display.ceiling["ours"][at] == pytest.approx(sets.coverage_ceiling(found, SHARES).mean())
        assert display.sizes["ours"][at] == pytest.approx(sets.size(found).mean())
        assert display.ax_.texts[at].get_text() == f"{sets.size(found).mean():.1f}"
    assert "Numbers: mean size." in words(display)
    two = CoverageDisplay.from_mass({"ours": MODEL, "theirs": SHARES}, SHARES).plot()
    assert "Numbers" not in words(two)
    assert not two.ax_.texts
