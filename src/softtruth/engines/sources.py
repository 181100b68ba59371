"""What the columns of one side hold, in the order of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.engines.plan import Source
from softtruth.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.inputs.readings import Reading

Changes = list[tuple[str | None, str, str]]  # scope, old name of a class, new one
KINDS = {
    "votes": "votes", "distribution": "distribution", "one-hot": "labels", "indicators": "labels",
    "marginals": "distribution", "labels": "labels", "score": "distribution", "annotations": "vote_list",
    "scores": "distribution",
}  # fmt: skip


def source_of(reading: Reading, labels: tuple[Any, ...], kind: Any, changes: Changes, scopes: Sequence[str]) -> Source:
    """Return the columns in the order of the classes, where their names say which is which.

    Raises
    ------
    InputError
        If the number of columns is another than that of the classes, or their names fit no order of these.
    """
    names = [str(label) for label in labels]
    own = tuple((old, new) for scope, old, new in changes if scope is None or scope in scopes)
    if len(reading.columns) == 1:
        return Source(kind, reading.columns, own)
    if len(reading.columns) != len(labels):
        msg = f"{listed(reading.columns)} are {len(reading.columns)} columns for {len(labels)} classes."
        raise InputError(msg)
    if set(reading.classes) == set(names):
        return Source(kind, tuple(reading.columns[reading.classes.index(name)] for name in names), own)
    ends = [[column for column in reading.columns if column.endswith(name)] for name in names]
    if all(len(found) == 1 for found in ends) and len({found[0] for found in ends}) == len(names):
        return Source(kind, tuple(found[0] for found in ends), own)
    if set(reading.classes) & set(names):
        msg = (
            f"the columns {listed(reading.columns)} are of the classes {listed(reading.classes)}, expected "
            f"{listed(names)}; rename them with rename= (--map OLD=NEW), or correct labels= (--labels)."
        )
        raise InputError(msg)
    return Source(kind, reading.columns, own)  # names that say nothing: in the order of the columns


def reference_kind(reading: Reading, given: str, task: str) -> str:
    """Return what a reference holds, as ``IndicatorMatrix`` calls it; ``given`` is what the user says."""
    if given != "auto" and reading.kind != "annotations":
        return given
    kind = KINDS[reading.kind]
    return "labels" if reading.kind == "score" and task == "multilabel" else kind


def prediction_kind(reading: Reading, kind: str, task: str) -> str:
    """Return what a prediction holds; ``kind`` is what the user says."""
    if kind != "auto":
        return kind
    # Columns that do not sum to one are scores where classes exclude each other.
    if reading.kind == "scores" or (task != "multilabel" and reading.kind in {"indicators", "marginals"}):
        return "scores"
    return "labels" if KINDS[reading.kind] == "labels" else "probabilities"


def named(kinds: str | Mapping[str, str], name: str) -> str:
    """Return the kind that the user gave for one prediction."""
    return kinds if isinstance(kinds, str) else kinds.get(name, "auto")
