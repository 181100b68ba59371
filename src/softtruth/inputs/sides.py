"""Turn a file, read one way, into one side of the problem, or into one side for each model that it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import MOST_VOTES
from softtruth.inputs.classes import coded_numbers, natural_order
from softtruth.inputs.row_sums import checked_shares
from softtruth.inputs.tally import without_repeats
from softtruth.inputs.voted_sides import annotation_votes, tag_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.readings import Kind, Reading
    from softtruth.inputs.side import Form, Side, Source

FORMS: dict[Kind, Form] = {
    "votes": "counts",
    "distribution": "shares",
    "one-hot": "one-hot",
    "scores": "scores",
    "indicators": "indicators",
    "marginals": "indicators",
}


def build_sides(source: Source, reading: Reading) -> list[Side]:
    """Return the sides that a table holds: one, or one for each model when a prediction has several label columns.

    Parameters
    ----------
    source
        The table and what was asked of it.
    reading
        How the table is to be read.

    Raises
    ------
    InputError
        For rows without an item, repeated items, missing predictions, and values that are not what they should be.
    """
    _require_ids(source)
    if reading.kind == "annotations":
        return [annotation_votes(source, reading)]
    source = _one_row_per_item(source)
    if reading.kind == "labels":
        return _label_sides(source, reading.columns)
    if reading.kind == "tags":
        return [tag_lists(source, reading.columns[0])]
    return [_score(source, reading) if reading.kind == "score" else _wide(source, reading)]


def _label_sides(source: Source, names: Sequence[str]) -> list[Side]:
    if len(names) == 1:
        return [_labels(source, names[0])]
    if source.role == "reference":
        return [_label_columns(source, names)]
    return [_labels(replace(source, name=name), name) for name in names]


def _require_ids(source: Source) -> None:
    if source.item is None or not len(source.columns):
        return
    gaps = source.columns.coded(source.item).codes < 0
    if gaps.any():
        raise InputError(
            f"{source.path} row {int(np.argmax(gaps)) + 1} has no item id in {source.item!r} "
            f"({np.count_nonzero(gaps):,} in all). Give each row an id, or name the id column with --item."
        )


def _one_row_per_item(source: Source) -> Source:
    if source.item is None:
        return source
    columns, item = source.columns, source.item
    duplicates = None if source.wishes.duplicates == "keep" else source.wishes.duplicates
    kept = without_repeats([columns.coded(item)], columns, [item], duplicates)
    if not kept.duplicated:
        return source
    return replace(source, columns=columns.kept(kept.rows), duplicated=kept.duplicated)


def _labels(source: Source, column: str) -> Side:
    coded, ignored = source.cleaned(source.columns.coded(column))
    given = tuple(dict.fromkeys(map(source.wishes.change, source.wishes.class_order.get(column, ()))))
    classes = (*given, *(name for name in natural_order(coded.names) if name not in given))
    side = source.side("codes", coded.recoded(classes), classes)
    return replace(side, ordered=bool(given), ignored=ignored).complete(side.values < 0, source.words)


def _label_columns(source: Source, names: Sequence[str]) -> Side:
    """One column for each annotator: the columns vote."""
    cleaned = [source.cleaned(coded_numbers(source.columns, name)) for name in names]
    classes = tuple(natural_order({value for coded, _ in cleaned for value in coded.names}))
    votes = np.zeros((len(source.columns), len(classes)))
    for coded, _ in cleaned:
        codes = coded.recoded(classes)
        rows = np.nonzero(codes >= 0)[0]
        votes[rows, codes[rows]] += 1
    guess = f"{source.path}: the {len(names)} label columns count as {len(names)} annotators (override: --label)."
    ignored = sum(n for _, n in cleaned)
    return replace(source.side("counts", votes, classes), ignored=ignored, guesses=(guess,))


def _score(source: Source, reading: Reading) -> Side:
    values = source.columns.numbers(reading.columns[0])
    side = source.side("score", values, tuple(map(source.wishes.change, reading.classes)))
    _require_finite(source, values, reading.columns)
    return side.complete(np.isnan(values), source.words)


def _wide(source: Source, reading: Reading) -> Side:
    matrix = source.columns.matrix(reading.columns)
    _require_finite(source, matrix, reading.columns)
    if reading.kind == "votes":
        _require_countable(source, matrix, reading.columns)
    matrix, classes = _merged(matrix, reading, source)
    form, gaps = FORMS[reading.kind], np.isnan(matrix)
    side = replace(source.side(form, matrix, classes), ordered=True)
    if source.role == "prediction":
        side = side.complete(gaps.any(axis=1), source.words)
    elif form != "indicators":
        _require_whole_rows(source, gaps)
        side = _without_ignored(side)
    if form == "counts":
        return replace(side, values=np.nan_to_num(side.values, nan=0.0))
    if form != "shares":
        return side
    words = source.words if len(side) == len(matrix) else side.row_words
    values, sentences = checked_shares(side.values, words, source.path, normalize=source.wishes.normalize)
    return replace(side, values=values, sentences=(*side.sentences, *sentences))


def _require_finite(source: Source, values: np.ndarray, names: Sequence[str]) -> None:
    bad = np.isinf(values)
    if bad.any():
        where = np.argwhere(bad)[0]
        name = names[where[1]] if values.ndim > 1 else names[0]
        found = shown(float(values[tuple(where)]))
        raise InputError(f"{source.path} {source.words(int(where[0]))}: {name!r} is {found}, expected a finite number.")


def _require_countable(source: Source, votes: np.ndarray, names: Sequence[str]) -> None:
    bad = (votes < 0) | (votes > MOST_VOTES)
    if bad.any():
        row, column = (int(k) for k in np.argwhere(bad)[0])
        raise InputError(
            f"{source.path} {source.words(row)}: {names[column]!r} is {shown(float(votes[row, column]))}, expected a "
            f"count of votes, from 0 to {MOST_VOTES:,.0f}."
        )


def _require_whole_rows(source: Source, gaps: np.ndarray) -> None:
    partly = gaps.any(axis=1) & ~gaps.all(axis=1)
    if partly.any():
        raise InputError(
            f"{source.path} {source.words(int(np.argmax(partly)))} has a value for some classes and none for others "
            f"({np.count_nonzero(partly):,} in all); write 0, or leave the whole row empty."
        )


def _merged(matrix: np.ndarray, reading: Reading, source: Source) -> tuple[np.ndarray, tuple[str, ...]]:
    """Rename the classes of columns; columns that get the same name are added."""
    new = [source.wishes.change(name) for name in reading.classes]
    classes = tuple(dict.fromkeys(new))
    if len(classes) == len(new):
        return matrix, classes
    if reading.kind not in {"votes", "distribution", "one-hot"}:
        twice = [name for name in classes if new.count(name) > 1]
        raise InputError(
            f"{source.path}: --map gives one name to several columns ({listed(twice)}), but only votes and "
            "probabilities can be added."
        )
    into = np.array([[float(name == c) for c in classes] for name in new])
    return matrix @ into, classes


def _without_ignored(side: Side) -> Side:
    """Take the ignored classes out of a wide reference: a vote for them is no vote."""
    gone = np.array([name in side.source.wishes.ignore for name in side.classes])
    if not gone.any():
        return side
    keep = np.nonzero(~gone)[0]
    lost, values = np.nansum(side.values[:, gone], axis=1), side.values[:, keep]
    if side.form != "counts":
        sums = values.sum(axis=1, keepdims=True)
        values = np.divide(values, sums, out=np.full_like(values, np.nan), where=sums > 0)
        lost = lost > 0
    form: Form = "counts" if side.form == "counts" else "shares"
    classes = tuple(side.classes[k] for k in keep)
    return replace(side, form=form, values=values, classes=classes, ignored=int(lost.sum()))
