"""Argilla: records with nested responses, and flattened ones.

Shapes as version 2.8 writes them. Only the flattened form says which responses are drafts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError
from softtruth.inputs.exports.records import one_question, other_keys, text_of
from softtruth.inputs.exports.shapes import Shapes
from softtruth.inputs.exports.submissions import Export, Status, Submission

if TYPE_CHECKING:
    from collections.abc import Sequence

RESPONSES = ".responses"
HELD = ("metadata", "fields")  # where an id may stand, beside the record itself
STATUS: dict[str, Status] = {"submitted": "vote", "draft": "draft", "discarded": "discarded", "pending": "empty"}


def is_nested(record: dict[str, Any]) -> bool:
    """Whether a record holds responses by question."""
    held = record.get("responses")
    return isinstance(held, dict) and all(isinstance(v, list) for v in held.values()) and "id" in record


def is_flat(names: Sequence[str]) -> bool:
    """Whether keys are those of flattened records."""
    return any(f"{name}.users" in names for name in names if name.endswith(RESPONSES))


def from_nested(path: str, records: list[dict[str, Any]], question: str | None, item: str | None) -> Export:
    """Return the answers in nested records: their drafts cannot be told from answers, and the export says so.

    Parameters
    ----------
    path
        The file, for messages.
    records
        Its records.
    question
        The question to read, where there are several.
    item
        The key of the item's id (also inside ``metadata`` and ``fields``); ``id`` by default.

    Raises
    ------
    InputError
        If the question is not clear, or an item has no id.
    """
    shapes = Shapes(path)
    found: dict[str, int] = {}
    for record in records:
        answered = shapes.record(record, "responses")
        for name in answered:
            found[name] = found.get(name, 0) + len(shapes.entries(answered, name))
    asked = one_question(path, found, question)
    submissions = []
    for record in records:
        name = _item(shapes, record, item)
        for answer in shapes.records(shapes.record(record, "responses"), asked):
            labels = _labels(path, answer.get("value"))
            person = text_of(answer.get("user_id"))
            submissions.append(Submission(name, person, labels, "vote" if labels else "empty"))
    note = (
        "nested records do not say which responses are drafts or discarded, so that all of them count: export with "
        "to_list(flatten=True) to leave those out."
    )
    parts = (part for r in records for part in (r, *(shapes.record(r, name) for name in HELD)))
    keys = other_keys(parts, "status", item or "id")
    return Export("Argilla, nested records", tuple(submissions), notes=(note,), keys=keys)


def from_flat(path: str, records: list[dict[str, Any]], question: str | None, item: str | None) -> Export:
    """Return the answers in flattened records.

    Parameters
    ----------
    path, records, question, item
        As for ``from_nested``.

    Raises
    ------
    InputError
        If the question is not clear, an item has no id, or the lists of a record differ in length.
    """
    shapes = Shapes(path)
    found: dict[str, int] = {}
    for record in records:
        for key in record:
            if key.endswith(RESPONSES):
                name = key.removesuffix(RESPONSES)
                found[name] = found.get(name, 0) + len(shapes.entries(record, key))
    asked = one_question(path, found, question)
    submissions = []
    for record in records:
        name = _item(shapes, record, item)
        values, people, states = (
            shapes.entries(record, f"{asked}{RESPONSES}{end}") for end in ("", ".users", ".status")
        )
        if len({len(values), len(people), len(states)}) > 1:
            msg = f"{path}: item {name!r} has {len(values)} responses, {len(people)} users and {len(states)} statuses."
            raise InputError(msg)
        for value, person, state in zip(values, people, states, strict=True):
            labels = _labels(path, value)
            status = STATUS.get(str(state), "empty")
            status = "empty" if status == "vote" and not labels else status
            submissions.append(Submission(name, text_of(person), labels, status))
    keys = other_keys(records, "status", item or "id")
    return Export("Argilla, flattened records", tuple(submissions), keys=keys)


def _item(shapes: Shapes, record: dict[str, Any], key: str | None) -> str:
    places = (record, *(shapes.record(record, name) for name in HELD if key))
    name = text_of(next((place[key or "id"] for place in places if (key or "id") in place), None))
    if name is None:
        msg = f"{shapes.path}: a record has no {key or 'id'!r}. Name the key of the item's id with --item."
        raise InputError(msg)
    return name


def _labels(path: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if any(isinstance(v, dict) for v in values):
        msg = (
            f"{path}: an answer is a ranking or a span; expected labels or ratings. Name another question with --label."
        )
        raise InputError(msg)
    return tuple(dict.fromkeys(text for v in values if (text := text_of(v)) is not None))
