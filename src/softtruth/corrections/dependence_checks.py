"""Five reasons why model and labels may err together, each held against the data as far as these can speak of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from softtruth._arrays import quiet
from softtruth.errors import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers

_CHANCE = 0.001  # that a check speaks up without cause
_FEWEST = 10  # items or pairs below which a check is silent
_SURE = 0.95  # the posterior from which a truth is taken as known
_COPIED = 0.25  # share of the model's errors that an annotator must repeat beyond what others do, to be named
_Z = NormalDist().inv_cdf(1 - _CHANCE)


@dataclass(frozen=True)
class Check:
    """One reason, and what the data say of it.

    Attributes
    ----------
    name : str
    speaks : bool or None
        Whether the data speak for it; None where they cannot tell.
    value, expected : float
        What was found, and what independent errors would give.
    z : float
        The difference in standard errors.
    words : str
    """

    name: str
    speaks: bool | None
    value: float
    expected: float
    z: float
    words: str


def dependence_checks(
    answers: Answers,
    posterior: NDArray[np.float64],
    label: NDArray[np.float64],
    said: NDArray[np.intp],
    *,
    accuracy_where_right: float,
    accuracy_where_wrong: float,
    error: float,
) -> tuple[Check, ...]:
    """Which reasons for errors that go together do the data speak for?

    Parameters
    ----------
    answers : Answers
    posterior : ndarray, shape (N, K)
        Of the truth.
    label : ndarray, shape (N, K)
        The reference as shares.
    said : ndarray, shape (N,)
        The class that the model names.
    accuracy_where_right, accuracy_where_wrong : float
        How often an answer is right on items on which the model is right, and on the others.
    error : float
        The standard error of their difference.
    """
    return (
        _hard_items(accuracy_where_right, accuracy_where_wrong, error),
        _same_bias(answers, posterior, said),
        _hard_classes(answers, label, said),
        _machine_labels(answers, posterior, said),
        _alike_errors(answers),
    )


def _silent(name: str, why: str) -> Check:
    return Check(name, None, math.nan, math.nan, math.nan, f"cannot be told: {why}.")


def _endless(difference: float) -> float:
    """Return how many standard errors of zero a difference is."""
    return math.copysign(math.inf, difference) if difference else 0.0


def _judged(name: str, value: float, expected: float, error: float, words: tuple[str, str]) -> Check:
    z = (value - expected) / error if error > 0 else _endless(value - expected)
    speaks = bool(z > _Z)
    return Check(name, speaks, value, expected, float(z), words[0] if speaks else words[1])


def _hard_items(where_right: float, where_wrong: float, error: float) -> Check:
    """Ask whether annotators err more often where the model errs."""
    name = "Items that are hard for both"
    if math.isnan(where_right + where_wrong + error):
        return _silent(name, "the model is never wrong, or never right")
    facts = (
        f"answers are wrong on {100 * (1 - where_wrong):.1f} % of the items on which the model is wrong, and on "
        f"{100 * (1 - where_right):.1f} % of the others"
    )
    return _judged(name, 1 - where_wrong, 1 - where_right, error, (f"yes, {facts}.", f"not seen; {facts}."))


def _same_bias(answers: Answers, posterior: NDArray[np.float64], said: NDArray[np.intp]) -> Check:
    """Ask whether the model's errors go where the annotators' errors on the same item go."""
    name = "The model has the biases of the annotators"
    if answers.n_classes == 2:
        return _silent(name, "with two classes there is only one way to be wrong")
    truth = posterior.argmax(axis=1)
    rows = np.arange(len(truth))
    counts = answers.counts.copy()
    counts[rows, truth] = 0
    astray = counts.sum(axis=1)
    used = (posterior[rows, truth] > _SURE) & (said != truth) & (astray > 0)
    if used.sum() < _FEWEST:
        return _silent(name, "too few items on which both the model and an annotator are surely wrong")
    lost = np.zeros((answers.n_classes, answers.n_classes))
    np.add.at(lost, truth, counts)
    usual = (lost / np.maximum(lost.sum(axis=1, keepdims=True), 1))[truth[used], said[used]]
    same = counts[rows, said][used] / astray[used]
    error = float((same - usual).std(ddof=1) / math.sqrt(used.sum()))
    facts = (
        f"where the model is wrong, {100 * same.mean():.0f} % of the wrong answers to the item name the model's class, "
        f"against {100 * usual.mean():.0f} % of the wrong answers to any item of that class"
    )
    return _judged(name, float(same.mean()), float(usual.mean()), error, (f"yes, {facts}.", f"not seen; {facts}."))


def _hard_classes(answers: Answers, label: NDArray[np.float64], said: NDArray[np.intp]) -> Check:
    """Correlate, over classes, how often annotators are split with how often the model departs from the label."""
    name = "Classes that are hard for anybody"
    counts = answers.counts
    voted = counts.sum(axis=1)
    used = (label.sum(axis=1) > 0) & (voted > 1)
    weight = label[used]
    size = weight.sum(axis=0)
    large = size >= _FEWEST
    if large.sum() < 4:
        return _silent(name, "fewer than four classes have enough items")
    agree = (counts * (counts - 1)).sum(axis=1)[used] / (voted * (voted - 1))[used]
    departs = 1 - label[np.arange(len(said)), said][used]
    split = (weight.T @ (1 - agree))[large] / size[large]
    wrong = (weight.T @ departs)[large] / size[large]
    if min(split.std(), wrong.std()) == 0:
        return _silent(name, "all classes are equally hard")
    r = float(np.corrcoef(split, wrong)[0, 1])
    error = 1 / math.sqrt(large.sum() - 3)
    z = math.atanh(min(max(r, -1 + 1e-12), 1 - 1e-12)) / error
    facts = f"over {large.sum()} classes, disagreement of annotators and departures of the model correlate by {r:.2f}"
    few = f"not beyond chance; {facts}, where {math.tanh(_Z * error):.2f} would be beyond chance."
    return Check(name, z > _Z, r, 0.0, z, f"yes, {facts}." if z > _Z else few)


def _machine_labels(answers: Answers, posterior: NDArray[np.float64], said: NDArray[np.intp]) -> Check:
    """Look for annotators who name the model's class more often than others, its errors not less than the rest."""
    name = "Labels made by a model"
    counts, r = answers.counts, answers.n_annotators
    rows = np.arange(len(said))
    wrong = 1 - posterior[rows, said]
    others = counts.sum(axis=1)[answers.item] - 1
    used = others > 0
    item, who = answers.item[used], answers.annotator[used]
    repeats = answers.label[used] == said[item]
    difference = repeats - (counts[rows, said][item] - repeats) / others[used]
    whole, mean, z = _lead(difference, who, wrong[item], r)
    # Who errs more than others repeats more errors too, but names the model's class less often over all items.
    z = np.minimum(z, _lead(difference, who, np.ones(len(item)), r)[2])
    tested = (whole >= _FEWEST) & np.isfinite(z)
    if not tested.any():
        return _silent(name, "no annotator shares enough items with others on which the model is wrong")
    limit = NormalDist().inv_cdf(1 - _CHANCE / tested.sum())
    named = np.flatnonzero(tested & (z > limit) & (mean > _COPIED))
    worst = int(np.argmax(np.where(tested, z, -np.inf)))
    people = listed([answers.annotators[i] for i in named])
    words = (
        f"perhaps: {people} {'repeats' if len(named) == 1 else 'repeat'} the model's errors"
        if len(named)
        else "not seen; nobody repeats the model's errors"
    )
    words += " more often than others do on the same items."
    return Check(name, bool(len(named)), float(mean[worst]), 0.0, float(z[worst]), words)


