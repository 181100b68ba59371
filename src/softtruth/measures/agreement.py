"""Agreement of reference and prediction as two raters: correlation and chance correction, on four cells of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth._arrays import sqrt
from softtruth.conventions import ratio
from softtruth.measures.measure import measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells


@measure(
    range=(-1.0, 1.0), traits="symmetric class_symmetric tn_at_zero", aliases=("phi", "matthews", "matthews_corrcoef")
)
def mcc(c: Cells) -> Array:
    """How strongly do reference and prediction correlate?

    ``(tp tn - fp fn) / sqrt((tp+fp)(tp+fn)(tn+fp)(tn+fn))``, Pearson's correlation of two indicators. Undefined when a
    margin is empty.

    >>> round(float(mcc(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Matthews 1975, Biochim. Biophys. Acta 405:442, doi:10.1016/0005-2795(75)90109-9.
    """
    # One root of two products that are never below what stands above, and equal to it where all is right or all is
    # wrong: so the ends are exact and no rounding passes them.
    of_prediction, of_reference = (c.tp + c.fp) * (c.tn + c.fn), (c.tp + c.fn) * (c.tn + c.fp)
    return ratio(c.tp * c.tn - c.fp * c.fn, sqrt(of_prediction * of_reference))


@measure(range=(-1.0, 1.0), traits="symmetric class_symmetric tn_at_zero", aliases=("heidke", "heidke_skill"))
def kappa(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, for one class against the rest?

    ``2 (tp tn - fp fn) / ((tp+fp)(fp+tn) + (tp+fn)(fn+tn))``. Undefined when both sides are the same constant.
    Misleads when the classes are very unequal: high agreement can go with a low kappa.

    >>> round(float(kappa(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Cohen 1960, Educ. Psychol. Meas. 20:37, doi:10.1177/001316446002000104.
    """
    # The sum below is (tp+fp)(fp+tn) + (tp+fn)(fn+tn), in terms of which none is negative and the first alone is at
    # least what stands above: so no rounding passes the ends.
    right, wrong, uneven = c.tp * c.tn, c.fp * c.fn, c.fp - c.fn
    return ratio(2.0 * (right - wrong), 2.0 * (right + wrong) + uneven * uneven + (c.tp + c.tn) * (c.fp + c.fn))


@measure(traits="symmetric", aliases=("ochiai", "fmi"))
def fowlkes_mallows(c: Cells) -> Array:
    """How well are the positives found and named, by the geometric mean?

    ``sqrt(precision * recall)``, written with one root. Undefined when either side has no positives.

    >>> float(fowlkes_mallows(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: Fowlkes & Mallows 1983, J. Am. Stat. Assoc. 78:553, doi:10.1080/01621459.1983.10478008.
    """
    return ratio(c.tp, sqrt((c.tp + c.fp) * (c.tp + c.fn)))


@measure(
    range=(-1.0, 1.0),
    traits="symmetric class_symmetric tn_at_zero",
    linear=((1, -1, -1, 1), (1, 1, 1, 1)),
    aliases=("brennan_prediger_binary",),
)
def pabak(c: Cells) -> Array:
    """How much of the agreement beyond an even chance is reached?

    ``2 label_accuracy - 1``: kappa adjusted for prevalence and bias. Undefined without data.

    >>> round(float(pabak(Cells.of(3, 1, 1, 4))[0]), 4)
    0.5556

    Source: Byrt, Bishop & Carlin 1993, J. Clin. Epidemiol. 46:423, doi:10.1016/0895-4356(93)90018-V.
    """
    right, wrong = c.tp + c.tn, c.fp + c.fn
    return ratio(right - wrong, right + wrong)


@measure(range=(-1.0, 1.0), traits="symmetric class_symmetric tn_at_zero")
def scott_pi(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, if both sides had the same share of positives?

    ``(po - pe) / (1 - pe)`` with ``pe = u^2 + (1 - u)^2`` and u the mean share of positives; written so that nothing
    cancels. Undefined when both sides are the same constant.

    >>> round(float(scott_pi(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Scott 1955, Public Opin. Q. 19:321, doi:10.1086/266577.
    """
    wrong = c.fp + c.fn
    return ratio(4.0 * c.tp * c.tn - wrong * wrong, (2.0 * c.tp + wrong) * (2.0 * c.tn + wrong))


@measure(range=(-1.0, 1.0), traits="symmetric class_symmetric tn_at_zero", aliases=("ac1",))
def gwet_ac1(c: Cells) -> Array:
    """How much of the agreement beyond chance is reached, if chance were rarer the more one class prevails?

    ``(po - pe) / (1 - pe)`` with ``pe = 2 u (1 - u)`` and u the mean share of positives. Undefined without data.

    >>> round(float(gwet_ac1(Cells.of(3, 1, 1, 4))[0]), 4)
    0.561

    Source: Gwet 2008, Br. J. Math. Stat. Psychol. 61:29, doi:10.1348/000711006X126600.
    """
    wrong = c.fp + c.fn
    n = c.tp + wrong + c.tn
    chance = (2.0 * c.tp + wrong) * (2.0 * c.tn + wrong) / 2.0
    return ratio(n * (c.tp + c.tn) - chance, n * n - chance)
