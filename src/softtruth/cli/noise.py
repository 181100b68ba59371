"""`softtruth noise`: how good is a model really, when the labels that it was measured with are wrong at some rate?"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
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
    loading,
    panel,
)

if TYPE_CHECKING:
    from softtruth.annotations.answers import Answers
    from softtruth.corrections.suspects import Suspects
    from softtruth.corrections.true_accuracy import TrueAccuracy
    from softtruth.inputs.problem import Problem

LABELS = (
    click.option("--reference-accuracy", type=float, metavar="SHARE", help="How often the labels are right."),
    click.option("--n-reference", type=int, metavar="N", help="How many items that was found on."),
    click.option(
        "--annotations",
        type=PATH,
        metavar="PATH",
        help="Who answered what, in any form of a reference that names annotators: says how often labels are right, "
        "and whether errors go together.",
    ),
)
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
    output.check_picture(values["plot"])
    output.check_target(values["json_path"])
    numbers = _numbers(given)
    if numbers is not None:
        _of_numbers(*numbers, values)
        return
    if not given and not (values["prediction"] and values["reference"]):
        raise click.UsageError("Give two numbers, or --prediction and --reference, or FILE.")
    if values["rho"] is not None or values["overlap"] is not None or values["n"] is not None:
        raise click.UsageError("--n, --rho and --overlap go with two numbers; files say these themselves.")
    _of_files(given, values)


def _numbers(given: tuple[str, ...]) -> tuple[float, float] | None:
    try:
        found = [float(word) for word in given]
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
        roots = result.at_rho(values["rho"])
        words = " or ".join(f"{x:.4f}" for x in roots) or "no true accuracy: the data refute it"
        lines.append(f"At rho {values['rho']:g}: {words}.")
        more["at_rho"] = list(roots)
    if values["overlap"] is not None:
        value = result.at_overlap(values["overlap"])
        lines.append(f"If the model repeats {100 * values['overlap']:g} % of the label errors: {value:.4f}.")
        more["at_overlap"] = value
    _draw(result, values)
    _print("\n".join(lines), {"schema_version": 1, **result.to_dict(), **more}, values)


def _of_files(given: tuple[str, ...], values: dict[str, Any]) -> None:
    from softtruth.evaluation.noise import noise_report

    with output.progress(quiet=values["quiet"]) as step:
        problem = load(given, values, step)
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
            from softtruth.evaluation.suspects import find_suspects

            name = next(iter(problem.predictions))
            right = values["reference_accuracy"]
            if right is None and problem.reference_kind == "labels":
                right = min(report.views[0].accuracy.reference_accuracy.value, 1.0)
            found = find_suspects(problem, name, answers, right)
            words, rows = _suspects(found, problem, values["n_suspects"])
            text, facts["suspects"] = f"{text}\n\n{words}", rows
    _draw(report.views[0].accuracy, values)
    _print(text, facts, values)


def load(given: tuple[str, ...], values: dict[str, Any], step: Any) -> Problem:
    """Load the problem of a command's files without the items that have no label, and say what was guessed."""
    from softtruth.evaluation.noise import labelled

    return labelled(load_problem_of(given, values, step))


def load_problem_of(given: tuple[str, ...], values: dict[str, Any], step: Any) -> Problem:
    """Load the problem of a command's files, and say what was guessed."""
    from softtruth.inputs.align import load_problem

    problem = load_problem(
        values["prediction"],
        values["reference"],
        values["items"],
        table=given or None,
        progress=step,
        **loading(values),
    )
    if not values["quiet"]:
        for guess in problem.guesses:
            output.note(f"note: {guess}")
    return problem


def read_answers(problem: Problem, values: dict[str, Any]) -> Answers | None:
    """Return the answers of --annotations; without it, of the reference where that names its annotators."""
    from softtruth.annotations.answer_files import load_answers
    from softtruth.annotations.answers import Answers
    from softtruth.errors import InputError, NotAnswerableError
    from softtruth.inputs.settings import Settings

    beside = values["annotations"] is not None
    path = values["annotations"] if beside else values["reference"]
    if not path or not (beside or problem.reference_kind == "votes"):
        return None
    try:
        found = load_answers(
            path,
            Settings(**loading(values)),
            items=problem.items.tolist(),
            classes=problem.labels,
            predictions=tuple(problem.predictions),
            beside=beside,
        )
    except NotAnswerableError:  # votes without names say nothing of the annotators
        if beside:
            raise
        return None
    if not isinstance(found.answers, Answers):
        raise InputError(f"{path} holds answers to several questions; keep one with --where, as a problem of its own.")
    if not values["quiet"]:
        for sentence in found.sentences:
            output.note(f"note: {sentence}")
    return found.answers


def _suspects(found: Suspects, problem: Problem, n: int) -> tuple[str, list[dict[str, Any]]]:
    from softtruth.corrections.suspects import BIASED
    from softtruth.evaluation.suspects import effect, suspect_labels

    rows = suspect_labels(found, problem, n)
    width = max([len(str(row["item"])) for row in rows] + [4])
    lines = [f"{'item':<{width}}  doubt  label -> model"]
    lines += [f"{row['item']:<{width}}  {row['doubt']:.3f}  {row['label']} -> {row['model']}" for row in rows]
    return "\n".join([*lines, *filter(None, [effect(found, n)]), BIASED]), rows


def _draw(result: TrueAccuracy, values: dict[str, Any]) -> None:
    if values["plot"]:
        from softtruth.plots import NoiseCurveDisplay

        output.picture(NoiseCurveDisplay.from_result(result), values["plot"])


def _print(text: str, facts: dict[str, Any], values: dict[str, Any]) -> None:
    if values["json_path"]:
        output.write(values["json_path"], json.dumps(_plain(facts), indent=2, ensure_ascii=False, allow_nan=False))
    if values["json_path"] != "-":
        from softtruth.render.wrapped import wrapped

        output.emit(wrapped(text))


def _plain(facts: Any) -> Any:
    """Return facts with null where there is no number: JSON has no NaN."""
    if isinstance(facts, dict):
        return {key: _plain(value) for key, value in facts.items()}
    if isinstance(facts, list):
        return [_plain(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts
