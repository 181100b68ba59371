"""Measures of all classes together: functions of the K x K table, or of its diagonal and margins.

They take no operator. Formulas of the rung ``classes`` see the cells of every class against the rest, class last, of
classes that exclude each other; those of the rung ``table`` see the table.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from softtruth._arrays import exp, indicator, largest, log, sqrt, total, vanishes, where
from softtruth.conventions import Convention, average, ratio
from softtruth.errors import InputError, shown
from softtruth.measures.measure import Measure, measure
from softtruth.measures.rates import precision, recall

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table


@measure(rung="classes", traits="symmetric class_symmetric", aliases=("overall_accuracy", "exact_match_accuracy"))
def accuracy(c: Cells) -> Array:
    """Which share of the examples gets its class right?

    The trace of the table over its total. Undefined without data. Misleads when one class prevails: always naming it
    scores its share.

    >>> from softtruth.statistics import Table
    >>> float(accuracy(Table.of([[8, 2], [1, 9]])))
    0.85

    Source: Sokolova & Lapalme 2009, Inf. Process. Manag. 45:427, doi:10.1016/j.ipm.2009.03.002.
    """
    return ratio(total(c.tp), total(c.tp + c.fn))


@measure(rung="classes", range=(-1.0, 1.0), traits="symmetric class_symmetric", aliases=("multiclass_kappa",))
def cohen_kappa(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, over all classes?

    ``(po - pe) / (1 - pe)`` with ``po`` the accuracy and ``pe`` the sum over classes of the product of the margins.
    Undefined when both sides are the same constant. Misleads when the classes are very unequal.

    >>> from softtruth.statistics import Table
    >>> float(cohen_kappa(Table.of([[8, 2], [1, 9]])))
    0.7

    Source: Cohen 1960, Educ. Psychol. Meas. 20:37, doi:10.1177/001316446002000104.
    """
    # (po - pe) s^2 = sum (tp tn - fp fn) and (1 - pe) s^2 = sum (tp + fn)(fn + tn): no cancellation of large numbers.
    return ratio(total(c.tp * c.tn - c.fp * c.fn), total((c.tp + c.fn) * (c.fn + c.tn)))


@measure(
    rung="classes", range=(-1.0, 1.0), traits="symmetric class_symmetric", aliases=("rk", "gorodkin", "multiclass_mcc")
)
def r_k(c: Cells) -> Array:
    """How strongly do reference and prediction correlate, over all classes?

    Gorodkin's K-category correlation coefficient, ``sum cov_k / sqrt(sum var_k(reference) * sum var_k(prediction))``
    with ``cov_k = tp_k tn_k - fp_k fn_k``; for two classes it is mcc. With soft data it is the coefficient of the
    expected table. Undefined when either side is constant.

    >>> from softtruth.statistics import Table
    >>> round(float(r_k(Table.of([[8, 2], [1, 9]]))), 4)
    0.7035

    Source: Gorodkin 2004, Comput. Biol. Chem. 28:367, doi:10.1016/j.compbiolchem.2004.09.006.
    """
    reference = total((c.tp + c.fn) * (c.fp + c.tn))
    prediction = total((c.tp + c.fp) * (c.fn + c.tn))
    return ratio(total(c.tp * c.tn - c.fp * c.fn), sqrt(reference * prediction))


@measure(
    rung="classes", traits="class_symmetric skew_invariant", per_class=True, aliases=("mean_class_accuracy", "uar")
)
def multiclass_balanced_accuracy(c: Cells) -> Array:
    """Which share of a class gets recognised, all classes counting the same?

    The mean recall over the classes that occur; for binary data over both classes. Undefined for absent classes, which
    follow the convention.

    >>> from softtruth.statistics import Table
    >>> multiclass_balanced_accuracy(Table.of([[8, 2], [1, 9]])).tolist()
    [0.8, 0.9]

    Source: Brodersen et al. 2010, ICPR, doi:10.1109/ICPR.2010.764.
    """
    return recall.formula(c)


