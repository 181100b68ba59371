"""Columns of lists of records, as data sets of Hugging Face hold annotations: who said what, inside each item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError
from softtruth.inputs.exports.records import text_of
from softtruth.inputs.exports.submissions import Export, Submission
from softtruth.inputs.vocabulary import ANNOTATOR, LABEL, plain

if TYPE_CHECKING:
    from collections.abc import Iterable


def people_column(record: dict[str, Any]) -> str | None:
    """Return the key under which a record lists people's answers, if there is one."""
    for key, value in record.items():
        entries = _entries(value)
        if entries and _fields(entries[0]) is not None:
            return key
    return None


def from_records(path: str, records: Iterable[dict[str, Any]], column: str, item: str) -> Export:
    """Return the answers that lie inside the items.

    Parameters
    ----------
    path
        The file, for messages.
    records
        One for each item.
    column
        Where the answers are: a list of records, or a record of lists.
    item
        The key of the item's id.

    Raises
    ------
    InputError
        If an item has no id, or lists differ in length.
    """
    submissions = []
    for record in records:
        name = text_of(record.get(item))
        if name is None:
            msg = f"{path}: an item has no {item!r}. Name the key of the item's id with --item."
            raise InputError(msg)
        for entry in _entries(record.get(column)):
            found = _fields(entry)
            if found is None:
                msg = f"{path}: an answer about item {name!r} in {column!r} names no annotator or no label."
                raise InputError(msg)
            person, label = (entry[key] for key in found)
            values = label if isinstance(label, list) else [label]
            labels = tuple(dict.fromkeys(text for v in values if (text := text_of(v)) is not None))
            submissions.append(Submission(name, text_of(person), labels, "vote" if labels else "empty"))
    return Export(f"lists of annotations in {column!r}", tuple(submissions))


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return a list of records; a record of lists of one length is turned into one."""
    if isinstance(value, list):
        return [entry for entry in value if isinstance(entry, dict)]
    if isinstance(value, dict) and value and all(isinstance(v, list) for v in value.values()):
        lengths = {len(v) for v in value.values()}
        if len(lengths) == 1:
            return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
    return []


def _fields(entry: dict[str, Any]) -> tuple[str, str] | None:
    """Return the keys of the person and of the label."""
    known = {plain(key): key for key in entry}
    person = next((known[name] for name in ANNOTATOR if name in known), None)
    label = next((known[name] for name in LABEL if name in known), None)
    return None if person is None or label is None else (person, label)
