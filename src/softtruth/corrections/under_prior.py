"""What would this measure be at another prior? ``under_prior`` and the result that answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._version import __version__
from softtruth.conventions import convention_of
from softtruth.corrections.prior_error import own_interval, slopes_at, variance_at
from softtruth.corrections.priors import LABEL_SHIFT, Source
from softtruth.corrections.replicates import values_in_replicates
from softtruth.corrections.shift import shifted
from softtruth.corrections.target_prior import PriorEstimate
from softtruth.errors import InputError, listed, shown
from softtruth.measures.catalogue import operator_of_parts, parse
from softtruth.measures.operators import Averaged, Operator, formula_of, parts_of
from softtruth.statistics.cells import Counts
from softtruth.statistics.examples import Examples
from softtruth.uncertainty.bootstrap import replicate_interval
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT, why_unknown
from softtruth.uncertainty.interval import Interval, checked_level, wald
from softtruth.uncertainty.keyed import Draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.corrections.shift import Shift
    from softtruth.measures.measure import Measure


def under_prior(problem: Any, prior: Any) -> UnderPrior:
    """What would the measures be if the classes were more or less frequent?

    The rates within each reference class are kept and only the class sizes change: label shift. It holds where the
    examples of a class look the same in both settings, and not where a change of frequency changes what they look like.
    With the prior of the data every measure, operator and convention gives the very same number.

    Parameters
    ----------
    problem : IndicatorMatrix, Table or Cells
        The data: binary, multiclass or multilabel, hard or soft with product cells. Cells suffice for binary and
        multilabel data.
    prior : float, array-like, mapping or PriorEstimate
        Binary: the prevalence of the positive class, or the frequencies (negative, positive). Multiclass: the frequency
        of each class, summing to one (it is not renormalised). Multilabel: one prevalence for each label. A mapping,
        and a pandas Series whose index is not only counted, go by class names; classes that it leaves out share what is
        left as they do in the data, labels that do not exclude each other keep their own. A ``PriorEstimate`` takes its
        own error into every interval.

    Returns
    -------
    UnderPrior
        With ``compute``, ``interval``, ``accuracy``, ``counts``, ``per_class`` and ``parts``.

    Raises
    ------
    InputError
        If the prior is none, or gives a positive frequency to a class that does not occur: its rates are unknown.
    NotAnswerableError
        For cells of more than two classes, masked multiclass data, ordinal thresholds, and couplings of soft references
        other than independence.

    Examples
    --------
    >>> import numpy as np
    >>> from softtruth import IndicatorMatrix, under_prior
    >>> y = np.array([1] * 80 + [0] * 120)
    >>> p = np.array([1] * 60 + [0] * 20 + [1] * 30 + [0] * 90)
    >>> im = IndicatorMatrix(y, p, task="binary")
    >>> shifted = under_prior(im, 0.05)
    >>> round(im.compute("precision"), 3), round(shifted.compute("precision"), 3)
    (0.667, 0.136)
    >>> shifted.compute("recall") == im.compute("recall")
    True
    >>> print(shifted.interval("precision"))
    0.136 [0.101, 0.181] sampling 95%

    Sources: Saerens, Latinne & Decaestecker 2002, Neural Comput. 14:21, doi:10.1162/089976602753284446; Vucetic &
    Obradovic 2001, ECML, doi:10.1007/3-540-44795-4_37.
    """
    source = Source.of(problem)
    estimate = prior if isinstance(prior, PriorEstimate) else None
    if estimate is not None:
        estimate.check_labels(source.labels)
        prior = estimate.prior
    return UnderPrior(problem, shifted(source, source.checked(prior)), estimate)


@dataclass(frozen=True, eq=False)
class UnderPrior:
    """One problem at another prior.

    Attributes
    ----------
    problem : IndicatorMatrix, Table or Cells
        As it was given.
    shift : Shift
        The statistic at the other prior.
    estimate : PriorEstimate, optional
        Where the prior was estimated.
    """

    problem: Any
    shift: Shift
    estimate: PriorEstimate | None = None

    @property
    def prior(self) -> Any:
        """The prior that is asked about: a float for binary data."""
        return _plain(self.shift.priors, self.shift.source)

    @property
    def own_prior(self) -> Any:
        """The prior of the data."""
        return _plain(self.shift.source.prior, self.shift.source)

    @property
    def weights(self) -> NDArray[np.float64]:
        """What an example of each class counts: (K,), for binary data (negative, positive), for labels (2, m).

        An example of a soft reference counts by the mean of these over its classes.
        """
        factors = self.shift.factors
        if self.shift.source.by_table:
            return factors
        return factors[::-1, 0] if self.shift.source.statistic.task == "binary" else factors[::-1]

    def compute(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> float:
        """What is the value of this measure at this prior? See ``IndicatorMatrix.compute``.

        Raises
        ------
        NotAnswerableError
            For ``exemplar``, which depends on the single examples.
        """
        return float(self.shift.values(_question(measure, operator), convention))

    def accuracy(self) -> float:
        """Which share of the examples would get its class right?"""
        return self.compute("accuracy")

    @property
    def counts(self) -> Counts:
        """The four masses, pooled over the classes that take part; their total is that of the data."""
        pooled = self._cells.subset(self.shift.source.columns).pooled
        return Counts(*(float(x) for x in np.asarray(pooled.masses)[:, 0]))

    def per_class(self) -> NDArray[np.float64]:
        """Return the masses tp, fp, fn, tn of every class, shape (K, 4)."""
        return np.asarray(self._cells.masses).T

    @property
    def _cells(self) -> Any:
        """The cells at this prior, in the size of the data."""
        if self.shift.own:
            return self.shift.source.statistic.cells
        cells = self.shift.cells
        factor = self.shift.source.size_factor
        return cells if factor == 1 else replace(cells, masses=cells.masses / factor)

    def parts(self, measure: str | Measure | Averaged, operator: str | Operator | None = None) -> NDArray[np.float64]:
        """Return the values that ``compute`` averages: per class (macro, weighted), or one (micro).

        Per class, unless the measure or ``operator`` names another operator.
        """
        question = _question(measure, operator_of_parts(measure, operator))
        found = self.shift.parts(question)[0]  # refuses exemplar
        if self.shift.own:
            found = parts_of(question, self.shift.source.statistic, self.shift.source.columns)[0]
        return np.asarray(found)

    def interval(
        self,
        measure: str | Measure | Averaged,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
        level: float = 0.95,
        method: str = "influence",
        draws: int = 2000,
        seed: int = 0,
    ) -> Interval:
        """How sure is this value, over other samples of the examples (and of the target, for an estimated prior)?

        The rates within the classes vary, the class sizes are those of the prior. An estimated prior adds its own
        error, with what it shares with the rates, and ``source`` is then "prior". A value that no prior can move has
        the interval of the data.

        Parameters
        ----------
        measure, operator, convention, level
            As in ``IndicatorMatrix.interval``.
        method : {"influence", "percentile"}
            Linearisation (the delta method), or the quantiles of values in other samples of source and target together.
        draws, seed : int
            Of the samples.

        Raises
        ------
        NotAnswerableError
            For ``exemplar``.
        """
        question = _question(measure, operator)
        found, level = convention_of(convention), checked_level(level)
        source, statistic = self.shift.source, self.shift.source.statistic
        value = float(self.shift.values(question, found))  # refuses exemplar
        clusters = isinstance(statistic, Examples) and statistic.clusters is not None
        assumption = f"{CLUSTERED if clusters else INDEPENDENT}; {LABEL_SHIFT}"
        moved = not self.shift.stays(question)
        if moved and self.estimate is not None:
            assumption += f"{self.estimate.verdict}; {self.estimate.caveat}"
        varies = "prior" if moved and self.estimate is not None else "sampling"
        if method == "percentile":
            lot = Draws(draws, seed)
            values, outside = values_in_replicates(question, self.shift, self.estimate, found, lot)
            described = f"percentile bootstrap {lot}"
            interval = replicate_interval(
                value, values, level=level, described=described, source=varies, assumption=assumption
            )
            if not outside:
                return interval
            note = f"{100 * outside:.2g}% of the replicates needed a prior outside the simplex and take the nearest one"
            return replace(interval, note="; ".join(filter(None, [interval.note, note])))
        if method != "influence":
            msg = f"method {shown(method)} is not known; expected one of {listed(['influence', 'percentile'])}."
            raise InputError(msg)
        if not moved:
            return replace(own_interval(question, source, found, level), assumption=assumption)
        limits = formula_of(question).range
        note = self._why_none()
        if note:
            return Interval(
                value, math.nan, math.nan, level, varies, method="influence", assumption=assumption, note=note
            )
        error = 0.0 if not limits[0] < value < limits[1] else math.sqrt(self._variance(question, found))
        return replace(wald(value, error, level, limits, assumption=assumption), source=varies)

    def _why_none(self) -> str:
        """Return why linearisation gives no interval, if it does not."""
        if self.estimate is not None and self.estimate.why_no_error:
            return self.estimate.why_no_error
        source = self.shift.source
        if isinstance(source.statistic, Examples):
            return ""
        if source.moments is None:
            return why_unknown(source.statistic)
        return _NO_PAIRS if source.by_table else ""

    def _variance(self, question: Averaged | Measure, convention: Convention) -> float:
        own, by_prior = slopes_at(question, self.shift, convention)
        if self.estimate is None:
            return float(variance_at(own, self.shift.source))
        return self.estimate.variance_with(own, by_prior, self.shift.source)

    def signature(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> str:
        """Return the settings that make a number, in one line."""
        numbers = ",".join(f"{x:.6g}" for x in np.atleast_1d(self.prior))
        how = "" if self.estimate is None else f" prior-by={self.estimate.method}"
        if hasattr(self.problem, "signature"):
            head, _, version = self.problem.signature(measure, operator, convention).rpartition(" ")
            return f"{head} prior={numbers}{how} {version}"
        question = _question(measure, operator)
        words = f"{question} task={self.shift.source.statistic.task} 0/0={convention_of(convention)}"
        return f"{words} prior={numbers}{how} softtruth={__version__}"

    def __repr__(self) -> str:
        """Return what was asked, in one line."""
        return f"UnderPrior({self.problem!r}, prior={self.prior!r})"


_NO_PAIRS = "moments of the cells do not say how examples of a class that were taken for others vary; keep the examples"


def _question(measure: Any, operator: str | Operator) -> Averaged | Measure:
    return parse(measure, operator.name if isinstance(operator, Operator) else operator)


def _plain(prior: NDArray[np.float64], source: Source) -> Any:
    return float(prior[0]) if source.statistic.task == "binary" else prior
