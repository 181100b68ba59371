"""Which true accuracies fit an observed accuracy and an accuracy of the labels? Formulas only, over arrays.

With C "the model is right", G "the label is right" and A "the model says what the label says": ``a_m = P(A)`` is what
was measured, ``a_g = P(G)`` the accuracy of the labels, ``a_t = P(C)`` the question. Disagreement is a metric between
truth, label and prediction, and its triangle inequalities are all that is known without an assumption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, NotAnswerableError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_EQUAL = 1e-12  # two roots closer than this are one, seen from the two sides of a boundary


def checked_share(value: Any, name: str) -> float:
    """Return a number between 0 and 1.

    Raises
    ------
    InputError
        If it is something else; percentages are named as such.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, (bool, str)) or not 0 <= number <= 1:
        hint = f" Write {number / 100:g} for {number:g} %." if 1 < number <= 100 else ""
        msg = f"{name} is {shown(value)}, expected a number between 0 and 1.{hint}"
        raise InputError(msg)
    return number


def checked_classes(n_classes: Any) -> int:
    """Return a number of classes of at least two.

    Raises
    ------
    InputError
        If it is something else.
    """
    if isinstance(n_classes, (bool, str)) or n_classes != int(n_classes) or n_classes < 2:
        msg = (
            f"n_classes is {shown(n_classes)}, expected a whole number of at least 2; declare classes that do not "
            "occur with n_classes= or labels=."
        )
        raise InputError(msg)
    return int(n_classes)


def coincidence_of(n_classes: int, coincidence: float | None = None) -> float:
    """Return the probability that two wrong answers are the same one.

    It is 1 for two classes, and by default ``1 / (K - 1)``: one of the two spreads its errors evenly.
    """
    if coincidence is None:
        return 1 / (n_classes - 1)
    if n_classes == 2 and coincidence != 1:
        msg = f"coincidence is {shown(coincidence)}, but with two classes two wrong answers are always the same."
        raise InputError(msg)
    return checked_share(coincidence, "coincidence")


