"""Counting on Spark: partial evidence in the workers, added by a second stage; the driver gets few sums."""

from __future__ import annotations

import os
import re
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from softtruth.engines.addresses import as_paths, is_where
from softtruth.engines.join import Join, Side, Sides, join_of
from softtruth.engines.layout import plan_of
from softtruth.engines.merging import added, count_part, finished, pieces_of
from softtruth.engines.pieces import kind_of, sign_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, ITEM, REPEATS, SLOTS, VOTES
from softtruth.errors import InputError, MissingPackageError
from softtruth.statistics.evidence import Evidence
from softtruth.statistics.serialise import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from softtruth.engines.plan import Plan
    from softtruth.engines.wanted import Wanted

_OTHER = "softtruth:repeats of the other"
_STATE = "part int, slot int, state binary"


def count_on_spark(sides: Sides, wanted: Wanted) -> Evidence:
    """Return the evidence of Spark DataFrames, or of files and addresses that Spark reads.

    Parameters
    ----------
    sides
        DataFrames or paths; predictions and facts apart are joined with the reference by item, inside the cluster.
    wanted
        What the user says.

    Raises
    ------
    MissingPackageError
        If PySpark is not installed.
    InputError
        From a worker, with the number of the partition.
    """
    frames = sides.map(partial(_frame, delimiter=wanted.delimiter))
    if not frames.predictions and frames.items is None:
        plan = plan_of(frames.reference.limit(2048).toArrow(), wanted, "the Spark frame")
        return _counted(plan, frames.reference.select(*map(_quoted, plan.columns)))
    first = frames.map(lambda frame: frame.limit(2048).toArrow())
    join, after = join_of(first, wanted)
    plan = plan_of(join.sample(first), after, "the joined rows", joined=True)
    return _counted(plan, _joined(join, frames).select(*map(_quoted, plan.columns)))


def _counted(plan: Plan, frame: Any) -> Evidence:
    slots = min(SLOTS, _parallel(frame.sparkSession))
    states = frame.mapInArrow(partial(_count_partition, plan, slots), _STATE).repartition(slots, "slot")
    merged = states.mapInArrow(partial(_merge_partition, slots=None if plan.cluster is None else slots), _STATE)
    try:
        rows = merged.toArrow()
    except Exception as error:
        raise _told(error) from error
    return finished(plan, [_evidence(state) for state in rows["state"].to_pylist()])


def _parallel(session: Any) -> int:
    """Return how many tasks run at once; a remote session does not say."""
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except Exception:  # noqa: BLE001  whatever a session without a context raises
        return SLOTS


