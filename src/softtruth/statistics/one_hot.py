"""Class indices that read like a 0/1 matrix, without being one."""

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
