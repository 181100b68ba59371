"""An outer range of a macro average when labels are wrong at some rate: one linear programme over all classes.

Each class alone could spend the whole budget of label errors; all classes together cannot. A mean of ratios is no
linear programme, so each ratio ``r = N / D`` is known here by McCormick's inequalities only: r and D lie between their
own ends, hence ``(r - r0)(D - D0)`` is not negative where both ends are lower or both are upper ones, and not positive
where they are one of each, and with ``r D = N`` each product is linear. Every truth that fits obeys all of them, so
that none lies outside the optimum; that each ratio keeps its own ends makes it no wider than the mean of these.

Source: McCormick 1976, Math. Program. 10:147, doi:10.1007/BF01580665.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention, average, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.corrections.ratio_programme import RatioProgramme

LARGEST = 100  # classes that are taken together: the programme has 2 K^2 unknowns
_NOTHING = 1e-9  # a denominator of this size may be zero


def macro_range(
    parts: list[RatioProgramme], masses: NDArray[np.float64], linear: Any, convention: Convention
) -> tuple[float, float]:
    """Return ends between which the mean of the ratios lies, whatever the truth.

    Parameters
    ----------
    parts : list of RatioProgramme
        Of each class. Thresholds of grades, and classes of which there are more than ``LARGEST``, are taken one by one.
    masses : ndarray, shape (K, K)
        The observed shares: rows the label, columns the prediction.
    linear : pair of sequences of 4 numbers
        Numerator and denominator as sums of tp, fp, fn and tn.
    convention : Convention
    """
    ends = settle(np.array([part.extremes() for part in parts]), convention)
    there = ~np.isnan(ends).any(axis=1)
    sizes = np.array([denominator_range(part) for part in parts])
    fades = there & (sizes[:, 0] <= _NOTHING)
    sizes[fades, 0] = 0.0
    ends[fades] = _with_undefined(ends, there, convention)[fades]
    low, high = average(ends.T, None, convention)
    alone, finite = (float(low), float(high)), bool(np.isfinite([low, high]).all() and np.isfinite(sizes[there]).all())
    if len(parts) != len(masses) or len(masses) > LARGEST or not (finite and there.any()):
        return alone
    return _together(masses, linear, parts[0].known, ends, sizes, np.flatnonzero(there), alone)


def denominator_range(part: RatioProgramme) -> tuple[float, float]:
    """Return the least and greatest denominator of a ratio."""
    ones = np.ones_like(part.denominator, dtype=np.float64)
    return replace(part, numerator=part.denominator, denominator=ones).extremes()


def _with_undefined(ends: NDArray[np.float64], there: NDArray[np.bool_], convention: Convention) -> NDArray[np.float64]:
    """Return the ends widened by what the convention puts in the place of an undefined ratio.

    A class that is left out of a mean counts as if it had the mean of the others.
    """
    if convention is Convention.NAN:
        return ends
    number = convention.substitute
    low, high = (ends[there, 0].min(), ends[there, 1].max()) if number is None else (number, number)
    return np.stack([np.minimum(ends[:, 0], low), np.maximum(ends[:, 1], high)], axis=1)


def _together(  # noqa: PLR0917  the parts of one programme
    masses: NDArray[np.float64],
    linear: Any,
    known: NDArray[np.float64],
    ends: NDArray[np.float64],
    sizes: NDArray[np.float64],
    counted: NDArray[np.intp],
    alone: tuple[float, float],
) -> tuple[float, float]:
    """Return the extremes of the mean of the ratios of the counted classes.

    They hold where the solver ends; where it gives up, as beside budgets of next to nothing, the ends of the classes
    ``alone`` hold just as well.

    The unknowns are the masses of wrong labels by label and prediction: ``moved``, where the truth is what the
    prediction says, and ``lost``, where it is a third class; then what each class gains of the lost mass, and all of
    it; and of each class its true positives, its true size and its ratio.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    k, labels = len(masses), masses.sum(axis=1)
    one, sum_of = eye_array(k, format="csr"), csr_array(np.ones((1, k)))
    by_label, by_said = kron(one, sum_of, format="csr"), kron(sum_of, one, format="csr")  # sums over cells (K, K^2)
    apart = np.flatnonzero(~np.eye(k, dtype=bool))  # the cells in which label and prediction differ
    cells = eye_array(k * k, format="csr")
    both = by_label.multiply(by_said).tocsr()
    widths = {"moved": len(apart), "lost": k * k, "gained": k, "all_lost": 1, "hits": k, "sizes": k, "ratios": k}

    def rows(**blocks: Any) -> Any:
        height = next(iter(blocks.values())).shape[0]
        return hstack([blocks.get(name, csr_array((height, width))) for name, width in widths.items()], format="csr")

    groups = sum_of if len(known) == 1 else one
    equal = vstack(
        [
            rows(hits=one, moved=-by_said[:, apart], lost=both),
            rows(sizes=one, moved=(by_label - by_said)[:, apart], lost=by_label, gained=-one),
            rows(all_lost=csr_array([[1.0]]), lost=-csr_array(np.ones((1, k * k)))),
            rows(all_lost=csr_array([[1.0]]), gained=-sum_of),
            rows(moved=groups @ by_label[:, apart], lost=groups @ by_label),
        ]
    )
    values = np.concatenate([masses.diagonal(), labels, [0.0, 0.0], groups @ labels - known])
    sides, spare = _envelopes(linear, masses.sum(axis=0), ends, sizes, counted)
    limits = vstack(
        [
            rows(moved=cells[apart][:, apart], lost=cells[apart]),
            rows(gained=one, all_lost=-csr_array(np.ones((k, 1))), lost=by_label + by_said - both),
            rows(**sides),
        ]
    )
    most = np.concatenate([masses.reshape(-1)[apart], np.zeros(k), spare])
    bounds = np.tile([0.0, np.inf], (sum(widths.values()), 1))
    bounds[len(apart) : len(apart) + k * k, 1] = masses.reshape(-1)
    bounds[-k:] = np.where(np.isin(np.arange(k), counted)[:, None], ends, 0.0)
    aim = np.zeros(len(bounds))
    aim[len(aim) - k + counted] = 1 / len(counted)
    low, high = (
        linprog(sign * aim, A_ub=limits, b_ub=most, A_eq=equal, b_eq=values, bounds=bounds, method="highs")
        for sign in (1.0, -1.0)
    )
    return float(low.fun) if low.status == 0 else alone[0], -float(high.fun) if high.status == 0 else alone[1]


