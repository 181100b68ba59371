"""Batches in, evidence out: the function that every engine runs on its share of the rows."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth._arrays import one_blas_thread
from softtruth.engines.batch import Batch, indices_of, read_batch
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, MOST_WITH_MOMENTS, TIED, WEIGHT
from softtruth.engines.replicated import replicates_of
from softtruth.errors import InputError, shown
from softtruth.evaluation.views import majority_matrix
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures import Averaged, parse
from softtruth.report.questions import SUBSET_ACCURACY
from softtruth.statistics.cluster_sums import ClusterSums
from softtruth.statistics.coupling import coupling_of
from softtruth.statistics.evidence import Evidence, Sums
from softtruth.statistics.means import Means
from softtruth.statistics.moments import Moments
from softtruth.statistics.pair_counter import PairCounter
from softtruth.statistics.table import LARGEST_TABLE
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.pulls import example_means, example_values
from softtruth.uncertainty.whole_rows import rows_right

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from softtruth.engines.plan import Look, Plan
    from softtruth.measures import Measure
    from softtruth.statistics.examples import Examples


_OF_ROW = re.compile(r" (in )?row 0( of the batch)?\b")


class Placed(NamedTuple):
    """A batch, and where it comes from: a file or a partition, and the number of its first row there."""

    where: str
    start: int
    batch: pa.RecordBatch


def placed(batches: Iterable[pa.RecordBatch], where: str) -> Iterator[Placed]:
    """Yield batches that follow each other in one place."""
    start = 0
    for batch in batches:
        yield Placed(where, start, batch)
        start += batch.num_rows


def evidence_of(plan: Plan, batches: Iterable[Placed]) -> Evidence:
    """Return the evidence of some batches, which may be none.

    Parameters
    ----------
    plan
        What the columns are.
    batches
        Arrow batches of any size, and where they come from.

    Raises
    ------
    InputError
        With the place and the rows in front of what is wrong.
    """
    with one_blas_thread():
        if _tabled(plan):
            return _counted(plan, batches)
        whole = no_evidence(plan)
        for one in batches:
            if one.batch.num_rows:
                whole += _told(one, lambda batch: _of_batch(plan, read_batch(plan, batch)))
        return whole


def _tabled(plan: Plan) -> bool:
    """Whether a table of pairs is all there is to keep."""
    return plan.plain and len(plan.labels) <= LARGEST_TABLE


def _told(one: Placed, step: Callable[[pa.RecordBatch], Any]) -> Any:
    """Run a step, and say of an error where it happened."""
    try:
        return step(one.batch)
    except InputError as error:
        if IN_REFERENCE in one.batch.schema.names:
            raise _of_item(one, step, error) from error
        last = one.start + one.batch.num_rows - 1
        msg = f"{one.where}, rows {one.start:,} to {last:,} (numbered from 0 among these): {error}"
        raise type(error)(msg) from error


def _of_item(one: Placed, step: Callable[[pa.RecordBatch], Any], error: InputError) -> InputError:
    """Return an error of joined rows with the item in which it is: such a row is in no file of the user."""

    def wrong(start: int, rows: int) -> InputError | None:
        try:
            step(one.batch.slice(start, rows))
        except InputError as found:
            return found
        return None

    if str(error).startswith("item "):
        return type(error)(f"{one.where}: {error}")
    low, high = 0, one.batch.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wrong(low, middle - low) else (middle, high)
    alone = wrong(low, 1)
    if alone is None:  # it takes several rows
        return type(error)(f"{one.where}: {error}")
    ids = (one.batch.column(name)[low].as_py() for name in (IN_REFERENCE, IN_PREDICTION))
    item = next((x for x in ids if x is not None), "")
    return type(error)(f"{one.where}: item {shown(item)}: {_OF_ROW.sub('', str(alone))}")


def _counted(plan: Plan, batches: Iterable[Placed]) -> Evidence:
    """Count pairs of labels into one growing table for each prediction."""
    counters = {name: PairCounter(len(plan.labels), plan.task) for name, _ in plan.predictions}
    left: dict[str, int] = {}
    rows = 0

    def count(batch: pa.RecordBatch) -> None:
        nonlocal rows
        if (indices := indices_of(plan, batch)) is not None:
            for name, counter in counters.items():
                counter.add(indices[""], indices[name], checked=True)
            rows += batch.num_rows
            return
        found = read_batch(plan, batch)
        for name, counter in counters.items():
            counter.add(found.reference, found.predictions[name][0])
        rows += found.rows
        for why, n in found.left_out.items():
            left[why] = left.get(why, 0) + n

    for one in batches:
        if one.batch.num_rows:
            _told(one, count)
    sums = {
        (look.prediction, look.view): Sums(
            counters[look.prediction].table if not look.soft else _renamed(plan, counters[look.prediction]),
            examples=counters[look.prediction].rows,
        )
        for look in plan.looks
    }
    return Evidence(plan.settings(), sums, rows, left)


def _renamed(plan: Plan, counter: PairCounter) -> Any:
    """Return the table under the name of the coupling that was asked for: with crisp sides all are the same."""
    return replace(counter.table, coupling=coupling_of(plan.tnorm, plan.coupling).name)


def no_evidence(plan: Plan) -> Evidence:
    """Return the evidence of no rows: the neutral element of ``+``."""
    if _tabled(plan):
        return _counted(plan, [])
    k = len(plan.labels)
    reference = np.zeros((0, k) if plan.soft_reference or plan.task == "multilabel" else 0)
    if plan.soft_reference and plan.task == "binary" and plan.reference.kind not in {"votes", "vote_list"}:
        reference = np.zeros(0)
    if not plan.soft_reference and plan.task != "multilabel":
        reference = reference.astype(np.intp)
    predictions: dict[str, tuple[Any, str]] = {}
    for name, source in plan.predictions:
        wide = (0, k) if plan.task != "binary" and (source.kind != "labels" or plan.task == "multilabel") else (0,)
        empty: Any = np.zeros(wide) if source.kind != "labels" else np.zeros(wide, np.intp)
        predictions[name] = (empty, source.kind)
    kind = "votes" if plan.reference.kind == "vote_list" else plan.reference.kind
    weight = None if plan.weight is None else np.zeros(0)
    clusters = None if plan.cluster is None and plan.unit is None else np.zeros(0, np.intp)
    units = None if plan.unit is None else np.zeros(0, np.uint64)
    return _of_batch(plan, Batch(reference, kind, predictions, weight, None, clusters, [], 0, units))


def _of_batch(plan: Plan, batch: Batch) -> Evidence:
    made: dict[tuple[str, bool, bool], tuple[IndicatorMatrix, int]] = {}
    for look in plan.looks:
        key = (look.prediction, look.soft, False)
        if key not in made:
            matrix = _matrix(plan, batch, look)
            made[key] = (matrix, matrix.tied_predictions)
        if look.majority:
            crisp = made[key][0].examples.reference.ndim == 1  # no item of this batch is in doubt
            made[look.prediction, look.soft, True] = (
                (made[key][0], 0) if crisp else majority_matrix(made[key][0], plan.ties)[:2]
            )
    sums, left = {}, dict(batch.left_out)
    for look in plan.looks:
        matrix, tied = made[look.prediction, look.soft, look.majority]
        decision = made[look.prediction, look.soft, False]
        sums[look.prediction, look.view] = _sums(plan, look, matrix.examples, batch, decision[1])
        if look.majority and tied and look.prediction == plan.predictions[0][0]:
            left[TIED] = tied
    return Evidence(plan.settings(), sums, batch.rows, left)


def _matrix(plan: Plan, batch: Batch, look: Look) -> IndicatorMatrix:
    values, kind = batch.predictions[look.prediction]
    given: dict[str, Any] = plan.given if look.soft else {}
    return IndicatorMatrix(
        batch.reference,
        values,
        plan.task,
        reference_kind=batch.kind,
        prediction_kind=kind,
        threshold=plan.threshold,
        labels=plan.labels,
        mask=batch.mask,
        sample_weight=batch.weight,
        clusters=batch.clusters,
        **given,
    )


def keeps_moments(plan: Plan) -> bool:
    """Whether counts alone do not say how much they vary: soft or weighted data, labels that hold together."""
    several = plan.task == "multilabel" and len(plan.labels) > 1
    soft = plan.soft_reference or any(look.soft for look in plan.looks)
    few = len(plan.labels) <= MOST_WITH_MOMENTS
    return few and plan.cluster is None and (several or soft or plan.weight is not None)


def _sums(plan: Plan, look: Look, examples: Examples, batch: Batch, tied: int) -> Sums:
    columns = taking_part(plan)
    codes = examples.clusters
    if plan.cluster is None and codes is not None:  # they only say which row is which unit
        examples = replace(examples, clusters=None)
    determined = examples.coupling.independent or not (look.soft and plan.soft_reference)
    tabled = plan.task == "multiclass" and len(plan.labels) <= LARGEST_TABLE and determined
    statistic = examples.table if tabled else examples.cells
    crisp = not look.soft and (look.majority or not plan.soft_reference)
    names = [name for name in plan.exemplars if crisp or name != SUBSET_ACCURACY]
    replicated = plan.replicated(look)
    numbers = {}
    if plan.cluster is not None or replicated:
        numbers = {name: _numbers(name, examples, columns) for name in names}
    means = {name: _means(name, examples, columns) for name in names}
    if plan.weight is not None:
        means[WEIGHT] = Means.of(np.ones(examples.n), examples.example_weight)
    replicates = None
    if replicated and batch.units is not None and codes is not None:
        averaged = {name: number for name, number in numbers.items() if name != SUBSET_ACCURACY}
        replicates = replicates_of(examples, batch.units[codes], averaged, Draws(plan.draws, plan.seed))
    return Sums(
        statistic,
        _moments(examples) if keeps_moments(plan) else None,
        means,
        None if plan.cluster is None else ClusterSums.of(examples, batch.cluster_names, numbers),
        examples.n,
        tied,
        replicates,
    )


def _numbers(name: str, examples: Examples, columns: Any) -> NDArray[np.float64]:
    """Return a number for each example, NaN where it has none."""
    if name == SUBSET_ACCURACY:
        return rows_right(examples, columns)
    return example_values(_measure(name), examples, columns)


def _means(name: str, examples: Examples, columns: Any) -> Means:
    if name == SUBSET_ACCURACY:
        return Means.of(rows_right(examples, columns), examples.example_weight)
    return example_means(_measure(name), examples, columns)


@lru_cache(maxsize=256)
def _measure(name: str) -> Measure:
    question = parse(name, "exemplar")
    assert isinstance(question, Averaged)  # noqa: S101  an operator always gives one
    return question.measure


def _moments(examples: Examples) -> Moments:
    whole = Moments.zero(examples.n_classes)
    for part, cells in examples.entries():
        whole += Moments.of(cells, None if examples.weight is None else examples.weight[part])
    return whole


def taking_part(plan: Plan) -> Any:
    """Return the columns that take part in averages; None for all."""
    ignored = {str(value) for value in plan.ignore}
    if plan.task == "binary" or (plan.subset is None and not ignored & set(map(str, plan.labels))):
        return None
    chosen = set(map(str, plan.labels if plan.subset is None else plan.subset))
    return np.array([i for i, label in enumerate(plan.labels) if str(label) in chosen - ignored])
