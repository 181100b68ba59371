"""What is the truth, when annotators may err where the model errs? Dawid and Skene's model with one more dependence.

Dawid and Skene's annotators err independently of each other and of everything else. Here they err independently of each
other once it is known whether the model is right: each has one confusion matrix for items on which it is, and one for
the others. A hard item can then mislead both. With two classes this is Dawid and Skene's model within each predicted
class, so that three annotators of an item determine it.
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

_POOLED = (
    2.0  # answers added to each annotator's record at the rates of all annotators: records are thin where models err
)


@dataclass(frozen=True, eq=False)
class AnnotatorsAndModel:
    """The most likely truth, annotators and model.

    Attributes
    ----------
    posterior : ndarray, shape (N, K)
        The probability of each class for each item, from its answers and the model's class.
    model_right, model_wrong : ndarray, shape (R, K, K)
        Confusion matrices of the annotators where the model is right, and where it is wrong; rows the truth.
    joint : ndarray, shape (K, K)
        The shares of (truth, model's class).
    converged : bool
    """

    posterior: NDArray[np.float64]
    model_right: NDArray[np.float64]
    model_wrong: NDArray[np.float64]
    joint: NDArray[np.float64]
    converged: bool


def annotators_and_model(
    answers: Answers,
    said: NDArray[np.intp],
    start: NDArray[np.float64],
    *,
    kept: NDArray[np.bool_] | None = None,
    tolerance: float = 1e-6,
    max_steps: int = 500,
) -> AnnotatorsAndModel:
    """What is the truth of each item, given the answers and the model's class?

    Parameters
    ----------
    answers : Answers
    said : ndarray of int, shape (N,)
        The class that the model names.
    start : ndarray, shape (N, K)
        A posterior to start from, such as Dawid and Skene's.
    kept : ndarray of bool, shape (N,), optional
        The items that are used.
    tolerance : float
        EM stops when the posterior moves by less on average.
    max_steps : int

    Examples
    --------
    >>> import numpy as np
    >>> from softtruth.annotations.answers import Answers
    >>> answers = Answers.of([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]])
    >>> found = annotators_and_model(answers, np.array([0, 1, 0, 1]), np.full((4, 2), 0.5) + [[0.3, -0.3]] * 4)
    >>> found.posterior.shape
    (4, 2)
    """
    n, k = start.shape
    used = np.ones(n, bool) if kept is None else kept
    is_right = np.arange(k) == said[:, None]
    named = is_right[used].astype(np.float64)
    posterior = start
    converged = False
    for _ in range(max_steps):
        joint = posterior[used].T @ named / used.sum()
        right, wrong = (
            _records(answers, np.where(part & used[:, None], posterior, 0.0)) for part in (is_right, ~is_right)
        )
        with quiet():
            likely = np.where(is_right, _evidence(answers, right), _evidence(answers, wrong))
            likely += np.maximum(np.log(joint), -1e300)[:, said].T
            weight = np.exp(likely - likely.max(axis=1, keepdims=True))
        moved = weight / weight.sum(axis=1, keepdims=True)
        change = float(np.abs(moved - posterior)[used].mean())
        posterior = moved
        if change < tolerance:
            converged = True
            break
    return AnnotatorsAndModel(posterior, right, wrong, joint, converged)


def _records(answers: Answers, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
    k = answers.n_classes
    counts = np.asarray(answers.indicator.T @ posterior).reshape(-1, k, k).transpose(0, 2, 1)
    pooled = counts.sum(axis=0) + SMOOTHING
    counts = counts + _POOLED * pooled / pooled.sum(axis=1, keepdims=True)
    return np.asarray(counts / counts.sum(axis=2, keepdims=True))


def _evidence(answers: Answers, records: NDArray[np.float64]) -> NDArray[np.float64]:
    k = answers.n_classes
    return np.asarray(answers.indicator @ np.log(records).transpose(0, 2, 1).reshape(-1, k))
