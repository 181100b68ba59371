"""The confusion table of a hard or soft reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.plots.display import SMALL, Display, named, titled
from softtruth.statistics.coupling import HARDENED
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SHARES = {
    "reference": "share of the reference class",
    "prediction": "share of the predicted class",
    "all": "share of everything",
}
MOST_NUMBERS = 25  # classes with a number in each field
MOST_NAMES = 50  # classes that are all named


class ConfusionDisplay(Display):
    """Which classes are taken for which? Rows are the reference, columns the prediction.

    With a soft side the numbers are expected counts: what the mass of the reference and that of the prediction share.

    Parameters
    ----------
    table : ndarray, shape (K, K)
        Masses.
    labels : sequence
        Class names in their order.
    coupling : str
        How soft sides meet, as ``IndicatorMatrix.coupling`` names it.

    Attributes
    ----------
    ax_, figure_, im_
        The axes, their figure and the drawn image.

    Examples
    --------
    >>> from softtruth.plots import ConfusionDisplay
    >>> votes = [[4, 1], [5, 0], [1, 4], [2, 3]]
    >>> display = ConfusionDisplay.from_predictions(votes, [0, 0, 1, 0], labels=["cat", "dog"], reference_kind="votes")
    >>> display.table.round(1).tolist()
    [[2.2, 0.2], [0.8, 0.8]]
    >>> display.plot().ax_.get_xlabel()
    'prediction'
    """

    def __init__(self, table: NDArray[np.float64], labels: Sequence[Any], *, coupling: str = HARDENED.name) -> None:
        """Hold the table."""
        self.table = np.asarray(table, np.float64)
        self.labels = list(labels)
        self.coupling = coupling

    @classmethod
    def from_matrix(cls, matrix: IndicatorMatrix) -> Self:
        """Hold the table of a problem.

        Raises
        ------
        NotAnswerableError
            For labels that may hold together, which have no such table.
        """
        return cls(matrix.table.masses, list(matrix.labels), coupling=matrix.coupling)

    @classmethod
    def from_table(cls, table: Table | Any, labels: Sequence[Any] | None = None) -> Self:
        """Hold a finished table.

        Raises
        ------
        InputError
            If it is no table, or has other classes than there are names.
        """
        whole = table if isinstance(table, Table) else Table.of(table)
        if whole.masses.ndim != 2:
            msg = f"the table has shape {whole.masses.shape}, expected one table of K x K masses."
            raise InputError(msg)
        names = range(whole.n_classes) if labels is None else labels
        if len(names) != whole.n_classes:
            msg = f"labels names {len(names)} classes, but the table has {whole.n_classes}."
            raise InputError(msg)
        return cls(np.asarray(whole.masses), list(names), coupling=whole.coupling)

    @classmethod
    def from_predictions(cls, reference: Any, prediction: Any, **settings: Any) -> Self:
        """Hold the table of a reference and a prediction; settings as in ``IndicatorMatrix``."""
        return cls.from_matrix(IndicatorMatrix(reference, prediction, **settings))

    @property
    def soft(self) -> bool:
        """Whether the masses are no counts."""
        return bool(np.any(self.table != np.floor(self.table)))

    def plot(
        self,
        ax: Any = None,
        *,
        normalize: str | None = None,
        cmap: Any = "Blues",
        colorbar: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A figure of its own by default.
        normalize : {None, "reference", "prediction", "all"}
            What the numbers are shares of; None for masses. Colours are always shares: of the rows for None.
        cmap : str or Colormap
            Darker for more, so that it can be read in grey.
        colorbar : bool
            Whether to draw the scale of the colours.
        **kwargs
            More of ``imshow``.

        Raises
        ------
        InputError
            For another ``normalize``.
        """
        if normalize is not None and normalize not in _SHARES:
            msg = f"normalize is {shown(normalize)}, expected None or one of {listed(_SHARES)}."
            raise InputError(msg)
        k = len(self.labels)
        side = float(np.clip(1.6 + 0.62 * k, 3.4, 11))
        ax = self._axes(ax, (side + 1.4, side + 0.6))
        shares = self._shares(normalize or "reference")
        self.im_ = ax.imshow(shares, **{"cmap": cmap, "vmin": 0, "vmax": 1, **kwargs})
        if k <= MOST_NUMBERS:
            self._write(ax, shares if normalize else self.table, as_shares=normalize is not None)
        step = -(-k // MOST_NAMES)
        places = range(0, k, step)
        names = [named(self.labels[i]) for i in places]
        upright = max(map(len, names), default=0) * k > 40
        ax.set_xticks(places, names, **({"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if upright else {}))
        ax.set_yticks(places, names)
        ax.set(xlabel="prediction", ylabel="reference")
        if colorbar:
            ax.figure.colorbar(self.im_, ax=ax, label=_SHARES[normalize or "reference"], shrink=0.85)
        titled(ax, "Reference and prediction", self._caption())
        return self

    def _shares(self, of: str) -> NDArray[np.float64]:
        axis = {"reference": 1, "prediction": 0, "all": None}[of]
        whole = self.table.sum(axis=axis, keepdims=True)
        return np.divide(self.table, whole, out=np.zeros_like(self.table), where=whole > 0)

    def _write(self, ax: Any, numbers: NDArray[np.float64], *, as_shares: bool) -> None:
        size = SMALL + 1 if len(self.labels) <= 12 else SMALL - 2
        for (i, j), number in np.ndenumerate(numbers):
            words = f"{number:.2f}" if as_shares else f"{number:,.1f}" if self.soft else f"{number:,.0f}"
            red, green, blue, _ = self.im_.cmap(self.im_.norm(self.im_.get_array()[i, j]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            ax.text(j, i, words, ha="center", va="center", color="white" if dark else "black", fontsize=size)

    def _caption(self) -> str:
        if not self.soft:
            return "Numbers: counts. Assumption: each item has one class."
        met = "hard decisions" if self.coupling == HARDENED.name else f"coupling {self.coupling}"
        return f"Numbers: expected counts. Assumption: {met}."
