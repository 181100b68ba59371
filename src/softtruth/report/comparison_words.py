"""What a paired difference amounts to, in one sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.render import words
from softtruth.uncertainty.mcnemar import p_words
from softtruth.uncertainty.telling_apart import POWER

if TYPE_CHECKING:
    from softtruth.report.difference import Difference

# What "pointwise beyond chance" leaves open.
UNCORRECTED = (
    "not corrected for pairs, classes and points, so that two can be told apart there that a verdict, which is "
    "corrected, leaves open"
)


def digits(half_width: float) -> int:
    """Return how many digits after the point show an uncertainty of this size: three, or more where it is smaller.

    Examples
    --------
    >>> digits(0.02), digits(0.0012), digits(float("nan"))
    (3, 4, 3)
    """
    if not (math.isfinite(half_width) and half_width > 0):
        return 3
    return min(8, max(3, 1 - math.floor(math.log10(half_width))))


def gain_words(gain: float, low: float, high: float) -> str:
    """Return a gain with its ends.

    Examples
    --------
    >>> gain_words(0.021, 0.008, 0.034), gain_words(0.5, float("nan"), float("nan"))
    ('0.021 [0.008, 0.034]', '0.500')
    """
    figures = digits((high - low) / 2)
    if math.isnan(low):
        return words.number(gain, figures)
    return f"{words.number(gain, figures)} [{words.number(low, figures)}, {words.number(high, figures)}]"


def oriented(row: Difference) -> tuple[str, str, str]:
    """Return who is ahead, who is behind, and by how much: with a negative end where chance could have made it."""
    low, high = row.gain_ends
    if row.ahead == row.second:
        return row.second, row.first, gain_words(0.0 - row.gain, 0.0 - high, 0.0 - low)
    return row.first, row.second, gain_words(row.gain, low, high)


def verdict_sentence(row: Difference, task: str, pairs: int = 1, reference: str = "") -> str:
    """Return the verdict of a difference in one sentence.

    Parameters
    ----------
    row : Difference
    task : str
    pairs : int
        How many pairs share Holm's correction.
    reference : str
        The title of the view, where there are several.
    """
    name = against(words.shown_question(row.question, task), reference)
    where = "" if row.group is None else f" where {row.group}"
    if row.verdict == "same":
        return f"{row.first} and {row.second} give the same answers{where}, so that they are equal in {name}."
    if row.verdict == "undefined":
        return f"{row.first} and {row.second} cannot be compared in {name}{where}: {row.interval.note}."
    if row.verdict == "unranked":
        ends = gain_words(row.interval.value, row.interval.low, row.interval.high)
        return (
            f"{row.first} - {row.second} in {name}{where}: {ends}; the measure does not say which of the two is better."
        )
    ahead, behind, by = oriented(row)
    less = " (less is better)" if row.better == "lower" else ""
    holm = f" (p {p_words(row.p_adjusted)} after Holm)" if pairs > 1 and not math.isnan(row.p_adjusted) else ""
    if row.beyond_chance:
        return f"{ahead} is better than {behind} in {name}{where} by {by}{less}{holm}."
    return _undecided(row, f"in {name}{where}", f"{by}{less}{holm}", ahead, behind)


def against(name: str, reference: str) -> str:
    """Return a question with the reference that it is asked about, where there are several.

    Examples
    --------
    >>> against("f1", "majority reference"), against("f1", "soft, decision only"), against("f1", "")
    ('f1 against the majority reference', 'f1 in the view "soft, decision only"', 'f1')
    """
    if not reference:
        return name
    return f"{name} against the {reference}" if reference.endswith("reference") else f'{name} in the view "{reference}"'


def _undecided(row: Difference, where: str, by: str, ahead: str, behind: str) -> str:
    """Return what is said of a difference that may be chance."""
    if row.gain == 0:
        return f"{row.first} and {row.second} are equal {where} on these items: the difference is {by}."
    if math.isnan(row.interval.low):
        return (
            f"{ahead} is ahead of {behind} {where} by {by}, and how sure that is cannot be said: {row.interval.note}."
        )
    needed = ""
    if row.items_needed is not None:
        power, items = words.percent(POWER), _rounded(row.items_needed)
        needed = f"; to tell a difference of this size ({power} power) would take about {items} items"
    alone = "; the interval by itself, not corrected, leaves out 0" if row.interval.low * row.interval.high > 0 else ""
    return f"{row.first} and {row.second} cannot be told apart {where}: {ahead} is ahead by {by}{alone}{needed}."


def _rounded(n: int) -> str:
    """Return a number of items with two digits that mean something.

    Examples
    --------
    >>> _rounded(87), _rounded(12345)
    ('87', '12,000')
    """
    figures = max(0, len(str(n)) - 2)
    return f"{round(n, -figures):,}"
