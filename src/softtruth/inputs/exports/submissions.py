"""What people handed in, whatever the tool: one submission of one person on one item, and what became of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa

Status = Literal["vote", "skipped", "draft", "discarded", "empty", "gold", "rejected"]
WORDS: dict[Status, tuple[str, str]] = {
    "skipped": ("answer was skipped", "answers were skipped"),
    "draft": ("answer is a draft", "answers are drafts"),
    "discarded": ("answer was discarded", "answers were discarded"),
    "empty": ("answer has no label", "answers have no label"),
    "gold": ("answer is marked as gold, and nobody's vote", "answers are marked as gold, and nobody's votes"),
    "rejected": ("item was rejected as a whole", "items were rejected as a whole"),
}


@dataclass(frozen=True)
class Submission:
    """What one person said about one item.

    Attributes
    ----------
    item : str
    annotator : str, optional
        None where the file does not say.
    labels : tuple of str
        What was picked; several picks of one person share one vote.
    status : str
        Only a ``vote`` counts.
    finding : str, optional
        What was asked, where the answer is yes or no.
    """

    item: str
    annotator: str | None
    labels: tuple[str, ...] = ()
    status: Status = "vote"
    finding: str | None = None


@dataclass(frozen=True, eq=False)
class Export:
    """The answers in the file of an annotation tool.

    Attributes
    ----------
    tool : str
        What wrote the file, in words.
    submissions : tuple of Submission
        In the order of the file.
    classes : tuple of str
        Class names in order, where the file gives them.
    notes : tuple of str
        What to know about this form of export.
    keys
        Where else an item's id may stand in the file.
    """

    tool: str
    submissions: tuple[Submission, ...]
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    keys: tuple[str, ...] = ()

    @property
    def votes(self) -> tuple[Submission, ...]:
        """The submissions that count."""
        return tuple(s for s in self.submissions if s.status == "vote")

    def sentences(self) -> list[str]:
        """Return what was found and what does not count, one fact each."""
        votes = self.votes
        found = Counter(s.status for s in self.submissions)
        people = len({s.annotator for s in votes} - {None})
        items = len({s.item for s in self.submissions})
        who = _number(people, "annotator", "annotators") if people else "annotators without names"
        what, where = _number(len(votes), "answer", "answers"), _number(items, "item", "items")
        lines = [f"{self.tool}: {what} of {who} on {where}."]
        lines += [f"{_number(found[s], *words)}: not counted." for s, words in WORDS.items() if found[s]]
        several = sum(len(s.labels) > 1 for s in votes)
        if several:
            lines.append(f"{_number(several, 'answer picks', 'answers pick')} several labels, which share one vote.")
        nameless = sum(s.annotator is None for s in votes)
        if nameless:
            lines.append(
                f"{_number(nameless, 'answer has', 'answers have')} no annotator, so that repeated answers of one "
                "person cannot be seen."
            )
        return [*lines, *self.notes]

    def table(self) -> pa.Table:
        """Return the long form: one row for each pick of each vote."""
        rows = [(number, s, label) for number, s in enumerate(self.votes) for label in s.labels]
        columns = {
            "item": pa.array([s.item for _, s, _ in rows], pa.string()),
            "annotator": pa.array([s.annotator for _, s, _ in rows], pa.string()),
            "label": pa.array([label for _, _, label in rows], pa.string()),
            "submission": pa.array([number for number, _, _ in rows], pa.int64()),
        }
        if any(s.finding is not None for s in self.votes):
            columns["finding"] = pa.array([s.finding for _, s, _ in rows], pa.string())
        return pa.table(columns)

    def repeats(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which votes repeat an earlier one, and which are repeated later: same item, person and question."""
        votes = self.votes
        repeat, repeated = np.zeros(len(votes), bool), np.zeros(len(votes), bool)
        last: dict[tuple[str, str, str | None], int] = {}
        for number, vote in enumerate(votes):
            if vote.annotator is None:
                continue
            key = (vote.item, vote.annotator, vote.finding)
            if key in last:
                repeat[number] = True
                repeated[last[key]] = True
            last[key] = number
        return repeat, repeated


def _number(n: int, one: str, several: str) -> str:
    return f"{n:,} {one if n == 1 else several}"
