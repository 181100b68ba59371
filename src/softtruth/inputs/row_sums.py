"""Rows of probabilities that do not sum to one exactly: rounded, unfinished, or wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import MOST_VOTES

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT = 1e-6  # below this a row counts as summing to one
# Seven written digits, or float32 arithmetic over a thousand classes, miss by less than this: such rows are divided
# by their sum, and the largest deviation is printed. What misses by more has lost digits or is wrong: ask first.
ROUNDING = 1e-5
MOST_DIGITS = 6  # that rounding is looked for: with seven, rows are taken as they are
FUZZ = 1e-7  # what float32 makes of a value that was written with few digits


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
    most = MOST_VOTES if normalize else 1
    bad = (matrix < -1e-9) | (matrix > most * (1 + 1e-9))
    if bad.any():
        i, j = (int(k[0]) for k in np.nonzero(bad))
        raise InputError(
            f"{path} {where(i)}: {shown(matrix[i, j])} is no probability, expected a value from 0 to {most:,.0f}. "
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
        raise InputError(_sentence(path, where, matrix, off))
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


def _sentence(path: str, where: Callable[[int], str], matrix: np.ndarray, off: np.ndarray) -> str:
    rows = np.nonzero(off > ROUNDING)[0]
    first = "; ".join(f"{where(int(i))} sums to {matrix[i].sum():.7g}" for i in rows[:3])
    digits = _digits(matrix, off)
    guess = "Most rows are right, so that these look wrong"
    if digits is not None:
        guess = f"The values look rounded to {digits} decimal{'s' if digits > 1 else ''}, which moves sums that far"
    elif float(np.nanmax(off)) <= 1e-4 or np.mean(off > EXACT) > 0.5:
        guess = "The digits look rounded"
    todo = "pass --normalize to divide every row by its sum"
    todo = f"correct them, or {todo}" if digits is None else todo
    return f"{path}: {len(rows):,} of {len(matrix):,} rows do not sum to 1 ({first}). {guess}: {todo}."


def _digits(matrix: np.ndarray, off: np.ndarray) -> int | None:
    """Return to how many decimals all values are rounded, if rounding alone can move every sum as far as it is off."""
    known = matrix[~np.isnan(matrix).any(axis=1)]
    for digits in range(1, MOST_DIGITS + 1):
        scaled = known * 10.0**digits
        if np.abs(scaled - np.rint(scaled)).max() < FUZZ * 10.0**digits:  # float32 holds seven digits
            return digits if float(np.nanmax(off)) <= matrix.shape[1] / 2 * (10.0**-digits + FUZZ) else None
    return None
