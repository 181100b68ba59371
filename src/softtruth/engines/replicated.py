"""Replicates of the rows of one batch, drawn by item or cluster, so that those of all batches add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.statistics.replicate_sums import ReplicateSums
from softtruth.uncertainty.resampling import resample, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softtruth.statistics.examples import Examples
    from softtruth.uncertainty.keyed import Draws


def replicates_of(
    examples: Examples, units: NDArray[np.uint64], numbers: Mapping[str, NDArray[np.float64]], draws: Draws
) -> ReplicateSums:
    """Return the cells of the examples, and sums of numbers per example, in every draw.

    Parameters
    ----------
    examples
    units
        What each example is drawn by, (N,).
    numbers
        A number for each example by name, NaN where it has none.
    draws
        How many, and from which seed.
    """
    cells = resample(examples, draws.count, draws.seed, identity=units).cells
    each: dict[str, NDArray[np.float64]] = {}
    if numbers:
        columns = [part for number in numbers.values() for part in _parts(number)]
        block = np.stack(columns, axis=1)
        sums = weighted_sums(examples, [(slice(0, len(block)), block)], draws, identity=units)
        each = {name: sums[:, 3 * i : 3 * i + 3] for i, name in enumerate(numbers)}
    return ReplicateSums(cells.masses, each)


def _parts(number: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return a number where it is defined, whether it is, and whether it is not."""
    known = ~np.isnan(number)
    return np.where(known, number, 0.0), known.astype(np.float64), (~known).astype(np.float64)
