"""scikit-learn: any measure under any operator as a scorer, and displays in its style.

Soft references ride beside a hard target through metadata routing, so that a model fitted on labels is judged by the
shares behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softtruth.errors import InputError, MissingPackageError, shown
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.labels import plain
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of
from softtruth.plots.confusion import ConfusionDisplay
from softtruth.plots.display import Display, legend
from softtruth.statistics.cells import Cells

try:
    from sklearn.utils.metadata_routing import MetadataRequest
except ImportError:
    raise MissingPackageError("scikit-learn", "sklearn", "softtruth.adapters.sklearn") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure

__all__ = ["MeasureScorer", "SoftTableDisplay", "ThresholdDisplay"]

_RESPONSES = ("predict", "predict_proba")


class MeasureScorer:
    """How good is an estimator, by any measure under any operator? For ``scoring=`` in scikit-learn.

    Greater is better, as scikit-learn expects: measures that are better when lower come with the other sign.

    Parameters
    ----------
    measure : str or Measure
        "macro f1", "r_k", "exemplar jaccard", ...
    response_method : {"predict", "predict_proba"}
        What the estimator is asked for. Probabilities are hardened by ``threshold`` or the top class, unless
        ``coupling`` or ``tnorm`` uses them as they are.
    convention : {"exclude", "zero", "one", "nan"}
        What becomes of undefined (0/0) parts.
    **settings
        More of ``IndicatorMatrix``: ``coupling``, ``tnorm``, ``threshold``, ``subset``, ``labels`` (the classes in
        another order than the estimator's; of two, the second is the positive one), ...

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> cross_val_score(LogisticRegression(max_iter=500), X, y, scoring=MeasureScorer("macro f1"), cv=3).round(
    ...     2
    ... ).tolist()
    [0.98, 0.96, 0.98]
    """

    def __init__(
        self,
        measure: str | Measure | Averaged,
        *,
        response_method: str = "predict",
        convention: str = "exclude",
        **settings: Any,
    ) -> None:
        """Read the measure and take the settings."""
        if response_method not in _RESPONSES:
            msg = f"response_method {shown(response_method)} is not known; expected one of {', '.join(_RESPONSES)}."
            raise InputError(msg)
        question = parse(measure)
        self.measure = str(question) if isinstance(measure, str) else question
        self.response_method = response_method
        self.convention = convention
        self.settings = settings
        better = formula_of(question).better
        if better == "neither":
            msg = f"{question} has no better end, so that it ranks nothing; choose a measure that has one."
            raise InputError(msg)
        self._sign = -1.0 if better == "lower" else 1.0
        self._request = MetadataRequest(owner=self)
        for name in ("sample_weight", "reference"):
            self._request.score.add_request(param=name, alias=None)

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, reference: Any = None) -> float:
        """Return the score of a fitted estimator.

        Parameters
        ----------
        estimator
            A fitted classifier.
        X : array-like
            Test data.
        y_true : array-like, shape (N,) or (N, K)
            The target; label distributions are used as they are.
        sample_weight : array-like, shape (N,), optional
        reference : array-like, shape (N, K), optional
            Judged by instead of the target: what is known beyond it, such as shares of votes.
        """
        truth = np.asarray(y_true if reference is None else reference)
        matrix = indicator_matrix(
            estimator, X, truth, response_method=self.response_method, sample_weight=sample_weight, **self.settings
        )
        return self._sign * matrix.compute(self.measure, convention=self.convention)

    def set_score_request(self, *, sample_weight: Any = None, reference: Any = None) -> Self:
        """Ask scikit-learn to route sample weights, or a soft reference, to this scorer: True, False or a name."""
        for name, alias in (("sample_weight", sample_weight), ("reference", reference)):
            self._request.score.add_request(param=name, alias=alias)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what this scorer asks for."""
        return self._request

    def __repr__(self) -> str:
        """Return how the scorer was made."""
        more = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"MeasureScorer({str(self.measure)!r}, response_method={self.response_method!r}{more})"


def indicator_matrix(
    estimator: Any,
    X: Any,
    reference: NDArray[Any],
    *,
    response_method: str = "predict",
    sample_weight: Any = None,
    **settings: Any,
) -> IndicatorMatrix:
    """Return the problem of a fitted classifier and a (soft) reference; its classes name the columns."""
    prediction = getattr(estimator, response_method)(X)
    classes = estimator.classes_
    if isinstance(classes, list):  # several outputs: labels that may hold together
        if response_method == "predict_proba":
            prediction = np.stack([np.asarray(p)[:, 1] for p in prediction], axis=1)
        return IndicatorMatrix(reference, prediction, "multilabel", sample_weight=sample_weight, **settings)
    prediction = np.asarray(prediction)
    if prediction.ndim == 2 and response_method == "predict":
        return IndicatorMatrix(reference, prediction, "multilabel", sample_weight=sample_weight, **settings)
    labels = list(map(plain, classes))
    prediction, labels = _in_order(prediction, labels, settings.pop("labels", labels))
    task = settings.pop("task", "binary" if len(labels) == 2 else "multiclass")
    if task == "binary" and prediction.ndim == 2:
        prediction = prediction[:, 1]
    return IndicatorMatrix(reference, prediction, task, labels=labels, sample_weight=sample_weight, **settings)


def _in_order(prediction: NDArray[Any], classes: list[Any], wanted: Any) -> tuple[NDArray[Any], list[Any]]:
    """Return a prediction and its classes in the order wanted; columns of probabilities are moved."""
    labels = list(wanted)
    lost = [c for c in classes if c not in labels]
    if lost or len(set(labels)) < len(labels):
        msg = (
            f"labels are {shown(labels)}, but the estimator knows {shown(classes)}; expected each of its classes once, "
            "in any order (two classes: the negative one first)."
        )
        raise InputError(msg)
    if prediction.ndim == 2 and labels != classes:
        columns = np.zeros((len(prediction), len(labels)))
        columns[:, [labels.index(c) for c in classes]] = prediction
        prediction = columns
    return prediction, labels


class SoftTableDisplay(ConfusionDisplay):
    """Which classes are taken for which? ``softtruth.plots.ConfusionDisplay``, drawn at once as scikit-learn does.

    Parameters
    ----------
    table : ndarray, shape (K, K)
        Masses, rows the reference.
    labels : list
        Class names in their order.

    Attributes
    ----------
    ax_, figure_, im_
        The axes, their figure and the drawn matrix.
    """

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, ax: Any = None, **settings: Any) -> Self:  # type: ignore[override]  # scikit-learn's names
        """Draw the table of a reference and a prediction; settings as in ``IndicatorMatrix``."""
        return cls.from_matrix(IndicatorMatrix(y_true, y_pred, **settings)).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, response_method: str = "predict", ax: Any = None, **settings: Any
    ) -> Self:
        """Draw the table of a fitted classifier."""
        matrix = indicator_matrix(estimator, X, np.asarray(y), response_method=response_method, **settings)
        return cls.from_matrix(matrix).plot(ax)


