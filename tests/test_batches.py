"""Batches in the shapes of the frameworks give the cells of the same data, here on NumPy; the adapters try others."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError
from softtruth.statistics.batches import RunningCells, cells_of_batch
from softtruth.statistics.cells import Cells

RNG = np.random.default_rng(0)
N, K = 12, 3
LABELS = RNG.integers(0, K, N)
SOFT, PROBABILITIES = RNG.dirichlet(np.ones(K), (2, N))
WEIGHT, BY_CLASS = RNG.random(N), np.array([1.0, 2.0, 0.5])


def expected(reference, prediction, weight=None, task="multiclass"):
    return IndicatorMatrix(reference, prediction, task, coupling="independent", sample_weight=weight).cells.masses


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize(
    ("reference", "prediction"),
    [
        (LABELS, PROBABILITIES),
        (LABELS[:, None], PROBABILITIES),
        (SOFT, PROBABILITIES),
        (LABELS.reshape(4, 3), PROBABILITIES.reshape(4, 3, K)),
    ],
    ids=["N", "N1", "soft", "pixels"],
)
def test_cells_of_classes(reference, prediction, weight):
    flat = SOFT if reference is SOFT else LABELS
    images = weight is not None and reference.shape == (4, 3)  # one weight for each
    rows, given = (np.repeat(weight[:4], 3), weight[:4]) if images else (weight, weight)
    for sums_to_one in (False, True):
        found = cells_of_batch(reference, prediction, given, sums_to_one=sums_to_one)
        np.testing.assert_allclose(found.masses, expected(flat, PROBABILITIES, rows), rtol=1e-12)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("soft", [False, True])
def test_weights_of_classes_multiply_the_reference(weight, soft):
    indicators = SOFT if soft else np.eye(K)[LABELS]
    found = cells_of_batch(SOFT if soft else LABELS, PROBABILITIES, weight, BY_CLASS)
    w = (np.ones(N) if weight is None else weight)[:, None]
    np.testing.assert_allclose(found.tp, (w * BY_CLASS * indicators * PROBABILITIES).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.tp + found.fn, (w * BY_CLASS * indicators).sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("shape", [(N,), (N, 1)])
@pytest.mark.parametrize("degrees", [(LABELS == 1).astype(float), SOFT[:, 0]], ids=["labels", "degrees"])
def test_one_column_is_the_second_of_two_classes(shape, degrees):
    p = PROBABILITIES[:, 1]
    found = cells_of_batch(degrees.reshape(shape), p.reshape(shape), WEIGHT)
    both = expected(np.stack([1 - degrees, degrees], 1), np.stack([1 - p, p], 1), WEIGHT)
    np.testing.assert_allclose(found.masses, both, rtol=1e-12)


@pytest.mark.parametrize("labels", [LABELS[:-1], np.zeros((N, 2)), LABELS.reshape(4, 3), SOFT[:1]])
def test_shapes_that_do_not_fit_are_refused(labels):
    with pytest.raises(InputError, match=r"expected \(N,\) or \(N, 1\) class indices or the shape of the predictions"):
        cells_of_batch(labels, PROBABILITIES)


def test_batches_add_up_beyond_the_digits_of_a_number():
    much, little = (Cells(np.full((4, 2), mass), "multiclass") for mass in (1e16, 0.1))
    running = RunningCells.zero(much.masses) + much
    for _ in range(3000):
        running = running + little
    np.testing.assert_array_equal(running.sums, 1e16)  # each tenth alone is lost beside so much
    np.testing.assert_allclose(running.lost, 300, rtol=1e-12)
    np.testing.assert_array_equal(running.cells.masses, 1e16 + 300)
    assert running.cells.coupling == "independent"
