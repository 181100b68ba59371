"""Replicates of a finite sample, as an axis of a statistic.

Hard data are resampled by drawing their K x K table from the multinomial: the law of drawing rows with replacement, at
the price of the table. Soft, weighted, clustered and multilabel data get a Poisson(1) weight for each example (or
cluster) and replicate, made block by block, so that nothing of size examples x replicates is ever held. The weights
are keyed by seed and example: replicates of disjoint data add like any other statistic.

Sources: Efron 1979, Ann. Stat. 7:1, doi:10.1214/aos/1176344552; for crossed clusters, whose weights multiply, Owen &
Eckles 2012, Ann. Appl. Stat. 6:895, doi:10.1214/12-AOAS547.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import one_blas_thread, quiet
from softtruth.arguments import Seed, checked
from softtruth.conventions import average
from softtruth.errors import InputError, NotAnswerableError
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import LARGEST_TABLE, Table
from softtruth.uncertainty.keyed import Draws, poisson_weights
from softtruth.uncertainty.pulls import of_pairs, settled_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure

_WEIGHTS = 262_144  # made at a time: two megabytes
_MASSES = 4_000_000  # of drawn tables held at a time
_MOST_DRAWN = 2**62  # a number of examples that a generator draws, with room for rounding
_OTHER_CLUSTERS = 0x5DEECE66D  # keeps the weights of two crossed clusterings apart


def drawn_as_table(statistic: Any) -> bool:
    """Whether the data are plain counts of independent examples, so that their table says all."""
    if not isinstance(statistic, Examples):
        return statistic.task == "binary" or isinstance(statistic, Table)
    return (
        statistic.hard
        and statistic.weight is None
        and statistic.clusters is None
        and statistic.task != "multilabel"
        and statistic.n_classes <= LARGEST_TABLE
    )


@checked
def resample(
    statistic: Examples | Table | Cells, draws: int = 2000, seed: Seed = 0, *, identity: Any = None
) -> Table | Cells:
    """What would the counts have been in other samples of examples like these?

    Parameters
    ----------
    statistic : Examples, Table or Cells
        The data. A ``Table`` or binary ``Cells`` must hold whole counts of independent examples.
    draws : int
        The number of replicates.
    seed : int
        The same seed gives the same replicates.
    identity : array-like of int, shape (N,), optional
        Which example each row is, or with clusters which cluster, where the data are part of a larger whole: replicates
        of the parts then add up to those of the whole. Asks for Poisson weights.

    Returns
    -------
    Table or Cells
        With an axis of replicates in front of the classes: a formula put to it gives one value for each.

    Raises
    ------
    NotAnswerableError
        If only sums are kept that do not say how examples vary.

    Examples
    --------
    >>> from softtruth.measures import parse
    >>> replicates = resample(Table.of([[50, 5], [9, 36]], task="binary"), draws=1000)
    >>> evaluate(parse("f1"), replicates).shape
    (1000,)
    """
    plan = Draws(draws, seed)
    if identity is None and drawn_as_table(statistic):
        table = whole_counts(statistic)
        if draws * table.n_classes**2 <= _MASSES:
            return next(_drawn_tables(table, plan))
        parts = [part.cells for part in _drawn_tables(table, plan)]
        return replace(parts[0], masses=np.concatenate([part.masses for part in parts], axis=1))
    if not isinstance(statistic, Examples):
        msg = "sums do not say how examples vary; build the IndicatorMatrix from reference and prediction."
        raise NotAnswerableError(msg)
    fits = draws * statistic.n_classes**2 <= _MASSES or statistic.task != "ordinal"
    if statistic.indexed and fits:
        return _of_pairs(statistic, plan, identity)
    k = statistic.n_columns
    nothing = (slice(0, 0), np.zeros((4, 0, k)))  # gives the sums of no examples their shape
    entries = itertools.chain([nothing], statistic.entries())
    blocks = ((part, np.moveaxis(cells, 1, 0).reshape(-1, 4 * k)) for part, cells in entries)
    sums = weighted_sums(statistic, blocks, plan, identity=identity)
    return Cells(np.moveaxis(sums.reshape(draws, 4, k), 1, 0), statistic.task, statistic.coupling.name)


def whole_counts(statistic: Any) -> Table:
    """Return the table of plain counts.

    Raises
    ------
    NotAnswerableError
        If its masses are no whole counts.
    """
    table: Table = statistic.table
    counts = table.masses
    if table.coupling != HARDENED.name or not np.array_equal(counts, np.floor(counts)):
        msg = (
            "the masses are not whole counts of examples, and do not say how examples vary; build the IndicatorMatrix "
            "from reference and prediction."
        )
        raise NotAnswerableError(msg)
    return replace(table, counts=True)


def _drawn_tables(table: Table, draws: Draws) -> Iterator[Table]:
    """Yield tables of the same size drawn from this one, as many at a time as may be held."""
    rng = np.random.default_rng(draws.seed)
    counts = np.asarray(table.masses, np.float64).ravel()
    occupied = np.flatnonzero(counts)  # an empty cell stays empty in every replicate
    n = int(counts.sum())
    if n > _MOST_DRAWN:
        msg = f"the table counts {n:.3g} examples, and no bootstrap draws more than {_MOST_DRAWN:.3g}; use 'influence'."
        raise InputError(msg)
    at_once = max(1, _MASSES // counts.size)
    for start in range(0, draws.count, at_once):
        size = min(at_once, draws.count - start)
        drawn = rng.multinomial(n, counts[occupied] / n, size=size).astype(np.float64) if n else np.zeros((size, 0))
        if occupied.size < counts.size:
            every = np.zeros((size, counts.size))
            every[:, occupied] = drawn
            drawn = every
        yield replace(table, masses=drawn.reshape(size, *table.masses.shape))


def weights_of(examples: Examples, part: slice, draws: Draws, identity: Any = None) -> NDArray[np.float64]:
    """Return how often each replicate counts each example of a block, (n, draws), its own weight left aside."""
    codes = examples.clusters if identity is None else np.asarray(identity)
    if codes is None:
        return poisson_weights(draws.seed, np.arange(part.start, part.stop), draws.count)
    if codes.shape[0] != len(examples):
        msg = f"identity has {codes.shape[0]} entries but there are {len(examples)} examples."
        raise InputError(msg)
    if codes.ndim == 1:
        return poisson_weights(draws.seed, codes[part], draws.count)
    first, second = codes[part].T
    other = poisson_weights(draws.seed ^ _OTHER_CLUSTERS, second, draws.count)
    return poisson_weights(draws.seed, first, draws.count) * other


def weighted_sums(
    examples: Examples, blocks: Iterable[tuple[slice, Any]], draws: Draws, *, identity: Any = None
) -> NDArray[np.float64]:
    """Return the sums over all examples of the rows of each block (n, width), in every replicate, (draws, width).

    There is at least one block, though it may be empty.
    """
    sums: Any = None
    rows = max(1, _WEIGHTS // draws.count)
    with one_blas_thread():
        for part, block in blocks:
            sums = np.zeros((block.shape[1], draws.count)) if sums is None else sums
            for start in range(part.start, part.stop, rows):
                here = slice(start, min(start + rows, part.stop))
                weight = weights_of(examples, here, draws, identity)
                if examples.weight is not None:
                    weight *= examples.weight[here, None]
                sums += block[here.start - part.start : here.stop - part.start].T @ weight
    return np.asarray(sums).T


def _of_pairs(examples: Examples, draws: Draws, identity: Any) -> Table | Cells:
    """Return replicates of class indices: of the table where it is small, else of the cells."""
    from scipy.sparse import csr_matrix

    k = examples.n_classes
    small = draws.count * k * k <= _MASSES

    def blocks() -> Iterator[tuple[slice, Any]]:
        for start in range(0, max(len(examples), 1), 65_536):
            part = slice(start, min(start + 65_536, len(examples)))
            y, p = examples.reference[part].astype(np.int64), examples.prediction[part].astype(np.int64)
            rows = np.arange(y.size)
            if small:
                yield part, csr_matrix((np.ones(y.size), (rows, y * k + p)), shape=(y.size, k * k))
                continue
            hit = np.flatnonzero(y == p)
            at = (np.concatenate([rows, rows, rows[hit]]), np.concatenate([y, k + p, 2 * k + y[hit]]))
            yield part, csr_matrix((np.ones(at[0].size), at), shape=(y.size, 3 * k))

    sums = weighted_sums(examples, blocks(), draws, identity=identity)
    if small:
        counts = examples.weight is None
        return Table(sums.reshape(draws.count, k, k), examples.task, examples.coupling.name, counts=counts)
    rows, columns, tp = np.moveaxis(sums.reshape(draws.count, 3, k), 1, 0)
    rest = np.maximum((rows.sum(axis=-1, keepdims=True) - rows) - (columns - tp), 0)
    return Cells(np.stack([tp, columns - tp, rows - tp, rest]), examples.task, examples.coupling.name)


def replicate_values(
    question: Averaged | Measure,
    statistic: Examples | Table | Cells,
    draws: Draws,
    *,
    convention: Convention,
    columns: Any = None,
    resampled: Callable[[], Table | Cells] | None = None,
) -> NDArray[np.float64]:
    """Return the value of a question in every replicate, (draws,); NaN where it is undefined.

    Parameters
    ----------
    question, statistic, draws, convention, columns
        As in ``bootstrap.bootstrap_interval``.
    resampled : callable, optional
        Gives the replicates of ``resample``, where they may have been drawn before.
    """
    if isinstance(question, Averaged) and question.operator is exemplar and isinstance(statistic, Examples):
        return _of_exemplar(question.measure, statistic, draws, convention, columns)
    if resampled is None:
        resampled = partial(resample, statistic, draws.count, draws.seed)
    if isinstance(question, Averaged) or not of_pairs(question, statistic):
        return np.asarray(evaluate(question, resampled(), convention, columns))
    parts = _whole_tables(statistic, draws, resampled)
    return np.concatenate([np.asarray(evaluate(question, part, convention, columns)) for part in parts])


def _of_exemplar(
    measure: Measure, statistic: Examples, draws: Draws, convention: Convention, columns: Any
) -> NDArray[np.float64]:
    plain = drawn_as_table(statistic) and statistic.task == "multiclass" and statistic.within is None
    if plain and statistic.indexed and columns is None and len(statistic):
        # A row of class indices is right or wrong, and that is all.
        k, n = statistic.n_classes, len(statistic)
        outcomes = Cells(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [k - 1.0, max(k - 2.0, 0.0)]]))
        right = np.random.default_rng(draws.seed).binomial(n, float(statistic.table.diagonal.sum()) / n, draws.count)
        return np.asarray(average(measure(outcomes), np.stack([right, n - right], axis=1).astype(float), convention))
    values, weight = settled_values(measure, replace(statistic, weight=None), convention, columns)
    rows = statistic.at_first_parts(np.stack([values * weight, weight], axis=1))
    sums = weighted_sums(statistic, [(slice(0, len(statistic)), rows)], draws)
    with quiet():
        return np.asarray(sums[:, 0] / sums[:, 1])


def _whole_tables(statistic: Any, draws: Draws, resampled: Callable[[], Table | Cells]) -> Iterator[Table]:
    """Yield replicates of the K x K table."""
    k = statistic.n_classes
    if drawn_as_table(statistic) and draws.count * k * k > _MASSES:
        yield from _drawn_tables(whole_counts(statistic), draws)
    elif statistic.task not in {"multiclass", "ordinal"} or drawn_as_table(statistic):
        yield resampled().table
    elif draws.count * k * k > _MASSES:
        msg = (
            f"{draws.count} replicates of a {k} x {k} table are more than are held at once; ask for fewer draws, or "
            "for the influence interval."
        )
        raise NotAnswerableError(msg)
    elif statistic.indexed:
        yield resampled().table
    else:
        whole = statistic.table  # refuses couplings under which there is none
        sums = weighted_sums(statistic, _products(statistic), draws)
        yield replace(whole, masses=sums.reshape(draws.count, k, k), counts=False)


def _products(examples: Examples) -> Iterator[tuple[slice, Any]]:
    """Yield the K x K masses of every example under independence, (n, K * K)."""
    k = examples.n_classes
    rows = max(1, _MASSES // (k * k))
    for start in range(0, max(len(examples), 1), rows):
        part = slice(start, min(start + rows, len(examples)))
        y, p = (examples.class_part(side, part) for side in (examples.reference, examples.prediction))
        yield part, (y[:, :, None] * p[:, None, :]).reshape(-1, k * k)
