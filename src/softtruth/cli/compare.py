"""`softtruth compare`: which of these predictions is better, how sure is that, and what would turn it around?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.loaded import load, read_answers
from softtruth.cli.options import (
    ASKED,
    COLUMNS,
    FILES,
    JSON,
    LABELS,
    NOISE,
    PATH,
    VALUES,
    add,
    complete_column,
    given,
    named,
    panel,
)
from softtruth.cli.results import JUNIT, OUT, check_results, settle, write_results

if TYPE_CHECKING:
    from softtruth.inputs.problem import Problem
    from softtruth.report import ComparisonReport

WITH = (
    click.option(
        "--baseline",
        metavar="NAME",
        help="Compare all others with this prediction. By default each two are compared; of more than four each with "
        "the first.",
    ),
    click.option(
        "--by",
        metavar="COLUMN",
        shell_complete=complete_column,
        help="Column of groups of items: the differences within each, and where the order reverses.",
    ),
)
GATES = (
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[NAME:]MEASURE=NUMBER",
        help='Exit with 3 when the gain on the baseline is below: "macro f1=-0.01" lets it lose no more than 0.01. '
        "A gain is positive where errors get fewer, too. The baseline is the first prediction, or that of --baseline.",
    ),
    click.option(
        "--fail-if-worse",
        is_flag=True,
        help="Exit with 3 when a verdict says that a prediction is worse than the baseline.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["value", "low"]),
        metavar="END",
        default="value",
        show_default=True,
        help="With --fail-under compare the gain, or with low the end of its interval that is nearer to failing.",
    ),
    JUNIT,
)


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
@add(
    panel("Files", FILES),
    panel("What is compared", WITH),
    panel("Columns", COLUMNS),
    panel("Rows and classes", VALUES),
    panel("Measures and intervals", ASKED),
    panel("Wrong labels", named(LABELS, ["reference_accuracy", "annotations"])),
    panel("Results", (OUT, JSON)),
    panel("Gates", GATES),
    NOISE,
)
@click.pass_context
def compare(ctx: click.RichContext, /, **values: Any) -> None:
    """Say which prediction is better, how sure that is, and what would put another one ahead.

    Give --reference and two or more --prediction; or one FILE that holds all. Differences are paired, on the items that
    all predictions have.
    """
    _check_usage(values)
    check_results()
    from softtruth.cli.comparison_gates import check, parse_gates

    with output.progress(quiet=values["quiet"]) as step:
        problem = load(values["files"], values, step)
        gates = parse_gates(values["fail_under"], list(problem.predictions))
        answers = read_answers(problem, values) if _wants_answers(values) else None
        if step:
            step("comparing")
        result = _compared(problem, answers, values, [gate.question for gate in gates])
        baseline = values["baseline"] or next(iter(problem.predictions))
        cases = check(gates, result, baseline, values["fail_on"], worse=values["fail_if_worse"])
    write_results(result, values)
    settle(ctx, cases, values["junit"])


def _check_usage(values: dict[str, Any]) -> None:
    sides = bool(values["prediction"] or values["reference"])
    if sides == bool(values["files"]):
        raise click.UsageError("Give --reference and two or more --prediction, or one table as FILE.")
    if sides and not (values["prediction"] and values["reference"]):
        missing = "--reference" if values["prediction"] else "--prediction"
        raise click.UsageError(f"{missing} is missing: predictions are compared by a reference.")
    if values["junit"] and not (values["fail_under"] or values["fail_if_worse"]):
        raise click.UsageError("--junit writes the gates, and there is none; give --fail-under or --fail-if-worse.")


def _wants_answers(values: dict[str, Any]) -> bool:
    """Whether annotators are to say how often labels are right: only where that was asked for."""
    return values["annotations"] is not None and values["reference_accuracy"] is None


def _compared(problem: Problem, answers: Any, values: dict[str, Any], also: list[str]) -> ComparisonReport:
    from softtruth.evaluation.compare import compare_problem

    names = ("measures", "convention", "ties", "coupling", "tnorm", "level", "interval", "draws", "seed")
    asked = {name: values[name] for name in names if given(values[name])}
    return compare_problem(
        problem,
        baseline=values["baseline"],
        reference_accuracy=values["reference_accuracy"],
        answers=answers,
        also=also,
        **asked,
    )
