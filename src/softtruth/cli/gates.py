"""Gates: `--fail-under "macro f1=0.8"` turns a report into a pass or a failure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from softtruth.errors import InputError, shown
from softtruth.inputs.selection import scoped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.problem import Problem

End = Literal["value", "low"]
Against = Literal["soft", "majority"]


@dataclass(frozen=True)
class Gate:
    """A bound that a measure has to keep."""

    measure: str
    bound: float
    under: bool
    prediction: str | None
    against: Against


def parse_gates(under: Sequence[str], over: Sequence[str], names: Sequence[str]) -> list[Gate]:
    """Read `macro f1=0.8`, `majority:accuracy=0.9` and `NAME:mcc=0.5`.

    Parameters
    ----------
    under
        Bounds that a value must not be below.
    over
        Bounds that a value must not be above.
    names
        Names of the predictions; a gate without a name is for each of them.
    """
    return [
        _parsed(text, names, flag) for flag, texts in (("--fail-under", under), ("--fail-over", over)) for text in texts
    ]


def _parsed(text: str, names: Sequence[str], flag: str) -> Gate:
    left, sign, right = text.rpartition("=")
    try:
        bound = float(right)
    except ValueError:
        bound = math.nan
    if not sign or not left.strip() or math.isnan(bound):
        raise InputError(f'{flag} {shown(text)} is no gate; expected MEASURE=NUMBER, for instance "macro f1=0.8".')
    name, rest = scoped(left.strip(), names)
    against, measure = scoped(rest, ("soft", "majority"))
    return Gate(measure.strip(), bound, flag == "--fail-under", name, "majority" if against == "majority" else "soft")


def check(gates: Sequence[Gate], problem: Problem, *, level: float, end: End) -> list[str]:
    """Return one sentence for each gate that failed.

    Parameters
    ----------
    gates
        The bounds.
    problem
        What is measured.
    level
        The level of the intervals.
    end
        Compare the `value`, or the end of the interval that is nearer to failing (`low`).
    """
    from softtruth.indicator_matrix import IndicatorMatrix

    known: dict[tuple[str, str], Any] = {}
    failed = []
    for gate in gates:
        for name in [gate.prediction] if gate.prediction else list(problem.predictions):
            key = (name, gate.against)
            if key not in known:
                known[key] = IndicatorMatrix(**problem.arguments(name, gate.against))
            failed += _failures(gate, known[key], name, level=level, end=end)
    return failed


def _failures(gate: Gate, matrix: Any, name: str, *, level: float, end: End) -> list[str]:
    if end == "low":
        interval = matrix.interval(gate.measure, level=level)
        value, end_of = (interval.low, "low end") if gate.under else (interval.high, "high end")
    else:
        value, end_of = matrix.compute(gate.measure), "value"
    if value >= gate.bound if gate.under else value <= gate.bound:
        return []
    what = f"gate failed: {gate.measure} of {name} against the {gate.against} reference"
    if math.isnan(value):
        return [f"{what} is undefined, and the bound is {gate.bound:g}."]
    return [f"{what} has the {end_of} {value:.4g}, {'below' if gate.under else 'above'} {gate.bound:g}."]
