"""Which task is this, which classes in which order, and where does each class of each side go?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import (
    alike,
    are_places,
    is_negative,
    is_number,
    merged_order,
    one_spelling,
    positive_of,
    truth_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.inputs.problem import Task
    from softtruth.inputs.side import Side

SHOWN = 40  # classes that are named in their order; more would fill a screen


@dataclass(frozen=True)
class Plan:
    """How the sides become one problem.

    `lookups` gives, for each side (the reference first), the label that each of its classes becomes.
    """

    task: Task
    labels: tuple[str, ...]
    lookups: tuple[np.ndarray, ...]
    guesses: tuple[str, ...] = ()


def make_plan(sides: Sequence[Side], *, task: Task | None, labels: Sequence[str] | None, positive: str | None) -> Plan:
    """Decide task, classes and their order.

    Parameters
    ----------
    sides
        The reference first, then the predictions.
    task
        What the user said; None to infer it.
    labels
        Class names in order, as the user gave them.
    positive
        The class to compare with all others, as the user gave it.

    Raises
    ------
    InputError
        When the sides do not fit together; the sentence names the flag that settles it.
    """
    reference, predictions = sides[0], sides[1:]
    if is_multilabel(reference, predictions, task):
        return _multilabel(sides, labels, guessed=task is None and not reference.multilabel)
    for side in sides:
        if side.form == "answers" or (side is reference and side.multilabel):
            raise InputError(
                f"{side.path} holds labels that do not exclude each other, so the task is multilabel"
                + (
                    f", not {task}. Name one label: --labels {side.classes[0]}."
                    if task
                    else ", but another file holds one class for each item."
                )
            )
    return _classes(sides, task, labels, positive)


def is_multilabel(reference: Side, predictions: Sequence[Side], task: Task | None) -> bool:
    """Whether the sides hold labels that do not exclude each other."""
    if task is not None:
        if task == "multilabel" and reference.form not in {"indicators", "answers", "one-hot", "shares"}:
            raise InputError(
                f"{reference.path} holds {reference.form} of classes; a multilabel reference needs one 0/1 column for "
                "each label, or annotations with a column that names the label (--finding)."
            )
        return task == "multilabel"
    # A reference with one 1 in each row may be multilabel by chance: predictions that do not sum to one tell.
    independent = bool(predictions) and all(side.form in {"indicators", "answers"} for side in predictions)
    return reference.multilabel or (reference.form == "one-hot" and independent)


def _multilabel(sides: Sequence[Side], labels: Sequence[str] | None, *, guessed: bool) -> Plan:
    order = tuple(labels) if labels else sides[0].classes
    lookups = []
    for side in sides:
        if side.form in {"codes", "counts", "score"}:
            raise InputError(
                f"{side.path} holds one class for each item, but the task is multilabel; expected one column for each "
                f"of the labels {listed(order)}."
            )
        missing = [name for name in order if name not in side.classes]
        if missing:
            raise InputError(
                f"{side.path} has no column for the labels {listed(missing)}; it has {listed(side.classes)}. "
                "Rename with --map OLD=NEW, or choose the labels with --labels."
            )
        lookups.append(np.array([side.classes.index(name) for name in order], dtype=np.int64))
    note = ("The task is multilabel, because the predictions do not sum to one (override: --task).",)
    return Plan("multilabel", order, tuple(lookups), note if guessed else ())


def _classes(sides: Sequence[Side], task: Task | None, labels: Sequence[str] | None, positive: str | None) -> Plan:
    sides, notes = _numbers_alike(sides, labels, positive)
    named = [side for side in sides if side.form != "score"]
    order, guesses = _order(named, labels, positive)
    guesses += notes
    order = _complete_order(sides, order, positive)
    spelled = {id(side): _spelled(side, order, positive, guesses) for side in named}
    if labels is None:
        known = {name for names in spelled.values() for name in names if name is not None}
        order = tuple(name for name in order if name in known) if named else order
        if said := alike(name for side in sides for name in spelled.get(id(side), side.classes) if name is not None):
            guesses.append(f"{said[0].upper()}{said[1:]}")
        _refuse_strangers(named, spelled, positive)
    if positive is not None and positive not in order:
        raise InputError(f"--positive {shown(positive)} is no class; the classes are {listed(order)}.")
    if len(order) < 2 and not (labels and len(labels) > 1):
        raise InputError(f"Only one class was found ({listed(order)}); name all classes in order with --labels.")
    if task == "binary" and len(order) > 2 and positive is None:
        raise InputError(
            f"The task is binary but there are {len(order)} classes ({listed(order)}); name the positive one with "
            "--positive to compare it with the rest."
        )
    if task == "ordinal":
        order = _grades(order, labels, positive)
    elif task != "multiclass" and (len(order) == 2 or positive is not None):
        return _binary(sides, order, positive, spelled, guesses)
    for side in sides:
        if side.form == "score":
            raise InputError(
                f"{side.path} holds one number for each item, which says nothing about {len(order)} classes. "
                "Name the class that it is for with --positive, or give one column for each class."
            )
    place = {name: k for k, name in enumerate(order)}
    lookups = tuple(np.array([place[str(n)] for n in spelled[id(s)]], dtype=np.int64) for s in sides)
    return Plan("multiclass" if task is None else task, order, lookups, tuple(guesses))


def _numbers_alike(
    sides: Sequence[Side], labels: Sequence[str] | None, positive: str | None
) -> tuple[list[Side], list[str]]:
    """Spell classes that are equal whole numbers as one class: as the user does, else as the reference."""
    asked = [*(labels or ()), *([positive] if positive is not None else [])]
    spelling = one_spelling([*asked, *(name for side in sides for name in side.classes)])
    if not spelling:
        return list(sides), []
    words = ", ".join(f"{name} is {spelled}" for name, spelled in list(spelling.items())[:4])
    more = ", ..." if len(spelling) > 4 else ""
    new = [replace(side, classes=tuple(spelling.get(name, name) for name in side.classes)) for side in sides]
    return new, [f"Classes that are equal numbers are one class: {words}{more} (override: --map)."]


def _refuse_strangers(named: Sequence[Side], spelled: Mapping[int, Sequence[str | None]], positive: str | None) -> None:
    """Refuse a prediction that shares no class with the reference, and one of negative numbers that are no class there.

    Raises
    ------
    InputError
        Since nothing could be right; the sentence says how to make two names one class.
    """
    if not named or named[0].source.role != "reference":
        return
    meant = {
        id(side): {name if positive is None or name == positive else None for name in spelled[id(side)]}
        for side in named
    }
    reference, known = named[0], meant[id(named[0])]
    for side in named[1:]:
        own = meant[id(side)]
        below = [n for n in own - known if n is not None and is_negative(n)]
        graded = any(n is not None and is_negative(n) for n in known)  # grades may go below 0
        if below and not graded and side.form == "codes":
            raise InputError(
                f"{side.path} has the class {shown(min(below))}, which {reference.path} lacks; negative numbers are no "
                "class numbers. If they are scores, name their column score; if they are classes, give --labels."
            )
        if own and known and not own & known:
            raise InputError(_no_common_class(reference, side))


def _no_common_class(reference: Side, side: Side) -> str:
    hint = alike([*reference.classes, *side.classes]) or ""
    hint = f" {hint[0].upper()}{hint[1:]}" if hint else ""
    return (
        f"No class of {side.path} ({listed(side.classes)}) occurs in {reference.path} ({listed(reference.classes)}), "
        f"so that nothing could be right. Say which class is which with --map OLD=NEW, or name all classes with "
        f"--labels.{hint}"
    )


def _grades(order: tuple[str, ...], labels: Sequence[str] | None, positive: str | None) -> tuple[str, ...]:
    """Return the grades, lowest first: as the user gave them, or by number where they are whole numbers."""
    if positive is not None:
        raise InputError("--positive compares one class with the rest, but the task is ordinal; leave out one of them.")
    if labels is None and not all(name.lstrip("-").isdecimal() for name in order):
        raise InputError(f"The order of the grades {listed(order)} must be named: give --labels, lowest first.")
    return order if labels is not None else tuple(sorted(order, key=int))


def _order(
    named: Sequence[Side], labels: Sequence[str] | None, positive: str | None
) -> tuple[tuple[str, ...], list[str]]:
    """Return the classes in order: as given, as the columns of a wide file show them, else sorted."""
    if labels is not None:
        return tuple(labels), []
    # Class numbers and 0/1 decisions get their names from the other side, if that has names.
    names = [side for side in named if not _unnamed(side, positive)] or _truths(named)
    wide = [side for side in names if side.ordered]
    order = merged_order([side.classes for side in wide], {c for side in names for c in side.classes})
    listed_by = wide[0].path if wide else None
    if len(order) > 2 and positive is None:
        how = f"as in {listed_by}" if listed_by else "sorted by name"
        rest = len(order) - SHOWN
        first = ", ".join(order[:SHOWN]) + (f", and {rest:,} more" if rest > 0 else "")
        return order, [f"Class order {how}: {first} (override: --labels)."]
    return order, []


def _unnamed(side: Side, positive: str | None) -> bool:
    """Whether the classes are only numbers or yes/no words, which may stand for the names of another side."""
    if positive in side.classes:
        return False
    digits = all(map(is_number, side.classes))
    return digits or (len(set(side.classes)) <= 2 and all(truth_value(name) is not None for name in side.classes))


def _truths(named: Sequence[Side]) -> list[Side]:
    """Return the first side that has both truth values, where all sides hold nothing else; else all sides."""
    truths = [[truth_value(name) for name in dict.fromkeys(side.classes)] for side in named]
    if any(None in truth or len(truth) > 2 for truth in truths):
        return list(named)
    both = [side for side, truth in zip(named, truths, strict=True) if set(truth) == {0, 1}]
    return both[:1] or list(named)


def _complete_order(sides: Sequence[Side], order: tuple[str, ...], positive: str | None) -> tuple[str, ...]:
    """Fill in the two classes of a problem in which nobody names both."""
    if len(order) >= 2 or not any(side.form == "score" for side in sides):
        return order
    named = next((side.classes[0] for side in sides if side.form == "score" and side.classes), None)
    yes = positive or named or (order[0] if order and truth_value(order[0]) != 0 else "1")
    no = next((name for name in order if name != yes), "0" if yes == "1" else f"not {yes}")
    return (no, yes)


def _spelled(side: Side, order: tuple[str, ...], positive: str | None, guesses: list[str]) -> list[str | None]:
    """Return the class of `order` that each class of a side means; None: the rest, in a comparison with the rest."""
    known = set(order)
    if known.issuperset(side.classes):
        return list(side.classes)
    truth = [truth_value(name) for name in side.classes]
    other = [name for name in order if is_number(name) and truth_value(name) is None]
    two = positive is not None or (len(order) == 2 and not other)  # 0 and 1 are no places among other numbers
    if len(set(side.classes)) <= 2 and None not in truth and two:
        yes = positive if positive is not None else positive_of(order)[0]
        no = next(name for name in order if name != yes) if len(order) == 2 else None
        words = ", ".join(
            f"{name} means {yes if value else no or 'any other class'}"
            for name, value in zip(side.classes, truth, strict=True)
        )
        guesses.append(f"{side.path}: {words} (override: --map).")
        return [yes if value else no for value in truth]
    if are_places(side.classes, order):
        guesses.append(
            f"{side.path}: class numbers mean {', '.join(f'{i}={n}' for i, n in enumerate(order[:4]))}"
            f"{', ...' if len(order) > 4 else ''} (override: --map)."
        )
        return [order[int(name)] for name in side.classes]
    unknown = [name for name in side.classes if name not in known]
    raise InputError(
        f"{side.path} has the classes {listed(unknown)}, which are not among {listed(order)}. Rename them with "
        "--map OLD=NEW, list all classes with --labels, leave reference values out with --ignore, or name another "
        "column with --label or --prediction-column."
    )


def _binary(
    sides: Sequence[Side],
    order: tuple[str, ...],
    positive: str | None,
    spelled: dict[int, list[str | None]],
    guesses: list[str],
) -> Plan:
    if positive is not None:
        yes = positive
    else:
        yes, why = positive_of(order)
        guesses.append(f"The positive class is {yes!r}, {why} (override: --positive).")
    no = next(name for name in order if name != yes) if len(order) == 2 else f"not {yes}"
    lookups = []
    for side in sides:
        if side.form == "score":
            if side.classes and yes not in side.classes:
                raise InputError(
                    f"{side.path} gives numbers for {side.classes[0]!r}, but the positive class is {yes!r}. "
                    f"Pass --positive {side.classes[0]}."
                )
            lookups.append(np.array([1], dtype=np.int64))
        else:
            lookups.append(np.array([int(name == yes) for name in spelled[id(side)]], dtype=np.int64))
    return Plan("binary", (no, yes), tuple(lookups), tuple(guesses))
