"""The answers in a file, person by person: what questions about people need, and votes alone do not tell."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.annotations.answers import Answers
from softtruth.errors import InputError, NotAnswerableError, listed
from softtruth.inputs.classes import are_places, coded_numbers, natural_order, positive_of, truth_value
from softtruth.inputs.columns import Columns
from softtruth.inputs.exports.loaded import LoadedExport
from softtruth.inputs.file_names import file_name
from softtruth.inputs.one_label import asked_label, yes_no
from softtruth.inputs.opened import Opener
from softtruth.inputs.recognise import item_column, recognise
from softtruth.inputs.tally import without_repeats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from softtruth.inputs.columns import Coded
    from softtruth.inputs.recognise import Hints
    from softtruth.inputs.settings import Settings

SCOPE = ("reference",)
NO_YES = ("no", "yes")


@dataclass(frozen=True, eq=False)
class FileAnswers:
    """Who answered what.

    Attributes
    ----------
    answers : Answers, or dict of label to Answers
        One set of classes, or yes/no answers (no first) for each label, all about the same items.
    sentences : tuple of str
        What does not count, and why.
    """

    answers: Answers | dict[str, Answers]
    sentences: tuple[str, ...] = ()


def load_answers(
    path: str,
    settings: Settings,
    *,
    items: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    predictions: Sequence[str] = (),
    beside: bool = False,
) -> FileAnswers:
    """Return the answers in a file of long annotations, of one column for each annotator, or of an annotation tool.

    Parameters
    ----------
    path : str
    settings : Settings
        Which columns, and what to do with repeated answers, as for a reference.
    items : sequence of str, optional
        The items to keep, in their order; answers about others are left out.
    classes : sequence of str, optional
        All classes in their order (where labels hold together: the labels); by default those that occur.
    predictions : sequence of str
        The names of the predictions; what the settings say of one of them is not said of this file.
    beside : bool
        Whether the file stands beside a reference of its own: a label column that it lacks is the reference's.

    Raises
    ------
    NotAnswerableError
        If the file does not say who answered.
    InputError
        If the file cannot be used as it is, or holds other classes; the sentence says what to do.
    """
    opener = Opener(settings, tuple(predictions))
    hints = settings.hints(SCOPE, opener.names)
    opener.load_export(path, hints)
    loaded, columns = opener.open(path, SCOPE)
    if isinstance(loaded, LoadedExport):
        long, sentences = _single_picks(columns)
    else:
        if beside and hints.label and not any(fnmatch.filter(columns.names, part) for part in hints.label.split(",")):
            hints = replace(hints, label=None)
        long, sentences = _long(columns, hints), []
    keys = [name for name in ("item", "annotator", "finding") if name in long.names]
    kept = without_repeats([long.coded(key) for key in keys], long, keys, settings.duplicates)
    wishes = settings.wishes(SCOPE, opener.names, loaded.class_order)

    def renamed(name: str) -> str | None:
        return None if wishes.change(name) in wishes.ignore else wishes.change(name)

    label, item, annotator = long.coded("label").renamed(renamed), long.coded("item"), long.coded("annotator")
    item = item.renamed(file_name) if settings.file_names else item
    order = tuple(item.names) if items is None else tuple(items)
    at = item.recoded(order)
    rows = kept.rows & (annotator.codes >= 0) & (label.codes >= 0)
    if elsewhere := int(np.count_nonzero(rows & (at < 0))):
        sentences.append(f"{columns.path}: answers about other items, left out: {elsewhere:,}.")
    rows &= at >= 0
    if not rows.any():
        msg = f"{columns.path} holds no answer about these items."
        raise InputError(msg)
    seen, who = np.unique(annotator.codes[rows], return_inverse=True)
    people = tuple(annotator.names[i] for i in seen)
    if "finding" not in long.names:
        names = tuple(classes) if classes is not None else tuple(natural_order(label.names))
        codes = _class_codes(label, names, settings.positive, columns.path)
        answers = Answers(at[rows], who, codes[rows], order, people, names, ordered=classes is not None)
        return FileAnswers(answers, tuple(sentences))
    finding = long.coded("finding").renamed(wishes.change)
    alone = asked_label(classes)
    said = settings.positive if settings.positive in label.names else None
    yes = _yes(label, said if alone else settings.positive, columns.path)
    found = {}
    for name in [alone] if alone else classes if classes is not None else finding.names:
        some = finding.recoded([name])[rows] == 0
        found[name] = Answers(
            at[rows][some], who[some], yes[rows][some], order, people, yes_no(name) if alone else NO_YES
        )
    return FileAnswers(found[alone] if alone else found, tuple(sentences))


def _class_codes(label: Coded, names: tuple[str, ...], positive: str | None, path: str) -> NDArray[np.int64]:
    """Return the class that each answer names; numbers and one class against the rest are read as in a reference."""
    unknown = [name for name in label.names if name not in names]
    if not unknown:
        return np.asarray(label.recoded(names), np.int64)
    if len(names) == 2 and positive in label.names:  # one class, and the rest
        return np.array([*(int(n == positive) for n in label.names), -1], np.int64)[label.codes]
    if are_places(label.names, names):
        return np.array([*map(int, label.names), -1], np.int64)[label.codes]
    msg = f"{path} holds {listed(unknown)}, but the classes are {listed(names)}; use --map."
    raise InputError(msg)


def _yes(label: Coded, positive: str | None, path: str) -> NDArray[np.int64]:
    """Return 1 for answers that mean present and 0 for absent, by their words or by what the user said."""
    names = label.names
    truth = [truth_value(name) if positive is None else int(name == positive) for name in names]
    if None in truth:
        if len(names) != 2:
            msg = f"{path}: each label needs two answers, but these are {listed(names)}; name one with --positive."
            raise InputError(msg)
        truth = [int(name == positive_of(natural_order(names))[0]) for name in names]
    return np.array([*(t or 0 for t in truth), 0], np.int64)[label.codes]


def _single_picks(columns: Columns) -> tuple[Columns, list[str]]:
    """Return the answers of an export that pick one label."""
    number = np.asarray(columns.table["submission"])
    single = np.bincount(number)[number] == 1
    lost = len(np.unique(number[~single]))
    told = [f"{columns.path}: answers that pick several labels, left out of comparisons between people: {lost:,}."]
    return columns.kept(single), told if lost else []


def _texts(coded: Coded) -> pa.Array:
    """Return the values of a column as texts."""
    return coded.values.take(pa.array(coded.codes, mask=coded.codes < 0))


def _long(columns: Columns, hints: Hints) -> Columns:
    """Return a table with the columns item, annotator, label and, where something was asked, finding."""
    item = item_column(columns, hints.item)
    reading = recognise(columns, item, hints)[0]
    if reading.kind == "annotations" and reading.annotator is not None and item is not None:
        chosen = {"item": item, "annotator": reading.annotator, "label": reading.columns[0]}
        if reading.finding is not None:
            chosen["finding"] = reading.finding
        return Columns(pa.table({new: columns.table[old] for new, old in chosen.items()}), columns.path)
    if reading.kind == "labels" and len(reading.columns) > 1:
        rows = [str(i) for i in range(1, len(columns) + 1)]
        ids = pa.array(rows) if item is None else pc.cast(columns.table[item], pa.string())
        parts = [
            pa.table(
                {
                    "item": ids,
                    "annotator": pa.array([name] * len(columns)),
                    "label": _texts(coded_numbers(columns, name)),
                }
            )
            for name in reading.columns
        ]
        return Columns(pa.concat_tables(parts), columns.path)
    msg = (
        f"{columns.path} does not say who answered; questions about people need one row for each answer with an "
        "annotator, or one column for each annotator (--annotator, --label)."
    )
    raise NotAnswerableError(msg)
