"""Which labels are probably wrong? A list to look at, and what looking at it would settle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth.annotations.answers import Answers, checked_codes, named_by_number
from softtruth.annotations.dawid_skene import dawid_skene
from softtruth.arguments import Names, checked
from softtruth.corrections.sharp_range import checked_share
from softtruth.errors import InputError, NotAnswerableError, shown
from softtruth.inputs.frames import for_classes, refuse_other_rows
from softtruth.inputs.labels import checked_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from softtruth.uncertainty.interval import Interval

_LOG_TEMPERATURES = (-2.0, 3.0)
BIASED = (
    "A review of suspects finds errors; it does not measure how many there are. For that draw a sample: "
    "softtruth audit plan, or audit_plan in Python."
)


class Suspect(NamedTuple):
    """One label that may be wrong."""

    item: Any
    label: int
    model: int
    score: float
    probability: float


class ReviewEffect(NamedTuple):
    """What reviewing the first n suspects is expected to settle."""

    reviewed: int
    found: float
    reference_accuracy: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Suspects:
    """The items, the most suspicious label first.

    Attributes
    ----------
    order : ndarray of int, shape (N,)
        Positions of the items.
    score : ndarray, shape (N,)
        By position: the doubt about the label, one minus the probability that the model and the votes give it.
    probability : ndarray, shape (N,)
        By position: that the label is wrong; NaN without votes and without the accuracy of the labels.
    label, model : ndarray of int, shape (N,)
        By position.
    right : ndarray, shape (N,)
        By position: the probability that the model is right.
    items : tuple
    n_classes : int
    reference_accuracy : float
        Of all labels: as given, or by the probabilities; NaN where neither is there.
    """

    order: NDArray[np.intp]
    score: NDArray[np.float64]
    probability: NDArray[np.float64]
    label: NDArray[np.intp]
    model: NDArray[np.intp]
    right: NDArray[np.float64]
    items: tuple[Any, ...]
    n_classes: int
    reference_accuracy: float

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.order)

    def __repr__(self) -> str:
        """Return how many there are, in one line: the ids may be thousands."""
        size = f"{len(self):,} items, {self.n_classes} classes"
        return f"Suspects({size}, reference_accuracy={self.reference_accuracy:.3g})"

    def first(self, n: int) -> list[Suspect]:
        """Return the n most suspicious labels."""
        return [
            Suspect(
                self.items[i], int(self.label[i]), int(self.model[i]), float(self.score[i]), float(self.probability[i])
            )
            for i in self.order[:n]
        ]

    def review_effect(self, sizes: Sequence[int], *, reference_accuracy: Interval | None = None) -> list[ReviewEffect]:
        """What would the range of the true accuracy be after the first n suspects were reviewed and put right?

        A reviewed label is right. The label errors that are left are a smaller budget, and it can be spent on the
        items that nobody has looked at only: once all items are settled on which the model departs from its label, the
        upper end is the observed accuracy. What the review finds is taken at its expectation, which is as good as the
        probabilities are: a model that is too sure of itself promises more errors than there are, and a rate of right
        labels that was taken from somewhere else may be another one here.

        Parameters
        ----------
        sizes : sequence of int
        reference_accuracy : Interval, optional
            How often the labels are right, where that is not certain: the ends then hold for every rate in it.

        Raises
        ------
        NotAnswerableError
            Without votes and without the accuracy of the labels, which the expectation needs.
        """
        if math.isnan(self.reference_accuracy):
            msg = "how many errors a review would find is not known; give the votes, or reference_accuracy=."
            raise NotAnswerableError(msg)
        n = len(self.order)
        agree = (self.label == self.model)[self.order].astype(np.float64)
        gains = (self.right[self.order] - agree) / n
        found = np.concatenate([[0.0], np.cumsum(self.probability[self.order])])
        same = np.concatenate([[0.0], np.cumsum(agree)]) / n
        moved = np.concatenate([[0.0], np.cumsum(gains)])
        rates = (self.reference_accuracy,) * 2
        if reference_accuracy is not None and not math.isnan(reference_accuracy.low):
            rates = reference_accuracy.low, reference_accuracy.high
        effects = []
        for size in sizes:
            done = min(int(size), n)
            left, most, least = (max(1 - rate - found[done] / n, 0.0) for rate in (self.reference_accuracy, *rates))
            observed = same[-1] + moved[done]
            open_same = same[-1] - same[done]
            low, high = settled_range(observed, open_same, 1 - done / n - open_same, (least, most), self.n_classes)
            effects.append(ReviewEffect(done, float(found[done]), float(1 - left), float(observed), low, high))
        return effects


def settled_range(
    observed: float,
    open_agreement: float,
    open_disagreement: float,
    wrong: float | tuple[float, float],
    n_classes: int,
) -> tuple[float, float]:
    """Between which ends does the true accuracy lie, when label errors are left on unreviewed items only?

    Parameters
    ----------
    observed : float
        Accuracy against the labels as they are now.
    open_agreement, open_disagreement : float
        Shares of items that were not reviewed, on which the model says what the label says, and on which it does not.
    wrong : float, or pair of float
        The share of wrong labels that is left; or between which shares it lies.
    n_classes : int

    Examples
    --------
    >>> [round(x, 2) for x in settled_range(0.90, 0.90, 0.10, 0.04, 2)]  # nothing reviewed: the sharp range
    [0.86, 0.94]
    >>> [round(x, 2) for x in settled_range(0.92, 0.90, 0.0, 0.01, 2)]  # every disagreement reviewed
    [0.91, 0.91]
    """
    least, most = wrong if isinstance(wrong, tuple) else (wrong, wrong)
    rising = min(max(open_disagreement, least), most)  # up to here each wrong label more lifts the upper end
    falling = min(max(open_agreement, least), most)  # and up to here it lowers the lower one
    gained, lost = min(rising, open_disagreement), min(falling, open_agreement)
    high = observed + gained - min(rising - gained, open_agreement)
    low = observed - lost + (min(falling - lost, open_disagreement) if n_classes == 2 else 0.0)
    return float(low), float(high)


@checked
def suspects(
    reference: Names,
    prediction: Names,
    *,
    votes: Any = None,
    n_classes: int | None = None,
    reference_accuracy: float | None = None,
    items: Sequence[Any] | None = None,
) -> Suspects:
    """Which labels are probably wrong, the most suspicious first?

    The doubt about a label is one minus the probability of its class: by the model, weighed by how often labels are
    right; or by model and votes together, where each annotator counts as much as the answers of all say he is worth.
    Where labels or votes say how sure the model may be, its probabilities are tempered accordingly. Model and
    annotators are taken as independent witnesses. Misleads where the model learned the errors of the labels: then it
    vouches for them.

    Parameters
    ----------
    reference : array-like of int, shape (N,)
        The labels, as class indices; or as classes, where those of ``votes`` are numbers of their own.
    prediction : array-like, shape (N, K) or (N,)
        Probabilities; or classes like the labels: then the observed accuracy says how far the model is to be trusted.
    votes : array-like, shape (N, R), or Answers, optional
        The answers behind the labels, or others to the same items.
    n_classes : int, optional
    reference_accuracy : float, optional
        How often labels are right, for the probabilities. Leave it out where the labels are the majority of the votes;
        give it with votes of another origin, and the label counts as one more witness.
    items : sequence, optional
        Names of the items.

    Returns
    -------
    Suspects

    Raises
    ------
    InputError
        If the shapes do not fit.

    Examples
    --------
    >>> found = suspects([0, 1, 1, 0], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]], reference_accuracy=0.9)
    >>> [(s.item, round(s.probability, 2)) for s in found.first(2)]
    [(1, 0.16), (3, 0.12)]

    Source: the ranking by the model's probability of the given label follows Northcutt, Jiang & Chuang 2021, J. Artif.
    Intell. Res. 70:1373, doi:10.1613/jair.1.12125.
    """
    refuse_other_rows(reference=reference, prediction=prediction)
    if isinstance(votes, Answers):
        prediction = for_classes(prediction, votes.classes, "prediction")
        if named_by_number(votes.classes):
            reference = checked_codes(reference, votes, "reference")
            prediction = checked_codes(prediction, votes, "prediction") if np.ndim(prediction) == 1 else prediction
    label = np.asarray(reference)
    if label.ndim != 1 or label.dtype.kind not in "iu" or not label.size:
        msg = f"reference has shape {label.shape} and type {label.dtype}, expected one class index for each item."
        raise InputError(msg)
    given, model = _probabilities(prediction, label, n_classes)
    k = given.shape[1]
    if label.min() < 0 or label.max() >= k:
        msg = f"reference holds {shown(label.max())}, but the prediction has {k} classes."
        raise InputError(msg)
    at = np.arange(len(label)), label.astype(np.intp)
    evidence, accuracy = np.ones_like(given), math.nan
    if votes is not None:
        answers = Answers.of(votes, k)
        if answers.n_items != len(label) or answers.n_classes != k:
            msg = (
                f"votes are of {answers.n_items} items and {answers.n_classes} classes, expected {len(label)} and {k}."
            )
            raise InputError(msg)
        fitted = dawid_skene(answers)
        evidence = fitted.posterior / np.maximum(fitted.prior, np.finfo(float).tiny)
    if reference_accuracy is not None:
        accuracy = checked_share(reference_accuracy, "reference_accuracy")
        evidence = evidence * np.where(np.arange(k) == label[:, None], accuracy, (1 - accuracy) / (k - 1))
    informed = votes is not None or reference_accuracy is not None
    likely = evidence * (_tempered(given, evidence) if informed else given)
    whole = likely.sum(axis=1, keepdims=True)
    likely = np.where(whole > 0, likely / np.where(whole > 0, whole, 1), given)
    if votes is not None:
        accuracy = float(likely[at].mean())
    score = 1 - likely[at]
    known = not math.isnan(accuracy)
    return Suspects(
        np.lexsort((np.arange(len(label)), -(1 - given[at]), -score)),
        score,
        score if known else np.full(len(label), np.nan),
        label.astype(np.intp),
        model,
        likely[np.arange(len(label)), model],
        tuple(range(len(label))) if items is None else tuple(items),
        k,
        accuracy,
    )


def _tempered(given: NDArray[np.float64], evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the model's probabilities at the temperature that makes the other witnesses most likely.

    A model that is too sure of itself would see errors in every label that it contradicts.
    """
    from scipy.optimize import minimize_scalar

    logs = np.log(np.maximum(given, 1e-12))

    def at(log_temperature: float) -> NDArray[np.float64]:
        scores = logs / np.exp(log_temperature)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def surprise(log_temperature: float) -> float:
        chances = (at(log_temperature) * evidence).sum(axis=1)
        return -float(np.log(np.maximum(chances, np.finfo(float).tiny)).sum())

    return at(float(minimize_scalar(surprise, bounds=_LOG_TEMPERATURES, method="bounded").x))


