"""The confusion table of a report: which classes are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import NotAnswerableError
from softtruth.report.plain import plain
from softtruth.statistics.table import LARGEST_TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.indicator_matrix import IndicatorMatrix

LARGEST = 12  # classes in a table; the others are added up in one row and one column more


def confusion(matrix: IndicatorMatrix) -> list[dict[str, Any]]:
    """Return the masses of a problem as JSON values: of a table, rows the reference and columns the prediction.

    Labels that hold together have no table: of each its four cells are told.

    Parameters
    ----------
    matrix
        The problem. Where its coupling does not determine the table, or it would not fit into memory, there is none.
    """
    if matrix.task != "multilabel" and matrix.n_classes > LARGEST_TABLE:
        return []
    try:
        alone = matrix.task == "multilabel"
        masses = np.asarray(matrix.cells.masses.T if alone else matrix.table.masses, np.float64)
    except NotAnswerableError:  # the coupling says nothing of which class is taken for which
        return []
    labels = matrix.column_labels if alone else matrix.labels
    sizes = masses[:, 0] + masses[:, 2] if alone else masses.sum(axis=1)
    kept, rest = _largest(sizes)
    shown = masses[kept] if alone else _pooled(masses, kept, rest)
    return [
        {
            "form": "cells" if alone else "table",
            "classes": [str(labels[k]) for k in kept],
            "others": len(rest),
            "masses": plain(shown),
        }
    ]


def _largest(sizes: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Return which classes are shown, in their order, and which are not: those with the least mass."""
    if len(sizes) <= LARGEST:
        return list(range(len(sizes))), []
    ordered = np.argsort(-sizes, kind="stable").tolist()
    return sorted(ordered[:LARGEST]), sorted(ordered[LARGEST:])


def _pooled(masses: NDArray[np.float64], kept: list[int], rest: list[int]) -> NDArray[np.float64]:
    """Return the table of the classes that are shown, and of all others together as the last one."""
    if not rest:
        return masses
    order, ends = [*kept, *rest], np.arange(len(kept) + 1)
    return np.asarray(np.add.reduceat(np.add.reduceat(masses[np.ix_(order, order)], ends, axis=0), ends, axis=1))
