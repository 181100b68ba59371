"""Ranges of any measure against the truth, from the table against noisy labels and what is known of the labels.

Each value of the label is one weighted example with a soft truth (how the true classes share that label) and a soft
prediction (how the predicted classes do). Then everything that bounds soft examples bounds the true table: the product
coupling is independence given the label, and the two extreme couplings give the ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.conventions import Convention, convention_of
from softtruth.corrections.error_budget import Budget, measure_of_macro, programme_of, programmes_of_parts
from softtruth.corrections.macro_range import macro_range
from softtruth.corrections.sharp_range import checked_share, sharp_range
from softtruth.corrections.true_accuracy import NO_ASSUMPTION
from softtruth.corrections.true_table import checked_transition, observed_table, true_shares
from softtruth.corrections.two_class_search import two_class_extremes
from softtruth.errors import InputError, NotAnswerableError, listed
from softtruth.measures.catalogue import parse
from softtruth.measures.measure import Measure
from softtruth.measures.operators import evaluate
from softtruth.statistics.coupling import INDEPENDENT
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.dependence import dependence_bounds
from softtruth.uncertainty.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softtruth.measures.operators import Averaged, Operator
    from softtruth.statistics.table import Table

_SUM = 1e-6
NOTES = {
    "outer": "outer ends: the sharp range may be narrower",
    "approximate": "approximate ends: the sharp range may be another",
}


def label_truth_of(
    table: Table, *, label_truth: ArrayLike | None = None, transition: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the joint law ``Q[l, k] = P(label = l, truth = k)`` with the label shares of the table.

    Raises
    ------
    InputError
        If it does not fit the labels of the table.
    NotAnswerableError
        If the labels refute the transition matrix: a class would have a negative share.
    """
    masses = np.asarray(table.masses, np.float64)
    labels = masses.sum(axis=1) / masses.sum()
    if transition is not None:
        matrix = checked_transition(transition, table.n_classes)
        shares = true_shares(labels, matrix)
        if (shares < -1e-12).any():
            worst = int(np.argmin(shares))
            msg = (
                f"the labels refute the transition matrix: class {worst} would have the share {shares[worst]:.4g}, so "
                "no truth fits. Check the matrix, or its sampling error."
            )
            raise NotAnswerableError(msg)
        return (np.maximum(shares, 0.0)[:, None] * matrix).T
    joint = np.asarray(label_truth, np.float64)
    if joint.shape != masses.shape:
        msg = f"label_truth has shape {joint.shape}, expected {masses.shape}: rows the label, columns the truth."
        raise InputError(msg)
    if not (np.isfinite(joint).all() and (joint >= 0).all() and joint.sum() > 0):
        msg = "label_truth holds negative or infinite masses, or none; expected the masses of (label, truth)."
        raise InputError(msg)
    joint = joint / joint.sum()
    away = np.abs(joint.sum(axis=1) - labels)
    if away.max() > _SUM:
        row = int(np.argmax(away))
        msg = (
            f"label_truth gives label {row} the share {joint.sum(axis=1)[row]:.6g}, but in the table it has "
            f"{labels[row]:.6g}; expected one population for both: multiply P(truth | label) by the "
            "label shares of the table."
        )
        raise InputError(msg)
    return joint


def labels_as_examples(table: Table, joint: NDArray[np.float64]) -> Examples:
    """Return one soft example for each label that occurs: its truth, its prediction, and its mass as weight."""
    masses = np.asarray(table.masses, np.float64)
    weight = masses.sum(axis=1)
    seen = weight > 0
    truth = joint[seen] / joint[seen].sum(axis=1, keepdims=True)
    prediction = masses[seen] / weight[seen, None]
    binary = table.task == "binary"
    columns = slice(1, 2) if binary else slice(None)
    return Examples(
        table.task,
        1 if binary else table.n_classes,
        truth[:, columns],
        prediction[:, columns],
        INDEPENDENT,
        weight[seen],
    )


