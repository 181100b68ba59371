"""The catalogue: every declared measure by name and alias, and the one language that names them.

``parse("macro f1")`` reads what ``str`` writes: an operator, a name, then its parameters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, shown
from softtruth.measures import agreement, distances, information, odds, rates, similarity, tables
from softtruth.measures.measure import Measure
from softtruth.measures.operators import OPERATORS, Averaged, operator_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth.measures.operators import Operator

# Families by name, and what their numbers may look like.
_FAMILIES: dict[str, Callable[..., Measure]] = {
    "fbeta": rates.fbeta,
    "tversky": similarity.tversky,
    "recall_gmean": tables.recall_gmean,
    "weighted_kappa": distances.weighted_kappa,
}
_EXAMPLES = {"fbeta": "2", "tversky": "0.3 0.7", "recall_gmean": "0.001", "weighted_kappa": "2"}
# What judges probabilities, or every threshold: no part of the catalogue, as docs/about/limits.md says.
_OF_SCORES = {
    *("brier", "brier_score", "brier_score_loss", "log_loss", "logloss", "cross_entropy"),
    *("auc", "roc_auc", "roc_auc_score", "auroc", "pr_auc", "average_precision", "average_precision_score"),
    *("ece", "expected_calibration_error", "calibration_error"),
}
_F_NUMBER = re.compile(r"f(\d+(?:\.\d+)?)")

MEASURES: dict[str, Measure] = {
    m.name: m
    for module in (rates, similarity, odds, agreement, information, tables, distances)
    for m in vars(module).values()
    if isinstance(m, Measure)
}
_BY_NAME: dict[str, Measure] = {name: m for m in MEASURES.values() for name in (m.name, *m.aliases)}


def list_measures(**traits: Any) -> list[Measure]:
    """Which measures have these traits?

    Parameters
    ----------
    **traits
        Attributes of ``Measure`` and the values they must have: ``better="higher"``, ``skew_invariant=True``,
        ``decomposable=True``, ``rung="cells"``, ...

    Returns
    -------
    list of Measure

    Raises
    ------
    InputError
        If a trait is not known.

    Examples
    --------
    >>> [m.name for m in list_measures(better="lower", skew_invariant=True)]
    ['fnr', 'fpr', 'lr_minus', 'prevalence_threshold']
    """
    for name in traits:
        if not hasattr(rates.recall, name):
            msg = f"trait {shown(name)} is not known; traits are the attributes of Measure."
            raise InputError(msg)
    return [m for m in MEASURES.values() if all(getattr(m, name) == value for name, value in traits.items())]


def measure_of(text: str) -> Measure:
    """Return the measure of a name with its parameters, such as ``f1`` or ``fbeta 3``.

    Raises
    ------
    InputError
        If there is none of that name, or a parameter is not a number.
    """
    name, *words = text.strip().lower().split()
    name = name.replace("-", "_")  # a parameter keeps its sign
    if name in _BY_NAME and not words:
        return _BY_NAME[name]
    short = _F_NUMBER.fullmatch(name)
    if short and not words:
        return rates.fbeta(float(short[1]))
    if name in _FAMILIES:
        try:
            return _FAMILIES[name](*(float(word) for word in words))
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            example = _EXAMPLES[name]
            numbers = "numbers" if " " in example else "number"
            msg = (
                f"measure {shown(text)}: expected the {numbers} that {name} takes after its name, as in "
                f"'{name} {example}'."
            )
            raise InputError(msg) from None
    if "_".join([name, *words]) in _OF_SCORES:
        msg = (
            f"measure {shown(text)} judges probabilities or every threshold; expected a measure of decisions or of "
            "soft labels: softtruth.list_measures() names them all."
        )
        raise InputError(msg)
    from difflib import get_close_matches

    near = get_close_matches(name, [*_BY_NAME, *_FAMILIES], n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else " softtruth.list_measures() names them all."
    msg = f"measure {shown(text)} is not known.{hint}"
    raise InputError(msg)


def parse(text: str | Measure | Averaged, operator: str | Operator = "micro") -> Averaged | Measure:
    """Return the question that a text asks: "macro f1", "fbeta 2", "accuracy".

    Parameters
    ----------
    text : str or Measure
        An operator and a measure, or a measure alone.
    operator : str
        The operator of a measure that is named alone; measures of the whole table take none.

    Raises
    ------
    InputError
        If there is no such measure or operator, or the text names one operator and another was asked for.

    Examples
    --------
    >>> str(parse("macro F1")), str(parse("recall", "weighted")), str(parse("accuracy"))
    ('macro f1', 'weighted recall', 'accuracy')
    """
    operator = operator if isinstance(operator, str) else str(operator_of(operator))
    return _read(text, operator) if isinstance(text, str) else _question(text, operator)


@lru_cache(maxsize=1024)
def _read(text: str, operator: str) -> Averaged | Measure:
    """Return the question of a text, read once: many calls ask the same few."""
    return _question(text, operator)


def _question(text: Any, operator: str) -> Averaged | Measure:
    if isinstance(text, Averaged):
        return _agreed(text, operator)
    if isinstance(text, str):
        first, _, rest = text.strip().lower().partition(" ")
        if first in OPERATORS and rest:
            return _agreed(OPERATORS[first](measure_of(rest)), operator)
        if not first:
            msg = "the name of a measure is empty; expected something like 'f1' or 'macro f1'."
            raise InputError(msg)
        text = measure_of(text)
    if not isinstance(text, Measure):
        msg = (
            f"measure {shown(text)} is neither a name nor a Measure; a formula of your own goes through "
            "Measure.from_formula."
        )
        raise InputError(msg)
    if not text.takes_operator and operator == "micro":
        return text
    return operator_of(operator)(text)


def names_operator(text: Any) -> bool:
    """Whether a question brings its own operator, so that no other one may be put to it."""
    if isinstance(text, str):
        first, _, rest = text.strip().lower().partition(" ")
        return first in OPERATORS and bool(rest)
    return isinstance(text, Averaged)


def operator_of_parts(question: Any, operator: Any) -> Any:
    """Return the operator whose parts are meant: the one named on either side, or macro, which has one per class.

    A measure of the whole table takes none and is one part.
    """
    if operator is not None:
        return operator
    return "micro" if names_operator(question) or isinstance(parse(question), Measure) else "macro"


def _agreed(question: Averaged, operator: str) -> Averaged:
    """Return the question, if nobody asked for it under another operator; micro is what is asked by default."""
    if operator not in ("micro", question.operator.name):
        msg = (
            f"{shown(str(question))} names the operator {question.operator.name}, but {shown(operator)} was asked for "
            "beside it; leave one of the two out."
        )
        raise InputError(msg)
    return question
