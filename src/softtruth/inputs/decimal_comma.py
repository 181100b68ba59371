"""Numbers with a decimal comma, as spreadsheets of half of the world write them: `0,7;0,3`.

Beyond doubt they are such where the sign between values is no comma, a whole column consists of them, and no column
consists of numbers with a point. Anything else is refused or stays text, and is never read as names of classes by
half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

KEY, COMMA = b"decimal", b","  # in the metadata of the schema
EXPONENT = "([eE][+-]?[0-9]+)?"
WITH_COMMA = rf"^\s*[+-]?[0-9]*,[0-9]+{EXPONENT}\s*$"
WITH_POINT = rf"^\s*[+-]?[0-9]*\.[0-9]+{EXPONENT}\s*$"
WHOLE = rf"^\s*[+-]?[0-9]+{EXPONENT}\s*$"
IN_THOUSANDS = r"^\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*$"
FRACTION = r"^\s*[+-]?[0-9]*,[0-9]*[1-9]"
PEEKED = 1000  # rows of a column that are looked at before all of them are


def marked(table: pa.Table, path: str) -> pa.Table:
    """Return a table of text with a mark in its schema if its numbers have a decimal comma.

    Parameters
    ----------
    table
        All columns are text.
    path
        The file in messages.

    Raises
    ------
    InputError
        If numbers with a comma stand beside numbers with a point, or the comma may stand between thousands.
    """
    names = [name for name in table.column_names if _consists(table[name], WITH_COMMA)]
    if not names:
        return table
    name = names[0]
    example = _first(table[name], lambda column: pc.match_substring(column, ","))
    point = next((n for n in table.column_names if _consists(table[n], WITH_POINT)), None)
    if point is not None:
        other = _first(table[point], lambda column: pc.match_substring(column, "."))
        raise InputError(
            f"{path}: column {name!r} holds {shown(example)} and column {point!r} holds {shown(other)}, so that it is "
            "not clear what the comma means. Write all numbers with a decimal point."
        )
    if not any(_has(table[n], _decimal) for n in names):
        raise InputError(
            f"{path}: column {name!r} holds {shown(example)}, where the comma may stand before decimals or between "
            "thousands. Write the numbers with a decimal point and without signs between thousands."
        )
    return table.replace_schema_metadata({**(table.schema.metadata or {}), KEY: COMMA})


def has_comma(schema: pa.Schema) -> bool:
    """Whether the numbers of a table are marked as having a decimal comma."""
    return (schema.metadata or {}).get(KEY) == COMMA


def with_points(text: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return numbers with a decimal comma as numbers with a point; anything else becomes what is no number."""
    changed = pc.replace_substring(text, ",", ".", max_replacements=1)
    good = pc.or_(pc.match_substring_regex(text, WITH_COMMA), pc.match_substring_regex(text, WHOLE))
    return pc.if_else(good, changed, pc.if_else(pc.equal(text, ""), "", "no number"))


def _decimal(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Whether values have a comma that cannot stand between thousands."""
    comma = pc.match_substring_regex(column, WITH_COMMA)
    return pc.and_not(comma, pc.match_substring_regex(column, IN_THOUSANDS))


def _consists(column: pa.ChunkedArray, kind: str) -> bool:
    """Whether a column holds numbers of a kind, beside whole ones and gaps, and nothing else."""
    for part in (column.slice(0, PEEKED), column):
        matches = pc.match_substring_regex(part, kind)
        rest = pc.or_(pc.match_substring_regex(part, WHOLE), pc.equal(pc.utf8_trim_whitespace(part), ""))
        if not pc.all(pc.or_(matches, rest)).as_py():
            return False
    return bool(pc.any(matches).as_py())


def _has(column: pa.ChunkedArray, test: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> bool:
    return bool(pc.any(test(column)).as_py())


def _first(column: pa.ChunkedArray, test: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> str:
    """Return the first value that passes a test."""
    value: str = column.filter(test(column))[0].as_py()
    return value
