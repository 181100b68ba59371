"""Law 1: any split, in any order, gives the evidence of the whole, and the report of `evaluate`."""

import numpy as np
import pyarrow as pa
import pytest

from engines.conftest import Data, assert_same
from softtruth import InputError, evaluate, evaluate_stream
from softtruth.engines.counting import evidence_of, no_evidence, placed
from softtruth.engines.told import report_from


def counted(data, batches):
    return evidence_of(data.plan, placed(batches, "the test"))


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
def test_a_stream_reports_what_evaluate_reports(kind, weight, cluster):
    data = Data(*kind, weight=weight, cluster=cluster)
    ours = report_from(counted(data, data.table.to_batches(97)))
    theirs = evaluate(
        data.arrays["y"],
        {"model": data.arrays["p"]},
        data.task,
        reference_kind=data.kinds[0],
        prediction_kind=data.kinds[1],
        labels=data.labels,
        **data.options,
    )
    wanted = {(r.question, r.view, r.label): r.interval for r in theirs.rows}
    found = {(r.question, r.view, r.label): r.interval for r in ours.rows}
    assert set(found) == set(wanted)
    for key, interval in wanted.items():
        np.testing.assert_allclose(found[key].value, interval.value, rtol=1e-12, err_msg=str(key))
        ends = [(i.low, i.high, i.standard_error) for i in (found[key], interval)]
        np.testing.assert_allclose(*ends, rtol=1e-9, err_msg=str(key))
        assert (found[key].method, found[key].assumption) == (interval.method, interval.assumption)
    assert ours.n == theirs.n
    for code in ("weighted", "clustered", "few_clusters", "left_out", "tied_predictions"):
        mine, other = ([f for f in report.findings if f.code == code] for report in (ours, theirs))
        assert bool(mine) == bool(other), code
        assert code != "weighted" or mine[:1] == [] or mine[0].numbers == pytest.approx(other[0].numbers)


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
def test_random_batches_in_any_order_with_empty_ones_change_nothing(kind, weight, cluster):
    data = Data(*kind, weight=weight, cluster=cluster)
    rng = np.random.default_rng(1)
    ends = np.sort(rng.integers(0, data.table.num_rows + 1, 40))
    parts = [data.table.slice(a, b - a) for a, b in zip([0, *ends], [*ends, data.table.num_rows], strict=True)]
    rng.shuffle(parts)
    whole = counted(data, data.table.to_batches())
    split = sum((counted(data, part.to_batches()) for part in parts), no_evidence(data.plan))
    assert split.rows == whole.rows
    assert_same(report_from(split), report_from(whole), 1e-11)
    for key, sums in whole.sums.items():
        error = np.abs(split.sums[key].statistic.masses - sums.statistic.masses)
        exact = data.kinds == ("labels", "labels")
        assert error.max() <= (0 if exact and not weight else 1e-12 * sums.statistic.masses.sum())


def test_a_thousand_batches_of_hard_labels_count_exactly():
    rng = np.random.default_rng(2)
    table = pa.table({"y": rng.integers(0, 4, 50_000), "p": rng.integers(0, 4, 50_000)})
    data = Data("multiclass", "labels", "labels")
    ends = np.sort(rng.integers(0, 50_001, 999))
    parts = [table.slice(a, b - a) for a, b in zip([0, *ends], [*ends, 50_000], strict=True)]
    found = counted(data, [batch for part in parts for batch in part.to_batches()])
    index = np.asarray(table["y"]) * 4 + np.asarray(table["p"])
    expected = np.bincount(index, minlength=16).reshape(4, 4)
    assert (found.sums["model", "reference"].statistic.masses == expected).all()


def test_evidence_of_nothing_is_neutral(kind):
    data = Data(*kind, cluster=True)
    whole = counted(data, data.table.to_batches())
    assert_same(report_from(whole + no_evidence(data.plan)), report_from(whole), 0)
    assert no_evidence(data.plan).rows == 0


def test_too_many_classes_for_second_moments_say_so():
    rng = np.random.default_rng(0)
    n, k = 3000, 600
    y = rng.integers(0, k, n)
    table = pa.table({"item": range(n), "y": y, "p": np.where(rng.random(n) < 0.5, y, 0), "w": rng.integers(1, 3, n)})
    options = {"task": "multiclass", "n_classes": k, "label": "y", "prediction_column": "p"}
    found = evaluate_stream(iter(table.to_batches(1000)), weight="w", measures=["accuracy", "f1"], **options)
    whole = evaluate(y, np.asarray(table["p"]), "multiclass", n_classes=k, sample_weight=np.asarray(table["w"]))
    assert found.value("accuracy") == whole.value("accuracy")
    for row in found.rows:
        if row.operator != "exemplar" and np.isfinite(row.interval.value) and 0 < row.interval.value < 1:
            assert np.isnan(row.interval.low)
            assert "with more than 512 classes the moments" in row.interval.note
    drawn = evaluate_stream(
        iter(table.to_batches(1000)), weight="w", measures=["accuracy"], interval="percentile", draws=150, item="item",
        **options,
    )  # fmt: skip
    assert drawn.row("accuracy").interval.width == pytest.approx(whole.row("accuracy").interval.width, rel=0.2)
    with pytest.raises(
        InputError, match=r"which for 600 classes take 0\.04 GiB \(512 classes at most\); leave cluster="
    ):
        evaluate_stream(iter(table.to_batches(1000)), cluster="w", **options)


def test_what_is_left_out_is_counted():
    data = Data("multiclass", "labels", "labels")
    table = pa.table({"y": ["a", None, "b", "", "c"], "p": ["a", "b", "b", "c", "c"]})
    found = counted(data, table.to_batches())
    assert found.left_out == {"without a label": 2}
    assert found.sums["model", "reference"].examples == 3
    assert found.rows == 5


def test_settings_that_differ_do_not_add():
    one, two = Data("binary", "labels", "probabilities"), Data("multiclass", "labels", "probabilities")
    with pytest.raises(InputError, match="evidence with labels"):
        no_evidence(one.plan) + no_evidence(two.plan)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"y": ["a", "e"], "p": ["a", "b"]}, "reference row 1 is 'e', expected one of the classes"),
        ({"y": ["a", "b"], "p": ["a", None]}, "prediction 'model' is missing in row 1"),
        ({"y": ["a", "b"], "q": ["a", "b"]}, "there is no column 'p'"),
        ({"y": [0, 7], "p": [0, 1]}, "reference row 1 is 7, expected a class index from 0 to 3"),
    ],
)
def test_errors_name_the_place(columns, says):
    data = Data("multiclass", "labels", "labels")
    with pytest.raises(InputError, match=f"the test, rows 0 to 1 .*: {says}"):
        counted(data, pa.table(columns).to_batches())