def _envelopes(
    linear: Any,
    said: NDArray[np.float64],
    ends: NDArray[np.float64],
    sizes: NDArray[np.float64],
    counted: NDArray[np.intp],
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Return McCormick's inequalities of each class, by unknown, and what the left side may reach.

    Numerator and denominator are linear in the true positives, the true size, and the share that the prediction names.
    """
    from scipy.sparse import csr_array, diags_array, vstack

    (n_hit, n_size, n_rest), (d_hit, d_size, d_rest) = (
        (tp - fp - fn + tn, fn - tn, (fp - tn) * said + tn) for tp, fp, fn, tn in linear
    )
    blocks: dict[str, list[Any]] = {"hits": [], "sizes": [], "ratios": []}
    spare = []
    for sign, of_ratio, of_size in ((1, 0, 0), (1, 1, 1), (-1, 1, 0), (-1, 0, 1)):
        r, d = ends[counted, of_ratio], sizes[counted, of_size]
        chosen = csr_array((np.ones(len(counted)), (np.arange(len(counted)), counted)), shape=(len(counted), len(said)))
        blocks["hits"].append(diags_array(sign * (r * d_hit - n_hit)) @ chosen)
        blocks["sizes"].append(diags_array(sign * (r * d_size - n_size)) @ chosen)
        blocks["ratios"].append(diags_array(sign * d) @ chosen)
        spare.append(sign * (n_rest[counted] - r * d_rest[counted] + r * d))
    return {name: vstack(parts) for name, parts in blocks.items()}, np.concatenate(spare)
