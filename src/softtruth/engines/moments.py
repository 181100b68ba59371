"""Second moments of streams: what differs from those of examples in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softtruth.statistics.moments import Moments


@dataclass(frozen=True, eq=False)
class UncorrectedMoments(Moments):
    """Moments of hard data that count once each: the multinomial variance, without the factor N/(N-1)."""

    def variance(self, gradient: Any) -> Any:
        """Return the variance of a measure with that gradient of the cell totals."""
        return super().variance(gradient) * (self.count - 1) / max(self.count, 1)


class UnkeptMoments(Moments):
    """Moments that were not kept, since there are too many classes: no variance is known."""

    def variance(self, gradient: Any) -> Any:
        """Return NaN for every measure."""
        return np.full(gradient.shape[1:-1], np.nan)[()]
