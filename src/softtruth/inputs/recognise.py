"""Recognise what a table holds, from the names of its columns and the values in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softtruth.inputs import vocabulary
from softtruth.inputs.header import refuse_headless
from softtruth.inputs.readings import (
    Reading,
    label_side,
    matching,
    read_as,
    wide,
    wide_kind,
)
from softtruth.inputs.vocabulary import (
    KNOWN_PREFIXES,
    classes_in_names,
    plain,
    side_of_label,
    side_of_prefix,
    split_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.inputs.columns import Columns


@dataclass(frozen=True)
class Hints:
    """Column names that the user gave for one file; each replaces a guess."""

    item: str | None = None
    label: str | None = None
    annotator: str | None = None
    finding: str | None = None


def recognise(columns: Columns, item: str | None, hints: Hints) -> list[Reading]:
    """Return every reading of a table, the likeliest first; facts about items are always possible.

    Parameters
    ----------
    columns
        The table.
    item
        The column of item ids, None when rows have no ids.
    hints
        What the user said.
    """
    if hints == Hints():  # who names columns has seen the header
        refuse_headless(columns)
    rest = [name for name in columns.names if name != item]
    annotator = hints.annotator or _named(columns, rest, vocabulary.ANNOTATOR)
    found: list[Reading] = []
    if annotator is not None and (long := _long(columns, rest, annotator, hints)):
        rest = [name for name in rest if name not in {*long.columns, long.annotator, long.finding}]
        beside = [*_groups(columns, rest), *_single(columns, rest)] if long.kind == "annotations" else []
        return [long, *(reading for reading in beside if reading.side == "prediction"), Reading("items")]
    rest = [name for name in rest if name != annotator]
    if hints.label:
        named = matching(columns, hints.label, "--label")
        found.append(read_as(columns, named, "either"))
        rest = [name for name in rest if name not in named]
    groups = _groups(columns, rest)
    found += groups
    rest = [name for name in rest if not any(name in g.columns for g in groups)]
    found += _single(columns, rest)
    unnamed = _unnamed(columns, [name for name in rest if not any(name in r.columns for r in found)])
    # Beside columns that are known by name, only rows that sum to one are beyond doubt.
    found += [reading for reading in unnamed if not found or reading.kind == "distribution"]
    found = [_anonymous(columns, item, reading, hints) for reading in found]
    return [*found, Reading("items")]


def item_column(columns: Columns, hint: str | None) -> str | None:
    """Return the column of item ids: the one named, one known by its name, else one that tells the rows apart."""
    if hint is not None:
        return columns.require(hint, "--item")
    known = {plain(name): name for name in reversed(columns.names)}
    for name in vocabulary.ITEM:
        if name in known and columns.facts(known[name]).kind in {"text", "whole", "number"}:  # ids are text
            return known[name]
    likely = [name for name in columns.names if plain(name).endswith("_id") and columns.facts(name).unique]
    first = columns.names[0]
    named = side_of_label(first) or split_name(first, KNOWN_PREFIXES) or plain(first) in vocabulary.SCORE
    if columns.facts(first).kind in {"text", "whole"} and columns.facts(first).unique and len(columns.names) > 1:
        likely += [] if named else [first]
    return likely[0] if likely else None


def _named(columns: Columns, names: Iterable[str], vocabulary_: Sequence[str]) -> str | None:
    known = {plain(name): name for name in names}
    return next((known[name] for name in vocabulary_ if name in known and len(columns)), None)


def _long(columns: Columns, rest: Sequence[str], annotator: str, hints: Hints) -> Reading | None:
    """Long annotations: an annotator column and a label column."""
    columns.require(annotator, "--annotator")
    others = [name for name in rest if name != annotator]
    if rank := _named(columns, others, vocabulary.RANK):
        return Reading("rankings", (rank,), annotator=annotator)
    finding = hints.finding or _named(columns, others, vocabulary.FINDING)
    if finding:
        others = [name for name in others if name != columns.require(finding, "--finding")]
    names = (*vocabulary.LABEL, *vocabulary.REFERENCE_LABEL, *vocabulary.PREDICTION_LABEL)
    label = columns.require(hints.label, "--label") if hints.label else _named(columns, others, names)
    if label is None and len(others) == 1:
        label = others[0]
    if label is None:
        return None
    return Reading("annotations", (label,), annotator=annotator, finding=finding)


def _groups(columns: Columns, names: Sequence[str]) -> list[Reading]:
    """Columns under one prefix, such as `p_cat, p_dog`, or `votes.cat, votes.dog` from a record."""
    groups: dict[str, list[str]] = {}
    for name in names:
        known = split_name(name, KNOWN_PREFIXES)
        if side_of_label(name) is not None or plain(name) in vocabulary.SCORE:
            continue
        prefix = known[0] if known else name.rpartition(".")[0]
        rest = known[1] if known else name.rpartition(".")[2]
        total = prefix in vocabulary.VOTES_PREFIX and plain(rest) in vocabulary.TOTALS
        if prefix and not total:
            groups.setdefault(prefix, []).append(name)
    found = []
    for prefix, members in groups.items():
        numeric = [columns.facts(name).numeric for name in members]
        side = side_of_prefix(prefix) or "either"
        if len(members) > 1 and 2 * sum(numeric) > len(numeric):
            found.append(wide(columns, members, side))
        elif len(members) == 1 and prefix in vocabulary.PREDICTION_PREFIX and columns.facts(members[0]).unit:
            found.append(Reading("score", tuple(members), class_names_of_one(members[0]), side))
    return found


def class_names_of_one(name: str) -> tuple[str, ...]:
    """Return the class that a single column such as `p_yes` is about."""
    known = split_name(name, KNOWN_PREFIXES)
    return (known[1],) if known else ()


def _single(columns: Columns, names: Sequence[str]) -> list[Reading]:
    """Columns known by name: a label, a prediction, a score, a list of tags."""
    found = []
    for name in names:
        facts = columns.facts(name)
        if facts.kind == "lists" and side_of_label(name):
            found.append(Reading("tags", (name,), side=label_side(name)))
        elif plain(name) in vocabulary.SCORE and facts.numeric:
            found.append(Reading("score", (name,), side="prediction"))
        elif side_of_label(name) and facts.kind in {"text", "whole"}:
            found.append(Reading("labels", (name,), side=label_side(name)))
        elif side_of_label(name) and facts.kind == "number":
            found.append(Reading("score", (name,), side=label_side(name)))
    return found


def _unnamed(columns: Columns, names: Sequence[str]) -> list[Reading]:
    """Columns whose names say nothing: judged by their values alone."""
    facts = {name: columns.facts(name) for name in names if columns.facts(name).kind != "empty"}
    numeric = [name for name, f in facts.items() if f.numeric]
    text = [name for name, f in facts.items() if f.kind == "text"]
    if len(facts) == 1:
        name, only = next(iter(facts.items()))
        return [read_as(columns, [name], "either")] if only.kind != "lists" or _is_text_list(columns, name) else []
    if len(numeric) > 1:
        kind = wide_kind(columns.matrix(numeric))
        everything = len(numeric) == len(facts)
        small = max(facts[name].high for name in numeric) <= 1000
        if kind == "distribution" or (everything and (kind != "scores" and small)):
            return [Reading(kind, tuple(numeric), () if kind == "labels" else classes_in_names(numeric))]
    if len(text) > 1 and len(text) == len(facts) and _same_values(columns, text):
        return [Reading("labels", tuple(text))]
    return []


def _is_text_list(columns: Columns, name: str) -> bool:
    return "string" in str(columns.table[name].type)


def _same_values(columns: Columns, names: Sequence[str]) -> bool:
    """Whether text columns draw on one small set of values, as models or annotators beside each other do."""
    values = [set(columns.coded(name).names) for name in names]
    shared = [len(v & set().union(*values[:i], *values[i + 1 :])) for i, v in enumerate(values)]
    few = len(set().union(*values)) <= max(50, len(columns) // 2)
    return few and all(2 * n >= len(v) for n, v in zip(shared, values, strict=True))


def _anonymous(columns: Columns, item: str | None, reading: Reading, hints: Hints) -> Reading:
    """Labels of items that come again and again are votes, even when no column says whose."""
    if item is None or reading.kind != "labels" or len(reading.columns) > 1 or reading.side == "prediction":
        return reading
    coded = columns.coded(item)
    if len(coded.values) == np.count_nonzero(coded.codes >= 0):
        return reading
    return Reading("annotations", reading.columns, side=reading.side, finding=hints.finding)
