"""Valid exports of annotation tools as JSON values, to be broken."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

CLASSES = ("good", "bad", "fair")
PEOPLE = ("ann", "bob", "cyd")
ITEMS = 5


def _pick(rng: Random) -> str:
    return rng.choice(CLASSES)


def label_studio(rng: Random) -> list[dict[str, Any]]:
    """Return the full JSON."""

    def result() -> dict[str, Any]:
        return {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": [_pick(rng)]}}

    def annotation(person: str) -> dict[str, Any]:
        return {"completed_by": {"email": person}, "was_cancelled": False, "ground_truth": False, "result": [result()]}

    return [
        {"id": i, "data": {"text": "x", "key": f"k{i}"}, "annotations": [annotation(p) for p in PEOPLE], "drafts": []}
        for i in range(ITEMS)
    ]


def label_studio_short(rng: Random) -> list[dict[str, Any]]:
    """Return the short JSON."""
    rows = [(i, person) for i in range(ITEMS) for person in PEOPLE]
    return [
        {"text": "x", "id": i, "mood": _pick(rng), "annotator": person, "annotation_id": number, "lead_time": 1.5}
        for number, (i, person) in enumerate(rows)
    ]


def prodigy(rng: Random) -> list[dict[str, Any]]:
    """Return answers of a choice task."""
    options = [{"id": name, "text": name} for name in CLASSES]
    return [
        {
            "text": "x", "_input_hash": i, "_task_hash": 10 * i, "options": options, "accept": [_pick(rng)],
            "answer": rng.choice(["accept", "accept", "ignore", "reject"]), "_annotator_id": person,
        }
        for i in range(ITEMS)
        for person in PEOPLE
    ]  # fmt: skip


def prodigy_binary(rng: Random) -> list[dict[str, Any]]:
    """Return yes and no to labels."""
    return [
        {"text": "x", "_input_hash": i, "_task_hash": i, "label": "good", "answer": rng.choice(["accept", "reject"])}
        for i in range(ITEMS)
    ]


def argilla_nested(rng: Random) -> list[dict[str, Any]]:
    """Return nested records."""
    return [
        {"id": str(i), "fields": {}, "responses": {"mood": [{"value": _pick(rng), "user_id": p} for p in PEOPLE]}}
        for i in range(ITEMS)
    ]


def argilla_flat(rng: Random) -> list[dict[str, Any]]:
    """Return flattened records."""
    return [
        {
            "id": str(i), "mood.responses": [_pick(rng) for _ in PEOPLE], "mood.responses.users": list(PEOPLE),
            "mood.responses.status": ["submitted"] * len(PEOPLE),
        }
        for i in range(ITEMS)
    ]  # fmt: skip


def doccano(rng: Random) -> list[dict[str, Any]]:
    """Return the examples of one annotator."""
    return [{"id": i, "text": "x", "label": [_pick(rng)], "Comments": []} for i in range(ITEMS)]


def lists_of_people(rng: Random) -> list[dict[str, Any]]:
    """Return records that list their annotations, as data sets of Hugging Face do."""
    return [
        {"id": i, "text": "x", "votes": [{"annotator": person, "label": _pick(rng)} for person in PEOPLE]}
        for i in range(ITEMS)
    ]


def records_of_lists(rng: Random) -> list[dict[str, Any]]:
    """Return records of lists."""
    return [
        {"id": i, "votes": {"annotator": list(PEOPLE), "label": [_pick(rng) for _ in PEOPLE]}} for i in range(ITEMS)
    ]


TOOLS = (
    *(label_studio, label_studio_short, prodigy, prodigy_binary, argilla_nested, argilla_flat, doccano),
    *(lists_of_people, records_of_lists),
)


def as_list(tree: Any) -> bytes:
    """Return one JSON list."""
    return json.dumps(tree).encode()


def as_lines(tree: Any) -> bytes:
    """Return one value a line."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in (tree if isinstance(tree, list) else [tree]))


def as_zip(tree: Any, names: tuple[str, ...] = ("ann.jsonl", "../../bob.jsonl", "all.jsonl")) -> bytes:
    """Return a zip with a file for each annotator."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, as_lines(tree))
    return stream.getvalue()
