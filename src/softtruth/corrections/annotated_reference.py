"""How often is the reference right? Estimated from the annotators who made it, with what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.annotations.annotator_accuracy import (
    accuracies_from_agreement,
    accuracy_from_pair,
    majority_accuracy,
    mean_accuracy_range,
)
from softtruth.annotations.annotators_and_model import annotators_and_model
from softtruth.annotations.answers import Answers, checked_codes
from softtruth.annotations.copiers import CopierGroup, SharedDifficulty, find_copiers, shared_difficulty
from softtruth.annotations.dawid_skene import DawidSkene, dawid_skene
from softtruth.arguments import Names, Seed, checked
from softtruth.corrections.annotator_findings import annotator_findings
from softtruth.corrections.jackknife import jackknife
from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.uncertainty.interval import Interval, checked_level, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("pairs", "triples", "dawid_skene")
ASSUMPTIONS = {
    "pairs": "annotators are equally good and err independently and evenly",
    "triples": "annotators err independently and evenly",
    "dawid_skene": "annotators err independently given the truth",
}


@dataclass(frozen=True, eq=False)
class ReferenceAccuracy:
    """What annotators say of the accuracy of their reference.

    Attributes
    ----------
    interval : Interval
        Accuracy of the reference: of the majority, ties shared, or of the labels that were given. The value is raw;
        the ends are cut at 0 and 1 unless the value itself lies outside.
    one_answer : Interval
        Mean accuracy of a single answer.
    method : str
    annotator_accuracy : dict
        By annotator, where the method tells them apart.
    refuted : bool
        Whether the answers contradict the assumption: an accuracy came out above 1, or above the upper end of
        ``without_independence``.
    without_independence : (float, float)
        Between which ends the accuracy of a single answer lies, whatever the annotators have to do with each other.
    copiers : tuple of CopierGroup
    difficulty : SharedDifficulty
    findings : tuple of str
        What speaks against the estimate, in words.
    truth : DawidSkene
        The fitted truth and annotators.
    """

    interval: Interval
    one_answer: Interval
    method: str
    annotator_accuracy: dict[Any, float]
    refuted: bool
    without_independence: tuple[float, float]
    copiers: tuple[CopierGroup, ...]
    difficulty: SharedDifficulty
    findings: tuple[str, ...]
    truth: DawidSkene

    @property
    def value(self) -> float:
        """The accuracy of the reference."""
        return self.interval.value

    @cached_property
    def without_copiers(self) -> ReferenceAccuracy | None:
        """The same with one annotator of each group of copiers; None where there is none."""
        if not self.copiers:
            return None
        answers = self.truth.answers
        counts = np.bincount(answers.annotator, minlength=answers.n_annotators)
        codes = {name: i for i, name in enumerate(answers.annotators)}
        dropped: list[int] = []
        for group in self.copiers:
            members = sorted((codes[name] for name in group.annotators), key=lambda r: -counts[r])
            dropped += members[1:]
        kept = answers.where(~np.isin(answers.annotator, dropped))
        return reference_accuracy_from_annotators(kept, method=self.method, level=self.interval.level)

    def warnings(self) -> list[str]:
        """Return the findings, and where annotators copy each other the estimate with one of each such group."""
        alone = self.without_copiers
        more = (
            [] if alone is None else [f"With one annotator of each such group: {alone.interval}, for their majority."]
        )
        return [*self.findings, *more]

    def __str__(self) -> str:
        """Return the findings in words."""
        low, high = self.without_independence
        lines = [
            f"Accuracy of the reference by its annotators ({self.method}): {self.interval}.",
            f"Accuracy of a single answer: {self.one_answer}; between {low:.3f} and {high:.3f} without independence.",
            f"Assumption: {self.interval.assumption}.",
            *self.warnings(),
        ]
        return "\n".join(lines)


@checked
def reference_accuracy_from_annotators(
    votes: Any,
    n_classes: int | None = None,
    *,
    method: str = "dawid_skene",
    reference: Names | None = None,
    clusters: Names | None = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> ReferenceAccuracy:
    """How often is the reference right, judged by the annotators alone?

    Parameters
    ----------
    votes : array-like, shape (N, R), or Answers
        Class indices, -1 or NaN where an annotator gave no answer; ``Answers.long`` takes rows of three columns.
    n_classes : int, optional
    method : {"dawid_skene", "pairs", "triples"}
        ``pairs`` needs only how often two annotators agree, and takes all as equally good; ``triples`` finds the
        accuracy of each from all pairs; both take errors as even over the wrong classes. ``dawid_skene`` finds a
        confusion matrix of each.
    reference : array-like, shape (N,), optional
        Class indices of the labels to judge, for ``dawid_skene``; by default the majority, ties shared. Labels that are
        the majority of the votes are taken as made of them; others as a witness of their own, who may err where
        annotators do.
    clusters : array-like, shape (N,), optional
        Which items belong together.
    level : float
    seed : int
        Of the parts of the items that are left out in turn for the interval.

    Returns
    -------
    ReferenceAccuracy
        With warnings where annotators copy each other, err on the same items, are worse than chance, or where the
        classes may be switched.

    Raises
    ------
    InputError
        If a setting or the answers are not what is expected.
    NotAnswerableError
        If no item has two answers, or the agreement is below that of guessing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 2000)
    >>> votes = np.where(rng.random((2000, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    >>> found = reference_accuracy_from_annotators(votes, method="pairs")
    >>> print(found.one_answer)
    0.795 [0.778, 0.811] sampling 95%

    Sources: Dawid & Skene 1979, doi:10.2307/2346806; Hui & Walter 1980, doi:10.2307/2530508.
    """
    answers, level = Answers.of(votes, n_classes), checked_level(level)
    if method not in METHODS:
        msg = f"method is {shown(method)}, expected one of {listed(METHODS)}."
        raise InputError(msg)
    if reference is not None and method != "dawid_skene":
        msg = f"method {method!r} judges the annotators, not labels of another origin; use method='dawid_skene'."
        raise InputError(msg)
    if not (answers.counts.sum(axis=1) > 1).any():
        msg = "no item has two answers, so nothing tells how good they are."
        raise NotAnswerableError(msg)
    labels = None if reference is None else checked_codes(reference, answers, "reference")
    truth = dawid_skene(answers)

    def both(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        return _accuracies(answers, kept, method, labels, truth)

    told = {"method": f"{method} jackknife", "assumption": ASSUMPTIONS[method]}
    intervals = jackknife(both, answers.n_items, clusters, level=level, seed=seed, **told)
    values = [found.value for found in intervals]
    each = _of_annotators(answers, method, truth)
    copiers, difficulty = tuple(find_copiers(answers)), shared_difficulty(truth)
    possible = _without_independence(answers)
    refuted = bool(np.nanmax([*each.values(), *values]) > 1 + 1e-9 or values[1] > possible[1] + 1e-9)
    findings = annotator_findings(truth, copiers, difficulty, possible[1] if refuted else None)
    note = "see the findings" if findings else ""
    return ReferenceAccuracy(
        cut(replace(intervals[0], note=note), (0.0, 1.0)),
        cut(replace(intervals[1], note=note), (0.0, 1.0)),
        method,
        each,
        refuted,
        possible,
        copiers,
        difficulty,
        findings,
        truth,
    )


def majority_accuracy_where(
    answers: Answers, counted: NDArray[np.bool_], *, clusters: Names | None = None, level: float = 0.95, seed: Seed = 0
) -> Interval:
    """How often is the most named class right on some of the items, by Dawid and Skene's model of all answers?

    Parameters
    ----------
    answers : Answers
    counted : ndarray of bool, shape (N,)
        Items with a single most named class.
    clusters, level, seed
        As in ``reference_accuracy_from_annotators``.
    """
    truth, top = dawid_skene(answers), answers.counts.argmax(axis=1)

    def right(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        used = kept & counted
        return np.array([_without(answers, kept, truth).posterior[used, top[used]].mean()])

    told = {"method": "dawid_skene jackknife", "assumption": ASSUMPTIONS["dawid_skene"]}
    return cut(jackknife(right, answers.n_items, clusters, level=level, seed=seed, **told)[0], (0.0, 1.0))


def _without(answers: Answers, kept: NDArray[np.bool_], truth: DawidSkene) -> DawidSkene:
    """Return the model fitted to the items that are kept."""
    if kept.all():
        return truth
    return dawid_skene(answers.where(kept[answers.item]), start=np.where(kept[:, None], truth.posterior, truth.prior))


def _accuracies(
    answers: Answers, kept: NDArray[np.bool_], method: str, labels: NDArray[np.intp] | None, truth: DawidSkene
) -> NDArray[np.float64]:
    """Return the accuracy of the reference and of one answer, from the items that are kept."""
    part = answers.where(kept[answers.item])
    counts = part.counts
    voted = counts.sum(axis=1)
    k = answers.n_classes
    if method == "dawid_skene":
        found = _without(answers, kept, truth)
        seen = voted > 0
        weight = np.bincount(part.annotator, minlength=answers.n_annotators)
        if labels is None:
            top = counts == counts.max(axis=1, keepdims=True)
            right = (found.posterior * top).sum(axis=1) / top.sum(axis=1)
        else:  # a label of another origin is a witness too, and may err where annotators do
            seen, beside = kept, found.posterior
            if not answers.make(labels):
                beside = annotators_and_model(part, labels, found.posterior, kept=kept).posterior
            right = beside[np.arange(len(labels)), labels]
        one = (found.posterior * counts).sum() / weight.sum()
        return np.array([right[seen].mean(), one])
    if method == "pairs":
        one = accuracy_from_pair(_agreement(counts), k)
    else:
        each = accuracies_from_agreement(part)
        given = np.bincount(part.annotator, minlength=answers.n_annotators) * ~np.isnan(each)
        one = float(np.dot(np.nan_to_num(each), given) / given.sum())
    numbers = voted[voted > 0]
    if one > 1:  # refuted: the majority of such votes has no meaning, and the raw value stands for both
        return np.array([one, one])
    return np.array([majority_accuracy(one, numbers, k).mean(), one])


def _agreement(counts: NDArray[np.intp]) -> float:
    """Return the mean over items of the share of pairs of answers that agree."""
    voted = counts.sum(axis=1)
    several = voted > 1
    pairs = (counts * (counts - 1)).sum(axis=1)[several] / (voted * (voted - 1))[several]
    return float(pairs.mean())


def _without_independence(answers: Answers) -> tuple[float, float]:
    """Return the ends of the accuracy of one answer: the most or the least named class may be true."""
    counts = answers.counts
    voted = counts.sum()
    if answers.n_annotators == 2:
        agreement = _agreement(counts)
        if (counts.sum(axis=1) == 2).all():
            return mean_accuracy_range(agreement, answers.n_classes)
    return float(counts.min(axis=1).sum() / voted), float(counts.max(axis=1).sum() / voted)


def _of_annotators(answers: Answers, method: str, truth: DawidSkene) -> dict[Any, float]:
    if method == "pairs":
        return {}
    found = truth.annotator_accuracy if method == "dawid_skene" else accuracies_from_agreement(answers)
    return {name: float(x) for name, x in zip(answers.annotators, found, strict=True)}
