"""Where comparisons end: nothing to compare, nothing to tell, values that are not there."""

import math
from contextlib import contextmanager

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, Interval, NotAnswerableError, compare_predictions
from softtruth.cli import GATE, PASS, output, run
from softtruth.corrections.order_at_priors import order_at_priors
from softtruth.corrections.order_under_noise import order_under_noise
from softtruth.report.comparison_words import verdict_sentence
from softtruth.report.difference import Difference
from softtruth.uncertainty.telling_apart import items_to_tell


def sentences(findings, code):
    return [finding.sentence for finding in findings if finding.code == code]


# --- no answer ------------------------------------------------------------------------------------------------------


def test_a_question_without_an_answer_is_refused_or_named():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    models = {"a": y, "b": rng.integers(0, 2, (40, 3))}
    with pytest.raises(NotAnswerableError, match="multilabel data have no K x K table"):
        compare_predictions(y, models, "multilabel", measures="accuracy")
    report = compare_predictions(y, models, "multilabel", measures=["micro f1", "accuracy"])
    (told,) = [s for s in sentences(report.findings, "not_asked") if s.startswith("Differences, accuracy: ")]
    assert "multilabel data have no K x K table" in told
    assert {row.question for row in report.rows} >= {"micro f1"}


def test_probabilities_and_decisions_alone_cannot_be_compared():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 40), rng.random(40)
    with pytest.raises(NotAnswerableError, match="no two predictions can be compared here"):
        compare_predictions(y, {"a": p, "b": (p > 0.3).astype(int)}, "binary", coupling="independent")


def test_undefined_values_have_no_leader_and_no_order():
    y = [0] * 20
    models = {name: [0] * (20 - i) + [1] * i for i, name in enumerate("abc")}
    report = compare_predictions(y, models, "binary", measures="recall", labels=[0, 1])
    assert {row.verdict for row in report.rows if row.question == "micro recall"} == {"undefined"}
    assert not sentences(report.verdicts, "leader")
    assert any("class 1 is never there" in s for s in sentences(report.findings, "not_asked"))


def test_a_measure_without_a_value_at_any_prior_is_no_crash():
    y = [0, 0, 1, 1, 2, 2] * 5
    a, b = [0, 0, 1, 1, 0, 0] * 5, [0, 0, 1, 2, 2, 1] * 5
    pair = [IndicatorMatrix(y, p, n_classes=3) for p in (a, b)]
    with pytest.raises(NotAnswerableError, match="has no value of macro precision at any frequency"):
        order_at_priors(*pair, "macro precision", convention="nan", label=1)
    report = compare_predictions(y, {"a": a, "b": b}, "multiclass", measures="macro precision", convention="nan")
    assert report.row("macro precision", "a", "b").verdict == "undefined"
    assert "If labels err evenly, macro precision: a and b are undefined." in sentences(
        report.noise, "even_label_errors"
    )


def test_rows_of_labels_that_nobody_sees_are_undefined():
    y = np.zeros((6, 2), int)
    hidden = np.zeros((6, 2), bool)
    hidden[0, 0] = True
    report = compare_predictions(
        y, {"a": y, "b": 1 - y}, "multilabel", mask=hidden, measures=["subset_accuracy", "micro label_accuracy"]
    )
    row = report.row("subset_accuracy", "a", "b")
    assert (row.interval.value, row.verdict) == (1.0, "undecided")  # one row is seen: nothing says how rows vary
    nothing = compare_predictions(
        y, {"a": y, "b": 1 - y}, "multilabel", mask=hidden & False, measures="subset_accuracy"
    )
    assert nothing.row("subset_accuracy", "a", "b").verdict in {"same", "undefined"}


def test_without_items_there_is_no_answer_and_no_gate_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "one", "two"):
        (tmp_path / f"{name}.csv").write_text("item,label\n" + "".join(f"i{i},a\n" for i in range(5)))
    sides = ["--reference", "gold.csv", "--prediction", "one.csv", "--prediction", "two.csv"]
    nothing = ["compare", *sides, "--ignore", "a", "--labels", "a,b", "-q"]
    assert run(nothing) == PASS
    out = capsys.readouterr().out
    assert "one and two cannot be compared in accuracy: there are no items." in out
    assert "There are no items, so nothing has a value." in out
    for gate in (["--fail-if-worse"], ["--fail-under", "accuracy=0"]):
        assert run([*nothing, *gate]) == GATE
    assert "gate failed: " in capsys.readouterr().err


