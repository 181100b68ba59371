"""Classes that read like another matrix, without being one: indices as 0/1 columns, grades as thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OneHot:
    """The indicator matrix of class indices; only the rows that are looked at are ever made.

    Parameters
    ----------
    codes : ndarray of int, shape (N,)
    columns : ndarray of int
        The classes that the columns stand for.
    """

    dtype = np.dtype(bool)

    def __init__(self, codes: NDArray[Any], columns: NDArray[Any]) -> None:
        """Hold the indices."""
        self.codes = codes
        self.columns = columns
        self.shape = (codes.shape[0], columns.shape[0])

    def __getitem__(self, key: Any) -> Any:
        """Return rows as a boolean matrix (a slice or row index), or fewer columns (``[:, columns]``)."""
        if isinstance(key, tuple):
            return OneHot(self.codes, self.columns[key[1]])
        return self.codes[key][:, None] == self.columns


class Thresholds:
    """The columns "above grade 0", "above grade 1", ... of grades; only the rows that are looked at are ever made.

    Parameters
    ----------
    grades : ndarray, shape (N,) or (N, K)
        Grades as indices, or the share of each grade; a column is then the sum of the shares above.
    columns : ndarray of int
        The grades that the columns stand for.
    """

    def __init__(self, grades: NDArray[Any], columns: NDArray[Any]) -> None:
        """Hold the grades."""
        self.grades = grades
        self.columns = columns
        self.shape = (grades.shape[0], columns.shape[0])
        self.dtype = np.dtype(bool if grades.ndim == 1 else np.float64)

    def __getitem__(self, key: Any) -> Any:
        """Return rows as a matrix (a slice or row index), or fewer columns (``[:, columns]``)."""
        if isinstance(key, tuple):
            return Thresholds(self.grades, self.columns[key[1]])
        rows = self.grades[key]
        if rows.ndim == 1:
            return rows[:, None] > self.columns
        return above(rows)[:, self.columns]


def above(shares: NDArray[Any]) -> NDArray[np.float64]:
    """Return how much of each row lies above each grade but the last, (N, K - 1), of shares (N, K)."""
    tails = np.cumsum(np.asarray(shares, np.float64)[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return np.minimum(tails, 1.0)  # rounding may put a sum of shares above one
