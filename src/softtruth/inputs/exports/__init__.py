"""Files of annotation tools, told by what is in them: Label Studio, Prodigy, Argilla, doccano, lists of annotations."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from softtruth.inputs.exports import argilla, doccano, label_studio, prodigy, records_of_people
from softtruth.inputs.exports.records import head_of, is_zip, members_of, read_records
from softtruth.inputs.exports.submissions import Export, Submission
from softtruth.inputs.vocabulary import ITEM

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Export", "Submission", "looks_like_export", "read_export"]

MARKS = (
    *('"annotations"', '"completions"', '"annotation_id"', '"_input_hash"', '"_task_hash"', '"responses"'),
    *('.responses"', '"Comments"'),
)


def looks_like_export(plain: str) -> bool:
    """Whether the beginning of an uncompressed file may be that of an export; ``read_export`` looks closer."""
    if is_zip(plain):
        return True
    head = head_of(plain)
    if head[:1] in "{[" and head:
        return any(mark in head for mark in MARKS) or '"annotator' in head or '"worker' in head
    try:
        return label_studio.is_short(next(csv.reader([head.split("\n", 1)[0].strip()]), []))
    except csv.Error:  # binary data, which may hold any sign
        return False


def read_export(
    path: str, plain: str | None = None, *, question: str | None = None, item: str | None = None
) -> Export | None:
    """Return the answers in the file of an annotation tool, or None when it is no such file.

    Parameters
    ----------
    path
        The file as the user names it.
    plain
        The uncompressed file, where it is another one.
    question
        Which question to read, where the file holds several.
    item
        The key of the item's id; each tool has its own by default.

    Raises
    ------
    InputError
        If the file is of a tool, but cannot be read; the sentence says what to do.
    """
    plain = path if plain is None else plain
    if not looks_like_export(plain):
        return None
    if is_zip(plain):
        return doccano.from_members(path, members_of(path, plain), item)
    if head_of(plain)[:1] not in "{[":
        with Path(plain).open(encoding="utf-8-sig", newline="") as stream:
            rows: list[dict[str, Any]] = list(csv.DictReader(stream))
        return label_studio.from_short(path, rows, question, item, tool="Label Studio, CSV")
    records = read_records(path, plain)
    return _of_records(path, records, question, item) if records else None


def _of_records(path: str, records: list[dict[str, Any]], question: str | None, item: str | None) -> Export | None:
    first = records[0]
    names = list(first)
    known: tuple[tuple[bool, Callable[[], Export]], ...] = (
        (prodigy.is_prodigy(first), lambda: prodigy.from_lines(path, records, item)),
        (label_studio.is_full(first), lambda: label_studio.from_full(path, records, question, item)),
        (
            label_studio.is_short(names),
            lambda: label_studio.from_short(path, records, question, item, tool="Label Studio, JSON_MIN"),
        ),
        (argilla.is_flat(names), lambda: argilla.from_flat(path, records, question, item)),
        (argilla.is_nested(first), lambda: argilla.from_nested(path, records, question, item)),
        (doccano.is_doccano(first), lambda: doccano.from_members(path, {path: records}, item)),
    )
    read = next((reader for fits, reader in known if fits), None)
    if read is not None:
        return read()
    column = records_of_people.people_column(first)
    key = item or next((name for name in ITEM if name in first), None)
    if column is None or key is None:
        return None
    return records_of_people.from_records(path, records, column, key)
