"""Which classes are there, in which order, and which one is positive."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from softtruth.inputs.files import natural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.inputs.columns import Coded, Columns

Change = Callable[[str], str]
YES = ("1", "yes", "true", "positive", "pos", "y", "t", "present", "on", "+")
NO = ("0", "no", "false", "negative", "neg", "n", "f", "absent", "off", "-", "none", "other", "rest")
MOST_PAIRS = 4  # of names that are shown
_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d{0,999}))(?:\.0+)?", re.ASCII)
_NUMERIC = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
NEGATED = ("not_", "not ", "not-", "non_", "non-", "no_", "un")


def natural_order(names: Iterable[str]) -> list[str]:
    """Return names sorted so that `2` comes before `10`."""
    return sorted(names, key=natural)


def merged_order(wide: Sequence[Sequence[str]], others: Iterable[str]) -> tuple[str, ...]:
    """Return one class order: the first wide file's columns, then what other files add.

    Parameters
    ----------
    wide
        Classes of files that show an order of their own, in order of authority.
    others
        Classes that occur as values; those still missing are added in natural order.
    """
    order: dict[str, None] = {}
    for names in wide:
        order.update(dict.fromkeys(names))
    order.update(dict.fromkeys(natural_order(set(others) - set(order))))
    return tuple(order)


def alike(names: Iterable[str]) -> str | None:
    """Say which names differ only in case or blanks, and how to make them one class; None if there are no such names.

    Examples
    --------
    >>> print(alike(["cat", "dog", "Cat", "dog "]))
    the classes 'cat' and 'Cat', 'dog' and 'dog ' differ only in case or blanks; if they are one class, pass --map
    Cat=cat --map 'dog =dog'.
    """
    first: dict[str, str] = {}
    found = [(first.setdefault(" ".join(name.split()).casefold(), name), name) for name in names]
    pairs = [pair for pair in dict.fromkeys(found) if pair[0] != pair[1]]
    if not pairs:
        return None
    both = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:MOST_PAIRS])
    more = f" and {len(pairs) - MOST_PAIRS} more pairs" if len(pairs) > MOST_PAIRS else ""
    flags = " ".join(f"--map {shlex.quote(f'{other}={one}')}" for one, other in pairs[:MOST_PAIRS])
    return f"the classes {both}{more} differ only in case or blanks; if they are one class, pass {flags}."


def positive_of(pair: Sequence[str]) -> tuple[str, str]:
    """Return the positive one of two classes, and why.

    Examples
    --------
    >>> positive_of(("yes", "no"))
    ('yes', 'by its name')
    >>> positive_of(("cat", "dog"))
    ('dog', 'the last in class order')
    >>> positive_of(("y", "x"))
    ('x', 'the last in class order')
    """
    first, last = pair
    yes = [one for one, other in ((first, last), (last, first)) if _says(one, other, YES, NO)]
    if len(yes) == 1:
        return yes[0], "by its name"
    no = [one for one, other in ((first, last), (last, first)) if _says(one, other, NO, YES)]
    if len(no) != 1:
        no = [n for n in pair if any(n.casefold() == p + o.casefold() for p in NEGATED for o in pair if o != n)]
    if len(no) == 1:
        return next(name for name in pair if name != no[0]), f"because {no[0]!r} names its absence"
    return last, "the last in class order"


def _says(name: str, other: str, words: Sequence[str], opposites: Sequence[str]) -> bool:
    """Whether a name is a yes (or a no); one letter or digit is, when the other class is its opposite."""
    name, other = name.strip().casefold(), other.strip().casefold()
    return name in words and (len(name) > 1 or other in opposites or other == "-1")


def truth_value(name: str) -> int | None:
    """Return 1 for words such as `yes`, 0 for words such as `no`, None for any other; 1.0 and 0.0 are such words.

    Examples
    --------
    >>> [truth_value(name) for name in ("yes", "False", "1", "0.0", "2", "cat")]
    [1, 0, 1, 0, None, None]
    """
    folded = name.strip().casefold()
    if folded in YES or folded in NO:
        return int(folded in YES)
    number = whole_number(folded)
    return number if number in {0, 1} else None


def whole_number(name: str) -> int | None:
    """Return the whole number that a class name spells, None for any other.

    `01` is a name, and so is 5.10: sections and versions are not equal because decimals would be.

    Examples
    --------
    >>> [whole_number(name) for name in ("1", "1.0", "-0.0", "01", "5.10", "1e3", "cat")]
    [1, 1, 0, None, None, None, None]
    """
    found = _WHOLE.fullmatch(name)
    return int(found[1]) if found else None


def is_number(name: str) -> bool:
    """Whether a class name is written as a number of any kind, with leading zeros or without.

    Examples
    --------
    >>> [is_number(name) for name in ("01", "-2", "1.0", "1e3", "cat", "1st", "")]
    [True, True, True, True, False, False, False]
    """
    return _NUMERIC.fullmatch(name) is not None


def is_negative(name: str) -> bool:
    """Whether a class name is written as a number below 0.

    Examples
    --------
    >>> [is_negative(name) for name in ("-2", "-0.5", "-0", "2", "-", "-cat")]
    [True, True, False, False, False, False]
    """
    return is_number(name) and float(name) < 0


def are_places(names: Sequence[str], classes: Sequence[str]) -> bool:
    """Whether names are class numbers that stand for the places of these classes: 0 to K - 1, where none is a number.

    Examples
    --------
    >>> are_places(["0", "1"], ["cat", "dog"]), are_places(["0", "1"], ["1", "2"]), are_places(["0"], ["01", "02"])
    (True, False, False)
    """
    if any(map(is_number, classes)):
        return False
    return bool(names) and all(n.isdecimal() and str(int(n)) == n and int(n) < len(classes) for n in names)


def one_spelling(names: Iterable[str]) -> dict[str, str]:
    """Return how names that are equal whole numbers are spelled: as the first of them; the others are absent.

    Examples
    --------
    >>> one_spelling(["1", "0", "1.0", "-0.0", "01", "5.1", "5.10"])
    {'1.0': '1', '-0.0': '0'}
    """
    first: dict[int, str] = {}
    found = {name: first.setdefault(number, name) for name in names if (number := whole_number(name)) is not None}
    return {name: spelled for name, spelled in found.items() if name != spelled}


def coded_numbers(columns: Columns, name: str) -> Coded:
    """Return a column of class names; in one of numbers `1.0` is class 1, as frames write it beside empty cells."""
    coded = columns.coded(name)
    return coded.renamed(_without_point) if columns.facts(name).numeric else coded


def _without_point(name: str) -> str:
    whole = name.removesuffix(".0")
    return whole if whole.isdecimal() else name
