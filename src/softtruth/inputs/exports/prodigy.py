"""Prodigy: JSON lines of ``db-out``, of choice tasks and of binary ones.

Shapes as its documentation and users' files show them (https://prodi.gy/docs/api-interfaces).
"""

from __future__ import annotations

from typing import Any

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.exports.records import other_keys, text_of
from softtruth.inputs.exports.shapes import Shapes
from softtruth.inputs.exports.submissions import Export, Submission

YES, NO = "1", "0"
ANSWERS = ("accept", "reject", "ignore")


def is_prodigy(record: dict[str, Any]) -> bool:
    """Whether a record is an answer of Prodigy."""
    return "answer" in record and ("_input_hash" in record or "_task_hash" in record)


def from_lines(path: str, records: list[dict[str, Any]], item: str | None) -> Export:
    """Return the answers of a data set.

    A rejected label is a vote against that label, and not for another one: labels that were offered one at a time are
    yes/no questions of their own. A single label has the two classes ``NAME`` and ``not NAME``.

    Parameters
    ----------
    path
        The file, for messages.
    records
        Its lines.
    item
        The key that holds the item's id (also inside ``meta``); the hash of the input by default, which is the same
        for all questions about one input.

    Raises
    ------
    InputError
        If an item has no id, or the file holds neither choices nor labels.
    """
    shapes = Shapes(path)
    offered = dict.fromkeys(str(r["label"]) for r in records if "accept" not in r and "label" in r)
    submissions = [_submission(shapes, record, item, tuple(offered)) for record in records]
    options = dict.fromkeys(
        text for r in records for o in shapes.records(r, "options") if (text := text_of(o.get("id"))) is not None
    )
    classes = tuple(options)
    if not classes and len(offered) == 1:
        name = next(iter(offered))
        classes = (f"not {name}", name)
    if not classes and not offered:
        msg = (
            f"{path} holds neither choices (accept) nor labels; expected answers of a choice or a classification task."
        )
        raise InputError(msg)
    keys = other_keys((part for r in records for part in (r, shapes.record(r, "meta"))), "answer", "label", item or "")
    tool = "Prodigy, choices" if options else "Prodigy, yes or no to a label"
    return Export(tool, tuple(submissions), classes, keys=keys)


def _submission(shapes: Shapes, record: dict[str, Any], key: str | None, offered: tuple[str, ...]) -> Submission:
    item, person = _item(shapes, record, key), text_of(record.get("_annotator_id") or record.get("_session_id"))
    answer = record.get("answer")
    if answer not in ANSWERS:
        msg = (
            f"{shapes.path}: the answer about item {shown(item)} is {shown(answer)}, expected one of {listed(ANSWERS)}."
        )
        raise InputError(msg)
    if answer == "ignore":
        return Submission(item, person, status="skipped")
    if "accept" in record:
        picks = tuple(dict.fromkeys(str(pick) for pick in shapes.entries(record, "accept")))
        if answer == "reject":
            return Submission(item, person, status="rejected")
        return Submission(item, person, picks) if picks else Submission(item, person, status="empty")
    if "label" not in record:
        return Submission(item, person, status="empty")
    label, yes = str(record["label"]), answer == "accept"
    if len(offered) == 1:
        return Submission(item, person, (label if yes else f"not {label}",))
    return Submission(item, person, (YES if yes else NO,), finding=label)


def _item(shapes: Shapes, record: dict[str, Any], key: str | None) -> str:
    meta = shapes.record(record, "meta")
    names = ("_input_hash", "_task_hash") if key is None else (key,)
    value = next((v for n in names for v in (record.get(n), meta.get(n)) if v is not None), None)
    name = text_of(value)
    if name is None:
        msg = f"{shapes.path}: an answer has no {names[0]!r}. Name the key of the item's id with --item."
        raise InputError(msg)
    return name
