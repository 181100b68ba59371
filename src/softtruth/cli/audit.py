"""`softtruth audit`: draw a sample of items to review, and weigh what the review found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    loading,
    panel,
)
from softtruth.cli.results import check_results

if TYPE_CHECKING:
    from softtruth.inputs.problem import Problem

COLUMNS_OF_PLAN = ("item", "stratum", "stratum_items", "probability", "truth")
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
    from softtruth.evaluation.audit import audit_words

    with output.progress(quiet=values["quiet"]) as step:
        problem = load_labelled(given, values, step)
        found = audit_words(problem, **_reviewed(values["reviewed"], problem, values), level=values["level"])
    output.emit_wrapped(found)


def _reviewed(path: str, problem: Problem, values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `audit_apply` that the filled-in file holds."""
    import numpy as np

    from softtruth.errors import InputError, listed, shown
    from softtruth.inputs.columns import Columns
    from softtruth.inputs.files import read

    columns = Columns.of(read(path, delimiter=loading(values)["delimiter"]))
    missing = [name for name in COLUMNS_OF_PLAN if name not in columns.names]
    if missing:
        raise InputError(
            f"{path} lacks the columns {listed(missing)} of `softtruth audit plan`. Without the chance with which each "
            "item was drawn a review cannot be weighted, and a review of suspects alone is biased."
        )
    items = columns.coded("item")
    rows = items.recoded([str(i) for i in problem.items.tolist()])[:]
    if (rows < 0).any():
        name = items.names[items.codes[int(np.argmax(rows < 0))]]
        raise InputError(f"{path} holds the item {shown(name)}, which is not in the problem; give the same files.")
    truth = columns.coded("truth")
    if (truth.codes < 0).any():
        first = items.names[items.codes[int(np.argmax(truth.codes < 0))]]
        raise InputError(
            f"{path}: truth is empty for {int((truth.codes < 0).sum())} items, the first is {shown(first)}. Fill in "
            "all: items that are left out because they are hard would bias the result."
        )
    codes = truth.recoded(problem.labels)
    if (codes < 0).any():
        wrong = [name for name in truth.names if name not in problem.labels]
        raise InputError(f"{path}: truth holds {listed(wrong)}, expected one of {listed(problem.labels)}.")
    stratum = columns.numbers("stratum").astype(np.intp)
    sizes = np.zeros(int(stratum.max()) + 1, np.intp)
    sizes[stratum] = columns.numbers("stratum_items").astype(np.intp)
    return {"rows": rows, "truth": codes, "stratum": stratum, "sizes": sizes}