def _count_partition(plan: Plan, slots: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run in a worker: count one partition."""
    from pyspark import TaskContext

    context = TaskContext.get()
    part = 0 if context is None else context.partitionId()
    pieces = pieces_of(plan, count_part(plan, batches, f"partition {part}"), slots)
    for slot, piece in enumerate(pieces):
        yield _state(part, slot if len(pieces) > 1 else part % slots, piece)


def _merge_partition(batches: Iterator[pa.RecordBatch], *, slots: int | None) -> Iterator[pa.RecordBatch]:
    """Run in a worker: add the parts of some slots."""
    named = (((row["part"], row["slot"]), _evidence(row["state"])) for batch in batches for row in batch.to_pylist())
    first = next(named, None)
    if first is not None:
        yield _state(0, 0, added(_after(first, named), slots=slots))


def _after(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


def _state(part: int, slot: int, evidence: Evidence) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [pa.array([part], pa.int32()), pa.array([slot], pa.int32()), pa.array([to_bytes(evidence)], pa.binary())]
    return pa.RecordBatch.from_arrays(arrays, ["part", "slot", "state"])


def _evidence(state: bytes) -> Evidence:
    found = from_bytes(state)
    if not isinstance(found, Evidence):
        msg = f"a worker sent {type(found).__name__}, expected evidence."
        raise InputError(msg)
    return found


def _told(error: Exception) -> Exception:
    """Return the sentence that a worker said, out of the trace around it."""
    found = re.search(r"softtruth\.errors\.\w+: (.+)", str(error))
    return InputError(found.group(1).strip()) if found else error


def _joined(join: Join, frames: Sides) -> Any:
    """Bring all sides together by item: rows of items that one side lacks stay, and are counted as such."""
    from pyspark.sql import functions as f

    met = _once(frames.reference, join.reference) if join.vote is None else _votes(frames.reference, join)
    met = met.withColumn(IN_REFERENCE, f.col(ITEM))
    if join.items is not None:  # filters on facts leave items out
        how = "inner" if join.items.filters else "left"
        met = met.join(_facts(frames.items, join.items).withColumnRenamed(REPEATS, _OTHER), ITEM, how)
        met = _most_repeats(met)
    there = f.lit(True)  # noqa: FBT003  the name of the parameter is not the same in all versions
    for i, (name, side) in enumerate(join.predictions.items()):
        mark = f"{IN_PREDICTION} {i}"
        theirs = _once(frames.predictions[name], side).withColumnRenamed(REPEATS, _OTHER)
        met = _most_repeats(met.join(theirs.withColumn(mark, f.col(ITEM)), ITEM, "full_outer"))
        there = there & f.col(_quoted(mark)).isNotNull()
    return met.withColumn(IN_PREDICTION, f.when(there, f.col(ITEM)))


def _most_repeats(met: Any) -> Any:
    """Return joined rows with the larger of two counts of repeats."""
    from pyspark.sql import functions as f

    return met.withColumn(REPEATS, f.greatest(f.col(_quoted(REPEATS)), f.col(_quoted(_OTHER)))).drop(_OTHER)


def _rows(frame: Any, side: Side) -> Any:
    """Return the rows of a side that take part, with their item as text."""
    from pyspark.sql import functions as f

    for one in side.filters:
        word = f.coalesce(f.col(_quoted(one.column)).cast("string"), f.lit(""))
        frame = frame.where(word.isin(*one.keep)) if one.keep else frame
        frame = frame.where(~word.isin(*one.drop)) if one.drop else frame
    return frame.withColumn(ITEM, f.col(_quoted(side.item)).cast("string")).where(f.col(ITEM).isNotNull())


def _once(frame: Any, side: Side) -> Any:
    """Return one row for each item, and how many there were."""
    from pyspark.sql import functions as f

    return _rows(frame, side).groupBy(ITEM).agg(f.count(f.lit(1)).alias(REPEATS), *_kept(side))


def _facts(frame: Any, side: Side) -> Any:
    """Return facts about each item once; an item may come again, with the same facts."""
    from pyspark.sql import functions as f

    several = f.greatest(f.lit(1), f.lit(1), *(f.countDistinct(f.col(_quoted(old))) for old, _ in side.columns))
    return _rows(frame, side).groupBy(ITEM).agg(several.alias(REPEATS), *_kept(side))


def _votes(frame: Any, join: Join) -> Any:
    """Return the labels that each item got, as a list, and whether an annotator comes twice."""
    from pyspark.sql import functions as f

    vote = f.col(_quoted(str(join.vote))).cast("string")
    repeats = f.lit(1)
    if join.annotator is not None:
        repeats = 1 + f.count(f.lit(1)) - f.countDistinct(f.col(_quoted(join.annotator)))
    grouped = _rows(frame, join.reference).groupBy(ITEM)
    return grouped.agg(f.collect_list(vote).alias(VOTES), repeats.alias(REPEATS), *_kept(join.reference))


def _kept(side: Side) -> list[Any]:
    """Return the columns that are kept of a side, one value for each item."""
    from pyspark.sql import functions as f

    return [f.first(f.col(_quoted(old))).alias(new) for old, new in side.columns]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _frame(data: Any, *, delimiter: str | None) -> Any:
    """Return a DataFrame, read from paths or addresses by Spark itself."""
    if not is_where(data):
        return data
    paths = as_paths(data)
    session = _session()
    kind = kind_of(paths[0])
    if kind == "csv":
        return session.read.csv(paths, header=True, sep=sign_of(paths[0], delimiter))
    return session.read.json(paths) if kind == "json" else session.read.parquet(*paths)


def _session() -> Any:
    """Return the session that is there, or a local one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingPackageError("pyspark", "spark", "Counting on Spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # otherwise workers take the first python3 on the path
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        msg = "Spark needs Java, and there is none: install a JDK of version 17 or newer, and set JAVA_HOME to it."
        raise InputError(msg)
    session = SparkSession.getActiveSession()
    return session if session is not None else SparkSession.builder.appName("softtruth").getOrCreate()
