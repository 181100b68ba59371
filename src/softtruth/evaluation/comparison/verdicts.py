"""The verdicts of a comparison: one sentence for each question and pair, and which prediction leads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.evaluation.comparison.compared import better_of, other_of
from softtruth.render.words import shown_question
from softtruth.report.comparison_words import against, oriented, verdict_sentence
from softtruth.report.findings import names, number
from softtruth.report.parts import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.report.difference import Difference
    from softtruth.report.questions import Question


def verdicts(compared: Compared, rows: Sequence[Difference], baseline: str | None) -> Iterator[Finding]:
    """Yield the verdicts of every question in the first view, the leader before the pairs.

    Parameters
    ----------
    compared
        What is compared.
    rows
        The differences of all items.
    baseline
        With which all others are compared, if they are.
    """
    pairs = len(compared.pairs)
    reference = compared.views[compared.main].title if len(compared.views) > 1 else ""
    for name, question in compared.questions.items():
        whole = {view: [r for r in rows if (r.question, r.view) == (name, view)] for view in compared.views}
        mine = whole[compared.main]
        if pairs > 1 and mine and better_of(question) != "neither":
            shown = against(shown_question(name, compared.task), reference)
            told = _against(shown, mine, baseline) if baseline else _leader(shown, whole, compared, question)
            if told is not None:
                yield told
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
    return found


def _seen(view: str, compared: Compared) -> str:
    """Return the view at the beginning of a sentence."""
    where = against("", compared.views[view].title).strip()
    return f"{where[:1].upper()}{where[1:]}"


def _chance(row: Difference | None) -> str:
    return "" if row is None or row.beyond_chance else ", which may be chance"


def _values(rows: Iterable[Difference]) -> dict[str, float]:
    return {p: v for r in rows for p, v in zip(r.pair, r.values, strict=True) if not math.isnan(v)}


def _best(values: Mapping[str, float], question: Question) -> str:
    return (max if better_of(question) == "higher" else min)(values, key=lambda prediction: values[prediction])


def _leader(
    name: str, whole: Mapping[str, Sequence[Difference]], compared: Compared, question: Question
) -> Finding | None:
    """Say which prediction has the best value, from which others it can be told, and which leads in other views."""
    rows = whole[compared.main]
    values = _values(rows)
    if not values:
        return None
    best = _best(values, question)
    told: list[str] = []
    level: list[str] = []
    for row in rows:
        if best in row.pair:
            (told if row.beyond_chance and row.ahead == best else level).append(other_of(row.pair, best))
    words = [f"beyond chance better than {names(told)}"] if told else []
    words += [f"not to be told from {names(level)}"] if level else []
    sentence = f"{name}: {best} leads with {number(values[best])}, {', but '.join(words)}."
    leaders = {view: _best(of, question) for view, rows in whole.items() if (of := _values(rows))}
    for view, who in leaders.items():
        if who != best:
            between = next((r for r in whole[view] if set(r.pair) == {who, best}), None)
            value = number(_values(whole[view])[who])
            sentence += f" {_seen(view, compared)} {who} leads with {value}{_chance(between)}."
    numbers = {
        "measure": str(question),
        "leader": best,
        "better_than": told,
        "not_told_from": level,
        "values": values,
        "leaders": leaders,
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