@checked
def noisy_bounds(
    observed: Any,
    measure: str | Measure | Averaged = "accuracy",
    operator: str | Operator = "micro",
    *,
    label_truth: ArrayLike | None = None,
    transition: ArrayLike | None = None,
    precision: ArrayLike | None = None,
    reference_accuracy: float | None = None,
    convention: str = "exclude",
) -> Interval:
    """Between which ends does this measure against the truth lie, when the labels are wrong at a known rate?

    No assumption is made on how the errors of the model and of the labels depend on each other.

    Parameters
    ----------
    observed : Table, IndicatorMatrix or array-like, shape (K, K)
        Rows the label, columns the prediction. A bare 2 x 2 array is binary: negative, then positive.
    measure, operator, convention
        As in ``IndicatorMatrix.compute``.
    label_truth : array-like, shape (K, K), optional
        The masses of (label, truth), with the label shares of the table.
    transition : array-like, shape (K, K), optional
        ``P(label l | truth k)``, rows the truth.
    precision : array-like, shape (K,), optional
        ``P(truth = l | label = l)``: how often each label value is right.
    reference_accuracy : float, optional
        How often labels are right, and nothing else.

    Returns
    -------
    Interval
        ``level`` is 1: a range that holds for certain, given what was said of the labels. ``method`` says whether its
        ends are attained (``sharp``, or found by ``search``), or may lie inside (``outer``, ``approximate``), and then
        ``note`` says so. ``value`` is the measure under independence given the label where that is determined, else
        against the labels.

    Raises
    ------
    InputError
        If not exactly one of the four is given, or it does not fit the table.
    NotAnswerableError
        If the labels refute the transition matrix, or the range of this measure is not known.

    Examples
    --------
    >>> print(noisy_bounds([[0.55, 0.05], [0.08, 0.32]], "f1", reference_accuracy=0.96))
    0.831 [0.767, 0.889] noise
    >>> table = [[0.40, 0.06, 0.04], [0.05, 0.20, 0.02], [0.03, 0.04, 0.16]]
    >>> print(noisy_bounds(table, "accuracy", precision=[0.92, 0.89, 0.87]))
    0.760 [0.660, 0.860] noise
    >>> print(noisy_bounds(table, "macro f1", reference_accuracy=0.98))
    0.743 [0.715, 0.770] noise (outer ends: the sharp range may be narrower)
    """
    table, question = observed_table(observed), parse(measure, operator)
    rule = convention_of(convention)
    joint, budget = _known(
        table,
        label_truth=label_truth,
        transition=transition,
        precision=precision,
        reference_accuracy=reference_accuracy,
    )
    if joint is not None:
        found = dependence_bounds(question, labels_as_examples(table, joint), convention=rule)
        return replace(found, source="noise", assumption=NO_ASSUMPTION, note=NOTES.get(found.method, ""))
    assert budget is not None  # noqa: S101  one of the two is there
    value = float(evaluate(question, table, rule))
    low, high, method = _from_budget(question, table, budget, rule)
    return Interval(value, low, high, 1.0, "noise", method, assumption=NO_ASSUMPTION, note=NOTES.get(method, ""))


def _known(
    table: Table,
    *,
    label_truth: ArrayLike | None,
    transition: ArrayLike | None,
    precision: ArrayLike | None,
    reference_accuracy: float | None,
) -> tuple[NDArray[np.float64] | None, Budget | None]:
    """Return the law of (label, truth) where it is determined, else the budget of errors."""
    given = {
        "label_truth": label_truth,
        "transition": transition,
        "precision": precision,
        "reference_accuracy": reference_accuracy,
    }
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        msg = f"give exactly one of {listed(given)}, found {listed(names) if names else 'none'}."
        raise InputError(msg)
    if reference_accuracy is not None:
        return None, Budget(accuracy=checked_share(reference_accuracy, "reference_accuracy"))
    if precision is None:
        return label_truth_of(table, label_truth=label_truth, transition=transition), None
    shares = np.asarray(precision, np.float64)
    if shares.shape != (table.n_classes,):
        msg = f"precision has shape {shares.shape}, expected one share for each of the {table.n_classes} labels."
        raise InputError(msg)
    shares = np.array([checked_share(x, f"precision of label {i}") for i, x in enumerate(shares)])
    if table.n_classes > 2:
        return None, Budget(precision=shares)
    labels = np.asarray(table.rows) / float(table.masses.sum())
    right = labels * shares
    return np.array([[right[0], labels[0] - right[0]], [labels[1] - right[1], right[1]]]), None


def _from_budget(
    question: Averaged | Measure, table: Table, budget: Budget, convention: Convention
) -> tuple[float, float, str]:
    if isinstance(question, Measure) and question.name == "accuracy":
        return *_of_accuracy(table, budget), "sharp"
    programme = programme_of(question, table, budget)
    if programme is not None:
        return *programme.extremes(), "sharp"
    if table.n_classes == 2 and budget.accuracy is not None:
        return *two_class_extremes(question, table, budget.accuracy, convention), "search"
    measure = measure_of_macro(question, table)
    parts = [] if measure is None else programmes_of_parts(question, measure, table, budget)
    if measure is None or not parts:
        msg = (
            f"the range of {question} is not known for {table.n_classes} classes when only the share of right labels "
            "is; it would be for accuracy, cohen_kappa or a rate, or if a transition matrix said which class the wrong "
            "labels name."
        )
        raise NotAnswerableError(msg)
    masses = np.asarray(table.masses, np.float64) / float(table.masses.sum())
    return *macro_range(parts, masses, measure.linear, convention), "outer"


def _of_accuracy(table: Table, budget: Budget) -> tuple[float, float]:
    masses = np.asarray(table.masses, np.float64) / float(table.masses.sum())
    agree = masses.diagonal()
    if budget.accuracy is not None:
        low, high = sharp_range(agree.sum(), budget.accuracy, table.n_classes)
        return float(low), float(high)
    labels = masses.sum(axis=1)
    right = labels * np.asarray(budget.precision)
    return float(np.maximum(agree + right - labels, 0).sum()), float((labels - np.abs(agree - right)).sum())
