"""Values at truths that are drawn, example by example, from soft labels; nothing of size examples x draws is held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import NotAnswerableError
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.statistics.cells import Cells
from softtruth.statistics.table import Table
from softtruth.uncertainty.keyed import uniforms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure
    from softtruth.statistics.examples import Examples
    from softtruth.uncertainty.keyed import Draws

_OUTCOMES = 500_000  # drawn at a time
_MASSES = 8_000_000  # of drawn tables held at a time
_PREDICTIONS = 0x2545F491  # keeps the draws of the prediction apart from those of the reference


def drawn_values(
    question: Averaged | Measure, examples: Examples, draws: Draws, *, convention: Convention, columns: Any = None
) -> NDArray[np.float64]:
    """Return the value in every draw of the truth, (draws,); NaN where it is undefined.

    Parameters
    ----------
    question, examples, convention, columns
        As everywhere; a draw in which the whole is undefined stays NaN.
    draws : Draws
        How many, and from which seed: an example draws the same in whatever order they come.
    """
    by_class = examples.task in {"multiclass", "ordinal"}
    outcomes = _classes if by_class else _cells
    if isinstance(question, Averaged) and question.operator is exemplar:
        blocks = outcomes(examples, draws, columns)
        if examples.within is not None:
            blocks = _pooled(blocks, examples, draws)
        return _example_average(question.measure, blocks, examples, draws, convention)
    if not by_class:
        masses = np.zeros((4, draws.count, examples.n_classes))
        for part, cells in _entry_cells(examples, draws):
            weight = 1.0 if examples.weight is None else examples.weight[part, None, None]
            masses += (cells * weight).sum(axis=1)
        return np.asarray(evaluate(question, Cells(masses, examples.task), convention, columns))
    whole = examples.task == "ordinal" or (not isinstance(question, Averaged) and question.rung == "table")
    return np.asarray(evaluate(question, _counted(examples, draws, whole=whole), convention, columns))


def _entry_cells(examples: Examples, draws: Draws) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield which of its four cells each entry falls into, (4, n, draws, columns)."""
    m = examples.n_classes
    rows = max(1, _OUTCOMES // (draws.count * m))
    for whole, shares in examples.entries():
        for start in range(whole.start, whole.start + shares.shape[1], rows):
            part = slice(start, min(start + rows, whole.start + shares.shape[1]))
            tp, _, fn, tn = (share[part.start - whole.start : part.stop - whole.start, None] for share in shares)
            visible = tp + fn + tn + shares[1][part.start - whole.start : part.stop - whole.start, None]
            entries = np.arange(part.start * m, part.stop * m)
            u = np.moveaxis(uniforms(draws.seed, entries, draws.count).reshape(-1, m, draws.count), 1, 2) * visible
            hit, positive, negative = u < tp, u < tp + fn, u < tp + fn + tn
            found = np.stack([hit, ~negative, positive & ~hit, negative & ~positive]).astype(np.float64)
            yield part, found if examples.mask is None else found * examples.mask[part, None]


def _cells(examples: Examples, draws: Draws, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the cells of every row, pooled over the columns that take part, (4, n, draws)."""
    for part, cells in _entry_cells(examples, draws):
        yield part, (cells if columns is None else cells[..., columns]).sum(axis=-1)


def _class_pairs(examples: Examples, draws: Draws) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Yield the drawn class of reference and prediction of every row, each (n, draws)."""
    reference, prediction = examples.reference, examples.prediction
    if reference.ndim == 2 and prediction.ndim == 2 and not examples.coupling.independent:
        msg = (
            f"the coupling {examples.coupling.name} says how often both name the same class, not which other one; "
            "use coupling='independent'."
        )
        raise NotAnswerableError(msg)
    rows = max(1, _OUTCOMES // draws.count)
    for start in range(0, len(examples), rows):
        part = slice(start, min(start + rows, len(examples)))
        yield (
            part,
            _drawn(reference[part], part, draws.count, draws.seed),
            _drawn(prediction[part], part, draws.count, draws.seed ^ _PREDICTIONS),
        )


def _drawn(side: NDArray[Any], part: slice, count: int, seed: int) -> NDArray[Any]:
    """Return classes (n, draws): given ones as they are, others drawn from their distributions."""
    if side.ndim == 1:
        return np.broadcast_to(side[:, None].astype(np.int64), (side.size, count))
    n, k = side.shape
    cumulative = np.cumsum(side, axis=1, dtype=np.float64)
    cumulative /= cumulative[:, -1:]
    rows = np.arange(n)[:, None]
    u = uniforms(seed, np.arange(part.start, part.stop), count)
    found = np.searchsorted((cumulative + rows).ravel(), (u + rows).ravel(), side="right").reshape(n, count)
    return np.minimum(found - rows * k, k - 1)


def _counted(examples: Examples, draws: Draws, *, whole: bool) -> Table | Cells:
    k, b = examples.n_classes, draws.count
    small = b * k * k <= _MASSES
    if whole and not small:
        msg = f"{b} drawn {k} x {k} tables are more than are held at once; ask for fewer draws."
        raise NotAnswerableError(msg)
    width = k * k if small else 3 * k
    sums = np.zeros(b * width)
    which = np.arange(b) * width
    for part, y, p in _class_pairs(examples, draws):
        weight = None if examples.weight is None else np.repeat(examples.weight[part], b)
        if small:
            sums += np.bincount((which + y * k + p).ravel(), weight, b * width)
            continue
        for offset, code in ((0, y), (k, p), (2 * k, np.where(y == p, y, -1))):
            seen = code.ravel() >= 0
            at = (which + offset + code).ravel()[seen]
            sums += np.bincount(at, None if weight is None else weight[seen], b * width)
    if small:
        return Table(sums.reshape(b, k, k), examples.task, counts=examples.weight is None)
    rows, predicted, tp = np.moveaxis(sums.reshape(b, 3, k), 1, 0)
    n = rows.sum(axis=-1, keepdims=True)
    rest = np.maximum((n - rows) - (predicted - tp), 0)
    return Cells(np.stack([tp, predicted - tp, rows - tp, rest]), "multiclass")


def _classes(examples: Examples, draws: Draws, columns: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the cells of every row, pooled over the classes that take part, (4, n, draws)."""
    if examples.task == "ordinal":  # grade y is above y thresholds
        for part, y, p in _class_pairs(examples, draws):
            cells = np.stack([np.minimum(y, p), np.maximum(p - y, 0), np.maximum(y - p, 0), -np.maximum(y, p)])
            cells[3] += examples.n_columns
            yield part, cells.astype(np.float64)
        return
    member = np.ones(examples.n_classes, bool)
    if columns is not None:
        member[:] = False
        member[columns] = True
    size = int(member.sum())
    for part, y, p in _class_pairs(examples, draws):
        held, given = member[y], member[p]
        hit = held & (y == p)
        tp, fp, fn = (cell.astype(np.float64) for cell in (hit, given & ~hit, held & ~hit))
        yield part, np.stack([tp, fp, fn, size - tp - fp - fn])


def _pooled(
    blocks: Iterator[tuple[slice, NDArray[np.float64]]], examples: Examples, draws: Draws
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the cells of examples of several parts, such as images, added over their parts, (4, n, draws)."""
    if 4 * examples.whole * draws.count > _MASSES:
        msg = (
            f"{draws.count} draws of {examples.whole} examples of several parts are more than are held at once; "
            "ask for fewer draws."
        )
        raise NotAnswerableError(msg)
    cells = np.zeros((4, examples.whole, draws.count))
    assert examples.within is not None  # noqa: S101  the caller has looked
    for part, block in blocks:
        codes, starts = np.unique(examples.within[part], return_index=True)
        cells[:, codes] += np.add.reduceat(block, starts, axis=1)
    yield slice(0, examples.whole), cells


def _example_average(
    measure: Measure,
    blocks: Iterator[tuple[slice, NDArray[np.float64]]],
    examples: Examples,
    draws: Draws,
    convention: Convention,
) -> NDArray[np.float64]:
    sums, weights = np.zeros(draws.count), np.zeros(draws.count)
    substitute = convention.substitute
    for part, cells in blocks:
        with quiet():
            values = np.array(measure.formula(Cells(cells, "binary"), *measure.parameters))
        weight = np.ones(values.shape)
        if examples.example_weight is not None:
            weight *= examples.example_weight[part, None]
        missing = np.isnan(values)
        if substitute is None:
            weight[missing] = 0.0
        values[missing] = substitute or 0.0
        with quiet():
            sums += np.where(weight > 0, values * weight, 0.0).sum(axis=0)
        weights += weight.sum(axis=0)
    with quiet():
        return np.asarray(sums / weights)
