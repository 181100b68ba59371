"""`softtruth report`: from files to measures with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.loaded import load, note_all, read_any_answers
from softtruth.cli.options import (
    ASKED,
    COLUMNS,
    FILES,
    IN_COLUMNS,
    IN_FILES,
    JSON,
    LABELS,
    NOISE,
    OF_ROWS,
    PATH,
    VALUES,
    add,
    given,
    named,
    of_others,
    panel,
    refuse_meaningless,
)
from softtruth.cli.priors import PRIORS, asked_prior, prior_wanted
from softtruth.cli.results import JUNIT, OUT, check_results, settle, write_results
from softtruth.cli.streamed import STREAM

if TYPE_CHECKING:
    from softtruth.inputs.finished import FinishedTable
    from softtruth.inputs.problem import Problem
    from softtruth.report import Report
    from softtruth.statistics.evidence import Evidence

TABLE = (
    click.option("--table", type=PATH, metavar="PATH", help="A finished confusion table, or tp, fp, fn, tn."),
    click.option("--transpose", is_flag=True, help="The rows of --table are the prediction."),
)
# What can be said of a finished table.
OF_TABLE = {
    *("table", "transpose", "labels", "positive", "reference_accuracy", "n_reference", "quiet"),
    *("measures", "convention", "level", "interval", "draws", "seed"),
    *("out", "json_path", "parquet", "fail_under", "fail_over", "fail_on", "junit"),
}
GATES = (
    click.option(
        "--fail-under",
        multiple=True,
        metavar="[NAME:]MEASURE=NUMBER",
        help='Exit with 3 when a measure is below: "macro f1=0.8". "soft:accuracy=0.7" looks at another column.',
    ),
    click.option("--fail-over", multiple=True, metavar="[NAME:]MEASURE=NUMBER", help="Exit with 3 when it is above."),
    click.option(
        "--fail-on",
        type=click.Choice(["value", "low"]),
        metavar="END",
        default="value",
        show_default=True,
        help="Compare the value, or with low the end of its interval that is nearer to failing.",
    ),
    JUNIT,
)


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
@add(
    panel(IN_FILES, FILES, TABLE),
    panel("Results", (OUT, JSON), named(STREAM, ["parquet"])),
    panel("Measures and intervals", ASKED),
    panel("Gates", GATES),
    panel(IN_COLUMNS, COLUMNS),
    panel(OF_ROWS, VALUES),
    panel("Another prior", PRIORS),
    panel("Wrong labels", named(LABELS, ["reference_accuracy", "n_reference"])),
    panel("Large files", named(STREAM, ["engine", "checkpoint", "statistic"])),
    NOISE,
)
@click.pass_context
def report(ctx: click.RichContext, /, **values: Any) -> None:
    """Compare predictions with a reference: measures, intervals, findings.

    Give --prediction and --reference; or one FILE (or its parts) that holds both; or --table with finished counts.
    """
    _check_usage(values)
    if values["table"]:
        refuse_meaningless(of_others(OF_TABLE), "is about rows or items, which the finished --table does not have")
    check_results()
    from softtruth.cli import streamed
    from softtruth.cli.gates import check, parse_gates

    with output.progress(quiet=values["quiet"]) as step:
        if streamed.streams(values):
            data: Problem | FinishedTable | Evidence = streamed.count(values, step)
        else:
            data = _table(values) if values["table"] else load(values["files"], values, step)
        gates = parse_gates(values["fail_under"], values["fail_over"], list(getattr(data, "predictions", ())))
        if step:
            step("measuring")
        result = _evaluated(data, values)
        result = _with_prior(result, data, values)
        # The gates put their questions to a report of their own, so that any measure can be one.
        questions = tuple(dict.fromkeys(gate.question for gate in gates))
        cases = check(gates, _evaluated(data, {**values, "measures": questions}), values["fail_on"]) if gates else []
    write_results(result, values)
    streamed.write(data, result, values)
    settle(ctx, cases, values["junit"])


def _check_usage(values: dict[str, Any]) -> None:
    sides = bool(values["prediction"] or values["reference"])
    ways = [bool(values["table"]), bool(values["files"]), sides]
    if sum(ways) > 1:
        raise click.UsageError("Give --prediction and --reference, or one table as FILE, or --table; not two of these.")
    if not any(ways):
        raise click.UsageError("Nothing to report on: give --prediction and --reference, or FILE, or --table.")
    if values["transpose"] and not values["table"]:
        raise click.UsageError("--transpose turns a finished --table, and there is none.")
    if sides and not (values["prediction"] and values["reference"]):
        missing = "--reference" if values["prediction"] else "--prediction"
        raise click.UsageError(f"{missing} is missing: a prediction is compared with a reference.")
    if values["junit"] and not (values["fail_under"] or values["fail_over"]):
        raise click.UsageError("--junit writes the gates, and there is none; give --fail-under or --fail-over.")
    if values["n_reference"] is not None and values["reference_accuracy"] is None:
        raise click.UsageError("--n-reference says on how many items --reference-accuracy was found; give both.")


def _table(values: dict[str, Any]) -> FinishedTable:
    from softtruth.inputs.finished import load_table

    table = load_table(
        values["table"], labels=values["labels"], positive=values["positive"], transpose=values["transpose"]
    )
    note_all(table.guesses, values)
    return table


def _evaluated(data: Problem | FinishedTable | Evidence, values: dict[str, Any]) -> Report:
    from softtruth.cli import streamed
    from softtruth.evaluation import evaluate_problem, evaluate_table
    from softtruth.inputs.problem import Problem
    from softtruth.statistics.evidence import Evidence

    asked = {n: values[n] for n in ("measures", "convention", "level", "interval", "draws", "seed") if given(values[n])}
    asked |= {n: values[n] for n in ("reference_accuracy", "n_reference") if values[n] is not None}
    if isinstance(data, Evidence):
        return streamed.report(data, asked)
    if not isinstance(data, Problem):
        if values["measures"]:  # a table does not know the items, which `exemplar` would ask for
            asked["operators"] = ("micro",) if len(data.labels) == 2 else ("micro", "macro", "weighted")
        return evaluate_table(data, **asked)
    asked |= {name: values[name] for name in ("ties", "coupling", "tnorm") if values[name]}
    return evaluate_problem(data, answers=read_any_answers(data, values), **asked)


def _with_prior(result: Report, data: Problem | FinishedTable | Evidence, values: dict[str, Any]) -> Report:
    """Add the numbers at another prior, where one was asked for."""
    from softtruth.cli import streamed
    from softtruth.inputs.problem import Problem
    from softtruth.statistics.evidence import Evidence

    if not prior_wanted(values):
        return result
    if isinstance(data, Evidence):
        return streamed.at_prior(result, data, values)
    assert isinstance(data, Problem)  # noqa: S101  # a finished table takes no prior
    from softtruth.evaluation.prior_view import with_prior

    asked = {name: values[name] for name in ("convention",) if values[name]}
    return with_prior(result, data, **asked_prior(data, values), level=values["level"], **asked)
