"""Do people agree, beyond what chance would give? Coefficients of any number of annotators, with intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import Answers, require_answers
from softtruth.arguments import Names, checked
from softtruth.conventions import Convention
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import MOST_VOTES, as_array
from softtruth.measures import parse
from softtruth.measures.operators import evaluate
from softtruth.people.krippendorff import DISTANCES, alpha, alpha_slopes, checked_distance
from softtruth.statistics.table import Table
from softtruth.uncertainty.interval import checked_level, wald
from softtruth.uncertainty.pulls import clustered_variance, pair_pulls, slopes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.uncertainty.interval import Interval

# The measure of the table of pairs that each coefficient is; alpha weighs items by their answers, the others all alike.
COEFFICIENTS = {
    "observed_agreement": "accuracy",
    "fleiss_kappa": "multiclass_scott_pi",
    "gwet_ac1": "multiclass_gwet_ac1",
    "krippendorff_alpha": None,
}


@checked
def agreement(
    votes: Answers | ArrayLike,
    coefficient: str = "krippendorff_alpha",
    *,
    distance: str = "nominal",
    values: ArrayLike | None = None,
    clusters: Names | None = None,
    level: float = 0.95,
) -> Interval:
    """How far do people agree with each other?

    Parameters
    ----------
    votes : Answers, or array-like of shape (N, K)
        The answers, or the number of votes for each class: not what each person answered, (N, R), which goes through
        ``Answers.of``. Items with one answer say nothing and are left out.
    coefficient : str
        ``observed_agreement``: the chance that two people give one item the same label. ``fleiss_kappa`` (pi of many
        raters) and ``gwet_ac1``: the same beyond chance; items count alike, however many answers they have.
        ``krippendorff_alpha``: beyond chance, items counting by their answers, corrected for small samples.
    distance : {"nominal", "ordinal", "interval"}
        How far apart two classes are, for alpha.
    values : array-like, shape (K,), optional
        The numbers that the classes stand for, for ``interval``; by default those that ``Answers`` have as classes,
        else 0 to K-1.
    clusters : array-like, shape (N,), optional
        Which items belong together.
    level : float

    Returns
    -------
    Interval
        By linearisation over items. Undefined when all answers are equal (except the observed agreement).

    Raises
    ------
    InputError
        If the coefficient is not known, the votes are no counts, or no item has two answers.

    Notes
    -----
    Kappas and alpha fall when one class prevails, at the same observed agreement; AC1 does less. Cohen's kappa of two
    annotators is in ``pairwise``.
    Source: Fleiss 1971, Psychol. Bull. 76:378, doi:10.1037/h0031619; Gwet 2008, Br. J. Math. Stat. Psychol. 61:29,
    doi:10.1348/000711006X126600; for alpha see ``krippendorff.alpha``.

    Examples
    --------
    >>> votes = [[3, 0], [2, 1], [0, 3], [3, 0], [1, 2], [0, 3]]
    >>> print(agreement(votes, "fleiss_kappa"))
    0.556 [-0.169, 0.890] sampling 95%
    """
    if coefficient not in COEFFICIENTS:
        msg = f"coefficient {shown(coefficient)} is not known; expected one of {listed(COEFFICIENTS)}."
        raise InputError(msg)
    counts, kept = shared_counts(votes)
    _refuse_answers(votes, counts)
    if isinstance(votes, Answers) and distance in DISTANCES[1:] and values is None:
        values = _places(votes, distance)
    return agreement_of_counts(
        counts, kept, coefficient, distance=distance, values=values, clusters=clusters, level=level
    )


def _places(answers: Answers, distance: str) -> ArrayLike | None:
    """Return the numbers that classes are; None where their order says all. Names that were only sorted have none."""
    if distance == "interval":
        try:
            return [float(name) for name in answers.classes]
        except (TypeError, ValueError):
            pass  # no numbers: then the order is asked for
    if not answers.ordered and answers.n_classes > 2:
        msg = (
            f"distance {shown(distance)} needs the order of the classes, and {listed(answers.classes)} are only "
            "sorted; name them in their order, as in Answers.long(item, annotator, label, classes=[...])."
        )
        raise InputError(msg)
    return None


def agreement_of_counts(
    counts: NDArray[np.float64],
    kept: NDArray[np.bool_],
    coefficient: str,
    *,
    distance: str = "nominal",
    values: ArrayLike | None = None,
    clusters: Names | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the agreement in counts of items with two answers or more; ``kept`` says which items these are."""
    numbers = checked_distance(distance, values, counts.shape[1])
    level = checked_level(level)
    groups = None if clusters is None else _codes(clusters, len(kept))[kept]
    if coefficient == "krippendorff_alpha":
        masses = _pair_masses(counts, by_answers=True)
        value = alpha(masses, distance, numbers)
        slopes = None if math.isnan(value) else alpha_slopes(masses, distance, numbers)
    else:
        if distance != "nominal":
            msg = f"distance is {shown(distance)}, which only krippendorff_alpha knows; expected 'nominal'."
            raise InputError(msg)
        question = parse(str(COEFFICIENTS[coefficient]))
        table = Table(_pair_masses(counts, by_answers=False))
        value = float(evaluate(question, table))
        cells = None if math.isnan(value) else slopes_of(question, table, Convention.EXCLUDE, None)
        slopes = None if cells is None else pair_pulls(cells, counts.shape[1], binary=False)
    limits = (0.0, 1.0) if coefficient == "observed_agreement" else (-1.0, 1.0)
    error = math.nan
    if slopes is not None:
        pulls = _pulls(counts, slopes, by_answers=coefficient == "krippendorff_alpha")
        error = math.sqrt(clustered_variance(pulls, groups))
    what = "items" if clusters is None else "clusters of items"
    return wald(value, error, level, limits, assumption=f"{what} drawn independently, answered by people of this kind")


