"""Similarity of reference and prediction: overlaps and their kin, on the four cells of a class."""

from __future__ import annotations

from functools import cache
from math import frexp
from typing import TYPE_CHECKING

from softtruth._arrays import magnitude, sqrt
from softtruth.conventions import ratio
from softtruth.errors import InputError, shown
from softtruth.measures.agreement import kappa
from softtruth.measures.measure import Measure, measure
from softtruth.measures.rates import label_accuracy, precision, recall

if TYPE_CHECKING:
    from softtruth._arrays import Array
    from softtruth.statistics.cells import Cells


def _tversky(c: Cells, alpha: float, beta: float) -> Array:
    """How much do reference and prediction share, where alarms and misses have weights of their own?

    ``tp / (tp + alpha fp + beta fn)``; 1/2 and 1/2 give f1, 1 and 1 jaccard. Undefined when the class occurs on neither
    side, and without shared mass where the weights of the errors that occur are 0.

    >>> from softtruth import Cells
    >>> from softtruth.measures.similarity import tversky
    >>> float(tversky(0.5, 0.5)(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: Tversky 1977, Psychol. Rev. 84:327, doi:10.1037/0033-295X.84.4.327.
    """
    # Half of the weights' size goes to the hits, so that neither side overflows; times a power of two is exact.
    scale = 2.0 ** -(frexp(max(alpha, beta))[1] // 2)
    hits = c.tp if scale == 1 else scale * c.tp
    return ratio(hits, hits + (alpha * scale) * c.fp + (beta * scale) * c.fn)


@cache
def tversky(alpha: float, beta: float) -> Measure:
    """Return the Tversky index with those weights of false alarms and of misses.

    Raises
    ------
    InputError
        If a weight is negative or not finite, or both are 0.
    """
    alpha, beta = float(alpha), float(beta)
    for name, weight in (("alpha", alpha), ("beta", beta)):
        if not 0 <= weight < float("inf"):
            msg = f"tversky's {name} is {shown(weight)}, expected a number of at least 0."
            raise InputError(msg)
    if alpha == beta == 0:
        msg = "tversky's weights are both 0, so that errors do not count; expected one above 0."
        raise InputError(msg)
    return Measure(
        name=" ".join(["tversky", *(repr(w).removesuffix(".0") for w in (alpha, beta))]),
        formula=_tversky,
        symmetric=alpha == beta,
        skew_invariant=alpha == 0,  # only the rate of misses is left
        linear=((1.0, 0.0, 0.0, 0.0), (1.0, alpha, beta, 0.0)),
        parameters=(alpha, beta),
    )


@measure(traits="symmetric", linear=("1000", "1220"))
def sokal_sneath(c: Cells) -> Array:
    """How much do reference and prediction share, where a disagreement counts twice?

    ``tp / (tp + 2 fp + 2 fn)``. Undefined when the class occurs on neither side.

    >>> round(float(sokal_sneath(Cells.of(3, 1, 1, 4))[0]), 4)
    0.4286

    Source: Sokal & Sneath 1963, Principles of Numerical Taxonomy, p. 129.
    """
    return ratio(c.tp, c.tp + 2.0 * (c.fp + c.fn))


@measure(traits="symmetric class_symmetric tn_at_zero", linear=("1001", "1221"))
def rogers_tanimoto(c: Cells) -> Array:
    """Which share of the yes-or-no decisions is right, where a wrong one counts twice?

    ``(tp + tn) / (tp + 2 fp + 2 fn + tn)``. Undefined without data.

    >>> round(float(rogers_tanimoto(Cells.of(3, 1, 1, 4))[0]), 4)
    0.6364

    Source: Rogers & Tanimoto 1960, Science 132:1115, doi:10.1126/science.132.3434.1115.
    """
    right = c.tp + c.tn
    return ratio(right, right + 2.0 * (c.fp + c.fn))


@measure(traits="symmetric")
def kulczynski(c: Cells) -> Array:
    """How well are the positives found and named, by the plain mean?

    ``(precision + recall) / 2``. Undefined when either side has no positives. Misleads for a prediction that names
    everything positive: it stays above 1/2.

    >>> float(kulczynski(Cells.of(3, 1, 1, 4))[0])
    0.75

    Source: Kulczynski 1927, Bull. Acad. Pol. Sci. Lett. B (Suppl. 2) 57.
    """
    return (precision.formula(c) + recall.formula(c)) / 2


@measure(range=(0.0, float("inf")), traits="symmetric")
def lift(c: Cells) -> Array:
    """How many times more often is an alarm positive than an example at large?

    ``tp n / ((tp + fn)(tp + fp))``, precision over prevalence; 1 for a prediction that knows nothing. Undefined when
    either side has no positives. Misleads across data sets: its largest value is one over the prevalence.

    >>> float(lift(Cells.of(3, 1, 1, 4))[0])
    1.6875

    Source: Brin et al. 1997, SIGMOD, doi:10.1145/253260.253325.
    """
    return ratio(c.tp * (c.tp + c.fp + c.fn + c.tn), (c.tp + c.fn) * (c.tp + c.fp))


@measure(range=(-1 / 3, 1.0), traits="symmetric class_symmetric tn_at_zero", aliases=("ets", "equitable_threat_score"))
def gilbert_skill(c: Cells) -> Array:
    """How much of the union do reference and prediction share, beyond what chance would give?

    ``(tp - h) / (tp + fp + fn - h)`` with the hits of chance ``h = (tp + fn)(tp + fp) / n``; it is kappa / (2 - kappa).
    Undefined when both sides are the same constant.

    >>> round(float(gilbert_skill(Cells.of(3, 1, 1, 4))[0]), 4)
    0.3793

    Source: Gilbert 1884, Am. Meteorol. J. 1:166; Schaefer 1990, Weather Forecast. 5:570,
    doi:10.1175/1520-0434(1990)005<0570:TCSIAA>2.0.CO;2.
    """
    agreement = kappa.formula(c)  # between -1 and 1 in floating point too, and the quotient below rises with it
    return agreement / (2.0 - agreement)


@measure(aliases=("agf",))
def adjusted_f(c: Cells) -> Array:
    """How well are both classes recognised, where misses of positives count most?

    The geometric mean of f2 and of f0.5 with the classes exchanged, written as one ratio. Undefined when neither
    prediction nor reference has anything in one of the classes.

    >>> round(float(adjusted_f(Cells.of(3, 1, 1, 4))[0]), 4)
    0.7746

    Source: Maratea, Petrosino & Manzo 2014, Inf. Sci. 257:331, doi:10.1016/j.ins.2013.04.016.
    """
    errors = 4.0 * c.fn + c.fp
    tp, tn = 5.0 * c.tp, 5.0 * c.tn
    return ratio(sqrt(tp * tn), sqrt((tp + errors) * (tn + errors)))


@measure(traits="symmetric class_symmetric")
def p4(c: Cells) -> Array:
    """How high are precision, recall, specificity and npv together?

    Their harmonic mean, ``4 tp tn / (4 tp tn + (tp + tn)(fp + fn))``. Undefined when nothing is right, or when
    everything is right and only one class occurs.

    >>> round(float(p4(Cells.of(3, 1, 1, 4))[0]), 4)
    0.7742

    Source: Sitarz 2023, Adv. Artif. Intell. Mach. Learn. 3:1025, doi:10.54364/AAIML.2023.1161.
    """
    both = 4.0 * c.tp * c.tn
    return ratio(both, both + (c.tp + c.tn) * (c.fp + c.fn))


@measure(range=(-1.0, 1.0), joint="varies", traits="class_symmetric tn_at_zero")
def optimized_precision(c: Cells) -> Array:
    """Which share of the decisions is right, less what recall and specificity differ by?

    ``label_accuracy - |specificity - recall| / (specificity + recall)``. Undefined unless both classes occur and
    something is right. Misleads as a target: mending errors of the class that is better recognised can lower it.

    >>> round(float(optimized_precision(Cells.of(3, 1, 1, 4))[0]), 4)
    0.7455

    Source: Ranawana & Palade 2006, IEEE CEC, doi:10.1109/CEC.2006.1688586.
    """
    unequal = magnitude(c.tn * c.fn - c.tp * c.fp)
    return label_accuracy.formula(c) - ratio(unequal, 2.0 * c.tp * c.tn + c.tn * c.fn + c.tp * c.fp)
