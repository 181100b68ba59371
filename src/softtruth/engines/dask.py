"""Counting on Dask: partial evidence in the workers, added in a tree; the caller gets sums only."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from softtruth.engines.addresses import as_paths, is_address, is_where
from softtruth.engines.filters import rows_kept
from softtruth.engines.join import Join, Side, Sides, join_of
from softtruth.engines.layout import plan_of
from softtruth.engines.merging import FAN, added, count_part, finished, pieces_of
from softtruth.engines.pieces import ROWS, Files, kind_of, sign_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, ITEM, REPEATS, SLOTS, VOTES
from softtruth.errors import InputError, MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from softtruth.engines.plan import Plan
    from softtruth.engines.wanted import Wanted
    from softtruth.statistics.evidence import Evidence


def count_on_dask(sides: Sides, wanted: Wanted) -> Evidence:
    """Return the evidence of Dask frames, or of files that Dask reads; on the current client, if there is one.

    Parameters
    ----------
    sides
        Frames or paths; predictions and facts apart are joined with the reference by item, inside the cluster.
    wanted
        What the user says.
    """
    try:
        import dask
    except ImportError:
        raise MissingPackageError("dask", "dask", "Counting on Dask") from None
    data = sides.reference
    if sides.predictions or sides.items is not None:
        return _joined(sides.map(partial(_frame, delimiter=wanted.delimiter)), wanted)
    if _local(data):
        files = Files.of(data, wanted.delimiter)
        plan = plan_of(files.sample(), wanted, files.paths[0])
        one = replace(files, columns=tuple(plan.columns), width=plan.width)
        tasks = [dask.delayed(_count_file)(plan, replace(one, paths=(path,)), path) for path in files.paths]
        return _gathered(plan, tasks)
    frame = _frame(data, delimiter=wanted.delimiter)
    plan = plan_of(_head(frame), wanted, "the Dask frame")
    columns, parts = plan.columns, frame[plan.columns].to_delayed()
    return _gathered(plan, [dask.delayed(_count_frame)(plan, columns, part, i) for i, part in enumerate(parts)])


def _local(data: Any) -> bool:
    """Whether the data are files of this machine that are read block by block."""
    return is_where(data) and not any(map(is_address, as_paths(data)))


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

    slots = 1 if plan.cluster is None else min(SLOTS, max(1, len(tasks)))
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
        roots += [add(level, slots=slots)] if level else []
    whole = dask.delayed(finished)(plan, roots)
    return whole.compute()


def _frame(data: Any, *, delimiter: str | None) -> Any:
    """Return a Dask frame, read from paths or addresses by Dask itself."""
    if not is_where(data):
        return data
    import dask.dataframe as dd

    paths = as_paths(data)
    kind = kind_of(paths[0])
    if kind == "csv":
        return dd.read_csv(paths, sep=sign_of(paths[0], delimiter), dtype=str, keep_default_na=False)
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


def _joined(sides: Sides, wanted: Wanted) -> Evidence:
    """Bring items to the same partition on all sides, and meet there."""
    import dask

    first = sides.map(_head)
    join, after = join_of(first, wanted)
    plan = plan_of(join.sample(first), after, "the joined rows", joined=True)
    pairs = [(sides.reference, join.reference)]
    pairs += [(frame, join.predictions[name]) for name, frame in sides.predictions.items()]
    if join.items is not None:
        pairs.append((sides.items, join.items))
    n = max(frame.npartitions for frame, _ in pairs)
    parts = []
    for frame, side in pairs:
        named = frame.assign(**{ITEM: frame[side.item].astype(str)})
        parts.append(named.shuffle(on=ITEM, npartitions=n, force=True).to_delayed())
    meet = dask.delayed(_count_meeting)
    return _gathered(plan, [meet(plan, join, list(one), i) for i, one in enumerate(zip(*parts, strict=True))])


def _count_meeting(plan: Plan, join: Join, parts: list[Any], number: int) -> Evidence:
    where = f"partition {number} of the join"
    met = _once(parts[0], join.reference, IN_REFERENCE) if join.vote is None else _votes(parts[0], join)
    if join.items is not None:  # filters on facts leave items out
        facts = _facts(parts[-1], join.items)
        how = "inner" if join.items.filters else "left"
        met = met.merge(facts, left_index=True, right_index=True, how=how, suffixes=("", " "))
        met = _most_repeats(met)
    marks = []
    for i, (part, side) in enumerate(zip(parts[1:], join.predictions.values(), strict=False)):
        marks.append(f"{IN_PREDICTION} {i}")
        theirs = _once(part, side, marks[-1])
        met = _most_repeats(met.merge(theirs, left_index=True, right_index=True, how="outer", suffixes=("", " ")))
    met[IN_PREDICTION] = met.index
    if marks:
        met[IN_PREDICTION] = met[IN_PREDICTION].where(met[marks].notna().all(axis=1), None)
    return count_part(plan, _batches(met, plan.columns), where)


def _most_repeats(met: Any) -> Any:
    """Return joined rows with the larger of two counts of repeats."""
    met[REPEATS] = met[[REPEATS, f"{REPEATS} "]].max(axis=1)
    return met.drop(columns=f"{REPEATS} ")


def _rows(part: Any, side: Side) -> Any:
    """Return the rows of a side that take part."""
    if not side.filters:
        return part
    import pyarrow as pa

    columns = [one.column for one in side.filters]
    return part[rows_kept(pa.Table.from_pandas(part[columns], preserve_index=False), side.filters)]


def _once(part: Any, side: Side, mark: str) -> Any:
    """Return one row for each item, how many there were, and that it was on this side."""
    part = _rows(part, side)
    grouped = part.groupby(ITEM, sort=False)
    kept = part.drop_duplicates(ITEM).set_index(ITEM)[[old for old, _ in side.columns]]
    kept.columns = [new for _, new in side.columns]
    return kept.assign(**{REPEATS: grouped.size(), mark: kept.index})


def _facts(part: Any, side: Side) -> Any:
    """Return facts about each item once; an item may come again, with the same facts."""
    part = _rows(part, side)
    names = [old for old, _ in side.columns]
    kept = part.drop_duplicates(ITEM).set_index(ITEM)[names]
    several = part.groupby(ITEM, sort=False)[names].nunique().max(axis=1) if names else 1
    kept.columns = [new for _, new in side.columns]
    return kept.assign(**{REPEATS: several})


def _votes(part: Any, join: Join) -> Any:
    """Return the labels that each item got, as a list, and whether an annotator comes twice."""
    part = _rows(part, join.reference)
    grouped = part.groupby(ITEM, sort=False)
    labels = part[join.vote].astype(object).where(part[join.vote].notna(), None)
    votes = labels.map(lambda x: None if x is None else str(x)).groupby(part[ITEM], sort=False).agg(list)
    found = votes.to_frame(VOTES)
    found[REPEATS], found[IN_REFERENCE] = 1, found.index
    if join.annotator is not None:
        found[REPEATS] = 1 + grouped.size() - grouped[join.annotator].nunique()
    for old, new in join.reference.columns:
        found[new] = grouped[old].first()
    return found
