"""May the model take the place of a person? The alternative-annotator test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import require_answers
from softtruth.arguments import Names, checked
from softtruth.errors import InputError, shown
from softtruth.people.ceiling import item_codes
from softtruth.people.leave_one_out import decisions_of, leave_one_out
from softtruth.uncertainty.pulls import within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers


@dataclass(frozen=True, eq=False)
class AlternativeAnnotator:
    """The result of the test, annotator by annotator.

    Attributes
    ----------
    annotators : tuple
        Who was tested against the model; the order of the arrays.
    items : ndarray of int
        On how many items each.
    model_ahead, person_ahead : ndarray
        The share of items on which the model (the person) agrees with the others at least as much as the person (the
        model) does: how probable it is to be as good or better.
    p_values : ndarray
        One-sided, for the model against each.
    rejected : ndarray of bool
        Whom the model may replace, at the false discovery rate that was asked for.
    margin, false_discovery_rate : float
    left_out : int
        Annotators with too few items to be tested.
    """

    annotators: tuple[Any, ...]
    items: NDArray[np.intp]
    model_ahead: NDArray[np.float64]
    person_ahead: NDArray[np.float64]
    p_values: NDArray[np.float64]
    rejected: NDArray[np.bool_]
    margin: float
    false_discovery_rate: float
    left_out: int

    @property
    def winning_rate(self) -> float:
        """The share of annotators whom the model may replace."""
        return float(self.rejected.mean())

    @property
    def advantage(self) -> float:
        """How probable it is that the model is as good as a randomly chosen annotator, or better, on an item."""
        return float(self.model_ahead.mean())

    @property
    def passed(self) -> bool:
        """Whether the model may replace at least half of the annotators."""
        return self.winning_rate >= 0.5

    def __str__(self) -> str:
        """Return the result in one line."""
        verdict = "passed" if self.passed else "not passed"
        rate = self.false_discovery_rate
        return (
            f"{verdict}: the model may replace {int(self.rejected.sum())} of {len(self.annotators)} annotators "
            f"(margin {self.margin:g}, false discovery rate {rate:g}); it is as good or better with probability "
            f"{self.advantage:.3f}"
        )


@checked
def alternative_annotator(
    answers: Answers,
    prediction: Names,
    *,
    margin: float,
    false_discovery_rate: float = 0.05,
    least_items: int = 30,
    clusters: Names | None = None,
    threshold: float = 0.5,
) -> AlternativeAnnotator:
    """May the model take the place of an annotator?

    For each annotator, and each of their items: does the model agree with the other annotators of the item as much as
    this person does? A one-sided t-test asks whether the person is ahead more often than the model by less than the
    margin; the tests of all annotators are adjusted for their number (Benjamini & Yekutieli). The model passes when it
    wins against at least half of the annotators.

    Parameters
    ----------
    answers : Answers
    prediction : array-like
        The model's decisions, probabilities or scores, one row for each item.
    margin : float
        From 0 to 1: how much more often a person may be ahead, because people cost more. The authors use 0.2 for
        experts, 0.15 for skilled annotators and 0.1 for crowd workers.
    false_discovery_rate : float
        The share of wrong rejections among all rejections that is put up with, from 0 to 1.
    least_items : int
        Annotators with fewer items are left out, and counted: the t-test needs about 30.
    clusters : array-like, shape (N,), optional
        Which items belong together.
    threshold : float
        Where a probability becomes a decision.

    Returns
    -------
    AlternativeAnnotator

    Raises
    ------
    InputError
        If the inputs do not fit, or no annotator has enough items that others answered too.

    Notes
    -----
    Source: Calderon, Reichart & Dror 2025, The alternative annotator test for LLM-as-a-judge, ACL,
    doi:10.48550/arXiv.2501.10970; Benjamini & Yekutieli 2001, Ann. Stat. 29:1165, doi:10.1214/aos/1013699998.

    Examples
    --------
    >>> from softtruth.annotations import Answers
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 200)
    >>> votes = np.where(rng.random((200, 3)) < 0.7, truth[:, None], 1 - truth[:, None])
    >>> print(alternative_annotator(Answers.of(votes), truth, margin=0.1))
    passed: the model may replace 3 of 3 annotators (margin 0.1, false discovery rate 0.05); it is as good or better ...
    """
    for name, number in (("margin", margin), ("false_discovery_rate", false_discovery_rate)):
        if not 0 <= number <= 1:
            msg = f"{name} is {shown(number)}, expected a number from 0 to 1."
            raise InputError(msg)
    require_answers(answers)
    left = leave_one_out(answers)
    decided = left.rows_of(decisions_of(prediction, answers, threshold))
    ours, theirs = (_agreement(left.others, given) for given in (decided, left.answer))
    ahead = np.sign(theirs - ours)  # 1: only the person is ahead, 0: both alike
    n = np.bincount(left.annotator, minlength=answers.n_annotators)
    tested = np.flatnonzero(n >= max(least_items, 2))
    if not tested.size:
        msg = (
            f"no annotator has {least_items} items that others answered too (the most is {n.max()}); lower least_items."
        )
        raise InputError(msg)
    groups = item_codes(clusters, left.item)
    p_values = _p_values(ahead, left.annotator, groups, n, margin)[tested]

    def share(of: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(left.annotator, weights=of, minlength=len(n))[tested] / n[tested]

    return AlternativeAnnotator(
        tuple(answers.annotators[i] for i in tested),
        n[tested],
        share(ahead <= 0),
        share(ahead >= 0),
        p_values,
        _discoveries(p_values, false_discovery_rate),
        float(margin),
        float(false_discovery_rate),
        int(np.count_nonzero(n)) - len(tested),
    )


def _agreement(others: NDArray[np.float64], given: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the others who gave the same answer."""
    if others.shape[1] == 1:
        return np.where(given[:, 0] == 1, others[:, 0], 1 - others[:, 0])
    return np.asarray(others[np.arange(len(given)), given])


def _p_values(
    ahead: NDArray[np.float64],
    annotator: NDArray[np.intp],
    groups: NDArray[np.intp],
    n: NDArray[np.intp],
    margin: float,
) -> NDArray[np.float64]:
    """Return how surprising it would be, for each annotator, if the person were ahead by the margin."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(annotator, weights=ahead, minlength=len(n)) / n
        # Sums of the deviations within each cluster of an annotator's items.
        key = annotator * (int(groups.max()) + 1) + groups
        sums = within(ahead - mean[annotator], key)
        owner = np.unique(key) // (int(groups.max()) + 1)
        size = np.bincount(owner, minlength=len(n))
        spread = np.bincount(owner, weights=sums**2, minlength=len(n)) * size / (size - 1)
        t = (mean - margin) / (np.sqrt(spread) / n)
    # Where all items say the same there is no spread: the sign alone decides.
    surely = np.where(mean < margin, 0.0, 1.0)
    return np.where(spread > 0, stdtr(np.maximum(size - 1, 1), t), surely)


def _discoveries(p_values: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Return which tests are discoveries at the rate, whatever their dependence."""
    m = len(p_values)
    order = np.argsort(p_values)
    harmonic = (1 / np.arange(1, m + 1)).sum()
    below = p_values[order] <= np.arange(1, m + 1) * rate / (m * harmonic)
    found = np.zeros(m, bool)
    if below.any():
        found[order[: int(np.flatnonzero(below)[-1]) + 1]] = True
    return found
