"""How well does the model follow each person? Perspectives in place of one truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import require_answers
from softtruth.arguments import Names, checked
from softtruth.conventions import convention_of
from softtruth.measures import parse
from softtruth.measures.operators import evaluate
from softtruth.people.leave_one_out import decisions_of, leave_one_out
from softtruth.statistics.table import Table
from softtruth.uncertainty.influence import influence_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers
    from softtruth.uncertainty.interval import Interval


@dataclass(frozen=True)
class Perspective:
    """One person's answers as the reference.

    Attributes
    ----------
    annotator : object
    items : int
        How many items the person answered.
    model : Interval
        How well the model does against this person.
    people : float
        How well the other annotators of the same items do against this person; NaN where there are none.
    """

    annotator: Any
    items: int
    model: Interval
    people: float


@checked
def perspectives(
    answers: Answers,
    prediction: Names,
    measure: str = "accuracy",
    *,
    convention: str = "exclude",
    threshold: float = 0.5,
    level: float = 0.95,
) -> list[Perspective]:
    """How well does the model follow each person?

    A mean over everybody hides whom the model leaves out. Here each annotator's own answers are the reference. People
    who are hard to follow for everybody show as low in both columns; people whom only the model fails show as low in
    ``model`` alone.

    Parameters
    ----------
    answers : Answers
    prediction : array-like
        The model's decisions, probabilities or scores, one row for each item.
    measure : str
        Any measure of sums with its operator: ``accuracy``, ``macro f1``, ``mcc``, ...
    convention : str
        What becomes of undefined parts.
    threshold : float
        Where a probability becomes a decision.
    level : float

    Returns
    -------
    list of Perspective
        In the order of the annotators; those without answers are not in it.

    Raises
    ------
    InputError
        If the prediction does not fit.

    Examples
    --------
    >>> from softtruth.annotations import Answers
    >>> votes = [[0, 0, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]
    >>> for each in perspectives(Answers.of(votes), [0, 1, 0, 1]):
    ...     print(each.annotator, each.items, each.model, round(each.people, 3))
    0 4 1.000 [0.510, 1.000] sampling 95% 0.625
    1 4 1.000 [0.510, 1.000] sampling 95% 0.625
    2 4 0.250 [0.046, 0.699] sampling 95% 0.25
    """
    require_answers(answers)
    question, settled = parse(measure, "micro"), convention_of(convention)
    model = _against_each(answers, decisions_of(prediction, answers, threshold))
    values = np.asarray(evaluate(question, _among_people(answers), settled))
    found = []
    for r in np.flatnonzero(np.bincount(answers.annotator, minlength=answers.n_annotators)):
        table = Table(model[r], "binary" if answers.n_classes == 2 else "multiclass", counts=True)
        interval = influence_interval(question, table, convention=settled, level=level)
        found.append(Perspective(answers.annotators[r], int(model[r].sum()), interval, float(values[r])))
    return found


def _against_each(answers: Answers, decisions: NDArray[Any]) -> NDArray[np.float64]:
    """Return a table for each annotator, (R, K, K): rows the person's answers, columns the model's."""
    r, k = answers.n_annotators, answers.n_classes
    chosen = decisions.reshape(answers.n_items).astype(np.intp)[answers.item]
    at = (answers.annotator * k + answers.label) * k + chosen
    return np.bincount(at, minlength=r * k * k).reshape(r, k, k).astype(np.float64)


def _among_people(answers: Answers) -> Table:
    """Return the same tables with the others' answers in the place of the model's."""
    r, k = answers.n_annotators, answers.n_classes
    masses: NDArray[Any] = np.zeros(r * k * k)
    if (answers.counts.sum(axis=1) >= 2).any():
        left = leave_one_out(answers)
        others = left.others if k > 2 else np.concatenate([1 - left.others, left.others], axis=1)
        own = left.answer if k > 2 else left.answer[:, 0].astype(np.intp)
        at = ((left.annotator * k + own) * k)[:, None] + np.arange(k)
        masses = np.bincount(at.ravel(), weights=others.ravel(), minlength=r * k * k)
    return Table(masses.reshape(r, k, k), "binary" if k == 2 else "multiclass")
