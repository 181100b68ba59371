"""`softtruth merge`: evidence that was counted apart, added and reported on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.options import JSON, LEVEL, NOISE, add
from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softtruth.statistics.evidence import Evidence


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@add(NOISE)
@click.option("--statistic", metavar="PATH", help="Write the sum to a file.")
@click.option("--out", metavar="PATH", help="Write the report as one HTML file.")
@JSON
@click.option("--parquet", metavar="PATH", help="Write the rows of the report as Parquet.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A measure in place of the usual ones.")
@click.option("--convention", type=click.Choice(["exclude", "zero", "one", "nan"]), help="What becomes of 0/0.")
@LEVEL
@click.option(
    "--interval",
    type=click.Choice(["influence", "percentile"]),
    help="Make intervals by linearisation, or of replicates. [default: replicates, where the files hold some]",
)
def merge(files: tuple[str, ...], **values: Any) -> None:
    """Add the sums that `softtruth report --statistic` wrote on several machines, and report on all of them.

    Only sums of the same settings and classes add; what differs is named.
    """
    from softtruth.cli.streamed import report, write
    from softtruth.engines.merging import merged

    for name in ("statistic", "out", "json_path", "parquet"):
        output.check_target(values[name])
    evidence = merged(_read_all(files))
    asked = {name: values[name] for name in ("measures", "convention", "level", "interval") if values[name]}
    result = report(evidence, asked)
    write(evidence, result, values)
    if values["out"]:
        output.write(values["out"], result.to_html())
    if values["json_path"]:
        output.write(values["json_path"], result.to_json())
    if "-" not in {values["out"], values["json_path"]}:
        output.emit(result.to_text())


def _read_all(paths: tuple[str, ...]) -> Iterator[Evidence]:
    """Yield the evidence of each file; the same rows must not count twice."""
    known: dict[bytes, str] = {}
    for path in paths:
        content = Path(path).read_bytes()
        same = known.setdefault(content[-32:], path)  # the checksum of it all
        if same != path or paths.count(path) > 1:
            raise InputError(f"{same} and {path} hold the same evidence; name it once, or its rows count twice.")
        yield _read(path, content)


def _read(path: str, content: bytes) -> Evidence:
    from softtruth.statistics.evidence import Evidence
    from softtruth.statistics.serialise import from_bytes

    try:
        found = from_bytes(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if not isinstance(found, Evidence):
        raise InputError(f"{path} holds {type(found).__name__}, expected what `softtruth report --statistic` wrote.")
    return found