@measure(
    rung="classes",
    range=(-1.0, 1.0),
    traits="class_symmetric skew_invariant",
    folds=True,
    aliases=("adjusted_balanced_accuracy",),
)
def multiclass_balanced_accuracy_adjusted(c: Cells, convention: Convention = Convention.EXCLUDE) -> Array:
    """Which share of a class gets recognised beyond an even guess, all classes counting the same?

    ``(b - 1/K) / (1 - 1/K)`` with ``b`` the mean recall of K classes: of those that occur, or, where the convention
    puts a number in place of the recall of an absent class, of all. 0 for any constant prediction, 1 for a perfect one.
    Undefined when only one class counts.

    >>> from softtruth.statistics import Table
    >>> round(float(multiclass_balanced_accuracy_adjusted(Table.of([[8, 2], [1, 9]]))), 4)
    0.7

    Source: Brodersen et al. 2010, ICPR, doi:10.1109/ICPR.2010.764; Mosley 2013, Iowa State University,
    doi:10.31274/etd-180810-3375.
    """
    k = _counted(c, convention)
    others = k - 1.0  # in both parts of the ratio: with a single class it is 0/0
    value = ratio(others * (k * average(recall.formula(c), None, convention) - 1.0), others * others)
    return where(total(c.tp + c.fn) == 0, math.nan, value)  # without data there is nothing to put numbers in place of


