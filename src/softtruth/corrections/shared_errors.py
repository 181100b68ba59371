"""Where between the ends does the true accuracy lie? Several answers to an item tell how far errors go together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.annotators_and_model import annotators_and_model
from softtruth.annotations.answers import Answers, checked_codes
from softtruth.arguments import Names, Seed, checked
from softtruth.corrections.annotated_reference import (
    ReferenceAccuracy,
    reference_accuracy_from_annotators,
)
from softtruth.corrections.dependence_checks import Check, dependence_checks
from softtruth.corrections.jackknife import jackknife
from softtruth.corrections.shared_estimates import estimates_of, label_shares
from softtruth.corrections.sharp_range import sharp_range
from softtruth.uncertainty.interval import Interval, checked_level, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASSUMPTION = "annotators err independently of each other given the truth and whether the model is right"
_ENOUGH, _MOST = 3, 0.5  # answers to an item that determine its model, and the share of items that should have them


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
        rho = f"rho, between -1 and 1: {self.rho.value:.2f} [{self.rho.low:.2f}, {self.rho.high:.2f}]"
        if self.independent:
            return f"{together} ({rho}): independent errors are tenable."
        if self.rho.value > 0:
            return f"{together} ({rho}): errors go together, and the truth is lower than independence says."
        return f"{together} ({rho}): errors avoid each other, and the truth is higher than independence says."

    def warnings(self) -> list[str]:
        """Return what speaks against the estimates."""
        several = float((self.annotators.truth.answers.counts.sum(axis=1) >= _ENOUGH).mean())
        few = (
            f"Only {100 * several:.0f} % of the items have {_ENOUGH} answers or more; fewer do not tell errors that go "
            "together from errors that meet by chance."
        )
        return [*([few] if several < _MOST else []), *self.annotators.warnings()]

    def __str__(self) -> str:
        """Return the findings in words."""
        ends = (
            f"Observed accuracy {self.observed:.4f}, accuracy of the labels {self.reference_accuracy:.4f} by their "
            f"annotators and the model together ({self.annotators.interval.value:.4f} by the annotators alone): taken "
            f"as exact, these put the true accuracy between {self.low:.4f} and {self.high:.4f}."
        )
        where = (
            f"True accuracy {_with_ends(self.true_accuracy)}, {100 * self.place.value:.0f} % of the way from the lower "
            f"to the upper end, if {ASSUMPTION}."
        )
        lines = [
            ends,
            self.verdict,
            where,
            *(f"{check.name}: {check.words}" for check in self.checks),
            *self.warnings(),
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


@checked
def shared_errors(
    votes: Any,
    prediction: Names,
    *,
    reference: Names | None = None,
    n_classes: int | None = None,
    clusters: Names | None = None,
    level: float = 0.95,
    seed: Seed = 0,
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
    label = label_shares(answers, reference)
    counted = label.sum(axis=1) > 0
    named = said
    codes = None if reference is None else checked_codes(reference, answers, "reference")
    if codes is not None and not answers.make(codes):  # labels of another origin are a witness too
        named = np.stack([said, codes], axis=1)
    fitted = annotators_and_model(answers, named, judged.truth.posterior, kept=counted)

    def estimate(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        used = kept & counted
        found = fitted if kept.all() else annotators_and_model(answers, named, fitted.posterior, kept=used)
        return estimates_of(answers, found.posterior, label, said, used)

    found = jackknife(
        estimate,
        answers.n_items,
        clusters,
        level=level,
        seed=seed,
        source="truth",
        method="annotators and model, jackknife",
        assumption=ASSUMPTION,
        note="see the findings" if judged.findings else "",
    )
    share = (0.0, 1.0)
    a_t, rho, overlap, place = map(cut, found[:4], (share, (-1.0, 1.0), share, share))
    values = [each.value for each in found]
    low, high = sharp_range(values[4], values[6], answers.n_classes)
    checks = dependence_checks(
        answers,
        fitted.posterior,
        label,
        said,
        accuracy_where_right=values[7],
        accuracy_where_wrong=values[7] - values[8],
        error=found[8].standard_error,
    )
    return SharedErrors(
        a_t,
        rho,
        overlap,
        values[5],
        place,
        float(low),
        float(high),
        values[4],
        values[6],
        judged,
        checks,
    )


def _with_ends(interval: Interval) -> str:
    """Return a value with its interval, where the sentence says what it stands on."""
    if math.isnan(interval.low):  # there is none, and the note says why
        return str(interval)
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}] ({100 * interval.level:g} % interval)"
