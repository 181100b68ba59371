"""Do annotators copy each other, or err together for another reason?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.annotator_accuracy import pairwise
from softtruth.annotations.answers import require_answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers
    from softtruth.annotations.dawid_skene import DawidSkene

_SHARED = 0.5  # who shares more than half of his departures from the majority does not answer on his own
_FEWEST = 10  # departures of two annotators below which nothing is said
_CHANCE = 0.01  # that any pair is named without cause


@dataclass(frozen=True)
class CopierGroup:
    """Annotators whose departures from the majority are mostly the same ones.

    Attributes
    ----------
    annotators : tuple
    shared : float
        The mean share of the departures of two of them that both make, in the same way.
    agreement : float
        How often two of them agree, on average.
    """

    annotators: tuple[Any, ...]
    shared: float
    agreement: float


def find_copiers(answers: Answers) -> list[CopierGroup]:
    """Which annotators leave the majority together, in the same way, on more than half of the items where they do?

    Agreement alone does not tell: good annotators agree because they are right. Of the items on which at least one of
    two departs from the majority, the share on which both give the same departing answer tells. A pair is named when
    that share is above one half, and above what independent departures would give, beyond chance over all pairs. Named
    annotators may have copied, may be one person, or may have been misled in the same way. When copiers are the
    majority, it is the others who depart, and they stay unseen.

    Returns
    -------
    list of CopierGroup
        Pairs that hang together are one group; the largest group first.
    """
    require_answers(answers)
    departs = answers.label != answers.counts.argmax(axis=1)[answers.item]
    leaving = answers.where(departs)
    mine, same = _departures(answers, leaving)
    shared, agreed = pairwise(answers)
    upper = np.triu(np.ones_like(shared, bool), 1)
    either = mine + mine.T - same  # departures of one on items that both answered
    tested = upper & (either >= _FEWEST)
    if not tested.any():
        return []
    with quiet():
        share = same / either
        rate = mine / shared
        alone = rate * rate.T / (rate + rate.T - rate * rate.T)
    z2 = NormalDist().inv_cdf(1 - _CHANCE / tested.sum()) ** 2
    with quiet():  # the lower end of Wilson's interval of the share
        middle = share + z2 / (2 * either)
        low = (middle - np.sqrt(z2 / either * (share * (1 - share) + z2 / (4 * either)))) / (1 + z2 / either)
    linked = tested & (low > np.maximum(_SHARED, alone))
    return _groups(answers, linked, share, agreed / np.maximum(shared, 1))


def _departures(answers: Answers, leaving: Answers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each annotator departs on items that another one answered, and how often both do alike."""
    from scipy.sparse import csr_array

    shape = (answers.n_items, answers.n_annotators)
    answered = csr_array((np.ones(len(answers.item)), (answers.item, answers.annotator)), shape=shape)
    departed = csr_array((np.ones(len(leaving.item)), (leaving.item, leaving.annotator)), shape=shape)
    return (departed.T @ answered).toarray(), pairwise(leaving)[1]


def _groups(
    answers: Answers, linked: NDArray[np.bool_], share: NDArray[np.float64], agreement: NDArray[np.float64]
) -> list[CopierGroup]:
    from scipy.sparse.csgraph import connected_components

    links = linked | linked.T
    codes = connected_components(links, directed=False)[1]
    found = []
    for code in np.flatnonzero(np.bincount(codes) > 1):
        members = np.flatnonzero(codes == code)
        pairs = np.ix_(members, members)
        inside = np.triu(np.ones((len(members), len(members)), bool), 1)
        names = tuple(answers.annotators[m] for m in members)
        found.append(CopierGroup(names, float(share[pairs][inside].mean()), float(agreement[pairs][inside].mean())))
    return sorted(found, key=lambda group: -len(group.annotators))


@dataclass(frozen=True)
class SharedDifficulty:
    """How far the answers to an item hang together beyond its truth.

    Attributes
    ----------
    dispersion : float
        The spread of the vote counts about their expectation, 1 when annotators err independently.
    standard_error : float
    correlation : float
        The mean correlation of the errors of two annotators that this dispersion means; 0 under independence.
    """

    dispersion: float
    standard_error: float
    correlation: float

    @property
    def present(self) -> bool:
        """Whether annotators err together, beyond chance (three standard errors)."""
        return self.dispersion - 3 * self.standard_error > 1


def shared_difficulty(found: DawidSkene) -> SharedDifficulty:
    """Do annotators err together, because some items mislead everybody?

    Given the truth, independent annotators vote for a class as often as their confusion matrices say, give or take a
    known variance. Items that mislead everybody spread the counts further. Errs on the safe side: the truth was fitted
    to these answers, which makes them look more regular than they are.
    """
    answers, k = found.answers, found.answers.n_classes
    chances = found.confusion.transpose(0, 2, 1).reshape(-1, k)  # annotator and answer, by truth
    from scipy.sparse import csr_array

    asked = csr_array(
        (np.ones(len(answers.item)), (answers.item, answers.annotator)), shape=(answers.n_items, answers.n_annotators)
    )
    by_answer = chances.reshape(-1, k, k)  # annotator, answer, truth
    expected = (asked @ by_answer.reshape(len(by_answer), -1)).reshape(-1, k, k)
    variance = (asked @ (by_answer * (1 - by_answer)).reshape(len(by_answer), -1)).reshape(-1, k, k)
    voted = answers.counts.sum(axis=1)
    several = voted > 1
    away = (answers.counts[:, :, None] - expected) ** 2
    spread = np.einsum("ilk,ik->i", away, found.posterior)[several]
    due = np.einsum("ilk,ik->i", variance, found.posterior)[several]
    if not due.sum() > 0:
        return SharedDifficulty(np.nan, np.nan, np.nan)
    dispersion = float(spread.sum() / due.sum())
    pulls = (spread - dispersion * due) / due.sum()
    error = float(np.sqrt((pulls**2).sum()))
    votes = float((voted[several] * due).sum() / due.sum())
    return SharedDifficulty(dispersion, error, (dispersion - 1) / (votes - 1))
