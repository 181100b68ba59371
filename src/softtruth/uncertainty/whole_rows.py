"""Whole rows of labels: how many are right in full, with the interval of that share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.statistics.means import Means
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import Interval, wald, wilson
from softtruth.uncertainty.pulls import variance_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.statistics.examples import Examples


def rows_right(examples: Examples, columns: Any = None) -> NDArray[np.float64]:
    """Return 1 for each example whose visible labels are all right, else 0; NaN where none is visible."""
    right = np.empty(examples.n)
    for part, cells in examples.rows(columns):
        right[part] = np.where(cells.sum(axis=0) > 0, (cells[1] == 0) & (cells[2] == 0), np.nan)
    return right


def whole_rows_interval(examples: Examples, columns: Any, convention: Convention, level: float) -> Interval:
    """Return the share of examples that are right in full, with its interval: Wilson's where they count once each.

    Parameters
    ----------
    examples
        Hard multilabel data.
    columns, convention, level
        As everywhere.
    """
    right, number = rows_right(examples, columns), convention.substitute
    right = right if number is None else np.where(np.isnan(right), number, right)
    kept = ~np.isnan(right)
    means = Means.of(right, examples.example_weight)
    value = means.value(convention)
    if examples.clusters is None:
        return share_interval(means, convention, level, weighted=examples.weight is not None)
    weight = np.where(kept, 1.0 if examples.weight is None else examples.weight, 0.0)
    pulls = weight * (np.where(kept, right, 0.0) - value) / weight.sum()
    error = float(np.sqrt(variance_of(pulls, examples, corrected=True)))
    return wald(value, error, level, (0.0, 1.0), assumption=CLUSTERED)


def share_interval(means: Means, convention: Convention, level: float, *, weighted: bool) -> Interval:
    """Return the interval of a share, from the means of its zeros and ones.

    Parameters
    ----------
    means
        Of 1 where it holds and 0 where not.
    convention, level
        As everywhere.
    weighted
        Whether examples weigh differently; counts of equal ones have Wilson's interval.
    """
    value = means.value(convention)
    if weighted:
        return wald(value, means.standard_error(convention), level, (0.0, 1.0), assumption=INDEPENDENT)
    n = float(means.defined.count if convention.substitute is None else means.count)
    right = means.defined.mean * means.defined.count + (convention.substitute or 0.0) * (n - means.defined.count)
    return wilson(float(round(right)), n, level, assumption=INDEPENDENT)
