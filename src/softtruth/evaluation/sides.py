"""One reference and its predictions, each pair as a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.arrays import as_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Sides:
    """A reference and its predictions, all with the same classes.

    Parameters
    ----------
    reference
        As for ``IndicatorMatrix``.
    prediction
        One array, or arrays by name.
    kinds
        The kind of all predictions, or kinds by name.
    settings
        The other settings of ``IndicatorMatrix``.
    """

    def __init__(
        self, reference: Any, prediction: Any, kinds: str | Mapping[str, str], settings: dict[str, Any]
    ) -> None:
        """Check every pair, and harden the predictions."""
        self.reference = reference
        self.predictions = _named(prediction)
        self.kinds = {name: kinds[name] if isinstance(kinds, Mapping) else kinds for name in self.predictions}
        # Every prediction asks for them: an iterator would give its names to the first alone.
        self.settings: dict[str, Any] = {
            name: list(given) if isinstance(given, Iterator) else given for name, given in settings.items()
        }
        self.decisions = {name: self.matrix(name) for name in self.predictions}
        self._share_classes()

    def matrix(self, name: str, **joint: Any) -> IndicatorMatrix:
        """Return the matrix of one prediction; without a coupling it is hardened."""
        return IndicatorMatrix(
            self.reference, self.predictions[name], prediction_kind=self.kinds[name], **self.settings, **joint
        )

    @property
    def first(self) -> IndicatorMatrix:
        """The decision of the first prediction."""
        return next(iter(self.decisions.values()))

    @property
    def hard(self) -> bool:
        """Whether the reference has no doubts."""
        return self.first.examples.hard_reference

    @property
    def n_given(self) -> int:
        """How many examples were given, those that are left out among them."""
        pair = self.first._pair  # noqa: SLF001  which rows count is not said in public
        return self.first.n if pair is None else pair.n

    @property
    def kept(self) -> NDArray[np.intp]:
        """The positions of the given examples that count."""
        pair = self.first._pair  # noqa: SLF001  as above
        kept = None if pair is None else pair.rows if pair.within is None else pair.present
        return np.arange(self.n_given) if kept is None else np.asarray(kept)

    def only_decisions(self) -> list[str]:
        """Return the names of the predictions that have no probabilities and no scores."""
        auto = {name: as_array(values, "prediction").dtype.kind == "f" for name, values in self.predictions.items()}
        return [name for name, kind in self.kinds.items() if kind == "labels" or (kind == "auto" and not auto[name])]

    def _share_classes(self) -> None:
        """Give all predictions the classes that any of them has; each alone knows only those that it saw."""
        found = {matrix.labels for matrix in self.decisions.values()}
        if len(found) == 1:
            return
        if any(isinstance(label, str) for labels in found for label in labels):
            self.settings["labels"] = sorted(set().union(*found))
        else:
            self.settings["n_classes"] = max(map(len, found))
        self.decisions = {name: self.matrix(name) for name in self.predictions}


def _named(prediction: Any) -> dict[str, Any]:
    if not isinstance(prediction, Mapping):
        return {"prediction": prediction}
    if not prediction:
        msg = "there are no predictions; expected at least one array by name."
        raise InputError(msg)
    wrong = [name for name in prediction if not isinstance(name, str)]
    if wrong:
        msg = f"predictions have the names {listed(wrong)}, expected text."
        raise InputError(msg)
    return dict(prediction)
