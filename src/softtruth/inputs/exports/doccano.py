"""doccano: a zip with one file for each annotator, or for all; or one such file alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softtruth.errors import InputError
from softtruth.inputs.exports.records import other_keys, text_of
from softtruth.inputs.exports.submissions import Export, Submission


def is_doccano(record: dict[str, Any]) -> bool:
    """Whether a record is an example of doccano."""
    return isinstance(record.get("label"), list) and "Comments" in record


def from_members(path: str, members: dict[str, list[dict[str, Any]]], item: str | None) -> Export:
    """Return the answers of all files: the name of a file is its annotator, except ``all``, which names nobody.

    Parameters
    ----------
    path
        The file, for messages.
    members
        The records of each file.
    item
        The key of the item's id; ``id`` by default.

    Raises
    ------
    InputError
        If an item has no id, or the labels are spans.
    """
    submissions = []
    for member, records in members.items():
        stem = Path(member).name.rsplit(".", 1)[0]
        person = None if stem == "all" else stem
        submissions += [_submission(path, record, person, item) for record in records]
    keys = other_keys((r for records in members.values() for r in records), item or "id")
    return Export("doccano", tuple(submissions), keys=keys)


def _submission(path: str, record: dict[str, Any], person: str | None, key: str | None) -> Submission:
    name = text_of(record.get(key or "id"))
    if name is None:
        msg = f"{path}: an example has no {key or 'id'!r}. Name the key of the item's id with --item."
        raise InputError(msg)
    picks = record.get("label", [])
    picks = picks if isinstance(picks, list) else [picks]
    if any(isinstance(pick, (list, dict)) for pick in picks):
        msg = f"{path}: the labels of item {name!r} are spans of a text; expected labels of the whole item."
        raise InputError(msg)
    labels = tuple(dict.fromkeys(text for pick in picks if (text := text_of(pick)) is not None))
    return Submission(name, person, labels, "vote" if labels else "empty")
