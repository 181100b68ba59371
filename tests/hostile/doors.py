"""Every public function with an example of its use, found in its own documentation, and values that fit no argument."""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import io
import warnings
from datetime import date
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

import numpy as np

import softtruth
from softtruth._cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULES = (
    "annotations", "people", "sets", "structure", "tnorms", "measures", "statistics", "uncertainty", "report",
)  # fmt: skip


def public_things() -> dict[str, Callable[..., Any]]:
    """Return every public function, class and method of the package, by name."""
    homes = [softtruth, *(import_module(f"softtruth.{name}") for name in MODULES)]
    found: dict[str, Callable[..., Any]] = {}
    for home in homes:
        for name in home.__all__:
            thing = getattr(home, name)
            if inspect.isfunction(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
            elif inspect.isclass(thing) and not issubclass(thing, Exception):
                found |= dict(_of_class(thing))
    return found


def _of_class(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield f"{kind.__module__}.{kind.__qualname__}", kind
    for name, member in inspect.getmembers(kind):
        if (
            not name.startswith("_")
            and inspect.isroutine(member)
            and not isinstance(member, cached_property)
            and _ours(member)
        ):
            yield f"{member.__module__}.{member.__qualname__}", member


class _Watched(ast.NodeTransformer):
    """Sends every call of an example through ``watch``."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        return ast.Call(ast.Name("watch", ast.Load()), [node.func, *node.args], node.keywords)


def documented_calls() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    """Return a call of each function and method that an example of the documentation makes: the first one."""
    calls: dict[str, Any] = {}

    def watch(function: Any, *args: Any, **kwargs: Any) -> Any:
        name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
        if name.startswith("softtruth."):
            calls.setdefault(name, (function, args, kwargs))
        return function(*args, **kwargs)

    names = (info.name for info in walk_packages(softtruth.__path__, "softtruth."))
    left_out = ("softtruth.adapters", "softtruth.cli", "softtruth.__main__")
    for module in [softtruth, *(import_module(name) for name in names if not name.startswith(left_out))]:
        for test in doctest.DocTestFinder().find(module):
            names = {**test.globs, "watch": watch}
            for example in test.examples:
                tree = ast.fix_missing_locations(_Watched().visit(ast.parse(example.source)))
                with (
                    contextlib.redirect_stdout(io.StringIO()),
                    contextlib.suppress(Exception),
                    warnings.catch_warnings(),
                ):
                    warnings.simplefilter("ignore")
                    exec(compile(tree, test.name, "exec"), names)  # noqa: S102  the package's own examples
    return calls


class Thing:
    """An object of no use to anybody."""


def wrong_values() -> dict[str, Any]:
    """Return values that fit few arguments, by what they are; made anew, as some are used up."""
    from scipy.sparse import csr_matrix

    masked = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
    return {
        "None": None,
        "text": "x",
        "bytes": b"x",
        "a negative": -1,
        "zero": 0,
        "a huge number": 10**30,
        "a fraction": 2.5,
        "nan": float("nan"),
        "infinity": float("inf"),
        "true": True,
        "complex": 1j,
        "an object": Thing(),
        "a class": Thing,
        "a function": len,
        "an empty list": [],
        "a list of text": ["a", "b"],
        "a list of mixed": [1, "a", None],
        "a ragged list": [[1], [1, 2]],
        "a dict": {"a": 1},
        "a set": {1, 2},
        "a generator": (x for x in (0, 1)),
        "an array of none": np.zeros(0),
        "an array of 3 axes": np.zeros((2, 2, 2)),
        "objects": np.array([Thing(), None], dtype=object),
        "dates": np.array(["2026-01-01", "2026-01-02"], "datetime64[D]"),
        "a date": date(2026, 1, 1),
        "complex numbers": np.array([1j, 2.0]),
        "a masked array": masked,
        "a structured array": np.zeros(2, [("a", int), ("b", float)]),
        "a sparse matrix": csr_matrix(np.eye(2)),
    }


def _ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("softtruth")
