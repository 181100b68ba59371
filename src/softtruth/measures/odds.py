"""Odds and likelihood ratios: how far a prediction moves what was believed before it, on the four cells of a class.

A ratio of something to nothing is infinite, not undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth._arrays import log, sqrt
from softtruth.conventions import ratio
from softtruth.measures.measure import measure

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells

_INFINITY = float("inf")


@measure(
    better="neither",
    joint="constant",
    traits="tn_at_zero",
    linear=("1010", "1111"),
    aliases=("base_rate", "positive_rate"),
)
def prevalence(c: Cells) -> Array:
    """Which share of the examples is positive?

    ``(tp + fn) / (tp + fp + fn + tn)``; no prediction moves it. Undefined without data.

    >>> round(float(prevalence(Cells.of(3, 1, 1, 4))[0]), 4)
    0.4444

    Source: Rothman, Greenland & Lash 2008, Modern Epidemiology, 3rd ed., ch. 3.
    """
    return ratio(c.tp + c.fn, c.tp + c.fp + c.fn + c.tn)


@measure(
    better="neither",
    joint="constant",
    traits="tn_at_zero",
    linear=("1100", "1111"),
    aliases=("predicted_positive_rate", "alarm_rate"),
)
def predicted_prevalence(c: Cells) -> Array:
    """Which share of the examples is predicted positive?

    ``(tp + fp) / (tp + fp + fn + tn)``. Undefined without data.

    >>> round(float(predicted_prevalence(Cells.of(3, 1, 1, 4))[0]), 4)
    0.4444

    Source: Forman 2008, Data Min. Knowl. Discov. 17:164, doi:10.1007/s10618-008-0097-y.
    """
    return ratio(c.tp + c.fp, c.tp + c.fp + c.fn + c.tn)


@measure(
    range=(0.0, _INFINITY),
    traits="symmetric class_symmetric skew_invariant",
    aliases=("diagnostic_odds_ratio", "odds_ratio"),
)
def dor(c: Cells) -> Array:
    """How many times higher are the odds of an alarm for a positive than for a negative?

    ``tp tn / (fp fn)``; 1 for a prediction that knows nothing, infinite where one kind of error does not occur.
    Undefined when neither every kind of success nor every kind of error occurs.

    >>> float(dor(Cells.of(3, 1, 1, 4))[0])
    12.0

    Source: Glas et al. 2003, J. Clin. Epidemiol. 56:1129, doi:10.1016/S0895-4356(03)00177-X.
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


@measure(range=(-_INFINITY, _INFINITY), traits="symmetric class_symmetric skew_invariant", aliases=("log_odds_ratio",))
def log_dor(c: Cells) -> Array:
    """How much higher are the log odds of an alarm for a positive than for a negative?

    ``log(tp tn / (fp fn))``, natural; 0 for a prediction that knows nothing. Undefined where dor is.

    >>> round(float(log_dor(Cells.of(3, 1, 1, 4))[0]), 4)
    2.4849

    Source: Glas et al. 2003, J. Clin. Epidemiol. 56:1129, doi:10.1016/S0895-4356(03)00177-X.
    """
    return log(dor.formula(c))


@measure(range=(0.0, _INFINITY), traits="skew_invariant", aliases=("positive_likelihood_ratio", "plr"))
def lr_plus(c: Cells) -> Array:
    """How many times higher are the odds of being positive after an alarm?

    ``recall / (1 - specificity)``, infinite without false alarms. Undefined unless both classes occur, and when there
    is no alarm at all.

    >>> round(float(lr_plus(Cells.of(3, 1, 1, 4))[0]), 4)
    3.75

    Source: Altman & Bland 1994, BMJ 309:102, doi:10.1136/bmj.309.6947.102; Deeks & Altman 2004, BMJ 329:168,
    doi:10.1136/bmj.329.7458.168.
    """
    return ratio(c.tp * (c.fp + c.tn), c.fp * (c.tp + c.fn))


@measure(
    better="lower",
    range=(0.0, _INFINITY),
    joint="falls",
    traits="skew_invariant tn_at_zero",
    aliases=("negative_likelihood_ratio", "nlr"),
)
def lr_minus(c: Cells) -> Array:
    """How many times lower, if below 1, are the odds of being positive after a silence?

    ``(1 - recall) / specificity``, infinite where every negative raises an alarm and a positive does not. Undefined
    unless both classes occur, and when there is no silence at all.

    >>> round(float(lr_minus(Cells.of(3, 1, 1, 4))[0]), 4)
    0.3125

    Source: Deeks & Altman 2004, BMJ 329:168, doi:10.1136/bmj.329.7458.168.
    """
    return ratio(c.fn * (c.fp + c.tn), c.tn * (c.tp + c.fn))


@measure(better="lower", joint="falls", traits="skew_invariant")
def prevalence_threshold(c: Cells) -> Array:
    """Below which prevalence does precision fall off steeply?

    ``sqrt(fpr) / (sqrt(recall) + sqrt(fpr))``, the usual formula without its 0/0 where the two rates are equal.
    Undefined unless both classes occur, and when there is no alarm at all.

    >>> round(float(prevalence_threshold(Cells.of(3, 1, 1, 4))[0]), 4)
    0.3405

    Source: Balayla 2020, PLoS ONE 15:e0240215, doi:10.1371/journal.pone.0240215.
    """
    alarms = sqrt(c.fp * (c.tp + c.fn))
    return ratio(alarms, sqrt(c.tp * (c.fp + c.tn)) + alarms)


@measure(range=(-1.0, 1.0), traits="symmetric class_symmetric skew_invariant")
def yule_q(c: Cells) -> Array:
    """How strongly are reference and prediction associated, whatever their margins?

    ``(tp tn - fp fn) / (tp tn + fp fn)``, which is (dor - 1) / (dor + 1). Undefined where dor is. Misleads where a
    cell is empty: one absent kind of error is enough for the value 1.

    >>> round(float(yule_q(Cells.of(3, 1, 1, 4))[0]), 4)
    0.8462

    Source: Yule 1900, Phil. Trans. R. Soc. A 194:257, doi:10.1098/rsta.1900.0019.
    """
    right, wrong = c.tp * c.tn, c.fp * c.fn
    return ratio(right - wrong, right + wrong)


@measure(range=(-1.0, 1.0), traits="symmetric class_symmetric skew_invariant", aliases=("colligation",))
def yule_y(c: Cells) -> Array:
    """How strongly are reference and prediction associated, on a scale like that of a correlation?

    ``(sqrt(tp tn) - sqrt(fp fn)) / (sqrt(tp tn) + sqrt(fp fn))``: the mcc of the table with the same dor and equal
    margins. Undefined where dor is.

    >>> round(float(yule_y(Cells.of(3, 1, 1, 4))[0]), 4)
    0.552

    Source: Yule 1912, J. R. Stat. Soc. 75:579, doi:10.2307/2340126.
    """
    right, wrong = sqrt(c.tp * c.tn), sqrt(c.fp * c.fn)
    return ratio(right - wrong, right + wrong)