def test_the_same_answers_to_what_has_no_answer_are_not_compared():
    report = compare_predictions([0] * 20, {"a": [0] * 20, "b": [0] * 20}, "binary", measures=["recall", "accuracy"])
    assert report.row("recall", "a", "b").verdict == "undefined"
    assert report.row("accuracy", "a", "b").verdict == "same"


def test_hidden_entries_do_not_make_answers_differ():
    rng = np.random.default_rng(0)
    y, a = rng.integers(0, 2, (2, 30, 3))
    mask = rng.random((30, 3)) < 0.7
    b = np.where(mask, a, 1 - a)
    report = compare_predictions(y, {"a": a, "b": b}, "multilabel", mask=mask)
    assert {row.verdict for row in report.rows} == {"same"}


# --- nothing varies -------------------------------------------------------------------------------------------------


def test_a_difference_that_does_not_vary_has_no_interval():
    y = [0, 1] * 10
    report = compare_predictions(y, {"a": y, "b": [1, 0] * 10}, "binary", measures="accuracy")
    row = report.row("accuracy", "a", "b")
    assert (row.interval.value, row.verdict) == (1.0, "undecided")
    assert math.isnan(row.interval.low)
    assert report.verdicts[0].sentence == (
        "a is ahead of b in accuracy by 1.000, and how sure that is cannot be said: both predictions pull the value "
        "alike on every item."
    )


def test_other_answers_of_the_same_worth():
    y = np.array([0.9, 0.9, 0.2, 0.4] * 10)
    a = np.array([0.8, 0.3, 0.1, 0.6] * 10)
    b = np.array([0.3, 0.8, 0.1, 0.6] * 10)
    report = compare_predictions(y, {"a": a, "b": b}, "binary", measures="accuracy")
    assert report.row("accuracy", "a", "b", "soft").interval.value == 0
    assert report.verdicts[0].sentence.startswith(
        "a and b are equal in accuracy against the majority reference on these items: the difference is 0.000 ["
    )
    assert "accuracy, soft reference: a and b are equal at every degree of dependence that both share." in sentences(
        report.swaps, "order_under_dependence"
    )
    assert "accuracy: a and b are equal at every frequency of 1." in sentences(report.swaps, "order_at_priors")
    assert "However labels err, accuracy: a and b are level against these labels." in sentences(
        report.noise, "any_label_errors"
    )
    classes = [0, 0, 1, 2] * 10
    swapped = compare_predictions(
        classes, {"a": [0, 1, 1, 2] * 10, "b": [1, 0, 1, 2] * 10}, "multiclass", measures="macro f1"
    )
    (told,) = sentences(swapped.swaps, "order_at_priors")
    assert told == "macro f1: the order of a and b does not hang on the frequency of any one class (0, 1, 2)."


def test_no_dependence_turns_a_lead_that_is_large_enough():
    y = np.array([0.95, 0.05] * 30)
    report = compare_predictions(y, {"good": y, "bad": 1 - y}, "binary", measures="accuracy")
    assert sentences(report.swaps, "order_under_dependence") == [
        "accuracy, soft reference: good is ahead whatever the dependence of each prediction and the reference."
    ]


def test_a_measure_whose_range_is_not_known_says_so():
    rng = np.random.default_rng(0)
    y = rng.dirichlet([1, 1, 1], 40)
    models = {name: rng.dirichlet([1, 1, 1], 40) for name in "ab"}
    report = compare_predictions(y, models, "multiclass", measures="cen")
    assert any(s.startswith("Dependence, cen: ") for s in sentences(report.findings, "not_asked"))


# --- label noise ----------------------------------------------------------------------------------------------------


def test_labels_that_say_nothing_refute_no_rate():
    y = [0, 1] * 40
    a, b = [0, 0, 1, 1] * 20, [0, 1, 1, 0] * 20  # no better than a coin
    order = order_under_noise(*(IndicatorMatrix(y, p, "binary") for p in (a, b)), "accuracy")
    assert not order.refuted_beyond
    assert order.rates[-1] == pytest.approx(0.495)
    better = np.where(np.arange(80) % 8 < 6, y, a)
    report = compare_predictions(y, {"coin": b, "better": better}, "binary", measures="log_dor")
    (told,) = sentences(report.noise, "even_label_errors")
    assert "better stays ahead of coin at every rate at which labels say anything" in told


