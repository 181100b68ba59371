"""`softtruth merge`: evidence that was counted apart, added and reported on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli.options import CONVENTION, JSON, LEVEL, NOISE, PATH, add, given, named, panel
from softtruth.cli.results import OUT, check_results, write_results
from softtruth.cli.streamed import STREAM
from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softtruth.statistics.evidence import Evidence

SUM = (click.option("--statistic", type=PATH, metavar="PATH", help="Write the sum to a file."),)
ASKED = (
    click.option(
        "--measure", "measures", multiple=True, metavar="NAME", help='A measure in place of the usual ones: "macro f1".'
    ),
    CONVENTION,
    LEVEL,
    click.option(
        "--interval",
        type=click.Choice(["influence", "percentile"]),
        metavar="METHOD",
        help="Make intervals by linearisation (influence), or of replicates (percentile). [default: percentile, where "
        "the files hold replicates]",
    ),
)


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@add(panel("Results", SUM, (OUT, JSON), named(STREAM, ["parquet"])), panel("Measures and intervals", ASKED), NOISE)
def merge(files: tuple[str, ...], **values: Any) -> None:
    """Add the sums that `softtruth report --statistic` wrote on several machines, and report on all of them.

    Only sums of the same settings and classes add; what differs is named.
    """
    from softtruth.cli.streamed import report, write
    from softtruth.engines.merging import merged

    check_results()
    evidence = merged(_read_all(files))
    asked = {name: values[name] for name in ("measures", "convention", "level", "interval") if given(values[name])}
    result = report(evidence, asked)
    write(evidence, result, values)
    write_results(result, values)


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
