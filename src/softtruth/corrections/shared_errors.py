"""Where between the ends does the true accuracy lie? Several answers to an item tell how far errors go together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.annotators_and_model import annotators_and_model
from softtruth.annotations.answers import Answers, checked_codes
from softtruth.corrections.annotated_reference import (
    ReferenceAccuracy,
    reference_accuracy_from_annotators,
)
from softtruth.corrections.dependence_checks import Check, dependence_checks
from softtruth.corrections.jackknife import jackknife, student_quantile
from softtruth.corrections.sharp_range import sharp_range
from softtruth.errors import NotAnswerableError
from softtruth.uncertainty.interval import Interval, checked_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ASSUMPTION = "annotators err independently of each other given the truth and whether the model is right"
_ERROR = 1e-9


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """How far model and labels err together, and what that makes of the true accuracy.

    Attributes
    ----------
    true_accuracy : Interval
        Against the truth that the annotators make likely.
    rho : Interval
        The dependence of "the model is right" and "the label is right": -1 least together, 0 independent, 1 most.
    overlap : Interval
        The share of the label errors that the model repeats.
    overlap_if_independent : float
        What it would be if the model erred independently of the labels.
    place : Interval
        Where between the ends the true accuracy lies: 0 the lower, 1 the upper.
    low, high : float
        The ends, for the observed accuracy and the estimated accuracy of the labels.
    observed, reference_accuracy : float
        Of the model against the labels, and of the labels against the likely truth.
    annotators : ReferenceAccuracy
        What the annotators alone say of the labels, and what speaks against it.
    checks : tuple of Check
        Five reasons for errors that go together, as far as the data speak of them.
    """

    true_accuracy: Interval
    rho: Interval
    overlap: Interval
    overlap_if_independent: float
    place: Interval
    low: float
    high: float
    observed: float
    reference_accuracy: float
    annotators: ReferenceAccuracy
    checks: tuple[Check, ...]

    @property
    def independent(self) -> bool:
        """Whether independent errors are tenable: the interval of ``rho`` holds 0."""
        return 0.0 in self.rho

    @property
    def verdict(self) -> str:
        """What the answers say of independence, in words."""
        if math.isnan(self.rho.low):
            return f"Nothing can be said of independence: {self.rho.note}."
        together = (
            f"The model repeats {100 * self.overlap.value:.0f} % of the label errors, against "
            f"{100 * self.overlap_if_independent:.0f} % if it erred independently of them"
        )
        rho = f"rho {self.rho.value:.2f} [{self.rho.low:.2f}, {self.rho.high:.2f}]"
        if self.independent:
            return f"{together} ({rho}): independent errors are tenable."
        if self.rho.value > 0:
            return f"{together} ({rho}): errors go together, and the truth is lower than independence says."
        return f"{together} ({rho}): errors avoid each other, and the truth is higher than independence says."

    def __str__(self) -> str:
        """Return the findings in words."""
        ends = (
            f"Observed accuracy {self.observed:.4f}, accuracy of the labels {self.reference_accuracy:.4f} by their "
            f"annotators: the true accuracy lies between {self.low:.4f} and {self.high:.4f}."
        )
        where = (
            f"True accuracy {self.true_accuracy}, {100 * self.place.value:.0f} % of the way from the lower to the "
            f"upper end, if {ASSUMPTION}."
        )
        lines = [
            ends,
            self.verdict,
            where,
            *(f"{check.name}: {check.words}" for check in self.checks),
            *self.annotators.warnings(),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        named = {"true_accuracy": self.true_accuracy, "rho": self.rho, "overlap": self.overlap, "place": self.place}
        return {
            **{name: {"value": i.value, "low": i.low, "high": i.high} for name, i in named.items()},
            "overlap_if_independent": self.overlap_if_independent,
            "low": self.low,
            "high": self.high,
            "reference_accuracy": self.reference_accuracy,
            "independent": self.independent,
            "assumption": ASSUMPTION,
            "checks": [{"name": c.name, "speaks": c.speaks, "words": c.words} for c in self.checks],
            "findings": list(self.annotators.findings),
        }


def shared_errors(
    votes: Any,
    prediction: ArrayLike,
    *,
    reference: ArrayLike | None = None,
    n_classes: int | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> SharedErrors:
    """Does the model err where the labels are wrong, and where between the ends is the truth then?

    The answers and the model's class give a likely truth of each item, by a model of the annotators in which each may
    err more often where the model errs (see ``annotators_and_model``). Against that truth the model is right with one
    probability, the label with another, and both with a third: that places the dependence ``rho``, the overlap of the
    errors and the true accuracy between the ends. It takes three answers to an item. Misleads where many annotators are
    misled together: then the likely truth is theirs, and errors seem to go together more than they do; and
    where items are few (hundreds), as the errors of the model then are very few.

    Parameters
    ----------
    votes : array-like, shape (N, R), or Answers
        Class indices, -1 or NaN where an annotator gave no answer.
    prediction : array-like of int, shape (N,)
        The class that the model names.
    reference : array-like of int, shape (N,), optional
        The labels that the model was measured with; by default the majority, ties shared. Labels of another origin are
        a witness of their own.
    n_classes : int, optional
    clusters : array-like, shape (N,), optional
    level : float
    seed : int

    Returns
    -------
    SharedErrors

    Raises
    ------
    NotAnswerableError
        If no item has two answers.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 3000)
    >>> right = np.where(rng.random((3000, 1)) < 0.2, 0.5, 0.95)  # a fifth of the items is hard, for model and people
    >>> votes = np.where(rng.random((3000, 5)) < right, truth[:, None], 1 - truth[:, None])
    >>> model = np.where(rng.random(3000) < right[:, 0], truth, 1 - truth)
    >>> found = shared_errors(votes, model)
    >>> found.independent, bool(found.checks[0].speaks)
    (False, True)

    Source: the accuracy range and the dependence are those of ``true_accuracy``.
    """
    answers, level = Answers.of(votes, n_classes), checked_level(level)
    said = checked_codes(prediction, answers, "prediction")
    judged = reference_accuracy_from_annotators(answers, reference=reference, clusters=clusters, level=level, seed=seed)
    label = _label_shares(answers, reference)
    counted = label.sum(axis=1) > 0
    named = said
    codes = None if reference is None else checked_codes(reference, answers, "reference")
    if codes is not None and not answers.make(codes):  # labels of another origin are a witness too
        named = np.stack([said, codes], axis=1)
    fitted = annotators_and_model(answers, named, judged.truth.posterior, kept=counted)

    def estimate(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        used = kept & counted
        found = fitted if kept.all() else annotators_and_model(answers, named, fitted.posterior, kept=used)
        return _values(answers, found.posterior, label, said, used)

    values = estimate(np.ones(answers.n_items, bool))
    errors, freedom = jackknife(estimate, answers.n_items, clusters, seed=seed)
    reach = student_quantile(level, freedom) * errors
    found = [
        Interval(
            float(v),
            float(v - r),
            float(v + r),
            level,
            "truth",
            "annotators and model, jackknife",
            float(e),
            ASSUMPTION,
            "see the findings" if judged.findings else "",
        )
        for v, r, e in zip(values, reach, errors, strict=True)
    ]
    a_t, rho, overlap, place = found[:4]
    low, high = sharp_range(values[4], values[6], answers.n_classes)
    checks = dependence_checks(
        answers,
        fitted.posterior,
        label,
        said,
        accuracy_where_right=float(values[7]),
        accuracy_where_wrong=float(values[7] - values[8]),
        error=float(errors[8]),
    )
    return SharedErrors(
        a_t,
        rho,
        overlap,
        float(values[5]),
        place,
        float(low),
        float(high),
        float(values[4]),
        float(values[6]),
        judged,
        checks,
    )


def _label_shares(answers: Answers, reference: ArrayLike | None) -> NDArray[np.float64]:
    """Return the reference as shares (N, K): the majority of the answers, ties shared; zero without answers."""
    counts = answers.counts
    if reference is not None:
        return np.eye(answers.n_classes)[checked_codes(reference, answers, "reference")]
    top = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    return np.asarray(top / np.maximum(top.sum(axis=1, keepdims=True), 1))


def _values(
    answers: Answers,
    posterior: NDArray[np.float64],
    label: NDArray[np.float64],
    said: NDArray[np.intp],
    used: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the estimates from the posterior of the truth.

    They are the true accuracy, rho, the overlap, the place, the observed accuracy, the overlap if independent, the
    accuracy of the labels, that of answers where the model is right, and how much worse they are where it is wrong.
    """
    if not used.any():
        msg = "no item has both an answer and a prediction."
        raise NotAnswerableError(msg)
    rows = np.flatnonzero(used)
    likely, shares, counts = posterior[rows], label[rows], answers.counts[rows]
    at = np.arange(len(rows)), said[rows]
    right, same = likely[at], shares[at]
    a_t, a_m = float(right.mean()), float(same.mean())
    a_g = float((likely * shares).sum(axis=1).mean())
    both = float((right * same).mean())
    wrong = 1 - a_g
    k = likely.shape[1]
    low, high = sharp_range(a_m, a_g, k)
    overlap = (a_m - both) / wrong if wrong > _ERROR else math.nan
    place = (a_t - low) / (high - low) if high - low > _ERROR else math.nan
    # Wrong answers of independent origin coincide as often as the classes of both make them.
    missed = np.where(np.arange(k) == said[rows, None], 1 - likely, 0.0).mean(axis=0)
    mislabelled = (shares * (1 - likely)).mean(axis=0)
    alone = float((missed * mislabelled).sum() / max(wrong * (1 - a_t), _ERROR)) * (1 - a_t) if k > 2 else 1 - a_t
    on_named, votes = counts[at], counts.sum(axis=1)
    with quiet():
        where_right = float((right * on_named).sum() / (right * votes).sum())
        elsewhere = (likely * counts).sum(axis=1) - right * on_named
        where_wrong = float(elsewhere.sum() / ((1 - right) * votes).sum())
    return np.array(
        [a_t, _rho(both, a_t, a_g), overlap, float(place), a_m, alone, a_g, where_right, where_right - where_wrong]
    )


def _rho(both: float, a_t: float, a_g: float) -> float:
    """Return the dependence: how far ``both`` lies from independence towards the end on its side."""
    alone = a_t * a_g
    most, least = min(a_t, a_g) - alone, alone - max(0.0, a_t + a_g - 1)
    reach = most if both >= alone else least
    return (both - alone) / reach if reach > _ERROR else math.nan
