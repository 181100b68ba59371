"""A problem at another prior, as it is printed and written: each prediction, and where each two swap places."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.priors import LABEL_SHIFT
from softtruth.render.words import shown_question
from softtruth.report.findings import number
from softtruth.report.plain import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.crossing import Crossing
    from softtruth.corrections.prior_curve import PriorCurve
    from softtruth.corrections.target_prior import PriorEstimate
    from softtruth.uncertainty.interval import Interval

_UNTESTED = "label shift: not testable from decisions, which some prior always explains"


@dataclass(frozen=True, eq=False)
class ShiftedView:
    """One prediction at the other prior.

    Attributes
    ----------
    name : str
    prior : ndarray
        (K,), (m,), or (1,) for binary data.
    estimate : PriorEstimate, optional
        Where the prior was estimated.
    rows : tuple of (str, Interval, Interval)
        Each measure at the prior of the data and at the other one.
    curve : PriorCurve, optional
        The first measure between priors.
    """

    name: str
    prior: NDArray[np.float64]
    estimate: PriorEstimate | None
    rows: tuple[tuple[str, Interval, Interval], ...]
    curve: PriorCurve | None


_OF_SHARES = (
    "Frequencies are those of the shares of the reference. A comparison takes the most likely class of each item, so "
    "that its frequencies and crossings are others."
)


@dataclass(frozen=True, eq=False)
class ShiftReport:
    """Every prediction at another prior, and where each two swap places.

    Attributes
    ----------
    task : str
    classes : tuple of str
        The classes that have a frequency: for binary data the positive one.
    own_prior : ndarray
    views : tuple of ShiftedView
    crossings : tuple of (str, str, Crossing)
    assumption : str
    soft : bool
        Whether the reference gives shares, so that a frequency is one of shares and not of the most likely classes.
    """

    task: str
    classes: tuple[str, ...]
    own_prior: NDArray[np.float64]
    views: tuple[ShiftedView, ...]
    crossings: tuple[tuple[str, str, Crossing], ...]
    assumption: str = LABEL_SHIFT
    soft: bool = False

    def to_text(self) -> str:
        """Return the report in words and tables."""
        lines: list[str] = []
        for view in self.views:
            lines += [view.name, *(f"  {line}" for line in self._prior_lines(view)), ""]
            width = max(len(name) for name, _, _ in view.rows)
            lines.append(f"  {'':{width}}  {'at the prior of the data':30}  at the other prior")
            lines += [f"  {name:{width}}  {_ends(own):30}  {_ends(other)}" for name, own, other in view.rows]
            lines.append("")
        for a, b, crossing in self.crossings:
            lines.append(f"{a} and {b}: {_with_names(shown_question(crossing, self.task), a, b)}")
        if self.soft:
            lines.append(_OF_SHARES)
        lines.append(f"Assumption: {self.assumption}.")
        lines += [_tested(view.name, view.estimate) for view in self.views if view.estimate is not None]
        return "\n".join(lines)

    @property
    def _level(self) -> float:
        """The level of all intervals."""
        return self.views[0].rows[0][1].level

    def _prior_lines(self, view: ShiftedView) -> list[str]:
        if view.estimate is None:
            moved = zip(self.classes, self.own_prior, view.prior, strict=True)
            return [f"frequency of {name}: {own:.4g} in the data, {other:.4g} here" for name, own, other in moved]
        lines = [
            f"frequency of {name}: {own:.4g} in the data, {_ends(interval)} in the target"
            for name, own, interval in zip(
                self.classes, self.own_prior, view.estimate.intervals(self._level), strict=True
            )
        ]
        lines.append(view.estimate.caveat)
        if view.estimate.condition is not None:
            lines.append(f"condition number of the rates: {np.max(view.estimate.condition):.3g}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "schema_version": 1,
            "task": self.task,
            "classes": list(self.classes),
            "own_prior": self.own_prior.tolist(),
            "assumption": self.assumption,
            "predictions": [_view_to_dict(view) for view in self.views],
            "crossings": [
                {
                    "first": a,
                    "second": b,
                    "measure": c.question,
                    "verdict": c.verdict,
                    "priors": c.priors.tolist(),
                    "values": c.values.tolist(),
                    "better": list(c.better),
                    "method": c.method,
                }
                for a, b, c in self.crossings
            ],
        }


def _tested(name: str, estimate: PriorEstimate) -> str:
    """Say whether the target bears out what the numbers assume; marked as reports mark warnings where it does not."""
    test = estimate.test
    return f"{'! ' if test is not None and test.refuted else ''}{name}: {test or _UNTESTED}"


def _with_names(sentence: str, first: str, second: str) -> str:
    """Put the names of two models into what is said of the first and the second, both at once."""
    return re.sub(r"\b(first|second)\b", lambda found: first if found[0] == "first" else second, sentence)


def _view_to_dict(view: ShiftedView) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": view.name,
        "prior": view.prior.tolist(),
        "measures": [
            {"measure": name, "own": _interval(own), "shifted": _interval(other)} for name, own, other in view.rows
        ],
    }
    estimate = view.estimate
    if estimate is not None:
        test = estimate.test
        found["estimate"] = {
            "method": estimate.method,
            "intervals": [_interval(i) for i in estimate.intervals(view.rows[0][1].level)],
            "condition": None if estimate.condition is None else np.asarray(estimate.condition).tolist(),
            "steps": estimate.steps,
            "projected": estimate.projected is not None,
            "test": None
            if test is None or math.isnan(test.p_value)
            else {"chi2": test.statistic, "degrees": test.degrees, "p_value": test.p_value},
        }
    if view.curve is not None:
        curve = view.curve
        ends = {"low": curve.low, "high": curve.high}
        found["curve"] = {
            "measure": str(curve.question),
            "priors": curve.priors.tolist(),
            "values": plain(curve.values),
            **{name: plain(end) for name, end in ends.items() if end is not None},
        }
    return found


def _interval(interval: Interval) -> dict[str, Any]:
    keys = ("value", "low", "high", "standard_error", "level", "source", "method", "assumption", "note")
    return {key: plain(getattr(interval, key)) for key in keys}


def _ends(interval: Interval) -> str:
    value = number(interval.value)
    if math.isnan(interval.low):
        return f"{value} (no interval)"
    return f"{value} [{interval.low:.3f}, {interval.high:.3f}]"
