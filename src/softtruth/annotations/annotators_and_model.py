"""What is the truth, when annotators may err where a model or a label errs? Dawid and Skene's model, less independent.

Dawid and Skene's annotators err independently of each other and of everything else. Here a model, or a model and a
label of another origin, have named a class too, and annotators err independently of each other once it is known which
of these is right: each annotator has one confusion matrix for items on which all are right, one for items on which only
the first is wrong, and so on. A hard item can then mislead both. Whether model and label err together is left open.
With two classes this is Dawid and Skene's model among the items with the same named classes, so that three annotators
of an item determine it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.dawid_skene import SMOOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers

_POOLED = 2.0  # answers added to each annotator's record in a state, at the rates of all annotators there
_INDEPENDENT = 50.0  # answers added to the record of all annotators in a state, at their rates over all states

_MOVES = 1e-6  # EM stops when the posterior moves by less on average
_STEPS = 500


@dataclass(frozen=True, eq=False)
class AnnotatorsAndModel:
    """The most likely truth, and annotators.

    Attributes
    ----------
    posterior : ndarray, shape (N, K)
        The probability of each class for each item, from its answers and the classes that were named.
    confusion : ndarray, shape (2 ** S, R, K, K)
        Confusion matrices of the annotators, rows the truth: where all S named classes are right, where only the first
        is wrong, only the second, and so on.
    converged : bool
    """

    posterior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    converged: bool


def annotators_and_model(
    answers: Answers,
    named: NDArray[np.intp],
    start: NDArray[np.float64],
    *,
    kept: NDArray[np.bool_] | None = None,
) -> AnnotatorsAndModel:
    """What is the truth of each item, given the answers and the classes that a model (and a label) name?

    Parameters
    ----------
    answers : Answers
    named : ndarray of int, shape (N,) or (N, S)
        The class that the model names; or one column for each of S such witnesses.
    start : ndarray, shape (N, K)
        A posterior to start from, such as Dawid and Skene's.
    kept : ndarray of bool, shape (N,), optional
        The items that are used.

    Examples
    --------
    >>> import numpy as np
    >>> from softtruth.annotations.answers import Answers
    >>> answers = Answers.of([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]])
    >>> found = annotators_and_model(answers, np.array([0, 1, 0, 1]), np.full((4, 2), 0.5) + [[0.3, -0.3]] * 4)
    >>> found.posterior.shape, found.confusion.shape
    ((4, 2), (2, 3, 2, 2))
    """
    n, k = start.shape
    used = np.ones(n, bool) if kept is None else kept
    columns = named.reshape(n, -1)
    wrong = np.arange(k) != columns[:, :, None]  # item, witness, truth
    state = np.tensordot(wrong, 2 ** np.arange(columns.shape[1]), (1, 0))
    states = [state == i for i in range(2 ** columns.shape[1])]
    cell = np.unique(columns @ (k ** np.arange(columns.shape[1])), return_inverse=True)[1]  # which classes are named
    posterior, converged = start, False
    confusion: NDArray[np.float64] = np.empty(0)
    for _ in range(_STEPS):
        shares = np.stack([np.bincount(cell[used], weights=posterior[used, t]) for t in range(k)])
        counts = [_counts(answers, np.where(part & used[:, None], posterior, 0.0)) for part in states]
        confusion = _records(np.stack(counts))
        with quiet():
            likely = np.maximum(
                np.log(np.pad(shares, ((0, 0), (0, 1)))[:, np.minimum(cell, shares.shape[1])]), -1e300
            ).T
            for part, record in zip(states, confusion, strict=True):
                likely = likely + np.where(part, _evidence(answers, record), 0.0)
            weight = np.exp(likely - likely.max(axis=1, keepdims=True))
        moved = weight / weight.sum(axis=1, keepdims=True)
        change = float(np.abs(moved - posterior)[used].mean())
        posterior = moved
        if change < _MOVES:
            converged = True
            break
    return AnnotatorsAndModel(posterior, confusion, converged)


def _counts(answers: Answers, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
    k = answers.n_classes
    return np.asarray(answers.indicator.T @ posterior).reshape(-1, k, k).transpose(0, 2, 1)


def _records(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return confusion matrices from counts (states, R, K, K).

    Each record leans on that of all annotators in its state, and that one on all states: where a model errs answers are
    few, and without a lean towards independence a few odd items would be read as dependence.
    """
    by_state = counts.sum(axis=1)
    whole = by_state.sum(axis=0) + SMOOTHING
    by_state = by_state + _INDEPENDENT * whole / whole.sum(axis=1, keepdims=True)
    records = counts + _POOLED * (by_state / by_state.sum(axis=2, keepdims=True))[:, None]
    return np.asarray(records / records.sum(axis=3, keepdims=True))


def _evidence(answers: Answers, records: NDArray[np.float64]) -> NDArray[np.float64]:
    k = answers.n_classes
    return np.asarray(answers.indicator @ np.log(records).transpose(0, 2, 1).reshape(-1, k))
