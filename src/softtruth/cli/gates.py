"""Gates: `--fail-under "macro f1=0.8"` turns a report into passes and failures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.selection import scoped
from softtruth.measures import Measure, parse
from softtruth.measures.catalogue import names_operator
from softtruth.render.junit import Case
from softtruth.uncertainty.rounding import at_least

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.report import Report

End = Literal["value", "low"]
VIEWS = ("reference", "majority", "soft", "soft_decision")


@dataclass(frozen=True)
class Gate:
    """A bound that a measure has to keep.

    `prediction` None stands for all, `view` None for the first column of the report.
    """

    question: str
    bound: float
    under: bool
    prediction: str | None
    view: str | None


def parse_gates(under: Sequence[str], over: Sequence[str], names: Sequence[str]) -> list[Gate]:
    """Read `macro f1=0.8`, `soft:accuracy=0.9` and `NAME:mcc=0.5`.

    Parameters
    ----------
    under
        Bounds that a value must not be below.
    over
        Bounds that a value must not be above.
    names
        Names of the predictions; a gate without a name is for each of them.
    """
    flags = (("--fail-under", under), ("--fail-over", over))
    return [_parsed(text, names, flag) for flag, texts in flags for text in texts]


def _parsed(text: str, names: Sequence[str], flag: str) -> Gate:
    left, sign, right = text.rpartition("=")
    try:
        bound = float(right)
    except ValueError:
        bound = math.nan
    if not sign or not left.strip() or math.isnan(bound):
        raise InputError(f'{flag} {shown(text)} is no gate; expected MEASURE=NUMBER, for instance "macro f1=0.8".')
    name, rest = scoped(left.strip(), names)
    view, question = scoped(rest, VIEWS)
    return Gate(" ".join(question.split()), bound, flag == "--fail-under", name, view)


def check(gates: Sequence[Gate], report: Report, end: End) -> list[Case]:
    """Return a case for each gate and prediction; those that failed say why.

    Parameters
    ----------
    gates
        The bounds.
    report
        A report that answers their questions.
    end
        Compare the `value`, or the end of the interval that is nearer to failing (`low`).
    """
    cases = []
    for gate in gates:
        question = asked_as(gate.question, (row.question for row in report.rows if row.label is None))
        view = gate.view or report.views[0].name
        for name in report.predictions if gate.prediction is None else [gate.prediction]:
            row = report.row(question, view, name)
            value, words = row.interval.value, "value"
            if end == "low":
                value, words = (row.interval.low, "low end") if gate.under else (row.interval.high, "high end")
            passed = (
                at_least(value, gate.bound) if gate.under else at_least(gate.bound, value)
            )  # nothing undefined passes
            what = gate.question if end == "value" else f"{words} of {gate.question}"
            cases.append(
                Case(
                    f"{what} {'>=' if gate.under else '<='} {gate.bound:g}",
                    f"{name} ({view})" if name else view,
                    "" if passed else _sentence(gate, view, name, f"the {words} {value:.4g}", value),
                    f"{row.interval}; {row.signature}",
                )
            )
    return cases


def asked_as(question: str, answered: Iterable[str]) -> str:
    """Return the name under which a question is answered: `f1` of binary data is `micro f1`, `macro Dice` `macro f1`.

    Raises
    ------
    InputError
        If it is none, or several averages of it are answered.
    """
    names = dict.fromkeys(answered)
    if question in names:
        return question
    meant = parse(question)
    if names_operator(question) or isinstance(meant, Measure):
        return str(meant)
    under = [name for name in names if name.partition(" ")[2] == str(meant.measure)]
    if not under:
        return question
    if len(under) > 1:
        raise InputError(f"The gate {shown(question)} can mean {listed(under)}; name one of them.")
    return under[0]


def _sentence(gate: Gate, view: str, name: str, words: str, value: float) -> str:
    what = f"gate failed: {gate.question}{f' of {name}' if name else ''} ({view})"
    if math.isnan(value):
        return f"{what} is undefined, and the bound is {gate.bound:g}."
    return f"{what} has {words}, {'below' if gate.under else 'above'} {gate.bound:g}."
