"""JSON records in, a table out: one record a line, or one list of records."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import json as arrow_json

from softtruth.errors import InputError, shown
from softtruth.inputs.encodings import in_another_encoding, other_encoding
from softtruth.inputs.json_text import NoJSONError, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 24  # one record must fit into one block
DEEPEST = 64  # levels of values within values: the JSON reader of Arrow ends the process where there are thousands
MOST_CELLS = 1 << 26  # of a table that is nearly empty
SPARSEST = 20  # cells for each value
KEY = re.compile(rb'"([^"\\]*)"\s*:')
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')
MARK = b"\xef\xbb\xbf"


def read_json(path: str, plain: str) -> pa.Table:
    """Read one JSON record a line, or one JSON list of records.

    Parameters
    ----------
    path
        The name to use in messages.
    plain
        The uncompressed file.

    Raises
    ------
    InputError
        Naming the line or entry that is no record, names a key twice, or holds another type than those before it.
    """
    with Path(plain).open("rb") as stream:
        head = stream.read(4096)
    start = head.removeprefix(MARK).lstrip()[:1]
    if (encoding := other_encoding(head)) is not None:
        raise InputError(in_another_encoding(path, encoding))
    if not start:
        raise InputError(f"{path} is empty: expected one JSON record a line.")
    if start != b"[":
        return _lines(path, plain, "line")
    with tempfile.TemporaryDirectory(prefix="softtruth-") as folder:  # a list is read as lines are, with the same types
        lines = Path(folder) / "lines.jsonl"
        with lines.open("wb") as stream:
            stream.writelines(json.dumps(record).encode() + b"\n" for record in _entries(path, plain))
        if not lines.stat().st_size:
            raise InputError(f"{path} is an empty list: expected one JSON record for each item.")
        return _lines(path, str(lines), "entry")


def _entries(path: str, plain: str) -> Iterator[dict[str, Any]]:
    try:
        found = value_of(Path(plain).read_text(encoding="utf-8-sig"))
    except (NoJSONError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read as a JSON list of records ({error}). Write one JSON record a line instead."
        ) from error
    for number, record in enumerate(found, 1):
        if not isinstance(record, dict):
            raise InputError(f"{path} entry {number} is {shown(record)}, expected a JSON record {{...}}.")
        yield record


def _lines(path: str, plain: str, what: str) -> pa.Table:
    _check_records(path, plain, what)
    try:
        table = _parsed(plain, None)
        times = _without_times(table.schema)
        table = table if times == table.schema else _parsed(plain, times)
        table.validate(full=True)  # the reader does not look whether text is UTF-8
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise InputError(_sentence(path, plain, what, str(error))) from error
    return table


def _check_records(path: str, plain: str, what: str) -> None:
    """Refuse what ends the process in the JSON reader of Arrow, or fills its memory."""
    number = 0
    with Path(plain).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line[:1] != b"{" and line.removeprefix(MARK).lstrip()[:1] not in {b"", b"{"}:
                raise InputError(_no_record(path, what, number))
            if line.count(b"{") + line.count(b"[") > DEEPEST and _levels(line) > DEEPEST:
                raise InputError(_too_deep(f"{path} {what} {number}"))
    if Path(plain).stat().st_size * number > MOST_CELLS:  # as many columns as there are bytes would not fit
        _check_cells(path, plain, number)


def _check_cells(path: str, plain: str, rows: int) -> None:
    """Refuse records whose keys differ from line to line: their table has far more cells than the file has values."""
    names: set[Any] = set()
    values = 0
    with Path(plain).open("rb") as lines:
        for line in lines:
            found = KEY.findall(line) if line.count(b"{") == 1 else _paths(line)
            values += len(found)
            names.update(found)
    if len(names) * rows > max(MOST_CELLS, SPARSEST * values):
        raise InputError(
            f"{path} has {rows:,} records with {len(names):,} different keys, of which a record holds "
            f"{values / rows:.1f}. Expected the same keys in each; write names that vary as values of one key."
        )


def _paths(line: bytes) -> list[Any]:
    """Return the ways to the values of a record; none for what is no record."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return []
    found: list[Any] = []
    left: list[tuple[Any, Any]] = [((), record)]
    while left:
        way, value = left.pop()
        if isinstance(value, dict):
            left += [((*way, key), held) for key, held in value.items()]
        elif isinstance(value, list):
            left += [(way, held) for held in value if isinstance(held, (dict, list))]
        if way:
            found.append(way)
    return found


def _no_record(path: str, what: str, number: int) -> str:
    return f"{path} {what} {number} is not a JSON record. Expected {{...}} with the same keys on each line."


def _levels(record: bytes) -> int:
    """Return how deep brackets stand within brackets, outside of text."""
    signs = np.frombuffer(TEXT.sub(b"", record), np.uint8)
    opened = (signs == ord("{")) | (signs == ord("["))
    closed = (signs == ord("}")) | (signs == ord("]"))
    return int(np.cumsum(opened.astype(np.int8) - closed.astype(np.int8), dtype=np.int32).max(initial=0))


def _too_deep(where: str) -> str:
    return f"{where} holds values within values more than {DEEPEST} levels deep. Take the inner values out of it first."


def check_depth(path: str, table: pa.Table) -> None:
    """Refuse a table whose columns hold values within values without end."""
    kinds = list(table.schema.types)
    for _ in range(DEEPEST):
        kinds = [kind.field(i).type for kind in kinds if pa.types.is_nested(kind) for i in range(kind.num_fields)]
        if not kinds:
            return
    raise InputError(_too_deep(path))


def _parsed(plain: str, schema: pa.Schema | None) -> pa.Table:
    return arrow_json.read_json(
        plain,
        read_options=arrow_json.ReadOptions(block_size=BLOCK),
        parse_options=arrow_json.ParseOptions(explicit_schema=schema, newlines_in_values=False),
    )


def _without_times(schema: pa.Schema) -> pa.Schema:
    """Ask for text where the reader saw dates: an id such as `2024-01-01` must keep its spelling."""
    return pa.schema([pa.field(f.name, _timeless(f.type)) for f in schema])


def _timeless(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _timeless(f.type)) for f in kind])
    return kind


def _sentence(path: str, plain: str, what: str, reason: str) -> str:
    """Look for the line that the reader of Arrow stumbled over; it counts rows within blocks only."""
    kinds: dict[str, str] = {}
    with Path(plain).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path} {what} {number}"
            try:
                record = value_of(line.decode("utf-8-sig")) if line.strip() else {}
            except UnicodeDecodeError:
                return f"{where} is not UTF-8 text: save the file as UTF-8."
            except NoJSONError as error:
                return f"{where} is not a JSON record ({error}). Expected one complete record a line."
            if not isinstance(record, dict):
                return _no_record(path, what, number)
            for way, kind in _kinds(record):
                if kinds.setdefault(way, kind) != kind:
                    return (
                        f"{where}: {shown(way)} holds {kind}, expected {kinds[way]} as in the records before it. "
                        "Write values of one type under a key."
                    )
    return f"{path} cannot be read: {' '.join(reason.split())[:160]}. Expected the same type for a key on each line."


def _kinds(value: Any, way: str = "") -> Iterator[tuple[str, str]]:
    """Yield what kind of value stands where; nothing for null, which fits all."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _kinds(held, f"{way}.{key}" if way else key)
    if isinstance(value, list):
        for held in value:
            yield from _kinds(held, f"{way}[]")
    if value is not None and way:
        named = {bool: "true or false", str: "text", dict: "a record", list: "a list"}
        yield way, named.get(type(value), "a number")
