"""How good are annotators, judged by how often they agree? Formulas for independent, symmetric errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import InputError, NotAnswerableError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.annotations.answers import Answers

_STEPS = 500


def beyond_chance(share: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return an accuracy or agreement in chance-corrected units, ``(K x - 1) / (K - 1)``: 0 at chance, 1 at best."""
    return np.asarray((n_classes * np.asarray(share, np.float64) - 1) / (n_classes - 1))


def from_beyond_chance(units: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return the share behind chance-corrected units."""
    return np.asarray(((n_classes - 1) * np.asarray(units, np.float64) + 1) / n_classes)


def accuracy_from_pair(agreement: float, n_classes: int = 2) -> float:
    """How good are two equally good annotators who agree this often?

    Their errors are independent and even over the wrong classes: in chance-corrected units the agreement is the square
    of the accuracy. The better of the two roots is taken.

    Raises
    ------
    NotAnswerableError
        If they agree less often than by chance: then they are not equally good and independent.

    Examples
    --------
    >>> round(accuracy_from_pair(0.9232), 6), round(accuracy_from_pair(0.65, 5), 6)
    (0.96, 0.8)
    """
    units = float(beyond_chance(agreement, n_classes))
    if units < -1e-12:
        msg = (
            f"the agreement {agreement:.4g} is below {1 / n_classes:.4g}, that of guessing, which refutes equally good "
            "annotators with independent errors."
        )
        raise NotAnswerableError(msg)
    return float(from_beyond_chance(np.sqrt(max(units, 0.0)), n_classes))


def mean_accuracy_range(answers_agreeing: float, n_classes: int = 2) -> tuple[float, float]:
    """Between which ends does the mean accuracy of two annotators lie, whatever their dependence?

    Where they agree both may be right or both wrong; where they differ at most one is right, and with two classes
    exactly one.

    Examples
    --------
    >>> [round(x, 2) for x in mean_accuracy_range(0.92)]
    [0.04, 0.96]
    """
    return (1 - answers_agreeing) / 2 if n_classes == 2 else 0.0, (1 + answers_agreeing) / 2


def accuracy_from_triple(agreement: ArrayLike, n_classes: int = 2) -> NDArray[np.float64]:
    """How good is each of three annotators, from how often each two of them agree?

    Parameters
    ----------
    agreement : array-like, shape (3,)
        Of the first and second, the first and third, the second and third.
    n_classes : int

    Returns
    -------
    ndarray, shape (3,)
        Raw: above 1 where the agreements refute independent, even errors. NaN where two signs are not possible.

    Examples
    --------
    >>> accuracy_from_triple([0.74, 0.66, 0.62]).round(6).tolist()
    [0.9, 0.8, 0.7]

    Source: Hui & Walter 1980, Biometrics 36:167, doi:10.2307/2530508, treat the likelihood of such designs.
    """
    one, two, three = beyond_chance(agreement, n_classes)
    with quiet():
        squares = np.array([one * two / three, one * three / two, two * three / one])
        return from_beyond_chance(np.sqrt(squares), n_classes)


def majority_accuracy(accuracy: float, votes: ArrayLike, n_classes: int = 2) -> NDArray[np.float64]:
    """How often is the majority of R votes right, when each is right this often, independently, with even errors?

    Ties are shared among the tied classes. Misleads when the same items are hard for everybody: then more votes help
    less than this says.

    Parameters
    ----------
    accuracy : float
        Of one vote.
    votes : array-like of int
        Numbers of votes R, of at least 1.
    n_classes : int

    Examples
    --------
    >>> majority_accuracy(0.8, [1, 3, 5]).round(5).tolist()
    [0.8, 0.896, 0.94208]

    Source: Condorcet 1785 for two classes; the general case by the generating function of the other classes' counts.
    """
    numbers = np.asarray(votes)
    if numbers.size and not (np.all(numbers == np.floor(numbers)) and numbers.min() >= 1):
        msg = f"votes holds {shown(numbers.min())}, expected whole numbers of at least 1."
        raise InputError(msg)
    distinct, where = np.unique(numbers.astype(np.intp), return_inverse=True)
    return np.array([_of_majority(accuracy, int(r), n_classes) for r in distinct])[where].reshape(numbers.shape)


def _of_majority(accuracy: float, r: int, n_classes: int) -> float:
    from scipy.special import comb, gammaln

    other = (1 - accuracy) / (n_classes - 1)
    inverse_factorials = np.exp(-gammaln(np.arange(r + 1) + 1))
    right = 0.0
    for j in range(1, r + 1):  # the right class gets j votes
        rest = r - j
        below = inverse_factorials[: min(j, rest + 1)]
        for tied in range(min(n_classes - 1, rest // j) + 1):  # that many others get j too
            open_classes = n_classes - 1 - tied
            ways = _power(below, open_classes, rest - tied * j) * inverse_factorials[j] ** tied
            ways *= comb(n_classes - 1, tied, exact=True) / (1 + tied)
            right += ways * inverse_factorials[j] * accuracy**j * other**rest
    return float(right * np.exp(gammaln(r + 1)))


def _power(series: NDArray[np.float64], exponent: int, order: int) -> float:
    """Return one coefficient of a power of a polynomial, by repeated squaring up to that order."""
    result, square = np.ones(1), series[: order + 1]
    while exponent:
        if exponent & 1:
            result = np.convolve(result, square)[: order + 1]
        square = np.convolve(square, square)[: order + 1]
        exponent >>= 1
    return float(result[order]) if order < len(result) else 0.0


def pairwise(answers: Answers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many items each two annotators share, and on how many of them they agree, both (R, R)."""
    r, k = answers.n_annotators, answers.n_classes
    both = (answers.indicator.T @ answers.indicator).tocoo()
    one, other = np.divmod(both.row, k), np.divmod(both.col, k)
    cell = one[0] * r + other[0]
    same = one[1] == other[1]
    shared = np.bincount(cell, weights=both.data, minlength=r * r).astype(np.float64)
    agreed = np.bincount(cell[same], weights=both.data[same], minlength=r * r).astype(np.float64)
    return shared.reshape(r, r), agreed.reshape(r, r)


def accuracies_from_agreement(answers: Answers) -> NDArray[np.float64]:
    """How good is each annotator, from how often each two agree? Three or more annotators, (R,).

    In chance-corrected units the agreement of two is the product of their accuracies, so the table of agreements has
    rank one off its diagonal; least squares, weighted by shared items, finds the factor. For three annotators it is
    the solution of ``accuracy_from_triple``. NaN for who shares no item with two others.

    Raises
    ------
    NotAnswerableError
        With fewer than three annotators who share items.
    """
    shared, agreed = pairwise(answers)
    np.fill_diagonal(shared, 0)
    useful = (shared > 0).sum(axis=1) >= 2
    if useful.sum() < 3:
        msg = "fewer than three annotators share items, so their accuracies are not determined; use pairs."
        raise NotAnswerableError(msg)
    with quiet():
        units = np.where(shared > 0, beyond_chance(agreed / shared, answers.n_classes), 0.0)
        if useful.sum() == 3 and (shared[np.ix_(useful, useful)] > 0).sum() == 6:
            found = np.full(len(units), np.nan)
            part = units[np.ix_(useful, useful)]
            pairs = from_beyond_chance(part[[0, 0, 1], [1, 2, 2]], answers.n_classes)
            found[useful] = accuracy_from_triple(pairs, answers.n_classes)
            return found
        factor = np.sqrt(np.maximum((shared * units).sum(axis=1) / shared.sum(axis=1), 1e-6))
        factor = np.where(useful, factor, 0.0)
        weight = shared * np.outer(useful, useful)
        for _ in range(_STEPS):
            moved = (weight * units) @ factor / (weight @ factor**2)
            moved = np.where(useful, (moved + factor) / 2, 0.0)  # half steps do not swing
            if np.abs(moved - factor).max() < 1e-12:
                break
            factor = moved
    return np.where(useful, from_beyond_chance(factor, answers.n_classes), np.nan)
