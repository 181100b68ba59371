"""Which measures repeat each other: the rank of their Jacobian by the rates of the classifier.

The class frequencies are held fixed, so that what remains free is what the classifier does (see ``coordinates``). Two
measures whose derivatives point the same way say the same about small changes of this classifier on these data; a
suite is redundant where the rank is lower than its size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import quiet
from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.errors import InputError, listed
from softtruth.measures.catalogue import list_measures, names_operator, parse
from softtruth.measures.measure import Measure
from softtruth.measures.operators import Averaged, exemplar
from softtruth.statistics.table import Table
from softtruth.structure.coordinates import BY_PAIRS, degrees_of_freedom, statistic_of
from softtruth.uncertainty.pulls import pair_slopes, slopes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from softtruth.measures.operators import Operator
    from softtruth.statistics.cells import Cells

_TOLERANCE = 1e-9  # of the longest derivative: shorter ones have no direction
_DEPENDENT = 1e-7  # of unit vectors: singular values below say that some follow from others
_TRACE = 1e-12
_EXHAUSTIVE = 100_000  # suites that are all tried; beyond, the best is built one by one

Question = Averaged | Measure


@dataclass(frozen=True)
class Suite:
    """A list of measures and how much they say together.

    Attributes
    ----------
    questions : tuple
    rank : int
        The number of independent directions.
    degrees_of_freedom : int
        The number of directions there are.
    volume : float
        Of the box spanned by the unit derivatives: 0 for a redundant suite, 1 where all directions are at right angles,
        as for recall and specificity.
    flat : tuple
        Questions that do not react to small changes here, such as one at the end of its range.
    """

    questions: tuple[Question, ...]
    rank: int
    degrees_of_freedom: int
    volume: float
    flat: tuple[Question, ...]

    @property
    def redundant(self) -> bool:
        """Whether a measure follows from the others, to first order."""
        return self.rank < len(self.questions)


@checked
def jacobian(
    questions: Iterable[str | Averaged | Measure],
    statistic: Any,
    *,
    operator: str | Operator = "macro",
    convention: str = "exclude",
) -> NDArray[np.float64]:
    """Return the derivative of every question by every free rate, (questions, degrees of freedom).

    Parameters
    ----------
    questions
        Names or measures; one without operator stands under ``operator``, or under none where it takes none.
    statistic
        Cells, a table or examples.
    operator, convention
        As everywhere; not exemplar, which is no function of the rates.

    Raises
    ------
    InputError
        For an exemplar question.

    Examples
    --------
    >>> from softtruth import Cells
    >>> jacobian(["recall", "balanced_accuracy"], Cells.of(3, 1, 1, 4)).round(4).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    under, filled = convention_of(convention), _without_empty_cells(statistic_of(statistic))
    return np.stack([_derivative(question, filled, under) for question in _asked(questions, operator)])


def _without_empty_cells(statistic: Any) -> Table | Cells:
    """Return the table or the cells with a trace in what is empty: an error that does not occur is a direction too."""
    kept: Table | Cells = statistic.table if statistic.task in BY_PAIRS else statistic.cells
    masses = np.asarray(kept.masses)
    if isinstance(kept, Table):
        trace = _TRACE * masses.sum(axis=-1, keepdims=True)
    else:
        tp, fp, fn, tn = masses
        trace = _TRACE * np.stack([tp + fn, fp + tn, tp + fn, fp + tn])
    return replace(kept, masses=np.where(masses == 0, trace, masses))


def _asked(questions: Iterable[str | Averaged | Measure], operator: str | Operator) -> list[Question]:
    found: list[Question] = []
    for question in questions:
        alone = parse(question)
        asked = alone if isinstance(alone, Measure) or names_operator(question) else parse(question, operator)
        if isinstance(asked, Averaged) and asked.operator is exemplar:
            msg = f"{asked} is no function of the rates of a classifier; ask under micro, macro or weighted."
            raise InputError(msg)
        found.append(asked)
    if not found:
        msg = "there are no questions; expected at least one measure."
        raise InputError(msg)
    return found


def _derivative(question: Question, statistic: Any, convention: Convention) -> NDArray[np.float64]:
    if statistic.task in BY_PAIRS:
        slopes = pair_slopes(question, statistic, convention)
        # A unit of the rate k -> l takes the mass of class k off its diagonal.
        with quiet():
            moved = (slopes - np.diagonal(slopes)[:, None]) * statistic.table.rows[:, None]
        return np.asarray(moved[~np.eye(len(moved), dtype=bool)])
    if isinstance(question, Measure) and question.rung == "table":
        slopes = pair_slopes(question, statistic, convention)
        tp, fp, fn, tn = slopes[1, 1], slopes[0, 1], slopes[1, 0], slopes[0, 0]
    else:
        tp, fp, fn, tn = slopes_of(question, statistic, convention, None)
    cells = statistic.cells
    with quiet():  # the slope at masses of the smallest numbers may be infinite
        by_rate = [(tp - fn) * (cells.tp + cells.fn), (tn - fp) * (cells.tn + cells.fp)]
    return np.stack(np.broadcast_arrays(*by_rate), axis=-1).reshape(-1)


