"""`softtruth report`: from files to measures with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import GATE, output
from softtruth.cli.options import COLUMNS, FILES, NOISE, VALUES, add, loading

if TYPE_CHECKING:
    from softtruth.inputs.finished import FinishedTable
    from softtruth.inputs.problem import Problem

RESULT = (
    click.option("--table", metavar="PATH", help="A finished confusion table, or tp, fp, fn, tn."),
    click.option("--transpose", is_flag=True, help="The rows of --table are the prediction."),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Level of the intervals.",
    ),
    click.option("--out", metavar="PATH", help="Write the report as one HTML file."),
    click.option("--json", "json_path", metavar="PATH", help="Write JSON; - prints it in place of the text."),
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[NAME:]MEASURE=NUMBER",
        help='Exit with 3 when a measure is below, for instance "macro f1=0.8" or "majority:accuracy=0.9".',
    ),
    click.option("--fail-over", multiple=True, metavar="[NAME:]MEASURE=NUMBER", help="Exit with 3 when it is above."),
    click.option(
        "--fail-on",
        type=click.Choice(["value", "low"]),
        default="value",
        show_default=True,
        help="Compare the value, or the end of its interval that is nearer to failing.",
    ),
)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@add(FILES, COLUMNS, VALUES, RESULT, NOISE)
@click.pass_context
def report(ctx: click.RichContext, /, **values: Any) -> None:
    """Compare predictions with a reference: measures, intervals, findings.

    Give --prediction and --reference; or one FILE (or its parts) that holds both; or --table with finished counts.
    """
    _check_usage(values)
    output.check_target(values["out"])
    output.check_target(values["json_path"])
    from softtruth.cli.gates import check, parse_gates

    if values["table"]:
        _print(_table(values), values)
        return
    with output.progress(quiet=values["quiet"]) as step:
        problem = _problem(values, step)
        gates = parse_gates(values["fail_under"], values["fail_over"], list(problem.predictions))
        if step:
            step("measuring")
        result = _evaluated(problem, values)
        failed = check(gates, problem, level=values["level"], end=values["fail_on"])
    _print(result, values)
    for sentence in failed:
        output.note(sentence)
    if failed:
        ctx.exit(GATE)


def _check_usage(values: dict[str, Any]) -> None:
    sides = bool(values["prediction"] or values["reference"])
    ways = [bool(values["table"]), bool(values["files"]), sides]
    if sum(ways) > 1:
        raise click.UsageError("Give --prediction and --reference, or one table as FILE, or --table; not two of these.")
    if not any(ways):
        raise click.UsageError("Nothing to report on: give --prediction and --reference, or FILE, or --table.")
    if sides and not (values["prediction"] and values["reference"]):
        missing = "--reference" if values["prediction"] else "--prediction"
        raise click.UsageError(f"{missing} is missing: a prediction is compared with a reference.")
    if values["table"] and (values["fail_under"] or values["fail_over"]):
        raise click.UsageError("Gates need items, and --table has none.")
    if values["out"] == "-" and values["json_path"] == "-":
        raise click.UsageError("Only one of --out and --json can go to stdout.")


def _problem(values: dict[str, Any], step: Any) -> Problem:
    from softtruth.inputs.align import load_problem

    problem = load_problem(
        values["prediction"],
        values["reference"],
        values["items"],
        table=values["files"] or None,
        progress=step,
        **loading(values),
    )
    if not values["quiet"]:
        for guess in problem.guesses:
            output.note(f"note: {guess}")
    return problem


def _evaluated(problem: Problem, values: dict[str, Any]) -> Any:
    from softtruth.evaluation import evaluate_problem

    return evaluate_problem(problem, level=values["level"])


def _table(values: dict[str, Any]) -> Any:
    from softtruth.evaluation import evaluate_table
    from softtruth.inputs.finished import load_table

    table: FinishedTable = load_table(
        values["table"], labels=values["labels"], positive=values["positive"], transpose=values["transpose"]
    )
    if not values["quiet"]:
        for guess in table.guesses:
            output.note(f"note: {guess}")
    return evaluate_table(table, level=values["level"])


def _print(result: Any, values: dict[str, Any]) -> None:
    if values["out"]:
        output.write(values["out"], result.to_html())
    if values["json_path"]:
        output.write(values["json_path"], result.to_json())
    if "-" not in {values["out"], values["json_path"]}:
        output.emit(result.to_text())
