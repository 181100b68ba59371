"""Two models on the same noisy labels: can label errors turn their order around?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Names, checked
from softtruth.corrections.sharp_range import checked_classes, checked_share
from softtruth.corrections.true_accuracy import NO_ASSUMPTION
from softtruth.errors import InputError
from softtruth.uncertainty.imbens_manski import imbens_manski
from softtruth.uncertainty.interval import Interval, checked_level, cut
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def difference_range(
    only_a: ArrayLike,
    only_b: ArrayLike,
    reference_accuracy: ArrayLike,
    n_classes: int = 2,
    *,
    neither_differ: ArrayLike = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Between which ends does the difference of the true accuracies of A and B lie, whatever the label errors are?

    The label errors ``w = 1 - a_g`` are spent where they hurt A most. Where only A says what the label says a wrong
    label costs 2 (A is wrong and B right), where both differ from the label and from each other 1, where they agree 0.
    What is left falls where only B agrees with the label, and helps A: by 2 with two classes, by 1 with more.

    Parameters
    ----------
    only_a, only_b : array-like
        Shares of items on which only A, or only B, says what the label says.
    reference_accuracy : array-like
    n_classes : int
    neither_differ : array-like
        Share of items on which A, B and the label are three different classes.

    Returns
    -------
    low, high : ndarray

    Examples
    --------
    >>> low, high = difference_range(0.16, 0.10, 0.90)
    >>> round(float(low), 2), round(float(high), 2)
    (-0.14, 0.26)
    """
    a, b, zero = (np.asarray(x, np.float64) for x in (only_a, only_b, neither_differ))
    wrong = 1 - np.asarray(reference_accuracy, np.float64)
    rest = 1 - a - b - zero
    turned = 2.0 if n_classes == 2 else 1.0

    def change(against: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
        first = np.minimum(wrong, against)
        second = np.minimum(wrong - first, zero)
        forced = np.maximum(wrong - against - zero - np.maximum(rest, 0.0), 0.0)
        return np.asarray(2 * first + second - turned * np.minimum(forced, other))

    return apart(a - b, change(a, b)), apart(a - b, -change(b, a))


@dataclass(frozen=True)
class Ranking:
    """What label errors leave of the order of two models.

    Attributes
    ----------
    difference : float
        Accuracy of A less that of B, against the labels.
    low, high : float
        The ends between which the true difference lies.
    only_a, only_b, neither_differ : float
        Shares of items on which only A, only B, or neither (and not in the same way) says what the label says.
    reference_accuracy : float
    n_classes, n : int
    interval : Interval
        The range with the sampling error of the items.
    names : (str, str)
        What A and B are called.
    """

    difference: float
    low: float
    high: float
    only_a: float
    only_b: float
    neither_differ: float
    reference_accuracy: float
    n_classes: int
    n: int
    interval: Interval
    names: tuple[str, str] = ("A", "B")

    @property
    def robust(self) -> bool:
        """Whether no label errors of this amount can turn or level the observed order."""
        return self.low > 0 or self.high < 0

    def __bool__(self) -> bool:
        """Whether the order is robust."""
        return self.robust

    @property
    def enough_reference_accuracy(self) -> float:
        """The least label accuracy above which the observed order cannot be turned; NaN where both are equal.

        Each wrong label turns the difference by at most 2, and fewer wrong labels cannot turn it further.
        """
        ahead, behind = max(self.only_a, self.only_b), min(self.only_a, self.only_b)
        if ahead == behind:
            return math.nan
        return 1 - (ahead - behind) / 2

    def __str__(self) -> str:
        """Return the finding in words."""
        a, b = self.names
        order = f"{a} and {b} are level"
        if self.difference > 0:
            order = f"{a} is ahead of {b} by {self.difference:.4f}"
        elif self.difference < 0:
            order = f"{b} is ahead of {a} by {-self.difference:.4f} ({a} - {b}: {self.difference:.4f})"
        begin = (
            f"Against the labels {order}; with labels that are right on {self.reference_accuracy:.4g} of the items the "
            f"true difference {a} - {b} lies between {self.low:.4f} and {self.high:.4f}."
        )
        lines = [begin]
        if self.difference == 0:
            return begin
        if self.robust:
            lines.append("Label errors cannot turn this order.")
        else:
            lines.append(
                f"Label errors could turn this order; they could not if more than {self.enough_reference_accuracy:.4g} "
                "of the labels were right."
            )
        if self.interval.low <= 0 <= self.interval.high and self.robust:
            lines.append(
                f"Sampling error could: with it the difference lies between {self.interval.low:.4f} and "
                f"{self.interval.high:.4f} ({100 * self.interval.level:g}%)."
            )
        return "\n".join(lines)


@checked
def ranking_is_robust(
    reference: Names,
    prediction_a: Names,
    prediction_b: Names,
    reference_accuracy: float,
    n_classes: int | None = None,
    *,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Ranking:
    """Does the order of two models survive the errors of the labels that both were measured with?

    Parameters
    ----------
    reference, prediction_a, prediction_b : array-like, shape (N,)
        Class labels of the same items.
    reference_accuracy : float
        How often the labels are right.
    n_classes : int, optional
        By default the number of classes that occur, and at least 2.
    level : float
        Of the interval that adds the sampling error.
    names : pair of str
        What A and B are called.

    Returns
    -------
    Ranking
        True in a condition when the order is robust.

    Raises
    ------
    InputError
        If the lengths differ, or there are no items.

    Examples
    --------
    >>> labels = [0] * 50 + [1] * 50
    >>> a, b = labels[:95] + [0] * 5, labels[:60] + [0] * 40
    >>> ranking = ranking_is_robust(labels, a, b, 0.9)
    >>> bool(ranking), round(ranking.low, 2), round(ranking.high, 2)
    (True, 0.15, 0.35)
    """
    sides = [np.asarray(side) for side in (reference, prediction_a, prediction_b)]
    for name, side in zip(("reference", "prediction_a", "prediction_b"), sides, strict=True):
        if side.ndim != 1 or side.shape != sides[0].shape or side.size == 0:
            msg = f"{name} has shape {side.shape}, expected one class label for each of the same items."
            raise InputError(msg)
    right = checked_share(reference_accuracy, "reference_accuracy")
    label, a, b = sides
    seen = len(np.unique(np.concatenate([np.unique(side) for side in sides])))
    k = checked_classes(max(seen, 2) if n_classes is None else n_classes)
    if k < seen:
        msg = f"n_classes is {k}, but {seen} classes occur."
        raise InputError(msg)
    n = label.size
    hit_a, hit_b = a == label, b == label
    signs = hit_a.astype(np.float64) - hit_b
    only_a, only_b = float((hit_a & ~hit_b).mean()), float((hit_b & ~hit_a).mean())
    neither = float((~hit_a & ~hit_b & (a != b)).mean())
    low, high = (float(x) for x in difference_range(only_a, only_b, right, k, neither_differ=neither))
    errors = [_error(signs, hit_a, hit_b, right, side) for side in (-1, 1)] if n > 1 else [math.nan, math.nan]
    interval = imbens_manski(
        low,
        high,
        *errors,
        level=checked_level(level),
        value=only_a - only_b,
        source="noise",
        assumption=f"{NO_ASSUMPTION}; items drawn independently",
    )
    return Ranking(only_a - only_b, low, high, only_a, only_b, neither, right, k, n, cut(interval, (-1.0, 1.0)), names)


def _error(signs: NDArray[np.float64], hit_a: Any, hit_b: Any, right: float, side: int) -> float:
    """Return the standard error of an end: where the budget exceeds the items it hurts, they count thrice."""
    ahead = (hit_a & ~hit_b) if side < 0 else (hit_b & ~hit_a)
    pulls = signs + (2 * side * ahead if 1 - right > ahead.mean() else 0)
    return float(pulls.std(ddof=1) / math.sqrt(len(pulls)))
