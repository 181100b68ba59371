"""One column at a time: as coded text, as numbers, and the facts that tell what it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth._cached import cached_property
from softtruth.errors import InputError, listed, shown
from softtruth.inputs import decimal_comma
from softtruth.inputs.nested import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from softtruth.inputs.files import LoadedTable

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
FRACTION = r"^\s*[+-]?[0-9]*\.[0-9]*[1-9]"
ColumnKind = Literal["text", "whole", "number", "lists", "empty"]


@dataclass(frozen=True, eq=False)
class Coded:
    """A text column as codes into its distinct values; -1 is missing."""

    codes: np.ndarray
    values: pa.Array

    @cached_property
    def names(self) -> list[str]:
        """The distinct values, in order of appearance."""
        names: list[str] = self.values.to_pylist()
        return names

    def counts(self) -> np.ndarray:
        """Return how often each value occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def renamed(self, change: Callable[[str], str | None]) -> Coded:
        """Return the column with its values changed (None: missing); equal results share one code."""
        new = [change(name) for name in self.names]
        kept = list(dict.fromkeys(name for name in new if name is not None))
        place = {name: i for i, name in enumerate(kept)}
        lookup = np.array([-1 if name is None else place[name] for name in new] + [-1], dtype=np.int64)
        return Coded(lookup[self.codes], pa.array(kept, pa.string()))

    def recoded(self, order: Sequence[str]) -> np.ndarray:
        """Return codes into another list of values; -1 for what the list does not hold."""
        place = {name: i for i, name in enumerate(order)}
        lookup = np.array([place.get(name, -1) for name in self.names] + [-1], dtype=np.int64)
        codes: np.ndarray = lookup[self.codes]
        return codes


@dataclass(frozen=True)
class Facts:
    """What the values of one column say: enough to guess what the column is."""

    name: str
    kind: ColumnKind
    rows: int
    missing: int
    distinct: int
    low: float
    high: float

    @property
    def numeric(self) -> bool:
        """Whether every value is a number."""
        return self.kind in {"whole", "number"}

    @property
    def unit(self) -> bool:
        """Whether every value lies between 0 and 1 (within rounding)."""
        return self.numeric and self.low >= -1e-9 and self.high <= 1 + 1e-9

    @property
    def indicator(self) -> bool:
        """Whether every value is 0 or 1."""
        return self.kind == "whole" and self.low >= 0 and self.high <= 1

    @property
    def unique(self) -> bool:
        """Whether the values tell the rows apart."""
        return self.rows > 0 and self.distinct == self.rows and not self.missing


