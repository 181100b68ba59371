"""How far two or three predictions of the same items differ, said beside the table that shows them together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth.evaluation.comparison.compared import better_of
from softtruth.evaluation.comparison.pairs import paired_differences
from softtruth.render.words import shown_question
from softtruth.report.parts import Finding
from softtruth.report.questions import questions_of
from softtruth.report.rows import Way
from softtruth.uncertainty.mcnemar import p_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.evaluation.comparison.pairs import Paired
    from softtruth.evaluation.views import Looks
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question

MOST = 3  # predictions: every pair is told, and of more these would be too many lines
_WAY = (("level", "level"), ("interval", "method"), ("draws", "draws"), ("seed", "seed"))  # as asked, as Way has it


def difference_findings(looks: Looks, headline: Sequence[str], asked: Mapping[str, Any]) -> list[Finding]:
    """Return the differences of the headline values of each two predictions, in every view.

    They are paired, as ``uncertainty.compare`` has them without its range over dependence: what both predictions have
    in common cancels. Between three predictions p-values are corrected by Holm's method, within question and view.

    Parameters
    ----------
    looks
        The predictions in their views.
    headline
        The questions that sum the report up.
    asked
        What ``report_of`` was asked.
    """
    by_view: dict[str, dict[str, IndicatorMatrix]] = {}
    for name, view, matrix in looks.parts:
        by_view.setdefault(view.title, {})[name] = matrix
    first = looks.parts[0][2]
    predictions = {name for name, _, _ in looks.parts}
    if not 1 < len(predictions) <= MOST:
        return []
    questions = {str(q): q for q in questions_of(first.task, asked.get("measures"), asked.get("operators"))}
    way = Way(*(asked.get(key, getattr(Way, name)) for key, name in _WAY))
    convention = asked.get("convention", "exclude")
    found: list[Finding] = []
    for name in headline:
        question = questions[name]
        told = {
            view: paired_differences(question, matrices, way, convention=convention)
            for view, matrices in by_view.items()
        }
        for pair in dict.fromkeys(pair for pairs in told.values() for pair in pairs):
            views = {view: pairs[pair] for view, pairs in told.items() if pair in pairs}
            found.append(_finding(question, first.task, pair, views, several=len(predictions) > 2))
    return found


def _finding(
    question: Question, task: str, pair: tuple[str, str], views: Mapping[str, Paired], *, several: bool
) -> Finding:
    name = shown_question(question, task)
    less = ", where less is better" if better_of(question) == "lower" else ""
    words = [_words(told, several=several) + (f" ({view})" if len(views) > 1 else "") for view, told in views.items()]
    sentence = f"{pair[0]} - {pair[1]}: {name} {'; '.join(words)}{less}."
    numbers = {
        "question": str(question),
        "first": pair[0],
        "second": pair[1],
        "views": {
            view: {"value": i.value, "low": i.low, "high": i.high, "p": p, "p_adjusted": adjusted, "note": i.note}
            for view, (i, p, adjusted) in views.items()
        },
    }
    return Finding("difference", "note", sentence, numbers)


def _words(told: Paired, *, several: bool) -> str:
    """Return a difference with its p-value, which is corrected where there are several pairs."""
    interval, p, adjusted = told
    if math.isnan(interval.value):
        return f"undefined ({interval.note})"
    if math.isnan(interval.low):
        return f"{interval.value:+.3f} (no interval: {interval.note})"
    ends = f"{interval.value:+.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    return ends if math.isnan(p) else f"{ends}, p {p_words(adjusted)}{' after Holm' if several else ''}"
