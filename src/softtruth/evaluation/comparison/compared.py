"""Predictions that are compared: in every view, in pairs, under the questions that were asked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.evaluation.comparison.pairs import paired_differences
from softtruth.measures.operators import formula_of
from softtruth.render.words import shown_question
from softtruth.report.difference import Difference
from softtruth.report.parts import Finding
from softtruth.report.questions import SUBSET_ACCURACY
from softtruth.report.rows import signed
from softtruth.uncertainty.telling_apart import items_to_tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from softtruth.evaluation.comparison.pairs import Pair, Paired
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures import Averaged, Measure
    from softtruth.report.parts import View
    from softtruth.report.questions import Question
    from softtruth.report.rows import Way

MOST_IN_PAIRS = 4  # predictions: of more, each is compared with the first alone


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared, and how.

    Attributes
    ----------
    task : str
    views : dict of name to View
        The first is that of the verdicts.
    matrices : dict of view name to (dict of prediction name to IndicatorMatrix)
    pairs : list of (first, second)
    questions : dict of name to question
        Those with a verdict.
    scanned : dict of name to question
        All that the report asks, those with a verdict among them.
    way : Way
        How intervals are made.
    convention : str
        What averages make of 0/0.
    also : dict of name to question
        What else is asked in every view, without a verdict.
    """

    task: str
    views: Mapping[str, View]
    matrices: Mapping[str, Mapping[str, IndicatorMatrix]]
    pairs: Sequence[Pair]
    questions: Mapping[str, Question]
    scanned: Mapping[str, Question]
    way: Way
    convention: str
    also: Mapping[str, Question] = field(default_factory=dict)

    @property
    def main(self) -> str:
        """The name of the view of the verdicts."""
        return next(iter(self.views))

    def comparable(self, view: str) -> list[Pair]:
        """Return the pairs that can be compared in a view: of both the probabilities are looked at, or of neither."""
        matrices = self.matrices[view]
        return [pair for pair in self.pairs if len({_soft(matrices[name]) for name in pair}) == 1]

    def contested(self, view: str) -> list[Pair]:
        """Return the pairs that can be compared in a view and do not give the same answers in it."""
        matrices = self.matrices[view]
        return [(a, b) for a, b in self.comparable(view) if not _same_answers(matrices[a], matrices[b])]

    def ranked(self) -> Iterator[tuple[str, Averaged | Measure]]:
        """Yield the questions with a verdict that a formula answers and that say which prediction is better."""
        for name, question in self.questions.items():
            if not isinstance(question, str) and better_of(question) != "neither":
                yield shown_question(name, self.task), question

    def rows(
        self,
        question: Question,
        view: str,
        among: Mapping[str, IndicatorMatrix] | None = None,
        group: str | None = None,
    ) -> list[Difference]:
        """Return the difference of every pair in one question; of none that has no answer.

        Parameters
        ----------
        question
            What is asked.
        view
            In which view.
        among
            The predictions of a group of items; of all by default.
        group
            What the group is called.
        """
        matrices = self.matrices[view] if among is None else among
        pairs = self.comparable(view)
        told = paired_differences(question, matrices, self.way, convention=self.convention, pairs=pairs)
        return [
            self._row(question, view, group, pair, (matrices[pair[0]], matrices[pair[1]]), found)
            for pair, found in told.items()
        ]

    def between(self, question: Question, view: str, one: str, others: Sequence[str]) -> list[Difference]:
        """Return the differences of one prediction, which was chosen by its value, and others that can be compared.

        Those of the pairs that are compared anyway are as they are there. Any other is corrected for all pairs that
        there are (Bonferroni), since each of them could have been the one that was looked at.
        """
        anyway = [pair for pair in self.pairs if one in pair and other_of(pair, one) in others]
        found = [row for row in self.rows(question, view) if row.pair in anyway] if anyway else []
        rest = [(one, other) for other in others if not {(one, other), (other, one)} & set(anyway)]
        every = math.comb(len(self.matrices[view]), 2)
        for row in replace(self, pairs=rest).rows(question, view) if rest else ():
            new = replace(row, p_adjusted=min(1.0, row.p_value * every), verdict="undecided", items_needed=None)
            found.append(judged(new, same=row.verdict == "same", comparisons=every))
        return found

    def _row(  # noqa: PLR0917  the parts of one row
        self,
        question: Question,
        view: str,
        group: str | None,
        pair: Pair,
        matrices: tuple[IndicatorMatrix, IndicatorMatrix],
        told: Paired,
    ) -> Difference:
        values = tuple(_value(matrix, question, self.convention) for matrix in matrices)
        row = Difference(
            str(question),
            view,
            group,
            *pair,
            (values[0], values[1]),
            told.interval,
            told.p_value,
            told.p_adjusted,
            better_of(question),
            "undecided",
            matrices[0].n,
            signature=signed(_signature(matrices[0], question, self.convention), told.interval),
        )
        same = _same_answers(*matrices)
        return judged(row, same=same, comparisons=len(self.pairs))


