"""The sentences that a true accuracy is told in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.errors import NotAnswerableError

if TYPE_CHECKING:
    from softtruth.corrections.true_accuracy import TrueAccuracy


def sentences(found: TrueAccuracy, *, annotated: bool = False) -> list[str]:
    """Return what was found, in words, one statement each.

    Where the answers of annotators are told of beside it (``annotated``), none need be asked for.
    """
    a_m, a_g = found.observed.value, found.reference_accuracy.value
    lines = [
        f"Observed accuracy {_p(a_m)}, accuracy of the labels {_p(a_g)}, {found.n_classes} classes.",
        *_mostly_wrong(a_g),
        f"The true accuracy lies between {_p(found.low)} and {_p(found.high)}, however the errors go together.",
    ]
    if found.observed.sampled or found.reference_accuracy.sampled:
        interval = found.interval
        lines.append(
            f"With sampling error: {_p(interval.low)} to {_p(interval.high)} ({100 * found.level:g}%)"
            + (f"; {interval.note}." if interval.note else ".")
        )
    lines += [_independence(found), _compared(found), _reading(found, annotated=annotated)]
    return lines


def _mostly_wrong(right: float) -> list[str]:
    """Ask whether the two shares were exchanged, where labels would be wrong more often than right."""
    asked = (
        f"These would be labels that are wrong more often than right: if {_p(right)} is the share of wrong labels, the "
        f"accuracy of the labels is {_p(1 - right)}."
    )
    return [asked] if right < 0.5 else []


def _independence(found: TrueAccuracy) -> str:
    try:
        value = found.estimate
    except NotAnswerableError as error:
        return f"Under independent errors there is no estimate: {error}"
    if found.refuted:
        least, most = sorted((found.reference_accuracy.value, found.coincidence * (1 - found.reference_accuracy.value)))
        return (
            f"Independent errors are refuted: they would put the true accuracy at {_p(value)}. The observed "
            f"accuracy would have to lie between {_p(least)} and {_p(most)}; the errors go together."
        )
    interval = found.estimate_interval
    ends = "" if math.isnan(interval.low) else f" [{_p(interval.low)}, {_p(interval.high)}]"
    why = f" ({interval.note})" if ends and interval.note else ""
    return f"If the model errs independently of the labels it is {_p(value)}{ends}{why}."


def _compared(found: TrueAccuracy) -> str:
    low, high = found.rule_of_thumb
    words = f"The rule of thumb, observed plus or minus the label errors, gives {_p(low)} to {_p(high)}"
    same = math.isclose(low, found.low, abs_tol=1e-12) and math.isclose(high, found.high, abs_tol=1e-12)
    return f"{words}: here that is the sharp range." if same else f"{words}: not sharp here."


def _reading(found: TrueAccuracy, *, annotated: bool) -> str:
    if found.reference_accuracy.value == 1:
        return "With labels that are never wrong the observed accuracy is the true one."
    return (
        f"Errors are rarely independent: what misleads the people who label often misleads the model too. Then "
        f"the truth is nearer the lower end, {_p(found.low)}."
        f"{'' if annotated else ' Several annotations of each item can tell: softtruth noise --annotations.'}"
    )


def _p(x: float) -> str:
    return f"{x:.4f}".rstrip("0").rstrip(".") if abs(x) < 1e3 else f"{x:.4g}"
