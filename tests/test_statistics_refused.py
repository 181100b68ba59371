"""What does not add up, or was written by somebody else, is refused in a sentence."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from softtruth import Cells, IndicatorMatrix, InputError, Means, NotAnswerableError, Table, mean_interval
from softtruth.conventions import Convention, average
from softtruth.measures.loss import loss_of, loss_question
from softtruth.measures.operators import evaluate, macro, micro
from softtruth.statistics.cluster_sums import ClusterMoments, ClusterSums
from softtruth.statistics.evidence import Evidence, Sums
from softtruth.statistics.evidence_settings import check_settings
from softtruth.statistics.one_hot import OneHot
from softtruth.statistics.pair_counter import PairCounter, indices_at_a_glance
from softtruth.statistics.replicate_sums import ReplicateSums
from softtruth.statistics.serialise import from_arrow, from_bytes, from_json, to_arrow, to_json

TABLE = Table.of([[40, 6, 4], [5, 20, 2], [3, 4, 16]])
EXAMPLES = IndicatorMatrix([0, 1, 2, 1], [0, 1, 1, 1], n_classes=3, clusters=["a", "a", "b", "b"]).statistic
CLUSTERS = ClusterSums.of(EXAMPLES, ["a", "b"], {"hit": np.array([1.0, np.nan, 0.0, 1.0])})
EVIDENCE = Evidence({"predictions": ["p"], "labels": [0, 1]}, {("p", ""): Sums(TABLE)})


@pytest.mark.parametrize(
    "statistic",
    [TABLE.cells, TABLE, Means.of([1.0]), CLUSTERS, CLUSTERS.settled(), EVIDENCE, EVIDENCE.sums[("p", "")]],
    ids=lambda statistic: type(statistic).__name__,
)
def test_a_statistic_and_a_number_do_not_add(statistic):
    with pytest.raises(TypeError, match="unsupported operand"):
        statistic + 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: CLUSTERS + replace(CLUSTERS, numbers=()), "cluster sums of 3 classes and 3, or of different numbers"),
        (lambda: CLUSTERS.settled() + replace(CLUSTERS.settled(), numbers={}), "with different numbers per example"),
        (lambda: Sums(TABLE) + Sums(TABLE.cells), "sums that keep Table and sums that keep Cells do not add"),
        (lambda: EVIDENCE + replace(EVIDENCE, settings={"labels": [0, 1]}), "evidence with predictions"),
        (lambda: EVIDENCE + replace(EVIDENCE, sums={}), r"evidence of \[\('p', ''\)\] and of \[\] does not add"),
        (lambda: EVIDENCE.split(2), "only evidence with sums for each cluster splits"),
        (lambda: PairCounter(2).add(np.array([0, 1]), np.array([0])), r"has \(2,\) references but \(1,\) predictions"),
        (lambda: PairCounter(2).add(np.array([0, 2]), np.array([0, 1])), "reference"),
        (lambda: from_json(json.dumps({"softtruth_statistic": 1, "tree": {}, "arrays": [3]})), "has no list of arrays"),
        (lambda: from_json(damaged({"data": [1]})), r"has shape \(3, 3\) but other than 9 numbers"),
        (lambda: from_json(damaged({"shape": [3, -3]})), r"has the shape \[3, -3\], expected at most four sizes"),
        (lambda: from_json(damaged({"data": ["much"] * 9})), "holds 'much', expected numbers"),
        (lambda: from_arrow(pa.table({"shape": [[1]]})), "expected columns shape and data, version 1"),
        (lambda: from_arrow(shortened(to_arrow(TABLE))), r"has shape \(3, 3\) but other than 9 numbers"),
        (lambda: from_bytes(b"PK"), "no statistic of softtruth"),
        (lambda: to_json(3), "int is no statistic that can be written"),
        (lambda: TABLE.cells.subset([7]), r"columns is \[7\], expected indices of the 3 columns"),
        (lambda: loss_question("exemplar f1"), "not a function of sums; use micro, macro or weighted"),
        (lambda: loss_question("prevalence"), "has no better end, so that it is no loss"),
        (lambda: mean_interval(Means.of([0.5, 1.0]), weight=[1, 1]), "takes no weight and no clusters"),
        (lambda: mean_interval([0.5, 1.0], weight=[1]), "weight has shape"),
        (
            lambda: Means.of([0.5, 1.0], [1.0]),
            r"values have shape \(2,\) and weight \(1,\), expected one number for each",
        ),
    ],
)
def test_refused(call, words):
    with pytest.raises((InputError, NotAnswerableError), match=words):
        call()


SETTINGS = {
    "task": "multiclass",
    "labels": ["a", "b"],
    "reference": "labels",
    "predictions": {"p": "labels"},
    "threshold": 0.5,
    "weight": None,
    "cluster": None,
    "coupling": None,
    "tnorm": None,
    "ties": "share",
    "subset": None,
    "ignore": [],
    "exemplars": [],
}
SUMS = {("p", "reference"): Sums(TABLE)}


def test_settings_as_a_count_makes_them_pass():
    check_settings(SETTINGS, SUMS)
    drawn = replace(SUMS[("p", "reference")], replicates=ReplicateSums.zero(5, 3))
    asked = {"where": ["a=1"], "normalize": True, "replicates": {"draws": 5, "seed": 0}}
    check_settings(SETTINGS | asked, {("p", "reference"): drawn})


@pytest.mark.parametrize(
    ("settings", "sums", "words"),
    [
        (None, SUMS, "its settings lack 'task', expected one of binary, multiclass"),
        (SETTINGS | {"threshold": True}, SUMS, "its threshold is True, expected a finite number"),
        (SETTINGS | {"where": [1]}, SUMS, r"its where is \[1\], expected a list of texts"),
        (SETTINGS | {"replicates": {"draws": 5}}, SUMS, "expected whole numbers draws and seed"),
        (
            SETTINGS | {"replicates": {"draws": 5, "seed": 0}},
            {("p", "reference"): replace(Sums(TABLE), replicates=ReplicateSums.zero(6, 3))},
            "it holds 6 replicates, expected 5",
        ),
        (SETTINGS, {("q", "reference"): Sums(TABLE)}, r"it holds sums of \('q', 'reference'\), expected predictions"),
        (SETTINGS, {("p", "front"): Sums(TABLE)}, r"it holds sums of \('p', 'front'\), expected predictions"),
        (SETTINGS, {}, "expected predictions"),
    ],
)
def test_settings_that_no_count_makes_are_refused(settings, sums, words):
    with pytest.raises(InputError, match=words):
        check_settings(settings, sums)


def test_evidence_of_nothing_keeps_the_same_things():
    numbers = {"hit": Means.of([1.0, 0.0])}
    for clusters in (None, CLUSTERS, CLUSTERS.settled()):
        drawn = ReplicateSums.zero(5, 3, ("hit",))
        one = Evidence({"predictions": ["p"]}, {("p", ""): Sums(TABLE, None, numbers, clusters, 9, 0, drawn)}, 9)
        whole = one + one.nothing()
        assert whole.rows == 9
        np.testing.assert_array_equal(whole.sums["p", ""].statistic.masses, TABLE.masses)
        assert (one.nothing() + one.nothing()).sums["p", ""].statistic.masses.sum() == 0


def test_means_of_draws_leave_out_what_is_undefined_or_put_something_in():
    sums = replace(ReplicateSums.zero(2, 1, ("hit",)), numbers={"hit": np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])})
    np.testing.assert_array_equal(sums.means("hit", None), [0.5, np.nan])
    np.testing.assert_array_equal(sums.means("hit", 1.0), [0.75, np.nan])


def damaged(change):
    value = json.loads(to_json(TABLE))
    value["arrays"][0] |= change
    return json.dumps(value)


def shortened(table):
    data = pa.array([one[:-1] for one in table["data"].to_pylist()], table.schema.field("data").type)
    return table.set_column(1, "data", data)


def test_values_that_are_no_number_are_written_as_words_and_refused():
    text = to_json(Table(np.array([[np.inf, 1.0], [0.0, np.nan]]), "multiclass"))
    assert '"inf", 1.0, 0.0, "nan"' in text
    with pytest.raises(InputError, match="it holds values that are not finite"):
        from_json(text)


def test_an_average_of_no_classes_is_undefined():
    for convention, expected in (("exclude", np.nan), ("zero", 0.0), ("one", 1.0), ("nan", np.nan)):
        found = average(np.zeros((2, 0)), None, Convention(convention))
        np.testing.assert_array_equal(found, [expected, expected])


def test_a_loss_is_what_is_missing_to_the_best():
    assert loss_of(loss_question("f1"), TABLE) == pytest.approx(1 - evaluate(loss_question("f1"), TABLE))
    assert loss_of(loss_question("macro fnr"), TABLE) == evaluate(loss_question("macro fnr"), TABLE)
    assert loss_of(loss_question("micro lr_plus"), TABLE) == -evaluate(loss_question("micro lr_plus"), TABLE)


def test_many_small_batches_are_counted_as_one():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, (2, 300_000))
    counter = PairCounter(3)
    for start in range(0, len(y), 70_001):
        counter.add(y[start : start + 70_001], p[start : start + 70_001])
    np.testing.assert_array_equal(counter.table.masses, IndicatorMatrix(y, p, n_classes=3).statistic.table.masses)


def test_class_indices_are_seen_at_a_glance_where_nothing_is_to_be_converted():
    np.testing.assert_array_equal(indices_at_a_glance(np.array([0, 2], np.int32), 3), [0, 2])
    for other in (np.zeros(3), np.arange(4)[::2], np.array([0, -1]), np.array([0, 3]), np.zeros(0, int)):
        assert indices_at_a_glance(other, 3) is None


def test_fewer_columns_of_class_indices():
    codes = OneHot(np.array([2, 0, 1]), np.arange(3))
    np.testing.assert_array_equal(codes[:], [[False, False, True], [True, False, False], [False, True, False]])
    np.testing.assert_array_equal(codes[:, [2, 0]][:], [[True, False], [False, True], [False, False]])


def test_operators_print_their_names():
    assert [str(macro), str(micro)] == ["macro", "micro"]


def test_means_between_clusters():
    found = CLUSTERS.settled()
    mean, error = found.mean_and_error("hit", None)
    assert mean == pytest.approx(2 / 3)
    assert error > 0
    assert found.mean_and_error("hit", 0.0)[0] == pytest.approx(0.5)
    alone = ClusterMoments(replace(found.cells, count=1), found.numbers)
    assert np.isnan(alone.mean_and_error("hit", None)[1])
    nothing = replace(found, numbers={"hit": (np.zeros(3), np.zeros((3, 3)))})
    assert np.isnan(nothing.mean_and_error("hit", None)).all()


def test_means_of_clusters_of_numbers():
    values, groups = [0.2, np.nan, 0.9, 0.5, 0.6, 0.7], [0, 0, 1, 1, 2, 2]
    plain, clustered = (mean_interval(values, clusters=c) for c in (None, groups))
    assert plain.value == clustered.value
    assert plain.standard_error != clustered.standard_error
    assert mean_interval(values, clusters=groups, convention="zero").value == pytest.approx(np.nansum(values) / 6)
    weighted = mean_interval(values, weight=[1, 1, 2, 1, 1, 0], clusters=groups)
    assert weighted.value == pytest.approx((0.2 + 1.8 + 0.5 + 0.6) / 5)
    assert np.isnan(mean_interval([np.nan], clusters=[0]).value)


def test_cells_of_other_classes_do_not_add():
    with pytest.raises(InputError, match="classes"):
        Cells(np.zeros((4, 2)), "multilabel") + Cells(np.zeros((4, 3)), "multilabel")
