"""Any measure of sums as a loss: how far its value is from its best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth.conventions import Convention
from softtruth.errors import InputError
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.measures.measure import Measure


def loss_question(measure: str | Measure | Averaged) -> Averaged | Measure:
    """Return the question that a loss asks.

    Raises
    ------
    InputError
        If it is an average over examples, or its measure has no better end.
    """
    question = parse(measure)
    if isinstance(question, Averaged) and question.operator is exemplar:
        msg = f"{question} is an average over examples, not a function of sums; use micro, macro or weighted."
        raise InputError(msg)
    if formula_of(question).better == "neither":
        msg = f"{question} has no better end, so that it is no loss; choose a measure that has one."
        raise InputError(msg)
    return question


def loss_of(question: Averaged | Measure, statistic: Any) -> Array:
    """Return ``best - value``, or the value where lower is better; undefined parts count as 0.

    The best is the upper end of the measure's range, or 0 where it has none.
    """
    value = evaluate(question, statistic, Convention.ZERO)
    formula = formula_of(question)
    if formula.better == "lower":
        return value
    best = formula.range[1]
    return (best if math.isfinite(best) else 0.0) - value
