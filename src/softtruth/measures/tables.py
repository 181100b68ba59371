"""Measures of all classes together: functions of the K x K table, or of its diagonal and margins.

They take no operator. Formulas of the rung ``classes`` see the cells of every class against the rest, class last, of
classes that exclude each other; those of the rung ``table`` see the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth._arrays import sqrt, total
from softtruth.conventions import ratio
from softtruth.measures.measure import measure
from softtruth.measures.rates import recall

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells


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
