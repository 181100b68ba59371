"""Statistics as trees of names, numbers and arrays, and back: one pair of functions for each kind."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.statistics.cells import Cells
from softtruth.statistics.cluster_sums import ClusterMoments, ClusterSums
from softtruth.statistics.evidence import Evidence, Sums
from softtruth.statistics.evidence_settings import check_settings
from softtruth.statistics.means import Means, Sample
from softtruth.statistics.moments import Moments
from softtruth.statistics.replicate_sums import ReplicateSums
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

VERSION = 1
Statistic = Table | Cells | Moments | Means | ClusterSums | ClusterMoments | ReplicateSums | Sums | Evidence
KINDS = (
    "table", "cells", "moments", "means", "cluster_sums", "cluster_moments", "replicate_sums", "sums", "evidence",
)  # fmt: skip
TASKS = ("binary", "multiclass", "multilabel", "ordinal")


class Tree(NamedTuple):
    """JSON values in which a number under ``array`` points into the list of arrays."""

    root: Any
    arrays: list[NDArray[np.float64]]


def to_tree(statistic: Statistic) -> Tree:
    """Return a statistic as a tree.

    Raises
    ------
    InputError
        If it is no statistic.
    """
    arrays: list[NDArray[np.float64]] = []

    def keep(array: Any) -> dict[str, int]:
        arrays.append(np.asarray(array, np.float64))
        return {"array": len(arrays) - 1}

    return Tree(_written(statistic, keep), arrays)


def _written(one: Any, keep: Callable[[Any], Any]) -> Any:  # noqa: PLR0911  one kind after another
    if one is None:
        return None
    if isinstance(one, (Table, Cells)):
        more = {"counts": one.counts} if isinstance(one, Table) else {}
        kind = "table" if isinstance(one, Table) else "cells"
        return {"kind": kind, "task": one.task, "coupling": one.coupling, "masses": keep(one.masses), **more}
    if isinstance(one, Moments):
        return {"kind": "moments", "count": one.count, "first": keep(one.first), "second": keep(one.second)}
    if isinstance(one, Means):
        return {"kind": "means", "samples": keep([astuple(one.defined), astuple(one.undefined)])}
    if isinstance(one, ClusterSums):
        sums = one.sums.tocsr()
        return {
            "kind": "cluster_sums",
            "ids": one.ids.tolist(),
            "n_classes": one.n_classes,
            "numbers": list(one.numbers),
            "ends": keep(sums.indptr),
            "columns": keep(sums.indices),
            "values": keep(sums.data),
        }
    if isinstance(one, ClusterMoments):
        numbers = {name: [keep(first), keep(second)] for name, (first, second) in one.numbers.items()}
        return {"kind": "cluster_moments", "cells": _written(one.cells, keep), "numbers": numbers}
    if isinstance(one, ReplicateSums):
        each = {name: keep(number) for name, number in one.numbers.items()}
        return {"kind": "replicate_sums", "cells": keep(one.cells), "numbers": each}
    if isinstance(one, Sums):
        return {
            "kind": "sums",
            "statistic": _written(one.statistic, keep),
            "moments": _written(one.moments, keep),
            "means": {name: _written(mean, keep) for name, mean in one.means.items()},
            "clusters": _written(one.clusters, keep),
            "examples": one.examples,
            "tied": one.tied,
            **({} if one.replicates is None else {"replicates": _written(one.replicates, keep)}),
        }
    if isinstance(one, Evidence):
        sums = [[*key, _written(part, keep)] for key, part in one.sums.items()]
        return {
            "kind": "evidence",
            "settings": dict(one.settings),
            "sums": sums,
            "rows": one.rows,
            "left_out": dict(one.left_out),
        }
    msg = f"{type(one).__name__} is no statistic that can be written."
    raise InputError(msg)


def from_tree(tree: Tree) -> Statistic:
    """Return the statistic of a tree that anybody may have written.

    Raises
    ------
    InputError
        If a part is missing, of another type, or impossible.
    """
    try:
        found = _Reader(tree.arrays).read(tree.root)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        msg = f"the statistic is damaged: {shown(str(error))}."
        raise InputError(msg) from None
    if found is None:
        msg = "the statistic is empty."
        raise InputError(msg)
    return found


class _Reader:
    """Reads one tree; each method checks what it makes."""

    def __init__(self, arrays: list[NDArray[np.float64]]) -> None:
        self.arrays = arrays

    def read(self, node: Any) -> Any:
        if node is None:
            return None
        _insist(isinstance(node, dict) and node.get("kind") in KINDS, f"of kind {shown(node)[:40]}")
        return getattr(self, f"_{node['kind']}")(node)

    def array(self, node: Any, *, negative: bool = False, finite: bool = True) -> NDArray[np.float64]:
        at = _whole(node["array"])
        _insist(at < len(self.arrays), f"an array number {at}")
        array = self.arrays[at]
        _insist(not finite or bool(np.isfinite(array).all()), "values that are not finite")
        _insist(negative or not (array.size and float(array.min()) < 0), "negative masses")
        return array

    def _table(self, node: Any) -> Table:
        masses = self.array(node["masses"])
        _insist(masses.ndim == 2 and masses.shape[0] == masses.shape[1] and masses.size > 0, "a table that is no K x K")
        task = _text(node["task"])
        _insist(task in TASKS and (task != "binary" or masses.shape[0] == 2), f"a table of the task {task}")
        counts = node["counts"] is True
        _insist(not counts or bool((masses == np.floor(masses)).all()), "counts that are no whole numbers")
        return Table(masses, task, _text(node["coupling"]), counts)

    def _cells(self, node: Any) -> Cells:
        masses = self.array(node["masses"])
        _insist(masses.ndim == 2 and masses.shape[0] == 4 and masses.size > 0, "cells that are not four rows")
        task = _text(node["task"])
        _insist(task in TASKS and (task != "binary" or masses.shape[1] == 1), f"cells of the task {task}")
        return Cells(masses, task, _text(node["coupling"]))

    def _moments(self, node: Any) -> Moments:
        first, second = self.array(node["first"], negative=True), self.array(node["second"], negative=True)
        _insist(first.ndim == 1 and second.shape == (first.size, first.size), "moments of other shapes")
        _insist(first.size > 0 and first.size % 4 == 0, "moments that are not of four cells")
        return Moments(_whole(node["count"]), first, second)

    def _means(self, node: Any) -> Means:
        rows = self.array(node["samples"], negative=True, finite=False)
        _insist(rows.shape == (2, 6), "means of another shape")
        _insist(bool((rows[:, [0, 1, 3]] >= 0).all()) and bool((rows[:, 0] == np.floor(rows[:, 0])).all()), "counts")
        return Means(*(Sample(int(row[0]), *(float(x) for x in row[1:])) for row in rows))

    def _cluster_sums(self, node: Any) -> ClusterSums:
        from scipy.sparse import csr_array

        k, ids, numbers = _whole(node["n_classes"]), node["ids"], _texts(node["numbers"])
        _insist(isinstance(ids, list) and all(isinstance(x, str) for x in ids), "cluster names that are no text")
        _insist(sorted(set(ids)) == ids, "cluster names that are not sorted, each once")
        ends, columns, values = (self.array(node[key], negative=True) for key in ("ends", "columns", "values"))
        width = 4 * k + 1 + 3 * len(numbers)
        _insist(0 < k < 2**31 and ends.shape == (len(ids) + 1,) and columns.shape == values.shape, "cluster sums")
        _insist(bool((np.diff(ends) >= 0).all()) and ends[0] == 0 and ends[-1] == values.size, "ends of cluster sums")
        _insist(not columns.size or (columns.min() >= 0 and columns.max() < width), "columns of cluster sums")
        whole = bool((columns == np.floor(columns)).all()) and bool((ends == np.floor(ends)).all())
        _insist(whole, "places of cluster sums that are no whole numbers")
        flat = (values, columns.astype(np.int64), ends.astype(np.int64))
        return ClusterSums(np.array(ids, np.str_), csr_array(flat, shape=(len(ids), width)), k, tuple(numbers))

    def _cluster_moments(self, node: Any) -> ClusterMoments:
        numbers = {}
        for name, (first, second) in node["numbers"].items():
            pair = (self.array(first, negative=True), self.array(second, negative=True))
            _insist(pair[0].shape == (3,) and pair[1].shape == (3, 3), "numbers between clusters of another shape")
            numbers[name] = pair
        cells = self.read(node["cells"])
        _insist(isinstance(cells, Moments), "moments between clusters without moments")
        return ClusterMoments(cells, numbers)

    def _replicate_sums(self, node: Any) -> ReplicateSums:
        cells = self.array(node["cells"])
        _insist(cells.ndim == 3 and cells.shape[0] == 4 and cells.size > 0, "replicates of another shape")
        numbers = {_text(name): self.array(at, negative=True) for name, at in node["numbers"].items()}
        _insist(all(one.shape == (cells.shape[1], 3) for one in numbers.values()), "replicates of another shape")
        return ReplicateSums(cells, numbers)

    def _sums(self, node: Any) -> Sums:
        statistic, moments, clusters = (self.read(node[key]) for key in ("statistic", "moments", "clusters"))
        means = {name: self.read(mean) for name, mean in node["means"].items()}
        _insist(isinstance(statistic, (Table, Cells)), "sums without a table or cells")
        k = statistic.cells.n_classes
        _insist(moments is None or (isinstance(moments, Moments) and moments.first.size == 4 * k), "moments")
        _insist(all(isinstance(mean, Means) for mean in means.values()), "means that are none")
        known: Any = (type(None), ClusterSums, ClusterMoments)
        _insist(isinstance(clusters, known), "clusters that are none")
        replicates = self.read(node.get("replicates"))
        fits = isinstance(replicates, ReplicateSums) and replicates.cells.shape[2] == k
        _insist(replicates is None or fits, "replicates")
        counts = _whole(node["examples"]), _whole(node["tied"])
        return Sums(statistic, moments, means, clusters, *counts, replicates)

    def _evidence(self, node: Any) -> Evidence:
        settings, sums = node["settings"], {}
        _insist(isinstance(settings, dict) and isinstance(settings.get("labels"), list), "settings without labels")
        for prediction, view, part in node["sums"]:
            one = self.read(part)
            _insist(isinstance(one, Sums), "sums that are none")
            k, labels = one.statistic.n_classes, len(settings["labels"])
            _insist(labels == k or (one.statistic.task == "binary" and labels == 2), f"{labels} labels for {k} classes")
            sums[_text(prediction), _text(view)] = one
        check_settings(settings, sums)
        left = {_text(why): _whole(n) for why, n in node["left_out"].items()}
        return Evidence(settings, sums, _whole(node["rows"]), left)


def _insist(good: Any, found: str) -> None:
    if not good:
        msg = f"the statistic is damaged: it holds {found}."
        raise InputError(msg)


def _whole(value: Any) -> int:
    _insist(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63, f"{shown(value)} as a count")
    return int(value)


def _text(value: Any) -> str:
    _insist(isinstance(value, str), f"{shown(value)} as a name")
    return str(value)


def _texts(values: Any) -> list[str]:
    _insist(isinstance(values, list), f"{shown(values)} as names")
    return [_text(value) for value in values]
