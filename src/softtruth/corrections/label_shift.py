"""Is it label shift at all? A test of the assumption from the target's scores.

Under label shift the target's scores are a mixture of the source's scores within each class: with F_kb the share of
class k in score bin b and G_b that of the target, ``G = F' q`` for some prior q of the simplex. With more bins than
classes this can fail, and how far it fails is measured as in the generalised method of moments: the smallest weighted
square distance over q, with the sampling error of both sides in the weights, is chi-squared with (bins - classes)
degrees of freedom. A frequency that the edge of the simplex holds at zero is not free to fit, and gives one more.

Sources: Hansen 1982, Econometrica 50:1029, doi:10.2307/1912775 (the statistic and its law); Lipton, Wang & Smola 2018,
ICML, PMLR 80 (the mixture).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.arguments import checked
from softtruth.corrections.target import Transfer, transfer_of
from softtruth.uncertainty.mcnemar import p_words
from softtruth.uncertainty.pulls import clusterings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.statistics.examples import Examples

_EXPECTED = 10  # examples that a bin should hold in each sample
_BINS = 10  # of a column of scores, at most
_ROUNDS = 4  # weights and prior depend on each other


@dataclass(frozen=True)
class LabelShiftTest:
    """How well some prior explains the target's scores.

    Attributes
    ----------
    statistic : float
        The distance that the best prior leaves; the largest over the labels of multilabel data.
    degrees : int
        Of freedom: bins less classes.
    p_value : float
        How often label shift leaves as much or more; over m labels the smallest times m (Bonferroni).
    per_label : tuple of LabelShiftTest
        One for each label of multilabel data.
    bins : int
    """

    statistic: float
    degrees: int
    p_value: float
    bins: int
    per_label: tuple[LabelShiftTest, ...] = ()

    @property
    def refuted(self) -> bool:
        """Whether the scores say, at the level 0.05, that no prior explains them."""
        return self.p_value < 0.05

    @property
    def verdict(self) -> str:
        """In words, at the level 0.05."""
        if np.isnan(self.p_value):
            return "not testable: too few scores, or too few different ones"
        p = p_words(self.p_value)
        return f"{'' if self.refuted else 'not '}refuted by the target's scores, p {p if p[0] == '<' else f'= {p}'}"

    def __str__(self) -> str:
        """Return verdict and statistic in one line."""
        return f"label shift: {self.verdict} (chi2 = {self.statistic:.3g}, {self.degrees} df)"


@checked
def label_shift_test(problem: Any, target: Any, *, prediction_kind: str = "auto") -> LabelShiftTest:
    """Do the source's classes, mixed at some prior, explain the target's scores?

    A small p-value says that no prior does: the classes themselves look different in the target, and numbers under
    label shift are not to be trusted there. A large one says that the scores do not show it, not that it is so: a
    change that the scores do not see is not found.

    Parameters
    ----------
    problem : IndicatorMatrix
        The labelled source, with probabilities: ``coupling="independent"``.
    target : array-like
        The predicted probabilities of the target.
    prediction_kind : str
        As in ``IndicatorMatrix``.

    Returns
    -------
    LabelShiftTest

    Raises
    ------
    InputError
        If either side holds decisions, which some prior always explains.

    Examples
    --------
    >>> import numpy as np
    >>> from softtruth import IndicatorMatrix, label_shift_test
    >>> rng = np.random.default_rng(0)
    >>> def sample(n, prevalence, distance):
    ...     y = rng.random(n) < prevalence
    ...     return y.astype(int), 1 / (1 + np.exp(-rng.normal(np.where(y, distance, -1.0), 1.0)))
    >>> y, p = sample(1000, 0.5, 1.0)
    >>> source = IndicatorMatrix(y, p, task="binary", coupling="independent")
    >>> print(label_shift_test(source, sample(1000, 0.1, 1.0)[1]).verdict[:11])
    not refuted
    >>> print(label_shift_test(source, sample(1000, 0.1, 3.0)[1]).verdict[:11])
    refuted by
    """
    transfer = transfer_of(problem, target, prediction_kind)
    transfer.probabilities("the test of label shift")
    return judged(transfer)


def judged(transfer: Transfer) -> LabelShiftTest:
    """Return the test of a source and a target that hold probabilities."""
    examples = transfer.source.statistic
    source, target = transfer.probabilities("the test of label shift")
    y = np.asarray(examples.sides(slice(0, len(examples)))[0], np.float64)
    weight = np.ones(len(y)) if examples.weight is None else examples.weight
    if transfer.source.by_table:
        return _test(*_class_bins(source, target), y, weight, examples)
    each = []
    for column in range(y.shape[1]):
        both = np.stack([1 - y[:, column], y[:, column]], axis=1)
        counted = weight if examples.mask is None else weight * examples.mask[:, column]
        bins = _score_bins(source[:, column], target[:, column], _BINS)
        each.append(_test(*bins, both, counted, examples))
    if len(each) == 1:
        return each[0]
    known = [t for t in each if not np.isnan(t.p_value)]
    if not known:
        return LabelShiftTest(np.nan, 0, np.nan, 0, tuple(each))
    worst = min(known, key=lambda t: t.p_value)
    return LabelShiftTest(worst.statistic, worst.degrees, min(1.0, len(known) * worst.p_value), worst.bins, tuple(each))


def _score_bins(
    source: NDArray[np.float64], target: NDArray[np.float64], most: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the bin of each score: quantiles of both samples, each counting the same, that hold enough of both."""
    count = int(min(most, len(source) // _EXPECTED, len(target) // _EXPECTED))
    if count < 2:
        return np.zeros(len(source), int), np.zeros(len(target), int)
    steps = np.linspace(0, 1, count + 1)[1:-1]
    edges = np.unique((np.quantile(source, steps) + np.quantile(target, steps)) / 2)
    return _merged(np.searchsorted(edges, source, "right"), np.searchsorted(edges, target, "right"))


def _merged(source: NDArray[Any], target: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the bins with thin ones joined to the next, and the last thin one to the one before."""
    size = int(max(source.max(), target.max())) + 1
    least = np.minimum(np.bincount(source, minlength=size), np.bincount(target, minlength=size))
    code, held, codes = 0, 0, np.zeros(size, int)
    for b in range(size):
        codes[b] = code
        held += least[b]
        if held >= _EXPECTED:
            code, held = code + 1, 0
    codes = np.minimum(codes, max(code - 1, 0))
    return codes[source], codes[target]


def _class_bins(source: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return bins by the most probable class, and within it by how probable it is."""
    tops = [side.argmax(axis=1) for side in (source, target)]
    heights = [side.max(axis=1) for side in (source, target)]
    found = [np.zeros(len(top), int) for top in tops]
    start = 0
    for k in range(source.shape[1]):
        here = [top == k for top in tops]
        if not (here[0].any() and here[1].any()):
            for codes, mine in zip(found, here, strict=True):
                codes[mine] = start
            start += 1
            continue
        bins = _score_bins(heights[0][here[0]], heights[1][here[1]], 4)
        for codes, mine, mine_bins in zip(found, here, bins, strict=True):
            codes[mine] = start + mine_bins
        start += 1 + int(max(b.max() for b in bins))
    return _merged(*found)


def _test(
    source: NDArray[Any], target: NDArray[Any], y: NDArray[np.float64], weight: NDArray[np.float64], examples: Examples
) -> LabelShiftTest:
    """Return the test for bins of the scores, and degrees and weights of the source."""
    from scipy.stats import chi2

    count, k = int(max(source.max(), target.max())) + 1, y.shape[1]
    degrees = count - k
    if degrees < 1:
        return LabelShiftTest(np.nan, max(degrees, 0), np.nan, count)
    inside = np.equal.outer(source, np.arange(count)).astype(np.float64)
    sizes = weight @ y
    rates = (y * weight[:, None]).T @ inside / sizes[:, None]
    observed = np.bincount(target, minlength=count) / len(target)
    spread = (np.diag(observed) - np.outer(observed, observed)) / len(target)
    q = sizes / sizes.sum()
    statistic = np.nan
    for _ in range(_ROUNDS):
        root = _root(spread + _mixture_spread(inside, rates, y / sizes * q, weight, examples))
        q, statistic = _nearest(root @ rates.T, root @ observed)
    degrees = count - int(np.count_nonzero(q))  # a frequency that the edge holds at zero was not free to fit
    return LabelShiftTest(statistic, degrees, float(chi2.sf(statistic, degrees)), count)


def _root(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a matrix whose square is the inverse of the spread, in the directions in which there is any."""
    values, vectors = np.linalg.eigh(spread)
    kept = values > 1e-10 * values[-1]
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])).T)


def _nearest(mixtures: NDArray[np.float64], observed: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the prior in the simplex whose mixture is nearest, and the squared distance that it leaves."""
    from scipy.optimize import nnls

    # The shares of all bins sum to one on both sides, so that the sum of the prior has no error: it weighs most.
    heavy = 1e4 * np.abs(mixtures).max()
    system = np.vstack([mixtures, np.full((1, mixtures.shape[1]), heavy)])
    q = nnls(system, np.append(observed, heavy))[0]
    left = observed - mixtures @ q
    return q, float(left @ left)


def _mixture_spread(
    inside: NDArray[np.float64],
    rates: NDArray[np.float64],
    share: NDArray[np.float64],
    weight: NDArray[np.float64],
    examples: Examples,
) -> NDArray[np.float64]:
    """Return the covariance of the mixture (bins, bins), over other samples of the source."""
    pulls = weight[:, None] * (share.sum(axis=1, keepdims=True) * inside - share @ rates)
    return np.sum([sign * added.T @ added for sign, added in clusterings(pulls, examples.clusters)], axis=0)
