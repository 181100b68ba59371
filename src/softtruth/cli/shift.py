"""`softtruth shift`: what would the measures be where the classes are more or less frequent?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.noise import PICTURES, load
from softtruth.cli.options import COLUMNS, FILES, NOISE, VALUES, add, loading

if TYPE_CHECKING:
    from softtruth.evaluation.shift import ShiftReport
    from softtruth.inputs.problem import Prediction, Problem

PRIORS = (
    click.option(
        "--prior",
        metavar="P | NAME=P,...",
        help="Prevalence of the positive class, or a frequency for each class: cat=0.7,dog=0.3.",
    ),
    click.option("--imbalance", type=float, metavar="R", help="A long tail: most frequent class over least frequent."),
    click.option(
        "--target",
        multiple=True,
        metavar="[NAME=]PATH",
        help="Predictions without labels, from where the prior is asked for; it is then estimated.",
    ),
    click.option(
        "--method",
        type=click.Choice(["bbse_hard", "bbse_soft", "adjusted_count", "mlls"]),
        default="bbse_hard",
        show_default=True,
        help="How to estimate it: from rates of decisions, mean probabilities, or the likelihood.",
    ),
    click.option("--calibrate", is_flag=True, help="For mlls: mend the probabilities on the labelled data first."),
    click.option("--project", is_flag=True, help="Take the nearest prior where the estimate leaves the simplex."),
)
QUESTIONS = (
    click.option("--measure", "measures", multiple=True, metavar="NAME", help='The first is drawn: "macro f1".'),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Level of the intervals.",
    ),
    click.option("--plot", metavar="PATH", help="Draw the measure against the prior, as PNG, SVG or PDF."),
    click.option("--json", "json_path", metavar="PATH", help="Write JSON; - prints it in place of the text."),
)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@add(FILES, PRIORS, QUESTIONS, COLUMNS, VALUES, NOISE)
def shift(files: tuple[str, ...], **values: Any) -> None:
    """Say what the measures would be where the classes are more or less frequent, their rates kept.

    Give --prediction and --reference, or one FILE that holds both; and one of --prior, --imbalance and --target. With
    several predictions it says at which prior they swap places.
    """
    _check_usage(files, values)
    from softtruth.evaluation.shift import shift_report

    with output.progress(quiet=values["quiet"]) as step:
        problem = load(files, values, step)
        prior = parsed_prior(values["prior"], values["imbalance"], problem)
        target = read_targets(values["target"], problem, values)
        if step:
            step("measuring")
        report = shift_report(
            problem,
            prior=prior,
            target=target,
            method=values["method"],
            calibrate=values["calibrate"],
            project=values["project"],
            measures=values["measures"],
            level=values["level"],
        )
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
    if sum(bool(values[name]) for name in ("prior", "imbalance", "target")) != 1:
        raise click.UsageError("Give one of --prior, --imbalance and --target.")


def parsed_prior(text: str | None, imbalance: float | None, problem: Problem) -> Any:
    """Read `0.05` and `cat=0.7,dog=0.3`; or make the long tail that was asked for."""
    from softtruth.corrections.prior_curve import long_tail

    if imbalance is not None:
        if problem.task == "multilabel":
            raise click.UsageError("--imbalance is for classes that exclude each other; give --prior LABEL=P,....")
        tail = long_tail(len(problem.labels), imbalance)
        return float(tail[1]) if problem.task == "binary" else tail
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        pairs = [part.rpartition("=") for part in text.split(",")]
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise click.UsageError(f"--prior {text} is neither a number nor NAME=NUMBER,....") from None


def read_targets(given: tuple[str, ...], problem: Problem, values: dict[str, Any]) -> dict[str, Prediction] | None:
    """Read the files of --target; a name may be left out where there is one prediction."""
    from softtruth.errors import InputError, listed
    from softtruth.inputs.settings import Settings, parse_spec
    from softtruth.inputs.unlabelled import load_unlabelled

    if not given:
        return None
    names = list(problem.predictions)
    found = {}
    for text in given:
        spec = parse_spec(text)
        name = names[0] if spec.given is None and len(names) == 1 else spec.name
        if name not in names:
            raise InputError(f"--target {text} is of no prediction; expected one of {listed(names)}, as NAME=PATH.")
        found[name] = load_unlabelled(spec.path, problem, Settings(**loading(values)))
    return found


def _draw(report: ShiftReport, values: dict[str, Any]) -> None:
    curves = {view.name: view.curve for view in report.views if view.curve is not None}
    if not values["plot"] or not curves:
        return
    import numpy as np

    from softtruth.render.prior_plot import draw_prior_curves

    first = next(iter(curves.values()))
    same = {name: c for name, c in curves.items() if np.array_equal(c.priors, first.priors)}
    figure = draw_prior_curves(
        list(same.values()),
        names=list(same),
        crossings=[c for a, b, c in report.crossings if c.question == first.question and {a, b} <= set(same)],
        prior=float(report.views[0].prior[0]) if report.task == "binary" else None,
    )
    with output.whole_file(values["plot"]) as part:
        figure.savefig(part, format=values["plot"].rpartition(".")[2].lower(), dpi=150)
