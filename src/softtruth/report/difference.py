"""The difference of two predictions of the same items: a row of a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from softtruth.report.plain import number
from softtruth.uncertainty.interval import negated

if TYPE_CHECKING:
    from softtruth.uncertainty.interval import Interval

COLUMNS = (
    "measure", "view", "group", "first", "second", "first_value", "second_value", "difference", "low", "high", "level",
    "p_value", "p_adjusted", "better", "verdict", "ahead", "items", "items_needed", "method", "standard_error",
    "assumption", "note", "signature",
)  # fmt: skip
NUMBERS = {
    "first_value", "second_value", "difference", "low", "high", "level", "p_value", "p_adjusted", "items",
    "items_needed", "standard_error",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Two predictions under one question: first minus second, on the same items.

    Attributes
    ----------
    question : str
        Operator and measure.
    view : str
        What they were compared with: see ``View``.
    group : str or None
        Of which items; None for all.
    first, second : str
    values : (float, float)
        The value of each.
    interval : Interval
        First minus second.
    p_value, p_adjusted : float
        Two-sided, of no difference; after Holm's correction over the pairs (and groups) of the question.
    better : {"higher", "lower", "neither"}
        Which way the measure is better.
    verdict : str
        ``first`` or ``second`` is better beyond chance; ``undecided``; ``same``, where both answer alike on every item;
        ``undefined``, where a value is; ``unranked``, where the measure does not say which way is better.
    items : int
    items_needed : int, optional
        How many items would show an undecided difference of this size.
    signature : str
        The settings in one line.
    """

    question: str
    view: str
    group: str | None
    first: str
    second: str
    values: tuple[float, float]
    interval: Interval
    p_value: float
    p_adjusted: float
    better: str
    verdict: str
    items: int
    items_needed: int | None = None
    signature: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the two."""
        return self.first, self.second

    @property
    def beyond_chance(self) -> bool:
        """Whether one of the two is better beyond chance."""
        return self.verdict in {"first", "second"}

    @property
    def ahead(self) -> str:
        """The name of the prediction with the better value, by chance or not; nothing where neither is."""
        gain = self.gain
        if math.isnan(gain) or gain == 0:
            return ""
        return self.first if gain > 0 else self.second

    @property
    def gain(self) -> float:
        """By how much the first is better than the second; negative where it is worse, NaN where nobody can say."""
        sign = {"higher": 1.0, "lower": -1.0}.get(self.better, math.nan)
        return sign * self.interval.value

    @property
    def gain_ends(self) -> tuple[float, float]:
        """The ends of the interval of the gain; where both answer alike, exactly nothing."""
        if self.verdict == "same":
            return 0.0, 0.0
        low, high = self.interval.low, self.interval.high
        return {"higher": (low, high), "lower": (-high, -low)}.get(self.better, (math.nan, math.nan))

    def turned(self) -> Difference:
        """Return the same difference with the two predictions in the other order."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            values=(self.values[1], self.values[0]),
            interval=negated(self.interval),
            verdict={"first": "second", "second": "first"}.get(self.verdict, self.verdict),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON values, flat; numbers that JSON cannot write are null."""
        i = self.interval
        return {
            "measure": self.question,
            "view": self.view,
            "group": self.group,
            "first": self.first,
            "second": self.second,
            "first_value": number(self.values[0]),
            "second_value": number(self.values[1]),
            "difference": number(i.value),
            "low": number(i.low),
            "high": number(i.high),
            "level": i.level,
            "p_value": number(self.p_value),
            "p_adjusted": number(self.p_adjusted),
            "better": self.better,
            "verdict": self.verdict,
            "ahead": self.ahead,
            "items": self.items,
            "items_needed": self.items_needed,
            "method": i.method,
            "standard_error": number(i.standard_error),
            "assumption": i.assumption,
            "note": i.note,
            "signature": self.signature,
        }
