"""How rows become evidence: everything that is settled before the first row, the same on every worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from softtruth.errors import InputError, shown
from softtruth.statistics.coupling import HARDENED, coupling_of
from softtruth.statistics.table import LARGEST_TABLE
from softtruth.uncertainty.keyed import Draws

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.engines.filters import Filter

Kind = Literal["labels", "distribution", "votes", "vote_list", "probabilities", "scores"]
IN_REFERENCE, IN_PREDICTION = "softtruth:in reference", "softtruth:in prediction"  # columns of a join
ITEM = "softtruth:item"
ONLY_PREDICTED, ONLY_REFERENCE = "in the predictions only", "in the reference only"  # of items that were left out
REPEATS = "softtruth:repeats"  # how often an item stood on a side where it may stand once
VOTES = "softtruth:votes"  # the labels that an item got, as a list
SLOTS = 32  # of clusters, at most: on a cluster of machines each is put together by one task
FILTERED = "left out by --where"
MOST_WITH_MOMENTS = 512  # classes: second moments of all their cells take 32 MiB, and grow with the square
MOST_REPLICATED = 1 << 19  # values of the replicates of one look: four megabytes
WEIGHT = "softtruth:weight"  # the means whose shares say how many equal examples the weights amount to
TIED = "tied between their most likely classes"


class Source(NamedTuple):
    """The columns of one side, and what they hold."""

    kind: Kind
    columns: tuple[str, ...]
    changes: tuple[tuple[str, str], ...] = ()  # of the names of classes: old and new


class Look(NamedTuple):
    """One prediction in one view: hardened or not, against the majority or the reference as it is."""

    prediction: str
    view: str
    majority: bool
    soft: bool


@dataclass(frozen=True)
class Plan:
    """Which columns are what, and what is kept of them. Nothing in it but names and numbers, so that it travels.

    Attributes
    ----------
    task : {"binary", "multiclass", "multilabel"}
    labels : tuple
        Class names in their order; for binary data negative, then positive.
    reference : Source
    predictions : tuple of (name, Source)
    threshold : float
    weight, cluster : str, optional
        Columns.
    coupling, tnorm : str, optional
        How soft sides meet in the soft view; independently by default.
    ties : {"share", "first", "drop"}
        What the majority reference makes of a tied item.
    subset : tuple, optional
        The classes that take part in averages.
    ignore : tuple of str
        Reference labels to leave out.
    exemplars : tuple of str
        Measures that are averaged over examples, and ``subset_accuracy``.
    draws, seed : int
        Replicates that are drawn where counts alone do not give a bootstrap; none by default.
    unit : str, optional
        The column whose values are drawn as one, for replicates: items, or clusters.
    filters : tuple of Filter
        Which rows take part; ``where`` are the words of all filters, those of a join included.
    normalize, drop_missing : bool
        Whether rows of shares are divided by their sums, and rows without a prediction left out.
    joined : bool
        Whether the rows come out of a join, with columns that say which side an item was on.
    """

    task: str
    labels: tuple[Any, ...]
    reference: Source
    predictions: tuple[tuple[str, Source], ...]
    threshold: float = 0.5
    weight: str | None = None
    cluster: str | None = None
    coupling: str | None = None
    tnorm: str | None = None
    ties: str = "share"
    subset: tuple[Any, ...] | None = None
    ignore: tuple[str, ...] = ()
    exemplars: tuple[str, ...] = ()
    draws: int = 0
    seed: int = 0
    unit: str | None = None
    filters: tuple[Filter, ...] = ()
    where: tuple[str, ...] = ()
    normalize: bool = False
    drop_missing: bool = False
    joined: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be counted from batches."""
        if self.task not in {"binary", "multiclass", "multilabel"}:
            msg = (
                f"task is {shown(self.task)}; streams need to know it before the first row: 'binary', 'multiclass' or "
                "'multilabel'."
            )
            raise InputError(msg)
        coupling_of(self.tnorm, self.coupling)
        if self.cluster is not None and len(self.labels) > MOST_WITH_MOMENTS:
            size = (4 * len(self.labels)) ** 2 * 8 / 2**30
            msg = (
                f"intervals between clusters need the second moments of all cells, which for {len(self.labels):,} "
                f"classes take {size:,.2f} GiB ({MOST_WITH_MOMENTS:,} classes at most); leave cluster= (--cluster) "
                "out, or look at a sample in memory."
            )
            raise InputError(msg)
        if self.draws:
            Draws(self.draws, self.seed)
            columns = 1 if self.task == "binary" else len(self.labels)
            if 4 * columns * self.draws > MOST_REPLICATED and any(map(self.replicated, self.looks)):
                most = MOST_REPLICATED // (4 * columns)
                instead = f"ask for {most:,} draws at most, or" if most >= 100 else "ask"
                msg = (
                    f"{self.draws:,} replicates of the cells of {columns:,} classes are more than a stream keeps; "
                    f"{instead} for the influence interval."
                )
                raise InputError(msg)

    def replicated(self, look: Look) -> bool:
        """Whether the replicates of a look must be drawn while the rows go by: its table does not say them."""
        several = self.task == "multilabel"
        told_apart = self.weight is not None or self.cluster is not None or len(self.labels) > LARGEST_TABLE
        return bool(self.draws) and (several or told_apart or look.soft or self.soft_reference)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        names = [*self.reference.columns, *(c for _, source in self.predictions for c in source.columns)]
        more = [c for c in (self.weight, self.cluster, self.unit, *(f.column for f in self.filters)) if c is not None]
        return list(dict.fromkeys([*names, *more, *((IN_REFERENCE, IN_PREDICTION, REPEATS) if self.joined else ())]))

    @property
    def width(self) -> int:
        """How many values a row has, about."""
        sources = (self.reference, *(source for _, source in self.predictions))
        lists = [s for s in sources if s.kind != "labels" and len(s.columns) == 1 and self.task != "binary"]
        return len(self.columns) + len(lists) * len(self.labels)

    @property
    def soft_reference(self) -> bool:
        """Whether the reference has doubts."""
        return self.reference.kind != "labels"

    @property
    def given(self) -> dict[str, Any]:
        """How soft sides meet, as ``IndicatorMatrix`` takes it."""
        if self.tnorm is not None:
            return {"tnorm": self.tnorm}
        return {"coupling": self.coupling or "independent"}

    @property
    def looks(self) -> list[Look]:
        """Every prediction in every view that the reference calls for: as `evaluate` does it."""
        asked = coupling_of(self.tnorm, self.coupling) is not HARDENED
        if not self.soft_reference:
            return [Look(name, "reference", majority=False, soft=asked) for name, _ in self.predictions]
        found = []
        probable = any(source.kind == "probabilities" for _, source in self.predictions)
        for name, source in self.predictions:
            found.append(Look(name, "majority", majority=True, soft=False))
            found.append(Look(name, "soft", majority=False, soft=source.kind == "probabilities"))
            found += [Look(name, "soft_decision", majority=False, soft=False)] if probable else []
        return found

    @property
    def plain(self) -> bool:
        """Whether every row is a pair of hard labels that counts once, so that a table is all there is to keep."""
        sides = (self.reference, *(source for _, source in self.predictions))
        hard = all(side.kind == "labels" and len(side.columns) == 1 for side in sides)
        return hard and self.task != "multilabel" and self.weight is None and self.cluster is None

    def settings(self) -> Mapping[str, Any]:
        """Return what made the evidence, as JSON values; files and rows are no part of it."""
        sides = (self.reference, *(source for _, source in self.predictions))
        return {
            "task": self.task,
            "labels": list(self.labels),
            "reference": self.reference.kind,
            "predictions": {name: source.kind for name, source in self.predictions},
            "threshold": self.threshold,
            "weight": self.weight,
            "cluster": self.cluster,
            "coupling": self.coupling,
            "tnorm": self.tnorm,
            "ties": self.ties,
            "subset": None if self.subset is None else list(self.subset),
            "ignore": list(self.ignore),
            "exemplars": list(self.exemplars),
            "where": list(self.where),
            "map": sorted({f"{old}={new}" for side in sides for old, new in side.changes}),
            "normalize": self.normalize,
            "drop_missing": self.drop_missing,
            "replicates": {"draws": self.draws, "seed": self.seed} if self.draws else None,
        }
