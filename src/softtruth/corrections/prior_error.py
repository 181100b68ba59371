"""How sure a value at another prior is: the rates within the classes are what varies, the class sizes are given.

At the prior p' a table has the entries ``C'_kl = p'_k s R_kl`` with the rates R estimated from r_k examples of class k.
So an example of class k that is predicted l pulls the value by ``f_k (P_kl - sum_j R_kj P_kj)``, with P the derivative
of the measure by the entries at the new prior: within its class the pulls sum to zero. The value moves with the prior
itself by ``D_k = s sum_j R_kj P_kj``, which is what an estimated prior adds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.corrections.example_moments import rows, weight_scale
from softtruth.measures.operators import Averaged, evaluate
from softtruth.statistics.examples import Examples
from softtruth.statistics.table import Table
from softtruth.uncertainty.derivative import gradient
from softtruth.uncertainty.influence import influence_interval, why_unknown
from softtruth.uncertainty.pulls import pair_pulls, variance_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.corrections.priors import Source
    from softtruth.corrections.shift import Shift
    from softtruth.measures.measure import Measure
    from softtruth.uncertainty.interval import Interval

_STEP = 1e-30  # as in uncertainty.derivative
_NUMBERS = 4_000_000  # held at a time
FEW, _MANY = 12, 8  # columns up to which, and values from which on, second moments are less work than each example


def own_interval(question: Averaged | Measure, source: Source, convention: Convention, level: float) -> Interval:
    """Return the interval of a value that no prior can move: that of the data."""
    return influence_interval(
        question,
        source.statistic,
        convention=convention,
        columns=source.columns,
        level=level,
        moments=source.moments,
    )


def slopes_at(
    question: Averaged | Measure, shift: Shift, convention: Convention
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how each example and how the prior pull the value.

    Returns
    -------
    tuple
        Of a table: (..., K, K) for an example of each class and prediction, and (..., K) by the prior. Of cells:
        (4, ..., m) for an example in each cell, and (..., m) by the prevalences.
    """
    source = shift.source
    if source.by_table:
        by_entry = _by_entry(question, shift, convention)
        with quiet():  # a slope that is no number leaves no interval
            mean = np.einsum("kl,...kl->...k", np.nan_to_num(source.rates), by_entry)
            own = (source.size_factor * shift.factors)[..., None] * (by_entry - mean[..., None])
            return own, mean * source.sizes.sum()
    slopes = gradient(question, shift.cells, convention, source.columns)
    cells = np.asarray(source.cells.masses, np.float64).reshape(4, *[1] * (slopes.ndim - 2), -1)
    positives, negatives = source.size_factor * shift.factors
    sizes = cells[0] + cells[2], cells[1] + cells[3]
    with quiet():
        more = np.nan_to_num((cells[0] * slopes[0] + cells[2] * slopes[2]) / sizes[0])
        less = np.nan_to_num((cells[1] * slopes[1] + cells[3] * slopes[3]) / sizes[1])
    own = np.stack(
        [
            positives * (slopes[0] - more),
            negatives * (slopes[1] - less),
            positives * (slopes[2] - more),
            negatives * (slopes[3] - less),
        ]
    )
    return own, (more - less) * (sizes[0] + sizes[1])


