"""The verdicts of a comparison: one sentence for each question and pair, and which prediction leads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth.evaluation.comparison.compared import better_of, other_of
from softtruth.render.words import shown_question
from softtruth.report.comparison_words import verdict_sentence
from softtruth.report.findings import names, number
from softtruth.report.parts import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.report.comparison import Difference


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
    for name, question in compared.questions.items():
        mine = [r for r in rows if (r.question, r.view) == (name, compared.main)]
        if pairs > 1 and mine and better_of(question) != "neither":
            shown = shown_question(name, compared.task)
            told = _against(shown, mine, baseline) if baseline else _leader(shown, mine, better_of(question))
            if told is not None:
                yield told
        for row in mine:
            numbers = {"measure": name, "verdict": row.verdict, "ahead": row.ahead, "items_needed": row.items_needed}
            yield Finding("verdict", "note", verdict_sentence(row, compared.task, pairs), numbers, row.pair)


def _leader(name: str, rows: Sequence[Difference], better: str) -> Finding | None:
    """Say which prediction has the best value, and from which others it can be told."""
    values = {p: v for r in rows for p, v in zip(r.pair, r.values, strict=True) if not math.isnan(v)}
    if not values:
        return None
    best = (max if better == "higher" else min)(values, key=lambda prediction: values[prediction])
    told: list[str] = []
    level: list[str] = []
    for row in rows:
        if best in row.pair:
            (told if row.beyond_chance and row.ahead == best else level).append(other_of(row.pair, best))
    words = [f"beyond chance better than {names(told)}"] if told else []
    words += [f"not to be told from {names(level)}"] if level else []
    sentence = f"{name}: {best} leads with {number(values[best])}, {', but '.join(words)}."
    numbers = {"measure": name, "leader": best, "better_than": told, "not_told_from": level, "values": values}
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
