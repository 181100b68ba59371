"""The face of a problem of which only sums are kept: it answers what sums can answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.conventions import average, convention_of
from softtruth.engines.moments import UncorrectedMoments, UnkeptMoments
from softtruth.engines.plan import MOST_WITH_MOMENTS, TIED, WEIGHT
from softtruth.engines.rows_of_table import kinds_of_rows
from softtruth.errors import NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures.operators import Averaged, evaluate, exemplar
from softtruth.report.questions import SUBSET_ACCURACY
from softtruth.statistics.cells import Cells
from softtruth.statistics.cluster_sums import ClusterMoments, ClusterSums
from softtruth.statistics.means import Means
from softtruth.statistics.table import Table
from softtruth.uncertainty.bootstrap import replicate_interval
from softtruth.uncertainty.influence import CLUSTERED, INDEPENDENT
from softtruth.uncertainty.interval import checked_level, wald
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.resampling import drawn_as_table, resample
from softtruth.uncertainty.whole_rows import share_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.conventions import Convention
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Operator
    from softtruth.statistics.evidence import Evidence
    from softtruth.statistics.moments import Moments
    from softtruth.statistics.replicate_sums import ReplicateSums
    from softtruth.uncertainty.interval import Interval


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
        self.unkept = clusters is None and moments is None and not hard and len(evidence.labels) > MOST_WITH_MOMENTS
        if self.unkept:
            moments = UnkeptMoments(sums.examples, np.zeros(0), np.zeros((0, 0)))
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
        self._crisp = crisp and sums.statistic.coupling == "hardened"

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
        if self.unkept:
            return self._moments
        return None if isinstance(self._moments, UncorrectedMoments) else super().moments_of(k)

    @property
    def effective_size(self) -> float | None:
        """How many examples of equal weight say as much as the weighted ones (Kish); None without weights."""
        shares = self._sums.means.get(WEIGHT)
        return None if shares is None or not shares.defined.shares2 else 1 / shares.defined.shares2

    def without_clusters(self) -> IndicatorMatrix | None:
        """Return the matrix of independent examples, where counts alone say how those vary."""
        if self._corrected or not isinstance(self.statistic, Table) or self.task == "multilabel":
            return None
        return IndicatorMatrix.of(self.statistic, labels=self.labels)

    def subset_accuracy(self, convention: str = "exclude") -> float:
        """Return the share of rows that are right in full; see ``IndicatorMatrix.subset_accuracy``."""
        if self.task != "multilabel":
            return super().subset_accuracy(convention)
        return self._whole_rows().value(convention_of(convention))

    def subset_interval(self, convention: str = "exclude", *, level: float = 0.95) -> Interval:
        """Return the share of rows that are right in full, with its interval."""
        if self.task != "multilabel":
            return super().subset_interval(convention, level=level)
        means, rule = self._whole_rows(), convention_of(convention)
        if self._clusters is None:
            return share_interval(
                means, rule, checked_level(level), weighted=self._evidence.settings["weight"] is not None
            )
        error = self._clusters.mean_and_error(SUBSET_ACCURACY, rule.substitute)[1]
        return wald(means.value(rule), error, checked_level(level), (0.0, 1.0), assumption=CLUSTERED)

    def _whole_rows(self) -> Means:
        if not self._crisp:
            msg = (
                "subset_accuracy of soft multilabel data depends on how the labels of a row hang together, which is "
                "not known; use label_accuracy."
            )
            raise NotAnswerableError(msg)
        if SUBSET_ACCURACY not in self._sums.means:
            msg = (
                f"{SUBSET_ACCURACY} was not counted while the rows went by; name it in measures= before the data are "
                "read."
            )
            raise NotAnswerableError(msg)
        return self._sums.means[SUBSET_ACCURACY]

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
            known = ", ".join(kept for kept in self._sums.means if kept != WEIGHT) or "none"
            msg = (
                f"exemplar {name} was not counted while the rows went by ({known} were); name it in measures= before "
                "the data are read."
            )
            raise NotAnswerableError(msg)
        return found

    def _means_of_table(self, measure: Measure) -> Means | None:
        """Return the means of hard multiclass data: a row is right or wrong, inside or outside the subset."""
        if not self._tells_rows:
            return None
        values, counts = kinds_of_rows(measure, self.table.masses, self.taking_part)
        return Means.of_counts(values, counts)

    @property
    def _tells_rows(self) -> bool:
        """Whether the table says what each row was."""
        table = self.statistic
        return isinstance(table, Table) and table.counts and self.task == "multiclass" and self._clusters is None

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
        if method == "percentile" and not self._plain:
            return self._percentile(question, convention_of(convention), checked_level(level), Draws(draws, seed))
        if method == "percentile" and isinstance(question, Averaged) and question.operator is exemplar:
            return self._of_drawn_rows(question, convention_of(convention), checked_level(level), Draws(draws, seed))
        found = super().interval(
            measure, operator, convention=convention, level=level, method=method, draws=draws, seed=seed
        )
        return replace(found, assumption=assumption)

    @property
    def _plain(self) -> bool:
        """Whether a bootstrap draws the table: counts of independent examples are all that was kept."""
        alone = self._sums.replicates is None and self._moments is None and self._clusters is None
        return alone and not self._corrected and drawn_as_table(self.statistic)

    def replicates(self, draws: int = 2000, seed: int = 0) -> Table | Cells:
        """Return what was drawn while the rows went by; a table of plain counts is drawn now.

        Raises
        ------
        NotAnswerableError
            If neither is there, or other draws were made.
        """
        if self._plain:
            return super().replicates(draws, seed)
        drawn = self._drawn(Draws(draws, seed))
        return Cells(drawn.cells, self.task, self.coupling)

    def _drawn(self, draws: Draws) -> ReplicateSums:
        kept, found = self._evidence.settings.get("replicates"), self._sums.replicates
        if found is None or kept is None:
            msg = (
                "no replicates were drawn while the rows went by; ask for interval='percentile' (--interval "
                "percentile) before the data are read."
            )
            raise NotAnswerableError(msg)
        if (kept["draws"], kept["seed"]) != (draws.count, draws.seed):
            msg = (
                f"{kept['draws']} draws of seed {kept['seed']} were made while the rows went by, and {draws} are asked "
                "for; ask for the same."
            )
            raise NotAnswerableError(msg)
        return found

    def _percentile(self, question: Any, rule: Convention, level: float, draws: Draws) -> Interval:
        """Return the interval of the replicates that were drawn by item, or by cluster."""
        drawn = self._drawn(draws)
        if isinstance(question, Averaged) and question.operator is exemplar:
            name = question.measure.name
            value = self.means(question.measure).value(rule)
            if name not in drawn.numbers:
                msg = f"no replicates of exemplar {name} were drawn while the rows went by; name it in measures=."
                raise NotAnswerableError(msg)
            values = drawn.means(name, rule.substitute)
        else:
            value = float(evaluate(question, self.statistic, rule, self.taking_part))
            values = np.asarray(evaluate(question, self.replicates(draws.count, draws.seed), rule, self.taking_part))
        return self._spanned(value, values, level, f"percentile poisson {draws}")

    def _of_drawn_rows(self, question: Averaged, rule: Convention, level: float, draws: Draws) -> Interval:
        """Return the interval of an average over rows that the table tells, from tables that are drawn."""
        value = self.means(question.measure).value(rule)  # refuses where the table does not tell
        drawn = resample(self.table, draws.count, draws.seed).table
        values = average(*kinds_of_rows(question.measure, drawn.masses, self.taking_part), rule)
        return self._spanned(value, np.asarray(values), level, f"percentile multinomial {draws}")

    def _spanned(self, value: float, values: NDArray[np.float64], level: float, described: str) -> Interval:
        assumption = INDEPENDENT if self._clusters is None else CLUSTERED
        return replicate_interval(value, values, level=level, described=described, assumption=assumption)


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
