"""Images and the like: axes between the first and the classes are pooled into the example."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, (12, 4, 5))
GUESSES = np.where(RNG.random(LABELS.shape) < 0.6, LABELS, RNG.integers(0, 3, LABELS.shape))
SHARES = RNG.dirichlet(np.ones(3), LABELS.shape)
ENTRIES = RNG.integers(0, 2, (8, 6, 2))


def flat(a):
    return a.reshape(-1, a.shape[-1])


@pytest.mark.parametrize(
    ("reference", "prediction", "task", "how", "same_as"),
    [
        (LABELS, GUESSES, "multiclass", {}, (LABELS.ravel(), GUESSES.ravel())),
        (LABELS, SHARES, "multiclass", {"coupling": "independent"}, (LABELS.ravel(), flat(SHARES))),
        (SHARES, GUESSES, "multiclass", {"tnorm": "product"}, (flat(SHARES), GUESSES.ravel())),
        (LABELS, GUESSES, "ordinal", {}, (LABELS.ravel(), GUESSES.ravel())),
        (LABELS > 0, GUESSES > 0, "binary", {}, ((LABELS > 0).ravel(), (GUESSES > 0).ravel())),
        (LABELS > 0, SHARES[..., 0], "binary", {"tnorm": "product"}, ((LABELS > 0).ravel(), SHARES[..., 0].ravel())),
        (ENTRIES, 1 - ENTRIES, "multilabel", {}, (flat(ENTRIES), flat(1 - ENTRIES))),
    ],
    ids=["labels", "label against shares", "shares", "grades", "binary", "soft binary", "multilabel"],
)  # fmt: skip
def test_parts_are_rows_and_examples_pool_them(reference, prediction, task, how, same_as):
    im = IndicatorMatrix(reference, prediction, task, **how)
    rows = IndicatorMatrix(*same_as, task, **how)
    np.testing.assert_allclose(im.per_class(), rows.per_class())
    assert im.n == len(reference)
    each = [
        IndicatorMatrix(reference[[i]], prediction[[i]], task, **how, **_declared(task)) for i in range(len(reference))
    ]
    np.testing.assert_allclose(im.per_example(), [list(one.counts) for one in each])
    for question in ("exemplar f1", "exemplar label_accuracy"):
        values = [one.compute(question) for one in each]
        assert im.compute(question) == pytest.approx(np.nanmean(values))
        np.testing.assert_allclose(im.parts(question), values)
        error = np.nanstd(values, ddof=1) / np.sqrt(np.sum(~np.isnan(values)))
        assert im.interval(question).standard_error == pytest.approx(error)


def _declared(task):
    return {} if task in {"binary", "multilabel"} else {"n_classes": 3}


def test_intervals_are_between_examples():
    im = IndicatorMatrix(LABELS, GUESSES, "multiclass")
    which = np.repeat(np.arange(12), 20)
    clustered = IndicatorMatrix(LABELS.ravel(), GUESSES.ravel(), clusters=which)
    for question in ("macro f1", "accuracy", "r_k", "linear_weighted_kappa"):
        assert im.interval(question).standard_error == pytest.approx(clustered.interval(question).standard_error)
    assert im.interval("exemplar f1", method="percentile").standard_error == pytest.approx(
        im.interval("exemplar f1").standard_error, rel=0.2
    )


def test_masked_parts_and_whole_examples():
    ignored = IndicatorMatrix(np.where(LABELS == 2, 255, LABELS), GUESSES, "multiclass", ignore=255, n_classes=3)
    masked = IndicatorMatrix(LABELS, GUESSES, "multiclass", mask=LABELS != 2, n_classes=3)
    np.testing.assert_array_equal(ignored.table.masses, masked.table.masses)
    np.testing.assert_array_equal(ignored.per_example(), masked.per_example())
    keep = np.arange(12) != 3
    whole = IndicatorMatrix(LABELS, GUESSES, "multiclass", mask=keep)
    assert np.isnan(whole.parts("exemplar f1")[3])
    assert whole.compute("exemplar f1") == pytest.approx(
        IndicatorMatrix(LABELS[keep], GUESSES[keep], "multiclass").compute("exemplar f1")
    )
    entries = IndicatorMatrix(ENTRIES, ENTRIES, "multilabel", mask=np.ones(ENTRIES.shape, bool))
    assert entries.compute("micro f1") == 1


def test_weights_are_of_examples():
    weight = np.arange(12.0)
    im = IndicatorMatrix(LABELS, GUESSES, "multiclass", sample_weight=weight)
    values = IndicatorMatrix(LABELS, GUESSES, "multiclass").parts("exemplar f1")
    assert im.compute("exemplar f1") == pytest.approx(np.average(values, weights=weight))
    assert im.compute("accuracy") == pytest.approx(np.average((LABELS == GUESSES).mean(axis=(1, 2)), weights=weight))


def test_examples_of_parts_add():
    a, b = (
        IndicatorMatrix(LABELS[s], GUESSES[s], "multiclass", n_classes=3).examples for s in (slice(0, 5), slice(5, 12))
    )
    assert IndicatorMatrix.of(a + b).compute("exemplar f1") == pytest.approx(
        IndicatorMatrix(LABELS, GUESSES, "multiclass").compute("exemplar f1")
    )
    with pytest.raises(InputError, match="examples of several parts"):
        _ = a + IndicatorMatrix([0, 1], [0, 1], n_classes=3, clusters=[0, 1]).examples


@pytest.mark.parametrize(
    ("reference", "prediction", "how", "words"),
    [
        (LABELS, GUESSES, {}, "the task is needed"),
        (LABELS, GUESSES[:, :3], {"task": "multiclass"}, "expected the same axes"),
        (np.eye(2, dtype=int)[LABELS % 2], np.eye(2, dtype=int)[LABELS % 2], {"task": "multiclass"}, "or one-hot rows"),
        (LABELS, GUESSES, {"task": "multiclass", "mask": np.ones(3)}, "mask has shape"),
    ],
)
def test_what_cannot_be_pooled_is_refused(reference, prediction, how, words):
    with pytest.raises(InputError, match=words):
        IndicatorMatrix(reference, prediction, **how)


def test_one_hot_images_say_so():
    hot = np.eye(3)[LABELS]
    im = IndicatorMatrix(hot, GUESSES, "multiclass", reference_kind="distribution")
    np.testing.assert_array_equal(im.table.masses, IndicatorMatrix(LABELS, GUESSES, "multiclass").table.masses)


def test_errors_name_the_example_and_its_part():
    wrong = SHARES.copy()
    wrong[2, 1, 3] = 0.1
    with pytest.raises(InputError, match=r"prediction example 2, part 8 sums to 0\.3"):
        IndicatorMatrix(LABELS, wrong, "multiclass", coupling="independent")
    soft = SHARES[..., 0].copy()
    soft[5, 0, 1] = 1.5
    with pytest.raises(InputError, match=r"prediction example 5, part 1 is 1\.5"):
        IndicatorMatrix(LABELS > 0, soft, "binary", tnorm="product")
