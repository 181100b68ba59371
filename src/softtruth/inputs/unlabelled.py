"""Predictions without a reference: a file of the target, lined up with the classes of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth.errors import InputError, listed
from softtruth.inputs.arranged import arranged_prediction
from softtruth.inputs.assembled import with_votes
from softtruth.inputs.one_label import asked_label, of_label, yes_no
from softtruth.inputs.opened import Opener
from softtruth.inputs.plan import make_plan
from softtruth.inputs.settings import Spec

if TYPE_CHECKING:
    from softtruth.inputs.problem import Prediction, Problem
    from softtruth.inputs.settings import Settings

TARGET = "target"  # what the file answers to in --where and --map


def load_unlabelled(path: str, problem: Problem, settings: Settings) -> Prediction:
    """Read the predictions of examples without labels.

    Parameters
    ----------
    path
        A file in the form of the problem's predictions.
    problem
        What the predictions are to be compared with: task and classes.
    settings
        As for `load_problem`; filters and renamings may lead with `target:`.

    Raises
    ------
    InputError
        When the file holds several predictions, or other classes.
    """
    opener = Opener(settings, (*problem.predictions, TARGET))
    sides, _ = opener.predictions(Spec(path, TARGET))
    if len(sides) > 1:
        names = [side.name for side in sides]
        raise InputError(
            f"{path} holds the predictions {listed(names)}; name one with --prediction-column target:NAME."
        )
    side = sides[0]
    if (label := asked_label(problem.labels)) is not None:
        side = of_label(side, yes_no(label))
    side = with_votes(side)
    plan = make_plan(
        [side, side],
        task=problem.task,
        labels=problem.labels if label else settings.labels or problem.labels,
        positive=settings.positive,
    )
    if plan.labels != problem.labels:
        raise InputError(f"{path} has the classes {listed(plan.labels)}, but the problem has {listed(problem.labels)}.")
    return arranged_prediction(side, plan, plan.lookups[1])
