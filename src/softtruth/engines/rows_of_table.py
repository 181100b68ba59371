"""What single rows were, told from a table of hard labels: right or wrong, inside or outside the subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.statistics.cells import Cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure

# tp, fp, fn of one row: right; wrong within the subset; missed, given and neither where one class or both are outside.
_OUTCOMES = ((1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0))


def kinds_of_rows(
    measure: Measure, masses: NDArray[np.float64], taking_part: NDArray[np.intp] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of each kind of row, (5,), and how many there are of it in tables, (..., 5).

    Parameters
    ----------
    measure
        What is asked of each row.
    masses
        Tables of counts, (..., K, K).
    taking_part
        The classes that count; None for all.
    """
    k = masses.shape[-1]
    member = np.ones(k, bool) if taking_part is None else np.isin(np.arange(k), taking_part)
    right = np.eye(k, dtype=bool)
    held, given = member[:, None], member[None, :]
    kinds = [right & held, ~right & held & given, held & ~given, given & ~held, ~held & ~given]
    size = float(member.sum())
    cells = np.array([[tp, fp, fn, size - tp - fp - fn] for tp, fp, fn in _OUTCOMES], float).T
    counts = np.stack([masses[..., kind].sum(axis=-1) for kind in kinds], axis=-1)
    return np.asarray(measure(Cells(np.maximum(cells, 0.0), "multilabel"))), counts
