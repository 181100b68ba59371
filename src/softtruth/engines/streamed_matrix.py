"""The face of a problem of which only sums are kept: it answers what sums can answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import convention_of
from softtruth.engines.plan import TIED
from softtruth.errors import NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures.operators import Averaged, exemplar
from softtruth.statistics.cells import Cells
from softtruth.statistics.cluster_sums import ClusterMoments, ClusterSums
from softtruth.statistics.means import Means
from softtruth.statistics.moments import Moments
from softtruth.statistics.table import Table
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import checked_level, wald

if TYPE_CHECKING:
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator
    from softtruth.statistics.evidence import Evidence
    from softtruth.uncertainty.interval import Interval


@dataclass(frozen=True, eq=False)
class UncorrectedMoments(Moments):
    """Moments of hard data that count once each: the multinomial variance, without the factor N/(N-1)."""

    def variance(self, gradient: Any) -> Any:
        """Return the variance of a measure with that gradient of the cell totals."""
        return super().variance(gradient) * (self.count - 1) / max(self.count, 1)


class StreamedMatrix(IndicatorMatrix):
    """One prediction in one view, from the sums of a stream.

    Parameters
    ----------
    evidence : Evidence
    prediction, view : str
        Which of its sums.
    """

    def __init__(self, evidence: Evidence, prediction: str, view: str) -> None:
        """Take the sums out of the evidence."""
        sums = evidence.sums[prediction, view]
        settings = evidence.settings
        clusters = sums.clusters.settled() if isinstance(sums.clusters, ClusterSums) else sums.clusters
        weighted = settings["weight"] is not None
        crisp = settings["reference"] == "labels" or (view == "majority" and _without_ties(evidence))
        hard = crisp and sums.statistic.coupling == "hardened" and not weighted
        moments = sums.moments
        if moments is not None and hard:
            together = settings["task"] == "multilabel" and len(evidence.labels) > 1
            moments = UncorrectedMoments(moments.count, moments.first, moments.second) if together else None
        made = IndicatorMatrix.of(
            sums.statistic,
            labels=evidence.labels,
            subset=_subset(evidence),
            moments=moments if clusters is None else clusters.cells,
        )
        self.__dict__.update(made.__dict__)
        self.threshold = float(settings["threshold"])
        self._sums = sums
        self._view = view
        self._clusters = clusters if isinstance(clusters, ClusterMoments) else None
        self._evidence = evidence
        self._corrected = weighted or not hard

    @property
    def n(self) -> int:
        """The number of examples that count."""
        return self._sums.examples

    @property
    def left_out(self) -> dict[str, int]:
        """How many rows do not count, by reason."""
        dropped = self._evidence.settings["ties"] == "drop" and self._view == "majority"
        return {why: n for why, n in self._evidence.left_out.items() if why != TIED or dropped}

    @property
    def tied_predictions(self) -> int:
        """How many rows had more than one top class and went to the first of them."""
        return self._sums.tied

    @property
    def clusters(self) -> int | None:
        """How many clusters there are, where intervals are between them."""
        return None if self._clusters is None else self._clusters.cells.count

    def moments_of(self, k: int) -> Moments | None:
        """Return the second moments of one class; counts of one class say themselves how much they vary."""
        return None if isinstance(self._moments, UncorrectedMoments) else super().moments_of(k)

    def means(self, measure: str | Measure) -> Means:
        """Return the mean of a measure over the examples.

        Raises
        ------
        NotAnswerableError
            If it was not asked for before the stream was counted, and the table does not say it.
        """
        question = self._question(measure, exemplar)
        assert isinstance(question, Averaged)  # noqa: S101  an operator always gives one
        name = question.measure.name
        if name in self._sums.means:
            return self._sums.means[name]
        found = self._means_of_table(question.measure)
        if found is None:
            known = ", ".join(self._sums.means) or "none"
            msg = (
                f"exemplar {name} was not counted while the rows went by ({known} were); name it in measures= before "
                "the data are read."
            )
            raise NotAnswerableError(msg)
        return found

    def _means_of_table(self, measure: Measure) -> Means | None:
        """Return the means of hard multiclass data: a row is right or wrong, inside or outside the subset."""
        table = self.statistic
        if not (isinstance(table, Table) and table.counts and self.task == "multiclass") or self._clusters is not None:
            return None
        k = table.n_classes
        member = np.ones(k, bool)
        if self.taking_part is not None:
            member = np.isin(np.arange(k), self.taking_part)
        size, masses = float(member.sum()), table.masses
        right = np.eye(k, dtype=bool)
        held, given = member[:, None], member[None, :]
        kinds = [right & held, ~right & held & given, held & ~given, given & ~held, ~held & ~given]
        outcomes = [(1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)]
        cells = np.array([[tp, fp, fn, size - tp - fp - fn] for tp, fp, fn in outcomes], float).T
        counts = np.array([float(masses[kind].sum()) for kind in kinds])
        return Means.of_counts(np.asarray(measure(Cells(np.maximum(cells, 0.0), "multilabel"))), counts)

    def compute(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> float:
        """Return the value of a measure; see ``IndicatorMatrix.compute``."""
        question = self._question(measure, operator)
        if isinstance(question, Averaged) and question.operator is exemplar:
            return self.means(question.measure).value(convention_of(convention))
        return super().compute(measure, operator, convention)

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
        """Return the value with its sampling interval; see ``IndicatorMatrix.interval``."""
        question = self._question(measure, operator)
        assumption = INDEPENDENT if self._clusters is None else CLUSTERED
        if method == "influence" and isinstance(question, Averaged) and question.operator is exemplar:
            means, rule = self.means(question.measure), convention_of(convention)
            value = means.value(rule)
            error = means.standard_error(rule, corrected=self._corrected)
            if self._clusters is not None:
                error = self._clusters.mean_and_error(question.measure.name, rule.substitute)[1]
            return wald(value, error, checked_level(level), question.measure.range, assumption=assumption)
        found = super().interval(
            measure, operator, convention=convention, level=level, method=method, draws=draws, seed=seed
        )
        return replace(found, assumption=assumption)


def _without_ties(evidence: Evidence) -> bool:
    return evidence.settings["ties"] != "share" or not evidence.left_out.get(TIED)


def _subset(evidence: Evidence) -> list[Any] | None:
    """Return the classes that take part in averages: those asked for, without those left out."""
    settings = evidence.settings
    ignored = {str(value) for value in settings["ignore"]}
    if settings["task"] == "binary" or (settings["subset"] is None and not ignored & set(map(str, evidence.labels))):
        return None
    chosen = set(map(str, evidence.labels if settings["subset"] is None else settings["subset"]))
    return [label for label in evidence.labels if str(label) in chosen - ignored]