def _units(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the rows at length one, and which have no direction."""
    rows = np.nan_to_num(rows, posinf=0.0, neginf=0.0)
    size = np.linalg.norm(rows, axis=1)
    flat = size <= _TOLERANCE * max(float(size.max(initial=0)), 1e-300)
    return rows / np.where(flat, 1, size)[:, None] * ~flat[:, None], flat


def _of_units(questions: Sequence[Question], units: NDArray[np.float64], statistic: Any) -> Suite:
    singular = np.linalg.svd(units, compute_uv=False)
    flat = tuple(q for q, row in zip(questions, units, strict=True) if not row.any())
    volume = float(np.prod(singular)) if len(questions) <= units.shape[1] else 0.0
    rank = int((singular > _DEPENDENT).sum())
    volume = volume if rank == len(questions) else 0.0
    return Suite(tuple(questions), rank, degrees_of_freedom(statistic), volume, flat)


@checked
def suite_of(
    questions: Iterable[str | Averaged | Measure],
    statistic: Any,
    *,
    operator: str | Operator = "macro",
    convention: str = "exclude",
) -> Suite:
    """Do these measures repeat each other here?

    Parameters and errors as in ``jacobian``.

    Examples
    --------
    >>> from softtruth import Cells
    >>> found = suite_of(["recall", "specificity", "f1"], Cells.of(3, 1, 1, 4))
    >>> found.rank, found.degrees_of_freedom, found.redundant
    (2, 2, True)
    """
    asked = _asked(questions, operator)
    return _of_units(asked, _units(jacobian(asked, statistic, convention=convention))[0], statistic)


@checked
def best_suite(
    statistic: Any,
    size: int | None = None,
    candidates: Iterable[str | Averaged | Measure] | None = None,
    *,
    operator: str | Operator = "macro",
    convention: str = "exclude",
) -> Suite:
    """Which suite of this size repeats itself least here?

    The one of the largest volume (see ``Suite``); among equals the first in the order of the candidates. All suites are
    tried up to 100,000; beyond that the suite is built one by one, each time with the candidate that adds most.

    Parameters
    ----------
    statistic
        Cells, a table or examples.
    size
        As many as there are independent directions by default.
    candidates
        All measures of cells by default.
    operator, convention
        As in ``jacobian``.

    Raises
    ------
    InputError
        If the candidates span fewer directions than the suite needs.

    Examples
    --------
    >>> from softtruth import Cells
    >>> found = best_suite(Cells.of(3, 1, 1, 4), candidates=["f1", "recall", "accuracy", "specificity"])
    >>> [str(q) for q in found.questions], round(found.volume, 6)
    (['macro recall', 'macro specificity'], 1.0)
    """
    measures = [m for m in list_measures() if m.takes_operator] if candidates is None else candidates
    asked = _asked(measures, operator)
    units, flat = _units(jacobian(asked, statistic, convention=convention))
    kept = np.flatnonzero(~flat)
    span = int((np.linalg.svd(units[kept], compute_uv=False) > _DEPENDENT).sum()) if kept.size else 0
    k = span if size is None else size
    if not 1 <= k <= span:
        msg = f"a suite of {k} was asked for, but {listed([str(q) for q in asked])} span {span} directions here."
        raise InputError(msg)
    chosen = _exhaustive(units, kept, k) if comb(kept.size, k) <= _EXHAUSTIVE else _one_by_one(units, kept, k)
    return _of_units([asked[i] for i in chosen], units[chosen], statistic)


def _exhaustive(units: NDArray[np.float64], kept: NDArray[Any], k: int) -> list[int]:
    sets = np.array(list(combinations(kept.tolist(), k)))
    gram = units @ units.T
    volumes = np.linalg.det(gram[sets[:, :, None], sets[:, None, :]])
    return [int(i) for i in sets[int(np.argmax(np.round(volumes, 12)))]]


def _one_by_one(units: NDArray[np.float64], kept: NDArray[Any], k: int) -> list[int]:
    rest = units[kept].copy()
    chosen: list[int] = []
    for _ in range(k):  # what is left of each candidate beyond the chosen ones
        left = np.round((rest * rest).sum(axis=1), 12)
        at = int(np.argmax(left))
        chosen.append(int(kept[at]))
        direction = rest[at] / np.linalg.norm(rest[at])
        rest -= (rest @ direction)[:, None] * direction
    return chosen
