"""The extremes of a ratio of linear functions of the truth, over every truth that fits: one linear programme.

Source: Charnes & Cooper 1962, Nav. Res. Logist. Q. 9:181, doi:10.1002/nav.3800090303.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RatioProgramme:
    """Masses of (label, state of the truth, prediction) whose sums over the states are known.

    Attributes
    ----------
    masses : ndarray, shape (L, P)
        The observed shares.
    right : ndarray of bool, shape (L, S)
        The states in which the label is right.
    allowed : ndarray of bool, shape (L, S)
        The states that a label can have.
    numerator, denominator : ndarray, shape (L, S, P)
        What each mass adds to either side of the ratio.
    known : ndarray, shape (1,) or (L,)
        The share of right labels, over all or of each label value.
    """

    masses: NDArray[np.float64]
    right: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]
    known: NDArray[np.float64]

    def extremes(self) -> tuple[float, float]:
        """Return the least and greatest value; NaN where no truth that fits gives the ratio a value."""
        from scipy.optimize import linprog
        from scipy.sparse import bmat, csr_array

        n_predictions, cells = self.masses.shape[1], self.masses.size
        label, state, prediction = np.nonzero(np.broadcast_to(self.allowed[:, :, None], self.numerator.shape))
        unknown = np.arange(len(label))
        right = self.right[label, state]
        group = cells + (label[right] if len(self.known) > 1 else np.zeros(int(right.sum()), np.intp))
        target = np.concatenate([self.masses.reshape(-1), self.known])
        rows = np.concatenate([label * n_predictions + prediction, group])
        columns = np.concatenate([unknown, unknown[right]])
        sums = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(target), len(unknown)))
        top, bottom = (np.append(side[label, state, prediction], 0.0) for side in (self.numerator, self.denominator))
        equal = bmat([[sums, -target[:, None]], [bottom[None, :-1], np.zeros((1, 1))]], format="csr")
        values = np.append(np.zeros(len(target)), 1.0)
        ends = []
        for sign in (1.0, -1.0):
            found = linprog(sign * top, A_eq=equal, b_eq=values, bounds=(0, None), method="highs")
            if found.status == 2:
                return math.nan, math.nan
            ends.append(sign * float(found.fun) if found.status == 0 else sign * -math.inf)
        return ends[0], ends[1]
