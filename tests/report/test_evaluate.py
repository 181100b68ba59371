"""`evaluate`: which views a reference calls for, what stands in them, and what is said about them."""

import numpy as np
import pytest

from softtruth import Cells, IndicatorMatrix, InputError, NotAnswerableError, Table, evaluate

VOTES = np.array([[4, 1, 0], [2, 2, 1], [0, 5, 0], [1, 1, 3], [0, 2, 3], [3, 0, 2]])
PROBABILITIES = np.array(
    [[0.75, 0.25, 0.0], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5], [0.0, 0.25, 0.75], [0.25, 0.5, 0.25]]
)
DECISIONS = np.array([0, 0, 1, 1, 2, 1])  # of the probabilities, the first class of a tie
SHARES = VOTES / 5


def voted(prediction, **options):
    return evaluate(VOTES, prediction, "multiclass", reference_kind="votes", **options)


def codes(report):
    return {finding.code for finding in report.findings}


def sentence(report, code):
    return " ".join(finding.sentence for finding in report.findings if finding.code == code)


def test_a_soft_reference_is_looked_at_in_three_ways():
    report = voted(PROBABILITIES)
    assert [view.name for view in report.views] == ["majority", "soft", "soft_decision"]
    majority = np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]])
    right = np.arange(6), DECISIONS
    assert report.value("accuracy", "majority") == pytest.approx(majority[right].mean())
    assert report.value("accuracy", "soft") == pytest.approx((SHARES * PROBABILITIES).sum(axis=1).mean())
    assert report.value("accuracy", "soft_decision") == pytest.approx(SHARES[right].mean())


def test_every_number_is_that_of_an_indicator_matrix():
    report = voted(PROBABILITIES)
    alone = {
        "soft": IndicatorMatrix(VOTES, PROBABILITIES, "multiclass", reference_kind="votes", coupling="independent"),
        "soft_decision": IndicatorMatrix(VOTES, DECISIONS, "multiclass", reference_kind="votes"),
    }
    for row in report.rows:
        if row.view in alone and row.label is None:
            expected = alone[row.view].interval(row.question)
            assert (row.interval.value, row.interval.low) == pytest.approx((expected.value, expected.low), nan_ok=True)


def test_a_hard_reference_has_one_view():
    report = evaluate([0, 1, 2, 1], [0, 1, 1, 1])
    assert [view.name for view in report.views] == ["reference"]
    assert report.remark == ""


def test_unanimous_votes_are_a_hard_reference():
    report = evaluate([[3, 0], [0, 2]], [[0.9, 0.1], [0.2, 0.8]], "multiclass", reference_kind="votes")
    assert [view.name for view in report.views] == ["reference"]


def test_a_hard_prediction_has_no_column_of_probabilities():
    report = voted(DECISIONS)
    assert [view.name for view in report.views] == ["majority", "soft"]
    assert report.value("accuracy", "soft") == voted(PROBABILITIES).value("accuracy", "soft_decision")


def test_a_coupling_of_the_user_rules_the_soft_view():
    report = voted(PROBABILITIES, coupling="most")
    assert report.settings["coupling"] == {"majority": "hardened", "soft": "most", "soft_decision": "hardened"}
    expected = IndicatorMatrix(VOTES, PROBABILITIES, "multiclass", reference_kind="votes", coupling="most")
    assert report.value("macro f1", "soft") == expected.compute("macro f1")


def test_raw_cells_have_no_table_and_the_report_says_so():
    report = voted(PROBABILITIES, tnorm="godel")
    assert not any(row.view == "soft" and row.measure == "accuracy" for row in report.rows)
    assert "do not keep the margins" in sentence(report, "not_answerable")


def test_a_coupling_with_a_hard_reference_looks_at_the_probabilities():
    report = evaluate([0, 1, 1], PROBABILITIES[:3], "multiclass", coupling="independent")
    assert report.value("accuracy") == pytest.approx((0.75 + 0.25 + 0.5) / 3)


