"""Where reference meets prediction: margins are facts, the joint mass is an assumption.

With y the degree to which an entry belongs to the class by the reference and p by the prediction, a coupling gives
the four cell masses of the entry. *Raw* couplings use one t-norm for all four; *completed* ones use it for ``tp``
only and let the margins give the rest, which reads as a coupling of two uncertain events. For the product both are
the same, and where either side is crisp every coupling is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import namespace, one_blas_thread
from softtruth.errors import InputError, listed, shown
from softtruth.tnorms import TNorm, godel, lukasiewicz, product, tnorm_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from softtruth._arrays import Array

CHUNK_ENTRIES = 163_840  # rows x columns of one block: two float32 blocks and a product stay in a 1 MiB cache

# A cell found by subtracting sums keeps as many digits as it has of the sums it came from. Below this share of
# them it is added up directly instead, entry by entry: see docs/decisions.
_CANCELLED = 1e-3


@dataclass(frozen=True)
class Coupling:
    """How much mass reference and prediction share.

    Attributes
    ----------
    name : str
        As signatures print it: ``independent``, ``most``, ``least``, ``raw godel``, ``hardened``, ...
    tnorm : callable
        The joint mass T(y, p) of an entry.
    completed : bool
        Whether the margins give the other three cells.
    """

    name: str
    tnorm: Callable[[Any, Any], Any]
    completed: bool

    @property
    def keeps_margins(self) -> bool:
        """Whether the cells add up to the reference and to the prediction."""
        return self.completed or self.tnorm is product

    @property
    def independent(self) -> bool:
        """Whether the joint mass is the product of the two."""
        return self.tnorm is product

    def entries(self, y: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """Return the cells ``tp, fp, fn, tn`` of every entry, each added up without cancellation.

        Raises
        ------
        InputError
            If a completed t-norm leaves a negative cell: it is not a copula there.
        """
        t = self.tnorm
        if not self.completed:
            return t(y, p), t(1 - y, p), t(y, 1 - p), t(1 - y, 1 - p)
        if t is product:
            return y * p, (1 - y) * p, y * (1 - p), (1 - y) * (1 - p)
        xp = namespace(y, p)
        zero = xp.zeros_like(y - p)
        # In these two, every cell has a form of its own in which structural zeros are exact.
        if t is godel:
            return t(y, p), xp.maximum(p - y, zero), xp.maximum(y - p, zero), 1 - xp.maximum(y, p)
        if t is lukasiewicz:
            return t(y, p), xp.minimum(p, 1 - y), xp.minimum(y, 1 - p), xp.maximum(1 - y - p, zero)
        joint = t(y, p)
        return joint, *(self._not_negative(cell) for cell in (p - joint, y - joint, 1 - y - p + joint))

    def _not_negative(self, cell: Array) -> Array:
        xp = namespace(cell)
        if xp is np and cell.size and float(cell.min()) < -1e-9:
            msg = (
                f"coupling {shown(self.name)} is not a copula: it leaves a negative cell ({cell.min():.3g}). "
                "Pass it as tnorm= for raw cells, or choose a t-norm that is 1-Lipschitz."
            )
            raise InputError(msg)
        return xp.maximum(cell, xp.zeros_like(cell))


HARDENED = Coupling("hardened", product, completed=True)
INDEPENDENT = Coupling("independent", product, completed=True)
MOST = Coupling("most", godel, completed=True)
LEAST = Coupling("least", lukasiewicz, completed=True)
_COUPLINGS = {c.name: c for c in (INDEPENDENT, MOST, LEAST)}


def coupling_of(tnorm: Any, coupling: Any) -> Coupling:
    """Return the coupling that the ``tnorm`` and ``coupling`` settings ask for; neither gives ``HARDENED``.

    Raises
    ------
    InputError
        If both are given, or a name is unknown.
    """
    if tnorm is not None and coupling is not None:
        msg = (
            f"tnorm={shown(tnorm)} and coupling={shown(coupling)} exclude each other: give raw cells or completed ones."
        )
        raise InputError(msg)
    if coupling is not None:
        return _completed(coupling)
    if tnorm is None:
        return HARDENED
    t = tnorm_of(tnorm)
    return INDEPENDENT if t is product else Coupling(f"raw {_name(t)}", t, completed=False)


def _completed(coupling: Any) -> Coupling:
    if isinstance(coupling, Coupling):
        return coupling
    if isinstance(coupling, str) and coupling in _COUPLINGS:
        return _COUPLINGS[coupling]
    try:
        t = tnorm_of(coupling)
    except InputError:
        msg = (
            f"coupling {shown(coupling)} is not known; expected one of {listed(_COUPLINGS)}, or a t-norm that is a "
            "copula."
        )
        raise InputError(msg) from None
    for known in _COUPLINGS.values():
        if known.tnorm is t:
            return known
    if isinstance(t, TNorm) and not t.copula:
        msg = (
            f"coupling {shown(str(t))} is not a copula, so completed cells could be negative. Pass it as tnorm= for "
            "raw cells."
        )
        raise InputError(msg)
    return Coupling(_name(t), t, completed=True)


def _name(tnorm: Callable[[Any, Any], Any]) -> str:
    return str(tnorm) if isinstance(tnorm, TNorm) else str(getattr(tnorm, "__name__", "callable"))


# --- sums over many entries -----------------------------------------------------------------------------------------
#
# With the sums of y, p and of a joint mass t over all entries, completed cells are t, p - t, y - t, n - y - p + t. Raw
# cells of minimum and Lukasiewicz follow as well, since min(a, 1 - b) = a - max(0, a + b - 1) and
# max(0, a - b) = a - min(a, b): the cells that disagree use the other t-norm's sum. So one pass gives all of them.
# Both come from absolute values, which are faster to take: min(a, b) = (a + b - |a - b|) / 2, and so on.

_KEYS: dict[Any, str] = {product: "product", godel: "minimum", lukasiewicz: "excess"}
_OTHER = {"product": "product", "minimum": "excess", "excess": "minimum"}


def _needed(coupling: Coupling) -> tuple[str, str] | None:
    """Return the joint sums that agreeing and disagreeing cells follow from, or None where entries must be added up."""
    key = _KEYS.get(coupling.tnorm) if isinstance(coupling.tnorm, TNorm) else None
    return None if key is None else (key, key if coupling.completed else _OTHER[key])


def _combine(keys: tuple[str, str], n: Any, s: dict[str, Any]) -> NDArray[np.float64]:
    """Return the four cells from the sums."""
    y, p = s["y"], s["p"]
    agree, differ = (_joint_sum(key, n, s) for key in keys)
    cells = np.empty((4, *y.shape))
    cells[0] = agree
    np.subtract(p, differ, out=cells[1])
    np.subtract(y, differ, out=cells[2])
    np.subtract(n - y, p - agree, out=cells[3])
    return cells


def _joint_sum(key: str, n: Any, s: dict[str, Any]) -> Any:
    if key == "product":
        return s[key]
    both = s["y"] + s["p"]
    return (both - s[key]) / 2 if key == "minimum" else (both - n + s[key]) / 2


def _element_sums(
    y: NDArray[Any], p: NDArray[Any], needed: Iterable[str], buffer: NDArray[Any]
) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "y", y
    yield "p", p
    for key in needed:
        if key == "product":
            np.multiply(y, p, out=buffer)
        else:
            if key == "minimum":
                np.subtract(y, p, out=buffer)
            else:
                np.add(y, p, out=buffer)
                np.subtract(buffer, 1, out=buffer)
            np.abs(buffer, out=buffer)
        yield key, buffer


def _doubtful(keys: tuple[str, str], cells: NDArray[np.float64], n: Any, s: dict[str, Any]) -> NDArray[np.bool_] | None:
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


def _column_sums(block: NDArray[Any], ones: NDArray[Any]) -> NDArray[Any]:
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
        return [_added_up(c, y, p, weight, mask) for c in couplings]
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
                sums[key] += left @ block if plain else _column_sums(block, left)
    n = float(weight.sum()) if weight is not None else float(y.shape[0])
    result = []
    for coupling, keys in zip(couplings, needs, strict=True):
        cells = _combine(keys, n, sums)
        small = _doubtful(keys, cells, n, sums)
        if small is not None:
            cells[:, small] = _added_up(coupling, y[:, small], p[:, small], weight, None)
        result.append(cells)
    return result


def _added_up(
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
            small = None if exact else _doubtful(keys, cells, n, sums)
            if small is not None:
                cells[:, small] = _row_entries(coupling, yb[small], pb[small], None)
            yield slice(start, stop), cells


def _row_entries(
    coupling: Coupling, y: NDArray[Any], p: NDArray[Any], mask: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    entries = np.stack(np.broadcast_arrays(*coupling.entries(y.astype(np.float64), p.astype(np.float64))))
    return (entries if mask is None else entries * mask).sum(axis=-1)
