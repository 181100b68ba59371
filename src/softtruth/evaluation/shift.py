"""A problem at another prior: given, or estimated from the predictions of a target without labels."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softtruth.corrections.crossing import Crossing, crossing_prior
from softtruth.corrections.prior_curve import PriorCurve, prevalence_grid, prior_curve, prior_path
from softtruth.corrections.priors import Source
from softtruth.corrections.target_prior import PriorEstimate, estimate_prior
from softtruth.corrections.under_prior import under_prior
from softtruth.errors import InputError, NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.report.shift import ShiftedView, ShiftReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from softtruth.inputs.problem import Prediction, Problem

MEASURES = {
    "binary": ("accuracy", "precision", "recall", "f1", "mcc"),
    "multiclass": ("accuracy", "macro precision", "macro recall", "macro f1", "r_k"),
    "multilabel": ("micro f1", "macro precision", "macro recall", "macro f1"),
}


def shift_report(
    problem: Problem,
    *,
    prior: Any = None,
    target: Mapping[str, Prediction] | None = None,
    method: str = "bbse_hard",
    calibrate: bool = False,
    project: bool = False,
    measures: Sequence[str] = (),
    level: float = 0.95,
) -> ShiftReport:
    """What would these predictions score where the classes are more or less frequent?

    Parameters
    ----------
    problem : Problem
        The labelled data.
    prior : optional
        As in ``under_prior``.
    target : mapping of Prediction, optional
        The predictions of a target without labels, by the name of the prediction; the prior is then estimated.
    method, calibrate
        As in ``estimate_prior``.
    project : bool
        Whether to take the nearest prior where the estimate leaves the simplex.
    measures : sequence of str
        Questions such as "macro f1"; the first one is drawn.
    level : float

    Raises
    ------
    InputError
        If neither a prior nor a target is given.
    """
    if (prior is None) == (not target):
        msg = "how frequent the classes are is not known: give either a prior or the predictions of a target."
        raise InputError(msg)
    wanted = tuple(measures) or MEASURES[problem.task]
    matrices = {name: IndicatorMatrix(**visible(problem, name)) for name in problem.predictions}
    views = []
    for name, matrix in matrices.items():
        estimate = None
        if target:
            estimate = estimated(problem, name, matrix, target, method=method, calibrate=calibrate, project=project)
        at = under_prior(matrix, prior if estimate is None else estimate)
        rows = tuple((q, matrix.interval(q, level=level), at.interval(q, level=level)) for q in wanted)
        curve = _curve(matrix, wanted[0], at.shift.priors, level)
        views.append(ShiftedView(name, at.shift.priors, estimate, rows, curve))
    source = Source.of(next(iter(matrices.values())))
    crossings = [
        (a, b, found)
        for a, b in combinations(matrices, 2)
        for question in wanted
        if (found := _crossing(matrices[a], matrices[b], question, source, views[0].prior)) is not None
    ]
    classes = problem.labels[1:] if problem.task == "binary" else problem.labels
    soft = not next(iter(matrices.values())).examples.hard_reference
    return ShiftReport(problem.task, classes, source.prior, tuple(views), tuple(crossings), soft=soft)


def visible(problem: Problem, name: str, reference: Literal["soft", "majority"] = "soft") -> dict[str, Any]:
    """Return the arguments of an IndicatorMatrix, without the items whose class nobody knows."""
    given = problem.arguments(name, reference)
    mask = given["mask"]
    if mask is None or problem.task == "multilabel":
        return given
    for side in ("reference", "prediction", "sample_weight", "clusters"):
        if given[side] is not None:
            given[side] = given[side][mask]
    return {**given, "mask": None}


def estimated(
    problem: Problem,
    name: str,
    matrix: IndicatorMatrix,
    target: Mapping[str, Prediction],
    *,
    method: str,
    calibrate: bool,
    project: bool,
) -> PriorEstimate:
    """Return the prior of the target by one prediction; projected only where that was asked for and is needed.

    Raises
    ------
    InputError
        If the target has no predictions of that name.
    """
    if name not in target:
        msg = f"the target has no predictions of {name}; give them as --target {name}=PATH."
        raise InputError(msg)
    values, kind = target[name]
    source = matrix
    if problem.predictions[name].kind == kind == "probabilities":
        source = IndicatorMatrix(**visible(problem, name), coupling="independent")
        source.threshold = problem.threshold
    estimate = estimate_prior(source, values, method=method, calibrate=calibrate, prediction_kind=kind)
    return estimate.project() if project and estimate.outside else estimate


def _curve(matrix: IndicatorMatrix, question: str, prior: NDArray[np.float64], level: float) -> PriorCurve | None:
    """Return the measure over all prevalences, or on the way from the prior of the data to the other one."""
    source = Source.of(matrix)
    if matrix.task == "binary":
        priors = prevalence_grid(199, 0.005, 0.995)
    elif np.allclose(source.prior, prior):
        return None
    else:
        priors = prior_path(source.prior, prior)
    return prior_curve(matrix, question, priors, level=level)


def _crossing(
    one: IndicatorMatrix, other: IndicatorMatrix, question: str, source: Source, prior: NDArray[np.float64]
) -> Crossing | None:
    path = None if one.task == "binary" else (source.prior, prior)
    try:
        return crossing_prior(one, other, question, path=path)
    except NotAnswerableError:
        return None