def test_noise_needs_items_and_not_too_many_classes():
    nothing = [IndicatorMatrix([], [], "binary", labels=["no", "yes"])] * 2
    with pytest.raises(NotAnswerableError, match="there are no items"):
        order_under_noise(*nothing, "accuracy")
    y = np.arange(402) % 201
    many = [IndicatorMatrix(y, np.roll(y, i), n_classes=201) for i in (0, 1)]
    with pytest.raises(NotAnswerableError, match="with 201 classes the order under label noise is not looked for"):
        order_under_noise(*many, "accuracy")


def test_weights_count_in_one_of_the_two_answers_on_noise():
    rng = np.random.default_rng(0)
    y, b = rng.integers(0, 2, (2, 60))
    a = np.where(rng.random(60) < 0.9, y, 1 - y)
    report = compare_predictions(y, {"a": a, "b": b}, "binary", measures="accuracy", sample_weight=rng.random(60) + 0.5)
    assert sentences(report.noise, "any_label_errors")[0].endswith("Items count once each here, without their weights.")
    assert not sentences(report.findings, "mcnemar")


# --- groups ---------------------------------------------------------------------------------------------------------


def test_one_large_group_has_no_worst():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, (3, 60))
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=["x"] * 56 + ["y"] * 4)
    assert not sentences(report.groups, "worst_group")


def test_equally_bad_groups_name_no_best():
    y = np.array([0, 1] * 20)
    a, b = y.copy(), y.copy()
    a[:5], b[5:10] = 1 - a[:5], 1 - b[5:10]
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=["x"] * 20 + ["y"] * 20, measures="accuracy")
    assert sentences(report.groups, "worst_group") == ["accuracy in the worst group: a 0.750 (x); b 0.750 (x)."]


def test_numbers_as_groups_are_named_with_their_column():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, (3, 60))
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=np.arange(60) % 2, measures="accuracy")
    assert "(group 0)" in sentences(report.groups, "worst_group")[0] + "(group 0)"
    assert {row.group for row in report.rows} == {None, "0", "1"}


def test_of_many_groups_the_terminal_shows_the_largest():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, (3, 900))
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=np.arange(900) % 30, measures="accuracy")
    assert "and 10 more groups, in the HTML, Markdown and JSON forms." in report.to_text(80)


# --- words and numbers ----------------------------------------------------------------------------------------------


def difference(value, low, high, verdict="undecided", *, group=None, **more):
    interval = Interval(value, low, high, standard_error=0.01, note="no replicate is defined")
    values = {"better": "higher", "items": 50, "p_value": 0.5, "p_adjusted": 0.5, **more}
    return Difference("micro f1", "reference", group, "A", "B", (0.5, 0.5 - value), interval, verdict=verdict, **values)


