"""Arguments of the wrong kind are refused where they come in, with a sentence that names them.

What a public function expects is written in its annotations already. ``checked`` reads them there, so that no function
says it a second time. What a number may be, or which names there are, each function says itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from softtruth.errors import InputError, shown

F = TypeVar("F", bound="Callable[..., Any]")
Fits = Callable[[Any], bool]
Kind = tuple[Fits, str, frozenset[type]]  # a test, what it expects in words, and types that need no test
Names = Any  # in an annotation: class names or ids, text or numbers, one for each item
Seed = int  # in an annotation: of random draws, at least 0
_FRAMEWORKS = {"jax", "jaxlib", "tensorflow", "torch"}
_LARGEST = 2**63  # whole numbers beyond are no number of anything, and no array can be asked for them


def checked(function: F) -> F:
    """Return the function with a door that refuses arguments whose kind is not the annotated one.

    Numbers that a framework follows for gradients come in without, unless the function returns that framework's arrays.

    Raises
    ------
    InputError
        At the call, for the first such argument.
    """

    @cache
    def read() -> tuple[tuple[str, ...], dict[str, Kind]]:  # at the first call: importing costs nothing
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        kinds = {name: kind_of(text) for name, text in function.__annotations__.items()}
        return names, {name: kind for name, kind in kinds.items() if kind is not None}

    followed = "requires_grad"  # by torch, which then gives its numbers to nobody else
    keeps_gradients = function.__annotations__.get("return") in {"Any", "Array"}

    def settled(name: str, value: Any, fits: Callable[[Any], bool], expected: str) -> Any:
        if fits(value):
            return value if keeps_gradients else value.detach()
        whole = isinstance(value, Integral) and "number" in expected
        limit = f"; the largest whole number is {_LARGEST - 1}" if whole and int(value) >= _LARGEST else ""
        raise InputError(f"{name} is {shown(value)}, expected {expected}{limit}.")

    def door(*args: Any, **kwargs: Any) -> Any:
        names, kinds = read()
        plain: dict[str, Any] = {}
        for given in (zip(names, args), kwargs.items()):  # noqa: B905  what was given, up to *args
            for name, value in given:
                if name in kinds:
                    fits, words, quick = kinds[name]
                    if type(value) not in quick and (not fits(value) or getattr(value, followed, False)):
                        plain[name] = settled(name, value, fits, words)
        if plain:
            args = (*(plain.get(name, value) for name, value in zip(names, args)), *args[len(names) :])  # noqa: B905  as above
            kwargs = {name: plain.get(name, value) for name, value in kwargs.items()}
        return function(*args, **kwargs)

    # With the globals of the function it belongs to the same module, where doctest looks for its examples. It can use
    # no name of this module but those it closes over.
    own: Any = FunctionType(door.__code__, function.__globals__, door.__name__, None, door.__closure__)
    return cast("F", wraps(function)(own))


@cache
def kind_of(annotation: str) -> Kind | None:
    """Return the test of an annotation and its words; None where anything may come.

    Examples
    --------
    >>> fits, words, _ = kind_of("int | None")
    >>> fits(3), fits(None), fits(2.5), words
    (True, True, False, 'a whole number or None')
    """
    found = [_one(part.strip()) for part in _split(annotation, "|")]
    kinds = [kind for kind in found if kind is not None]
    if len(kinds) < len(found):
        return None
    tests, words, quick = zip(*kinds, strict=True)
    joined = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return (lambda value: any(test(value) for test in tests)), joined, frozenset().union(*quick)


def _split(text: str, sign: str) -> list[str]:
    """Return the parts of an annotation between signs that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _one(annotation: str) -> Kind | None:
    head, _, inside = annotation.partition("[")
    inner = [part.strip() for part in _split(inside[:-1], ",")]
    if head in {"Any", "Array", "Answers"}:  # the last are asked for with a word on how to make them
        return None
    if head in {"Iterable", "Sequence", "tuple", "Mapping"}:
        of = [kind_of(part) for part in inner]
        plain = {"Iterable": "a list", "Sequence": "a list", "tuple": f"{len(of)} values", "Mapping": "a dict"}[head]
        words = f"{plain} of {of[-1][1]}" if of[-1] and head != "tuple" else plain
        if head == "tuple":
            return (lambda x: _is_list(x) and len(x) == len(of) and _all(x, of)), words, frozenset()
        if head == "Mapping":
            return (lambda x: isinstance(x, Mapping) and _all(x.values(), of[-1:])), words, frozenset()
        return (lambda x: _is_list(x, head) and _all(x, of)), words, frozenset()
    return _PLAIN.get(head) or ((lambda value: _is_a(value, head)), _with_article(head), frozenset())


def _all(values: Any, kinds: list[Kind | None]) -> bool:
    """Whether values that are at hand fit; those that are still to come are not asked for."""
    if not hasattr(values, "__len__"):
        return True
    each = kinds if len(kinds) > 1 else kinds * len(values)
    return all(kind is None or kind[0](value) for kind, value in zip(each, values, strict=True))


def _is_list(value: Any, head: str = "Sequence") -> bool:
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) != 1:
        return False
    return isinstance(value, Iterable) and (head == "Iterable" or hasattr(value, "__getitem__"))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and (not isinstance(value, int) or _is_whole(value))  # bool is an int


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    return abs(int(value)) < _LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_numbers(value: Any) -> bool:
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        return True
    if type(value).__module__.partition(".")[0] in _FRAMEWORKS:  # traced values have no numbers to look at
        return True
    if value is None or isinstance(value, (str, bytes)) or np.ma.is_masked(value):
        return False
    try:
        array = np.asarray(value)
        return array.dtype.kind in "biuf" or (array.dtype.kind == "O" and array.astype(np.float64) is not None)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return False


def _is_names(value: Any) -> bool:
    if value is None or np.ma.is_masked(value):
        return False
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = np.sort(array, axis=None)  # what has no order has no groups either
    except (TypeError, ValueError, RuntimeError):
        return False
    return array.dtype.kind in "biufUSTOM" and array.ndim > 0


def _is_a(value: Any, name: str) -> bool:
    """Whether a value is of a class of that name, which is not imported for it."""
    return any(kind.__name__ == name.rpartition(".")[2] for kind in type(value).__mro__)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIO' else 'a'} {name}"


_PLAIN: dict[str, Kind] = {
    "float": (_is_number, "a number", frozenset({float})),
    "int": (_is_whole, "a whole number", frozenset()),
    "Seed": (lambda value: _is_whole(value) and value >= 0, "a whole number of at least 0", frozenset()),
    "str": (_is_text, "text", frozenset({str})),
    "bool": (_is_truth, "True or False", frozenset({bool})),
    "None": (lambda value: value is None, "None", frozenset({type(None)})),
    "Callable": (callable, "a function", frozenset()),
    "ArrayLike": (_is_numbers, "numbers", frozenset()),
    "NDArray": (_is_numbers, "numbers", frozenset()),
    "Names": (_is_names, "a list of names or numbers", frozenset()),
    "PathLike": (lambda value: isinstance(value, os.PathLike), "a path", frozenset()),
}
