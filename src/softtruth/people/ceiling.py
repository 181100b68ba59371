"""Is the model as good as a person? Both beside the same answers of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Names, checked
from softtruth.conventions import convention_of
from softtruth.errors import InputError, listed, shown
from softtruth.measures import parse
from softtruth.measures.operators import formula_of
from softtruth.people.leave_one_out import decisions_of, leave_one_out
from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import Interval, checked_level, cut, of_differences, wald
from softtruth.uncertainty.pulls import clustered_variance, example_pulls
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers

ANNOTATORS = ("random", "fixed")
FEW = 20  # clusters; below, intervals between clusters are known to be too narrow


@dataclass(frozen=True)
class HumanCeiling:
    """People and a model, each compared with the same answers of the others.

    Attributes
    ----------
    measure : str
    people : Interval
        How well an annotator does against the others of the item: what a perfect imitation of one person would reach.
    model : Interval
        How well the model does against the very same others.
    difference : Interval
        Model less people, paired.
    ratio : Interval
        Model over people, paired.
    answers, items, annotators : int
        What was compared.
    alone : int
        Answers left out because nobody else answered the item.
    """

    measure: str
    people: Interval
    model: Interval
    difference: Interval
    ratio: Interval
    answers: int
    items: int
    annotators: int
    alone: int

    def superiority(self) -> float:
        """How surprising would this difference be if the model were no better than a randomly chosen annotator?

        A one-sided p-value; small ones speak for a model that is better.
        """
        return self.non_inferiority(0.0)

    @checked
    def non_inferiority(self, margin: float) -> float:
        """How surprising would this difference be if the model were worse than a random annotator by the margin?

        A one-sided p-value; small ones speak for a model that is worse by less than the margin, or better. The margin
        has to be chosen before the data are seen, by what a difference costs.

        Raises
        ------
        InputError
            If the margin is negative.
        """
        if not (math.isfinite(margin) and margin >= 0):
            msg = f"margin is {shown(margin)}, expected a number of at least 0, in the unit of {self.measure}."
            raise InputError(msg)
        error = self.difference.standard_error
        if not error > 0:
            return math.nan
        return math.erfc((self.difference.value + margin) / error / math.sqrt(2)) / 2

    def __str__(self) -> str:
        """Return one line for each number."""
        names = ("people", "model", "difference", "ratio")
        return "\n".join(f"{name:<10} {getattr(self, name)}" for name in names)


@checked
def human_ceiling(
    answers: Answers | Mapping[str, Answers],
    prediction: Names,
    measure: str = "accuracy",
    *,
    aggregate: str = "soft",
    annotators: str = "random",
    clusters: Names | None = None,
    threshold: float = 0.5,
    convention: str = "exclude",
    level: float = 0.95,
) -> HumanCeiling:
    """Is the model as good as a randomly chosen annotator?

    Every answer is compared with the answers of the other annotators of the item, and so is the model's decision about
    the item: with the same ones, since fewer votes make another aggregate. Both are averaged over all answers.

    Parameters
    ----------
    answers : Answers, or mapping of label to Answers
        Who answered what. For labels that hold together: one set of yes/no answers (no first) for each label.
    prediction : array-like
        The model's decisions, probabilities or scores, one row for each item (see ``leave_one_out.decisions_of``).
    measure : str
        Any measure with its operator: ``accuracy``, ``macro f1``; for labels that hold together ``label_accuracy``,
        ``micro f1``, ...
    aggregate : {"soft", "majority"}
        The shares of the others, or their most frequent answer.
    annotators : {"random", "fixed"}
        Whether the annotators stand for people like them (intervals then allow for other people, by clusters of items
        and of annotators that cross) or are the only ones that matter (clusters of items).
    clusters : array-like, shape (N,), optional
        Which items belong together; by default each stands for itself.
    threshold : float
        Where a probability becomes a decision.
    convention : str
        What becomes of undefined parts.
    level : float

    Returns
    -------
    HumanCeiling

    Raises
    ------
    InputError
        If the inputs do not fit, or no item has two answers.

    Notes
    -----
    With soft accuracy and equally many answers everywhere, the people's value is the observed agreement of Fleiss, and
    the model's is its plain accuracy against the shares of all. A ceiling is what single people reach: a model may
    pass it, because an aggregate is better than its parts. It misleads when the model has seen these answers: a copy of
    one of the annotators is among its own others.

    Examples
    --------
    >>> from softtruth.annotations import Answers
    >>> votes = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]]
    >>> ceiling = human_ceiling(Answers.of(votes), [0, 1, 0, 1, 1, 0, 1, 0])
    >>> print(ceiling)
    people     0.667 [0.397, 0.859] sampling 95%
    model      0.833 [0.673, 0.924] sampling 95%
    difference 0.167 [0.003, 0.330] sampling 95% (only 8 clusters of items: ...)
    ratio      1.250 [1.001, 1.561] sampling 95% (only 8 clusters of items: ...)
    >>> round(ceiling.superiority(), 3), round(ceiling.non_inferiority(0.1), 4)
    (0.023, 0.0007)
    """
    if annotators not in ANNOTATORS:
        msg = f"annotators is {shown(annotators)}, expected one of {listed(ANNOTATORS)}."
        raise InputError(msg)
    level, settled = checked_level(level), convention_of(convention)
    left = leave_one_out(answers, aggregate)
    groups = item_codes(clusters, left.item)
    if annotators == "random":
        groups = np.stack([groups, left.annotator], axis=1)
    question = parse(measure, "micro")
    people = left.examples(left.answer, groups)
    model = left.examples(left.rows_of(decisions_of(prediction, answers, threshold)), groups)
    ours, theirs = (influence_interval(question, side, convention=settled, level=level) for side in (people, model))
    pulls = [example_pulls(question, side, settled) for side in (people, model)]
    return HumanCeiling(
        str(question),
        ours,
        theirs,
        *_paired((ours.value, theirs.value), pulls, groups, level, formula_of(question).range),
        answers=len(left.item),
        items=len(np.unique(left.item)),
        annotators=len(np.unique(left.annotator)),
        alone=left.alone,
    )


def _paired(
    values: tuple[float, float],
    pulls: list[NDArray[np.float64]],
    groups: NDArray[Any],
    level: float,
    limits: tuple[float, float],
) -> tuple[Interval, Interval]:
    people, model = values
    sizes = [len(np.unique(codes)) for codes in np.atleast_2d(groups.T)]
    names = ("clusters of items", "annotators")
    assumption = " and ".join(names[: len(sizes)]) + " drawn independently"
    few = next(
        (
            f"only {size} {name}: intervals between so few are often too narrow"
            for size, name in zip(sizes, names, strict=False)
            if size < FEW
        ),
        "",
    )
    error = math.sqrt(clustered_variance(pulls[1] - pulls[0], groups))
    difference = wald(float(apart(model, people)), error, level, (-math.inf, math.inf), assumption=assumption)
    ratio, spread = math.nan, math.nan
    if people > 0 and model >= 0:
        ratio = model / people  # 0 lies on the edge of its range, and has no interval
        spread = math.sqrt(clustered_variance(pulls[1] - ratio * pulls[0], groups)) / people
    elif people == 0 < model:
        ratio, spread = math.inf, math.inf
    quotient = wald(ratio, spread, level, (0.0, math.inf), assumption=assumption)
    first, second = (replace(found, note=found.note or few) for found in (difference, quotient))
    return cut(first, of_differences(limits)), second


def item_codes(clusters: Any, item: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the cluster of each answer as a code; by default its item.

    Raises
    ------
    InputError
        If there is not one cluster for each item.
    """
    if clusters is None:
        return item
    given = np.asarray(clusters)
    if given.ndim != 1 or len(given) <= item.max():
        msg = f"clusters has shape {given.shape}, expected one for each item."
        raise InputError(msg)
    return np.unique(given, return_inverse=True)[1].reshape(-1)[item]
