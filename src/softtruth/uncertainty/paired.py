"""The difference of two predictions for the same items: what both share cancels."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError, NotAnswerableError, shown
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import Table
from softtruth.uncertainty.bootstrap import replicate_interval, skewness_of
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import Interval, checked_level, cut, of_differences, wald
from softtruth.uncertainty.pulls import example_pulls, settled_values, value_of, variance_of
from softtruth.uncertainty.resampling import drawn_as_table, replicate_values, resample, weighted_sums
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure
    from softtruth.uncertainty.keyed import Draws

_OUTCOMES = 4_096  # distinct (reference, first, second) triples that are drawn as one table
_MASSES = 4_000_000  # of drawn tables held at a time


def paired_difference(
    question: Averaged | Measure,
    first: Any,
    second: Any,
    draws: Draws,
    *,
    convention: Convention,
    columns: Any = None,
    level: float = 0.95,
    method: str = "influence",
) -> tuple[Interval, float]:
    """Return the difference first - second with its interval, and the two-sided p-value of no difference.

    Parameters
    ----------
    question, convention, columns, level, method, draws
        As in ``IndicatorMatrix.interval``.
    first, second
        The examples of both, with one reference.

    Raises
    ------
    InputError
        If they are not about the same items.
    """
    a, b = same_items(first, second)
    level = checked_level(level)
    mine, other = (np.float64(value_of(question, each, convention, columns)) for each in (a, b))
    value = float(apart(mine, other))
    assumption = INDEPENDENT if a.clusters is None else CLUSTERED
    if math.isnan(value):
        note = undefined_note(a) if np.isnan(mine) or np.isnan(other) else "both values are infinite"
        return Interval(value, math.nan, math.nan, level, assumption=assumption, note=note), math.nan
    if method == "influence":
        variance = variance_apart(_pulls(question, a, b, convention, columns), (a, b))
        return linearised(value, float(variance), level, assumption, formula_of(question).range)
    replicates = paired_replicates(question, a, b, draws, convention=convention, columns=columns)
    found = replicate_interval(
        value,
        replicates,
        level=level,
        method=method,
        skewness=skewness_of(_pulls(question, a, b, convention, columns), a) if method == "bca" else 0.0,
        described=f"{method} paired {draws}",
        assumption=assumption,
    )
    kept = replicates[~np.isnan(replicates)]
    tail = min(np.count_nonzero(kept <= 0), np.count_nonzero(kept >= 0))
    return found, min(1.0, 2 * (tail + 1) / (kept.size + 1))


def undefined_note(examples: Examples) -> str:
    """Return why two predictions have no difference where a value is undefined."""
    return "the value of one of the two is undefined" if examples.n else "there are no items"


def linearised(
    value: float, variance: float, level: float, assumption: str, limits: tuple[float, float]
) -> tuple[Interval, float]:
    """Return the interval of a difference, and the two-sided p-value of none, from its variance by linearisation.

    It ends where the difference of two values does that have these limits.
    """
    if variance == 0:
        note = "both predictions pull the value alike on every item"
        return Interval(value, math.nan, math.nan, level, assumption=assumption, note=note), math.nan
    error = math.sqrt(variance) if variance >= 0 else math.nan
    found = wald(value, error, level, (-math.inf, math.inf), assumption=assumption)
    return cut(found, of_differences(limits)), math.erfc(abs(value) / error / math.sqrt(2))


def variance_apart(
    apart: NDArray[np.float64],
    sides: tuple[Examples, Examples],
    kinds: tuple[NDArray[np.intp], NDArray[np.float64]] | None = None,
) -> Any:
    """Return the variance of a difference (or of several, one in each column).

    Parameters
    ----------
    apart
        How far apart the two pull: a row for each item, or for each kind of items.
    sides
        The examples of both.
    kinds
        The kinds of items (``distinct_answers``), where rows are kinds.
    """
    if kinds is not None:
        counts = kinds[1]
        return counts @ (apart - counts @ apart / counts.sum()) ** 2
    plain = all(each.hard and each.weight is None for each in sides)
    return variance_of(apart, sides[0], corrected=not plain)


def _pulls(question: Any, a: Examples, b: Examples, convention: Convention, columns: Any) -> NDArray[np.float64]:
    return example_pulls(question, a, convention, columns) - example_pulls(question, b, convention, columns)


def same_items(first: Any, second: Any) -> tuple[Examples, Examples]:
    """Return the examples of both, checked to be about the same items.

    Raises
    ------
    InputError
        Naming what differs.
    NotAnswerableError
        If only sums are kept.
    """
    if not (isinstance(first, Examples) and isinstance(second, Examples)):
        msg = (
            "a paired comparison needs the examples of both: sums do not say where they differ. Build both from "
            "reference and prediction."
        )
        raise NotAnswerableError(msg)
    for what in ("task", "n_classes"):
        mine, other = getattr(first, what), getattr(second, what)
        if mine != other:
            msg = f"the two differ in {what}: {shown(mine)} and {shown(other)}; a comparison needs one problem."
            raise InputError(msg)
    if len(first) != len(second):
        msg = f"the two are about {len(first):,} and {len(second):,} items; a comparison needs the same ones."
        raise InputError(msg)
    for what in ("reference", "weight", "mask", "clusters", "within"):
        mine, other = getattr(first, what), getattr(second, what)
        if (mine is None) != (other is None) or not (mine is None or np.array_equal(mine, other)):
            msg = f"the {what} of the two differs; a comparison needs the same items in the same order."
            raise InputError(msg)
    return first, second


def paired_replicates(
    question: Averaged | Measure, a: Examples, b: Examples, draws: Draws, *, convention: Convention, columns: Any = None
) -> NDArray[np.float64]:
    """Return the difference in every replicate, (draws,): both predictions see the same resampled items."""
    if isinstance(question, Averaged) and question.operator is exemplar:
        rows = []
        for each in (a, b):
            values, weight = settled_values(question.measure, each, convention, columns)
            counted = (weight > 0).astype(np.float64)  # the weights themselves are applied to the sums
            rows += [values * counted, counted]
        sums = weighted_sums(a, [(slice(0, len(a)), a.at_first_parts(np.stack(rows, axis=1)))], draws).T
        with quiet():
            return np.asarray(apart(sums[0] / sums[1], sums[2] / sums[3]))
    if drawn_as_table(a) and drawn_as_table(b):
        tables = _drawn_together(a, b, draws)
        if tables is not None:
            with quiet():
                return np.asarray(apart(*(evaluate(question, table, convention, columns) for table in tables)))
    # The weights belong to the items, so that the same seed gives both predictions the same ones.
    items = np.arange(len(a)) if a.clusters is None else None
    mine, other = (
        replicate_values(
            question,
            each,
            draws,
            convention=convention,
            columns=columns,
            resampled=partial(resample, each, draws.count, draws.seed, identity=items),
        )
        for each in (a, b)
    )
    return np.asarray(apart(mine, other))


def _drawn_together(a: Examples, b: Examples, draws: Draws) -> tuple[Table, Table] | None:
    """Return replicates of both tables, drawn from the counts of (reference, first, second); None for too many."""
    from scipy.sparse import csr_matrix

    k, (y, p, q) = _codes(a, b)
    seen, counts = np.unique((y * k + p) * k + q, return_counts=True)
    if not 0 < seen.size <= _OUTCOMES or draws.count * k * k > _MASSES:
        return None
    drawn = np.random.default_rng(draws.seed).multinomial(len(a), counts / len(a), size=draws.count).astype(np.float64)
    y, p, q = seen // (k * k), seen // k % k, seen % k
    tables = []
    for predicted in (p, q):
        member = csr_matrix((np.ones(seen.size), (y * k + predicted, np.arange(seen.size))), shape=(k * k, seen.size))
        masses = np.ascontiguousarray((member @ drawn.T).T).reshape(draws.count, k, k)
        tables.append(Table(masses, a.task, counts=True))
    return tables[0], tables[1]


def distinct_answers(a: Examples, b: Examples) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return rows with every (reference, first, second) that occurs, and how often each does.

    None where rows do not count once each, or sides are soft: then they are no kinds of items, and each is its own.
    """
    if not (drawn_as_table(a) and drawn_as_table(b)):
        return None
    k, (y, p, q) = _codes(a, b)
    _, first, counts = np.unique((y * k + p) * k + q, return_index=True, return_counts=True)
    return first, counts.astype(np.float64)


def _codes(a: Examples, b: Examples) -> tuple[int, list[NDArray[np.int64]]]:
    """Return the number of classes, and reference, first and second prediction as positions of classes."""
    k = 2 if a.task == "binary" else a.n_classes
    return k, [side.reshape(len(side)).astype(np.int64) for side in (a.reference, a.prediction, b.prediction)]
