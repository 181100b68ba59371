"""Write the reference pages of the site: modules, measures with their traits, and commands, as the code has them.

    python tools/site_pages.py

The pages go to `docs/reference/generated`, which is not part of the repository. They are reStructuredText, the language
of the docstrings.
"""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpydoc.docscrape_sphinx import SphinxDocString
from site_measures import measures_page, title, worries_table
from site_notebooks import write_notebooks
from site_pictures import draw_pictures

import softtruth

if TYPE_CHECKING:
    import click

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "generated"
MODULES = (
    "annotations", "people", "sets", "structure", "tnorms", "measures", "statistics", "uncertainty", "report", "plots",
)  # fmt: skip
_FEW = 4  # names that can be overlooked without a table
ADAPTERS = ("sklearn", "torch", "jax", "keras", "tensorflow")


def module_page(name: str) -> str:
    """Return the page of a public module: what it is, and each public name that is not explained elsewhere."""
    module = import_module(name)
    things = {n: getattr(module, n) for n in module.__all__ if n != "__version__"}
    top = {} if module is softtruth else {n: getattr(softtruth, n) for n in softtruth.__all__}
    own = {n: thing for n, thing in things.items() if top.get(n) is not thing}
    known = ", ".join(f"``{n}``" for n in things if n not in own)
    functions = {n: f for n, f in own.items() if inspect.isfunction(f)}
    classes = {n: c for n, c in own.items() if inspect.isclass(c)}
    public = {c for c in (*classes.values(), *top.values()) if inspect.isclass(c)}
    returned = {home for f in functions.values() for home, c in results_of(f).items() if c not in public}
    words = [title(name), f".. automodule:: {name}\n   :no-members:\n\n.. currentmodule:: {name}\n\n"]
    if known:
        words.append(f"Also here, explained in :doc:`softtruth`: {known}.\n\n")
    words.append(at_a_glance(functions | classes))
    for heading, names, kind in (
        ("Functions", functions, "function"),
        ("Classes", classes, "class"),
        ("What these functions return", sorted(returned), "class"),
    ):
        if names:
            words += [title(heading, "-"), *(entry(n, kind) for n in names)]
    below = ", ".join(f":doc:`softtruth.{n}`" for n, thing in own.items() if inspect.ismodule(thing))
    if below:
        words.append(f"Modules with pages of their own: {below}.\n")
    return "".join(words)


def at_a_glance(things: dict[str, Any]) -> str:
    """Return a table of names, each with the question that it answers."""
    if len(things) < _FEW:
        return ""
    lines = [
        f"   * - :any:`{n}`\n     - {(inspect.getdoc(thing) or '').splitlines()[0]}\n" for n, thing in things.items()
    ]
    return f".. list-table::\n   :widths: 35 65\n\n{''.join(lines)}\n"


def entry(name: str, kind: str) -> str:
    """Return the directive that prints one name."""
    members = "   :members:\n" if kind == "class" else ""
    return f".. auto{kind}:: {name}\n{members}\n"


def results_of(function: Any) -> dict[str, Any]:
    """Return the classes of this package that a function says it returns, by their homes."""
    said = function.__annotations__.get("return", "")
    classes = [class_named(n) for n in re.findall(r"\w+", said if isinstance(said, str) else "")]
    return {f"{c.__module__}.{c.__name__}": c for c in classes if c is not None}


def class_named(name: str) -> type | None:
    """Return the class of this package that has the name; annotations are not always imported where they stand."""
    for home, module in list(sys.modules.items()):
        thing = vars(module).get(name) if home.startswith("softtruth.") else None
        if inspect.isclass(thing) and thing.__module__ == home:
            return thing
    return None


def adapter_page(name: str) -> str:
    """Return the page of an adapter, read from its source: its framework may be missing here."""
    folder = Path(softtruth.__file__).parent / "adapters"
    paths = sorted((folder / name).glob("*.py")) if (folder / name).is_dir() else [folder / f"{name}.py"]
    sources = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    named = [n for tree in sources for n in public_names(tree)]
    module = f"softtruth.adapters.{name}"
    words = [title(module), f".. py:module:: {module}\n\n", ast.get_docstring(sources[0]) or "", "\n\n"]
    nodes = [n for tree in sources for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    words += [described(n, "") for n in nodes if (n.name in named if named else public(n))]
    return "".join(words)


def public_names(tree: ast.Module) -> list[str]:
    """Return what a module says is public."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def public(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Return whether a class or function is for others, and explains itself."""
    return not node.name.startswith("_") and ast.get_docstring(node) is not None


def described(node: ast.ClassDef | ast.FunctionDef, within: str) -> str:
    """Return the entry of a class with its public methods, or of a function or method."""
    body = SphinxDocString(ast.get_docstring(node) or "", config={})
    below = ""
    if isinstance(node, ast.ClassDef):
        methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
        made = [n for n in methods if n.name == "__init__"]
        kind, call = "class", called(made[0]) if made else ""
        below = "".join(described(n, node.name) for n in methods if public(n))
    elif any(ast.unparse(d) in {"property", "cached_property"} for d in node.decorator_list):
        kind, call = "property", ""
    else:
        kind, call = ("method" if within else "function"), called(node)
    return f".. py:{kind}:: {node.name}{call}\n\n{textwrap.indent(f'{body}', '   ')}\n{textwrap.indent(below, '   ')}\n"


def called(node: ast.FunctionDef) -> str:
    """Return the parameters without their types."""
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None
    given.args = [a for a in given.args if a.arg not in {"self", "cls"}]
    return f"({ast.unparse(given)})"


def quoted(words: str) -> str:
    """Return words of the command line as reStructuredText."""
    return words.replace("`", "``")


def command_entry(command: click.Command, words: str, line: str) -> str:
    """Return a command with its options, and its commands below."""
    import click

    ctx = click.Context(command, info_name=words)
    usage = " ".join([words, *command.collect_usage_pieces(ctx)])
    said = quoted(inspect.cleandoc(command.help or ""))
    text = f"{title(words if line != '=' else f'The command {words}', line)}::\n\n   {usage}\n\n{said}\n\n"
    for parameter in command.params:
        record = parameter.get_help_record(ctx)
        if record is not None and record[1]:
            text += f"``{record[0]}``\n   {quoted(record[1])}\n\n"
    if isinstance(command, click.Group):
        named = {name: command.get_command(ctx, name) for name in command.list_commands(ctx)}
        lines = [f"   * - `{words} {n}`_\n     - {quoted(c.get_short_help_str(200))}\n" for n, c in named.items() if c]
        text += f".. list-table::\n   :widths: 30 70\n\n{''.join(lines)}\n"
        for name, below in named.items():
            assert below is not None  # noqa: S101  it was listed
            text += command_entry(below, f"{words} {name}", "-" if line == "=" else "~")
    return text


def main() -> None:
    """Write all pages."""
    from softtruth.cli.group import cli

    shutil.rmtree(TARGET, ignore_errors=True)  # pages of what is no more would stay
    TARGET.mkdir()
    pages = {name: module_page(name) for name in ("softtruth", *(f"softtruth.{m}" for m in MODULES))}
    pages |= {f"softtruth.adapters.{name}": adapter_page(name) for name in ADAPTERS}
    pages |= {"measures": measures_page(), "commands": command_entry(cli, "softtruth", "=")}
    for name, text in pages.items():
        (TARGET / f"{name}.rst").write_text(text, encoding="utf-8")
    draw_pictures(TARGET)
    write_notebooks(TARGET)
    (TARGET / "worries.inc").write_text(worries_table(), encoding="utf-8")


if __name__ == "__main__":
    main()