@pytest.mark.parametrize(
    ("ties", "accuracy", "words"),
    [
        ("share", (1 + 0.5 + 1 + 0 + 1 + 0) / 6, "shares each equally"),
        ("first", (1 + 1 + 1 + 0 + 1 + 0) / 6, "to the first of its tied classes"),
        ("drop", (1 + 1 + 0 + 1 + 0) / 5, "leaves them out"),
    ],
)
def test_ties_of_classes(ties, accuracy, words):
    report = voted(PROBABILITIES, ties=ties)
    assert report.value("accuracy", "majority") == pytest.approx(accuracy)
    assert sentence(report, "ties").startswith("1 of 6 items are tied")
    assert words in sentence(report, "ties")
    assert report.settings["ties"] == ties


def test_ties_that_are_dropped_take_weights_and_clusters_with_them():
    report = voted(PROBABILITIES, ties="drop", sample_weight=np.arange(1, 7), clusters=list("aabbcc"))
    assert report.value("accuracy", "majority") == pytest.approx((1 + 3 + 5) / (1 + 3 + 4 + 5 + 6))


@pytest.mark.parametrize(("ties", "recall"), [("share", 2.5 / 2.5), ("first", 2 / 2), ("drop", 2 / 2)])
def test_ties_of_binary_shares(ties, recall):
    report = evaluate([0.5, 0.75, 1.0, 0.25], [1, 1, 1, 0], "binary", ties=ties)
    assert report.value("micro recall", "majority") == recall


def test_ties_of_labels_are_entries():
    reference, prediction = [[0.5, 1.0], [0.0, 0.75]], [[1, 1], [0, 0]]
    report = evaluate(reference, prediction, "multilabel", ties="drop")
    assert "1 entries" in sentence(report, "ties")
    assert report.value("micro label_accuracy", "majority") == pytest.approx(2 / 3)


def test_ties_have_three_names():
    with pytest.raises(InputError, match="expected one of 'share', 'first', 'drop'"):
        voted(PROBABILITIES, ties="toss")


def test_the_remark_says_what_a_perfect_model_would_get():
    report = voted(PROBABILITIES)
    assert "are not comparable" in report.remark
    assert f"accuracy {(SHARES**2).sum(axis=1).mean():.3f}" in report.remark
    assert f"{SHARES.max(axis=1).mean():.3f}" in report.remark
    assert f"accuracy {SHARES.max(axis=1).mean():.3f}" in voted(DECISIONS).remark


def test_where_the_reference_against_itself_is_perfect_it_is_not_called_a_ceiling():
    assert "outputs the reference itself" not in voted(PROBABILITIES, coupling="most").remark


def test_several_predictions_stand_beside_each_other():
    report = voted({"one": PROBABILITIES, "two": PROBABILITIES[::-1]})
    assert report.predictions == ("one", "two")
    assert report.value("accuracy", "soft", "one") == voted(PROBABILITIES).value("accuracy", "soft")
    assert report.title == "Evaluation of one, two"


def test_hard_and_probable_predictions_are_only_comparable_by_their_decisions():
    report = voted({"hard": DECISIONS, "probable": PROBABILITIES})
    assert "No probabilities in hard" in sentence(report, "no_probabilities")
    assert report.value("accuracy", "soft", "hard") == report.value("accuracy", "soft_decision", "hard")


def test_scores_are_no_probabilities():
    report = voted(PROBABILITIES * 3)
    assert [view.name for view in report.views] == ["majority", "soft"]
    assert "scores" in codes(report)
    assert "scores" not in codes(voted(PROBABILITIES * 3, prediction_kind="scores"))


def test_kinds_may_differ_by_prediction():
    report = voted({"a": PROBABILITIES, "b": PROBABILITIES * 9}, prediction_kind={"a": "probabilities", "b": "scores"})
    assert report.value("accuracy", "soft_decision", "a") == report.value("accuracy", "soft_decision", "b")


