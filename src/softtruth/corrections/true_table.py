"""The confusion table against the truth, recovered from the table against noisy labels: a map on the reference axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.conventions import convention_of
from softtruth.corrections.sharp_range import checked_share
from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import evaluate
from softtruth.statistics.table import Table
from softtruth.uncertainty.interval import Interval, checked_level, plain
from softtruth.uncertainty.pulls import pair_pulls, slopes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged, Operator

METHODS = ("inverse", "em")
ASSUMPTION = "given the truth, labels are wrong independently of the prediction"
WORST_CONDITION = 1e8  # beyond it, rounding and sampling errors are all that is left


def observed_table(table: Any) -> Table:
    """Return the table of labels (rows) and predictions (columns), checked and not empty; a bare 2 x 2 is binary.

    Raises
    ------
    InputError
        If it is no table, or holds nothing.
    """
    found = table.table if hasattr(table, "table") else Table.of(table)
    if found.n_classes == 2 and not hasattr(table, "table"):
        found = replace(found, task="binary")
    if found.masses.ndim != 2:
        msg = f"the table has shape {found.masses.shape}, expected one table K x K: rows the label."
        raise InputError(msg)
    if not float(found.masses.sum()) > 0:
        msg = "the table is empty; expected labels and predictions."
        raise InputError(msg)
    return found


def checked_transition(transition: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return ``T[k, l] = P(label l | truth k)``: rows sum to one.

    Raises
    ------
    InputError
        If it is not such a matrix.
    """
    matrix = np.asarray(transition, np.float64)
    if matrix.shape != (n_classes, n_classes):
        msg = f"transition has shape {matrix.shape}, expected {(n_classes, n_classes)}: rows the truth."
        raise InputError(msg)
    sums = matrix.sum(axis=1)
    bad = ~(np.isfinite(sums) & (np.abs(sums - 1) <= 1e-6) & (matrix >= 0).all(axis=1))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        msg = (
            f"transition row {row} is {shown(matrix[row].tolist())}, expected probabilities of the labels of true "
            f"class {row}, which sum to 1. If rows are labels, give precision= or label_truth=."
        )
        raise InputError(msg)
    return matrix


def symmetric_transition(reference_accuracy: float, n_classes: int) -> NDArray[np.float64]:
    """Return the transition matrix of labels that are right equally often in every class, and wrong evenly.

    Examples
    --------
    >>> symmetric_transition(0.9, 3)
    array([[0.9 , 0.05, 0.05],
           [0.05, 0.9 , 0.05],
           [0.05, 0.05, 0.9 ]])
    """
    right = checked_share(reference_accuracy, "reference_accuracy")
    off = (1 - right) / (n_classes - 1)
    return np.full((n_classes, n_classes), off) + (right - off) * np.eye(n_classes)


