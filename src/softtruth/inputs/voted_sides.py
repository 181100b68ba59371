"""Sides that are made of votes: long annotations, and lists of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import natural_order, positive_of, truth_value
from softtruth.inputs.columns import Coded, Columns
from softtruth.inputs.nested import exploded, repeats
from softtruth.inputs.tally import count_findings, count_votes, without_repeats

if TYPE_CHECKING:
    from softtruth.inputs.readings import Reading
    from softtruth.inputs.side import Side, Source

ROW = "\x00row"  # no file can have a column of this name by chance


def annotation_votes(source: Source, reading: Reading) -> Side:
    """Return votes for each item and class, or for each item and finding, from one row for each vote.

    Raises
    ------
    InputError
        When an annotator votes twice on an item and nobody said which vote counts.
    """
    columns, column = source.columns, reading.columns[0]
    if source.item is None:
        raise InputError(f"{source.path}: annotations need a column of item ids; name it with --item.")
    items = columns.coded(source.item)
    coded, ignored = source.cleaned(columns.coded(column))
    rows = np.ones(len(columns), dtype=bool)
    guesses: tuple[str, ...] = ()
    if reading.annotator is None:
        guess = (
            f"{source.path}: no annotator column, so that each row counts as one vote and repeated votes of one person "
            "cannot be seen (override: --annotator)."
        )
        guesses = (guess,)
    else:
        keys = [source.item, reading.annotator, *([reading.finding] if reading.finding else [])]
        kept = without_repeats([columns.coded(k) for k in keys], columns, keys, source.wishes.duplicates)
        source, rows = replace(source, duplicated=kept.duplicated), kept.rows
    if reading.finding is None:
        given = tuple(dict.fromkeys(map(source.wishes.change, source.wishes.class_order.get(column, ()))))
        classes = (*given, *(name for name in natural_order(coded.names) if name not in given))
        values = count_votes(items, coded.recoded(classes), len(classes), rows)
        side = replace(source.side("counts", values, classes), items=items.values, ordered=bool(given))
    else:
        findings = columns.coded(reading.finding).renamed(source.wishes.change)
        answers, sentence = _answers(coded, source)
        guesses += (sentence,) if sentence else ()
        values = count_findings(items, findings.codes, answers, len(findings.values), rows)
        side = replace(source.side("answers", values, tuple(findings.names)), items=items.values, ordered=True)
    return replace(side, ignored=ignored, guesses=guesses)


def _answers(coded: Coded, source: Source) -> tuple[np.ndarray, str | None]:
    """Turn the labels of findings into 0 and 1, and say so when that took a guess."""
    names, positive, sentence = coded.names, source.wishes.positive, None
    truth = [truth_value(name) for name in names]
    if positive is not None:
        if positive not in names:
            raise InputError(f"{source.path} never holds --positive {shown(positive)}; it holds {listed(names)}.")
        truth = [int(name == positive) for name in names]
    elif None in truth and len(names) != 2:
        raise InputError(
            f"{source.path}: each finding needs two answers, present and absent, but these are {listed(names)}. "
            "Name the one that means present with --positive, and others to leave out with --ignore."
        )
    elif None in truth:
        yes, why = positive_of(natural_order(names))
        truth = [int(name == yes) for name in names]
        sentence = f"{source.path}: {yes!r} means present, {why} (override: --positive)."
    return np.array([*(t or 0 for t in truth), -1], dtype=np.int64)[coded.codes], sentence


def tag_lists(source: Source, column: str) -> Side:
    """Return what lists of names say: votes when a name can come twice, else labels that do not exclude each other."""
    columns, task = source.columns, source.wishes.task
    entry = columns.table[column].type.value_type
    if pa.types.is_nested(entry):
        msg = f"{source.path}: the lists in {column!r} hold {entry} values, expected names or numbers. Take these out."
        raise InputError(msg)
    votes = task in {"binary", "multiclass"} or (task is None and repeats(columns.table[column]))
    table = columns.table.select([column]).append_column(ROW, pa.array(np.arange(len(columns)), pa.int64()))
    long = Columns(exploded(table, column), source.path)
    coded, ignored = source.cleaned(long.coded(column))
    classes = tuple(natural_order(coded.names))
    rows = Coded(np.asarray(long.table[ROW], dtype=np.int64), pa.nulls(len(columns)))
    counts = count_votes(rows, coded.recoded(classes), len(classes), np.ones(len(long), dtype=bool))
    what = "votes" if votes else "tags (multilabel)"
    guess = f"{source.path}: the lists in {column!r} are {what} (override: --task)."
    side = source.side("counts", counts, classes) if votes else source.side("indicators", counts.clip(0, 1), classes)
    return replace(side, ignored=ignored, guesses=() if task else (guess,))
