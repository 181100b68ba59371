"""Information that reference and prediction share: entropies and chi-square, of one class and of the whole table.

Natural logarithms throughout, except where a publication fixes another base.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softtruth._arrays import constant, indicator, log, log1p, magnitude, sqrt, total, vanishes, where
from softtruth.conventions import ratio
from softtruth.measures.agreement import mcc
from softtruth.measures.measure import measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table


_NEAR = 1e-3  # five terms of the series are exact to the last digit up to here


def _surplus(mass: Array, product: Array, beyond: Array, n: Array) -> Array:
    """Return ``mass log(mass / expected) - mass + expected``, from ``product`` and ``beyond``, each n times too large.

    ``expected`` is what independence would give, the product of the margins over n, and ``beyond`` what the mass has
    more. It is at least 0 and vanishes at independence without cancellation: near it, with ``x = beyond / expected``,
    it is the series of ``expected ((1 + x) log(1 + x) - x)``. Where the mass is 0 it is ``expected``.
    """
    empty = vanishes(mass)
    x = where(empty, 0.0, ratio(beyond, product))
    near, scarce = magnitude(x) < _NEAR, x < -0.5  # of a mass far below what is expected, 1 + x keeps no digit
    small = where(near, x, 0.0)
    series = product * small * small * (1 / 2 - small * (1 / 6 - small * (1 / 12 - small * (1 / 20 - small / 30))))
    share = where(scarce, ratio(n * mass, where(scarce, product, 1.0)), 1.0)
    logarithm = log1p(where(scarce, 0.0, x)) + log(share)
    return where(empty | near, ratio(where(empty, product, series), n), mass * logarithm - ratio(beyond, n))


@measure(
    range=(0.0, math.log(2)),
    joint="dips",
    traits="symmetric class_symmetric tn_at_zero",
    aliases=("information", "mi"),
)
def mutual_information(c: Cells) -> Array:
    """How much does the prediction say about the class, in nats?

    ``sum p log(p / (row share * column share))`` over the four cells. Undefined without data. Misleads as a score: an
    exchanged prediction says as much as a right one.

    >>> round(float(mutual_information(Cells.of(3, 1, 1, 4))[0]), 4)
    0.159

    Source: Shannon 1948, Bell Syst. Tech. J. 27:379, doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    n = c.tp + c.fp + c.fn + c.tn
    beyond = c.tp * c.tn - c.fp * c.fn
    held, not_held, named, not_named = c.tp + c.fn, c.fp + c.tn, c.tp + c.fp, c.fn + c.tn
    return ratio(
        _surplus(c.tp, held * named, beyond, n)
        + _surplus(c.fp, not_held * named, -beyond, n)
        + _surplus(c.fn, held * not_named, -beyond, n)
        + _surplus(c.tn, not_held * not_named, beyond, n),
        n,
    )


@measure(joint="dips", traits="symmetric class_symmetric tn_at_zero")
def cramers_v(c: Cells) -> Array:
    """How strongly are reference and prediction associated, in either direction?

    The absolute value of mcc. Undefined when a margin is empty. Misleads as a score: an exchanged prediction has the
    value of a right one.

    >>> round(float(cramers_v(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Cramér 1946, Mathematical Methods of Statistics, ch. 21.
    """
    return magnitude(mcc.formula(c))


def _beside_independence(t: Table) -> tuple[Array, Array, Array]:
    """Return the products of the margins, what the table has beyond them (both n times too large), and n."""
    product = t.rows[..., :, None] * t.columns[..., None, :]
    n = total(t.rows)[..., None, None]
    return product, n * t.masses - product, n


