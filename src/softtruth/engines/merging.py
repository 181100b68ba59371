"""Parts counted by workers, put together: in trees, by cluster where intervals are between clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth.engines.counting import evidence_of, no_evidence, placed
from softtruth.errors import InputError, SofttruthError
from softtruth.statistics.cluster_sums import ClusterMoments
from softtruth.statistics.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from softtruth.engines.plan import Plan

FAN = 8  # parts that are added in one task
MOST_KEPT = 1 << 22  # numbers under the names of clusters that one machine gets: some hundred megabytes


def count_part(plan: Plan, batches: Iterable[pa.RecordBatch], where: str) -> Evidence:
    """Return the evidence of one partition; whatever goes wrong says which one it was.

    Raises
    ------
    InputError
        With the name of the partition.
    """
    try:
        return evidence_of(plan, placed(batches, where))
    except SofttruthError:
        raise
    except Exception as error:
        msg = f"{where} cannot be counted ({type(error).__name__}: {' '.join(str(error).split())[:200]})."
        raise InputError(msg) from error


def pieces_of(plan: Plan, evidence: Evidence, slots: int) -> list[Evidence]:
    """Return a part as pieces for the next stage: one for each slot of clusters, or the part itself."""
    return [evidence] if plan.cluster is None else evidence.split(slots)


def added(parts: Iterable[Evidence | tuple[object, Evidence]], *, slots: int | None = None) -> Evidence:
    """Return the sum of parts.

    Parameters
    ----------
    parts
        Evidence, or pairs of a name and evidence: a part that comes again under its name, because a worker was lost
        and its task ran twice, counts once.
    slots
        Where the parts hold whole clusters of one slot: how many slots there are. The names of the clusters are kept
        where they and their sums are few enough for one machine; else the moments between them take their place.
    """
    seen: set[object] = set()
    whole: Evidence | None = None
    for part in parts:
        if isinstance(part, Evidence):
            one = part
        else:
            name, one = part
            if name in seen:
                continue
            seen.add(name)
        whole = one if whole is None else whole + one
    if whole is None:
        msg = "there are no parts to add."
        raise InputError(msg)
    many = slots is not None and whole.cluster_values > MOST_KEPT // slots
    return whole.settled() if many else whole


def merged(evidences: Iterable[Evidence]) -> Evidence:
    """Return the sum of evidence from anywhere.

    Raises
    ------
    InputError
        If settings differ, or the names of clusters are gone: one cluster may then stand in two of them.
    """
    found = list(evidences)
    for one in found if len(found) > 1 else []:
        if _nameless(one):
            msg = (
                "this evidence has so many clusters that moments between them were kept and not their names, so that "
                "it does not add to other evidence; count all data in one run, or on one machine each."
            )
            raise InputError(msg)
    return added(found)


def finished(plan: Plan, parts: list[Evidence]) -> Evidence:
    """Return the sum of parts that share no cluster, of no rows where there are none."""
    whole = [no_evidence(plan), *parts]
    if any(map(_nameless, parts)):
        whole = [one.settled() for one in whole]
    return added(whole)


def _nameless(evidence: Evidence) -> bool:
    """Whether only moments between clusters are left."""
    return any(isinstance(sums.clusters, ClusterMoments) for sums in evidence.sums.values())
