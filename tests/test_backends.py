"""Law 4: every measure gives on every array library what it gives on NumPy, and finite gradients wherever they flow."""

import itertools

import numpy as np
import pytest

import strategies as draw
from softtruth import Cells, Means, Table, annotations, mean_interval, noisy_bounds, prior_path, sets, true_table
from softtruth.measures import macro, micro, weighted
from softtruth.measures.operators import evaluate

pytestmark = pytest.mark.backend

LEVELS = [0.0, 1.0, 2.5, 7.0]
GRID = np.array(list(itertools.product(LEVELS, repeat=4))).T  # (4, 256): 0/0 and x/0 of every kind
COLUMNS = GRID.reshape(4, 64, 4)  # (4, replicates, classes)
TABLES = np.concatenate(
    [
        np.random.default_rng(0).choice([0.0, 0.0, 1.0, 2.5, 9.0], (40, 3, 3)),
        np.zeros((1, 3, 3)),
        np.eye(3)[None],
        np.ones((1, 3, 3)),
        np.diag([5.0, 0.0, 0.0])[None],
    ]
)


class Numpy:
    @staticmethod
    def put(array):
        return np.asarray(array)

    take = put


class Strict:
    @staticmethod
    def put(array):
        import array_api_strict

        return array_api_strict.asarray(array)

    @staticmethod
    def take(array):
        return np.asarray(array)


class Torch:
    @staticmethod
    def put(array):
        import torch

        return torch.tensor(array, dtype=torch.float64)

    @staticmethod
    def take(array):
        return array.detach().numpy()

    @staticmethod
    def gradient(function, array):
        leaf = Torch.put(array).requires_grad_()
        value = function(leaf)
        value[value.isfinite()].sum().backward()
        return leaf.grad.numpy()


class Jax:
    @staticmethod
    def put(array):
        import jax

        jax.config.update("jax_enable_x64", val=True)
        return jax.numpy.asarray(array, dtype=jax.numpy.float64)

    @staticmethod
    def take(array):
        return np.asarray(array)

    @staticmethod
    def gradient(function, array):
        import jax

        def finite_sum(a):
            value = function(a)
            return jax.numpy.where(jax.numpy.isfinite(value), value, 0.0).sum()

        return np.asarray(jax.grad(finite_sum)(Jax.put(array)))


BACKENDS = {"array_api_strict": Strict, "torch": Torch, "jax": Jax}
on_every_backend = pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
with_gradients = pytest.mark.parametrize("backend", [Torch, Jax], ids=["torch", "jax"])
every_measure = pytest.mark.parametrize("measure", draw.MEASURES.values(), ids=draw.MEASURES)
cells_of_all = pytest.mark.parametrize("measure", draw.CELL_MEASURES.values(), ids=draw.CELL_MEASURES)


def put_to(measure, backend):
    """Return the measure as a function of masses, and the masses that it is tried on."""
    if measure.takes_operator:
        return lambda masses: measure(Cells(masses)), GRID
    return lambda masses: measure(Table(masses)), TABLES


@on_every_backend
@every_measure
def test_a_measure_is_the_same_everywhere(measure, backend):
    function, masses = put_to(measure, backend)
    found = function(backend.put(masses))
    assert type(found) is type(backend.put(masses))
    np.testing.assert_allclose(backend.take(found), function(masses), rtol=1e-12, atol=1e-14)


@on_every_backend
@cells_of_all
@pytest.mark.parametrize("convention", draw.CONVENTIONS)
def test_an_operator_is_the_same_everywhere(measure, backend, convention):
    for operator in (micro, macro, weighted):
        found = evaluate(operator(measure), Cells(backend.put(COLUMNS)), convention)
        expected = evaluate(operator(measure), Cells(COLUMNS), convention)
        np.testing.assert_allclose(backend.take(found), expected, rtol=1e-12, atol=1e-14)


@on_every_backend
@pytest.mark.parametrize("measure", draw.TABLE_MEASURES.values(), ids=draw.TABLE_MEASURES)
@pytest.mark.parametrize("convention", draw.CONVENTIONS)
def test_a_measure_of_all_classes_is_the_same_everywhere(measure, backend, convention):
    found = evaluate(measure, Table(backend.put(TABLES)), convention)
    np.testing.assert_allclose(
        backend.take(found), evaluate(measure, Table(TABLES), convention), rtol=1e-12, atol=1e-14
    )


@on_every_backend
@pytest.mark.parametrize("measure", draw.TABLE_MEASURES.values(), ids=draw.TABLE_MEASURES)
def test_binary_cells_answer_for_both_classes_everywhere(measure, backend):
    if measure.rung == "table":
        expected = measure(Cells(GRID[..., None], "binary").table)
        found = measure(Cells(backend.put(GRID[..., None]), "binary").table)
    else:
        expected = measure(Cells(GRID[..., None], "binary"))
        found = measure(Cells(backend.put(GRID[..., None]), "binary"))
    np.testing.assert_allclose(backend.take(found), expected, rtol=1e-12, atol=1e-14)


