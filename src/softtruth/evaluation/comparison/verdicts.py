"""The verdicts of a comparison: one sentence for each question and pair, and which prediction leads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.evaluation.comparison.compared import better_of, other_of
from softtruth.evaluation.views import CONFIDENCE, SOFT
from softtruth.render.words import shown_question
from softtruth.report.comparison_words import against, oriented, verdict_sentence
from softtruth.report.findings import names, number
from softtruth.report.parts import Finding
from softtruth.uncertainty.rounding import best_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.report.difference import Difference
    from softtruth.report.questions import Question


def verdicts(
    compared: Compared, rows: Sequence[Difference], baseline: str | None, *, chosen: bool = False
) -> list[Finding]:
    """Return the verdicts of every question in the first view, the leader before the pairs.

    Parameters
    ----------
    compared
        What is compared.
    rows
        The differences of all items.
    baseline
        With which all others are compared, if they are.
    chosen
        Whether somebody chose that baseline, so that the others are asked about it and not about the best of all.
    """
    found = list(_verdicts(compared, rows, baseline, chosen=chosen))
    if SOFT in compared.views.values() and not any(CONFIDENCE in finding.sentence for finding in found):
        found.append(Finding("confidence", "note", CONFIDENCE))
    return found


def _verdicts(
    compared: Compared, rows: Sequence[Difference], baseline: str | None, *, chosen: bool
) -> Iterator[Finding]:
    pairs = len(compared.pairs)
    reference = compared.views[compared.main].title if len(compared.views) > 1 else ""
    for name, question in compared.questions.items():
        whole = {view: [r for r in rows if (r.question, r.view) == (name, view)] for view in compared.views}
        mine = whole[compared.main]
        if pairs > 1 and mine and better_of(question) != "neither":
            shown = against(shown_question(name, compared.task), reference)
            leader = None if chosen else _leader(shown, whole, compared, question)
            if leader is not None:
                yield leader
            if baseline is not None and (leader is None or leader.numbers["leader"] != baseline):
                yield _against(shown, mine, baseline)
        for row in mine:
            numbers = {"measure": name, "verdict": row.verdict, "ahead": row.ahead, "items_needed": row.items_needed}
            sentence = verdict_sentence(row, compared.task, pairs, reference)
            if pairs == 1:
                sentence += _turned(row, whole, compared)
            yield Finding("verdict", "note", sentence, numbers, row.pair)


def _turned(row: Difference, whole: Mapping[str, Sequence[Difference]], compared: Compared) -> str:
    """Return in which other views the other prediction is ahead."""
    found = ""
    for view, rows in whole.items():
        for other in rows:
            if row.ahead and other.pair == row.pair and other.ahead not in {"", row.ahead}:
                found += f" {_seen(view, compared)} {other.ahead} is ahead by {oriented(other)[2]}{_chance(other)}."
                found += _caution(view, compared)
    return found


def _caution(view: str, compared: Compared) -> str:
    """Return what to beware of where probabilities are ahead in a view."""
    return f" {CONFIDENCE}" if compared.views[view] == SOFT else ""


def _seen(view: str, compared: Compared) -> str:
    """Return the view at the beginning of a sentence."""
    where = against("", compared.views[view].title).strip()
    return f"{where[:1].upper()}{where[1:]}"


def _chance(row: Difference) -> str:
    return "" if row.beyond_chance else ", which may be chance"


def _values(rows: Iterable[Difference]) -> dict[str, float]:
    return {p: v for r in rows for p, v in zip(r.pair, r.values, strict=True) if not math.isnan(v)}


def _leader(
    name: str, whole: Mapping[str, Sequence[Difference]], compared: Compared, question: Question
) -> Finding | None:
    """Say which prediction has the best value, from which others it can be told, and which leads in other views."""
    values = {view: of for view, rows in whole.items() if (of := _values(rows))}
    if compared.main not in values:
        return None
    leaders = {view: best_of(of, better_of(question)) for view, of in values.items()}
    best = leaders[compared.main]
    lead, top = best[0], values[compared.main]
    rows = compared.between(question, compared.main, lead, [other for other in top if other != lead])
    told = [other_of(row.pair, lead) for row in rows if row.beyond_chance and row.ahead == lead]
    level = [other for row in rows if (other := other_of(row.pair, lead)) not in {*told, *best}]
    words = [f"beyond chance better than {names(told)}"] if told else []
    words += [f"not to be told from {names(level)}"] if level else []
    sentence = f"{name}: {names(best)} {'leads' if len(best) == 1 else 'are level'} with {number(top[lead])}"
    sentence = f"{', '.join([sentence, ', but '.join(words)]) if words else sentence}."
    for view, others in leaders.items():
        if not set(others) & set(best):
            who, value = others[0], number(values[view][others[0]])
            between = [_chance(row) for row in compared.between(question, view, who, [lead])]
            sentence += f" {_seen(view, compared)} {who} leads with {value}"
            sentence += f"{(*between, f', which cannot be compared with {lead}')[0]}.{_caution(view, compared)}"
    numbers = {
        "measure": str(question),
        "leader": lead,
        "equal": best[1:],
        "better_than": told,
        "not_told_from": level,
        "values": top,
        "leaders": {view: others[0] for view, others in leaders.items()},
    }
    return Finding("leader", "note", sentence, numbers)


def _against(name: str, rows: Sequence[Difference], baseline: str) -> Finding:
    """Say which predictions are better than the baseline, worse, or neither."""
    better = [other_of(r.pair, baseline) for r in rows if r.beyond_chance and r.ahead != baseline]
    worse = [other_of(r.pair, baseline) for r in rows if r.beyond_chance and r.ahead == baseline]
    level = [other_of(r.pair, baseline) for r in rows if not r.beyond_chance]
    words = [f"{what}: {names(which)}" for what, which in (("better", better), ("worse", worse)) if which]
    words += [f"not to be told from it: {names(level)}"] if level else []
    numbers = {"measure": name, "baseline": baseline, "better": better, "worse": worse, "not_told_from": level}
    return Finding("against_baseline", "note", f"{name}, against {baseline}: {'; '.join(words)}.", numbers)
