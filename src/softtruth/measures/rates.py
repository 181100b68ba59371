"""Rates and their means: measures that are ratios of the four cells of a class.

Every formula sees cells ``c`` with ``c.tp, c.fp, c.fn, c.tn`` and broadcasts over all axes. Coefficients in
``linear`` are in the order tp, fp, fn, tn.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from softtruth._arrays import sqrt
from softtruth.conventions import ratio
from softtruth.errors import InputError, shown
from softtruth.measures.measure import Measure, measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells

_LEAST = 1e-150  # the least weight of an error that counts: times the smallest mass it is a number still


@measure(
    traits="skew_invariant", linear=("1000", "1010"), aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate")
)
def recall(c: Cells) -> Array:
    """Which share of the positives is found?

    ``tp / (tp + fn)``. Undefined without positives. Misleads alone: predicting everything positive gives 1.

    >>> float(recall(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: Yerushalmy 1947, Public Health Rep. 62:1432, doi:10.2307/4586294.
    """
    return ratio(c.tp, c.tp + c.fn)


@measure(
    traits="skew_invariant tn_at_zero", linear=("0001", "0101"), aliases=("tnr", "true_negative_rate", "selectivity")
)
def specificity(c: Cells) -> Array:
    """Which share of the negatives is left alone?

    ``tn / (tn + fp)``. Undefined without negatives. Misleads when negatives abound: it stays near 1 while most
    alarms are false.

    >>> float(specificity(Cells.of(3, 1, 1, 4))[0])
    0.8

    Source: Yerushalmy 1947, Public Health Rep. 62:1432, doi:10.2307/4586294.
    """
    return ratio(c.tn, c.tn + c.fp)


@measure(
    better="lower",
    joint="falls",
    traits="skew_invariant",
    linear=("0010", "1010"),
    aliases=("miss_rate", "false_negative_rate"),
)
def fnr(c: Cells) -> Array:
    """Which share of the positives is missed?

    ``fn / (tp + fn)``, one minus recall. Undefined without positives.

    >>> float(fnr(Cells.of(3, 1, 1, 4))[0])
    0.25

    Source: Powers 2011, J. Mach. Learn. Technol. 2:37.
    """
    return ratio(c.fn, c.tp + c.fn)


@measure(
    better="lower",
    joint="falls",
    traits="skew_invariant tn_at_zero",
    linear=("0100", "0101"),
    aliases=("fall_out", "false_positive_rate"),
)
def fpr(c: Cells) -> Array:
    """Which share of the negatives raises an alarm?

    ``fp / (fp + tn)``, one minus specificity. Undefined without negatives.

    >>> float(fpr(Cells.of(3, 1, 1, 4))[0])
    0.2

    Source: Powers 2011, J. Mach. Learn. Technol. 2:37.
    """
    return ratio(c.fp, c.fp + c.tn)


@measure(linear=("1000", "1100"), aliases=("ppv", "positive_predictive_value"))
def precision(c: Cells) -> Array:
    """Which share of the predicted positives is right?

    ``tp / (tp + fp)``. Undefined when nothing is predicted positive. Misleads across data sets: it moves with the
    class frequency.

    >>> float(precision(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: Vecchio 1966, N. Engl. J. Med. 274:1171, doi:10.1056/NEJM196605262742104.
    """
    return ratio(c.tp, c.tp + c.fp)


@measure(traits="tn_at_zero", linear=("0001", "0011"), aliases=("negative_predictive_value",))
def npv(c: Cells) -> Array:
    """Which share of the predicted negatives is right?

    ``tn / (tn + fn)``. Undefined when nothing is predicted negative. Misleads when positives are rare: it is near 1
    for any classifier.

    >>> float(npv(Cells.of(3, 1, 1, 4))[0])
    0.8

    Source: Vecchio 1966, N. Engl. J. Med. 274:1171, doi:10.1056/NEJM196605262742104.
    """
    return ratio(c.tn, c.tn + c.fn)


@measure(better="lower", joint="falls", linear=("0100", "1100"), aliases=("false_discovery_rate",))
def fdr(c: Cells) -> Array:
    """Which share of the predicted positives is wrong?

    ``fp / (tp + fp)``, one minus precision. Undefined when nothing is predicted positive.

    >>> float(fdr(Cells.of(3, 1, 1, 4))[0])
    0.25

    Source: Powers 2011, J. Mach. Learn. Technol. 2:37.
    """
    return ratio(c.fp, c.tp + c.fp)


@measure(better="lower", joint="falls", traits="tn_at_zero", linear=("0010", "0011"), aliases=("for",))
def false_omission_rate(c: Cells) -> Array:
    """Which share of the predicted negatives is wrong?

    ``fn / (fn + tn)``, one minus npv. Undefined when nothing is predicted negative.

    >>> float(false_omission_rate(Cells.of(3, 1, 1, 4))[0])
    0.2

    Source: Powers 2011, J. Mach. Learn. Technol. 2:37.
    """
    return ratio(c.fn, c.fn + c.tn)


def _fbeta(c: Cells, beta: float) -> Array:
    """How well are the positives found and named, recall counting beta times as much as precision?

    ``(1 + b) tp / ((1 + b) tp + b fn + fp)`` with ``b = beta^2``. Undefined when the class occurs on neither side.
    Misleads where true negatives matter: it does not see them.

    >>> from softtruth import Cells
    >>> from softtruth.measures.rates import fbeta
    >>> float(fbeta(1)(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: van Rijsbergen 1979, Information Retrieval, 2nd ed., ch. 7.
    """
    of_missed, of_false = _weights(beta)
    hits = (of_missed + of_false) * c.tp
    # One of the weights is 1, and both are for f1, which is asked most: no pass over the cells for that.
    missed = c.fn if of_missed == 1 else of_missed * c.fn
    false = c.fp if of_false == 1 else of_false * c.fp
    return ratio(hits, hits + missed + false)


def _weights(beta: float) -> tuple[float, float]:
    """Return the weights of missed positives and of false ones: beta^2 and 1, or in that ratio where it overflows."""
    b = beta * beta
    if b * _LEAST > 1:
        return 1.0, _LEAST
    return (max(b, _LEAST) if beta else 0.0), 1.0


@cache
def fbeta(beta: float) -> Measure:
    """Return the F measure with that weight of recall; ``fbeta(1)`` is ``f1``.

    Raises
    ------
    InputError
        If beta is negative or not finite.
    """
    beta = float(beta)
    if not 0 <= beta < float("inf"):
        msg = f"fbeta's beta is {shown(beta)}, expected a number of at least 0."
        raise InputError(msg)
    missed, false = _weights(beta)
    short = {1.0: ("f1", ("dice", "f_measure", "f1_score")), 2.0: ("f2", ()), 0.5: ("f0.5", ())}
    name, aliases = short.get(beta, (f"fbeta {beta!r}".removesuffix(".0"), ()))
    return Measure(
        name=name,
        formula=_fbeta,
        symmetric=beta == 1,
        linear=((missed + false, 0.0, 0.0, 0.0), (missed + false, false, missed, 0.0)),
        aliases=aliases,
        parameters=(beta,),
    )


f1 = fbeta(1.0)
f2 = fbeta(2.0)
f05 = fbeta(0.5)


@measure(traits="symmetric", linear=("1000", "1110"), aliases=("iou", "csi", "critical_success_index", "threat_score"))
def jaccard(c: Cells) -> Array:
    """How much of the union of reference and prediction do they share?

    ``tp / (tp + fp + fn)``. Undefined when the class occurs on neither side.

    >>> float(jaccard(Cells.of(3, 1, 1, 4))[0])
    0.6

    Source: Jaccard 1912, New Phytologist 11:37, doi:10.1111/j.1469-8137.1912.tb05611.x.
    """
    return ratio(c.tp, c.tp + c.fp + c.fn)


@measure(
    traits="symmetric class_symmetric tn_at_zero",
    linear=("1001", "1111"),
    aliases=("simple_matching", "rand_index", "binary_accuracy"),
)
def label_accuracy(c: Cells) -> Array:
    """Which share of the yes-or-no decisions is right?

    ``(tp + tn) / (tp + fp + fn + tn)``. Undefined without data. Misleads on one-hot data: with K classes every
    decision counts K times, and a wrong class still gets K - 2 of them right; ``accuracy`` is the share of right rows.

    >>> round(float(label_accuracy(Cells.of(3, 1, 1, 4))[0]), 4)
    0.7778

    Source: Sokal & Michener 1958, Univ. Kansas Sci. Bull. 38:1409.
    """
    return ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn)


@measure(
    better="lower",
    joint="falls",
    traits="symmetric class_symmetric tn_at_zero",
    linear=("0110", "1111"),
    aliases=("hamming", "hamming_loss", "zero_one_loss"),
)
def error_rate(c: Cells) -> Array:
    """Which share of the yes-or-no decisions is wrong?

    ``(fp + fn) / (tp + fp + fn + tn)``, one minus label accuracy. Undefined without data.

    >>> round(float(error_rate(Cells.of(3, 1, 1, 4))[0]), 4)
    0.2222

    Source: Hamming 1950, Bell Syst. Tech. J. 29:147, doi:10.1002/j.1538-7305.1950.tb00463.x.
    """
    return ratio(c.fp + c.fn, c.tp + c.fp + c.fn + c.tn)


@measure(traits="class_symmetric skew_invariant tn_at_zero", aliases=("auc_one_threshold",))
def balanced_accuracy(c: Cells) -> Array:
    """How well are positives and negatives recognised, both counting the same?

    ``(recall + specificity) / 2``, the area under the one-threshold ROC curve. Undefined unless both occur.

    >>> float(balanced_accuracy(Cells.of(3, 1, 1, 4))[0])
    0.775

    Source: Brodersen et al. 2010, ICPR, doi:10.1109/ICPR.2010.764.
    """
    return (recall.formula(c) + specificity.formula(c)) / 2


@measure(traits="class_symmetric skew_invariant", aliases=("g_mean", "geometric_mean"))
def gmean(c: Cells) -> Array:
    """How well are positives and negatives recognised, where failing on one cannot be made up by the other?

    ``sqrt(recall * specificity)``, written as one ratio: a product with an undefined rate would spoil gradients.
    Undefined unless both occur.

    >>> round(float(gmean(Cells.of(3, 1, 1, 4))[0]), 4)
    0.7746

    Source: Kubat, Holte & Matwin 1998, Mach. Learn. 30:195, doi:10.1023/A:1007452223027.
    """
    return ratio(sqrt(c.tp * c.tn), sqrt((c.tp + c.fn) * (c.tn + c.fp)))


@measure(
    range=(-1.0, 1.0),
    traits="class_symmetric skew_invariant tn_at_zero",
    aliases=("youden_j", "youden", "bookmaker", "gini_one_threshold"),
)
def informedness(c: Cells) -> Array:
    """How much more often does a positive raise an alarm than a negative does?

    ``recall + specificity - 1``; 0 for any constant prediction. Undefined unless both classes occur.

    >>> round(float(informedness(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Youden 1950, Cancer 3:32, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3.
    """
    return recall.formula(c) + specificity.formula(c) - 1.0


@measure(range=(-1.0, 1.0), traits="class_symmetric tn_at_zero", aliases=("delta_p", "psi"))
def markedness(c: Cells) -> Array:
    """How much more often is an alarm positive than a silence is?

    ``precision + npv - 1``. Undefined unless both are predicted.

    >>> round(float(markedness(Cells.of(3, 1, 1, 4))[0]), 4)
    0.55

    Source: Powers 2011, J. Mach. Learn. Technol. 2:37.
    """
    return precision.formula(c) + npv.formula(c) - 1.0
