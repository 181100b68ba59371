"""Counting on Dask: partial evidence in the workers, added in a tree; the caller gets sums only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softtruth.engines.join import Join, join_of
from softtruth.engines.layout import plan_of
from softtruth.engines.merging import FAN, added, count_part, finished, pieces_of
from softtruth.engines.pieces import ROWS, Files, kind_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, REPEATS, VOTES
from softtruth.errors import InputError, MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from softtruth.engines.layout import Wanted
    from softtruth.engines.plan import Plan
    from softtruth.statistics.evidence import Evidence

_ITEM = "softtruth:item"
_SLOTS = 32  # of clusters: each is put together by one task


def count_on_dask(data: Any, predictions: Any, wanted: Wanted) -> Evidence:
    """Return the evidence of Dask frames, or of files that Dask reads; on the current client, if there is one.

    Parameters
    ----------
    data, predictions
        Frames or paths; predictions apart are joined with the reference by item, inside the cluster.
    wanted
        What the user says.
    """
    try:
        import dask
    except ImportError:
        raise MissingPackageError("dask", "dask", "Counting on Dask") from None
    if predictions is not None:
        return _joined(_frame(data), _frame(predictions), wanted)
    if _local(data):
        files = Files.of(data)
        plan = plan_of(files.sample(), wanted, files.paths[0])
        one = replace(files, columns=tuple(plan.columns), width=plan.width)
        tasks = [dask.delayed(_count_file)(plan, replace(one, paths=(path,)), path) for path in files.paths]
        return _gathered(plan, tasks)
    frame = _frame(data)
    plan = plan_of(_head(frame), wanted, "the Dask frame")
    columns, parts = plan.columns, frame[plan.columns].to_delayed()
    return _gathered(plan, [dask.delayed(_count_frame)(plan, columns, part, i) for i, part in enumerate(parts)])


def _local(data: Any) -> bool:
    """Whether the data are files of this machine that are read block by block."""
    from softtruth.engines.door import is_where

    paths = [data] if isinstance(data, str) else data
    return is_where(data) and not any("://" in str(path) for path in paths)


def _count_file(plan: Plan, files: Files, path: str) -> Evidence:
    def batches() -> Iterator[pa.RecordBatch]:
        for step in files.steps():
            for one in step.batches:
                yield one.batch

    return count_part(plan, batches(), path)


def _count_frame(plan: Plan, columns: Sequence[str], part: Any, number: int) -> Evidence:
    return count_part(plan, _batches(part, columns), f"partition {number}")


def _batches(part: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    yield from pa.Table.from_pandas(part[list(columns)], preserve_index=False).to_batches(ROWS)


def _gathered(plan: Plan, tasks: list[Any]) -> Evidence:
    """Add up the parts in trees, one for each slot of clusters, and compute what is left of them."""
    import dask

    slots = 1 if plan.cluster is None else min(_SLOTS, max(1, len(tasks)))
    if plan.cluster is not None:
        split = dask.delayed(pieces_of, nout=slots)
        tasks = [list(split(plan, task, slots)) for task in tasks]
    else:
        tasks = [[task] for task in tasks]
    add: Callable[..., Any] = dask.delayed(added)
    roots = []
    for slot in range(slots):
        level = [task[slot] for task in tasks]
        while len(level) > 1:
            level = [add(level[i : i + FAN]) for i in range(0, len(level), FAN)]
        roots += [add(level, settle=True)] if level else []
    whole = dask.delayed(finished)(plan, roots)
    return whole.compute()


def _frame(data: Any) -> Any:
    """Return a Dask frame, read from paths or addresses by Dask itself."""
    from softtruth.engines.door import is_where

    if not is_where(data):
        return data
    import dask.dataframe as dd

    paths = [str(data)] if not isinstance(data, (list, tuple)) else [str(path) for path in data]
    kind = kind_of(paths[0])
    if kind == "csv":
        return dd.read_csv(paths, dtype=str, keep_default_na=False)
    if kind == "json":
        return dd.read_json(paths, lines=True)
    return dd.read_parquet(paths[0] if len(paths) == 1 else paths)


def _head(frame: Any) -> pa.Table:
    import pyarrow as pa

    found = frame.head(2048, npartitions=-1, compute=True)
    if not len(found.columns):
        msg = "the Dask frame has no columns."
        raise InputError(msg)
    return pa.Table.from_pandas(found, preserve_index=False)


def _joined(reference: Any, prediction: Any, wanted: Wanted) -> Evidence:
    """Bring items to the same partition on both sides, and meet there."""
    import dask

    samples = [_head(side) for side in (reference, prediction)]
    join, after = join_of(samples[0], samples[1], wanted)
    plan = plan_of(join.sample(samples[0], samples[1]), after, "the joined rows", joined=True)
    n = max(reference.npartitions, prediction.npartitions)
    sides = []
    for frame, item in ((reference, join.reference_item), (prediction, join.prediction_item)):
        named = frame.assign(**{_ITEM: frame[item].astype(str)})
        sides.append(named.shuffle(on=_ITEM, npartitions=n, force=True).to_delayed())
    meet = dask.delayed(_count_meeting)
    return _gathered(plan, [meet(plan, join, *pair, i) for i, pair in enumerate(zip(*sides, strict=True))])


def _count_meeting(plan: Plan, join: Join, reference: Any, prediction: Any, number: int) -> Evidence:
    where = f"partition {number} of the join"
    ours = _once(reference, join.reference, IN_REFERENCE) if join.vote is None else _votes(reference, join)
    theirs = _once(prediction, join.prediction, IN_PREDICTION)
    met = ours.merge(theirs, left_index=True, right_index=True, how="outer", suffixes=("", " "))
    met[REPEATS] = met[[REPEATS, f"{REPEATS} "]].max(axis=1)
    return count_part(plan, _batches(met, plan.columns), where)


def _once(part: Any, columns: Sequence[str], side: str) -> Any:
    """Return one row for each item, how many there were, and that it was on this side."""
    grouped = part.groupby(_ITEM, sort=False)
    kept = part.drop_duplicates(_ITEM).set_index(_ITEM)[list(columns)]
    return kept.assign(**{REPEATS: grouped.size(), side: kept.index})


def _votes(part: Any, join: Join) -> Any:
    """Return the labels that each item got, as a list, and whether an annotator comes twice."""
    grouped = part.groupby(_ITEM, sort=False)
    labels = part[join.vote].astype(object).where(part[join.vote].notna(), None)
    votes = labels.map(lambda x: None if x is None else str(x)).groupby(part[_ITEM], sort=False).agg(list)
    found = votes.to_frame(VOTES)
    found[REPEATS], found[IN_REFERENCE] = 1, found.index
    if join.annotator is not None:
        found[REPEATS] = 1 + grouped.size() - grouped[join.annotator].nunique()
    for name in join.reference:
        found[name] = grouped[name].first()
    return found
