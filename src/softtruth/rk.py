"""R_K, the correlation of reference and prediction over all classes: as a number, with its gradient, and as a loss.

The formula is ``measures.tables.r_k`` and nothing else. Here it is asked of tables and of examples, 0 where it has no
value, and made a loss; the adapters of the frameworks ask the functions below with their own arrays.

Source: Gorodkin 2004, Comput. Biol. Chem. 28:367, doi:10.1016/j.compbiolchem.2004.09.006.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import is_host, log, namespace, quiet, total, vanishes, where
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures.tables import r_k
from softtruth.statistics.cells import Cells, power_of_two
from softtruth.statistics.margins import rest
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth._arrays import Array
    from softtruth.statistics.examples import Examples

_ROUNDING = 1e-13  # what sums of many rows may be off
_ROWS = 65_536  # examples looked at together by the sample form


@checked
def rk_coeff(
    table_or_reference: Any, prediction: Any = None, *, form: str = "table", sample_weight: Any = None
) -> float | NDArray[np.float64]:
    """How strongly do reference and prediction correlate, over all classes?

    Gorodkin's R_K, ``(s t - r.c) / sqrt((s^2 - r.r)(s^2 - c.c))`` with the total s, the trace t, the row sums r and
    the column sums c of the table; in [-1, 1], 0 for independence and where either side is constant.

    Parameters
    ----------
    table_or_reference : array-like
        A table (..., K, K), rows the reference; or, with ``prediction``, class labels (N,) or label distributions
        (N, K). Soft references are used as they are.
    prediction : array-like, shape (N,) or (N, K), optional
        Class labels or probabilities; used as they are.
    form : {"table", "sample"}
        ``table`` is the coefficient of the expected table: a soft prediction equal to its soft reference does not reach
        1, since two draws from one distribution may differ. ``sample`` is the correlation of the numbers themselves,
        ``sum cov(y_k, p_k) / sqrt(sum var(y_k) sum var(p_k))``: 1 for a prediction equal to its reference. Both are
        the same for hard labels.
    sample_weight : array-like, shape (N,), optional

    Returns
    -------
    float
        Or an array, for tables along leading axes.

    Raises
    ------
    InputError
        A ``ValueError``: if the table is not square, or anything is negative or not finite.

    Examples
    --------
    >>> round(rk_coeff([[8, 2], [1, 9]]), 4)
    0.7035
    >>> round(rk_coeff([0, 1, 2, 2], [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]]), 4)
    0.4001

    See Also
    --------
    softtruth.IndicatorMatrix : ``compute("r_k")`` follows a convention where the coefficient has no value, and
        ``interval("r_k")`` says how sure it is.
    """
    if form not in {"table", "sample"}:
        msg = f"form {shown(form)} is not known; expected 'table' or 'sample'."
        raise InputError(msg)
    if prediction is None:
        if form == "sample" or sample_weight is not None:
            msg = "form='sample' and sample_weight need the examples; pass a reference and a prediction."
            raise InputError(msg)
        value = coefficient(_table(table_or_reference).classes)
        return value if np.ndim(value) else float(value)
    examples = IndicatorMatrix(
        table_or_reference, prediction, coupling="independent", sample_weight=sample_weight
    ).examples
    return _of_sample(examples) if form == "sample" else float(coefficient(examples.classes))


@checked
def rk_coeff_np(conf_mat: ArrayLike) -> float:
    """Which R_K does a confusion matrix have, such as scikit-learn's?

    Rows the reference, columns the prediction; soft tables are welcome. 0 where either side is constant.

    Examples
    --------
    >>> import numpy as np
    >>> round(rk_coeff_np(np.arange(9).reshape(3, 3)), 12)
    -0.07007127538
    """
    table = _table(conf_mat)
    if table.masses.ndim != 2:
        msg = f"the table has shape {table.masses.shape}, expected K x K; rk_coeff takes tables along leading axes."
        raise InputError(msg)
    return float(coefficient(table.classes))


@checked
def rk_gradient(table: ArrayLike) -> NDArray[np.float64]:
    """How does R_K move with each entry of the table?

    In shares of the total, ``(t + [k = l] - c_k - r_l) / sqrt(dr dc) - R ((1 - r_k) / dr + (1 - c_l) / dc)`` with
    ``dr = 1 - r.r`` and ``dc = 1 - c.c``, divided by the total; zero where R_K has no value. No difference of nearly
    equal numbers is taken, so that a rare class keeps its digits.

    Examples
    --------
    >>> rk_gradient([[8, 2], [1, 9]]).round(4).tolist()
    [[0.0162, -0.0772], [-0.0944, 0.0132]]
    """
    given = _table(table)
    factor = power_of_two(given.masses) or 1.0
    masses = given.masses * factor
    s = masses.sum(axis=(-2, -1), keepdims=True)
    s = np.where(s > 0, s, 1.0)
    c = Table(masses / s).classes
    rows, columns = c.tp + c.fn, c.tp + c.fp
    other_rows, other_columns, other_hits = rest(rows), rest(columns), rest(c.tp)
    # Hits of all classes but two: what is subtracted is the smaller of the two.
    first, second = c.tp[..., :, None], c.tp[..., None, :]
    hits = np.where(first >= second, other_hits[..., :, None] - second, other_hits[..., None, :] - first)
    slope = hits - c.fp[..., :, None] - c.fn[..., None, :]
    k = np.arange(c.n_classes)
    slope[..., k, k] = other_hits + c.tn
    dr, dc = (total(own * other)[..., None, None] for own, other in ((rows, other_rows), (columns, other_columns)))
    defined = (dr > 0) & (dc > 0)
    dr, dc = np.where(defined, dr, 1.0), np.where(defined, dc, 1.0)
    value = np.asarray(coefficient(c))[..., None, None]
    found = slope / np.sqrt(dr * dc) - value * (other_rows[..., :, None] / dr + other_columns[..., None, :] / dc)
    return np.where(defined, found / s * factor, 0.0)


def _table(masses: Any) -> Table:
    return masses if isinstance(masses, Table) else Table.of(masses)


def _of_sample(examples: Examples) -> float:
    """Return the correlation of the numbers of both sides, from centred sums."""
    n = len(examples)
    weight = np.ones(n) if examples.weight is None else examples.weight
    factor = power_of_two(weight) or 1.0
    weight = weight * factor
    first = [np.asarray(side, np.float64) for side in examples.sides(slice(0, 1))]

    def sides() -> Any:
        for start in range(0, n, _ROWS):  # less the first example: what never changes is exactly 0
            part = slice(start, start + _ROWS)
            y, p = (np.asarray(side, np.float64) - one for side, one in zip(examples.sides(part), first, strict=True))
            yield weight[part], y, p

    means = np.zeros((2, examples.n_classes))
    for w, y, p in sides():
        means += w @ y, w @ p
    means /= weight.sum() or 1.0
    joint = of_reference = of_prediction = 0.0
    for w, y, p in sides():
        dy, dp = y - means[0], p - means[1]
        joint += float(w @ np.vecdot(dy, dp))
        of_reference += float(w @ np.vecdot(dy, dy))
        of_prediction += float(w @ np.vecdot(dp, dp))
    if of_reference == 0 or of_prediction == 0:
        return 0.0
    # Exactly 1 for equal sides, and nothing over- or underflows. The sums themselves obey Cauchy and Schwarz, so that
    # beyond 1 there is rounding only.
    value = joint / of_prediction * math.sqrt(of_prediction / of_reference)
    return math.copysign(1.0, value) if 1 < abs(value) < 1 + _ROUNDING else value


# --- for losses and streaming metrics, on arrays of any library ----------------------------------------------------


def coefficient(cells: Cells) -> Array:
    """Return R_K of cells of classes that exclude each other, 0 (with gradient 0) where it has no value.

    Masses of other libraries become shares first, so that single precision neither over- nor underflows.
    """
    if is_host(cells.masses):
        value = r_k(cells)
        return np.where(np.isfinite(value), value, 0.0)[()]
    s = total(cells.tp) + total(cells.fn)
    s = where(vanishes(s), 1.0, s)
    value = r_k.formula(replace(cells, masses=cells.masses / s[..., None]))
    return where(namespace(value).isfinite(value), value, 0.0)


def one_minus(value: Array) -> Array:
    """Return the loss ``1 - R_K``, between 0 and 2."""
    return 1.0 - value


def minus_log(value: Array, *, shifted: bool = False) -> Array:
    """Return the loss ``-log R_K``, or ``-log((1 + R_K) / 2)``; infinite, with gradient 0, where there is no logarithm.

    The shifted one is finite for every R_K above -1: the one to begin a training with.
    """
    value = (1.0 + value) / 2.0 if shifted else value
    with quiet():
        return -log(where(value > 0, value, 0.0))