def test_predictions_share_the_classes_that_any_of_them_has():
    report = evaluate(["a", "b"], {"one": ["a", "b"], "two": ["a", "c"]})
    assert report.classes == ("a", "b", "c")
    report = evaluate([0, 2], {"one": [0, 2], "two": [0, 3]})
    assert report.classes == ("0", "1", "2", "3")
    assert report.value("macro recall", prediction="one", view="reference") == 1


def test_subset_and_ignore_hold_in_every_view():
    report = voted(PROBABILITIES, subset=[0, 2])
    for view in ("majority", "soft", "soft_decision"):
        assert {row.label for row in report.rows if row.view == view and row.label} == {"0", "2"}
        parts = [report.value("recall", view, label=label) for label in ("0", "2")]
        assert report.value("macro recall", view) == pytest.approx(np.mean(parts))


def test_measures_and_operators_are_the_users():
    report = voted(PROBABILITIES, measures=["recall", "macro f1", "accuracy"], operators=["micro", "weighted"])
    questions = [row.question for row in report.rows if row.view == "soft" and row.label is None]
    assert questions == ["micro recall", "weighted recall", "macro f1", "accuracy"]
    assert {row.measure for row in report.rows if row.label} == {"recall", "f1"}


def test_one_measure_may_come_as_text():
    assert {row.question for row in evaluate([0, 1], [0, 1], measures="mcc").rows} == {"micro mcc"}


def test_a_question_without_an_answer_anywhere_is_an_error():
    with pytest.raises(NotAnswerableError, match="no K x K table"):
        evaluate([[1, 0], [1, 1]], [[1, 0], [0, 1]], "multilabel", measures=["accuracy"])


def test_conventions_and_levels_reach_every_number():
    report = evaluate([0, 0, 1], [0, 0, 0], convention="zero", level=0.8)
    assert {row.interval.level for row in report.rows} == {0.8}
    assert report.value("micro precision") == 0.0
    assert "0/0=zero" in report.row("micro precision").signature


def test_finished_counts():
    table = Table.of([[8, 2], [1, 9]], task="binary")
    report = evaluate(table, labels=["no", "yes"])
    assert report.value("micro recall") == 0.9
    assert report.n == 20
    assert report.classes == ("no", "yes")
    assert evaluate(Cells.of(3, 1, 1, 4)).value("micro precision") == 0.75


def test_sums_of_labels_have_values_without_intervals():
    report = evaluate(Cells.of([3, 5], [1, 2], [1, 0], [20, 18], task="multilabel"))
    row = report.row("macro recall")
    assert row.interval.value == pytest.approx((3 / 4 + 1) / 2)
    assert np.isnan(row.interval.low)
    assert "vary together" in sentence(report, "no_interval")
    assert "exemplar f1" in sentence(report, "not_answerable")


def test_a_table_takes_no_prediction_and_everything_else_needs_one():
    with pytest.raises(InputError, match="leave prediction out"):
        evaluate(Table.of([[1, 0], [0, 1]]), [0, 1])
    with pytest.raises(InputError, match="prediction is missing"):
        evaluate([0, 1])
    with pytest.raises(InputError, match="there are no predictions"):
        evaluate([0, 1], {})
    with pytest.raises(InputError, match="expected text"):
        evaluate([0, 1], {1: [0, 1]})


def test_empty_data_with_declared_classes():
    report = evaluate([], [], "multiclass", labels=["a", "b"])
    assert codes(report) >= {"no_items"}
    assert np.isnan(report.value("accuracy"))
    assert "no items" in str(report)


def test_rows_that_do_not_count_are_counted():
    votes = np.vstack([VOTES, [0, 0, 0]])
    report = evaluate(votes, np.vstack([PROBABILITIES, [1, 0, 0]]), "multiclass", reference_kind="votes")
    assert sentence(report, "left_out") == "Left out of all numbers (items): 1 without votes."
    assert report.n == 6