class ThresholdDisplay(Display):
    """How does a measure move with the threshold? For binary data, the reference hard or soft.

    Parameters
    ----------
    thresholds, values : ndarray, shape (T,)
        The distinct scores, rising, and the measure of what lies above each.
    measure : str
        Its name.

    Attributes
    ----------
    ax_, figure_, line_
        The axes, their figure and the drawn line.
    """

    def __init__(self, thresholds: NDArray[np.float64], values: NDArray[np.float64], measure: str) -> None:
        """Hold the curve."""
        self.thresholds = thresholds
        self.values = values
        self.measure = measure

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        measure: str | Measure = "f1",
        *,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **settings: Any,
    ) -> ThresholdDisplay:
        """Draw the curve of probabilities against a reference in [0, 1]; settings as in ``IndicatorMatrix``."""
        question = parse(measure)
        if isinstance(question, Averaged) and question.operator is exemplar:
            msg = f"{question} has no one value at a threshold; use micro."
            raise InputError(msg)
        matrix = IndicatorMatrix(
            y_true, y_score, "binary", coupling="independent", sample_weight=sample_weight, **settings
        )
        examples = matrix.examples
        y, p = (np.asarray(side, np.float64).ravel() for side in (examples.reference, examples.prediction))
        w = np.ones_like(y) if examples.weight is None else examples.weight
        order = np.argsort(p, kind="stable")
        y, p, w = y[order], p[order], w[order]
        last = np.flatnonzero(np.append(p[1:] != p[:-1], True))
        below_positive, below_negative = np.cumsum(w * y)[last], np.cumsum(w * (1 - y))[last]
        positive, negative = below_positive[-1], below_negative[-1]
        masses = np.stack([positive - below_positive, negative - below_negative, below_positive, below_negative])
        values = np.asarray(evaluate(question, Cells(masses[..., None], "binary")))
        return cls(p[last], values, str(question)).plot(ax=ax, name=name)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, measure: str | Measure = "f1", **settings: Any
    ) -> ThresholdDisplay:
        """Draw the curve of a fitted classifier of two classes."""
        scores = np.asarray(estimator.predict_proba(X))
        labels = list(map(plain, estimator.classes_))
        scores, labels = _in_order(scores, labels, settings.pop("labels", labels))
        return cls.from_predictions(y, scores[:, 1], measure, labels=labels, **settings)

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> ThresholdDisplay:
        """Draw the curve; more keywords go to the line."""
        ax = self._axes(ax, (6.4, 4.8))
        self.line_ = ax.plot(self.thresholds, self.values, **{"drawstyle": "steps-post", **kwargs})[0]
        ax.set(xlabel="threshold: positive above it", ylabel=self.measure)
        if name:
            legend(ax, [self.line_], [name])
        return self