class Columns:
    """The columns of one table, each worked out at most once."""

    def __init__(self, table: pa.Table, path: str) -> None:
        """Wrap a table; `path` is its name in messages."""
        self.table = table
        self.path = path
        self._comma = decimal_comma.has_comma(table.schema)
        self._coded: dict[str, Coded] = {}
        self._numbers: dict[str, np.ndarray] = {}
        self._facts: dict[str, Facts] = {}

    @classmethod
    def of(cls, loaded: LoadedTable) -> Columns:
        """Wrap the table of a file."""
        return cls(loaded.table, loaded.name)

    def __len__(self) -> int:
        """Return the number of rows."""
        rows: int = self.table.num_rows
        return rows

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        names: list[str] = self.table.column_names
        return names

    def require(self, name: str, flag: str) -> str:
        """Return the name, or refuse a column that the file does not have."""
        if name not in self.names:
            raise InputError(f"{self.path} has no column {shown(name)}; it has {listed(self.names)}. Change {flag}.")
        return name

    def kept(self, rows: np.ndarray) -> Columns:
        """Return the rows where a mask is true."""
        return Columns(self.table.filter(pa.array(rows)), self.path)

    def coded(self, name: str) -> Coded:
        """Return a column as coded text; the empty text is missing, and nothing else is."""
        if name not in self._coded:
            try:
                self._coded[name] = _coded(self.table[name])
            except pa.ArrowException as error:
                kind = self.table[name].type
                raise InputError(f"{self.path}: column {name!r} holds {kind} values, which are no text.") from error
        return self._coded[name]

    def numbers(self, name: str) -> np.ndarray:
        """Return a column as float64, NaN where it is empty; refuse text, naming the row and the value."""
        column = self.table[name]
        try:
            if name not in self._numbers:
                self._numbers[name] = _numbers(column, comma=self._comma)
            return self._numbers[name]
        except pa.ArrowException as error:
            if pa.types.is_nested(column.type):
                raise InputError(
                    f"{self.path}: column {name!r} holds {column.type} values, expected numbers."
                ) from error
            row, value = self._no_number(column)
            hint = "Leave it empty, correct it, or filter the row."
            if self._comma and "." in value:
                hint = "Write it with a decimal comma, as the other numbers of this file."
            elif "," in value:
                hint = "Write it with a decimal point."
            raise InputError(
                f"{self.path} row {row + 1}: column {name!r} holds {value}, expected a number. {hint}"
            ) from error

    def _no_number(self, column: pa.ChunkedArray) -> tuple[int, str]:
        """Return the row of the first value that is no number, and the value as messages show it."""
        text = pc.cast(column, pa.string())
        written = decimal_comma.with_points(pc.utf8_trim_whitespace(text)) if self._comma else text
        good = pc.or_(pc.match_substring_regex(written, NUMBER), pc.equal(written, "")).fill_null(fill_value=True)
        row = int(np.argmin(np.asarray(good)))
        return row, shown(text[row].as_py())

    def matrix(self, names: Sequence[str]) -> np.ndarray:
        """Return several columns as one float64 matrix, rows first."""
        out = np.empty((len(self), len(names)))
        for j, name in enumerate(names):
            out[:, j] = self.numbers(name)
        return out

    def facts(self, name: str) -> Facts:
        """Return what the values of a column say."""
        if name not in self._facts:
            self._facts[name] = self._look(name)
        return self._facts[name]

    def _look(self, name: str) -> Facts:
        column, rows, nan = self.table[name], len(self), float("nan")
        if is_list(column.type) or pa.types.is_struct(column.type):
            return Facts(name, "lists", rows, column.null_count, 0, nan, nan)
        if _looks_fractional(self.table[name], comma=self._comma) and (found := self._fractions(name)):
            return found
        coded = self.coded(name)
        missing = int(np.count_nonzero(coded.codes < 0))
        if missing == rows:
            return Facts(name, "empty", rows, missing, 0, nan, nan)
        try:
            values = _numbers(coded.values, comma=self._comma)
        except pa.ArrowException:
            return Facts(name, "text", rows, missing, len(coded.values), nan, nan)
        finite = np.isfinite(values)
        if not finite.any():
            return Facts(name, "text", rows, missing, len(values), nan, nan)
        low, high = float(values[finite].min()), float(values[finite].max())
        whole = bool(finite.all() and (values == np.floor(values)).all())
        return Facts(name, "whole" if whole else "number", rows, missing, len(values), low, high)

    def _fractions(self, name: str) -> Facts | None:
        """Return the facts of a column of fractions without telling its values apart, which takes longest there."""
        try:
            values = self._numbers[name] = _numbers(self.table[name], comma=self._comma)
        except pa.ArrowException:
            return None
        finite = values[np.isfinite(values)]
        if not len(finite) or (finite == np.floor(finite)).all():
            return None
        missing = int(np.count_nonzero(np.isnan(values)))
        distinct = len(values) - missing  # nobody asks how many fractions differ
        return Facts(name, "number", len(values), missing, distinct, float(finite.min()), float(finite.max()))


def _looks_fractional(column: pa.ChunkedArray, *, comma: bool) -> bool:
    if pa.types.is_floating(column.type):
        return True
    if not pa.types.is_string(column.type):
        return False
    return bool(
        pc.any(pc.match_substring_regex(column.slice(0, 100), decimal_comma.FRACTION if comma else FRACTION)).as_py()
    )


def _coded(column: pa.ChunkedArray) -> Coded:
    if pa.types.is_floating(column.type):  # not a number is no class either
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    text = column if pa.types.is_string(column.type) else pc.cast(column, pa.string())
    encoded = text.combine_chunks().dictionary_encode() if text.num_chunks != 1 else text.chunk(0).dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
    values = encoded.dictionary
    empty = pc.index(values, "").as_py()
    if empty < 0:
        return Coded(codes, values)
    # The empty text leaves, and the codes after it move up by one.
    codes = np.where(codes == empty, -1, codes - (codes > empty))
    return Coded(codes, pa.concat_arrays([values.slice(0, empty), values.slice(empty + 1)]))


def _numbers(column: pa.ChunkedArray | pa.Array, *, comma: bool) -> np.ndarray:
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        text = pc.utf8_trim_whitespace(column)
        text = decimal_comma.with_points(text) if comma else text
        column = pc.if_else(pc.equal(text, ""), None, text)
    elif pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    values = pc.cast(column, pa.float64())
    return np.asarray(values.fill_null(float("nan")) if isinstance(values, pa.Array) else values.to_numpy())
