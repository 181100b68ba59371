"""Sums of example cells within each cluster: what clustered intervals of streams need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError
from softtruth.statistics.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from softtruth.statistics.examples import Examples

_ROWS = 2048  # clusters whose sums are written out in full at a time


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Weighted sums of the example cells of every cluster; a cluster may be met in many parts of the data.

    Attributes
    ----------
    ids : ndarray of str, shape (G,)
        The clusters, sorted.
    sums : scipy.sparse.csr_array, shape (G, 4K + 1 + 3E)
        tp, fp, fn, and tn less the weight, of every class; the weight; and for each of E numbers per example the
        weighted sum where it is defined, the weight where it is, and the weight where it is not. With the weight taken
        off, class indices need three entries an example.
    n_classes : int
        K, the columns of the cells.
    numbers : tuple of str
        The names of the E numbers.
    """

    ids: NDArray[np.str_]
    sums: Any
    n_classes: int
    numbers: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, examples: Examples, names: Sequence[str] | NDArray[np.str_], numbers: dict[str, NDArray[np.float64]]
    ) -> ClusterSums:
        """Return the sums of examples whose cluster codes point into ``names``."""
        from scipy.sparse import coo_array

        k = examples.n_classes - (examples.task == "ordinal")
        weight = np.ones(len(examples)) if examples.weight is None else examples.weight
        codes = np.asarray(examples.clusters)
        rows, columns, values = [codes], [np.full(codes.size, 4 * k)], [weight]
        if examples.indexed and examples.task == "multiclass":
            y, p = examples.reference.astype(np.intp), examples.prediction.astype(np.intp)
            hit, miss = np.flatnonzero(y == p), np.flatnonzero(y != p)
            for at, block, classes in ((hit, 0, y), (miss, 1, p), (miss, 2, y)):
                rows += [codes[at], codes[at]]
                columns += [block * k + classes[at], 3 * k + classes[at]]
                values += [weight[at], -weight[at]]
        else:
            for part, cells in examples.entries():
                cells = cells * weight[part, None]  # noqa: PLW2901  the same cells, weighted
                cells[3] -= weight[part, None]
                width = cells.shape[1]
                rows.append(np.repeat(codes[part], 4 * k))
                columns.append(np.tile(np.arange(4 * k), width))
                values.append(np.moveaxis(cells, 1, 0).reshape(-1))
        for i, number in enumerate(numbers.values()):
            known = ~np.isnan(number)
            for j, amount in enumerate((np.where(known, number, 0.0), known, ~known)):
                rows.append(codes)
                columns.append(np.full(codes.size, 4 * k + 1 + 3 * i + j))
                values.append(amount * weight)
        ids = np.asarray(names, np.str_)
        shape = (ids.size, 4 * k + 1 + 3 * len(numbers))
        flat = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return cls(ids, coo_array(flat, shape=shape).tocsr(), k, tuple(numbers)).merged()

    def merged(self) -> ClusterSums:
        """Return the sums with each cluster once, in the order of the names."""
        from scipy.sparse import coo_array

        ids, place = np.unique(self.ids, return_inverse=True)
        flat = self.sums.tocoo()
        sums = coo_array((flat.data, (place[flat.row], flat.col)), shape=(ids.size, self.sums.shape[1])).tocsr()
        return replace(self, ids=ids, sums=sums)

    def __add__(self, other: ClusterSums) -> ClusterSums:
        """Return the sums of both data together."""
        from scipy.sparse import vstack

        if not isinstance(other, ClusterSums):
            return NotImplemented
        if (self.n_classes, self.numbers) != (other.n_classes, other.numbers):
            msg = (
                f"cluster sums of {self.n_classes} classes and {other.n_classes}, or of different numbers per example, "
                "do not add."
            )
            raise InputError(msg)
        ids = np.concatenate([self.ids, other.ids])
        return replace(self, ids=ids, sums=vstack([self.sums, other.sums], format="csr")).merged()

    def split(self, parts: int) -> list[ClusterSums]:
        """Return the sums in parts, each with whole clusters; a name goes to the same part on every machine."""
        from zlib import crc32

        where = np.array([crc32(name.encode()) % parts for name in self.ids.tolist()], np.intp)
        return [replace(self, ids=self.ids[where == i], sums=self.sums[where == i]) for i in range(parts)]

    def settled(self) -> ClusterMoments:
        """Return the second moments between these clusters; none of them may come again later."""
        k, extra = self.n_classes, len(self.numbers)
        cells, numbers = Moments.zero(k), np.zeros((extra, 3, 3))
        for start in range(0, self.ids.size, _ROWS):
            block = self.sums[start : start + _ROWS].toarray()
            block = block[block[:, 4 * k] > 0]  # clusters that weigh nothing are no clusters
            block[:, 3 * k : 4 * k] += block[:, 4 * k, None]
            v = block[:, : 4 * k]
            cells += Moments(v.shape[0], v.sum(axis=0), v.T @ v)
            own = block[:, 4 * k + 1 :].reshape(v.shape[0], extra, 3)
            numbers += np.einsum("gei,gej->eij", own, own)
        firsts = np.asarray(self.sums[:, 4 * k + 1 :].sum(axis=0)).reshape(extra, 3)
        each = {name: (firsts[i], numbers[i]) for i, name in enumerate(self.numbers)}
        return ClusterMoments(cells, each)


@dataclass(frozen=True, eq=False)
class ClusterMoments:
    """Second moments between whole clusters; those of other clusters add.

    Attributes
    ----------
    cells : Moments
        Of the cells, each cluster one unit.
    numbers : mapping of str to (ndarray (3,), ndarray (3, 3))
        Of each number per example: the weighted sum where it is defined, the weight where it is, and where it is not.
    """

    cells: Moments
    numbers: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]

    def __add__(self, other: ClusterMoments) -> ClusterMoments:
        """Return the moments of both data together, which share no cluster."""
        if not isinstance(other, ClusterMoments):
            return NotImplemented
        if set(self.numbers) != set(other.numbers):
            msg = "moments between clusters with different numbers per example do not add."
            raise InputError(msg)
        joined = {
            name: (first + other.numbers[name][0], second + other.numbers[name][1])
            for name, (first, second) in self.numbers.items()
        }
        return ClusterMoments(self.cells + other.cells, joined)

    def mean_and_error(self, name: str, substitute: float | None) -> tuple[float, float]:
        """Return the mean of a number per example and its standard error between clusters.

        Parameters
        ----------
        name
            Which number.
        substitute
            What stands in for undefined ones; None leaves them out.
        """
        first, second = self.numbers[name]
        top = np.array([1.0, 0.0, substitute or 0.0])
        bottom = np.array([0.0, 1.0, 0.0 if substitute is None else 1.0])
        whole, g = float(bottom @ first), self.cells.count
        if not whole:
            return float("nan"), float("nan")
        mean = float(top @ first) / whole
        if g < 2:
            return mean, float("nan")
        pull = (top - mean * bottom) / whole
        return mean, float(np.sqrt(max(float(pull @ second @ pull), 0.0) * g / (g - 1)))