def _by_entry(question: Averaged | Measure, shift: Shift, convention: Convention) -> NDArray[np.float64]:
    """Return the derivative of the value by every entry of the table at the other priors, (..., K, K)."""
    k = shift.source.statistic.n_classes
    if isinstance(question, Averaged) or question.rung != "table":
        return pair_pulls(gradient(question, shift.classes, convention, shift.source.columns), k, binary=False)
    table = shift.table
    masses = np.asarray(table.masses)
    slopes = np.empty((k * k, *masses.shape[:-2]))
    block = max(1, _NUMBERS // max(1, masses.size))
    for start in range(0, k * k, block):
        stop = min(start + block, k * k)
        row, column = np.divmod(np.arange(start, stop), k)
        moved = np.repeat(masses[None].astype(complex), stop - start, axis=0)
        moved[np.arange(stop - start), ..., row, column] += 1j * _STEP
        answers = evaluate(question, Table(moved, table.task, table.coupling), convention)
        slopes[start:stop] = np.asarray(answers).imag / _STEP
    return np.moveaxis(slopes, 0, -1).reshape(*masses.shape[:-2], k, k)


def example_pulls_at(own: NDArray[np.float64], source: Source) -> NDArray[np.float64]:
    """Return the influence of every example, times its weight, (N, ...), from how an example of each kind pulls."""
    examples = source.statistic
    front = own.shape[:-2] if source.by_table else own.shape[1:-1]
    pulls = np.empty((len(examples), *front))
    if examples.indexed:
        pulls = np.moveaxis(own[..., examples.reference, examples.prediction], -1, 0)
    elif source.by_table:
        for part in rows(len(examples), own.size // own.shape[-1]):
            y, p = (np.asarray(side, np.float64) for side in examples.sides(part))
            pulls[part] = np.moveaxis(((y @ own) * p).sum(-1), -1, 0)
    else:
        for part, cells in examples.entries():
            pulls[part] = np.einsum("c...k,cnk->n...", own, cells)
    if examples.weight is not None:
        pulls = pulls * examples.weight.reshape(-1, *[1] * len(front))
    return pulls


def is_plain(examples: Examples) -> bool:
    """Whether every example is one whole count of its own: then the variance is that of proportions within classes."""
    return examples.hard and examples.weight is None and examples.clusters is None


def variance_at(own: NDArray[np.float64], source: Source) -> NDArray[np.float64]:
    """Return the sampling variance of the values, (...), from how an example of each kind pulls.

    It is NaN where only sums are kept that do not say how examples vary.
    """
    statistic = source.statistic
    front = own.shape[:-2] if source.by_table else own.shape[1:-1]
    if source.moments is not None:
        return np.full(front, np.nan) if source.by_table else np.asarray(source.moments.variance(own))
    if isinstance(statistic, Examples):
        plain = is_plain(statistic)
        if not (plain and (statistic.indexed or statistic.task == "binary")):
            return _variances(own, source, front, corrected=not plain)
    elif why_unknown(statistic):
        return np.full(front, np.nan)
    if source.by_table:
        return np.einsum("kl,...kl->...", np.asarray(statistic.table.masses, np.float64), own**2)
    return np.einsum("ck,c...k->...", np.asarray(statistic.cells.masses, np.float64), own**2)


def _variances(
    own: NDArray[np.float64], source: Source, front: tuple[int, ...], *, corrected: bool
) -> NDArray[np.float64]:
    """Return the variances from the examples themselves, several values at a time."""
    shape = own.shape
    flat = own.reshape(-1, *shape[-2:]) if source.by_table else own.reshape(4, -1, shape[-1])
    count = flat.shape[0] if source.by_table else flat.shape[1]
    if source.statistic.clusters is None and shape[-1] <= FEW and count >= _MANY:
        slopes = flat.reshape(count, -1) if source.by_table else np.swapaxes(flat, 0, 1).reshape(count, -1)
        n, spread = source.second_moments
        slopes = slopes / weight_scale(source.statistic)
        found = ((slopes @ spread) * slopes).sum(-1).reshape(front)
        return np.full(front, np.nan) if n < 2 else found * (n / (n - 1)) if corrected else found
    found = np.empty(count)
    step = max(1, _NUMBERS // max(1, len(source.statistic)))
    for start in range(0, count, step):
        several = slice(start, start + step)
        pulls = example_pulls_at(flat[several] if source.by_table else flat[:, several], source)
        found[several] = variance_of(pulls, source.statistic, corrected=corrected)
    return found.reshape(front)
