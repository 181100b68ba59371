"""What stands behind a reference: the votes, the shares, and the predictions of the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.inputs.arrays import ROW_SUM, as_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from softtruth.evaluation.sides import Sides
    from softtruth.inputs.problem import Problem


@dataclass(frozen=True, eq=False)
class Behind:
    """A reference made of people, beside the predictions.

    Attributes
    ----------
    task : str
    labels : sequence
    votes : ndarray, shape (N, K), (N, 2) or (N, m, 2), optional
        How many people chose each class (said no and yes to each label).
    shares : ndarray, shape (N, K), optional
        Of three classes or more that exclude each other; NaN where nothing is known.
    predictions : dict of name to (values, kind)
    weight, clusters : ndarray, optional
    threshold : float
    """

    task: str
    labels: Sequence[Any]
    votes: NDArray[Any] | None
    shares: NDArray[np.float64] | None
    predictions: Mapping[str, tuple[NDArray[Any], str]]
    weight: NDArray[Any] | None
    clusters: NDArray[Any] | None
    threshold: float

    @classmethod
    def of_problem(cls, problem: Problem) -> Behind:
        """Return what stands behind a problem that was read from files."""
        several = problem.task == "multiclass" and len(problem.labels) > 2
        return cls(
            problem.task,
            problem.labels,
            problem.reference if problem.reference_kind == "votes" else None,
            problem.soft_reference() if several and problem.reference_kind != "labels" else None,
            {name: (prediction.values, prediction.kind) for name, prediction in problem.predictions.items()},
            problem.sample_weight,
            _one_clustering(problem.clusters),
            problem.threshold,
        )

    @classmethod
    def of_sides(cls, sides: Sides) -> Behind | None:
        """Return what stands behind arrays; None where they do not say it item by item."""
        first = sides.first
        pair = first._pair  # noqa: SLF001  which rows count is not said in public
        examples = first.examples
        if pair is None or pair.within is not None or first.task not in {"binary", "multiclass"} or sides.hard:
            return None
        rows = slice(None) if pair.rows is None else pair.rows
        votes = None
        if sides.settings["reference_kind"] == "votes":
            votes = as_array(sides.reference, "reference")[rows]
        soft = first.task == "multiclass" and examples.reference.ndim == 2 and examples.reference.shape[1] > 2
        return cls(
            first.task,
            first.labels,
            votes,
            np.asarray(examples.reference, np.float64) if soft else None,
            {name: _scored(values, sides.kinds[name], rows) for name, values in sides.predictions.items()},
            examples.weight,
            _one_clustering(examples.clusters),
            0.5 if first.threshold is None else first.threshold,
        )


def _one_clustering(clusters: NDArray[Any] | None) -> NDArray[Any] | None:
    return clusters if clusters is None or clusters.ndim == 1 else clusters[:, 0]


def _scored(values: Any, kind: str, rows: Any) -> tuple[NDArray[Any], str]:
    """Return the scores of a prediction, and whether they are probabilities."""
    given = as_array(values, "prediction")[rows]
    if given.ndim == 1 or given.dtype.kind != "f":
        return given, "labels"
    if kind == "auto" and (given >= 0).all() and np.allclose(given.sum(axis=1), 1, atol=ROW_SUM):
        kind = "probabilities"
    return given, kind if kind == "probabilities" else "scores"
