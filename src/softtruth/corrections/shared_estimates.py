"""What a posterior of the truth says of model and labels together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.annotations.answers import Answers, checked_codes
from softtruth.corrections.sharp_range import sharp_range

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_ERROR = 1e-9


def label_shares(answers: Answers, reference: ArrayLike | None) -> NDArray[np.float64]:
    """Return the reference as shares (N, K): the majority of the answers, ties shared; zero without answers."""
    counts = answers.counts
    if reference is not None:
        return np.eye(answers.n_classes)[checked_codes(reference, answers, "reference")]
    top = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    return np.asarray(top / np.maximum(top.sum(axis=1, keepdims=True), 1))


def estimates_of(
    answers: Answers,
    posterior: NDArray[np.float64],
    label: NDArray[np.float64],
    said: NDArray[np.intp],
    used: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the estimates from the posterior of the truth.

    They are the true accuracy, rho, the overlap, the place, the observed accuracy, the overlap if independent, the
    accuracy of the labels, that of answers where the model is right, and how much worse they are where it is wrong.
    """
    rows = np.flatnonzero(used)
    likely, shares, counts = posterior[rows], label[rows], answers.counts[rows]
    at = np.arange(len(rows)), said[rows]
    right, same = likely[at], shares[at]
    a_t, a_m = float(right.mean()), float(same.mean())
    a_g = float((likely * shares).sum(axis=1).mean())
    both = float((right * same).mean())
    wrong = 1 - a_g
    k = likely.shape[1]
    low, high = sharp_range(a_m, a_g, k)
    overlap = (a_m - both) / wrong if wrong > _ERROR else math.nan
    place = (a_t - low) / (high - low) if high - low > _ERROR else math.nan
    # Wrong answers of independent origin coincide as often as the classes of both make them.
    missed = np.where(np.arange(k) == said[rows, None], 1 - likely, 0.0).mean(axis=0)
    mislabelled = (shares * (1 - likely)).mean(axis=0)
    alone = float((missed * mislabelled).sum() / max(wrong * (1 - a_t), _ERROR)) * (1 - a_t) if k > 2 else 1 - a_t
    on_named, votes = counts[at], counts.sum(axis=1)
    with quiet():
        where_right = float((right * on_named).sum() / (right * votes).sum())
        elsewhere = (likely * counts).sum(axis=1) - right * on_named
        where_wrong = float(elsewhere.sum() / ((1 - right) * votes).sum())
    return np.array(
        [a_t, _rho(both, a_t, a_g), overlap, float(place), a_m, alone, a_g, where_right, where_right - where_wrong]
    )


def _rho(both: float, a_t: float, a_g: float) -> float:
    """Return the dependence: how far ``both`` lies from independence towards the end on its side."""
    alone = a_t * a_g
    most, least = min(a_t, a_g) - alone, alone - max(0.0, a_t + a_g - 1)
    reach = most if both >= alone else least
    return (both - alone) / reach if reach > _ERROR else math.nan
