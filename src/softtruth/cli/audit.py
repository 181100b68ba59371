"""`softtruth audit`: draw a sample of items to review, and weigh what the review found."""

from __future__ import annotations

from typing import Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.loaded import load_labelled, read_answers
from softtruth.cli.options import (
    COLUMNS,
    FILES,
    IN_COLUMNS,
    IN_FILES,
    LEVEL,
    NOISE,
    OF_ROWS,
    PATH,
    VALUES,
    add,
    panel,
)
from softtruth.cli.results import check_results

ANNOTATIONS = (
    click.option("--annotations", type=PATH, metavar="PATH", help="Who answered what: helps to find suspects."),
)

REVIEWED = (
    click.option(
        "--reviewed", required=True, type=PATH, metavar="PATH", help="The file that `audit plan` wrote, filled in."
    ),
    LEVEL,
)
SAMPLE = (
    click.option("--size", type=click.IntRange(2), required=True, metavar="N", help="How many items to review."),
    click.option(
        "--out", type=PATH, metavar="PATH", default="-", show_default=True, help="CSV file to fill in; - is stdout."
    ),
    click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Seed of the draw."),
    click.option("--simple", is_flag=True, help="Give each item the same chance; else suspects have a greater one."),
)


@click.group()
def audit() -> None:
    """Learn how often labels and model are right from a sample that is reviewed.

    `plan` draws the items and writes them down; fill in the column truth; `apply` weighs what was found.
    """


@audit.command()
@click.argument("given", nargs=-1, type=PATH, metavar="[FILE]...")
@add(panel(IN_FILES, FILES, ANNOTATIONS), panel("The sample", SAMPLE))
@add(panel(IN_COLUMNS, COLUMNS), panel(OF_ROWS, VALUES), NOISE)
def plan(given: tuple[str, ...], **values: Any) -> None:
    """Draw items to review, each with a known chance, and write them to a CSV file.

    Neither label nor prediction stands in the file, so that neither sways the reviewer.
    """
    check_results()
    import pyarrow as pa

    from softtruth.cli.reviewed import COLUMNS_OF_PLAN
    from softtruth.corrections.audit_sample import audit_plan
    from softtruth.evaluation.suspects import find_suspects

    with output.progress(quiet=values["quiet"]) as step:
        problem = load_labelled(given, values, step)
        scores = None
        if not values["simple"]:
            name = next(iter(problem.predictions))
            scores = find_suspects(problem, name, read_answers(problem, values), None).score
        found = audit_plan(problem.n, values["size"], scores=scores, seed=values["seed"])
    items = [str(problem.items[row]) for row in found.rows]
    chances = [f"{chance:.9g}" for chance in found.probability]
    columns = (items, found.stratum, found.sizes[found.stratum], chances, [""] * len(items))
    output.write_csv(values["out"], pa.table(dict(zip(COLUMNS_OF_PLAN, columns, strict=True))), quiet=values["quiet"])
    if values["out"] != "-" and not values["quiet"]:
        output.note(
            f"Fill in the column truth of {values['out']} with the name of the right class of each item, all of them, "
            "then run: softtruth audit apply --reviewed " + values["out"] + " and the files of this command."
        )


@audit.command()
@click.argument("given", nargs=-1, type=PATH, metavar="[FILE]...")
@add(panel(IN_FILES, FILES), panel("What was found", REVIEWED))
@add(panel(IN_COLUMNS, COLUMNS), panel(OF_ROWS, VALUES), NOISE)
def apply(given: tuple[str, ...], **values: Any) -> None:
    """Say how often labels and model are right, by the reviewed items and their chances of being drawn."""
    from softtruth.cli.reviewed import reviewed
    from softtruth.evaluation.audit import audit_words

    with output.progress(quiet=values["quiet"]) as step:
        problem = load_labelled(given, values, step)
        parts = reviewed(values["reviewed"], problem, values["delimiter"])
        found = audit_words(problem, **parts, level=values["level"])
    output.emit_wrapped(found)