@with_gradients
@every_measure
def test_gradients_are_finite_also_where_a_measure_is_undefined(measure, backend):
    function, masses = put_to(measure, backend)
    assert np.isfinite(backend.gradient(function, masses)).all()


@with_gradients
@every_measure
def test_gradients_are_those_of_differences(measure, backend):
    function, masses = put_to(measure, backend)
    masses = np.random.default_rng(4).uniform(0.5, 5, masses.shape)
    found = backend.gradient(function, masses)
    step = 1e-5
    for where in itertools.islice(np.ndindex(masses.shape), 0, None, max(1, masses.size // 12)):
        up, down = masses.copy(), masses.copy()
        up[where] += step
        down[where] -= step
        slope = (np.sum(function(up)) - np.sum(function(down))) / (2 * step)
        assert found[where] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@with_gradients
@cells_of_all
def test_gradients_flow_through_the_operators(measure, backend):
    for operator in (micro, macro, weighted):
        assert np.isfinite(backend.gradient(lambda m, o=operator: evaluate(o(measure), Cells(m)), COLUMNS)).all()


def test_jitted_code_stays_jitted():
    import jax

    @jax.jit
    def all_of(masses):
        return [evaluate(macro(m), Cells(masses)) for m in draw.CELL_MEASURES.values()]

    for measure, found in zip(draw.CELL_MEASURES.values(), all_of(Jax.put(COLUMNS)), strict=True):
        np.testing.assert_allclose(np.asarray(found), evaluate(macro(measure), Cells(COLUMNS)), rtol=1e-12)


@on_every_backend
@pytest.mark.parametrize("name", ["product", "godel", "lukasiewicz", "hamacher 0", "hamacher 2"])
def test_tnorms_are_the_same_everywhere(name, backend):
    t = draw.TNORMS[name]
    unit = np.arange(9) / 8
    a, b = np.meshgrid(unit, unit)
    np.testing.assert_allclose(backend.take(t(backend.put(a), backend.put(b))), t(a, b), rtol=1e-14)


@on_every_backend
def test_statistics_add_on_every_backend(backend):
    cells, table = Cells(backend.put(COLUMNS)), Table(backend.put(TABLES))
    np.testing.assert_array_equal(backend.take((cells + cells).masses), 2 * COLUMNS)
    np.testing.assert_array_equal(backend.take((table + table).masses), 2 * TABLES)
    np.testing.assert_allclose(backend.take(table.cells.masses), Table(TABLES).cells.masses, atol=1e-14)
    np.testing.assert_array_equal(backend.take(cells.pooled.masses), Cells(COLUMNS).pooled.masses)
    np.testing.assert_array_equal(backend.take(cells.positives), Cells(COLUMNS).positives)


S = [[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]]
SETS = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    "ask",
    [
        lambda put: annotations.dirichlet_samples(put([0.5, 2.0]), 3, seed=0),
        lambda put: annotations.irn_samples(put([0.5, 0.5]), 3, temperature=3.0, seed=0),
        lambda put: noisy_bounds(Table.of([[40, 10], [5, 45]]), transition=put([[0.9, 0.1], [0.2, 0.8]])).low,
        lambda put: true_table(put([[40.0, 10.0], [5.0, 45.0]]), put([[0.9, 0.1], [0.2, 0.8]])).table.masses,
        lambda put: prior_path(put([0.5, 0.5]), end=put([0.2, 0.8]), count=3),
        lambda put: sets.coverage_by_class(put(SETS), distributions=put(S)),
        lambda put: sets.coverage_by_size(put(SETS), put(S), weight=put([1.0, 2.0, 3.0]))[1].value(),
        lambda put: mean_interval(put([0.1, 0.5, 0.2])).high,
        lambda put: Means.of(put([0.1, 0.5]), put([1.0, 2.0])).value(),
        lambda put: Cells.of(put([4.0]), 1.0, 2.0, tn=put([3.0])).masses,
    ],
)
def test_tensors_that_are_followed_for_gradients_are_numbers_like_others(ask):
    expected = ask(np.array)
    found = ask(lambda numbers: Torch.put(numbers).requires_grad_())
    np.testing.assert_array_equal(found, expected)


def test_what_returns_tensors_keeps_their_gradients():
    shares = Torch.put(S).requires_grad_()
    sets.aggregated_coverage(Torch.put(SETS), shares).sum().backward()
    np.testing.assert_array_equal(shares.grad, SETS)
