"""How examples vary in what they put into a table, or into cells: one look at them serves all priors and measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.statistics.examples import Examples

_NUMBERS = 4_000_000  # held at a time


def second_moments(examples: Examples, *, by_table: bool) -> tuple[int, NDArray[np.float64]]:
    """Return how many examples count, and the centred second moments of their masses.

    The influence of an example is a linear form of its masses. So the influences on any value have the sum of squares
    ``g' M g``, where g says how each kind of mass pulls the value. The masses are times ``weight_scale``.

    Parameters
    ----------
    examples
        The data.
    by_table
        Whether masses are those of the K * K entries of the table, or of the 4 * m cells.
    """
    n, kinds = 0, examples.n_classes**2 if by_table else 4 * examples.n_classes
    total, squares = np.zeros(kinds), np.zeros((kinds, kinds))
    scale = weight_scale(examples)
    for part, masses in _entries(examples) if by_table else _cells(examples):
        weight = None if examples.weight is None else examples.weight[part]
        counted = masses if weight is None else masses * (scale * weight)[:, None]
        n += len(masses) if weight is None else int((weight > 0).sum())
        total += counted.sum(0)
        squares += counted.T @ counted
    return n, squares - np.outer(total, total) / max(n, 1)


def weight_scale(examples: Examples) -> float:
    """Return the power of two that brings the largest weight near one, so that squares neither over- nor underflow."""
    if examples.weight is None or examples.weight.size == 0:
        return 1.0
    return float(2.0 ** -np.frexp(examples.weight.max())[1])


def _entries(examples: Examples) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    for part in rows(len(examples), examples.n_classes**2):
        y, p = (np.asarray(side, np.float64) for side in examples.sides(part))
        yield part, (y[:, :, None] * p[:, None, :]).reshape(len(y), -1)


def _cells(examples: Examples) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    for part, cells in examples.entries():
        yield part, np.moveaxis(cells, 1, 0).reshape(cells.shape[1], -1)


def rows(n: int, width: int) -> Iterator[slice]:
    """Yield slices of n rows that hold few enough numbers of this width."""
    size = max(1, _NUMBERS // max(1, width))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