@measure(rung="classes", range=(-1.0, 1.0), traits="symmetric class_symmetric", aliases=("multiclass_pi",))
def multiclass_scott_pi(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, if both sides had the same class shares?

    ``(po - pe) / (1 - pe)`` with ``pe`` the sum of the squared mean shares of the classes; written so that nothing
    cancels. Undefined when both sides are the same constant.

    >>> from softtruth.statistics import Table
    >>> round(float(multiclass_scott_pi(Table.of([[8, 2], [1, 9]]))), 4)
    0.6992

    Source: Scott 1955, Public Opin. Q. 19:321, doi:10.1086/266577.
    """
    wrong = c.fp + c.fn
    beyond = 4.0 * c.tp * c.tn - wrong * wrong
    return ratio(total(beyond), total((2.0 * c.tp + wrong) * (2.0 * c.tn + wrong)))


@measure(rung="classes", range=(-1.0, 1.0), traits="symmetric class_symmetric", aliases=("multiclass_ac1",))
def multiclass_gwet_ac1(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, if chance were rarer the more one class prevails?

    ``(po - pe) / (1 - pe)`` with ``pe = sum u (1 - u) / (K - 1)``, u the mean share of a class and K the number of
    classes, absent ones included. Undefined without data and for a single class.

    >>> from softtruth.statistics import Table
    >>> round(float(multiclass_gwet_ac1(Table.of([[8, 2], [1, 9]]))), 4)
    0.7007

    Source: Gwet 2008, Br. J. Math. Stat. Psychol. 61:29, doi:10.1348/000711006X126600.
    """
    wrong = c.fp + c.fn
    s = total(c.tp + c.fn)
    among = 4.0 * (c.n_classes - 1)
    chance = total((2.0 * c.tp + wrong) * (2.0 * c.tn + wrong))
    return ratio(among * s * total(c.tp) - chance, among * s * s - chance)


def _counted(c: Cells, convention: Convention) -> Array:
    """Return how many classes a mean is taken over: those that occur, or all where absent ones have a number."""
    reference = c.tp + c.fn
    occurs = indicator(~vanishes(reference), reference)
    return total(occurs if convention.substitute is None else where(occurs > 0, occurs, 1.0))


def _recall_gmean(c: Cells, floor: float = 0.0, convention: Convention = Convention.EXCLUDE) -> Array:
    """How well are all classes recognised, where failing on one cannot be made up by the others?

    The geometric mean of the recalls; 0 as soon as one class is never found, unless a floor (``recall_gmean 0.001``)
    stands in for a smaller recall. It is not the macro average of gmean. Undefined for absent classes, which follow the
    convention.

    >>> from softtruth.statistics import Table
    >>> from softtruth.measures.tables import recall_gmean
    >>> round(float(recall_gmean()(Table.of([[8, 2], [1, 9]]))), 4)
    0.8485

    Source: Sun, Kamel & Wang 2006, ICDM, doi:10.1109/ICDM.2006.29.
    """
    absent = vanishes(c.tp + c.fn)
    rate = where(absent, 1.0 if convention.substitute is None else convention.substitute, recall.formula(c))
    rate = where(rate < floor, floor, rate) if floor else rate
    lost = vanishes(rate)
    mean = exp(ratio(total(log(where(lost, 1.0, rate))), _counted(c, convention)))
    if floor:
        mean = where(mean < floor, floor, mean)  # where the logarithm has rounded
    mean = where(total(indicator(lost, rate)) > 0, 0.0 * mean, mean)
    if convention is Convention.NAN:
        mean = where(total(indicator(absent, rate)) > 0, math.nan, mean)
    return where(total(c.tp + c.fn) == 0, math.nan, mean)


@cache
def recall_gmean(floor: float = 0.0) -> Measure:
    """Return the geometric mean of the recalls, with that least value of each.

    Raises
    ------
    InputError
        If the floor is not at least 0 and below 1.
    """
    floor = float(floor)
    if not 0 <= floor < 1:
        msg = f"recall_gmean's floor is {shown(floor)}, expected a number of at least 0 and below 1."
        raise InputError(msg)
    return Measure(
        name=f"recall_gmean {floor!r}" if floor else "recall_gmean",
        formula=_recall_gmean,
        rung="classes",
        range=(floor, 1.0),
        class_symmetric=True,
        skew_invariant=True,
        folds=True,
        aliases=() if floor else ("multiclass_gmean",),
        parameters=(floor,) if floor else (),
    )


gmean_of_recalls = recall_gmean()


@measure(rung="cells", traits="symmetric class_symmetric", folds=True, aliases=("macro_f1_of_means",))
def f1_of_means(c: Cells, convention: Convention = Convention.EXCLUDE) -> Array:
    """How well are the classes found and named, by the harmonic mean of macro precision and macro recall?

    ``2 P R / (P + R)`` of the two macro averages, whose undefined parts follow the convention. It is not macro f1, the
    mean of the f1 of each class, though both go by that name. Undefined when either average is.

    >>> from softtruth.statistics import Table
    >>> round(float(f1_of_means(Table.of([[8, 2], [1, 9]]))), 4)
    0.8518

    Source: Opitz & Burst 2019, arXiv:1911.03347.
    """
    p, r = (average(rate.formula(c), None, convention) for rate in (precision, recall))
    both = p + r
    return ratio(2.0 * p * r, where(vanishes(both), 1.0, both))


@measure(rung="table", joint="varies", traits="class_symmetric", aliases=("goodman_kruskal_lambda",))
def lambda_(t: Table) -> Array:
    """Which share of the errors of a best guess does knowing the prediction save?

    ``(sum of column maxima - largest row) / (s - largest row)``, with rows the reference. Undefined when the reference
    is constant. Misleads where one class prevails: it is 0 for predictions that are well informed.

    >>> from softtruth.statistics import Table
    >>> round(float(lambda_(Table.of([[8, 2], [1, 9]]))), 4)
    0.7

    Source: Goodman & Kruskal 1954, J. Am. Stat. Assoc. 49:732, doi:10.1080/01621459.1954.10501231.
    """
    guess = largest(t.rows)
    return ratio(total(largest(t.masses, axis=-2)) - guess, total(t.rows) - guess)