def _inverse(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the inverse and the condition number.

    Raises
    ------
    NotAnswerableError
        If there is no inverse.
    """
    sizes = np.linalg.svd(matrix, compute_uv=False)
    if sizes[-1] <= sizes[0] * len(matrix) * np.finfo(float).eps:
        msg = (
            "the transition matrix is singular: different truths give the same labels, so the table against the truth "
            "is not determined. Merge the classes that the labels do not tell apart."
        )
        raise NotAnswerableError(msg)
    return np.asarray(np.linalg.inv(matrix), np.float64), float(sizes[0] / sizes[-1])


def true_shares(label_shares: ArrayLike, transition: ArrayLike) -> NDArray[np.float64]:
    """Which shares do the classes have, when the labels give these and are wrong at these rates?

    The solution ``pi`` of ``T' pi = a``. For two classes it is the Rogan-Gladen estimate
    ``(apparent + specificity - 1) / (sensitivity + specificity - 1)``. Raw: negative where the data refute ``T``.

    Examples
    --------
    >>> true_shares([0.73, 0.27], [[0.9, 0.1], [0.2, 0.8]]).round(4).tolist()
    [0.7571, 0.2429]

    Source: Rogan & Gladen 1978, Am. J. Epidemiol. 107:71, doi:10.1093/oxfordjournals.aje.a112510.
    """
    shares = np.asarray(label_shares, np.float64)
    matrix = checked_transition(transition, shares.shape[-1])
    return shares @ _inverse(matrix)[0]


@dataclass(frozen=True, eq=False)
class TrueTable:
    """A recovered table: rows the truth, columns the prediction.

    Attributes
    ----------
    table : Table
        The masses; with ``refuted`` some are negative, and measures of it are as raw as they are.
    refuted : bool
        Whether the data contradict the assumption: a mass came out negative.
    observed : Table
        What it was recovered from.
    transition : ndarray, shape (K, K)
    method : str
    condition : float
        How much errors of the observed table may grow.
    log_likelihood : float
        Of the observed table, per unit of mass, by the EM method; NaN else.
    note : str
    """

    table: Table
    refuted: bool
    observed: Table
    transition: NDArray[np.float64]
    method: str
    condition: float
    log_likelihood: float = math.nan
    note: str = ""

    @property
    def prior(self) -> NDArray[np.float64]:
        """The true shares of the classes."""
        rows = np.asarray(self.table.rows)
        return rows / rows.sum()

    def compute(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> float:
        """What is the value of this measure against the truth?"""
        return float(evaluate(parse(measure, operator), self.table, convention))

    def interval(
        self,
        measure: str | Measure | Averaged,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
        level: float = 0.95,
    ) -> Interval:
        """Return the value with its sampling interval; the transition matrix is taken as known.

        The value is a function of the observed counts through the inverse, so the delta method needs one derivative.

        Raises
        ------
        NotAnswerableError
            For a table by EM, which is no smooth function of the counts where it sticks to the edge.
        """
        level = checked_level(level)
        if self.method != "inverse":
            msg = "only the raw table (method='inverse') has such an interval; resample the examples for the EM table."
            raise NotAnswerableError(msg)
        question = parse(measure, operator)
        inverse = _inverse(self.transition)[0]
        masses, value = np.asarray(self.observed.masses), self.compute(question, convention=convention)
        slopes = slopes_of(question, self.table, convention_of(convention), None)
        slopes = inverse @ pair_pulls(slopes, self.table.n_classes, binary=self.table.task == "binary")
        total = float(masses.sum())
        variance = float((masses * slopes**2).sum() - (masses * slopes).sum() ** 2 / total)
        return plain(
            value,
            math.sqrt(max(variance, 0.0)),
            level,
            method="delta",
            assumption=ASSUMPTION,
            note="the data refute the assumption" if self.refuted else self.note,
        )


@checked
def true_table(
    observed: Any,
    transition: ArrayLike | None = None,
    *,
    reference_accuracy: float | None = None,
    method: str = "inverse",
    tolerance: float = 1e-12,
    max_steps: int = 10_000,
) -> TrueTable:
    """Which table of truth and prediction lies behind this table of labels and predictions?

    When the labels are wrong independently of the prediction given the truth, the observed table is ``T' C`` with
    ``T[k, l] = P(label l | truth k)`` and ``C`` the table against the truth.

    Parameters
    ----------
    observed : Table or array-like, shape (K, K)
        Rows the label, columns the prediction.
    transition : array-like, shape (K, K), optional
        Rows the truth, columns the label.
    reference_accuracy : float, optional
        In place of ``transition``: labels equally often right in every class, and wrong evenly.
    method : {"inverse", "em"}
        ``inverse`` gives the raw solution, with negative masses where the data refute the assumption. ``em`` gives the
        most likely table among those without negative masses.
    tolerance, max_steps
        When EM stops: the largest change of a share of the mass, and the number of steps.

    Raises
    ------
    NotAnswerableError
        If the transition matrix is singular.

    Examples
    --------
    >>> found = true_table([[83, 37], [17, 63]], [[0.9, 0.1], [0.2, 0.8]])
    >>> np.asarray(found.table.masses).round(1).tolist(), found.refuted
    ([[90.0, 24.3], [10.0, 75.7]], False)

    Sources: Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510 (its margin, for two classes); Dempster, Laird
    & Rubin 1977, J. R. Stat. Soc. B 39:1, doi:10.1111/j.2517-6161.1977.tb01600.x (EM).
    """
    table = observed_table(observed)
    if (transition is None) == (reference_accuracy is None):
        msg = "give either transition= (rows the truth, columns the label) or reference_accuracy=, and not both."
        raise InputError(msg)
    matrix = (
        symmetric_transition(float(reference_accuracy or 0.0), table.n_classes)
        if transition is None
        else checked_transition(transition, table.n_classes)
    )
    if method not in METHODS:
        msg = f"method is {shown(method)}, expected one of {listed(METHODS)}."
        raise InputError(msg)
    inverse, condition = _inverse(matrix)
    note = (
        f"the transition matrix is nearly singular (condition number {condition:.2g}): the result is mostly rounding"
        if condition > WORST_CONDITION
        else ""
    )
    masses = np.asarray(table.masses, np.float64)
    raw = inverse.T @ masses
    refuted = bool((raw < -1e-12 * masses.sum()).any())
    if method == "inverse":
        return TrueTable(Table(raw, table.task, table.coupling), refuted, table, matrix, method, condition, note=note)
    found, likelihood, steps = _most_likely(masses, matrix, tolerance, max_steps)
    note = note if steps < max_steps else "; ".join(filter(None, [note, f"EM was stopped after {max_steps} steps"]))
    return TrueTable(
        Table(found, table.task, table.coupling), refuted, table, matrix, method, condition, likelihood, note
    )


def _most_likely(
    masses: NDArray[np.float64], matrix: NDArray[np.float64], tolerance: float, max_steps: int
) -> tuple[NDArray[np.float64], float, int]:
    """Return the table without negative masses that makes the observed one most likely."""
    total = masses.sum()
    observed = masses / total
    columns = observed.sum(axis=0)
    found = np.broadcast_to(columns / len(matrix), matrix.shape).copy()
    step = 0
    with quiet():
        for step in range(1, max_steps + 1):  # noqa: B007  the number of steps is told
            expected = matrix.T @ found
            moved = found * (matrix @ np.where(observed > 0, observed / expected, 0.0))
            change = float(np.abs(moved - found).max())
            found = moved
            if change < tolerance:
                break
        expected = matrix.T @ found
        likelihood = float(np.where(observed > 0, observed * np.log(expected), 0.0).sum())
    return found * total, likelihood, step