def sharp_range(
    observed: ArrayLike, reference_accuracy: ArrayLike, n_classes: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Between which ends does the true accuracy lie, whatever the errors have to do with each other?

    ``[|a_m + a_g - 1|, 1 - |a_m - a_g|]`` for two classes; for more the lower end is ``max(0, a_m + a_g - 1)``. Both
    ends are attained, and knowing the whole table of labels and predictions does not narrow them.

    Parameters
    ----------
    observed, reference_accuracy : array-like
        Shares in [0, 1]; they broadcast.
    n_classes : int

    Returns
    -------
    low, high : ndarray

    Examples
    --------
    >>> low, high = sharp_range(0.90, 0.96)
    >>> round(float(low), 2), round(float(high), 2)
    (0.86, 0.94)

    Source: Lam & Stork 2003, IJCAI, 513-518, for the dependence; the sharp ends by a linear programme.
    """
    a_m, a_g = np.asarray(observed, np.float64), np.asarray(reference_accuracy, np.float64)
    low, high = a_m + a_g - 1, 1 - np.abs(a_m - a_g)
    low = np.abs(low) if n_classes == 2 else np.maximum(low, 0.0)
    return np.minimum(low, high), high  # where labels are never wrong both are a_m, up to rounding


def rule_of_thumb(
    observed: ArrayLike, reference_accuracy: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``a_m - (1 - a_g)`` and ``a_m + (1 - a_g)``, unclipped.

    It is the sharp range when ``a_m <= a_g`` and ``a_m + a_g >= 1``; else it is too wide, and may pass 1.

    Examples
    --------
    >>> [round(float(x), 2) for x in rule_of_thumb(0.99, 0.96)]
    [0.95, 1.03]
    """
    a_m, wrong = np.asarray(observed, np.float64), 1 - np.asarray(reference_accuracy, np.float64)
    return a_m - wrong, a_m + wrong


def independent_accuracy(
    observed: ArrayLike, reference_accuracy: ArrayLike, n_classes: int = 2, *, coincidence: float | None = None
) -> NDArray[np.float64]:
    """What is the true accuracy when the model errs independently of the labels?

    Then ``a_m = a_t a_g + c (1 - a_t)(1 - a_g)``, where ``c`` is the probability that two wrong answers are the same,
    so ``a_t = (a_m - c (1 - a_g)) / (a_g - c (1 - a_g))``. In chance-corrected units ``g(x) = (K x - 1) / (K - 1)``
    it reads ``g(a_t) = g(a_m) / g(a_g)``. The value is raw: outside [0, 1] the data refute the assumption.

    Raises
    ------
    NotAnswerableError
        If ``a_g = c / (1 + c)``: labels at chance say nothing of the truth.

    Examples
    --------
    >>> round(float(independent_accuracy(0.90, 0.96)), 5), round(float(independent_accuracy(0.90, 0.96, 10)), 5)
    (0.93478, 0.93721)

    Source: the two-class formula is that of Rogan & Gladen 1978, Am. J. Epidemiol. 107:71,
    doi:10.1093/oxfordjournals.aje.a112510, with equal rates.
    """
    c = coincidence_of(n_classes, coincidence)
    a_m, a_g = np.asarray(observed, np.float64), np.asarray(reference_accuracy, np.float64)
    informative = (1 + c) * a_g - c
    if np.any(np.abs(informative) <= _EQUAL):
        msg = (
            f"reference_accuracy {c / (1 + c):.4g} is that of guessing, so the labels say nothing about the true "
            "accuracy under independent errors; only the range is left."
        )
        raise NotAnswerableError(msg)
    return (a_m - c * (1 - a_g)) / informative


def accuracy_at_rho(
    observed: float,
    reference_accuracy: float,
    rho: float,
    n_classes: int = 2,
    *,
    coincidence: float | None = None,
) -> tuple[float, ...]:
    """Which true accuracies fit when the errors depend on each other to the degree ``rho``?

    ``rho`` mixes independence (0) with the largest (1) or smallest (-1) probability that model and label are right
    together: ``P(C and G) = (1 - |rho|) a_t a_g + |rho| min(a_t, a_g)``, or ``max(0, a_t + a_g - 1)`` in place of the
    minimum when ``rho < 0``. For two classes and ``a_m <= a_g`` the answer falls from the upper end of the sharp
    range at -1 to its lower end at 1.

    Returns
    -------
    tuple of float
        Every solution, in rising order: none when the data refute this ``rho``, two when it does not decide.

    Raises
    ------
    NotAnswerableError
        If every true accuracy of a whole range fits, as with labels at chance and independent errors.

    Examples
    --------
    >>> [round(x, 4) for rho in (-1, 0, 0.5, 1) for x in accuracy_at_rho(0.90, 0.96, rho)]
    [0.94, 0.9348, 0.8958, 0.86]
    >>> accuracy_at_rho(0.99, 0.96, 0.0)
    ()
    """
    if isinstance(rho, (bool, str)) or not -1 <= rho <= 1:
        msg = f"rho is {shown(rho)}, expected a number between -1 and 1."
        raise InputError(msg)
    c, g, r = coincidence_of(n_classes, coincidence), reference_accuracy, abs(rho)
    plain = observed - c * (1 - g)
    if rho >= 0:
        pieces = (
            (plain, (1 + c) * ((1 - r) * g + r) - c, 0.0, g),
            (plain - (1 + c) * r * g, (1 + c) * (1 - r) * g - c, g, 1.0),
        )
    else:
        pieces = (
            (plain, (1 + c) * (1 - r) * g - c, 0.0, 1 - g),
            (plain + (1 + c) * r * (1 - g), (1 + c) * ((1 - r) * g + r) - c, 1 - g, 1.0),
        )
    roots: list[float] = []
    all_fit: list[float] = []
    for numerator, slope, least, most in pieces:
        if abs(slope) <= _EQUAL:
            if abs(numerator) <= _EQUAL and most - least > _EQUAL:
                all_fit += [least, most]
            continue
        root = numerator / slope + 0.0  # adding zero: no negative zero
        if least - _EQUAL <= root <= most + _EQUAL:
            roots.append(min(max(root, least), most))  # on a boundary up to rounding
    if all_fit:
        msg = (
            f"at rho {rho:g} every true accuracy from {min(all_fit):.4g} to {max(all_fit):.4g} fits an observed "
            f"accuracy of {observed:.4g} and a reference accuracy of {g:.4g}; only the range is left."
        )
        raise NotAnswerableError(msg)
    roots.sort()
    return tuple(x for i, x in enumerate(roots) if i == 0 or x - roots[i - 1] > _EQUAL)


def overlap_range(observed: float, reference_accuracy: float) -> tuple[float, float]:
    """Between which ends can the overlap lie: the share of the label errors that the model repeats?"""
    wrong = 1 - reference_accuracy
    if wrong == 0:
        return 0.0, 1.0
    return max(0.0, 1 - (1 - observed) / wrong), min(1.0, observed / wrong)


def accuracy_at_overlap(
    observed: float, reference_accuracy: float, overlap: float, *, right_elsewhere: float = 1.0
) -> float:
    """What is the true accuracy when the model repeats this share of the label errors?

    ``a_t = a_m - o (1 - a_g) + q (1 - o)(1 - a_g)``. ``q`` is the share of the label errors that the model does not
    repeat on which it is right: 1 for two classes, where differing from a wrong label is being right.

    Raises
    ------
    InputError
        If the observed accuracy excludes this overlap.

    Examples
    --------
    >>> [round(accuracy_at_overlap(0.90, 0.96, o), 2) for o in (0, 0.25, 1)]
    [0.94, 0.92, 0.86]
    """
    low, high = overlap_range(observed, reference_accuracy)
    if not low - _EQUAL <= checked_share(overlap, "overlap") <= high + _EQUAL:
        msg = (
            f"overlap is {overlap:.4g}, but with an observed accuracy of {observed:.4g} and label errors of "
            f"{1 - reference_accuracy:.4g} it lies between {low:.4g} and {high:.4g}."
        )
        raise InputError(msg)
    wrong = 1 - reference_accuracy
    return observed - overlap * wrong + checked_share(right_elsewhere, "right_elsewhere") * (1 - overlap) * wrong