def _lead(
    difference: NDArray[np.float64], who: NDArray[np.intp], weight: NDArray[np.float64], n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the total weight, the weighted mean difference of each annotator, and that in standard errors."""
    whole = np.bincount(who, weights=weight, minlength=n).astype(np.float64)
    with quiet():
        mean = np.bincount(who, weights=weight * difference, minlength=n) / whole
        spread = np.bincount(who, weights=(weight * (difference - mean[who])) ** 2, minlength=n)
        return whole, mean, mean * whole / np.sqrt(spread)


def _alike_errors(answers: Answers) -> Check:
    """Ask how often two departures from the majority are the same: with many classes rarely, if errors differ."""
    name = "Many ways to be wrong"
    k = answers.n_classes
    if k == 2:
        return _silent(name, "with two classes all wrong answers are the same")
    counts = answers.counts
    rows = np.arange(len(counts))
    departing = counts.copy()
    departing[rows, counts.argmax(axis=1)] = 0
    number = departing.sum(axis=1)
    pairs, same = number * (number - 1), (departing * (departing - 1)).sum(axis=1)
    several = pairs > 0
    if several.sum() < _FEWEST:
        return _silent(name, "too few items with two departures from the majority")
    value = float(same.sum() / pairs.sum())
    pulls = (same - value * pairs)[several] / pairs.sum()
    error = math.sqrt(float((pulls**2).sum()))
    even = 1 / (k - 1)
    facts = (
        f"two departures from the majority are the same in {100 * value:.0f} % of the cases, against "
        f"{100 * even:.0f} % for errors spread evenly"
    )
    return _judged(
        name,
        value,
        even,
        error,
        (
            f"errors are alike, {facts}: give coincidence={value:.2f} to true_accuracy.",
            f"errors are not alike, {facts}.",
        ),
    )
