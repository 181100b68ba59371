"""`softtruth convert`: votes, rankings and exports of annotation tools, into one distribution for each item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.options import COLUMNS, NOISE, PATH, VALUES, add, loading, named, panel
from softtruth.cli.results import check_results

OF_ONE_FILE = ("item", "label", "annotator", "finding", "where", "rename", "labels", "positive", "ignore", "task")
ROWS = ("normalize", "duplicates", "delimiter")


@click.command()
@click.argument("file", type=PATH, metavar="FILE")
@add(panel("What is in the file", named((*COLUMNS, *VALUES), (*OF_ONE_FILE, *ROWS))))
@click.option(
    "--smoothing",
    type=click.FloatRange(min=0),
    metavar="VOTES",
    default=0.0,
    show_default=True,
    help="Votes added to each class of an item that has votes.",
)
@click.option(
    "--out",
    type=PATH,
    metavar="PATH",
    default="-",
    show_default=True,
    help="CSV, or Parquet by its suffix; - prints CSV.",
)
@add(NOISE)
def convert(**values: Any) -> None:
    """Write one distribution for each item of FILE.

    FILE holds votes (long, or one column for each annotator or class), label counters, rankings, or what Label Studio,
    Prodigy, Argilla or doccano export. What does not count as a vote is counted and said.
    """
    check_results()
    from softtruth.annotations.converted import convert as converted
    from softtruth.inputs.settings import Settings

    with output.progress(quiet=values["quiet"]) as step:
        if step:
            step(f"reading {values['file']}")
        found = converted(values["file"], Settings(**loading(values)), smoothing=values["smoothing"])
    if not values["quiet"]:
        for sentence in (*found.guesses, *found.sentences):
            output.note(f"note: {sentence}")
    _write(values["out"], found.table(), quiet=values["quiet"])


def _write(path: str, table: Any, *, quiet: bool) -> None:
    if Path(path).suffix.lower() in {".parquet", ".pq"}:
        from pyarrow import parquet

        with output.whole_file(path) as part:
            parquet.write_table(table, part)
        return
    output.write_csv(path, table, quiet=quiet)
