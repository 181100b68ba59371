"""Label Studio: the full JSON, JSON_MIN, and CSV.

Shapes as label-studio-sdk 2.1 writes them. The full JSON says everything; the two short forms drop skipped answers and
the mark of gold.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, shown
from softtruth.inputs.exports.records import one_question, text_of
from softtruth.inputs.exports.shapes import Shapes
from softtruth.inputs.exports.submissions import Export, Submission

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("choices", "rating", "number", "taxonomy")
META = frozenset(
    ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "inner_id", "total_annotations")
)
SHORT = "this form of the export drops skipped answers and does not mark gold ones; the full JSON says both."
MOST = 50  # different values; more are a text and no question


def is_full(record: dict[str, Any]) -> bool:
    """Whether a record is a task with its annotations."""
    held = record.get("annotations", record.get("completions"))
    return isinstance(held, list) and all(isinstance(a, dict) and "result" in a for a in held)


def is_short(names: Sequence[str]) -> bool:
    """Whether keys or columns are those of JSON_MIN or CSV."""
    return {"annotation_id", "annotator"} <= set(names)


def from_full(path: str, tasks: list[dict[str, Any]], question: str | None, item: str | None) -> Export:
    """Return the answers in the full JSON.

    Parameters
    ----------
    path
        The file, for messages.
    tasks
        Its records.
    question
        The tag (``from_name``) to read, where there are several.
    item
        The key of the task's data that holds the item's id; the task's number by default.

    Raises
    ------
    InputError
        If the question is not clear, an item has no id, or a label belongs to a part of an item.
    """
    shapes = Shapes(path)
    results = (r for task in tasks for a in _annotations(shapes, task) for r in _results(shapes, a))
    asked = one_question(path, dict(Counter(str(r.get("from_name")) for r in results)), question)
    submissions = []
    for task in tasks:
        name = _item(shapes, task, item)
        submissions += [_submission(shapes, name, a, asked) for a in _annotations(shapes, task)]
        submissions += [Submission(name, _person(d.get("user")), status="draft") for d in _dicts(task.get("drafts"))]
    guesses = sum(len(_dicts(task.get("predictions"))) for task in tasks)
    notes = (f"{guesses:,} predictions of models in the file are not read.",) if guesses else ()
    keys = dict.fromkeys(key for task in tasks for key in shapes.record(task, "data") if key != item)
    return Export("Label Studio, full JSON", tuple(submissions), notes=notes, keys=tuple(keys))


def _annotations(shapes: Shapes, task: dict[str, Any]) -> list[dict[str, Any]]:
    return shapes.records(task, "annotations") or shapes.records(task, "completions")


def _results(shapes: Shapes, annotation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of an annotation that are labels."""
    return [result for result in shapes.records(annotation, "result") if str(result.get("type")) in KINDS]


