"""`softtruth noise`: how good is a model really, when the labels that it was measured with are wrong at some rate?"""

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
    JSON,
    LABELS,
    LEVEL,
    NOISE,
    OF_ROWS,
    PATH,
    VALUES,
    add,
    of_others,
    panel,
    refuse_meaningless,
)
from softtruth.cli.results import check_results, write_facts
from softtruth.errors import NotAnswerableError

if TYPE_CHECKING:
    from softtruth.corrections.true_accuracy import TrueAccuracy

QUESTIONS = (
    click.option("--measure", "measures", multiple=True, metavar="NAME", help='A range for it too, as "macro f1".'),
    click.option("--coincidence", type=float, metavar="SHARE", help="How often two wrong answers are the same one."),
    click.option(
        "--suspects",
        "n_suspects",
        type=click.IntRange(1),
        metavar="N",
        help="List N labels to look at, by the first prediction.",
    ),
    LEVEL,
    click.option(
        "--plot",
        type=PATH,
        metavar="PATH",
        help="Draw true against observed accuracy, as PNG, SVG or PDF (matplotlib).",
    ),
    JSON,
)
NUMBERS = (
    click.option(
        "--classes",
        type=click.IntRange(2),
        metavar="K",
        default=2,
        show_default=True,
        help="How many classes there are.",
    ),
    click.option("--n", type=int, metavar="N", help="How many items the observed accuracy was found on."),
    click.option("--rho", type=click.FloatRange(-1, 1), metavar="RHO", help="Dependence of the errors, from -1 to 1."),
    click.option(
        "--overlap", type=click.FloatRange(0, 1), metavar="SHARE", help="Share of label errors that the model repeats."
    ),
)

ONLY_OF_NUMBERS = {"classes", "n", "rho", "overlap"}
OF_NUMBERS = ONLY_OF_NUMBERS | {"n_reference", "coincidence", "level", "plot", "json_path", "quiet"}


@click.command()
@click.argument("given", nargs=-1, type=PATH, metavar="[OBSERVED LABELS | FILE...]")
@add(
    panel(IN_FILES, FILES),
    panel("How often labels are right", LABELS),
    panel("Questions and results", QUESTIONS),
    panel("For two numbers", NUMBERS),
    panel(IN_COLUMNS, COLUMNS),
    panel(OF_ROWS, VALUES),
    NOISE,
)
def noise(given: tuple[str, ...], **values: Any) -> None:
    """Bound the true accuracy, and estimate it, when labels are wrong at some rate.

    Two numbers are enough: `softtruth noise 0.90 0.96` is a model that agrees with 90 % of the labels, of which 96 %
    are right. Or give --prediction and --reference (or one FILE with both), and --reference-accuracy or --annotations.
    Of votes the majority is the label; where they name their annotators, these say how often it is right.
    """
    check_results()
    numbers = _numbers(given)
    if numbers is not None:
        refuse_meaningless(of_others(OF_NUMBERS), "is about items, which two numbers do not have")
        _of_numbers(*numbers, values)
        return
    if not given and not (values["prediction"] and values["reference"]):
        raise click.UsageError("Give two numbers, or --prediction and --reference, or FILE.")
    refuse_meaningless(ONLY_OF_NUMBERS, "goes with two numbers; files say it themselves")
    _of_files(given, values)


def _numbers(given: tuple[str, ...]) -> tuple[float, float] | None:
    """Return the two numbers, where it is numbers that were given; 90% is 0.9."""
    try:
        found = [float(word[:-1]) / 100 if word.endswith("%") else float(word) for word in given]
    except ValueError:
        return None
    if len(found) == 2:
        return found[0], found[1]
    if found:
        raise click.UsageError("Give two numbers: the observed accuracy, and how often the labels are right.")
    return None


def _of_numbers(observed: float, right: float, values: dict[str, Any]) -> None:
    from softtruth.corrections.true_accuracy import true_accuracy

    result = true_accuracy(
        observed,
        right,
        values["classes"],
        n=values["n"],
        n_reference=values["n_reference"],
        coincidence=values["coincidence"],
        level=values["level"],
    )
    lines = result.sentences()
    more: dict[str, Any] = {}
    if values["rho"] is not None:
        try:
            roots = result.at_rho(values["rho"])
        except NotAnswerableError as error:
            lines.append(f"{error}".capitalize())
            more["at_rho"] = None
        else:
            words = " or ".join(f"{x:.4f}" for x in roots) or "no true accuracy: the data refute it"
            lines.append(f"At rho {values['rho']:g}: {words}.")
            more["at_rho"] = list(roots)
    if values["overlap"] is not None:
        value = result.at_overlap(values["overlap"])
        lines.append(f"If the model repeats {100 * values['overlap']:g} % of the label errors: {value:.4f}.")
        more["at_overlap"] = value
    _draw(result, values)
    write_facts("\n".join(lines), {"schema_version": 1, **result.to_dict(), **more}, values["json_path"])


def _of_files(given: tuple[str, ...], values: dict[str, Any]) -> None:
    from softtruth.evaluation.noise import noise_report

    with output.progress(quiet=values["quiet"]) as step:
        problem = load_labelled(given, values, step)
        answers = read_answers(problem, values)
        if step:
            step("measuring")
        report = noise_report(
            problem,
            reference_accuracy=values["reference_accuracy"],
            n_reference=values["n_reference"],
            answers=answers,
            measures=values["measures"],
            coincidence=values["coincidence"],
            level=values["level"],
        )
        text, facts = report.to_text(), report.to_dict()
        if values["n_suspects"]:
            from softtruth.evaluation.suspects import doubtful_labels

            found = doubtful_labels(
                problem,
                report,
                values["n_suspects"],
                answers,
                reference_accuracy=values["reference_accuracy"],
                n_reference=values["n_reference"],
            )
            text, facts["suspects"] = f"{text}\n\n{found.to_text()}", found.rows
    _draw(report.views[0].accuracy, values)
    write_facts(text, facts, values["json_path"])


def _draw(result: TrueAccuracy, values: dict[str, Any]) -> None:
    if values["plot"]:
        from softtruth.plots import NoiseCurveDisplay

        output.picture(NoiseCurveDisplay.from_result(result), values["plot"])