def judged(row: Difference, *, same: bool = False, comparisons: int = 1) -> Difference:
    """Return a difference with its verdict, by its interval and its corrected p-value.

    Parameters
    ----------
    row : Difference
    same : bool
        Whether both predictions give the same answers.
    comparisons : int
        How many share the chance of a false alarm, for the number of items that would be needed.
    """
    undefined = any(map(math.isnan, row.values))
    if same and not undefined:
        return replace(row, verdict="same")
    if undefined or math.isnan(row.interval.value):
        return replace(row, verdict="undefined")
    if row.better == "neither":
        return replace(row, verdict="unranked")
    low, high = row.interval.low, row.interval.high
    if not math.isnan(low) and not low <= 0 <= high and row.p_adjusted <= 1 - row.interval.level:
        return replace(row, verdict="first" if row.gain > 0 else "second")
    try:
        needed = items_to_tell(row.interval, row.items, comparisons=comparisons)
    except NotAnswerableError:
        return row
    return replace(row, items_needed=needed)


def better_of(question: Question) -> str:
    """Return which way a question is better: higher, lower or neither."""
    return "higher" if isinstance(question, str) else formula_of(question).better


def other_of(pair: Pair, name: str) -> str:
    """Return the other one of two."""
    return pair[1] if name == pair[0] else pair[0]


def not_asked(topic: str, why: object, question: str = "") -> Finding:
    """Return that something could not be asked, and why."""
    about = f"{topic}, {question}" if question else topic
    sentence = f"{about[:1].upper()}{about[1:]}: {str(why).rstrip('.')}."
    return Finding("not_asked", "note", sentence, {"topic": topic, "why": str(why), "questions": [question]})


def told_once(unasked: Iterable[Finding]) -> list[Finding]:
    """Return what could not be asked, each reason once for all questions that it is about."""
    found: dict[tuple[str, str], list[str]] = {}
    for finding in unasked:
        about = found.setdefault((finding.numbers["topic"], finding.numbers["why"]), [])
        about += [question for question in finding.numbers["questions"] if question and question not in about]
    return [
        replace(not_asked(topic, why, ", ".join(about)), numbers={"topic": topic, "why": why, "questions": about})
        for (topic, why), about in found.items()
    ]


def pairs_of(names: Sequence[str], baseline: str | None) -> tuple[list[Pair], str | None]:
    """Return which predictions are compared with which, and the one that all others are compared with, if any.

    Raises
    ------
    InputError
        If there is nothing to compare, or no prediction of that name.
    """
    if len(names) < 2:
        msg = f"there is only one prediction ({shown(names[0])}); a comparison needs two or more of the same items."
        raise InputError(msg)
    if baseline is not None and baseline not in names:
        msg = f"the baseline {shown(baseline)} is no prediction; expected one of {listed(names)}."
        raise InputError(msg)
    if baseline is None and len(names) <= MOST_IN_PAIRS:
        return list(combinations(names, 2)), None
    against = names[0] if baseline is None else baseline
    return [(name, against) for name in names if name != against], against


def _soft(matrix: IndicatorMatrix) -> bool:
    return bool(matrix.examples.prediction.dtype.kind == "f")


def _same_answers(first: IndicatorMatrix, second: IndicatorMatrix) -> bool:
    one, other = first.examples, second.examples
    mask = one.mask
    if mask is None:
        return bool(np.array_equal(one.prediction, other.prediction))
    return bool(np.array_equal(one.prediction[mask], other.prediction[mask]))


def _value(matrix: IndicatorMatrix, question: Question, convention: str) -> float:
    if isinstance(question, str):
        return matrix.subset_accuracy(convention)
    return matrix.compute(question, convention=convention)


def _signature(matrix: IndicatorMatrix, question: Question, convention: str) -> str:
    if not isinstance(question, str):
        return matrix.signature(question, convention=convention)
    other = "micro label_accuracy"
    return matrix.signature(other, convention=convention).replace(other, SUBSET_ACCURACY, 1)
