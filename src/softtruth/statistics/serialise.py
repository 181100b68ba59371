"""Statistics as data: bytes, JSON and Arrow, with a version and without code in them.

A statistic is written as a tree of names and numbers (``serialised_tree``) and a list of plain arrays. Reading trusts
nothing: sizes are checked before anything is made, types are those of a short list, and every value is checked.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.statistics.serialised_tree import VERSION, Tree, from_tree, to_tree

if TYPE_CHECKING:
    from softtruth.statistics.serialised_tree import Statistic

MAGIC = b"softtruth\x00"
_HEAD = struct.Struct(">HI")  # version, bytes of the header
_DIGEST = 32
_LARGEST_HEADER = 1 << 26
LARGEST = 2**1023  # of whole numbers in JSON, which know no end


def to_bytes(statistic: Statistic) -> bytes:
    """Return a statistic as bytes: a magic word, the version, a JSON header, the arrays, and a SHA-256 of it all.

    Parameters
    ----------
    statistic : Table, Cells, Moments, Means, ClusterSums, ClusterMoments, ReplicateSums, Sums or Evidence

    Examples
    --------
    >>> from softtruth import Table
    >>> back = from_bytes(to_bytes(Table.of([[8, 2], [1, 9]])))
    >>> back.cells.tp
    array([8., 9.])
    """
    tree = to_tree(statistic)
    shapes = [list(array.shape) for array in tree.arrays]
    header = json.dumps({"tree": tree.root, "shapes": shapes}, separators=(",", ":"), allow_nan=False).encode()
    payload = b"".join(np.ascontiguousarray(array, "<f8").tobytes() for array in tree.arrays)
    whole = MAGIC + _HEAD.pack(VERSION, len(header)) + header + payload
    return whole + hashlib.sha256(whole).digest()


def from_bytes(data: bytes) -> Statistic:
    """Return the statistic that ``to_bytes`` wrote.

    Raises
    ------
    InputError
        If the bytes are anything else: another kind of file, another version, cut, changed, or impossible values.
    """
    start = len(MAGIC) + _HEAD.size
    if bytes(data[: len(MAGIC)]) != MAGIC:
        msg = "these bytes are no statistic of softtruth; expected what to_bytes or `softtruth report` wrote."
        raise InputError(msg)
    if len(data) < start + _DIGEST:
        msg = f"the statistic is cut short: it has {len(data)} bytes."
        raise InputError(msg)
    version, size = _HEAD.unpack_from(data, len(MAGIC))
    if version != VERSION:
        msg = f"the statistic has format version {version}, expected {VERSION}; use the release that wrote it."
        raise InputError(msg)
    end = len(data) - _DIGEST
    if size > _LARGEST_HEADER or start + size > end:
        msg = f"the statistic is cut short or damaged: its header claims {size} bytes."
        raise InputError(msg)
    if hashlib.sha256(data[:end]).digest() != bytes(data[end:]):
        msg = "the statistic is cut short or damaged: its checksum does not fit. Copy the file again."
        raise InputError(msg)
    header = _loaded(bytes(data[start : start + size]))
    if not isinstance(header, dict) or not isinstance(header.get("shapes"), list):
        msg = "the header of the statistic is damaged: it names no arrays."
        raise InputError(msg)
    shapes = [_checked_shape(shape) for shape in header["shapes"]]
    sizes = [math.prod(shape) for shape in shapes]
    if 8 * sum(sizes) != end - start - size:  # before any array is made
        msg = f"the arrays of the statistic should take {8 * sum(sizes)} bytes, found {end - start - size}."
        raise InputError(msg)
    arrays, at = [], start + size
    for shape, count in zip(shapes, sizes, strict=True):
        flat = np.frombuffer(data, "<f8", count, at) if count else np.empty(0)
        arrays.append(flat.reshape(shape).astype(np.float64))
        at += 8 * count
    return from_tree(Tree(header.get("tree"), arrays))


def to_json(statistic: Statistic) -> str:
    """Return a statistic as JSON text; every float is written so that it reads back as the same one."""
    tree = to_tree(statistic)
    arrays = [{"shape": list(a.shape), "data": [_written(x) for x in a.reshape(-1).tolist()]} for a in tree.arrays]
    return json.dumps({"softtruth_statistic": VERSION, "tree": tree.root, "arrays": arrays}, allow_nan=False)


def from_json(text: str) -> Statistic:
    """Return the statistic that ``to_json``, or another program in that form, wrote.

    Raises
    ------
    InputError
        If it is anything else.
    """
    value = _loaded(text.encode())
    if not isinstance(value, dict) or value.get("softtruth_statistic") != VERSION:
        msg = f"the JSON is no statistic of softtruth; expected an object with softtruth_statistic: {VERSION}."
        raise InputError(msg)
    listed = value.get("arrays")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        msg = "the JSON statistic has no list of arrays."
        raise InputError(msg)
    arrays = []
    for one in listed:
        shape, data = _checked_shape(one.get("shape")), one.get("data")
        if not isinstance(data, list) or len(data) != math.prod(shape):
            msg = f"an array of the JSON statistic has shape {shape} but other than {math.prod(shape)} numbers."
            raise InputError(msg)
        arrays.append(np.array([_read(x) for x in data], np.float64).reshape(shape))
    return from_tree(Tree(value.get("tree"), arrays))


def to_arrow(statistic: Statistic) -> Any:
    """Return a statistic as an Arrow table: one row for each array, the tree in the metadata of the schema."""
    import pyarrow as pa

    tree = to_tree(statistic)
    schema = pa.schema(
        [("shape", pa.list_(pa.int64())), ("data", pa.list_(pa.float64()))],
        metadata={"softtruth_statistic": str(VERSION), "tree": json.dumps(tree.root, allow_nan=False)},
    )
    rows = {
        "shape": pa.array([list(a.shape) for a in tree.arrays], pa.list_(pa.int64())),
        "data": pa.array([a.reshape(-1) for a in tree.arrays], pa.list_(pa.float64())),
    }
    return pa.table(rows, schema=schema)


def from_arrow(table: Any) -> Statistic:
    """Return the statistic that ``to_arrow`` wrote.

    Raises
    ------
    InputError
        If it is anything else.
    """
    kept = table.schema.metadata or {}
    if kept.get(b"softtruth_statistic") != str(VERSION).encode() or table.column_names != ["shape", "data"]:
        msg = f"the Arrow table is no statistic of softtruth; expected columns shape and data, version {VERSION}."
        raise InputError(msg)
    arrays = []
    for shape, data in zip(table["shape"].to_pylist(), table["data"], strict=True):
        wanted = _checked_shape(shape)
        if data.values is None or len(data.values) != math.prod(wanted):
            msg = f"an array of the Arrow statistic has shape {wanted} but other than {math.prod(wanted)} numbers."
            raise InputError(msg)
        arrays.append(np.asarray(data.values.fill_null(float("nan")), np.float64).reshape(wanted))
    return from_tree(Tree(_loaded(kept.get(b"tree", b"")), arrays))


def _loaded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"the statistic holds no JSON ({shown(str(error))})."
        raise InputError(msg) from None


def _checked_shape(shape: Any) -> tuple[int, ...]:
    good = isinstance(shape, list) and len(shape) <= 4
    if not good or not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**40 for n in shape):
        msg = f"an array of the statistic has the shape {shown(shape)}, expected at most four sizes."
        raise InputError(msg)
    return tuple(shape)


def _written(x: float) -> float | str:
    return x if math.isfinite(x) else str(x)


def _read(x: Any) -> float:
    if isinstance(x, bool) or not isinstance(x, (int, float)) or (isinstance(x, int) and abs(x) > LARGEST):
        if isinstance(x, str) and x in {"nan", "inf", "-inf"}:
            return float(x)
        msg = f"an array of the JSON statistic holds {shown(x)}, expected numbers."
        raise InputError(msg)
    return float(x)
