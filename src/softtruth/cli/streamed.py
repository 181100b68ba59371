"""Reports on files that are streamed, or counted on a cluster: options into one call."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth.engines.streaming import Progress
    from softtruth.report import Report
    from softtruth.statistics.evidence import Evidence

LARGE = 1 << 30  # bytes of files from which on they are streamed without being asked
_EVERY = 30.0  # seconds between two lines where nobody watches
_UNFIT = {
    "items": "--items", "finding": "--finding", "where": "--where", "rename": "--map", "normalize": "--normalize",
    "duplicates": "--duplicates", "drop_missing": "--drop-missing", "prior": "--prior", "imbalance": "--imbalance",
    "target": "--target", "table": "--table",
}  # fmt: skip
_TAKEN = (
    "task", "labels", "positive", "threshold", "weight", "cluster", "coupling", "tnorm", "ties", "interval", "draws",
    "seed",
)  # fmt: skip

STREAM = (
    click.option(
        "--engine",
        type=click.Choice(["memory", "stream", "dask", "spark"]),
        help="Where the rows are counted. [default: memory; stream from 1 GiB on]",
    ),
    click.option("--checkpoint", metavar="PATH", help="Go on from this file after an interruption (stream)."),
    click.option(
        "--statistic",
        metavar="PATH",
        help="Write the sums to a file, for `softtruth merge` (a stream; needs --labels).",
    ),
    click.option("--parquet", metavar="PATH", help="Write the rows of the report as Parquet."),
)


def streams(values: dict[str, Any]) -> bool:
    """Whether the files are to be streamed: because somebody says so, or because they are large."""
    kept = next((flag for flag in ("checkpoint", "statistic") if values[flag]), None)
    if kept and values["engine"] == "memory":
        raise click.UsageError(f"--{kept} is for sums of streams; leave --engine memory out, or --{kept}.")
    if values["engine"] is not None:
        return bool(values["engine"] != "memory")
    if kept:
        return True
    if any(values[name] for name in _UNFIT):
        return False
    from softtruth.inputs.files import expanded

    size = 0
    for path in _paths(values):
        size += sum(Path(one).stat().st_size for one in expanded(path)) if path != "-" and "://" not in path else 0
    return size >= LARGE


def _paths(values: dict[str, Any]) -> list[str]:
    predictions = [text if Path(text).exists() else text.partition("=")[2] or text for text in values["prediction"]]
    return [*values["files"], *([values["reference"]] if values["reference"] else []), *predictions]


def count(values: dict[str, Any], step: Callable[[str], None] | None) -> Evidence:
    """Return the evidence of the files."""
    from softtruth.engines.door import count_stream

    unfit = [flag for name, flag in _UNFIT.items() if values[name]]
    if unfit:
        kept = next((f"leave out --{flag}" for flag in ("checkpoint", "statistic") if values[flag]), "")
        instead = kept or "pass --engine memory"
        raise InputError(f"{unfit[0]} is for files that fit into memory; leave it out, or {instead}.")
    paths = _paths(values)
    if len(values["prediction"]) > 1:
        raise InputError("Streams take one set of files of predictions; put several predictions in columns of it.")
    options = {name: values[name] for name in _TAKEN if values[name] not in (None, ())}
    options |= _columns(values)
    if values["ignore"]:
        options["ignore"] = values["ignore"]
    if values["measures"]:
        options["measures"] = list(values["measures"])
    if values["files"]:
        data, predictions = (paths[0] if len(paths) == 1 else paths), None
    else:
        data, predictions = paths
    return count_stream(
        data,
        predictions,
        engine=values["engine"] if values["engine"] != "memory" else None,
        checkpoint=values["checkpoint"],
        progress=_teller(step, quiet=values["quiet"]),
        **options,
    )


def _columns(values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("item", "label", "annotator"):
        if len(values[name]) > 1:
            raise InputError(f"Streams take one --{name}; give one, or pass --engine memory.")
        if values[name]:
            found[name] = values[name][0].partition(":")[2] or values[name][0]
    columns = values["prediction_column"]
    if len(columns) == 1:
        found["prediction_column"] = columns[0]
    elif columns:
        found["prediction_column"] = {column.strip("*_.,"): column for column in columns}
    return found


def report(evidence: Evidence, asked: dict[str, Any]) -> Report:
    """Return the report of evidence: its measures, convention and intervals as they were asked for."""
    from softtruth.engines.told import report_from

    return report_from(evidence, **asked)


def write(data: Any, result: Report, values: dict[str, Any]) -> None:
    """Write the evidence and the rows where they were asked for."""
    from softtruth.statistics.serialise import to_bytes

    if values["statistic"]:
        with output.whole_file(values["statistic"]) as part:
            part.write_bytes(to_bytes(data))
    if values["parquet"]:
        from pyarrow import parquet

        with output.whole_file(values["parquet"]) as part:
            parquet.write_table(result.to_frame("pyarrow"), part)


def _teller(step: Callable[[str], None] | None, *, quiet: bool) -> Callable[[Progress], None] | None:
    """Return what shows progress: the line of a terminal, else a line every half minute; None for no one."""
    if step is not None:
        return lambda progress: step(str(progress))
    if quiet:
        return None
    last = time.monotonic()

    def tell(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY:
            last = time.monotonic()
            sys.stderr.write(f"{progress}\n")
            sys.stderr.flush()

    return tell
