"""What the review of a probability sample says: of the labels, and of the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import Names, checked
from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import whole_numbers
from softtruth.inputs.frames import refuse_other_rows
from softtruth.uncertainty.interval import Interval, checked_level, cut, plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DRAWN = "items drawn independently, reviewed ones drawn from them as planned"


@dataclass(frozen=True)
class Audit:
    """What a review says.

    Attributes
    ----------
    reference_accuracy : Interval
        How often the labels are right.
    true_accuracy : Interval
        How often the model is: its observed accuracy, corrected by what the review found.
    observed : float
        Accuracy against the labels, over all items.
    overlap : float
        The share of the label errors that the model repeats; NaN where none was found.
    unweighted : (float, float)
        Accuracy of labels and model among the reviewed items as they are: biased where suspects were preferred.
    reviewed, n : int
    """

    reference_accuracy: Interval
    true_accuracy: Interval
    observed: float
    overlap: float
    unweighted: tuple[float, float]
    reviewed: int
    n: int

    def __str__(self) -> str:
        """Return the findings in words."""
        lines = [
            f"Reviewed {self.reviewed} of {self.n} items.",
            f"Accuracy of the labels: {self.reference_accuracy}.",
            f"True accuracy of the model: {self.true_accuracy}; against the labels it was {self.observed:.4f}.",
        ]
        if not math.isnan(self.overlap):
            lines.append(f"The model repeats {100 * self.overlap:.0f} % of the label errors.")
        if abs(self.unweighted[0] - self.reference_accuracy.value) > 1e-9:
            labels, model = self.unweighted
            lines.append(
                f"The reviewed items as they are, without weights, would say {labels:.4f} for the labels and "
                f"{model:.4f} for the model: suspicious items were preferred, so that is biased."
            )
        return "\n".join(lines)


@checked
def audit_apply(
    reference: Names,
    prediction: Names,
    rows: ArrayLike,
    truth: Names,
    *,
    stratum: Names,
    sizes: ArrayLike,
    level: float = 0.95,
) -> Audit:
    """How often are labels and model right, by the items that were reviewed?

    Each stratum counts as much as it has items (inverse-probability weights). The model's accuracy is what it is
    against all labels, plus what the review changed: the difference estimator.

    Parameters
    ----------
    reference : array-like, shape (N,) or (N, K)
        Class numbers of the labels of all items; or the shares of the classes, where several are tied.
    prediction : array-like, shape (N,)
        Class numbers.
    rows : array-like of int, shape (n,)
        Positions of the reviewed items.
    truth : array-like, shape (n,)
        What the review found.
    stratum : array-like of int, shape (n,)
    sizes : array-like of int
        How many items each stratum has; they add up to N.
    level : float

    Raises
    ------
    InputError
        If the strata do not cover the items, or one has fewer than two reviewed items: without known chances of being
        drawn a review cannot be weighted, and one of suspects alone is biased.

    Examples
    --------
    >>> label = np.array([0, 1] * 50)
    >>> model = np.where(np.arange(100) % 10 == 0, 1 - label, label)
    >>> from softtruth import audit_plan
    >>> plan = audit_plan(100, 40)
    >>> truth = np.where(plan.rows % 20 == 0, 1 - label[plan.rows], label[plan.rows])
    >>> audit = audit_apply(label, model, plan.rows, truth, stratum=plan.stratum, sizes=plan.sizes)
    >>> print(audit.reference_accuracy)
    0.950 [0.882, 1.000] sampling 95% (cut where its range ends)

    Source: Angelopoulos et al. 2023, Science 382:669, doi:10.1126/science.adi6000; Cochran 1977, Sampling Techniques,
    ch. 5.
    """
    refuse_other_rows(reference=reference, prediction=prediction)
    label, said = np.asarray(reference), np.asarray(prediction)
    at, found, part = whole_numbers(rows, "rows"), np.asarray(truth), whole_numbers(stratum, "stratum")
    many = whole_numbers(sizes, "sizes")
    _check(label, said, at, found, part, many)
    level, n = checked_level(level), len(label)
    agree, right, correct = _share_of(label, said), _share_of(label[at], found), found == said[at]
    change = correct - agree[at]
    a_g, var_g = _stratified(right, part, many)
    shift, var_shift = _stratified(change, part, many)
    observed = float(agree.mean())
    a_t = observed + shift
    wrong, _ = _stratified(1 - right, part, many)
    repeated, _ = _stratified(agree[at] * ~correct, part, many)  # the model says what the label says, and is wrong
    return Audit(
        _interval(a_g, var_g + _spread(a_g) / n, level),
        _interval(a_t, var_shift + _spread(a_t) / n, level),
        observed,
        repeated / wrong if wrong > 0 else math.nan,
        (float(right.mean()), float(correct.mean())),
        len(at),
        n,
    )


def _share_of(label: NDArray[Any], said: NDArray[Any]) -> NDArray[np.float64]:
    """Return how much of each label lies on the class that was said: 0 or 1, and less where classes are tied."""
    if label.ndim == 1:
        return (label == said).astype(np.float64)
    return np.asarray(label[np.arange(len(label)), said], np.float64)


@checked
def difference_estimate(agreement: ArrayLike, correction: ArrayLike, *, level: float = 0.95) -> Interval:
    """How often is the model right, by noisy labels of many items and a separate random sample of reviewed ones?

    The mean agreement plus the mean correction (right or not, less agreeing or not) of the sample; their variances add.

    Parameters
    ----------
    agreement : array-like of 0 and 1
        Whether the model says what the label says.
    correction : array-like of -1, 0 and 1
        Of each reviewed item: whether the model is right, less whether it says what the label says.

    Examples
    --------
    >>> found = difference_estimate([1, 1, 0, 1, 1, 1, 0, 1, 1, 1], [0, 0, 1, 0, -1])
    >>> round(found.value, 4), round(found.standard_error, 5)
    (0.8, 0.34319)

    Source: Angelopoulos et al. 2023, Science 382:669, doi:10.1126/science.adi6000.
    """
    parts = [np.asarray(x, np.float64) for x in (agreement, correction)]
    if any(part.ndim != 1 or part.size < 2 for part in parts):
        msg = "agreement and correction need at least two items each."
        raise InputError(msg)
    for name, part, least in (("agreement", parts[0], 0), ("correction", parts[1], -1)):
        wrong = ~((part >= least) & (part <= 1))
        if wrong.any():
            msg = f"{name} contains {shown(part[wrong][0])}, expected numbers from {least} to 1."
            raise InputError(msg)
    variance = sum(float(part.var(ddof=1)) / part.size for part in parts)
    return _interval(float(sum(part.mean() for part in parts)), variance, checked_level(level))


def _check(  # noqa: PLR0917  the parts of one review
    label: NDArray[Any],
    said: NDArray[Any],
    at: NDArray[np.intp],
    found: NDArray[Any],
    part: NDArray[np.intp],
    many: NDArray[np.intp],
) -> None:
    if label.ndim not in {1, 2} or label.shape[:1] != said.shape:
        msg = f"reference has shape {label.shape} and prediction {said.shape}, expected one class for each item."
        raise InputError(msg)
    if not at.shape == found.shape == part.shape:
        msg = f"rows, truth and stratum have shapes {at.shape}, {found.shape} and {part.shape}, expected one length."
        raise InputError(msg)
    if len(np.unique(at)) < len(at):
        msg = "an item was reviewed twice; keep one finding of each."
        raise InputError(msg)
    reviewed = np.bincount(part, minlength=len(many))
    if len(reviewed) > len(many) or int(many.sum()) != len(label) or (reviewed < 2).any():
        msg = (
            f"the strata have {many.tolist()} items, {int(many.sum())} together, and {reviewed.tolist()} were "
            f"reviewed; expected strata that make up the {len(label)} items, with at least two reviewed in each. "
            "Without them a review cannot be weighted: one of suspects alone is biased."
        )
        raise InputError(msg)


def _stratified(values: NDArray[np.float64], part: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[float, float]:
    """Return the mean over all items and its sampling variance, given the items."""
    reviewed = np.bincount(part, minlength=len(sizes))
    means = np.bincount(part, weights=values, minlength=len(sizes)) / reviewed
    spread = np.bincount(part, weights=(values - means[part]) ** 2, minlength=len(sizes)) / (reviewed - 1)
    # Where all are alike the spread is not zero but unseen: as if one of two more items were different.
    unseen = 1 / (reviewed + 2)
    spread = np.where(spread > 0, spread, unseen * (1 - unseen))
    share = sizes / sizes.sum()
    return float(share @ means), float(share**2 @ ((1 - reviewed / sizes) * spread / reviewed))


def _spread(share: float) -> float:
    return max(share * (1 - share), 0.0)


def _interval(value: float, variance: float, level: float) -> Interval:
    method = "difference estimator" if variance else ""
    return cut(plain(value, math.sqrt(variance), level, method=method, assumption=DRAWN), (0.0, 1.0))
