"""One Arrow batch as checked arrays of the rows that count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.engines.columns import IGNORED, codes_of, column_of, matrix_of, numbered, numbers_of, votes_of
from softtruth.engines.filters import rows_kept
from softtruth.engines.plan import FILTERED, IN_PREDICTION, IN_REFERENCE, ONLY_PREDICTED, ONLY_REFERENCE, REPEATS
from softtruth.engines.units import units_of
from softtruth.errors import InputError, shown
from softtruth.inputs.row_sums import checked_shares
from softtruth.statistics.pair_counter import indices_at_a_glance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.engines.plan import Plan, Source

_SHARES = ("distribution", "probabilities")
_NOTHING = r"(?i)^\s*([+-]?(nan|inf|infinity))?\s*$"  # text that names no cluster


@dataclass
class Batch:
    """Arrays of one batch, and what was left out of it.

    Attributes
    ----------
    reference, kind
        As ``IndicatorMatrix`` takes them.
    predictions : dict
        Values and their kind, by name.
    weight, mask : ndarray, optional
    clusters : ndarray of int, optional
        Codes into ``cluster_names``, or into ``units`` where there are no clusters.
    units : ndarray of uint64, optional
        What the replicates of each cluster, or of each row, are drawn by.
    rows : int
        How many rows the batch has, counted or not.
    """

    reference: NDArray[Any]
    kind: str
    predictions: dict[str, tuple[NDArray[Any], str]]
    weight: NDArray[np.float64] | None
    mask: NDArray[np.bool_] | None
    clusters: NDArray[Any] | None
    cluster_names: list[str]
    rows: int
    units: NDArray[np.uint64] | None = None
    left_out: dict[str, int] = field(default_factory=dict)


def read_batch(plan: Plan, batch: pa.RecordBatch) -> Batch:
    """Return the arrays of a batch.

    Raises
    ------
    InputError
        If a prediction is missing, or a value is not what the plan says.
    """
    rows, left = batch.num_rows, dict[str, int]()
    if plan.joined:
        batch = _on_both_sides(batch, left)
    if plan.filters:
        kept = rows_kept(batch, plan.filters)
        _add(left, FILTERED, int((~kept).sum()))
        batch = batch if kept.all() else batch.filter(pa.array(kept))
    if plan.drop_missing:
        batch = _with_predictions(plan, batch, left)
    reference, known, mask = _reference(plan, batch, left)
    if known is not None and not known.all():
        batch = batch.filter(pa.array(known))
        reference = reference[known]
        mask = None if mask is None else mask[known]
    predictions = {name: _prediction(plan, batch, name, source) for name, source in plan.predictions}
    weight = None if plan.weight is None else numbers_of(column_of(batch, plan.weight), plan.weight).astype(np.float64)
    clusters, names = None, list[str]()
    if plan.cluster is not None:
        clusters, names = _clusters(batch, plan.cluster)
    units = None
    if plan.unit is not None and plan.cluster is not None:
        units = units_of(pa.array(names, pa.string()), plan.unit)
    elif plan.unit is not None:
        units = units_of(column_of(batch, plan.unit), plan.unit)
        clusters = np.arange(units.size)
    kind = "votes" if plan.reference.kind == "vote_list" else plan.reference.kind
    return Batch(reference, kind, predictions, weight, mask, clusters, names, rows, units, left)


def indices_of(plan: Plan, batch: pa.RecordBatch) -> dict[str, NDArray[Any]] | None:
    """Return the class indices of all sides, the reference under "", where every row is a row of them as it stands.

    None where a column holds anything else, a value is missing, or rows may not count: ``read_batch`` looks closer.
    """
    if plan.joined or plan.filters or plan.ignore or plan.drop_missing:
        return None
    found: dict[str, NDArray[Any]] = {}
    for name, source in (("", plan.reference), *plan.predictions):
        column = column_of(batch, source.columns[0])
        if source.changes or not pa.types.is_integer(column.type) or column.null_count or not numbered(plan.labels):
            return None
        indices = indices_at_a_glance(np.asarray(column), len(plan.labels))
        if indices is None:
            return None
        found[name] = indices
    return found


def _on_both_sides(batch: pa.RecordBatch, left: dict[str, int]) -> pa.RecordBatch:
    """Leave out the items that only one side has, and count them."""
    repeats = np.asarray(column_of(batch, REPEATS).fill_null(1))
    if (repeats > 1).any():
        row = int(np.argmax(repeats > 1))
        found = (column_of(batch, name)[row].as_py() for name in (IN_REFERENCE, IN_PREDICTION))
        item = next((x for x in found if x), "")  # rows without an id repeat the empty one
        msg = (
            f"item {shown(item)} stands more than once on one side, or has two votes of one annotator "
            f"({int((repeats > 1).sum()):,} such items among these); leave the repeated rows out."
        )
        raise InputError(msg)
    there = [~np.asarray(column_of(batch, name).is_null()) for name in (IN_REFERENCE, IN_PREDICTION)]
    _add(left, ONLY_PREDICTED, int((~there[0]).sum()))
    _add(left, ONLY_REFERENCE, int((there[0] & ~there[1]).sum()))
    both = there[0] & there[1]
    return batch if both.all() else batch.filter(pa.array(both))


def _with_predictions(plan: Plan, batch: pa.RecordBatch, left: dict[str, int]) -> pa.RecordBatch:
    """Leave out the rows in which a prediction is empty, and count them."""
    there = np.ones(batch.num_rows, bool)
    for name in dict.fromkeys(column for _, source in plan.predictions for column in source.columns):
        column = column_of(batch, name)
        empty = column.is_null(nan_is_null=True)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            empty = pc.or_(empty, pc.equal(column, "").fill_null(True))  # noqa: FBT003  the value that fills
        there &= ~np.asarray(empty)
    _add(left, "without a prediction", int((~there).sum()))
    return batch if there.all() else batch.filter(pa.array(there))


def _shares(plan: Plan, matrix: NDArray[Any], kind: str, what: str) -> NDArray[Any]:
    """Return rows of shares divided by their sums, where that was asked for."""
    if not plan.normalize or matrix.ndim == 1 or plan.task == "multilabel" or kind not in _SHARES:
        return matrix
    return checked_shares(matrix, lambda i: f"row {i} of the batch", what, normalize=True)[0]


def _reference(  # noqa: PLR0911  one kind of reference after another
    plan: Plan, batch: pa.RecordBatch, left: dict[str, int]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    """Return the reference, the rows of it that count, and for multilabel data the entries."""
    source = plan.reference
    if source.kind == "labels" and len(source.columns) == 1 and plan.task != "multilabel":
        column = column_of(batch, source.columns[0])
        codes = codes_of(column, plan.labels, plan.ignore, changes=source.changes)
        if column.null_count == 0 and codes.dtype.kind in "iu" and (not codes.size or int(codes.min()) >= 0):
            return codes, None, None
        ignored = int((codes == IGNORED).sum())
        _add(left, "ignored", ignored)
        _add(left, "without a label", int((codes < 0).sum()) - ignored)
        return codes, codes >= 0, None
    if source.kind == "vote_list":
        column = column_of(batch, source.columns[0])
        votes, ignored = votes_of(column, plan.labels, plan.ignore, source.changes)
        _add(left, "ignored votes", ignored)
        return _voted(votes, left)
    matrix = matrix_of(batch, source.columns, None if len(source.columns) > 1 else len(plan.labels))
    if source.kind == "votes":
        return _voted(np.nan_to_num(matrix.astype(np.float64), nan=0.0), left)
    matrix = _shares(plan, matrix, source.kind, "the reference")
    gaps = np.isnan(matrix)
    if not gaps.any():
        return matrix, None, None
    if plan.task == "multilabel":
        _add(left, "entries without a label", int(gaps.sum()))
        return np.nan_to_num(matrix), None, ~gaps
    without = gaps if gaps.ndim == 1 else gaps.all(axis=1)
    partly = (gaps if gaps.ndim == 1 else gaps.any(axis=1)) & ~without
    if partly.any():
        msg = f"reference row {int(np.argmax(partly))} has a value for some classes and none for others; write 0."
        raise InputError(msg)
    _add(left, "without a label", int(without.sum()))
    return matrix, ~without, None


def _voted(
    votes: NDArray[np.float64], left: dict[str, int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None, None]:
    known = votes.sum(axis=1) > 0
    _add(left, "without votes", int((~known).sum()))
    return votes, None if known.all() else known, None


def _prediction(plan: Plan, batch: pa.RecordBatch, name: str, source: Source) -> tuple[NDArray[Any], str]:
    if source.kind == "labels" and len(source.columns) == 1 and plan.task != "multilabel":
        column = column_of(batch, source.columns[0])
        codes = codes_of(column, plan.labels, name=f"prediction {name!r}", changes=source.changes)
        if codes.dtype.kind == "i" and codes.size and int(codes.min()) < 0 and bool((codes == -1).any()):
            msg = f"prediction {shown(name)} is missing in row {int(np.argmax(codes < 0))} of the batch."
            raise InputError(msg)
        return codes, "labels"
    matrix = matrix_of(batch, source.columns, None if len(source.columns) > 1 else len(plan.labels))
    return _shares(plan, matrix, source.kind, f"prediction {name!r}"), source.kind


def _clusters(batch: pa.RecordBatch, name: str) -> tuple[NDArray[Any], list[str]]:
    column = column_of(batch, name)
    gaps = column.null_count
    if pa.types.is_floating(column.type):  # what is no number is not one cluster
        gaps = int((~np.isfinite(np.asarray(column.cast(pa.float64()).fill_null(np.nan)))).sum())
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        gaps += int(pc.sum(pc.match_substring_regex(column, _NOTHING)).as_py() or 0)
    if gaps:
        msg = f"the cluster column {shown(name)} is empty in {gaps:,} rows; give each row a cluster."
        raise InputError(msg)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return np.asarray(coded.indices).astype(np.intp), [str(value) for value in coded.dictionary.to_pylist()]


def _add(left: dict[str, int], why: str, n: int) -> None:
    if n:
        left[why] = left.get(why, 0) + n
