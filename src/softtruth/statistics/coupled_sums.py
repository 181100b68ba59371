"""Cells of many entries: sums first, and entry by entry where a sum would lose digits.

With the sums of y, p and of a joint mass t over all entries, completed cells are t, p - t, y - t, n - y - p + t. Raw
cells of minimum and Lukasiewicz follow as well, since min(a, 1 - b) = a - max(0, a + b - 1) and
max(0, a - b) = a - min(a, b): the cells that disagree use the other t-norm's sum. So one pass gives all of them.
The first of these identities also gives Lukasiewicz itself, from a minimum, which is faster to take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import one_blas_thread
from softtruth.tnorms import TNorm, godel, lukasiewicz, product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from softtruth.statistics.coupling import Coupling

CHUNK_ENTRIES = 163_840  # rows x columns of one block: two float32 blocks and a product stay in a 1 MiB cache

# A cell found by subtracting sums keeps as many digits as it has of the sums it came from. Below this share of
# them it is added up directly instead, entry by entry.
_CANCELLED = 1e-3

_KEYS: dict[Any, str] = {product: "product", godel: "minimum", lukasiewicz: "outside"}
_OTHER = {"product": "product", "minimum": "outside", "outside": "minimum"}


def _needed(coupling: Coupling) -> tuple[str, str] | None:
    """Return the joint sums that agreeing and disagreeing cells follow from, or None where entries must be added up."""
    key = _KEYS.get(coupling.tnorm) if isinstance(coupling.tnorm, TNorm) else None
    return None if key is None else (key, key if coupling.completed else _OTHER[key])


def _combine(keys: tuple[str, str], n: Any, s: dict[str, Any]) -> NDArray[np.float64]:
    """Return the four cells from the sums."""
    y, p = s["y"], s["p"]
    agree, differ = (y - s[key] if key == "outside" else s[key] for key in keys)
    cells = np.empty((4, *y.shape))
    cells[0] = agree
    np.subtract(p, differ, out=cells[1])
    np.subtract(y, differ, out=cells[2])
    np.subtract(n - y, cells[1] if keys[0] == keys[1] else p - agree, out=cells[3])
    return cells


def _element_sums(
    y: NDArray[Any], p: NDArray[Any], needed: Iterable[str], buffer: NDArray[Any]
) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "y", y
    yield "p", p
    for key in needed:
        if key == "product":
            np.multiply(y, p, out=buffer)
        elif key == "minimum":
            np.minimum(y, p, out=buffer)
        else:  # min(y, 1 - p) is what Lukasiewicz leaves of y: its own joint mass is the rest
            np.subtract(1, p, out=buffer)
            np.minimum(y, buffer, out=buffer)
        yield key, buffer


def doubtful(keys: tuple[str, str], cells: NDArray[np.float64], n: Any, s: dict[str, Any]) -> NDArray[np.bool_] | None:
    """Return where a cell is so much smaller than what it was subtracted from that digits were lost, if anywhere."""
    plain = keys[0] == "product"
    subtracted = cells[1:] if plain else cells
    if subtracted.size == 0 or subtracted.min() > _CANCELLED * n:  # no sum is larger than n: this settles dense data
        return None
    if plain:
        small = (cells[1] < _CANCELLED * s["p"]) | (cells[2] < _CANCELLED * s["y"]) | (cells[3] < _CANCELLED * n)
    else:
        small = (cells < _CANCELLED * n).any(axis=0)
    return small if small.any() else None


def _blocks(
    y: NDArray[Any], p: NDArray[Any], *, weighted: bool = False
) -> Iterator[tuple[int, int, NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield row blocks of both sides as floats of one type, with a scratch block of the same shape."""
    n, m = y.shape
    rows = max(1, CHUNK_ENTRIES // max(1, m))
    exact = (np.float32, np.bool_, np.uint8, np.int8)  # every value fits float32; sums of a block are exact for 0/1
    kind = np.float32 if y.dtype in exact and p.dtype in exact and not weighted else np.float64  # weights fit float64
    scratch = np.empty((min(rows, n), m), kind)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        yield (
            start,
            stop,
            y[start:stop].astype(kind, copy=False),
            p[start:stop].astype(kind, copy=False),
            scratch[: stop - start],
        )


_RUN = 128  # as many rows are added up in single precision before double precision takes over


def column_sums(block: NDArray[Any], ones: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the columns; single precision is added up in short runs, so that seven digits stay right."""
    n, m = block.shape
    runs = n // _RUN
    if block.dtype != np.float32 or runs == 0:
        return ones @ block
    # Rows side by side: one product of a short, wide matrix gives the sums of all runs.
    sums = (ones[:_RUN] @ block[: runs * _RUN].reshape(_RUN, runs * m)).astype(np.float64)
    done = np.add.reduce(sums.reshape(runs, m), 0)
    return done if runs * _RUN == n else done + ones[runs * _RUN :] @ block[runs * _RUN :]


class UnverifiedError(Exception):
    """A block of values is not what it should be; whoever gave them says it in words."""


def _insist(verify: Callable[[NDArray[Any]], bool], *blocks: NDArray[Any]) -> None:
    if not all(verify(block) for block in blocks):
        raise UnverifiedError


def column_cells(
    couplings: Sequence[Coupling],
    y: NDArray[Any],
    p: NDArray[Any],
    *,
    weight: NDArray[np.float64] | None = None,
    mask: NDArray[np.bool_] | None = None,
    verify: Callable[[NDArray[Any]], bool] | None = None,
) -> list[NDArray[np.float64]]:
    """Return, for each coupling, the cells of every column as an array (4, m): all couplings in one pass.

    Parameters
    ----------
    couplings
        The couplings asked for.
    y, p : ndarray, shape (N, m)
        Degrees in [0, 1] of reference and prediction.
    weight : ndarray, shape (N,), optional
        Example weights.
    mask : ndarray of bool, shape (N, m), optional
        The entries that count.
    verify : callable, optional
        Asked of every block of either side while it is in the cache.

    Raises
    ------
    UnverifiedError
        If ``verify`` says no.
    """
    found = [_needed(c) for c in couplings]
    needs = [keys for keys in found if keys is not None]
    if mask is not None or len(needs) < len(found):
        if verify is not None:
            for _, _, yb, pb, _ in _blocks(y, p):
                _insist(verify, yb, pb)
        return [added_up(c, y, p, weight, mask) for c in couplings]
    needed = {key for keys in needs for key in keys}
    m = y.shape[1]
    sums = {key: np.zeros(m) for key in ("y", "p", *needed)}
    plain = y.dtype.kind in "bui" and p.dtype.kind in "bui"
    with one_blas_thread():
        ones: NDArray[Any] = np.empty(0)
        for start, stop, yb, pb, scratch in _blocks(y, p, weighted=weight is not None):
            if verify is not None:
                _insist(verify, yb, pb)
            if ones.size != stop - start:
                ones = np.ones(stop - start, yb.dtype)
            left = ones if weight is None else weight[start:stop]
            for key, block in _element_sums(yb, pb, needed, scratch):
                sums[key] += left @ block if plain else column_sums(block, left)
    n = float(weight.sum()) if weight is not None else float(y.shape[0])
    result = []
    for coupling, keys in zip(couplings, needs, strict=True):
        cells = _combine(keys, n, sums)
        small = doubtful(keys, cells, n, sums)
        if small is not None:
            cells[:, small] = added_up(coupling, y[:, small], p[:, small], weight, None)
        result.append(cells)
    return result


def added_up(
    coupling: Coupling,
    y: NDArray[Any],
    p: NDArray[Any],
    weight: NDArray[np.float64] | None,
    mask: NDArray[np.bool_] | None,
) -> NDArray[np.float64]:
    """Return the cells (4, m) by adding up the entries themselves, so that structural zeros are exact."""
    cells = np.zeros((4, y.shape[1]))
    rows = max(1, CHUNK_ENTRIES // max(1, y.shape[1]))
    for start in range(0, y.shape[0], rows):
        part = slice(start, start + rows)
        entries = np.stack(
            np.broadcast_arrays(*coupling.entries(y[part].astype(np.float64), p[part].astype(np.float64)))
        )
        if mask is not None:
            entries = entries * mask[part]
        if weight is not None:
            entries = entries * weight[part, None]
        cells += entries.sum(axis=1)
    return cells


def row_cells(
    coupling: Coupling,
    y: NDArray[Any],
    p: NDArray[Any],
    mask: NDArray[np.bool_] | None = None,
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the cells of every row, pooled over its columns, block by block as ``(rows, array (4, n))``."""
    keys = _needed(coupling)
    if mask is not None or keys is None:
        for start, stop, yb, pb, _ in _blocks(y, p):
            yield slice(start, stop), _row_entries(coupling, yb, pb, None if mask is None else mask[start:stop])
        return
    right: NDArray[Any] = np.empty(0)
    exact = y.dtype.kind in "bui" and p.dtype.kind in "bui"
    with one_blas_thread():
        for start, stop, yb, pb, scratch in _blocks(y, p):
            if right.size == 0:
                right = np.ones(yb.shape[1], yb.dtype)
            sums = {key: (block @ right).astype(np.float64) for key, block in _element_sums(yb, pb, set(keys), scratch)}
            n = float(yb.shape[1])
            cells = _combine(keys, n, sums)
            small = None if exact else doubtful(keys, cells, n, sums)
            if small is not None:
                cells[:, small] = _row_entries(coupling, yb[small], pb[small], None)
            yield slice(start, stop), cells


def _row_entries(
    coupling: Coupling, y: NDArray[Any], p: NDArray[Any], mask: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    entries = np.stack(np.broadcast_arrays(*coupling.entries(y.astype(np.float64), p.astype(np.float64))))
    return (entries if mask is None else entries * mask).sum(axis=-1)