SENTENCES = {
    "A is better than B in f1 by 0.100 [0.050, 0.150].": difference(0.1, 0.05, 0.15, "first"),
    "B is better than A in f1 by 0.100 [0.050, 0.150].": difference(-0.1, -0.15, -0.05, "second"),
    "B is better than A in f1 by 0.100 [0.050, 0.150] (less is better).": difference(
        0.1, 0.05, 0.15, "second", better="lower"
    ),
    "A and B cannot be told apart in f1 where north: A is ahead by 0.100 [-0.050, 0.250].": difference(
        0.1, -0.05, 0.25, group="north"
    ),
    "A and B cannot be told apart in f1: A is ahead by 0.100 [-0.050, 0.250]; to tell a difference of this size (80% "
    "power) would take about 1,200 items.": difference(0.1, -0.05, 0.25, items_needed=1234),
    "A is ahead of B in f1 by 0.100, and how sure that is cannot be said: no replicate is defined.": difference(
        0.1, math.nan, math.nan
    ),
    "A - B in f1: 0.200 [0.100, 0.300]; the measure does not say which of the two is better.": difference(
        0.2, 0.1, 0.3, "unranked", better="neither"
    ),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences(sentence):
    assert verdict_sentence(SENTENCES[sentence], "binary") == sentence


def test_corrected_p_values_are_told_between_several_pairs():
    told = verdict_sentence(difference(0.1, 0.05, 0.15, "first", p_adjusted=0.0123), "binary", 3)
    assert told == "A is better than B in f1 by 0.100 [0.050, 0.150] (p 0.012 after Holm)."


def test_a_difference_of_almost_nothing_needs_too_many_items():
    with pytest.raises(NotAnswerableError, match="is too small for any number of items to show it"):
        items_to_tell(Interval(1e-9, -1.0, 1.0, standard_error=0.5), 100)
    with pytest.raises(InputError, match="level is 2"):
        items_to_tell(Interval(0.1, -1.0, 1.0, standard_error=0.5), 100, level=2)


# --- files ----------------------------------------------------------------------------------------------------------


def test_multilabel_files_with_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("gold", "one", "two"):
        rows = rng.integers(0, 2, (40, 2))
        lines = [f"i{i},{r[0]},{r[1]},{'xy'[i % 2]}" for i, r in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,cough,fever,place", *lines, ""]))
    words = ["compare", "--reference", "gold.csv", "--prediction", "one.csv", "--prediction", "two.csv", "-q"]
    columns = ["--label", "cough,fever", "--prediction-column", "cough,fever", "--by", "place", "--task", "multilabel"]
    assert run([*words, *columns]) == PASS
    out = capsys.readouterr().out
    assert "multilabel, 40 items, 2 labels, 2 predictions" in out
    assert "micro f1 in each place" in out


def test_steps_are_told_where_somebody_looks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "one", "two"):
        (tmp_path / f"{name}.csv").write_text("item,label\n" + "".join(f"i{i},{'xy'[i % 2]}\n" for i in range(10)))
    steps = []

    @contextmanager
    def progress(*, quiet):
        yield None if quiet else steps.append

    monkeypatch.setattr(output, "progress", progress)
    assert run(["compare", "--reference", "gold.csv", "--prediction", "one.csv", "--prediction", "two.csv"]) == PASS
    assert steps[-1] == "comparing"


# --- forms ----------------------------------------------------------------------------------------------------------


def test_values_without_any_dependence_are_not_asked_of_it():
    rng = np.random.default_rng(0)
    y, a, b = rng.random((3, 40, 2))
    a[:, 1] = 0  # never predicted, so that its precision is 0/0
    report = compare_predictions(y, {"a": a, "b": b}, "multilabel", measures="macro precision", convention="nan")
    assert [s for s in sentences(report.findings, "not_asked") if s.startswith("Dependence, ")] == [
        "Dependence, macro precision, soft reference: the values are infinite or undefined at every degree of it."
    ]


def test_groups_of_measures_without_a_direction_or_a_value():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, (3, 90))
    place = np.repeat(["x", "y", "z"], 30)
    y[:30] = 0  # nobody is positive in x, so that recall has no value there
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=place, measures=["prevalence", "recall"])
    worst = [f for f in report.groups if f.code == "worst_group"]
    assert [f.numbers["measure"] for f in worst] == ["recall"]
    assert set(worst[0].numbers["worst"].values()) <= {"y", "z"}
    assert report.row("recall", "a", "b", group="x").verdict == "undefined"


def test_every_form_has_room_for_what_is_not_there():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    models = {"a": y, "b": rng.integers(0, 2, (40, 3))}
    report = compare_predictions(y, models, "multilabel", measures=["micro f1", "accuracy"])
    for text in (report.to_text(80), report.to_markdown(), report.to_html()):
        assert "micro f1, and differences" in text
        assert "accuracy, and differences" not in text.replace("subset_accuracy", "").replace("label_accuracy", "")
    soft = rng.random(40)
    mixed = compare_predictions(soft, {"p": rng.random(40), "q": rng.random(40), "said": y[:, 0]}, "binary")
    assert "| q - said |" in mixed.to_markdown()
    assert "| \N{EN DASH} |" in mixed.to_markdown()
    same = compare_predictions(y[:, 0], {"p": y[:, 1], "q": y[:, 1]}, "binary")
    assert "## What would put the other ahead" not in same.to_markdown()
