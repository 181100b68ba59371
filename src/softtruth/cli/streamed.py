"""Reports on files that are streamed, or counted on a cluster: options into one call."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.options import PATH, given
from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from softtruth.engines.streaming import Progress
    from softtruth.report import Report
    from softtruth.statistics.evidence import Evidence

LARGE = 1 << 30  # bytes of files from which on they are streamed without being asked
_EVERY = 30.0  # seconds between two lines where nobody watches
# What a stream cannot do, and why.
_UNFIT = {
    "finding": "--finding needs all answers of an item together",
    "file_names": "--file-names compares each item with all others",
    "duplicates": "--duplicates compares each row with all others",
    "target": "--target needs the items, to estimate a prior from",
    "table": "--table is finished already",
}
_TAKEN = (
    "task", "labels", "positive", "threshold", "weight", "cluster", "coupling", "tnorm", "ties", "interval", "draws",
    "seed", "where", "rename", "ignore", "normalize", "drop_missing", "delimiter",
)  # fmt: skip

STREAM = (
    click.option(
        "--engine",
        type=click.Choice(["memory", "stream", "dask", "spark"]),
        metavar="ENGINE",
        help="Where the rows are counted: memory, stream, dask or spark. [default: memory; stream from 1 GiB on]",
    ),
    click.option(
        "--checkpoint", type=PATH, metavar="PATH", help="Go on from this file after an interruption (stream)."
    ),
    click.option(
        "--statistic",
        type=PATH,
        metavar="PATH",
        help="Write the sums to a file, for `softtruth merge` (a stream; needs --labels).",
    ),
    click.option("--parquet", type=PATH, metavar="PATH", help="Write the rows of the report as Parquet."),
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
    from softtruth.engines.addresses import is_address
    from softtruth.inputs.files import expanded

    paths = _paths(values)
    if any(map(is_address, paths)):  # of an object store
        return True
    return sum(Path(one).stat().st_size for path in paths if path != "-" for one in expanded(path)) >= LARGE


def _paths(values: dict[str, Any]) -> list[str]:
    predictions = [text if Path(text).exists() else text.partition("=")[2] or text for text in values["prediction"]]
    others = [path for path in (values["reference"], values["items"]) if path]
    return [*values["files"], *others, *predictions]


def count(values: dict[str, Any], step: Callable[[str], None] | None) -> Evidence:
    """Return the evidence of the files."""
    from softtruth.engines.door import count_stream

    unfit = [why for name, why in _UNFIT.items() if values[name]]
    if unfit:
        kept = next((f"leave out --{flag}" for flag in ("checkpoint", "statistic") if values[flag]), "")
        instead = kept or "pass --engine memory"
        raise InputError(f"{unfit[0]}, which a stream does not have; leave it out, or {instead}.")
    predictions = _predictions(values["prediction"])
    options = {name: values[name] for name in _TAKEN if given(values[name])}
    options |= _columns(values, list(predictions))
    if values["measures"]:
        options["measures"] = list(values["measures"])
    files = list(values["files"])
    data = (files[0] if len(files) == 1 else files) if files else values["reference"]
    return count_stream(
        data,
        predictions or None,
        values["items"],
        engine=values["engine"] if values["engine"] != "memory" else None,
        checkpoint=values["checkpoint"],
        progress=_teller(step, quiet=values["quiet"]),
        **options,
    )


def _predictions(given: Sequence[str]) -> dict[str, str]:
    """Return the paths of predictions by their names."""
    from softtruth.inputs.settings import parse_spec

    specs = [parse_spec(text) for text in given]
    names = [spec.name for spec in specs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"Two predictions are named {twice!r}; give each its own name: --prediction NAME=PATH.")
    return {spec.name: spec.path for spec in specs}


def _columns(values: dict[str, Any], predictions: list[str]) -> dict[str, Any]:
    from softtruth.inputs.selection import ROLES, scoped

    found: dict[str, Any] = {}
    items = dict(scoped(text, (*ROLES, *predictions)) for text in values["item"])
    if len(items) < len(values["item"]):
        raise InputError("--item names two columns for one file; say which file each is for: --item reference:COLUMN.")
    if items:
        found["item"] = {scope or "": column for scope, column in items.items()}
    for name in ("label", "annotator"):
        own = [column for scope, column in (scoped(text, ROLES) for text in values[name]) if scope != "prediction"]
        if len(values[name]) > 1 or len(own) < len(values[name]):
            raise InputError(f"Streams take one --{name}, of the reference; give one, or pass --engine memory.")
        if own:
            found[name] = own[0]
    columns = [scoped(text, predictions) for text in values["prediction_column"]]
    several = len(predictions) > 1
    if several and any(scope is not None for scope, _ in columns):
        found["prediction_column"] = {scope or "": column for scope, column in columns}
    elif len(columns) == 1:
        found["prediction_column"] = columns[0][1]
    elif columns and several:
        raise InputError(
            "--prediction-column is given twice; say which file each is for: --prediction-column NAME:COLUMN."
        )
    elif columns:
        found["prediction_column"] = {column.strip("*_.,"): column for _, column in columns}
    return found


def report(evidence: Evidence, asked: dict[str, Any]) -> Report:
    """Return the report of evidence: its measures, convention and intervals as they were asked for."""
    from softtruth.engines.told import report_from

    return report_from(evidence, **asked)


def at_prior(result: Report, evidence: Evidence, values: dict[str, Any]) -> Report:
    """Return the report with the numbers at another prior."""
    from softtruth.cli.priors import parsed_prior
    from softtruth.engines.told import decisions
    from softtruth.evaluation.prior_view import at_priors

    matrices = decisions(evidence)
    prior = parsed_prior(values["prior"], values["imbalance"], next(iter(matrices.values())))
    asked = {name: values[name] for name in ("convention",) if values[name]}
    priors = dict.fromkeys(matrices, prior)
    return at_priors(result, matrices, priors, evidence.labels, level=values["level"], **asked)


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
