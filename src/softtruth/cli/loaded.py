"""What the files of a command hold: the problem, and who answered what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.cli import output
from softtruth.cli.options import loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.annotations.answers import Answers
    from softtruth.inputs.problem import Problem


def load(files: Sequence[str], values: dict[str, Any], step: Any) -> Problem:
    """Load the problem of a command's files, and say what was guessed."""
    from softtruth.inputs.align import load_problem

    problem = load_problem(
        values["prediction"],
        values["reference"],
        values["items"],
        table=files or None,
        progress=step,
        **loading(values),
    )
    note_all(problem.guesses, values)
    return problem


def load_labelled(files: Sequence[str], values: dict[str, Any], step: Any) -> Problem:
    """Load the problem of a command's files without the items that have no label, and say what was guessed."""
    from softtruth.evaluation.noise import labelled

    return labelled(load(files, values, step))


def note_all(sentences: Iterable[str], values: dict[str, Any]) -> None:
    """Say what was guessed, unless nobody wants to hear it."""
    for sentence in () if values["quiet"] else sentences:
        output.note(f"note: {sentence}")


def read_answers(problem: Problem, values: dict[str, Any]) -> Answers | None:
    """Return the answers of --annotations; without it, of the reference where that names its annotators.

    Raises
    ------
    InputError
        If they are answers to several questions.
    """
    from softtruth.annotations.answers import Answers
    from softtruth.errors import InputError

    found = read_any_answers(problem, values)
    if found is None or isinstance(found, Answers):
        return found
    path = values["annotations"] or values["reference"]
    raise InputError(f"{path} holds answers to several questions; keep one with --where, as a problem of its own.")


def read_any_answers(problem: Problem, values: dict[str, Any]) -> Any:
    """Return the answers as `read_answers` does, those to several questions too."""
    from softtruth.annotations.answer_files import load_answers
    from softtruth.errors import NotAnswerableError
    from softtruth.inputs.settings import Settings

    beside = values.get("annotations") is not None
    path = values["annotations"] if beside else values["reference"]
    if not beside and (problem.reference_kind != "votes" or path in {None, "-"}):
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
    note_all(found.sentences, values)
    return found.answers