def _dicts(value: Any) -> list[dict[str, Any]]:
    """Return the records of a list; some forms of the export hold only numbers there."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _item(shapes: Shapes, task: dict[str, Any], key: str | None) -> str:
    held = shapes.record(task, "data")
    value = task.get("id") if key is None or (key == "id" and "id" not in held) else held.get(key)
    name = text_of(value)
    if name is None:
        where = "id" if key is None else f"data.{key}"
        msg = f"{shapes.path}: a task has no {where} (its data have {', '.join(map(shown, held))}). Name another with "
        msg += "--item reference:KEY."
        raise InputError(msg)
    return name


def _person(value: Any) -> str | None:
    """Return who answered: a number in some exports, a record in others."""
    if isinstance(value, dict):
        return text_of(value.get("email") or value.get("id"))
    return text_of(value)


def _submission(shapes: Shapes, item: str, annotation: dict[str, Any], question: str) -> Submission:
    person = _person(annotation.get("completed_by"))
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return Submission(item, person, status="skipped")
    results = [result for result in _results(shapes, annotation) if str(result.get("from_name")) == question]
    if len(results) > 1:
        msg = (
            f"{shapes.path}: an answer to {shown(question)} about item {shown(item)} has {len(results)} results, so "
            "that they are about parts of the item; expected one for the whole item."
        )
        raise InputError(msg)
    labels = _labels(shapes, results[0]) if results else ()
    if annotation.get("ground_truth"):
        return Submission(item, person, labels, "gold")
    return Submission(item, person, labels) if labels else Submission(item, person, status="empty")


def _labels(shapes: Shapes, result: dict[str, Any]) -> tuple[str, ...]:
    held = shapes.record(result, "value")
    value = held.get(result["type"])
    if result["type"] == "taxonomy":  # each pick is a path from the root
        picks = shapes.entries(held, "taxonomy")
        value = ["/".join(map(str, pick)) if isinstance(pick, list) else pick for pick in picks]
    values = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for v in values if (text := text_of(v)) is not None))


def from_short(path: str, rows: list[dict[str, Any]], question: str | None, item: str | None, *, tool: str) -> Export:
    """Return the answers in JSON_MIN or CSV: one row for each annotation.

    Parameters
    ----------
    path, question, item
        As for ``from_full``; ``item`` is a column, ``id`` by default.
    rows
        The records.
    tool
        The form, in words.

    Raises
    ------
    InputError
        If the question is not clear, or an item has no id.
    """
    asked = one_question(path, _questions(rows), question)
    submissions = []
    for number, row in enumerate(rows, 1):
        name = text_of(row.get(item or "id"))
        if name is None:
            held = ", ".join(shown(key) for key in row if key not in {*META, asked})
            msg = f"{path} row {number} has no item id in {item or 'id'!r} (it has {held}). Name another with --item "
            msg += "reference:KEY."
            raise InputError(msg)
        labels = _picks(row.get(asked))
        submissions.append(Submission(name, _person(row.get("annotator")), labels, "vote" if labels else "empty"))
    keys = dict.fromkeys(key for row in rows for key in row if key not in {*META, asked, item})
    return Export(tool, tuple(submissions), notes=(SHORT,), keys=tuple(keys))


def _picks(value: Any) -> tuple[str, ...]:
    """Return the labels of one cell: one pick is plain, several are a record, in CSV written as JSON."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value)
        except ValueError:
            return (value,)
    for key in ("choices", "taxonomy", "rating", "number"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    if isinstance(value, dict):
        return ()
    values = value if isinstance(value, list) else [value]
    values = ["/".join(map(str, v)) if isinstance(v, list) else v for v in values]
    return tuple(dict.fromkeys(text for v in values if (text := text_of(v)) is not None))


def _questions(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return the columns that may be questions: few values, or several picks in a record.

    The data of the item stand beside the answers. They say the same in every row of an item, and in JSON_MIN they come
    before ``id``, while answers stand between ``id`` and ``annotator``.
    """
    names = [name for name in dict.fromkeys(key for row in rows for key in row) if name not in META]
    said = {name: [text for row in rows if (text := text_of(row.get(name))) is not None] for name in names}
    picked = [name for name in names if any(v.startswith(('{"choices"', '{"taxonomy"')) for v in said[name])]
    few = [name for name in names if name in picked or 0 < len(set(said[name])) <= MOST]
    keys = list(rows[0]) if rows else []
    if "id" in keys and keys.index("id") < keys.index("annotator"):
        few = [name for name in few if name in keys[keys.index("id") : keys.index("annotator")]] or few
    differing = [name for name in few if name in picked or not _same_within_items(rows, name)]
    return {name: len(said[name]) for name in differing or few}


def _same_within_items(rows: list[dict[str, Any]], name: str) -> bool:
    """Whether a column says the same in every row of an item, in a file in which items come again."""
    said: dict[str | None, set[str | None]] = {}
    for row in rows:
        said.setdefault(text_of(row.get("id")), set()).add(text_of(row.get(name)))
    return len(said) < len(rows) and all(len(values) == 1 for values in said.values())
