"""`softtruth shift`: what would the measures be where the classes are more or less frequent?"""

from __future__ import annotations

from typing import Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.loaded import load_labelled
from softtruth.cli.options import (
    COLUMNS,
    FILES,
    IN_COLUMNS,
    IN_FILES,
    JSON,
    LEVEL,
    NOISE,
    OF_ROWS,
    PATH,
    VALUES,
    add,
    panel,
)
from softtruth.cli.priors import PRIORS, asked_prior, prior_wanted
from softtruth.cli.results import check_results, write_facts

QUESTIONS = (
    click.option(
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        help='A question such as "macro f1"; repeat it. The first is drawn.',
    ),
    LEVEL,
    click.option(
        "--plot", type=PATH, metavar="PATH", help="Draw the measure against the prior, as PNG, SVG or PDF (matplotlib)."
    ),
    JSON,
)


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
@add(
    panel(IN_FILES, FILES),
    panel("The other prior", PRIORS),
    panel("Questions and results", QUESTIONS),
    panel(IN_COLUMNS, COLUMNS),
    panel(OF_ROWS, VALUES),
    NOISE,
)
def shift(files: tuple[str, ...], **values: Any) -> None:
    """Say what the measures would be where the classes are more or less frequent, their rates kept.

    Give --prediction and --reference, or one FILE that holds both; and one of --prior, --imbalance and --target. With
    several predictions it says at which prior they swap places. Votes and shares count as they are: the decision is
    scored against the shares.
    """
    _check_usage(files, values)
    from softtruth.evaluation.shift import shift_report

    with output.progress(quiet=values["quiet"]) as step:
        problem = load_labelled(files, values, step)
        asked = asked_prior(problem, values)
        if step:
            step("measuring")
        report = shift_report(problem, **asked, measures=values["measures"], level=values["level"])
    if values["plot"]:
        from softtruth.plots import PriorCurveDisplay

        output.picture(PriorCurveDisplay.from_shift(report), values["plot"])
    write_facts(report.to_text(), report.to_dict(), values["json_path"])


def _check_usage(files: tuple[str, ...], values: dict[str, Any]) -> None:
    check_results()
    if not files and not (values["prediction"] and values["reference"]):
        raise click.UsageError("Give --prediction and --reference, or FILE.")
    if not prior_wanted(values):
        raise click.UsageError("Give --prior, --imbalance or --target: how frequent the classes are, or who says it.")
