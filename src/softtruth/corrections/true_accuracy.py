"""How good is the model really, when the labels that it was measured with are wrong at some rate?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.corrections.share import Share
from softtruth.corrections.sharp_range import (
    accuracy_at_overlap,
    accuracy_at_rho,
    checked_classes,
    coincidence_of,
    independent_accuracy,
    overlap_range,
    rule_of_thumb,
    sharp_range,
)
from softtruth.errors import NotAnswerableError
from softtruth.uncertainty.imbens_manski import imbens_manski
from softtruth.uncertainty.interval import Interval, checked_level, cut, plain

_ROUNDING = 1e-12  # a range that is narrower is one point

NO_ASSUMPTION = "none: model errors and label errors may depend on each other in any way"
INDEPENDENT_ERRORS = "the model errs independently of the labels"


@dataclass(frozen=True)
class TrueAccuracy:
    """What an observed accuracy and the accuracy of the labels say about the true accuracy.

    Attributes
    ----------
    observed, reference_accuracy : Share
        What was measured, with sampling errors where they are known.
    n_classes : int
    coincidence : float
        The probability that two wrong answers are the same.
    covariance : float
        Of the two shares, when both come from the same items.
    level : float
        Of the intervals.
    """

    observed: Share
    reference_accuracy: Share
    n_classes: int = 2
    coincidence: float = 1.0
    covariance: float = 0.0
    level: float = 0.95

    @cached_property
    def _ends(self) -> tuple[float, float]:
        low, high = sharp_range(self.observed.value, self.reference_accuracy.value, self.n_classes)
        return float(low), float(high)

    @property
    def low(self) -> float:
        """The least true accuracy that fits."""
        return self._ends[0]

    @property
    def high(self) -> float:
        """The greatest true accuracy that fits."""
        return self._ends[1]

    @property
    def rule_of_thumb(self) -> tuple[float, float]:
        """The range ``observed -+ (1 - reference accuracy)``, as it is often quoted: not sharp, and not clipped."""
        low, high = rule_of_thumb(self.observed.value, self.reference_accuracy.value)
        return float(low), float(high)

    @property
    def estimate(self) -> float:
        """The true accuracy under independent errors, raw: outside [0, 1] it is ``refuted``.

        Raises
        ------
        NotAnswerableError
            If the labels are at chance.
        """
        return float(
            independent_accuracy(
                self.observed.value, self.reference_accuracy.value, self.n_classes, coincidence=self.coincidence
            )
        )

    @property
    def refuted(self) -> bool:
        """Whether the data contradict independent errors: ``a_m`` is not between ``a_g`` and ``c (1 - a_g)``."""
        ends = self.reference_accuracy.value, self.coincidence * (1 - self.reference_accuracy.value)
        return not min(ends) - 1e-12 <= self.observed.value <= max(ends) + 1e-12

    @property
    def estimate_if_agreement_ignores_label_errors(self) -> float:
        """The true accuracy of two classes under another independence, often taken for the first.

        Here the *agreement* of model and label is independent of the label's being right:
        ``1 - a_g - a_m + 2 a_g a_m``. A model that is right independently of the label does not behave so.

        Raises
        ------
        NotAnswerableError
            For more than two classes, where it does not follow.
        """
        if self.n_classes != 2:
            msg = "with more than two classes a model that disagrees with a wrong label need not be right."
            raise NotAnswerableError(msg)
        a_m, a_g = self.observed.value, self.reference_accuracy.value
        return 1 - a_g - a_m + 2 * a_g * a_m

    def at_rho(self, rho: float) -> tuple[float, ...]:
        """Return every true accuracy under the dependence ``rho`` of the errors; see ``accuracy_at_rho``."""
        return accuracy_at_rho(
            self.observed.value, self.reference_accuracy.value, rho, self.n_classes, coincidence=self.coincidence
        )

    def at_overlap(self, overlap: float, *, right_elsewhere: float = 1.0) -> float:
        """Return the true accuracy when the model repeats this share of the label errors."""
        return accuracy_at_overlap(
            self.observed.value, self.reference_accuracy.value, overlap, right_elsewhere=right_elsewhere
        )

    @property
    def overlap_range(self) -> tuple[float, float]:
        """The ends between which the overlap lies."""
        return overlap_range(self.observed.value, self.reference_accuracy.value)

    def place(self, value: float) -> float:
        """Where between the ends does this true accuracy lie: 0 the lower, 1 the upper; NaN for a range of no width."""
        width = self.high - self.low
        return (value - self.low) / width if width > _ROUNDING else math.nan

    @property
    def interval(self) -> Interval:
        """The range with the sampling errors of both inputs: it covers the truth wherever it lies in the range."""
        a_m, a_g = self.observed, self.reference_accuracy
        low, high = self._ends
        common: dict[str, Any] = {"source": "noise", "assumption": NO_ASSUMPTION}
        if not (a_m.sampled or a_g.sampled):
            note = "sampling errors are not accounted for; give the sizes of both samples"
            return Interval(a_m.value, low, high, 1.0, method="sharp", note=note, **common)
        raw = a_m.value + a_g.value - 1
        below = _joint(_side(a_m, up=raw < 0), _side(a_g, up=raw < 0), self.covariance)
        if raw < 0 and self.n_classes > 2:
            below = 0.0
        up = a_m.value <= a_g.value
        above = _joint(_side(a_m, up=up), _side(a_g, up=not up), -self.covariance)
        found = imbens_manski(low, high, below, above, level=self.level, value=a_m.value, **common)
        missing = [name for name, s in (("observed", a_m), ("reference", a_g)) if not s.sampled]
        note = f"the {missing[0]} accuracy is taken as known exactly" if missing else ""
        return cut(replace(found, method="imbens-manski wilson", note=note), (0.0, 1.0))

    @property
    def estimate_interval(self) -> Interval:
        """The estimate under independent errors with its sampling interval; raw where the estimate is refuted."""
        value, c = self.estimate, self.coincidence
        a_m, a_g = self.observed, self.reference_accuracy
        common: dict[str, Any] = {"source": "sampling", "assumption": INDEPENDENT_ERRORS}
        if not (a_m.sampled or a_g.sampled):
            note = "the sizes of both samples are needed"
            return Interval(value, math.nan, math.nan, self.level, note=note, **common)
        slope = (1 + c) * a_g.value - c
        pull = (c - (1 + c) * value) / slope
        variance = (_known(a_m) / slope) ** 2 + (_known(a_g) * pull) ** 2 + 2 * self.covariance * pull / slope
        note = "the data refute independent errors" if self.refuted else ""
        found = plain(value, math.sqrt(max(variance, 0.0)), self.level, method="delta", note=note, **common)
        return cut(found, (0.0, 1.0))

    def sentences(self, *, annotated: bool = False) -> list[str]:
        """Return what was found, in words, one statement each; ``annotated`` where annotators are told of beside it."""
        from softtruth.corrections.accuracy_words import sentences

        return sentences(self, annotated=annotated)

    def __str__(self) -> str:
        """Return the findings in words."""
        return "\n".join(self.sentences())

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        try:
            estimate: float | None = self.estimate
        except NotAnswerableError:
            estimate = None
        drawn = self.observed.sampled or self.reference_accuracy.sampled
        interval, around = self.interval, self.estimate_interval if estimate is not None and drawn else None
        return {
            "observed": self.observed.value,
            "reference_accuracy": self.reference_accuracy.value,
            "n_classes": self.n_classes,
            "coincidence": self.coincidence,
            "low": self.low,
            "high": self.high,
            "interval": [interval.low, interval.high] if drawn else None,
            "level": self.level,
            "rule_of_thumb": list(self.rule_of_thumb),
            "estimate": estimate,
            "estimate_interval": None if around is None else [around.low, around.high],
            "refuted": self.refuted,
            "overlap_range": list(self.overlap_range),
        }


@checked
def true_accuracy(
    observed: float | Interval,
    reference_accuracy: float | Interval,
    n_classes: int = 2,
    *,
    n: float | None = None,
    n_reference: float | None = None,
    coincidence: float | None = None,
    covariance: float = 0.0,
    level: float = 0.95,
) -> TrueAccuracy:
    """How good is a model really, when the labels that it was measured with are right only so often?

    Parameters
    ----------
    observed : float or Interval
        The share of items on which the model says what the label says.
    reference_accuracy : float or Interval
        The share of items whose label is right.
    n_classes : int
    n, n_reference : float, optional
        How many items each share comes from; for an ``Interval`` its own error is taken.
    coincidence : float, optional
        The probability that two wrong answers are the same; by default ``1 / (K - 1)``.
    covariance : float
        Of the two shares, when they come from the same items.
    level : float

    Returns
    -------
    TrueAccuracy
        ``low`` and ``high`` hold for certain; ``estimate`` stands on independent errors and is ``refuted`` where the
        data contradict them. Nothing is clipped.

    Raises
    ------
    InputError
        If a share is not one.

    Examples
    --------
    >>> result = true_accuracy(0.90, 0.96)
    >>> round(result.low, 4), round(result.high, 4), round(result.estimate, 5), result.refuted
    (0.86, 0.94, 0.93478, False)
    >>> result = true_accuracy(0.98, 0.95)
    >>> round(result.estimate, 4), result.refuted
    (1.0333, True)
    >>> print(true_accuracy(0.90, 0.96, n=500, n_reference=300).estimate_interval)
    0.935 [0.899, 0.970] sampling 95%

    Sources: Lam & Stork 2003, IJCAI, 513-518; Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510; Imbens &
    Manski 2004, doi:10.1111/j.1468-0262.2004.00555.x.
    """
    n_classes, level = checked_classes(n_classes), checked_level(level)
    return TrueAccuracy(
        Share.of(observed, n, "observed", level),
        Share.of(reference_accuracy, n_reference, "reference_accuracy", level),
        n_classes,
        coincidence_of(n_classes, coincidence),
        float(covariance),
        level,
    )


def _known(share: Share) -> float:
    return share.error if share.sampled else 0.0


def _side(share: Share, *, up: bool) -> float:
    if not share.sampled:
        return 0.0
    return share.above if up else share.below


def _joint(one: float, other: float, covariance: float) -> float:
    return math.sqrt(max(one * one + other * other + 2 * covariance, 0.0))
