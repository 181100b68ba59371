"""Why micro and macro differ: classes that count more in the denominator have other values than the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.errors import InputError
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, evaluate, macro, micro
from softtruth.structure.coordinates import statistic_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure


@dataclass(frozen=True)
class Gap:
    """The difference of micro and macro, and where it comes from.

    Attributes
    ----------
    micro, macro : float
    covariance : float
        Of the classes' denominators and values; NaN where the measure has no denominators.
    mean_denominator : float
    values, denominators : ndarray
        Of the classes that have a value.
    """

    micro: float
    macro: float
    covariance: float
    mean_denominator: float
    values: NDArray[np.float64]
    denominators: NDArray[np.float64]

    @property
    def gap(self) -> float:
        """Micro less macro."""
        return self.micro - self.macro

    @property
    def explained(self) -> float:
        """The covariance over the mean denominator: the whole gap of a decomposable measure."""
        return self.covariance / self.mean_denominator


@checked
def micro_macro_gap(
    measure: str | Measure | Averaged, statistic: Any, columns: Sequence[int] | slice | None = None
) -> Gap:
    """Why do the micro and the macro average of a measure differ?

    For a measure that is a ratio of linear forms, ``micro - macro = cov(denominator, value) / mean(denominator)`` over
    the classes that have a value: micro weighs a class with its denominator. For any other measure micro is no average
    of the classes at all, and ``covariance`` is NaN.

    Raises
    ------
    InputError
        If the measure belongs to the whole table.

    Examples
    --------
    >>> from softtruth import Table
    >>> found = micro_macro_gap("precision", Table.of([[8, 2, 0], [1, 3, 2], [0, 1, 9]]))
    >>> round(found.gap, 6), round(found.explained, 6)
    (0.033541, 0.033541)
    """
    question = parse(measure)
    if not isinstance(question, Averaged):
        msg = f"{question} is a measure of the whole table: it has no micro and macro average."
        raise InputError(msg)
    measure, statistic = question.measure, statistic_of(statistic)
    cells = statistic.cells.subset(columns)
    values = np.asarray(measure(cells))
    defined = np.isfinite(values)
    values = values[defined]
    denominators = np.full(values.shape, np.nan)
    if measure.linear is not None:
        denominators = np.asarray(np.tensordot(measure.linear[1], cells.masses, axes=1))[defined]
    mean = float(denominators.mean()) if values.size else float("nan")
    covariance = float(((denominators - mean) * (values - values.mean())).mean()) if values.size else float("nan")
    return Gap(
        float(evaluate(micro(measure), cells)),
        float(evaluate(macro(measure), cells)),
        covariance,
        mean,
        values,
        denominators,
    )
