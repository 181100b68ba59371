"""What a value would be if the truth were drawn: the law of a measure when soft labels are turned into hard ones.

Each example's label is drawn from its distribution, and a soft prediction is drawn too, with the coupling saying how
the two hang together. The mean of a measure over these draws is not the measure of the expected counts (for F1, MCC and
recall either may be larger), and its spread is what an evaluation with a single label for each item would show.

Sources: Jansche 2007, ACL, 736-743; Ye, Chai, Lee & Chieu 2012, ICML, arXiv:1206.4625.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import Convention, convention_of
from softtruth.errors import NotAnswerableError
from softtruth.measures.operators import Averaged, evaluate, exemplar, macro, micro
from softtruth.measures.rates import label_accuracy
from softtruth.statistics.cells import Cells
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.distribution import Distribution
from softtruth.uncertainty.poisson_binomial import Law, counts_law, poisson_binomial
from softtruth.uncertainty.truth_monte_carlo import drawn_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.measures.measure import Measure
    from softtruth.uncertainty.keyed import Draws

ASSUMPTION = "labels drawn independently of each other"
MOST_PAIRS = 4_000  # entries up to which the joint law of two counts is found
MOST_TRIPLES = 200  # and of three
MOST_OUTCOMES = 4_000_000  # outcomes of the law that are evaluated
_ROUNDING = 1e-12


def truth_distribution(
    question: Averaged | Measure,
    statistic: Any,
    draws: Draws,
    *,
    convention: str | Convention = Convention.EXCLUDE,
    columns: Any = None,
) -> Distribution:
    """Return the distribution of a value over draws of the truth.

    Exact for one column (binary data, and ``micro``) with crisp predictions, for accuracy and micro averages of classes
    that exclude each other, and for measures of soft predictions that depend on two counts (F1, Jaccard, precision,
    recall, ...: up to ``MOST_PAIRS`` entries) or on all four (up to ``MOST_TRIPLES``). The mean of a macro average is
    exact where no class can become undefined. Everything else is drawn.

    Parameters
    ----------
    question, statistic, convention, columns
        As everywhere.
    draws : Draws
        For what is drawn.

    Raises
    ------
    NotAnswerableError
        For raw cells, which are no probabilities; for sums, which do not say what each example was.
    """
    convention = convention_of(convention)
    examples = _drawable(statistic)
    exact = None if examples.weight is not None else _exactly(question, examples, convention, columns)
    if exact is not None:
        return exact
    values = drawn_values(question, examples, draws, convention=convention, columns=columns)
    found = Distribution.of(values, None, convention, method=f"monte carlo {draws}", assumption=ASSUMPTION)
    if isinstance(question, Averaged) and question.operator is macro and examples.weight is None:
        mean = _macro_mean(question, examples, convention, columns)
        if mean is not None:
            return replace(found, mean=mean, error=0.0, method=f"exact mean, spread from {draws}")
    return found


def _drawable(statistic: Any) -> Examples:
    if not isinstance(statistic, Examples):
        msg = "only sums over the examples are kept, and they do not say what each label could have been."
        raise NotAnswerableError(msg)
    if not statistic.coupling.keeps_margins and not statistic.hard_reference:
        msg = (
            f"{statistic.coupling.name} cells of an example do not add up to one, so that they are no probabilities; "
            "pass coupling= instead of tnorm=."
        )
        raise NotAnswerableError(msg)
    return statistic


def _exactly(
    question: Averaged | Measure, examples: Examples, convention: Convention, columns: Any
) -> Distribution | None:
    """Return the distribution where its law is at hand, or None."""
    single = examples.n_classes == 1 or columns is None
    if (isinstance(question, Averaged) and question.operator is exemplar) or examples.task == "ordinal":
        return None
    if examples.task == "multiclass":
        pooled = isinstance(question, Averaged) and question.operator is micro
        if not single or not (pooled or str(question) == "accuracy"):
            return None
        return _of_matches(question, examples, convention)
    if isinstance(question, Averaged) and question.operator is not micro and examples.n_classes > 1:
        return None
    if not isinstance(question, Averaged) and examples.task == "multilabel":
        return None
    return _of_entries(question, _entries(examples, columns), convention)


def _entries(examples: Examples, columns: Any) -> NDArray[np.float64]:
    """Return the probabilities of tp, fp, fn, tn of every visible entry, (4, entries)."""
    blocks = [cells.reshape(4, -1) for _, cells in examples.entries(columns)]
    entries = np.concatenate(blocks, axis=1) if blocks else np.zeros((4, 0))
    return entries if examples.mask is None else entries[:, entries.sum(axis=0) > 0]


def _of_matches(question: Averaged | Measure, examples: Examples, convention: Convention) -> Distribution:
    """Return the law of a function of how many examples get their class right."""
    n, k = len(examples), examples.n_classes
    matches = [cells[0].sum(axis=-1) for _, cells in examples.entries()]
    law = poisson_binomial(np.minimum(np.concatenate(matches), 1.0) if matches else np.empty(0))
    right = law.values()
    wrong = n - right
    pooled = Cells(np.stack([right, wrong, wrong, right + n * (k - 2)])[..., None])
    asked = question if isinstance(question, Averaged) else micro(_matching(question))
    return _folded(asked, pooled, law, convention)


def _matching(question: Measure) -> Measure:
    """Return accuracy as a measure of the pooled cells."""
    return replace(question, formula=lambda c: c.tp / (c.tp + c.fn), rung="cells")


def _of_entries(
    question: Averaged | Measure, entries: NDArray[np.float64], convention: Convention
) -> Distribution | None:
    """Return the law of a measure of one column, or None where it is too large."""
    n = entries.shape[1]
    alike = _alike(question)
    predicted = entries[0] + entries[1]
    positive = predicted > 0.5
    crisp = bool(np.all(np.abs(predicted - positive) < _ROUNDING))
    if alike is None and crisp:
        return _of_crisp(question, entries, positive, convention)
    groups = [[0], [1], [2], [3]] if alike is None else alike
    if len(groups) == 1:
        groups = [groups[0][:1], groups[0][1:]]
    if n > {2: n, 3: MOST_PAIRS, 4: MOST_TRIPLES}[len(groups)]:
        return _of_crisp(question, entries, positive, convention) if crisp else None
    shares = np.stack([entries[group].sum(axis=0) for group in groups], axis=1)
    law = counts_law(shares)
    if law.mass.size > MOST_OUTCOMES:
        return None
    counts = np.meshgrid(*[law.values(axis) for axis in range(len(groups) - 1)], indexing="ij")
    masses = np.zeros((4, *law.mass.shape, 1))
    for group, count in zip(groups[1:], counts, strict=True):
        masses[group[0], ..., 0] = count
    masses[groups[0][0], ..., 0] = n - sum(counts)
    return _folded(question, Cells(masses, "binary"), law, convention)


def _alike(question: Averaged | Measure) -> list[list[int]] | None:
    """Return the cells grouped by what they do to the value, where the measure is a ratio of sums."""
    if isinstance(question, Averaged):
        linear = question.measure.linear
    else:  # of one column, accuracy is the share of right decisions
        linear = label_accuracy.linear if question.name == "accuracy" else None
    if linear is None:
        return None
    found: dict[tuple[float, float], list[int]] = {}
    for cell, coefficients in enumerate(zip(*linear, strict=True)):
        found.setdefault(coefficients, []).append(cell)
    return list(found.values())


def _of_crisp(
    question: Averaged | Measure, entries: NDArray[np.float64], positive: NDArray[np.bool_], convention: Convention
) -> Distribution | None:
    """Return the law for crisp predictions: true positives and misses are independent sums of events."""
    hits, misses = poisson_binomial(entries[0][positive]), poisson_binomial(entries[2][~positive])
    mass = hits.mass[:, None] * misses.mass
    if mass.size > MOST_OUTCOMES:
        return None
    tp, fn = hits.values()[:, None], misses.values()[None, :]
    b = int(positive.sum())
    cells = np.stack(np.broadcast_arrays(tp, b - tp, fn, positive.size - b - fn))[..., None]
    return _folded(question, Cells(cells, "binary"), Law((0, 0), mass), convention)


def _folded(question: Averaged | Measure, cells: Cells, law: Law, convention: Convention) -> Distribution:
    values = np.asarray(evaluate(question, cells, Convention.EXCLUDE))
    return Distribution.of(values.ravel(), law.mass.ravel(), convention, method="exact", assumption=ASSUMPTION)


def _macro_mean(question: Averaged, examples: Examples, convention: Convention, columns: Any) -> float | None:
    """Return the exact mean of a macro average, where it is the average of the means, or None."""
    means = []
    for entries in _columns(examples, columns):
        part = _of_entries(micro(question.measure), entries, convention)
        if part is None or (part.p_undefined > 0 and convention.substitute is None):
            return None  # which classes are averaged then differs between draws
        means.append(part.mean)
    return float(np.mean(means)) if means else None


def _columns(examples: Examples, columns: Any) -> Iterator[NDArray[np.float64]]:
    each = np.arange(examples.n_columns)
    for k in each if columns is None else each[columns]:
        yield _entries(examples, [k])
