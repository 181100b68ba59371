"""Who answered what: long annotations lined up with the items and classes of a problem."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softtruth.errors import InputError, listed
from softtruth.inputs.opened import Opener
from softtruth.inputs.recognise import item_column, recognise
from softtruth.inputs.side import Source
from softtruth.inputs.tally import without_repeats

if TYPE_CHECKING:
    from softtruth.inputs.problem import Problem
    from softtruth.inputs.settings import Settings


class LongAnswers(NamedTuple):
    """One answer a row.

    Attributes
    ----------
    item
        Positions in the problem's items.
    annotator
        Names.
    label
        Positions in the problem's classes.
    elsewhere
        Answers to items that are not in the problem, left out.
    """

    item: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    elsewhere: int


def load_answers(path: str, problem: Problem, settings: Settings) -> LongAnswers:
    """Read a file of one row for each annotator and item, and line it up with a problem.

    Parameters
    ----------
    path
        The file.
    problem
        What the answers belong to: its items and classes.
    settings
        As for `load_problem`; they speak of the reference.

    Raises
    ------
    InputError
        When the file names no annotators, or names classes that the problem does not have.
    """
    opener = Opener(settings, tuple(problem.predictions))
    loaded, columns = opener.open(path, ("reference",))
    hints = settings.hints(("reference",), opener.names)
    if hints.label not in columns.names:  # it names the labels of another file
        hints = replace(hints, label=None)
    item = item_column(columns, hints.item)
    reading = next((r for r in recognise(columns, item, hints) if r.kind == "annotations"), None)
    if item is None or reading is None or reading.annotator is None:
        raise InputError(
            f"{path} does not say who gave which answer to which item; expected one row for each answer with columns "
            "of items, annotators and labels (name them with --item, --annotator and --label)."
        )
    if reading.finding is not None or problem.task == "multilabel":
        raise InputError(f"{path} holds answers to several questions; keep one with --where, as a problem of its own.")
    wishes = settings.wishes(("reference",), opener.names, loaded.class_order)
    source = Source(columns, item, "reference", "reference", wishes)
    coded, _ = source.cleaned(columns.coded(reading.columns[0]))
    keys = [item, reading.annotator]
    kept = without_repeats([columns.coded(k) for k in keys], columns, keys, wishes.duplicates)
    label = coded.recoded(problem.labels)
    unknown = [n for n in coded.names if n not in problem.labels]
    if unknown and problem.task == "binary" and wishes.positive is not None:
        label = np.where(coded.codes < 0, -1, np.array([*(n == wishes.positive for n in coded.names), 0])[coded.codes])
    elif unknown:
        raise InputError(f"{path} holds {listed(unknown)}, but the classes are {listed(problem.labels)}; use --map.")
    place = columns.coded(item).recoded([str(i) for i in problem.items.tolist()])
    rows = kept.rows & (label >= 0)
    inside = rows & (place >= 0)
    who = columns.coded(reading.annotator)
    named = inside & (who.codes >= 0)
    if not named.any():
        raise InputError(f"{path} has no answer to any item of the problem; check --item.")
    names = np.array(who.names, dtype=object)
    return LongAnswers(
        place[named], names[who.codes[named]].astype(str), label[named].astype(np.intp), int((rows & ~inside).sum())
    )
