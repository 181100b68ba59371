"""Rows of probabilities that do not sum to one exactly: rounded, unfinished, or wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT = 1e-6  # below this a row counts as summing to one
# Seven written digits, or float32 arithmetic over a thousand classes, miss by less than this: such rows are divided
# by their sum, and the largest deviation is printed. What misses by more has lost digits or is wrong: ask first.
ROUNDING = 1e-5


def checked_shares(
    matrix: np.ndarray, where: Callable[[int], str], path: str, *, normalize: bool
) -> tuple[np.ndarray, list[str]]:
    """Return rows that sum to one, and sentences about what was changed.

    Parameters
    ----------
    matrix
        One row for each item; rows of NaN (nothing known) pass through.
    where
        Gives the words for a row in messages.
    path
        The file in messages.
    normalize
        Divide every row by its sum, whatever the sum is.

    Raises
    ------
    InputError
        For a value outside 0 to 1, and for rows that miss one by more than rounding does.
    """
    bad = (matrix < -1e-9) | ((matrix > 1 + 1e-9) & (not normalize))
    if bad.any():
        i, j = (int(k[0]) for k in np.nonzero(bad))
        raise InputError(
            f"{path} {where(i)}: {shown(matrix[i, j])} is no probability, expected a value from 0 to 1. "
            "Pass vote counts in columns named n_<class>, or correct the value."
        )
    matrix = matrix.clip(0, None)
    sums = matrix.sum(axis=1)
    with np.errstate(invalid="ignore"):
        off = np.abs(sums - 1)
    worst = float(np.nanmax(off)) if np.isfinite(off).any() else 0.0
    if worst <= EXACT:
        return matrix, []
    if not normalize and worst > ROUNDING:
        raise InputError(_sentence(path, where, sums, off))
    empty = np.nonzero(sums == 0)[0]
    if len(empty):
        raise InputError(
            f"{path} {where(int(empty[0]))} holds only zeros ({len(empty):,} such rows), so that it cannot be "
            "divided by its sum. Remove the row, or leave it empty if nothing is known."
        )
    changed = int(np.count_nonzero(off > EXACT))
    why = "--normalize" if normalize and worst > ROUNDING else "rounded digits"
    sentence = (
        f"{path}: rows were divided by their sums ({why}); {changed:,} of {len(matrix):,} missed 1 by more than 1e-6, "
        f"at most by {worst:.2g}."
    )
    return matrix / sums[:, None], [sentence]


def _sentence(path: str, where: Callable[[int], str], sums: np.ndarray, off: np.ndarray) -> str:
    rows = np.nonzero(off > ROUNDING)[0]
    first = "; ".join(f"{where(int(i))} sums to {sums[i]:.7g}" for i in rows[:3])
    rounded = float(np.nanmax(off)) <= 1e-4 or bool(np.mean(off > EXACT) > 0.5)
    guess = "The digits look rounded" if rounded else "Most rows are right, so that these look wrong"
    return (
        f"{path}: {len(rows):,} of {len(sums):,} rows do not sum to 1 ({first}). {guess}: correct them, or pass "
        "--normalize to divide every row by its sum."
    )
