"""Whether wrong labels can turn the order of two predictions: any errors, and even errors independent of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.order_under_noise import ASSUMPTION, order_under_noise
from softtruth.corrections.two_models import ranking_is_robust
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.comparison.compared import not_asked, other_of
from softtruth.evaluation.views import like
from softtruth.report.comparison_words import UNCORRECTED, gain_words
from softtruth.report.parts import Finding
from softtruth.statistics.coupling import HARDENED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.corrections.order_under_noise import OrderUnderNoise
    from softtruth.corrections.two_models import Ranking
    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.evaluation.comparison.pairs import Pair
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.uncertainty.interval import Interval

TIES_LEFT_OUT = "ties_left_out"
_LIMIT = (
    "The rates that labels allow end where a class would be gone or a value leave its range; the line of a report, "
    "which asks that of accuracy alone, may end later."
)
_POINTWISE = f"Pointwise: each rate by its own interval, {UNCORRECTED}."


def against_labels(matrix: IndicatorMatrix) -> IndicatorMatrix:
    """Return decisions against the one label that each item has; items whose classes are tied are left out."""
    examples = matrix.examples
    if examples.hard_reference:
        return matrix
    shares = np.asarray(examples.reference)
    exclusive = shares.ndim == 2 and shares.shape[1] > 1
    single = shares.max(axis=1) == 1 if exclusive else ((shares == 0) | (shares == 1)).all(axis=1)
    kept = examples.taken(np.flatnonzero(single))
    codes = np.asarray(kept.reference)
    codes = codes.argmax(axis=1).astype(np.intp) if exclusive else codes.astype(np.uint8)
    return like(matrix, replace(kept, reference=codes, coupling=HARDENED))


def noise_findings(
    compared: Compared, decisions: Mapping[str, IndicatorMatrix], reference_accuracy: float | Interval | None = None
) -> list[Finding]:
    """Say whether label errors can turn the order of each two predictions.

    Parameters
    ----------
    compared
        What is compared.
    decisions
        Each prediction as decisions against labels.
    reference_accuracy
        How often the labels are right, where that is known.
    """
    if compared.task == "multilabel":
        first = next(iter(decisions.values())).labels[0]
        why = f"errors of labels are taken up one label at a time; name one: --labels {first}"
        return [not_asked("label noise", why)]
    labelled = {name: against_labels(matrix) for name, matrix in decisions.items()}
    n, whole = next(iter(labelled.values())).n, next(iter(decisions.values())).n
    found = []
    if n < whole:
        sentence = f"What is said of wrong labels leaves out {whole - n:,} items without a single most voted class."
        found.append(Finding(TIES_LEFT_OUT, "note", sentence, {"items": whole - n}))
    if n == 0:
        return [*found, not_asked("label noise", "no item has one label")]
    right = reference_accuracy if reference_accuracy is None else _value(reference_accuracy)
    for pair in compared.contested(compared.main):
        first, second = (labelled[name] for name in pair)
        found.append(_whatever_errors(pair, first, second, right, compared))
        for name, question in compared.ranked():
            try:
                order = order_under_noise(
                    first, second, question, convention=compared.convention, level=compared.way.level
                )
            except NotAnswerableError as error:
                found.append(not_asked("label noise", error, name))
                continue
            found.append(_even_errors(name, pair, order, right))
    if any(each.code == "even_label_errors" for each in found):
        found.append(Finding("assumption", "note", f"Labels err evenly: {ASSUMPTION}. {_LIMIT} {_POINTWISE}", {}))
    return found


def _value(reference_accuracy: float | Interval) -> float:
    value = reference_accuracy if isinstance(reference_accuracy, (int, float)) else reference_accuracy.value
    return min(float(value), 1.0)


def _codes(matrix: IndicatorMatrix) -> tuple[Any, Any]:
    examples = matrix.examples
    return examples.reference.reshape(len(examples)), examples.prediction.reshape(len(examples))


def _whatever_errors(
    pair: Pair, first: IndicatorMatrix, second: IndicatorMatrix, right: float | None, compared: Compared
) -> Finding:
    reference, a = _codes(first)
    k = 2 if compared.task == "binary" else first.n_classes
    known = 1.0 if right is None else right
    ranking = ranking_is_robust(reference, a, _codes(second)[1], known, k, level=compared.way.level, names=pair)
    numbers = {
        "measure": "accuracy",
        "difference": ranking.difference,
        "enough_reference_accuracy": ranking.enough_reference_accuracy,
        "reference_accuracy": right,
        "low": None if right is None else ranking.low,
        "high": None if right is None else ranking.high,
        "robust": None if right is None else ranking.robust,
    }
    if ranking.difference == 0:
        sentence = f"However labels err, accuracy: {pair[0]} and {pair[1]} are level against these labels."
        return Finding("any_label_errors", "note", sentence, numbers, pair)
    ahead = pair[0] if ranking.difference > 0 else pair[1]
    sentence = (
        f"However labels err, accuracy: {ahead} stays ahead of {other_of(pair, ahead)} as long as more than "
        f"{_share(ranking.enough_reference_accuracy)} of the labels are right; with fewer, wrong labels can turn the "
        f"order.{'' if right is None else _at(ranking, right, ahead)}"
    )
    if first.examples.weight is not None:
        sentence += " Items count once each here, without their weights."
    turned = right is not None and not ranking.robust
    return Finding("any_label_errors", "warning" if turned else "note", sentence, numbers, pair)


def _at(ranking: Ranking, right: float, ahead: str) -> str:
    sign = 1 if ranking.difference > 0 else -1
    low, high = sorted((sign * ranking.low, sign * ranking.high))
    can = "cannot" if ranking.robust else "can"
    return (
        f" {_share(right)} are right here: they {can} turn it, and the true lead of {ahead} lies in "
        f"[{low:.3f}, {high:.3f}]."
    )


def _share(x: float) -> str:
    """Return a share in percent, with enough digits to tell it from all."""
    return f"{100 * x:.4g}%"


def _even_errors(name: str, pair: Pair, order: OrderUnderNoise, right: float | None) -> Finding:
    last = float(order.rates[-1])
    turns, sure = order.turns_at, order.sure_up_to
    sign = 1 if order.direction == "higher" else -1
    numbers: dict[str, Any] = {
        "measure": name,
        "turns_at": None if math.isnan(turns) else turns,
        "sure_up_to": None if math.isnan(sure) else sure,
        "largest_rate": last,
        "refuted_beyond": order.refuted_beyond,
        "curve": {
            key: [float(x) if math.isfinite(x) else None for x in getattr(order, key)]
            for key in ("rates", "values", "low", "high")
        },
    }
    gain = sign * float(order.values[0])
    if math.isnan(gain) or gain == 0:
        words = "undefined" if math.isnan(gain) else "level against these labels"
        return Finding(
            "even_label_errors",
            "note",
            f"If labels err evenly, {name}: {pair[0]} and {pair[1]} are {words}.",
            numbers,
            pair,
        )
    ahead = pair[0] if gain > 0 else pair[1]
    behind = other_of(pair, ahead)
    limit = f"at every rate that these labels allow (up to {_share(last)} wrong)"
    if not order.refuted_beyond:
        limit = "at every rate at which labels say anything"
    if math.isnan(turns):
        sentence = f"If labels err evenly, {name}: {ahead} stays ahead of {behind} {limit}"
    else:
        sentence = (
            f"If labels err evenly, {name}: {ahead} is ahead of {behind} until {_share(turns)} of the labels are wrong"
        )
    if math.isnan(sure):
        sentence += "; pointwise beyond chance at none of them."
    elif sure < last:
        sentence += f"; pointwise beyond chance up to {_share(sure)}."
    else:
        sentence += ", and pointwise beyond chance."
    if right is not None:
        sentence += _at_rate(order, 1 - right, ahead, sign if gain > 0 else -sign)
    return Finding("even_label_errors", "note" if math.isnan(turns) else "warning", sentence, numbers, pair)


def _at_rate(order: OrderUnderNoise, rate: float, ahead: str, sign: int) -> str:
    """Return the lead of the one that is ahead, where this share of the labels is wrong."""
    if rate > float(order.rates[-1]) + 1e-12:
        return f" That {_share(rate)} are wrong in this way is refuted by the labels."
    value, low, high = (float(np.interp(rate, order.rates, side)) for side in (order.values, order.low, order.high))
    low, high = (low, high) if sign > 0 else (-high, -low)
    return f" At {_share(rate)} wrong the lead of {ahead} is {gain_words(sign * value, low, high)}."
