"""Is the first line of a text file a header, or the first row of a file that has none?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from softtruth.errors import InputError, listed
from softtruth.inputs import vocabulary
from softtruth.inputs.decimal_comma import WITH_COMMA, WITH_POINT
from softtruth.inputs.vocabulary import plain, split_name

if TYPE_CHECKING:
    import pyarrow as pa

    from softtruth.inputs.columns import Columns

KNOWN = frozenset(
    (
        *(*vocabulary.ITEM, *vocabulary.ANNOTATOR, *vocabulary.FINDING, *vocabulary.LABEL, *vocabulary.SCORE),
        *(*vocabulary.REFERENCE_LABEL, *vocabulary.PREDICTION_LABEL, *vocabulary.RANK, *vocabulary.TOTALS),
    )
)
PREFIXES = (*vocabulary.PREDICTION_PREFIX, *vocabulary.VOTES_PREFIX, *vocabulary.REFERENCE_PREFIX)


def refuse_headless(columns: Columns) -> None:
    """Refuse a text file whose header is a row of values, so that no row is lost as names.

    It is one if no name is known, and a name is a number with decimals, or a class among the values below it.

    Parameters
    ----------
    columns
        A table; those of formats that hold names apart from values pass.

    Raises
    ------
    InputError
        With what stands in the first line.
    """
    table = columns.table
    if b"delimiter" not in (table.schema.metadata or {}) or not len(columns):
        return
    if any(plain(name) in KNOWN or split_name(name, PREFIXES) for name in columns.names):
        return
    if any(_is_value(name, table[name]) for name in columns.names):
        raise InputError(
            f"{columns.path} begins with {listed(columns.names, 4)}, which look like values and not like names of "
            "columns. Write a header line above them, such as item,label."
        )


def _is_value(name: str, column: pa.ChunkedArray) -> bool:
    if re.match(WITH_POINT, name) or re.match(WITH_COMMA, name):
        return True
    # Whole numbers are what data frames call columns that nobody named.
    return not name.isdecimal() and bool(pc.any(pc.equal(column, name)).as_py())