def _probabilities(
    prediction: Names, label: NDArray[Any], n_classes: int | None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the probabilities that the model gives the classes, and the class that it names."""
    array = np.asarray(prediction)
    if array.shape[:1] != label.shape[:1]:
        msg = f"prediction has shape {array.shape}, expected a row for each of {len(label)} labels."
        raise InputError(msg)
    if array.ndim == 2:
        values = array.astype(np.float64)
        sums = values.sum(axis=1)
        if values.shape[1] < 2 or not (np.isfinite(values).all() and (values >= 0).all() and (sums > 0).all()):
            msg = "prediction holds negative or infinite values, or a row of zeros; expected probabilities."
            raise InputError(msg)
        return values / sums[:, None], values.argmax(axis=1)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min(initial=0) < 0:
        msg = f"prediction has shape {array.shape}, expected probabilities (N, K) or class indices (N,)."
        raise InputError(msg)
    k = max(int(array.max(initial=0)) + 1, int(label.max(initial=0)) + 1, 2, checked_number(n_classes, None) or 0)
    hits = float((array == label).mean())
    trust = (hits * len(label) + 1) / (len(label) + 2)  # never quite certain
    values = np.full((len(label), k), (1 - trust) / (k - 1))
    values[np.arange(len(label)), array] = trust
    return values, array.astype(np.intp)
