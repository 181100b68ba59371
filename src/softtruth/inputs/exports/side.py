"""The answers of an export, as one side of a problem: votes for each item, with nothing that is no vote."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from softtruth.errors import InputError, shown
from softtruth.inputs.classes import natural_order
from softtruth.inputs.tally import count_findings

if TYPE_CHECKING:
    from softtruth.inputs.columns import Coded, Columns
    from softtruth.inputs.exports.submissions import Export
    from softtruth.inputs.side import Side, Source


def export_side(source: Source, export: Export) -> Side:
    """Return votes for each item and class, or yes and no for each item and label.

    Parameters
    ----------
    source
        The long form of the export (filtered, if so), and what was asked of it.
    export
        The answers. Items that were skipped by all are there without votes.

    Raises
    ------
    InputError
        When an annotator answers an item twice and nobody said which answer counts.
    """
    columns = source.columns
    if not len(columns):
        msg = f"{source.path} holds no answer that counts. {' '.join(export.sentences())}"
        raise InputError(msg)
    rows, duplicated = _kept(source, export)
    items = dict.fromkeys(s.item for s in export.submissions)
    coded = columns.coded("item")
    order = list(items) if len(columns) == export.table().num_rows else coded.names
    item = coded.recoded(order)
    labels, ignored = source.cleaned(columns.coded("label"))
    if "finding" in columns.names:
        findings = columns.coded("finding").renamed(source.wishes.change)
        yes = columns.coded("label").recoded(("0", "1"))
        classes = tuple(findings.names)
        values = count_findings(_items(coded, item, order), findings.codes, yes, len(classes), rows)
        side = source.side("answers", values, classes)
    else:
        given = tuple(dict.fromkeys(map(source.wishes.change, export.classes)))
        given = tuple(name for name in given if name not in source.wishes.ignore)
        classes = (*given, *(name for name in natural_order(labels.names) if name not in given))
        label = labels.recoded(classes)
        rows &= label >= 0
        if source.wishes.task == "multilabel":
            side = source.side("answers", _picks(columns, item, label, rows, (len(order), len(classes))), classes)
        else:
            side = source.side("counts", _votes(columns, item, label, rows, (len(order), len(classes))), classes)
    sentences = tuple(f"{source.path}: {sentence}" for sentence in export.sentences())
    return replace(
        side,
        source=replace(source, duplicated=duplicated, keys=export.keys),
        items=pa.array(order, pa.string()),
        ordered=bool(export.classes) or side.form == "answers",
        ignored=ignored,
        sentences=sentences,
    )


def _kept(source: Source, export: Export) -> tuple[np.ndarray, int]:
    """Return which rows count, and how many answers repeat another one."""
    answer = np.asarray(source.columns.table["submission"])
    repeat, repeated = export.repeats()
    n = int(np.count_nonzero(repeat[np.unique(answer)]))
    wish = source.wishes.duplicates
    if n and wish is None:
        first = export.votes[int(np.argmax(repeat))]
        what = f" about {shown(first.finding)}" if first.finding else ""
        msg = (
            f"{source.path}: {shown(first.annotator)} answers item {shown(first.item)}{what} more than once "
            f"({n:,} such answers). Pass --duplicates first or last, or keep to count all."
        )
        raise InputError(msg)
    gone = {"first": repeat, "last": repeated}.get(wish or "keep", np.zeros(len(repeat), bool))
    return ~gone[answer], n


def _items(coded: Coded, item: np.ndarray, order: list[str]) -> Coded:
    return type(coded)(item, pa.array(order, pa.string()))


def _votes(
    columns: Columns, item: np.ndarray, label: np.ndarray, rows: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Return votes: the picks of one answer share one vote, those that are left after ``ignore``."""
    answer = np.asarray(columns.table["submission"])[rows]
    share = 1 / np.bincount(answer)[answer]
    cell = item[rows] * shape[1] + label[rows]
    return np.bincount(cell, weights=share, minlength=shape[0] * shape[1]).reshape(shape)


def _picks(
    columns: Columns, item: np.ndarray, label: np.ndarray, rows: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Return no and yes for each label: who answers says no to what is not picked."""
    cell = item[rows] * shape[1] + label[rows]
    yes = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    answered = np.unique(np.stack([item[rows], np.asarray(columns.table["submission"])[rows]]), axis=1)[0]
    total = np.bincount(answered, minlength=shape[0])[:, None]
    return np.stack([total - yes, yes], axis=-1)
