"""Items that one file knows by a path or an address, and another by the name of the file alone."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from softtruth.errors import InputError, shown
from softtruth.inputs.columns import Columns

if TYPE_CHECKING:
    from softtruth.inputs.side import Side

# Label Studio puts eight letters before the name of a file that was uploaded.
UPLOADED = re.compile(r".*/upload/[^/]+/[0-9a-f]{8}-")
FOLDERS = re.compile(r".*[/\\=]")


def file_name(item: str) -> str:
    r"""Return the name of the file at the end of a path or an address.

    Examples
    --------
    >>> (
    ...     file_name("s3://photos/2024/cat.jpg"),
    ...     file_name("/data/local-files/?d=cat.jpg"),
    ...     file_name(r"C:\\photos\\cat.jpg"),
    ... )
    ('cat.jpg', 'cat.jpg', 'cat.jpg')
    >>> file_name("/data/upload/7/0f3a9c2e-cat.jpg"), file_name("cat.jpg")
    ('cat.jpg', 'cat.jpg')
    """
    return FOLDERS.sub("", UPLOADED.sub("", item, count=1), count=1)


def side_by_file_names(side: Side) -> Side:
    """Return the side with its items known by their file names.

    Raises
    ------
    InputError
        When two items have the same file name.
    """
    if side.items is None:
        return side
    seen: dict[str, str] = {}
    for item in side.ids():
        other = seen.setdefault(file_name(item), item)
        if other != item:
            raise InputError(
                f"{side.path}: the items {shown(other)} and {shown(item)} have the same file name, so that "
                "--file-names cannot tell them apart. Leave it out, and write the items alike in all files."
            )
    return replace(side, items=pa.array(list(seen), pa.string()))


def columns_by_file_names(columns: Columns, item: str | None) -> Columns:
    """Return the columns with the items known by their file names."""
    if item is None:
        return columns
    coded = columns.coded(item).renamed(file_name)
    ids = coded.values.take(pa.array(coded.codes, mask=coded.codes < 0))
    return Columns(columns.table.set_column(columns.names.index(item), item, ids), columns.path)
