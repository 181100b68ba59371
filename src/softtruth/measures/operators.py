"""Operators: they take a measure of cells and give a measure of the data.

``micro`` pools the cells of all classes, ``macro`` averages over classes, ``weighted`` averages with the classes'
reference masses as weights, ``exemplar`` averages over examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from softtruth._arrays import is_host
from softtruth.conventions import Convention, average, convention_of, settle
from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.measures.measure import Measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells


@dataclass(frozen=True)
class Operator:
    """A way to average a measure; called with a measure it gives the averaged one."""

    name: str

    def __call__(self, measure: Measure) -> Averaged:
        """Return the measure under this operator.

        Raises
        ------
        InputError
            If the measure belongs to the whole table and takes none.
        """
        if not measure.takes_operator:
            msg = f"{measure.name} is a measure of the whole table and takes no operator; leave out {shown(self.name)}."
            raise InputError(msg)
        return Averaged(self, measure)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True)
class Averaged:
    """A measure of cells under an operator: ``str`` gives "macro f1", and ``parse`` reads it back."""

    operator: Operator
    measure: Measure

    def __str__(self) -> str:
        """Return operator and measure, as columns, files and command lines write them."""
        return f"{self.operator.name} {self.measure.name}"


micro = Operator("micro")
macro = Operator("macro")
weighted = Operator("weighted")
exemplar = Operator("exemplar")
OPERATORS = {o.name: o for o in (micro, macro, weighted, exemplar)}


def formula_of(question: Averaged | Measure) -> Measure:
    """Return the measure that a question is about, without its operator."""
    return question.measure if isinstance(question, Averaged) else question


def operator_of(name: str | Operator) -> Operator:
    """Return the operator of that name.

    Raises
    ------
    InputError
        If there is none.
    """
    if isinstance(name, Operator):
        return name
    try:
        return OPERATORS[name]
    except (KeyError, TypeError):
        msg = f"operator {shown(name)} is not known; expected one of {listed(OPERATORS)}."
        raise InputError(msg) from None


def _taking_part(question: Measure, statistic: Any, columns: Any) -> Any:
    """Return what a measure that is averaged over classes without an operator is put to."""
    if question.rung == "cells":
        return statistic.cells.subset(columns)
    return statistic.classes.subset(columns) if statistic.classes is statistic.cells else statistic


def parts_of(question: Averaged | Measure, statistic: Any, columns: Any = None) -> tuple[Array, Array | None]:
    """Return the values that the average is taken over, and their weights (None: equal).

    Parameters
    ----------
    question
        A measure of the table, or a measure of cells under micro, macro or weighted.
    statistic
        Cells, a table or examples.
    columns
        The classes that take part; None for all.

    Raises
    ------
    NotAnswerableError
        For ``exemplar``: a sum over examples does not say what each one was.
    """
    if isinstance(question, Measure):
        if not (question.per_class or question.folds):
            return question(statistic)[..., None], None
        values = question(_taking_part(question, statistic, columns))
        return values if question.per_class else values[..., None], None
    cells: Cells = statistic.cells.subset(columns)
    if question.operator is micro:
        return question.measure(cells.pooled), None
    if question.operator is exemplar:
        msg = (
            f"{question} needs the examples: a sum over them does not say what each one was. Use an IndicatorMatrix, "
            "or Means."
        )
        raise NotAnswerableError(msg)
    return question.measure(cells), cells.positives if question.operator is weighted else None


def evaluate(
    question: Averaged | Measure, statistic: Any, convention: str | Convention = Convention.EXCLUDE, columns: Any = None
) -> Array:
    """Return the value of a question put to a statistic, over all axes but the class axis.

    Undefined values follow the convention; a lone undefined value (micro, a measure of the table) stays NaN under
    ``exclude``.
    """
    convention = convention_of(convention)
    if isinstance(question, Measure) and question.folds:
        return settle(question(_taking_part(question, statistic, columns), convention=convention), convention)
    values, weights = parts_of(question, statistic, columns)
    if values.shape[-1] == 1 and weights is None and is_host(values):
        return settle(values[..., 0], convention)
    return average(values, weights, convention)
