"""Rows: each class has the number and the interval of its own problem."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix
from softtruth.report.one_view import report_of


def problems():
    rng = np.random.default_rng(7)
    n = 90
    index, guess = rng.integers(0, 3, n), rng.integers(0, 3, n)
    soft, probable = rng.dirichlet([1, 1, 1], n), rng.dirichlet([2, 1, 1], n)
    weight, clusters = rng.uniform(0.5, 2, n), rng.integers(0, 40, n)
    labels = rng.random((n, 3)) < 0.4
    yield "hard", {"reference": index, "prediction": guess, "task": "multiclass"}
    yield "weighted", {"reference": index, "prediction": guess, "task": "multiclass", "sample_weight": weight}
    yield "clustered", {"reference": index, "prediction": guess, "task": "multiclass", "clusters": clusters}
    yield "soft", {"reference": soft, "prediction": probable, "task": "multiclass", "coupling": "independent"}
    yield "soft reference", {"reference": soft, "prediction": guess, "task": "multiclass", "clusters": clusters}
    yield "multilabel", {"reference": labels, "prediction": rng.random((n, 3)) < 0.5, "task": "multilabel"}
    yield (
        "masked",
        {"reference": labels, "prediction": labels[::-1], "task": "multilabel", "mask": labels | (guess == 1)[:, None]},
    )


PROBLEMS = dict(problems())


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("measure", ["f1", "recall", "precision", "mcc"])
def test_a_class_has_the_interval_of_its_own_problem(name, measure):
    matrix = IndicatorMatrix(**PROBLEMS[name])
    report = matrix.report([f"macro {measure}"])
    for k in range(3):
        row = report.row(measure, label=str(k))
        alone = IndicatorMatrix(**PROBLEMS[name], subset=[k]).interval(measure, "macro")
        ours = row.interval
        assert (ours.value, ours.low, ours.high) == pytest.approx((alone.value, alone.low, alone.high), rel=1e-9)
        assert row.support == pytest.approx(matrix.cells.positives[k])


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in {"soft", "soft reference"}])
def test_subset_accuracy_has_the_interval_of_a_mean(name):
    matrix = IndicatorMatrix(**PROBLEMS[name])
    row = matrix.report(["subset_accuracy"]).row("subset_accuracy")
    assert row.interval.value == pytest.approx(matrix.subset_accuracy())
    assert row.interval.low < row.interval.value < row.interval.high
    assert row.signature.startswith("subset_accuracy ") == (matrix.task == "multilabel" or "accuracy" in row.signature)


def test_subset_accuracy_of_weighted_and_clustered_labels():
    given = PROBLEMS["multilabel"]
    weight, clusters = PROBLEMS["weighted"]["sample_weight"], PROBLEMS["clustered"]["clusters"]
    right = (given["reference"] == given["prediction"]).all(axis=1)
    value = np.average(right, weights=weight)
    pulls = weight * (right - value) / weight.sum()
    n, groups = len(right), len(np.unique(clusters))
    weighted = IndicatorMatrix(**given, sample_weight=weight).report(["subset_accuracy"]).rows[0].interval
    assert weighted.value == pytest.approx(value)
    assert weighted.standard_error**2 == pytest.approx(n / (n - 1) * (pulls**2).sum())
    both = IndicatorMatrix(**given, sample_weight=weight, clusters=clusters).report(["subset_accuracy"])
    sums = np.bincount(clusters, pulls)[np.unique(clusters)]
    assert both.rows[0].interval.standard_error ** 2 == pytest.approx(groups / (groups - 1) * (sums**2).sum())


def test_rows_say_what_made_them():
    report = IndicatorMatrix([0, 1, 1, 0], [0, 1, 0, 0], labels=["no", "yes"]).report()
    row = report.row("accuracy")
    assert row.signature.startswith("accuracy task=")
    assert "n=4" in row.signature
    assert "coupling=hardened" in row.signature
    assert "0/0=exclude" in row.signature
    assert "interval=sampling,wilson,0.95" in row.signature


def test_only_the_most_frequent_of_many_classes_are_listed():
    reference = np.repeat(np.arange(6), [1, 9, 3, 7, 2, 5])
    report = report_of(IndicatorMatrix(reference, reference, "multiclass"), max_classes=3)
    assert list(dict.fromkeys(row.label for row in report.rows if row.label)) == ["1", "3", "5"]
    (note,) = (f for f in report.findings if f.code == "classes_not_listed")
    assert note.numbers == {"shown": 3, "classes": 6}
    assert not any(row.label for row in report_of(IndicatorMatrix(reference, reference), max_classes=0).rows)


def test_binary_data_have_no_classes_of_their_own():
    report = IndicatorMatrix([0, 1, 1], [0, 1, 0], "binary").report()
    assert not any(row.label for row in report.rows)
    assert report.row("micro specificity").interval.value == 1


def graded(seed=3, n=90):
    rng = np.random.default_rng(seed)
    soft, probable = rng.dirichlet([1, 1, 1, 1], n), rng.dirichlet([1, 1, 1, 1], n)
    soft[:5] = np.eye(4)[1]
    weight, clusters = rng.uniform(0.5, 2, n), rng.integers(0, 40, n)
    yield "hard", soft.argmax(axis=1), probable.argmax(axis=1), {}
    yield "weighted", soft.argmax(axis=1), probable.argmax(axis=1), {"sample_weight": weight}
    yield "soft reference", soft, probable.argmax(axis=1), {"clusters": clusters}
    yield "soft prediction", soft.argmax(axis=1), probable, {"coupling": "independent"}
    yield "hardened", soft, probable, {}
    yield "soft", soft, probable, {"coupling": "most", "sample_weight": weight}
    yield "images", soft.reshape(30, 3, 4), probable.reshape(30, 3, 4), {"tnorm": "product"}


GRADED = {name: rest for name, *rest in graded()}


@pytest.mark.parametrize("name", GRADED)
@pytest.mark.parametrize("how", ["influence", "percentile", "bca"])
def test_a_threshold_between_grades_has_the_numbers_of_its_own_problem(name, how):
    reference, prediction, settings = GRADED[name]
    matrix = IndicatorMatrix(reference, prediction, "ordinal", n_classes=4, **settings)
    report = matrix.report(["f1", "recall"], interval=how, draws=300)
    for k in range(3):
        above = [
            side > k if side.ndim == 1 else side[..., k + 1 :].sum(axis=-1, keepdims=side.ndim == 3)
            for side in (reference, prediction)
        ]
        alone = IndicatorMatrix(*above, "binary", **settings)
        for measure in ("f1", "recall"):
            row = report.row(measure, label=f"above {k}")
            assert row.interval.value == pytest.approx(matrix.parts(f"macro {measure}")[k])
            assert row.interval.value == pytest.approx(alone.compute(measure))
            assert row.interval.low <= row.interval.value <= row.interval.high
            if how == "influence":
                expected = alone.interval(measure)
                assert (row.interval.low, row.interval.high) == pytest.approx((expected.low, expected.high))
