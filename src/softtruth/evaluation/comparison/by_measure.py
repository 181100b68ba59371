"""Which measures, averages, conventions and views would choose the other prediction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.comparison.compared import better_of, other_of
from softtruth.render.words import shown_question
from softtruth.report.comparison_words import oriented
from softtruth.report.findings import names
from softtruth.report.parts import Finding
from softtruth.uncertainty.rounding import apart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.report.difference import Difference


def measure_swaps(compared: Compared, rows: Iterable[Difference]) -> list[Finding]:
    """Say which of all measures and averages of the report would choose the other prediction.

    Parameters
    ----------
    compared
        What is compared.
    rows
        The differences of all items.
    """
    found = []
    first = next(iter(compared.questions))
    for pair in compared.contested(compared.main):
        mine = [r for r in rows if (r.pair, r.view) == (pair, compared.main) and r.better != "neither"]
        lead = next((r for r in mine if r.question == first), None)
        if lead is None or not lead.ahead or len(mine) < 2:
            continue
        once = _without_repeats(mine)
        other = [r for r in once if r.ahead == other_of(pair, lead.ahead)]
        level = [r for r in once if not r.ahead and not math.isnan(r.interval.value)]
        with_it = [r for r in once if r.ahead == lead.ahead]
        numbers = {
            "ahead": lead.ahead,
            "with": [r.question for r in with_it],
            "against": [r.question for r in other],
            "equal": [r.question for r in level],
            "sure_against": [r.question for r in other if r.beyond_chance],
        }
        sure = sum(r.beyond_chance for r in with_it)
        begin = (
            f"Of {len(once)} measures and averages {len(with_it)} put {lead.ahead} ahead of "
            f"{other_of(pair, lead.ahead)}, {sure or 'none'} of them beyond chance"
        )
        if not other:
            equal = f"; equal: {names(r.question for r in level)}" if level else ""
            found.append(Finding("measures_agree", "note", f"{begin}; none the other way{equal}.", numbers, pair))
            continue
        told = [f"{shown_question(r.question, compared.task)} by {oriented(r)[2]}" for r in other if r.beyond_chance]
        rest = [shown_question(r.question, compared.task) for r in other if not r.beyond_chance]
        words = [f"{names(told, 4)} (beyond chance)"] if told else []
        words += [f"{names(rest)} (within chance)"] if rest else []
        sentence = f"{begin}; {len(other)} would choose {other_of(pair, lead.ahead)}: {'; '.join(words)}."
        severity = "warning" if told else "note"
        found.append(Finding("swap_by_measure", severity, sentence, numbers, pair))
    return found


def _by(row: Difference) -> str:
    by = oriented(row)[2]
    return f"by {by}{'' if row.beyond_chance else ', which may be chance'}"


def _without_repeats(rows: Iterable[Difference]) -> list[Difference]:
    """Return one of all rows that are the same number by their nature, as micro f1 and accuracy are."""
    kept: dict[Any, Difference] = {}
    for row in rows:
        i = row.interval
        key: Any = tuple(f"{x:.10g}" for x in (*row.values, i.low, i.high))
        kept.setdefault(key if not math.isnan(i.value) else row.question, row)
    return list(kept.values())


def convention_swaps(compared: Compared) -> list[Finding]:
    """Say for which questions the order hangs on what averages make of 0/0."""
    found = []
    matrices = compared.matrices[compared.main]
    for pair in compared.contested(compared.main):
        turned = {}
        for name, question in compared.scanned.items():
            if isinstance(question, str) or better_of(question) == "neither":
                continue
            gains = {}
            for convention in Convention:
                try:
                    one, other = (matrices[each].compute(question, convention=str(convention)) for each in pair)
                except NotAnswerableError:
                    break
                gains[str(convention)] = apart(one, other) * (1 if better_of(question) == "higher" else -1)
            signs = {c: float(np.sign(g)) for c, g in gains.items() if not math.isnan(g)}
            if {1.0, -1.0} <= set(signs.values()):
                turned[name] = {c: pair[0] if s > 0 else pair[1] if s < 0 else "" for c, s in signs.items()}
        if turned:
            words = []
            for name, by in turned.items():
                each = ", ".join(f"{convention}: {who or 'equal'}" for convention, who in by.items())
                words.append(f"{shown_question(name, compared.task)} ({each})")
            sentence = f"What averages make of 0/0 decides between {pair[0]} and {pair[1]}: {names(words, 4)}."
            severity = "warning" if set(turned) & set(compared.questions) else "note"
            found.append(Finding("swap_by_convention", severity, sentence, {"ahead": turned}, pair))
    return found


def view_swaps(compared: Compared, rows: Iterable[Difference]) -> list[Finding]:
    """Say where another way to look at the reference puts another prediction ahead."""
    found = []
    for name in compared.questions:
        for pair in compared.pairs:
            mine = {
                r.view: r for r in rows if (r.question, r.first, r.second, r.group) == (name, *pair, None) and r.ahead
            }
            if len({r.ahead for r in mine.values()}) < 2:
                continue
            words = [f"{compared.views[view].title}: {r.ahead} {_by(r)}" for view, r in mine.items()]
            lead = mine.get(compared.main)
            sure = any(
                r.beyond_chance and (lead is None or r.ahead != lead.ahead or not lead.beyond_chance)
                for r in mine.values()
            )
            sentence = f"{shown_question(name, compared.task)}: who is ahead depends on the view: {'; '.join(words)}."
            numbers = {"measure": name, "ahead": {view: r.ahead for view, r in mine.items()}, "sure": sure}
            found.append(Finding("swap_by_view", "warning" if sure else "note", sentence, numbers, pair))
    return found
