"""`softtruth shift`: what would the measures be where the classes are more or less frequent?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.noise import PICTURES, load
from softtruth.cli.options import COLUMNS, FILES, JSON, LEVEL, NOISE, VALUES, add
from softtruth.cli.priors import PRIORS, asked_prior

if TYPE_CHECKING:
    from softtruth.evaluation.shift import ShiftReport

QUESTIONS = (
    click.option(
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        help='A question such as "macro f1"; repeat it. The first is drawn.',
    ),
    LEVEL,
    click.option("--plot", metavar="PATH", help="Draw the measure against the prior, as PNG, SVG or PDF (matplotlib)."),
    JSON,
)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@add(FILES, PRIORS, QUESTIONS, COLUMNS, VALUES, NOISE)
def shift(files: tuple[str, ...], **values: Any) -> None:
    """Say what the measures would be where the classes are more or less frequent, their rates kept.

    Give --prediction and --reference, or one FILE that holds both; and one of --prior, --imbalance and --target. With
    several predictions it says at which prior they swap places. Votes and shares count as they are: the decision is
    scored against the shares.
    """
    _check_usage(files, values)
    from softtruth.evaluation.shift import shift_report

    with output.progress(quiet=values["quiet"]) as step:
        problem = load(files, values, step)
        asked = asked_prior(problem, values)
        if step:
            step("measuring")
        report = shift_report(problem, **asked, measures=values["measures"], level=values["level"])
    _draw(report, values)
    if values["json_path"]:
        output.write(values["json_path"], json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    if values["json_path"] != "-":
        output.emit(report.to_text())


def _check_usage(files: tuple[str, ...], values: dict[str, Any]) -> None:
    output.check_target(values["plot"])
    output.check_target(values["json_path"])
    if values["plot"] and values["plot"].rpartition(".")[2].lower() not in PICTURES:
        raise click.UsageError(f"--plot {values['plot']} has no known ending; expected one of {', '.join(PICTURES)}.")
    if not files and not (values["prediction"] and values["reference"]):
        raise click.UsageError("Give --prediction and --reference, or FILE.")
    if not any(values[name] for name in ("prior", "imbalance", "target")):
        raise click.UsageError("Give --prior, --imbalance or --target: how frequent the classes are, or who says it.")


def _draw(report: ShiftReport, values: dict[str, Any]) -> None:
    curves = {view.name: view.curve for view in report.views if view.curve is not None}
    if not values["plot"] or not curves:
        return
    import numpy as np

    from softtruth.render.prior_plot import plot_prior_curves

    first = next(iter(curves.values()))
    same = {name: c for name, c in curves.items() if np.array_equal(c.priors, first.priors)}
    figure = plot_prior_curves(
        list(same.values()),
        names=list(same),
        crossings=[c for a, b, c in report.crossings if c.question == str(first.question) and {a, b} <= set(same)],
        prior=float(report.views[0].prior[0]) if report.task == "binary" else None,
    )
    with output.whole_file(values["plot"]) as part:
        figure.savefig(part, format=values["plot"].rpartition(".")[2].lower(), dpi=150)
