"""What is drawn as one: a number for each row that is the same on every machine, told from its item or its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, shown
from softtruth.uncertainty.keyed import identities

if TYPE_CHECKING:
    from numpy.typing import NDArray


def units_of(column: pa.Array, name: str) -> NDArray[np.uint64]:
    """Return a number for each value of a column, as text: 17, 17.0 and "17" are the same item.

    Raises
    ------
    InputError
        If a value is missing.
    """
    if column.null_count:
        row = int(np.argmax(np.asarray(column.is_null())))
        msg = f"column {shown(name)} is empty in row {row}: replicates are drawn by it, so give each row a value."
        raise InputError(msg)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) and bool(pc.all(pc.equal(pc.floor(column), column)).as_py()):
        column = column.cast(pa.int64())
    text = column.cast(pa.large_string())
    ends = np.frombuffer(text.buffers()[1], np.int64)[text.offset : text.offset + len(text) + 1]
    data = text.buffers()[2]
    letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return identities(letters, ends)
