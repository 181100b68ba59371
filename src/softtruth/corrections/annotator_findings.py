"""What speaks against an estimate that takes annotators as independent, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import listed

if TYPE_CHECKING:
    from softtruth.annotations.copiers import CopierGroup, SharedDifficulty
    from softtruth.annotations.dawid_skene import DawidSkene

_SWITCHED = 0.5  # share of annotators below chance from which the classes may be the ones that are switched


def annotator_findings(
    truth: DawidSkene, copiers: tuple[CopierGroup, ...], difficulty: SharedDifficulty, exceeded: float | None
) -> tuple[str, ...]:
    """Return one sentence for each thing that speaks against the estimate.

    Parameters
    ----------
    truth : DawidSkene
    copiers : tuple of CopierGroup
    difficulty : SharedDifficulty
    exceeded : float or None
        The greatest accuracy that any truth allows, where the estimate is above it.
    """
    found = []
    if exceeded is not None:
        found.append(
            f"An accuracy came out above 1, or above {exceeded:.3f}, which no truth whatsoever allows for these "
            "answers: they refute the assumption."
        )
    for group in copiers:
        number = len(group.annotators)
        found.append(
            f"{number} annotators share {100 * group.shared:.0f} % of their departures from the majority and agree on "
            f"{100 * group.agreement:.1f} % of the items ({listed(group.annotators)}): they copy each other, or are "
            "misled together. Each counts as a witness of its own, so the estimate is too sure and may be off."
        )
    if difficulty.present:
        found.append(
            f"Vote counts spread {difficulty.dispersion:.1f} times as far as independent errors would make them (a "
            f"correlation of {difficulty.correlation:.2f}): some items mislead many annotators at once. The reference "
            "is then wrong more often than this estimate says."
        )
    poor = truth.worse_than_chance
    if poor:
        found.append(f"Right less often than by guessing: {listed(poor)}.")
    answered = len(np.unique(truth.answers.annotator))
    if len(poor) > _SWITCHED * answered:
        found.append("They are the majority: the classes may be switched. Check the names against a few known items.")
    if not truth.converged:
        found.append("The fit of the annotators had not settled when it was stopped.")
    return tuple(found)
