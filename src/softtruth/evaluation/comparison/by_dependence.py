"""Whether the dependence of a soft reference and soft predictions can turn the order of two predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import NotAnswerableError
from softtruth.evaluation.comparison.compared import better_of, not_asked
from softtruth.report.comparison_words import gain_words
from softtruth.report.parts import Finding
from softtruth.uncertainty.comparison import range_of_difference
from softtruth.uncertainty.dependence import dependence_bounds, why_fixed
from softtruth.uncertainty.dependence_curve import dependence_curve
from softtruth.uncertainty.rounding import apart
from softtruth.uncertainty.sign_changes import sign_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.evaluation.comparison.pairs import Pair
    from softtruth.indicator_matrix import IndicatorMatrix

NEAR_RHO = 0.5  # half way from independence, which is assumed, to its opposite
_RHOS = np.linspace(-1, 1, 201)


def dependence_swaps(compared: Compared) -> list[Finding]:
    """Say whether the dependence of a soft reference and soft predictions can turn the order."""
    found = []
    for view, look in compared.views.items():
        for name, question in compared.ranked():
            for pair in compared.contested(view):
                matrices = [compared.matrices[view][each] for each in pair]
                try:
                    if not all(why_fixed(matrix.statistic) for matrix in matrices):
                        found.append(_dependence_finding(f"{name}, {look.title}", question, pair, matrices, compared))
                except NotAnswerableError as error:
                    found.append(not_asked("dependence", error, name))
                    break
    return found


def _dependence_finding(
    name: str, question: Any, pair: Pair, matrices: Sequence[IndicatorMatrix], compared: Compared
) -> Finding:
    settings: dict[str, Any] = {"convention": compared.convention, "columns": matrices[0].taking_part}
    curves = [dependence_curve(question, matrix.statistic, _RHOS, **settings) for matrix in matrices]
    whole = range_of_difference(*(dependence_bounds(question, matrix.statistic, **settings) for matrix in matrices))
    sign = 1 if better_of(question) == "higher" else -1
    gains = sign * apart(*curves)
    if np.isnan(gains).all():
        return not_asked("dependence", "the values are infinite or undefined at every degree of it", name)
    low, high = sorted((sign * whole.low, sign * whole.high))
    turns = sign_changes(_RHOS, gains)
    numbers = {
        "measure": str(question),
        "rho": turns,
        "low": whole.low,
        "high": whole.high,
        "gain_at_rho": {f"{_RHOS[i]:g}": float(gains[i]) for i in (0, len(_RHOS) // 2, -1)},
    }
    known = gains[~np.isnan(gains)]
    ahead = pair[0] if known[len(known) // 2] >= 0 else pair[1]  # at independence, if they have values there
    reach = (low, high) if ahead == pair[0] else (0.0 - high, 0.0 - low)
    ends = gain_words(0.0, *reach).partition(" ")[2]
    alone = f"if each prediction has a dependence of its own, the gain of {ahead} is anything in {ends}"
    if turns:
        before, after = (pair[0] if x > 0 else pair[1] for x in known[known != 0][[0, -1]])
        at = ", ".join(f"{rho:.2f}" for rho in turns)
        sentence = (
            f"{name}: {before} is ahead while the dependence rho of predictions and reference is below {at} (0 is "
            f"independence, as is assumed), {after} above; {alone}."
        )
        severity = "warning" if min(map(abs, turns)) <= NEAR_RHO else "note"
        return Finding("swap_at_dependence", severity, sentence, numbers, pair)
    if not np.any(known):
        sentence = f"{name}: {pair[0]} and {pair[1]} are equal at every degree of dependence that both share."
    elif low > 0 or high < 0:
        sentence = f"{name}: {ahead} is ahead whatever the dependence of each prediction and the reference."
    else:
        sentence = f"{name}: {ahead} is ahead at every degree of dependence that both share; {alone}."
    return Finding("order_under_dependence", "note", sentence, numbers, pair)
