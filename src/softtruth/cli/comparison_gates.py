"""Gates of a comparison: `--fail-under "macro f1=-0.01"` is a bound on what a prediction gains on the baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.cli import gates as of_values
from softtruth.errors import InputError, shown
from softtruth.render.junit import Case
from softtruth.uncertainty.rounding import at_least

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.cli.gates import End, Gate
    from softtruth.report import ComparisonReport
    from softtruth.report.difference import Difference


def parse_gates(under: Sequence[str], names: Sequence[str]) -> list[Gate]:
    """Read `macro f1=-0.01`, `soft:accuracy=0` and `NAME:mcc=0.02`."""
    return of_values.parse_gates(under, (), names)


def check(
    gates: Sequence[Gate], comparison: ComparisonReport, baseline: str, end: End, *, worse: bool = False
) -> list[Case]:
    """Return a case for each gate and prediction; those that failed say why.

    Parameters
    ----------
    gates
        The bounds.
    comparison
        It answers their questions.
    baseline
        The prediction on which others are to gain.
    end
        Compare the gain (`value`), or the end of its interval that is nearer to failing (`low`).
    worse
        Whether a verdict that the baseline is better fails, too.
    """
    others = [name for name in comparison.predictions if name != baseline]
    cases: list[Case] = []
    for gate in gates:
        question = of_values.asked_as(gate.question, (row.question for row in comparison.rows))
        if gate.prediction == baseline:
            raise InputError(f"The gate on {shown(baseline)} has nothing to hold: it is the baseline of the others.")
        named = others if gate.prediction is None else [gate.prediction]
        rows = [comparison.row(question, name, baseline, gate.view) for name in named]
        cases += [_bound(gate, comparison, row, end) for row in rows]
    if not worse:
        return cases
    return [*cases, *(_verdict(comparison.row(q, name, baseline)) for q in comparison.headline for name in others)]


def _bound(gate: Gate, comparison: ComparisonReport, row: Difference, end: End) -> Case:
    gain, words = (row.gain, "gain") if end == "value" else (row.gain_ends[0], "low end of the gain")
    view = gate.view or comparison.views[0].name
    failure = ""
    if not at_least(gain, gate.bound):  # nothing undefined passes
        what = f"gate failed: {gate.question} of {row.first} against {row.second} ({view})"
        failure = f"{what} has the {words} {gain:.4g}, below {gate.bound:g}."
        if math.isnan(gain):
            failure = f"{what} has no {words}, and the bound is {gate.bound:g}."
    name = f"{words} in {gate.question} >= {gate.bound:g}"
    return Case(name, f"{row.first} against {row.second} ({view})", failure, f"{row.interval}; {row.signature}")


def _verdict(row: Difference) -> Case:
    failure = ""
    if row.verdict == "undefined":  # nothing undefined passes
        what = f"gate failed: {row.first} and {row.second} cannot be compared in {row.question} ({row.view})"
        failure = f"{what}: {row.interval.note}."
    if row.beyond_chance and row.ahead == row.second:
        failure = (
            f"gate failed: {row.first} is worse than {row.second} in {row.question} ({row.view}) by {-row.gain:.4g}."
        )
    name = f"not worse in {row.question}"
    return Case(name, f"{row.first} against {row.second} ({row.view})", failure, f"{row.interval}; {row.signature}")
