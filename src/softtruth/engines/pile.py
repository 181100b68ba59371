"""Evidence added up in a fixed tree, so that the last digit does not depend on where a run was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softtruth.statistics.evidence import Evidence


class Pile:
    """Evidence of steps, added in pairs of equal size: as few as log2(steps) lie open, each step is added log2 times.

    Parameters
    ----------
    open_ : list of (int, Evidence), optional
        What a former run left: the number of steps in each part, and the part.
    """

    def __init__(self, open_: list[tuple[int, Evidence]] | None = None) -> None:
        """Start with nothing, or where a former run stopped."""
        self.open = list(open_ or [])

    def add(self, evidence: Evidence) -> None:
        """Add the evidence of the next step."""
        size = 1
        while self.open and self.open[-1][0] == size:
            evidence = self.open.pop()[1] + evidence
            size *= 2
        self.open.append((size, evidence))

    def total(self, nothing: Evidence) -> Evidence:
        """Return the sum of all steps, ``nothing`` where there are none."""
        whole: Evidence | None = None
        for _, evidence in reversed(self.open):
            whole = evidence if whole is None else evidence + whole
        return nothing if whole is None else whole
