"""What is drawn as one: a number for each row that is the same on every machine, told from its item or its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth.engines.filters import text_of
from softtruth.errors import InputError, shown
from softtruth.uncertainty.keyed import identities

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def units_of(column: pa.Array, name: str) -> NDArray[np.uint64]:
    """Return a number for each value of a column, by its text.

    Raises
    ------
    InputError
        If a value is missing.
    """
    if column.null_count:
        row = int(np.argmax(np.asarray(column.is_null())))
        msg = f"column {shown(name)} is empty in row {row}: replicates are drawn by it, so give each row a value."
        raise InputError(msg)
    text = text_of(column)
    ends = np.frombuffer(text.buffers()[1], np.int64)[text.offset : text.offset + len(text) + 1]
    data = text.buffers()[2]
    letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return identities(letters, ends)
