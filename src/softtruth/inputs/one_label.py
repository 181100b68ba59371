"""One label of many is a question of its own, yes or no: what both sides say of it alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import truth_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.side import Side


class Question(NamedTuple):
    """The sides of a problem, and what is left of the settings once one label is asked."""

    sides: list[Side]
    labels: Sequence[str] | None
    positive: str | None
    guesses: tuple[str, ...] = ()


def yes_no(name: str) -> tuple[str, str]:
    """Return the two classes of the question whether an item has a label.

    Examples
    --------
    >>> yes_no("AF")
    ('not AF', 'AF')
    """
    return f"not {name}", name


def asked_label(classes: Sequence[str] | None) -> str | None:
    """Return the label that two classes ask about, as `yes_no` names them; None where they are others."""
    if classes is None or len(classes) != 2:
        return None
    return classes[1] if tuple(classes) == yes_no(classes[1]) else None


def one_label(
    sides: Sequence[Side],
    *,
    multilabel: bool,
    task: str | None,
    labels: Sequence[str] | None,
    positive: str | None,
) -> Question:
    """Return the sides as they answer a single label, where only one is asked; as they are where several are.

    One label is asked where `labels` or `positive` names one of several, where the reference has no other (a filter
    left one finding), and where the reference is one column of yes and no whose name is a label.

    Parameters
    ----------
    sides
        The reference first, then the predictions.
    multilabel
        Whether the sides hold labels that do not exclude each other.
    task, labels, positive
        What the user said.

    Raises
    ------
    InputError
        If the reference is the column of one label, and a prediction names classes of which none is it.
    """
    asis = Question(list(sides), labels, positive)
    if task not in {None, "binary"}:
        name = _own_label(sides) if task == "multiclass" else None
        if name is None:
            return asis
        raise InputError(
            f"{sides[0].path}: {name!r} says yes or no of each item, and no class; leave out --task {task}, or say "
            "what its values mean with --map OLD=NEW."
        )
    name = _chosen(sides[0], labels, positive) if multilabel else _own_label(sides)
    if name is None:
        return asis
    if positive not in {None, name} and (sides[0].form != "answers" and truth_value(str(positive)) != 1):
        raise InputError(
            f"{sides[0].path} is about the label {name!r}, but --positive is {shown(positive)}; leave it out."
        )
    wide = [side.path for side in sides[1:] if side.multilabel or side.form == "scores"]
    own = f"; of {listed(list(dict.fromkeys(wide)))} the column of that label counts" if wide else ""
    how = "--task multilabel" if multilabel else "--label"
    guess = f"Only the label {name!r} is asked, yes or no{own} (override: {how})."
    classes = yes_no(name)
    if labels is not None and len(labels) == 2 and name in labels:  # the user named the rest
        classes = next(label for label in labels if label != name), name
    return Question([of_label(side, classes) for side in sides], None, name, (guess,))


def of_label(side: Side, classes: tuple[str, str]) -> Side:
    """Return what a side says of one label; a side of classes that exclude each other is left as it is.

    Parameters
    ----------
    side
        The reference or a prediction.
    classes
        What not to have the label is called, and the label.

    Raises
    ------
    InputError
        If the side names other labels only.
    """
    name = classes[1]
    if side.form in {"codes", "score"} and side.source.role == "reference":
        return _renamed(side, classes)
    if side.form not in {"indicators", "answers", "scores", "one-hot"}:
        return side
    if name not in side.classes:
        raise InputError(
            f"{side.path} has no column for the label {name!r}; it has {listed(side.classes)}. Rename with --map "
            "OLD=NEW, or name its column with --prediction-column."
        )
    k = side.classes.index(name)
    if side.form == "answers":
        return replace(side, form="counts", values=side.values[:, k], classes=classes, ordered=True)
    values = side.values[:, k]
    known = ~np.isnan(values)
    if ((values[known] == 0) | (values[known] == 1)).all():
        codes = np.where(known, values, -1).astype(np.int64)
        return replace(side, form="codes", values=codes, classes=classes, ordered=True)
    return replace(side, form="score", values=values, classes=(name,))


def _renamed(side: Side, classes: tuple[str, str]) -> Side:
    """Return the column of one label with its yes and no, or its share of yes, named after the label."""
    if side.form == "score":
        return replace(side, classes=classes[1:])
    codes = np.array([*(truth_value(word) or 0 for word in side.classes), -1], dtype=np.int64)[side.values]
    return replace(side, values=codes, classes=classes, ordered=True)


def _chosen(reference: Side, labels: Sequence[str] | None, positive: str | None) -> str | None:
    """Return the only label of multilabel data that is asked."""
    order = tuple(labels) if labels else reference.classes
    if len(order) == 1 and order[0] in reference.classes:
        return order[0]
    if positive in reference.classes:
        return positive
    if positive is not None and reference.form != "answers":
        raise InputError(f"--positive {shown(positive)} is no label; the labels are {listed(reference.classes)}.")
    return None


def _own_label(sides: Sequence[Side]) -> str | None:
    """Return the label that the column of the reference is named after, where it holds its yes and no."""
    reference, predictions, own = sides[0], sides[1:], sides[0].own
    if own is None or reference.form not in {"codes", "score"}:
        return None
    if reference.form == "codes" and (len(reference.classes) > 2 or None in map(truth_value, reference.classes)):
        return None
    named = [side for side in predictions if side.classes and None in map(truth_value, side.classes)]
    if any(own.label in side.classes for side in named):
        return own.label
    if not own.among_labels or reference.form == "score":
        return None
    if not named:
        return own.label
    values = " and ".join(reference.classes)
    raise InputError(
        f"{reference.path}: {own.column!r} holds {values}, that is which items are {own.label!r}, and {named[0].path} "
        f"has no such class; it has {listed(named[0].classes)}. Name the column of {own.label!r} there with "
        "--prediction-column, or say which class each value means with --map reference:OLD=NEW."
    )
