"""A problem at another prior: given, or estimated from the predictions of a target without labels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.crossing import Crossing, crossing_prior
from softtruth.corrections.prior_curve import PriorCurve, prevalence_grid, prior_curve, prior_path
from softtruth.corrections.priors import LABEL_SHIFT, Source
from softtruth.corrections.target_prior import PriorEstimate, estimate_prior
from softtruth.corrections.under_prior import under_prior
from softtruth.errors import InputError, NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.render.words import shown_question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from softtruth.inputs.problem import Prediction, Problem
    from softtruth.uncertainty.interval import Interval

MEASURES = {
    "binary": ("accuracy", "precision", "recall", "f1", "mcc"),
    "multiclass": ("accuracy", "macro precision", "macro recall", "macro f1", "r_k"),
    "multilabel": ("micro f1", "macro precision", "macro recall", "macro f1"),
}


@dataclass(frozen=True, eq=False)
class ShiftedView:
    """One prediction at the other prior.

    Attributes
    ----------
    name : str
    prior : ndarray
        (K,), (m,), or (1,) for binary data.
    estimate : PriorEstimate, optional
        Where the prior was estimated.
    rows : tuple of (str, Interval, Interval)
        Each measure at the prior of the data and at the other one.
    curve : PriorCurve, optional
        The first measure between priors.
    """

    name: str
    prior: NDArray[np.float64]
    estimate: PriorEstimate | None
    rows: tuple[tuple[str, Interval, Interval], ...]
    curve: PriorCurve | None


@dataclass(frozen=True, eq=False)
class ShiftReport:
    """Every prediction at another prior, and where each two swap places.

    Attributes
    ----------
    task : str
    classes : tuple of str
        The classes that have a frequency: for binary data the positive one.
    own_prior : ndarray
    views : tuple of ShiftedView
    crossings : tuple of (str, str, Crossing)
    assumption : str
    """

    task: str
    classes: tuple[str, ...]
    own_prior: NDArray[np.float64]
    views: tuple[ShiftedView, ...]
    crossings: tuple[tuple[str, str, Crossing], ...]
    assumption: str = LABEL_SHIFT

    def to_text(self) -> str:
        """Return the report in words and tables."""
        lines: list[str] = []
        for view in self.views:
            lines += [view.name, *(f"  {line}" for line in self._prior_lines(view)), ""]
            width = max(len(name) for name, _, _ in view.rows)
            lines.append(f"  {'':{width}}  {'at the prior of the data':30}  at the other prior")
            lines += [f"  {name:{width}}  {_ends(own):30}  {_ends(other)}" for name, own, other in view.rows]
            lines.append("")
        for a, b, crossing in self.crossings:
            lines.append(f"{a} and {b}: {_with_names(shown_question(crossing, self.task), a, b)}")
        lines.append(f"Assumption: {self.assumption}.")
        lines += [f"{view.name}: {view.estimate.test or _UNTESTED}" for view in self.views if view.estimate is not None]
        return "\n".join(lines)

    def _prior_lines(self, view: ShiftedView) -> list[str]:
        if view.estimate is None:
            each = zip(self.classes, self.own_prior, view.prior, strict=True)
            return [f"frequency of {name}: {own:.4g} in the data, {other:.4g} here" for name, own, other in each]
        lines = [
            f"frequency of {name}: {own:.4g} in the data, {_ends(interval)} in the target"
            for name, own, interval in zip(self.classes, self.own_prior, view.estimate.intervals(), strict=True)
        ]
        lines.append(view.estimate.caveat)
        if view.estimate.condition is not None:
            lines.append(f"condition number of the rates: {np.max(view.estimate.condition):.3g}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "schema_version": 1,
            "task": self.task,
            "classes": list(self.classes),
            "own_prior": self.own_prior.tolist(),
            "assumption": self.assumption,
            "predictions": [_view_to_dict(view) for view in self.views],
            "crossings": [
                {
                    "first": a,
                    "second": b,
                    "measure": c.question,
                    "verdict": c.verdict,
                    "priors": c.priors.tolist(),
                    "values": c.values.tolist(),
                    "better": list(c.better),
                    "method": c.method,
                }
                for a, b, c in self.crossings
            ],
        }


def _with_names(sentence: str, first: str, second: str) -> str:
    """Put the names of two models into what is said of the first and the second, both at once."""
    return re.sub(r"\b(first|second)\b", lambda found: first if found[0] == "first" else second, sentence)


_UNTESTED = "label shift: not testable from decisions, which some prior always explains"


def _view_to_dict(view: ShiftedView) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": view.name,
        "prior": view.prior.tolist(),
        "measures": [
            {"measure": name, "own": _interval(own), "shifted": _interval(other)} for name, own, other in view.rows
        ],
    }
    estimate = view.estimate
    if estimate is not None:
        test = estimate.test
        found["estimate"] = {
            "method": estimate.method,
            "intervals": [_interval(i) for i in estimate.intervals()],
            "condition": None if estimate.condition is None else np.asarray(estimate.condition).tolist(),
            "steps": estimate.steps,
            "projected": estimate.projected is not None,
            "test": None
            if test is None or math.isnan(test.p_value)
            else {"chi2": test.statistic, "degrees": test.degrees, "p_value": test.p_value},
        }
    if view.curve is not None:
        curve = view.curve
        ends = {"low": curve.low, "high": curve.high}
        found["curve"] = {
            "measure": str(curve.question),
            "priors": curve.priors.tolist(),
            "values": _finite(curve.values),
            **{name: _finite(end) for name, end in ends.items() if end is not None},
        }
    return found


def _interval(interval: Interval) -> dict[str, Any]:
    numbers = {k: getattr(interval, k) for k in ("value", "low", "high", "standard_error")}
    words = {k: getattr(interval, k) for k in ("level", "source", "method", "assumption", "note")}
    return {**{k: float(v) if math.isfinite(v) else None for k, v in numbers.items()}, **words}


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [float(v) if math.isfinite(v) else None for v in values]


def _ends(interval: Interval) -> str:
    value = "undefined" if math.isnan(interval.value) else f"{interval.value:.3f}"
    if math.isnan(interval.low):
        return f"{value} (no interval)"
    return f"{value} [{interval.low:.3f}, {interval.high:.3f}]"


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
    return ShiftReport(problem.task, classes, source.prior, tuple(views), tuple(crossings))


def visible(problem: Problem, name: str) -> dict[str, Any]:
    """Return the arguments of an IndicatorMatrix, without the items whose class nobody knows."""
    given = problem.arguments(name)
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
