"""What is the truth, and how good is each annotator? Both from the answers alone (Dawid & Skene 1979)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.answers import Answers
from softtruth.arguments import checked
from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMOOTHING = 0.01  # answers of each kind added to every annotator's record, so that nothing is impossible


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The most likely truth and annotators.

    Attributes
    ----------
    answers : Answers
    posterior : ndarray, shape (N, K)
        The probability of each class for each item; the prior where an item has no answers.
    prior : ndarray, shape (K,)
    confusion : ndarray, shape (R, K, K)
        ``P(answer l | truth k)`` of each annotator: rows the truth.
    log_likelihood : tuple of float
        After each step (with the smoothing's share): it does not fall.
    converged : bool
    """

    answers: Answers
    posterior: NDArray[np.float64]
    prior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    log_likelihood: tuple[float, ...] = field(repr=False)
    converged: bool = True

    @property
    def annotator_accuracy(self) -> NDArray[np.float64]:
        """How often each annotator is right, at the prior, (R,)."""
        return np.asarray(self.confusion.diagonal(axis1=1, axis2=2) @ self.prior)

    @property
    def label(self) -> NDArray[np.intp]:
        """The most probable class of each item."""
        return self.posterior.argmax(axis=1)

    @property
    def mean_recall(self) -> NDArray[np.float64]:
        """How often each annotator is right, all classes counting the same, (R,): ``1 / K`` for one who guesses."""
        return np.asarray(self.confusion.diagonal(axis1=1, axis2=2).mean(axis=1))

    @property
    def worse_than_chance(self) -> tuple[Any, ...]:
        """The annotators who are right less often than one in K, at the prior or over the classes.

        They may answer at random or against the rest. If they are many, the classes themselves may be switched: the
        likelihood is the same when two classes change their names throughout.
        """
        seen = np.bincount(self.answers.annotator, minlength=self.answers.n_annotators) > 0
        poor = np.minimum(self.annotator_accuracy, self.mean_recall) < 1 / self.answers.n_classes
        return tuple(self.answers.annotators[r] for r in np.flatnonzero(seen & poor))


def truth_given_annotators(
    answers: Answers, prior: NDArray[np.float64], confusion: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return the posterior of the truth of each item, and the log likelihood of all answers.

    In logarithms: an item with hundreds of answers would underflow otherwise.
    """
    k = answers.n_classes
    with quiet():
        records = np.log(confusion).transpose(0, 2, 1).reshape(-1, k)  # row: annotator and answer, column: truth
        if not np.isfinite(records).all():  # impossible answers: a sparse product would turn 0 * -inf into NaN
            records = np.maximum(records, -1e300)
        joint = answers.indicator @ records + np.log(prior)
        top = joint.max(axis=1, keepdims=True)
        weight = np.exp(joint - top)
        total = weight.sum(axis=1, keepdims=True)
    return weight / total, float((top + np.log(total)).sum())


def annotators_given_truth(
    answers: Answers, posterior: NDArray[np.float64], smoothing: float = SMOOTHING
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the prior and the confusion matrices that fit a posterior of the truth.

    ``Theta[r, k, l]`` is the share of answer l among the items of class k that annotator r answered, with
    ``smoothing`` added to every count; NaN where there is neither.
    """
    k = answers.n_classes
    counts = np.asarray(answers.indicator.T @ posterior).reshape(-1, k, k).transpose(0, 2, 1) + smoothing
    with quiet():
        return posterior.mean(axis=0), counts / counts.sum(axis=2, keepdims=True)


@checked
def dawid_skene(
    votes: Any,
    n_classes: int | None = None,
    *,
    smoothing: float = SMOOTHING,
    start: NDArray[np.float64] | None = None,
    tolerance: float = 1e-9,
    max_steps: int = 2000,
) -> DawidSkene:
    """What is the truth of each item, and how good is each annotator?

    The annotators answer independently given the truth, each with a confusion matrix of their own; EM finds the most
    likely truth. It starts from the shares of the votes, so that classes keep their names while most annotators are
    right more often than not.

    Parameters
    ----------
    votes : array-like, shape (N, R), or Answers
        Class indices, -1 or NaN where an annotator gave no answer.
    n_classes : int, optional
    smoothing : float
        Added to every count of the confusion matrices; without any, what was never seen becomes impossible.
    start : ndarray, shape (N, K), optional
        A posterior to start from.
    tolerance : float
        EM stops when the log likelihood of an answer rises by less.
    max_steps : int

    Returns
    -------
    DawidSkene

    Raises
    ------
    InputError
        If there are no answers.

    Examples
    --------
    >>> votes = [[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
    >>> found = dawid_skene(votes)
    >>> found.label.tolist(), bool(found.annotator_accuracy[0] > found.annotator_accuracy[2])
    ([0, 1, 1, 0, 1, 0], True)

    Source: Dawid & Skene 1979, Appl. Stat. 28:20, doi:10.2307/2346806.
    """
    answers = Answers.of(votes, n_classes)
    if not len(answers.item):
        msg = "there are no answers; expected at least one."
        raise InputError(msg)
    if not smoothing >= 0:
        msg = f"smoothing is {shown(smoothing)}, expected a number of at least 0 such as {SMOOTHING}."
        raise InputError(msg)
    if max_steps < 1:
        msg = f"max_steps is {max_steps}, expected at least 1."
        raise InputError(msg)
    k = answers.n_classes
    posterior = None if start is None else np.asarray(start, np.float64)
    if posterior is not None and posterior.shape != (answers.n_items, k):
        msg = f"start has shape {posterior.shape}, expected {(answers.n_items, k)}: the shares of each item."
        raise InputError(msg)
    if posterior is None:
        counts = answers.counts + smoothing
        posterior = counts / counts.sum(axis=1, keepdims=True)
    trace: list[float] = []
    converged = False
    for _ in range(max_steps):
        prior, confusion = annotators_given_truth(answers, posterior, smoothing)
        confusion = np.where(np.isnan(confusion), 1 / k, confusion)  # classes that an annotator never met
        posterior, likelihood = truth_given_annotators(answers, prior, confusion)
        trace.append(likelihood + (smoothing * float(np.log(confusion).sum()) if smoothing else 0.0))
        if len(trace) > 1 and trace[-1] - trace[-2] < tolerance * len(answers.item):
            converged = True
            break
    assert posterior.shape[1] == k  # noqa: S101  one column for each class
    return DawidSkene(answers, posterior, prior, confusion, tuple(trace), converged)
