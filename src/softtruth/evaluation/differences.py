"""How far two or three predictions of the same items differ, said beside the table that shows them together."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from softtruth.conventions import convention_of
from softtruth.errors import NotAnswerableError
from softtruth.measures import Averaged
from softtruth.report.parts import Finding
from softtruth.report.questions import questions_of
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.mcnemar import holm
from softtruth.uncertainty.paired import paired_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.evaluation.views import Looks
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.questions import Question
    from softtruth.uncertainty.interval import Interval

MOST = 3  # predictions: every pair is told, and of more these would be too many lines
Told = tuple["Interval", float, float]  # a difference, its p-value, and that value after Holm's correction


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
    if not 1 < len({name for name, _, _ in looks.parts}) <= MOST:
        return []
    questions = {str(q): q for q in questions_of(first.task, asked.get("measures"), asked.get("operators"))}
    found: list[Finding] = []
    for name in headline:
        question = questions[name]
        told = {view: _pairs(question, matrices, asked) for view, matrices in by_view.items()}
        for pair in dict.fromkeys(pair for pairs in told.values() for pair in pairs):
            views = {view: pairs[pair] for view, pairs in told.items() if pair in pairs}
            found.append(_finding(question, first.task, pair, views))
    return found


def _pairs(
    question: Question, matrices: Mapping[str, IndicatorMatrix], asked: Mapping[str, Any]
) -> dict[tuple[str, str], Told]:
    """Return the difference of each two predictions; of none where the question has no answer, as the rows say."""
    if isinstance(question, str):  # a question about whole rows, which no formula answers
        return {}
    draws = Draws(asked.get("draws", 2000), asked.get("seed", 0))
    settings: dict[str, Any] = {name: asked[name] for name in ("level",) if name in asked}
    settings |= {"convention": convention_of(asked.get("convention", "exclude")), "method": asked.get("interval")}
    settings["method"] = settings["method"] or "influence"
    found: dict[tuple[str, str], tuple[Interval, float]] = {}
    for one, other in combinations(matrices, 2):
        a, b = matrices[one], matrices[other]
        try:
            found[one, other] = paired_difference(
                question, a.statistic, b.statistic, draws, columns=a.taking_part, **settings
            )
        except NotAnswerableError:
            continue
    tested = [pair for pair, (_, p) in found.items() if not math.isnan(p)]
    adjusted = dict(zip(tested, holm([found[pair][1] for pair in tested]), strict=True))
    return {pair: (interval, p, float(adjusted.get(pair, p))) for pair, (interval, p) in found.items()}


def _finding(question: Question, task: str, pair: tuple[str, str], views: Mapping[str, Told]) -> Finding:
    name = str(question).removeprefix("micro ") if task == "binary" else str(question)
    measure = question.measure if isinstance(question, Averaged) else question
    less = "" if isinstance(measure, str) or measure.better != "lower" else ", where less is better"
    words = [_words(told) + (f" ({view})" if len(views) > 1 else "") for view, told in views.items()]
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


def _words(told: Told) -> str:
    interval, p, adjusted = told
    if math.isnan(interval.value):
        return f"undefined ({interval.note})"
    if math.isnan(interval.low):
        return f"{interval.value:+.3f} (no interval: {interval.note})"
    ends = f"{interval.value:+.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    return ends if adjusted == p else f"{ends}, p {adjusted:.2g} after Holm"
