"""The front door for data anywhere: arrays as ever, files and streams in bounded memory, frames on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import partial, wraps
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.arguments import checked
from softtruth.engines.addresses import is_where
from softtruth.engines.join import Sides, join_of
from softtruth.engines.layout import plan_of
from softtruth.engines.out_of_core import join_files
from softtruth.engines.pieces import Files
from softtruth.engines.plan import ONLY_PREDICTED, ONLY_REFERENCE
from softtruth.engines.streaming import stream_batches, stream_files
from softtruth.engines.told import report_from
from softtruth.engines.wanted import Wanted
from softtruth.errors import InputError, shown
from softtruth.evaluation.front_door import evaluate as evaluate_arrays

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth.engines.plan import Plan
    from softtruth.engines.streaming import Progress
    from softtruth.report import Report
    from softtruth.statistics.evidence import Evidence

ASKED = ("measures", "operators", "convention", "level", "max_classes", "interval", "draws", "seed")
_BEFORE = ("measures", "operators", "interval", "draws", "seed")  # of these, what must be known before the rows go by


@checked
def evaluate_stream(
    data: Any,
    predictions: Any = None,
    items: Any = None,
    *,
    engine: str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Report:
    """How good are these predictions, when the data do not fit into memory?

    The rows go by once; what stays are sums, on one machine or on a cluster, and the report is made of them. It has
    the rows of ``evaluate``, but for what needs the examples themselves.

    Parameters
    ----------
    data : path, pattern, list of paths, iterable of Arrow batches, Spark DataFrame or Dask DataFrame
        Rows with the reference and the predictions; or the reference alone, then with ``predictions``.
    predictions : the same kinds, or dict of name to these, optional
        The predictions, joined with the reference by item. A reference with one row for each vote becomes
        distributions in the same go.
    items : the same kinds, optional
        Facts about the items, joined in for weights, clusters and filters.
    engine : {"stream", "dask", "spark"}, optional
        What reads paths; by default this machine. Frames are counted where they live.
    checkpoint : path, optional
        A file from which an interrupted run on this machine goes on.
    progress : callable, optional
        Called with rows, rows a second and the time that is left, on this machine.
    **options
        ``label`` and ``prediction_column``: columns of the two sides; a pattern or a comma list where there is one for
        each class, a mapping for several predictions. ``item``, ``annotator``, ``weight``, ``cluster``: columns.
        ``where`` (``"role=expert"``, ``"prediction:fold!=3"``), ``rename`` (``"old=new"``), ``normalize``,
        ``drop_missing``, ``delimiter``: as on the command line.
        ``task``, ``labels`` (all class names in their order; needed where the columns do not say them), ``n_classes``,
        ``positive``, ``threshold``, ``reference_kind``, ``prediction_kind``, ``coupling``, ``tnorm``, ``ties``,
        ``subset``, ``ignore``, and ``measures``, ``operators``, ``convention``, ``level``, ``interval``, ``draws``,
        ``seed``, ``max_classes``: as for ``evaluate``. The replicates of ``interval="percentile"`` are drawn by item
        (by cluster, where there are clusters), so that no split of the rows changes them.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        A ``ValueError`` that names file or partition, rows, what was found, what was expected and what to do.
    MissingPackageError
        If the engine is not installed.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batches = [pa.record_batch({"label": [0, 1, 2, 2], "prediction": [0, 2, 2, 1]})] * 3
    >>> evaluate_stream(batches, task="multiclass", n_classes=3).value("accuracy")
    0.5
    """
    asked = {name: options.pop(name) for name in ASKED if options.get(name) is not None}
    evidence = count_stream(
        data, predictions, items, engine=engine, checkpoint=checkpoint, progress=progress, **options,
        **{name: asked[name] for name in _BEFORE if name in asked},
    )  # fmt: skip
    return report_from(evidence, **asked)


@checked
def count_stream(
    data: Any,
    predictions: Any = None,
    items: Any = None,
    *,
    engine: str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Evidence:
    """Return what ``evaluate_stream`` makes its report of: evidence that can be written, sent and added.

    Parameters
    ----------
    data, predictions, items, engine, checkpoint, progress, **options
        As for ``evaluate_stream``.
    """
    wanted = _wanted(options)
    named = predictions if isinstance(predictions, dict) else {} if predictions is None else {"": predictions}
    evidence = _counted(Sides(data, named, items), wanted, engine or _home(data), checkpoint, progress)
    met = any(one.examples for one in evidence.sums.values())
    if wanted.where and evidence.rows and not met:
        msg = f"--where {', '.join(wanted.where)} leaves no row that counts; drop a filter or change its value."
        raise InputError(msg)
    if named and evidence.rows and not met:
        _refuse_strangers(evidence, Sides(data, named, items))
    return evidence


def _refuse_strangers(evidence: Evidence, sides: Sides) -> None:
    """Refuse sides that have no item in common."""
    if sum(evidence.left_out.get(why, 0) for why in (ONLY_PREDICTED, ONLY_REFERENCE)) < evidence.rows:
        return
    paths = [str(side) for side in (sides.reference, *sides.predictions.values()) if isinstance(side, (str, PathLike))]
    where = ", ".join(paths) if len(paths) > len(sides.predictions) else "the reference and the predictions"
    msg = f"No item id is on every side ({where}). Name the ids with --item."
    raise InputError(msg)


def _counted(
    sides: Sides,
    wanted: Wanted,
    kind: str,
    checkpoint: str | PathLike[str] | None,
    progress: Callable[[Progress], None] | None,
) -> Evidence:
    if kind == "spark":
        from softtruth.engines.spark import count_on_spark

        return count_on_spark(sides, wanted)
    if kind == "dask":
        from softtruth.engines.dask import count_on_dask

        return count_on_dask(sides, wanted)
    if kind != "stream":
        msg = f"engine {shown(kind)} is not known; expected 'stream', 'dask' or 'spark'."
        raise InputError(msg)
    joins = bool(sides.predictions) or sides.items is not None
    if not is_where(sides.reference):
        if joins:
            msg = "batches hold both sides; predictions= and items= are for files and frames."
            raise InputError(msg)
        return _count_batches(sides.reference, wanted)
    target = None if checkpoint is None else Path(checkpoint)
    found = sides.map(partial(Files.of, delimiter=wanted.delimiter))
    files = found.reference
    if not joins:
        plan = plan_of(files.sample(), wanted, str(files.paths[0]))
        return stream_files(plan, files, resume_from=target, progress=progress)
    if target is not None:  # what was joined once is kept; other files or settings give it another name
        what = repr((found.map(Files.fingerprint), wanted))
        joined = target.with_name(f"{target.name}.{sha256(what.encode()).hexdigest()[:16]}.joined.parquet")
        return _count_joined(wanted, found, joined, target, progress)
    with tempfile.TemporaryDirectory(prefix="softtruth-") as folder:
        return _count_joined(wanted, found, Path(folder) / "joined.parquet", None, progress)


def _count_joined(
    wanted: Wanted, sides: Sides, joined: Path, target: Path | None, progress: Callable[[Progress], None] | None
) -> Evidence:
    first = sides.map(Files.sample)
    join, after = join_of(first, wanted)
    name = " with ".join(files.words for files in (sides.reference, *sides.predictions.values()))
    labels = plan_of(join.sample(first), after, name, joined=True).labels
    after = replace(after, labels=labels)
    if not joined.exists():
        join_files(join, sides, joined, wanted=after)
    files = replace(Files.of(str(joined)), name=name)
    plan = plan_of(files.sample(), after, name, joined=True)
    return stream_files(plan, files, resume_from=target, progress=progress)


def _count_batches(data: Any, wanted: Wanted) -> Evidence:
    import pyarrow as pa

    found = iter(data if isinstance(data, Iterable) else [data])
    first = next(found, None)
    if not isinstance(first, pa.RecordBatch):
        msg = f"the data hold {type(first).__name__}, expected paths, Arrow batches, or a Spark or Dask frame."
        raise InputError(msg)
    plan: Plan = plan_of(pa.Table.from_batches([first]), wanted)

    def whole() -> Any:
        yield first
        yield from found

    return stream_batches(plan, whole())


def _wanted(options: dict[str, Any]) -> Wanted:
    given = {name: value for name, value in options.items() if value is not None}
    n = given.pop("n_classes", None)
    if n is not None and "labels" not in given:
        given["labels"] = tuple(range(n))
    for name in ("labels", "subset", "ignore", "where", "rename"):
        if name in given:
            value = given[name]
            given[name] = (value,) if isinstance(value, str) else tuple(value)
    unknown = sorted(set(given) - set(Wanted.__dataclass_fields__))
    if unknown:
        known = ", ".join(Wanted.__dataclass_fields__)
        msg = f"streams have no option {', '.join(unknown)}; they have {known}."
        raise InputError(msg)
    return replace(Wanted(), **given)


@wraps(evaluate_arrays)
def evaluate(reference: Any, prediction: Any = None, task: str | None = None, **options: Any) -> Report:
    """Stream what is named by paths or lives on a cluster; all else is looked at in memory."""
    if _streams(reference):
        return evaluate_stream(reference, prediction, task=task, **options)
    return evaluate_arrays(reference, prediction, task, **options)


def _streams(reference: Any) -> bool:
    """Whether these are paths, batches that come one by one, or a frame on a cluster; a list of texts is labels."""
    if isinstance(reference, (str, PathLike)) or hasattr(reference, "__next__"):
        return True
    if isinstance(reference, (list, tuple)) and reference:
        return all(isinstance(x, PathLike) for x in reference)
    return _home(reference) != "stream"


def _home(data: Any) -> str:
    """Return the engine that a frame lives in, told by where its class comes from: nothing is imported for it."""
    home = type(data).__module__.partition(".")[0]
    return {"pyspark": "spark", "dask": "dask", "dask_expr": "dask"}.get(home, "stream")
