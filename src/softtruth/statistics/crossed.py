"""Class indices meet label distributions: the cells from the margins alone, the table by a sparse product.

A hard reference against probabilities, or a soft reference against a hardened prediction. The indicator matrix of the
indices is never made: of every row one entry is its hit, and the sums of the columns give the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import one_blas_thread
from softtruth.statistics.coupled_sums import CHUNK_ENTRIES, added_up, column_sums, doubtful
from softtruth.statistics.coupling import INDEPENDENT
from softtruth.statistics.margins import cells_from_margins
from softtruth.statistics.one_hot import OneHot

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RUN = 128  # single precision adds up this many masses of a class before double precision takes over
_FEW = 2048  # with shorter blocks than this, converting them to double precision is faster


def crossed_cells(
    codes: NDArray[Any], degrees: NDArray[Any], weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the cells (4, K) of class indices (N,) as the reference and degrees (N, K) as the prediction.

    With a crisp side every t-norm gives these cells. Exchange ``fp`` and ``fn`` where the indices are the prediction.
    """
    n, k = degrees.shape
    degrees = np.ascontiguousarray(degrees)
    flat = degrees.reshape(-1)
    kept = np.empty(n, degrees.dtype)
    columns = np.zeros(k)
    size = max(1, 2 * CHUNK_ENTRIES // k)
    starts = np.arange(min(size, n)) * k
    with one_blas_thread():
        for start in range(0, n, size):
            stop = min(start + size, n)
            block = degrees[start:stop]
            # Taken from the rows that have just been read: a row read again later would come from memory.
            flat[start * k : stop * k].take(
                starts[: stop - start] + codes[start:stop], out=kept[start:stop], mode="clip"
            )
            if weight is not None:
                columns += weight[start:stop] @ block.astype(np.float64, copy=False)
            else:
                kind = block.dtype if block.dtype in (np.float32, np.float64) else np.dtype(np.float64)
                columns += column_sums(block.astype(kind, copy=False), np.ones(stop - start, kind))
    hits = kept.astype(np.float64)
    w = np.ones(n) if weight is None else weight
    hit, miss = (np.bincount(codes, weights=w * x, minlength=k) for x in (hits, 1 - hits))
    cells = cells_from_margins(hit, miss, columns)
    total = hit.sum() + miss.sum()
    small = doubtful(("product", "product"), cells, total, {"y": hit + miss, "p": columns})
    if small is not None:
        which = np.flatnonzero(small)
        crisp: Any = OneHot(codes, which)
        cells[:, which] = added_up(INDEPENDENT, crisp, degrees[:, which], weight, None)
    return cells


def crossed_table(
    codes: NDArray[Any], degrees: NDArray[Any], weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the masses (K, K) of class indices (N,), the rows, against degrees (N, K)."""
    from scipy import sparse

    n, k = degrees.shape
    masses = np.zeros((k, k))
    if n == 0:
        return masses
    single = degrees.dtype == np.float32 and weight is None
    size = int(_RUN * n / np.bincount(codes).max()) if single else 0  # so that no class comes more often than a run
    kind: Any = np.float32 if size >= _FEW else np.float64
    size = min(size, 16_384) if size >= _FEW else max(1, 4 * CHUNK_ENTRIES // k)
    ones = np.ones(min(n, size), kind)
    ends = np.arange(ones.size + 1)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        block = degrees[part].astype(kind, copy=False)
        rows = len(block)
        values = ones[:rows] if weight is None else weight[part]
        one_hot = sparse.csc_array((values, codes[part], ends[: rows + 1]), shape=(k, rows))
        masses += one_hot @ block
    return masses


def soft_table(
    reference: NDArray[Any], prediction: NDArray[Any], weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the masses (K, K) of degrees (N, K) against degrees, added up in double precision across blocks."""
    n, k = reference.shape
    masses = np.zeros((k, k))
    single = reference.dtype == prediction.dtype == np.float32 and weight is None
    kind: Any = np.float32 if single else np.float64
    size = 1024
    with one_blas_thread():
        for start in range(0, n, size):
            part = slice(start, min(start + size, n))
            y, p = reference[part].astype(kind, copy=False), prediction[part].astype(kind, copy=False)
            masses += (y if weight is None else y * weight[part, None]).T @ p
    return masses
