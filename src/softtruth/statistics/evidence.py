"""What a stream keeps: sums for each prediction in each view, with the settings that made them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, shown
from softtruth.statistics.cluster_sums import ClusterMoments, ClusterSums
from softtruth.statistics.means import Means
from softtruth.statistics.moments import Moments
from softtruth.statistics.replicate_sums import ReplicateSums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.statistics.cells import Cells
    from softtruth.statistics.table import Table


@dataclass(frozen=True, eq=False)
class Sums:
    """What is kept of one prediction in one view; sums of disjoint data add.

    Attributes
    ----------
    statistic : Table or Cells
    moments : Moments, optional
        Where counts alone do not say how much they vary: soft or weighted data, labels that hold together.
    means : mapping of str to Means
        Of the measures that are averaged over examples.
    clusters : ClusterSums or ClusterMoments, optional
        Where intervals are between clusters.
    examples : int
        How many examples count.
    tied : int
        How many predictions had more than one top class.
    replicates : ReplicateSums, optional
        Where a bootstrap was asked for that the counts alone do not give.
    """

    statistic: Table | Cells
    moments: Moments | None = None
    means: Mapping[str, Means] = field(default_factory=dict)
    clusters: ClusterSums | ClusterMoments | None = None
    examples: int = 0
    tied: int = 0
    replicates: ReplicateSums | None = None

    def __add__(self, other: Sums) -> Sums:
        """Return the sums of both data together.

        Raises
        ------
        InputError
            If they do not keep the same things.
        """
        if not isinstance(other, Sums):
            return NotImplemented
        mine, theirs = _kept(self), _kept(other)
        if mine != theirs:
            msg = f"sums that keep {', '.join(mine)} and sums that keep {', '.join(theirs)} do not add."
            raise InputError(msg)
        statistic: Any = self.statistic
        moments: Any = self.moments
        clusters: Any = self.clusters
        replicates: Any = self.replicates
        return Sums(
            statistic + other.statistic,
            None if moments is None else moments + other.moments,
            {name: mean + other.means[name] for name, mean in self.means.items()},
            None if clusters is None else clusters + other.clusters,
            self.examples + other.examples,
            self.tied + other.tied,
            None if replicates is None else replicates + other.replicates,
        )

    def __radd__(self, other: Any) -> Sums:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


def _kept(sums: Sums) -> list[str]:
    kept = (sums.statistic, sums.moments, sums.clusters, sums.replicates)
    parts = [type(part).__name__ for part in kept if part is not None]
    return [*parts, *sorted(sums.means)]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that was counted of some rows, for any number of predictions and views; evidence of other rows adds.

    Attributes
    ----------
    settings : mapping
        What made the numbers, as JSON values: task, labels, threshold, coupling, columns. Only evidence of the same
        settings adds.
    sums : mapping of (prediction, view) to Sums
    rows : int
        How many rows were read.
    left_out : mapping of str to int
        How many of them do not count, by reason.
    """

    settings: Mapping[str, Any]
    sums: Mapping[tuple[str, str], Sums]
    rows: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def predictions(self) -> tuple[str, ...]:
        """The names of the predictions."""
        return tuple(self.settings["predictions"])

    @property
    def labels(self) -> tuple[Any, ...]:
        """The class names in their order."""
        return tuple(self.settings["labels"])

    def __add__(self, other: Evidence) -> Evidence:
        """Return the evidence of both data together.

        Raises
        ------
        InputError
            If a setting differs; it is named.
        """
        if not isinstance(other, Evidence):
            return NotImplemented
        for key in sorted({*self.settings, *other.settings}):
            mine, theirs = self.settings.get(key), other.settings.get(key)
            if mine != theirs:
                msg = f"evidence with {key} {shown(mine)} and {shown(theirs)} does not add; count both with the same."
                raise InputError(msg)
        if set(self.sums) != set(other.sums):
            msg = f"evidence of {sorted(self.sums)} and of {sorted(other.sums)} does not add."
            raise InputError(msg)
        reasons = {*self.left_out, *other.left_out}
        return Evidence(
            self.settings,
            {key: sums + other.sums[key] for key, sums in self.sums.items()},
            self.rows + other.rows,
            {why: self.left_out.get(why, 0) + other.left_out.get(why, 0) for why in sorted(reasons)},
        )

    def __radd__(self, other: Any) -> Evidence:
        """Let ``sum`` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def cluster_values(self) -> int:
        """How many numbers are kept under the names of clusters; 0 where these are gone."""
        found = (one.clusters for one in self.sums.values())
        return sum(int(one.sums.nnz) for one in found if isinstance(one, ClusterSums))

    def settled(self) -> Evidence:
        """Return the evidence with whole clusters turned into moments between them: none of them may come again."""
        sums = {
            key: replace(one, clusters=one.clusters.settled()) if isinstance(one.clusters, ClusterSums) else one
            for key, one in self.sums.items()
        }
        return replace(self, sums=sums)

    def split(self, parts: int) -> list[Evidence]:
        """Return the evidence in parts that share no cluster; everything but clusters stands in the first."""
        empty = self.nothing()
        pieces: list[dict[tuple[str, str], Sums]] = [{} for _ in range(parts)]
        for key, one in self.sums.items():
            if not isinstance(one.clusters, ClusterSums):
                msg = "only evidence with sums for each cluster splits by cluster."
                raise InputError(msg)
            for i, clusters in enumerate(one.clusters.split(parts)):
                pieces[i][key] = replace(one if i == 0 else empty.sums[key], clusters=clusters)
        return [replace(self if i == 0 else empty, sums=piece) for i, piece in enumerate(pieces)]

    def nothing(self) -> Evidence:
        """Return evidence of no rows that keeps the same things: the neutral element of ``+``."""
        return Evidence(self.settings, {key: _nothing(one) for key, one in self.sums.items()})


def _nothing(one: Sums) -> Sums:
    kept: Any = one.statistic
    clusters = one.clusters
    if isinstance(clusters, ClusterSums):
        clusters = replace(clusters, ids=clusters.ids[:0], sums=clusters.sums[:0])
    elif clusters is not None:
        numbers = {name: (0 * first, 0 * second) for name, (first, second) in clusters.numbers.items()}
        clusters = ClusterMoments(Moments.zero(clusters.cells.first.size // 4), numbers)
    return Sums(
        replace(kept, masses=0 * kept.masses),
        None if one.moments is None else Moments.zero(one.moments.first.size // 4),
        {name: Means() for name in one.means},
        clusters,
        replicates=None if one.replicates is None else _no_replicates(one.replicates),
    )


def _no_replicates(one: ReplicateSums) -> ReplicateSums:
    return ReplicateSums.zero(one.cells.shape[1], one.cells.shape[2], tuple(one.numbers))