@checked
def pair_table(votes: Answers | ArrayLike) -> Table:
    """Which labels do two people give to one item?

    The masses of ordered pairs of answers, each item with two or more answers having the mass 1: the diagonal over the
    total is the observed agreement, ``multiclass_scott_pi`` of it is Fleiss' kappa, and ``weighted_kappa`` one for
    classes in order.

    Parameters
    ----------
    votes : Answers, or array-like of shape (N, K)

    Returns
    -------
    Table
        Symmetric; tables of disjoint items add.

    Raises
    ------
    InputError
        If the votes are no counts, or no item has two answers.

    Examples
    --------
    >>> pair_table([[2, 1], [0, 3], [1, 0]]).masses.round(3)
    array([[0.333, 0.333],
           [0.333, 1.   ]])
    """
    counts = shared_counts(votes)[0]
    _refuse_answers(votes, counts)
    return Table(_pair_masses(counts, by_answers=False))


@checked
def pairwise(answers: Answers, measure: str = "cohen_kappa") -> NDArray[np.float64]:
    """How far does each annotator agree with each other one, on the items that both answered?

    Parameters
    ----------
    answers : Answers
    measure : str
        A measure of the K x K table: ``cohen_kappa``, ``accuracy``, ``weighted_kappa``, ...

    Returns
    -------
    array, shape (R, R)
        NaN where two share no item, and where the measure is undefined.

    Examples
    --------
    >>> pairwise(Answers.of([[0, 0, -1], [1, 1, 0], [0, 1, 1]]), "accuracy").round(3)
    array([[1.   , 0.667, 0.   ],
           [0.667, 1.   , 0.5  ],
           [0.   , 0.5  , 1.   ]])
    """
    require_answers(answers)
    r, k = answers.n_annotators, answers.n_classes
    shared = (answers.indicator.T @ answers.indicator).toarray().reshape(r, k, r, k)
    tables = Table(np.ascontiguousarray(np.swapaxes(shared, 1, 2)))
    return np.asarray(evaluate(parse(measure), tables), np.float64)


def _refuse_answers(votes: Any, counts: NDArray[np.float64]) -> None:
    """Refuse a matrix of what each of R people answered, 0 or 1: as counts, nobody would ever agree with anybody."""
    answers = counts.sum(axis=1)
    if not isinstance(votes, Answers) and counts.max() <= 1 and (answers != answers[0]).any():
        msg = (
            "votes hold only 0 and 1, so that as counts of votes for each class, (N, K), no two answers to an item "
            "would ever be the same. What each person answered, (N, R), goes through Answers.of(votes)."
        )
        raise InputError(msg)


def shared_counts(votes: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the counts of items with two answers or more, and which items these are."""
    counts = as_array(votes.counts if isinstance(votes, Answers) else votes, "votes")
    if counts.ndim != 2 or counts.shape[1] == 0 or counts.dtype.kind not in "biuf":
        msg = f"votes has shape {counts.shape}, expected (N, K): for each item the number of votes for each class."
        raise InputError(msg)
    counts = counts.astype(np.float64)
    good = (counts >= 0) & (counts == np.floor(counts)) & (counts <= MOST_VOTES)
    if not good.all():
        row = int(np.argmin(good.all(axis=1)))
        msg = (
            f"votes row {row} contains {shown(counts[row][~good[row]][0])}, expected whole numbers of votes for each "
            f"class, at most {MOST_VOTES:,.0f}; what each person answered, (N, R), goes through Answers.of(votes)."
        )
        raise InputError(msg)
    kept = counts.sum(axis=1) >= 2
    if not kept.any():
        msg = f"no item of {len(counts)} has two answers, so nothing is known about agreement."
        raise InputError(msg)
    return counts[kept], kept


def _weights(counts: NDArray[np.float64], *, by_answers: bool) -> NDArray[np.float64]:
    answers = counts.sum(axis=1)
    return 1 / (answers - 1) if by_answers else 1 / (answers * (answers - 1))


def _pair_masses(counts: NDArray[np.float64], *, by_answers: bool) -> NDArray[np.float64]:
    weights = _weights(counts, by_answers=by_answers)
    masses = counts.T @ (counts * weights[:, None])
    at = np.arange(counts.shape[1])
    masses[at, at] -= weights @ counts
    return masses


def _pulls(counts: NDArray[np.float64], slopes: NDArray[np.float64], *, by_answers: bool) -> NDArray[np.float64]:
    """Return the influence of each item."""
    inner = np.einsum("nc,nc->n", counts @ slopes, counts) - counts @ slopes.diagonal()
    return np.asarray(inner * _weights(counts, by_answers=by_answers))


def _codes(clusters: Any, n: int) -> NDArray[np.intp]:
    given = np.asarray(clusters)
    if given.shape != (n,):
        msg = f"clusters has shape {given.shape} but there are {n} items; expected one cluster for each."
        raise InputError(msg)
    return np.unique(given, return_inverse=True)[1].reshape(-1)
