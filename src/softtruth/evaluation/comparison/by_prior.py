"""At which class frequencies predictions swap places, and where their order is beyond chance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.corrections.order_at_priors import MOST_CLASSES, order_at_priors
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.comparison.compared import not_asked, other_of
from softtruth.evaluation.views import MAJORITY, like
from softtruth.measures import Averaged
from softtruth.measures.operators import exemplar
from softtruth.render.words import ROUNDED
from softtruth.report.comparison_words import UNCORRECTED
from softtruth.report.findings import names
from softtruth.report.parts import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from softtruth.corrections.order_at_priors import OrderAtPriors
    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.evaluation.comparison.pairs import Pair
    from softtruth.indicator_matrix import IndicatorMatrix

    Stretch = tuple[float, float]

NEAR_ODDS = 10.0  # times as high or low as here: at other odds of a class one would ask for data from there
_HERE = 1e-9  # a crossing that is this near to the frequency in the data is there
_PATHS = 20  # classes whose frequency is moved, one after the other; of more, the most frequent ones


def prior_swaps(compared: Compared) -> list[Finding]:
    """Say at which class frequencies predictions swap places, and where their order is beyond chance."""
    found = []
    matrices = compared.matrices[compared.main]
    for name, question in compared.ranked():
        for pair in compared.contested(compared.main):
            try:
                orders = list(_orders(question, matrices[pair[0]], matrices[pair[1]], compared))
            except NotAnswerableError as error:
                found.append(not_asked("other priors", error, name))
                break
            found += _told_by_class(name, pair, orders, compared)
    if any("curve" in finding.numbers for finding in found):
        found.append(Finding("pointwise", "note", f"Pointwise: each frequency by its own interval, {UNCORRECTED}.", {}))
    return found


def _orders(
    question: Any, first: IndicatorMatrix, second: IndicatorMatrix, compared: Compared
) -> Iterator[OrderAtPriors]:
    settings: dict[str, Any] = {"convention": compared.convention, "level": compared.way.level}
    if first.task == "binary":
        yield order_at_priors(first, second, question, **settings)
        return
    if isinstance(question, Averaged) and question.operator is exemplar:
        msg = "an average over items cannot be put under another prior"
        raise NotAnswerableError(msg)
    if first.task == "ordinal" and not isinstance(question, Averaged):  # of grades as they are, no thresholds between
        first, second = (like(each, replace(each.examples, task="multiclass")) for each in (first, second))
    labels = first.task == "multilabel"
    support = np.asarray(first.cells.positives if labels else first.table.rows)
    whole = np.asarray(first.cells.masses).sum(axis=0) if labels else np.full(support.shape, support.sum())
    if first.task == "multiclass" and len(support) > MOST_CLASSES:
        msg = f"there are {len(support):,} classes, and the order is looked for with up to {MOST_CLASSES}"
        raise NotAnswerableError(msg)
    for label in sorted(np.argsort(-support, kind="stable")[:_PATHS].tolist()):
        if 0 < support[label] < whole[label]:
            yield order_at_priors(first, second, question, label=int(label), **settings)


def _told_by_class(name: str, pair: Pair, orders: Sequence[OrderAtPriors], compared: Compared) -> list[Finding]:
    """Return a sentence for each class that can turn the order, and one for all that cannot."""
    task = compared.task
    by = "by the majority label in these data" if compared.main == MAJORITY.name else "in these data"
    told = [order for order in orders if order.crossings.size or task == "binary"]
    told.sort(key=_nearest)
    found = [_prior_finding(name, pair, order, by) for order in told]
    still = [order for order in orders if not order.crossings.size]
    if task == "binary" or not still:
        return found
    labels = names((order.label for order in still), 4)
    whatever = f"any one class ({labels})" if len(still) == len(orders) else labels
    ahead = {order.crossing.better[0] for order in still}
    who = {"first": pair[0], "second": pair[1]}.get(ahead.pop(), "") if len(ahead) == 1 else ""
    if who:
        sentence = f"{name}: {who} is ahead of {other_of(pair, who)} whatever the frequency of {whatever}."
    else:
        sentence = f"{name}: the order of {pair[0]} and {pair[1]} does not hang on the frequency of {whatever}."
    return [*found, Finding("order_at_priors", "note", sentence, {"measure": name, "ahead": who}, pair)]


def _prior_finding(name: str, pair: Pair, order: OrderAtPriors, by: str) -> Finding:
    called = dict(zip(("first", "second", "neither"), (*pair, "neither"), strict=True))
    sure = {called[which]: order.sure(which) for which in ("first", "second")}
    better = [called[which] for which in order.crossing.better]
    numbers = {
        "measure": name,
        "class": order.label,
        "own": order.own,
        "verdict": order.crossing.verdict,
        "at": order.crossings.tolist(),
        "better": better,
        "sure": {who: [list(stretch) for stretch in stretches] for who, stretches in sure.items()},
        "curve": {
            key: [float(x) if math.isfinite(x) else None for x in getattr(order, key)]
            for key in ("frequencies", "values", "low", "high")
        },
        "method": order.crossing.method,
        "assumption": order.assumption,
    }
    beyond = [
        f"{who} {' and '.join(_stretch(*stretch) for stretch in stretches)}"
        for who, stretches in sure.items()
        if stretches
    ]
    chance = f"pointwise beyond chance: {', '.join(beyond)}" if beyond else "pointwise beyond chance nowhere"
    if order.crossing.verdict == "crosses":
        here = f"({_frequency(order.own)} {by})"
        at = [_frequency(x) for x in order.crossings]
        places = f"{better[0]} is ahead where {order.label} is rarer than {at[0]} {here}, {better[-1]} where it is not"
        if len(at) > 1:
            places = f"better is {', then '.join(better)}, with swaps where {order.label} is at {', '.join(at)} {here}"
        severity = "warning" if _turned_near(order, sure, better) else "note"
        return Finding("swap_at_prior", severity, f"{name}: {places}; {chance}.", numbers, pair)
    if order.crossing.verdict == "everywhere":
        sentence = f"{name}: {pair[0]} and {pair[1]} are equal at every frequency of {order.label}."
    else:
        behind = other_of(pair, better[0])
        sentence = f"{name}: {better[0]} is ahead of {behind} at every frequency of {order.label}; {chance}."
    return Finding("order_at_priors", "note", sentence, numbers, pair)


def _turned_near(order: OrderAtPriors, sure: Mapping[str, Sequence[Stretch]], better: Sequence[str]) -> bool:
    """Whether the one that is not ahead here is better beyond chance at frequencies that are near."""
    here = abs(order.crossings - order.own) <= _HERE
    ahead = "" if here.any() else better[int((order.crossings < order.own).sum())]
    return any(
        low <= order.own <= high or min(_times(low, order.own), _times(high, order.own)) <= NEAR_ODDS
        for who, stretches in sure.items()
        if who != ahead
        for low, high in stretches
    )


def _nearest(order: OrderAtPriors) -> float:
    """Return how far the nearest swap is, so that those which are equally far stay in their order."""
    return min((float(f"{_times(float(x), order.own):.9g}") for x in order.crossings), default=math.inf)


def _frequency(x: float) -> str:
    return f"{round(float(x), ROUNDED):.3g}"


def _times(frequency: float, own: float) -> float:
    """Return how many times larger or smaller the odds of a class are at another frequency; infinite at its end.

    Examples
    --------
    >>> round(_times(0.9, 0.5), 6), round(_times(0.1, 0.5), 6)
    (9.0, 9.0)
    """
    if not 0 < frequency < 1:
        return math.inf
    return math.exp(abs(math.log(frequency / (1 - frequency)) - math.log(own / (1 - own))))


def _stretch(low: float, high: float) -> str:
    """Return a stretch of frequencies in words.

    Examples
    --------
    >>> _stretch(0.01, 0.2), _stretch(0.4, 0.99), _stretch(0.3, 0.5), _stretch(0.01, 0.99)
    ('up to 0.20', 'from 0.40', 'from 0.30 to 0.50', 'everywhere')
    """
    if low <= 0.01 and high >= 0.99:
        return "everywhere"
    if low <= 0.01:
        return f"up to {high:.2f}"
    return f"from {low:.2f}" if high >= 0.99 else f"from {low:.2f} to {high:.2f}"
