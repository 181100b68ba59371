"""A table as the bytes of each format, and the ways to write the same table differently."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from hostile.words import Rows


def lines_of(rows: Rows) -> list[list[Any]]:
    """Return the values line by line; what is missing at the end of a column is left out."""
    n = max(map(len, rows.values()), default=0)
    return [[held[i] for held in rows.values() if i < len(held)] for i in range(n)]


def as_text(value: Any) -> str:
    """Return a value as a line of CSV holds it."""
    return (
        ""
        if value is None
        else value
        if isinstance(value, str)
        else json.dumps(value)
        if isinstance(value, (list, dict))
        else str(value)
    )


def delimited(
    rows: Rows, sign: str = ",", end: str = "\n", quoting: int = csv.QUOTE_MINIMAL, *, head: bool = True
) -> bytes:
    """Return CSV."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=sign, lineterminator=end, quoting=quoting)
    if head:
        writer.writerow(list(rows))
    writer.writerows([[as_text(value) for value in line] for line in lines_of(rows)])
    return stream.getvalue().encode("utf-8", "surrogatepass")


def careless(rows: Rows, sign: str) -> bytes:
    """Return CSV as a program writes it that has never heard of quotation marks."""
    lines = [list(rows), *([as_text(v) for v in line] for line in lines_of(rows))]
    return "\n".join(sign.join(line) for line in lines).encode("utf-8", "surrogatepass")


def records(rows: Rows) -> list[dict[str, Any]]:
    """Return one record for each row."""
    return [dict(zip(rows, line, strict=False)) for line in lines_of(rows)]


def json_lines(rows: Rows) -> bytes:
    """Return JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records(rows))


def json_list(rows: Rows) -> bytes:
    """Return a list of records."""
    return json.dumps(records(rows), indent=1).encode()


def arrow_table(rows: Rows) -> pa.Table:
    """Return an Arrow table; columns of mixed types become text."""
    n = max(map(len, rows.values()), default=0)
    columns = {}
    for name, held in rows.items():
        values = [*held, *[None] * (n - len(held))]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeEncodeError):
            columns[name] = pa.array([as_text(v).encode("utf-8", "replace").decode() for v in values], pa.string())
    return pa.table(columns)


def arrow_file(rows: Rows) -> bytes:
    """Return a Feather file."""
    stream = io.BytesIO()
    feather.write_feather(arrow_table(rows), stream, compression="uncompressed")
    return stream.getvalue()


def arrow_stream(rows: Rows) -> bytes:
    """Return an Arrow stream."""
    stream, held = io.BytesIO(), arrow_table(rows)
    with pa.ipc.new_stream(stream, held.schema) as writer:
        writer.write_table(held)
    return stream.getvalue()


def parquet_file(rows: Rows) -> bytes:
    """Return a Parquet file; it cannot hold records without keys."""
    stream, held = io.BytesIO(), arrow_table(rows)
    full = [name for name, kind in zip(held.column_names, held.schema.types, strict=True) if kind != pa.struct([])]
    parquet.write_table(held.select(full), stream)
    return stream.getvalue()


def numpy_arrays(rows: Rows) -> dict[str, np.ndarray]:
    """Return one array for each column."""
    found = {}
    for name, held in rows.items():
        plain = all(isinstance(v, (int, float)) for v in held) and not any(abs(v) >= 2**62 for v in held)
        found[name] = np.array(held) if plain else np.array([as_text(v) for v in held], np.str_)
    return found


def numpy_archive(rows: Rows) -> bytes:
    """Return a NumPy archive."""
    stream = io.BytesIO()
    safe = {name.replace("\0", "_").encode("utf-8", "replace").decode(): a for name, a in numpy_arrays(rows).items()}
    np.savez(stream, **{name or "_": array for name, array in safe.items() if name != "file"})
    return stream.getvalue()


def numpy_array(rows: Rows) -> bytes:
    """Return one NumPy array, of the first column or of all columns that hold numbers."""
    arrays = list(numpy_arrays(rows).values())
    numbers = [a for a in arrays if a.dtype.kind in "if" and len(a) == len(arrays[-1])]
    stream = io.BytesIO()
    np.save(stream, np.stack(numbers, axis=1) if numbers else arrays[0] if arrays else np.empty(0))
    return stream.getvalue()


FORMATS: dict[str, Callable[[Rows], bytes]] = {
    "csv": delimited,
    "tsv": lambda rows: delimited(rows, "\t"),
    "txt": lambda rows: delimited(rows, ";"),
    "jsonl": json_lines,
    "json": json_list,
    "parquet": parquet_file,
    "feather": arrow_file,
    "arrow": arrow_stream,
    "npz": numpy_archive,
    "npy": numpy_array,
}


def written(rng: Random, rows: Rows, kind: str) -> bytes:
    """Return a table in a format; text formats are sometimes written without care."""
    if kind in {"csv", "tsv", "txt"} and rng.random() < 0.3:
        return careless(rows, {"csv": ",", "tsv": "\t", "txt": ";"}[kind])
    return FORMATS[kind](rows)


# --- the same table, written differently --------------------------------------------------------------------------


def other_columns(rows: Rows) -> Rows:
    """Return the columns with the items last; the order of the others is that of the classes."""
    first, *others = rows.items()
    return dict([*others, first])


def other_rows(rng: Random, rows: Rows) -> Rows:
    """Return the rows in another order."""
    n = len(next(iter(rows.values())))
    order = rng.sample(range(n), n)
    return {name: [held[i] for i in order] for name, held in rows.items()}


BOM = b"\xef\xbb\xbf"
HARMLESS: dict[str, tuple[str, Callable[[Rows], bytes]]] = {  # name: suffix, writer
    "csv": ("csv", delimited),
    "byte order mark": ("csv", lambda rows: BOM + delimited(rows)),
    "Windows line ends": ("csv", lambda rows: delimited(rows, end="\r\n")),
    "old line ends": ("csv", lambda rows: delimited(rows, end="\r")),
    "all quoted": ("csv", lambda rows: delimited(rows, quoting=csv.QUOTE_ALL)),
    "text quoted": ("csv", lambda rows: delimited(rows, quoting=csv.QUOTE_NONNUMERIC)),
    "semicolons": ("csv", lambda rows: delimited(rows, ";")),
    "bars": ("csv", lambda rows: delimited(rows, "|")),
    "tabs": ("csv", lambda rows: delimited(rows, "\t")),
    "tsv": ("tsv", lambda rows: delimited(rows, "\t")),
    "blank lines": ("csv", lambda rows: b"\n" + delimited(rows) + b"\n\n"),
    "no last line end": ("csv", lambda rows: delimited(rows).rstrip(b"\n")),
    "gzip": ("csv.gz", lambda rows: gzip.compress(delimited(rows))),
    "no suffix": ("", delimited),
    "json lines": ("jsonl", json_lines),
    "json lines, mark and Windows": ("jsonl", lambda rows: BOM + json_lines(rows).replace(b"\n", b"\r\n")),
    "json list": ("json", json_list),
    "json list, gzip": ("json.gz", lambda rows: gzip.compress(json_list(rows))),
    "parquet": ("parquet", parquet_file),
    "feather": ("feather", arrow_file),
    "arrow stream": ("arrow", arrow_stream),
    "numpy archive": ("npz", numpy_archive),
}
