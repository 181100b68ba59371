"""`softtruth demo`: the report of an example whose truth is known, and what to type next."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import output
from softtruth.cli.options import JSON, PATH
from softtruth.cli.results import PAGES, check_results, to_stdout, write_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.report import Report, View

FOLDER = "demo"
CLASSIFIER = "logistic_regression"


@click.command()
@click.option(
    "--out",
    type=PATH,
    metavar="PATH",
    multiple=True,
    default=["softtruth-demo.html"],
    show_default=True,
    help="Where the page goes, or the report as Markdown (.md).",
)
@JSON
def demo(**values: Any) -> None:
    """Show a report of a small example whose truth is known.

    A real classifier reads 600 handwritten digits. Five annotators, who are simulated, vote on them.
    """
    check_results()
    report = run_demo()
    write_files(report, values)
    if not to_stdout(values):
        from softtruth.render.wrapped import wrapped

        text = report.to_text(color=output.colored()).rstrip()
        told = wrapped("\n".join(story(report)))
        where, *more = next_steps(values["out"][0])
        output.emit("\n".join([told, "", text, "", wrapped(where), *more]))


def run_demo() -> Report:
    """Return the report of the example: against the truth, the majority and the votes beside each other."""
    from softtruth.annotations.answer_files import load_answers
    from softtruth.evaluation import evaluate_problem
    from softtruth.inputs.align import load_problem
    from softtruth.inputs.settings import Settings

    with as_file(files("softtruth").joinpath(FOLDER)) as folder:
        paths = {name: folder / f"{name}.csv.gz" for name in (CLASSIFIER, "votes", "truth")}
        voted = load_problem([paths[CLASSIFIER]], paths["votes"])
        true = load_problem([paths[CLASSIFIER]], paths["truth"])
        perfect = load_problem([paths["truth"]], paths["votes"])
        answers = load_answers(
            str(paths["votes"]),
            Settings(),
            items=voted.items.tolist(),
            classes=voted.labels,
            predictions=tuple(voted.predictions),
        ).answers
    best = evaluate_problem(perfect, measures=["accuracy"])
    # How often the majority is right is known here, too.
    right = best.value("accuracy", "majority")
    among_votes = evaluate_problem(voted, answers=answers, reference_accuracy=right, n_reference=voted.n)
    return _beside(evaluate_problem(true), among_votes, best.value("accuracy", "soft"))


def _beside(truth: Report, votes: Report, ceiling: float) -> Report:
    """Put the view of the truth before the others, and say what is simulated."""
    from softtruth.report import Finding

    kept = [view for view in votes.views if view.name != "soft_decision"]  # three columns fit any terminal
    names = {view.name for view in kept}
    simulated = Finding(
        "simulated",
        "warning",
        "The classifier and the digits are real. The five annotators are simulated: they name the true digit with "
        "probability 0.95, 0.90, 0.85, 0.80 and 0.70. So the truth is known here, as it never is in practice.",
    )
    sentence = (
        f"Against these votes the truth itself has accuracy {ceiling:.3f}: that is what a classifier without any error "
        "would get in the soft column, because the annotators err and disagree."
    )
    perfect = Finding("truth_against_votes", "note", sentence, {"accuracy": ceiling})
    return replace(
        votes,
        title="Demo: a digit classifier and five simulated annotators",
        views=(_true_view(), *kept),
        rows=(
            *(replace(row, view="truth") for row in truth.rows),
            *(row for row in votes.rows if row.view in names),
        ),
        findings=(simulated, perfect, *votes.findings),
        settings={**votes.settings, "coupling": {"truth": "hardened", **_only(votes.settings["coupling"], names)}},
        provenance=_named_files(votes.provenance),
        sections={**votes.sections, "confusion": [*_of_truth(truth), *votes.sections["confusion"]]},
    )


def _of_truth(truth: Report) -> list[dict[str, Any]]:
    """Return the confusion table against the truth."""
    return [{**entry, "view": "truth"} for entry in truth.sections["confusion"]]


def _true_view() -> View:
    from softtruth.report import View

    return View("truth", "truth", "The decision against the true class, which only a simulation knows.")


def _only(couplings: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: coupling for name, coupling in couplings.items() if name in names}


def _named_files(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out where this copy of the package is installed: the report should be the same everywhere."""
    inputs = [{**record, "path": record["path"].rpartition("/")[2]} for record in provenance["inputs"]]
    return {**provenance, "inputs": inputs}


def story(report: Report) -> list[str]:
    """Return what the example shows, in a few lines."""
    truth, majority, soft = (report.value("accuracy", view) for view in ("truth", "majority", "soft"))
    return [
        "One classifier, 600 digits, five simulated annotators. How often is it right?",
        "",
        f"  {truth:.3f}  against the true classes: known here, because the annotators are simulated",
        f"  {majority:.3f}  against the class that most annotators name: their errors become its errors",
        f"  {soft:.3f}  against all votes, with its probabilities: doubt on either side counts as partial error",
        "",
        "The classifier is the same each time. The last number answers another question than the first two.",
    ]


def next_steps(out: str) -> list[str]:
    """Return where the page lies, and what to type next."""
    page = PAGES[Path(out).suffix.lower()] == "to_html"
    return [
        f"The report as a page: {out} (open it in a browser; it needs no network)." if page else f"The report: {out}.",
        "",
        "With your own files, begin with:",
        "  softtruth inspect votes.csv predictions.csv",
        "  softtruth report --prediction predictions.csv --reference votes.csv --out report.html",
    ]
