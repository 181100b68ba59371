"""What else a reader of a comparison should know: clusters, few items that decide, corrections, constants."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from softtruth.report import findings as look
from softtruth.report.parts import Finding
from softtruth.uncertainty.comparison import mcnemar_of
from softtruth.uncertainty.mcnemar import p_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.indicator_matrix import IndicatorMatrix

FEW_DIFFERENT = 10  # items that only one of two gets right: below, a verdict rests on very little


def clustering(matrix: IndicatorMatrix) -> list[Finding]:
    """Say between how many clusters the intervals are, and whether these are too few."""
    if matrix.examples.clusters is None:
        return []
    n = look.cluster_count(matrix.examples)
    words = f"Intervals are between {n:,} clusters of {matrix.n:,} items."
    return [*look.few_clusters(n), Finding("clustered", "note", words, {"clusters": n})]


def mcnemar(compared: Compared) -> list[Finding]:
    """Say on how many items only one of two is right, with the exact test, where items count once each."""
    found = []
    if "accuracy" not in {name.removeprefix("micro label_") for name in compared.questions}:
        return []
    for pair in compared.contested(compared.main):
        matrices = [compared.matrices[compared.main][name] for name in pair]
        test = mcnemar_of(matrices[0].examples, matrices[1].examples)
        if test is None:
            continue
        both = test.only_first + test.only_second
        only = {pair[0]: test.only_first, pair[1]: test.only_second}
        numbers = {"only": only, "exact": test.exact, "mid_p": test.mid_p}
        sentence = (
            f"Only {pair[0]} is right on {look.plural(test.only_first, 'item')}, only {pair[1]} on "
            f"{test.only_second:,} (McNemar: exact p {p_words(test.exact)}, mid-p {p_words(test.mid_p)})."
        )
        if 0 < both < FEW_DIFFERENT:
            these = "this 1 item" if both == 1 else f"these {both} items"
            sentence += f" A verdict on accuracy rests on {these}: trust the exact test."
        severity = "warning" if 0 < both < FEW_DIFFERENT else "note"
        found.append(Finding("mcnemar", severity, sentence, numbers, pair))
    return found


def corrected(compared: Compared, *, leads: bool) -> list[Finding]:
    """Say what p-values are corrected for, and what they are not; ``leads`` says that a leader is named."""
    pairs, questions = len(compared.pairs), len(compared.questions)
    every = math.comb(len(compared.matrices[compared.main]), 2)
    words = []
    if pairs > 1:
        words.append(f"p-values are corrected by Holm's method over {pairs} pairs, in each question; intervals are not")
    if leads and pairs < every:
        words.append(f"from whom the leader is told is corrected for all {every} pairs (Bonferroni)")
    if questions > 1:
        words.append(f"the {questions} questions are not corrected for each other: choose yours before you look")
    if not words:
        return []
    sentence = f"{'; '.join(words)}."
    return [Finding("corrected", "note", sentence[:1].upper() + sentence[1:], {"pairs": pairs, "questions": questions})]


def constant(matrices: Mapping[str, IndicatorMatrix]) -> list[Finding]:
    """Say which predictions name nearly always the same class."""
    return [
        replace(finding, where=(name,))
        for name, matrix in matrices.items()
        for finding in look.constant_prediction(matrix)
    ]