@measure(
    rung="table",
    range=(0.0, float("inf")),
    joint="varies",
    traits="symmetric class_symmetric",
    aliases=("multiclass_mutual_information",),
)
def table_mutual_information(t: Table) -> Array:
    """How much does the predicted class say about the class, in nats?

    ``sum p log(p / (row share * column share))`` over the table. Undefined without data. Misleads as a score: renamed
    classes say as much as right ones.

    >>> from softtruth.statistics import Table
    >>> round(float(table_mutual_information(Table.of([[8, 2], [1, 9]]))), 4)
    0.2754

    Source: Shannon 1948, Bell Syst. Tech. J. 27:379, doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    product, beyond, n = _beside_independence(t)
    return ratio(total(total(_surplus(t.masses, product, beyond, n))), n[..., 0, 0])


@measure(rung="table", joint="varies", traits="class_symmetric", aliases=("uncertainty_coefficient",))
def theil_u(t: Table) -> Array:
    """Which share of the uncertainty about the class does the prediction remove?

    Mutual information over the entropy of the reference. Undefined when the reference is constant.

    >>> from softtruth.statistics import Table
    >>> round(float(theil_u(Table.of([[8, 2], [1, 9]]))), 4)
    0.3973

    Source: Theil 1972, Statistical Decomposition Analysis; Press et al. 2007, Numerical Recipes, 3rd ed., 14.7.4.
    """
    product, beyond, n = _beside_independence(t)
    empty = vanishes(t.rows)
    whole = where(empty, 1.0, n[..., 0] + 0.0 * t.rows)
    uncertainty = total(t.rows * (log(whole) - log(where(empty, 1.0, t.rows))))  # s times the entropy
    none = vanishes(t.masses)
    named = where(none, 1.0, t.columns[..., None, :] + 0.0 * t.masses)
    left = total(total(t.masses * log(named / where(none, 1.0, t.masses))))  # what the prediction does not remove
    shared = total(total(_surplus(t.masses, product, beyond, n)))
    # Where little is left, the difference is exact, and so is the value 1; elsewhere it would cancel.
    return ratio(where(2.0 * left < uncertainty, uncertainty - left, shared), uncertainty)


@measure(rung="table", joint="varies", traits="symmetric class_symmetric", aliases=("multiclass_cramers_v",))
def table_cramers_v(t: Table) -> Array:
    """How strongly are the class and the predicted class associated?

    ``sqrt(chi2 / (s min(R - 1, C - 1)))`` with R and C the numbers of rows and columns that are not empty. Undefined
    when either side is constant. Misleads as a score: renamed classes have the value of right ones.

    >>> from softtruth.statistics import Table
    >>> round(float(table_cramers_v(Table.of([[8, 2], [1, 9]]))), 4)
    0.7035

    Source: Cramér 1946, Mathematical Methods of Statistics, ch. 21.
    """
    product, beyond, n = _beside_independence(t)
    s = n[..., 0, 0]
    none = vanishes(product)
    divisor = where(none, 1.0, product)
    mean_square = ratio(ratio(total(total(beyond / divisor * beyond)), s), s)  # chi2 over s
    # The same, exact where every class is taken for one; it cancels near independence.
    plain = total(total(t.masses * t.masses / divisor)) - 1.0
    rows, columns = (total(indicator(~vanishes(side), side)) for side in (t.rows, t.columns))
    fewer = (rows + columns - magnitude(rows - columns)) / 2
    return sqrt(ratio(where(2.0 * mean_square > 1.0, plain, mean_square), fewer - 1.0))


# Confusion entropy has base 2 (K - 1), and its largest value is that of K = 2: 2 p log2(1/p) at p = 1/e.
_LARGEST_ENTROPY = 2 / (math.e * math.log(2))


@measure(
    rung="table",
    better="lower",
    range=(0.0, _LARGEST_ENTROPY),
    joint="varies",
    traits="symmetric class_symmetric",
    aliases=("confusion_entropy",),
)
def cen(t: Table) -> Array:
    """How disordered are the errors?

    Entropy of the errors into and out of each class, to the base 2 (K - 1), the classes weighted with how much they
    occur on either side; 0 without errors. Undefined without data. Misleads for two classes, where it can exceed 1 and
    fall while errors grow.

    >>> from softtruth.statistics import Table
    >>> round(float(cen(Table.of([[8, 2], [1, 9]]))), 4)
    0.548

    Source: Wei et al. 2010, Expert Syst. Appl. 37:3799, doi:10.1016/j.eswa.2009.11.040.
    """
    occurrence = t.rows + t.columns
    return ratio(_disorder(t, occurrence), 2.0 * total(t.rows))


@measure(
    rung="table",
    better="lower",
    joint="varies",
    traits="symmetric class_symmetric",
    aliases=("modified_confusion_entropy",),
)
def mcen(t: Table) -> Array:
    """How disordered are the errors, where what is right counts once?

    Confusion entropy with occurrences that hold the diagonal once. Undefined without data.

    >>> from softtruth.statistics import Table
    >>> round(float(mcen(Table.of([[8, 2], [1, 9]]))), 4)
    0.5439

    Source: Delgado & Núñez-González 2019, PLoS ONE 14:e0210264, doi:10.1371/journal.pone.0210264.
    """
    once = t.rows + t.columns - t.diagonal
    share = 0.5 if t.n_classes == 2 else 1.0
    return ratio(_disorder(t, once), 2.0 * total(t.rows) - share * total(t.diagonal))


def _disorder(t: Table, occurrence: Array) -> Array:
    """Return the sum over classes of ``-S sum (p log p + q log q)``, S the occurrence, in base 2 (K - 1).

    With x the mass of one kind of error, -S (x/S) log(x/S) = x log(S/x): each error is counted for its row and for its
    column.
    """
    k = t.n_classes
    if k == 1:
        return 0.0 * t.diagonal[..., 0]
    classes = constant(range(k), t.masses)
    wrong = where(vanishes(classes[:, None] - classes[None, :]), 0.0, t.masses)
    none = vanishes(wrong)
    x = where(none, 1.0, wrong)
    of_row, of_column = (
        where(none, 1.0, side + 0.0 * x) for side in (occurrence[..., :, None], occurrence[..., None, :])
    )
    both = (log(of_row / x) + log(of_column / x)) / math.log(2 * (k - 1))  # whole numbers at the end of the range
    return total(total(where(none, 0.0, wrong * both)))
