"""The flags that several commands share: what is in the files, and what is written."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click.core import ParameterSource
from click.types import StringParamType

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

F = TypeVar("F", bound="Callable[..., Any]")


class PathType(click.ParamType):  # type: ignore[type-arg]  # it takes types from click 8.2 on
    """The name of a file, taken as it is; shells complete it."""

    name = "path"
    envvar_list_splitter = os.pathsep

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty name, which no file has."""
        return _not_empty(self, value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002  # click's
        """Leave it to the shell, which knows its files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class TextType(StringParamType):
    """A text that says something; an empty one is what a shell makes of a variable that is not set."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty text, which would pass for a flag that was not given."""
        return _not_empty(self, super().convert(value, param, ctx), param, ctx)


def _not_empty(kind: Any, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
    return kind.fail("it is empty; say what is meant, or leave it out.", param, ctx) if value == "" else value


PATH = PathType()
TEXT = TextType()


def refuse_empty_texts(command: click.Command) -> None:
    """Let no option of a command take an empty text."""
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = TEXT
    if isinstance(command, click.Group):
        for below in command.commands.values():
            refuse_empty_texts(below)


def given(value: Any) -> bool:
    """Whether an option has a value; a number that is 0 is one."""
    return value is not None and value is not False and value != ()


def of_others(names: Container[str]) -> set[str]:
    """Return the names of all parameters of the command but these."""
    return {str(parameter.name) for parameter in running().command.params if str(parameter.name) not in names}


def refuse_meaningless(names: Container[str], why: str) -> None:
    """Refuse flags that would say nothing.

    Parameters
    ----------
    names
        Of the parameters that mean nothing here.
    why
        What the sentence says of them.
    """
    ctx = running()
    for option in ctx.command.params:
        said = ctx.get_parameter_source(str(option.name)) not in {None, ParameterSource.DEFAULT}
        if isinstance(option, click.Option) and said and str(option.name) in names:
            raise click.UsageError(f"{max(option.opts, key=len)} {why}; leave it out.")


def running() -> click.Context:
    """Return the context of the command that runs."""
    ctx = click.get_current_context()
    assert ctx is not None  # noqa: S101  # this is asked by commands
    return ctx


def complete_column(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the column names of the files that stand on the command line already."""
    given = [ctx.params.get(name) for name in ("files", "given", "file", "prediction", "reference", "items")]
    words = [str(one) for value in given for one in (value if isinstance(value, tuple) else [value]) if one]
    words += os.environ.get("COMP_WORDS", "").split()
    names: dict[str, None] = {}
    for word in words:
        path = Path(word.partition("=")[2] or word)
        if not path.is_file():
            continue
        try:
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8-sig") as stream:
                names.update(dict.fromkeys(next(csv.reader(stream), [])))
        except (OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError):  # not text: nothing to complete from
            continue
    return [name for name in names if name.startswith(incomplete)]


def comma_list(_: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Read `a,b,"c, d"` as three names."""
    if value is None:
        return None
    names = tuple(name.strip() for name in next(csv.reader([value], skipinitialspace=True)))
    if "" in names:
        raise click.BadParameter("has an empty name between commas.", param=parameter)
    return names


def _column(flag: str, words: str) -> Callable[[F], F]:
    return click.option(flag, multiple=True, metavar="[FILE:]COLUMN", shell_complete=complete_column, help=words)


LEVEL = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
JSON = click.option(
    "--json", "json_path", type=PATH, metavar="PATH", help="Write JSON; - prints it in place of the text."
)
FILES = (
    click.option(
        "--prediction", multiple=True, type=PATH, metavar="[NAME=]PATH", help="Predictions; repeat it for several."
    ),
    click.option("--reference", type=PATH, metavar="PATH", help="Labels, votes or distributions to compare with."),
    click.option(
        "--items", type=PATH, metavar="PATH", help="Facts about the items, for clusters, weights and filters."
    ),
)
COLUMNS = (
    _column("--item", "Column of item ids."),
    _column("--label", "Column of the reference; a pattern or a comma list for one per class."),
    _column("--annotator", "Column that says who voted, in long annotations."),
    _column("--finding", "Column that says what was asked, in multilabel annotations."),
    click.option(
        "--prediction-column",
        multiple=True,
        metavar="[NAME:]COLUMN",
        shell_complete=complete_column,
        help="Column of a prediction; repeat it for several predictions, or use a pattern for one column per class.",
    ),
    click.option("--weight", metavar="COLUMN", shell_complete=complete_column, help="Column of item weights."),
    click.option(
        "--cluster",
        metavar="COLUMN",
        shell_complete=complete_column,
        help="Column that groups items which are not independent; intervals are then between groups.",
    ),
)
VALUES = (
    click.option(
        "--where",
        multiple=True,
        metavar="[FILE:]COLUMN=VALUE",
        help="Keep these rows (!= for all others). FILE is prediction, reference, items or the name of a prediction.",
    ),
    click.option("--map", "rename", multiple=True, metavar="[FILE:]OLD=NEW", help="Rename a class."),
    click.option("--labels", metavar="A,B,C", callback=comma_list, help="All class names in order."),
    click.option("--positive", metavar="CLASS", help="The positive class; more classes become this one and the rest."),
    click.option("--ignore", multiple=True, metavar="VALUE", help="Reference value to leave out."),
    click.option(
        "--task",
        type=click.Choice(["binary", "multiclass", "multilabel", "ordinal"]),
        metavar="TASK",
        help="binary, multiclass, multilabel, or ordinal (grades, --labels lowest first), which is never inferred.",
    ),
    click.option(
        "--threshold",
        type=click.FLOAT,
        metavar="NUMBER",
        default=0.5,
        show_default=True,
        help="A binary or multilabel prediction is positive above it.",
    ),
    click.option("--file-names", is_flag=True, help="Match items by the file name at the end of a path or address."),
    click.option("--normalize", is_flag=True, help="Divide rows of probabilities by their sums."),
    click.option(
        "--duplicates",
        type=click.Choice(["first", "last", "keep"]),
        metavar="WHICH",
        help="Of repeated votes or rows take the first, the last, or keep them; refused by default.",
    ),
    click.option("--drop-missing", is_flag=True, help="Leave out items whose prediction is empty; refused by default."),
    click.option("--delimiter", metavar="SIGN", help="Sign between the values of CSV files, if the guess is wrong."),
)
CONVENTION = click.option(
    "--convention",
    type=click.Choice(["exclude", "zero", "one", "nan"]),
    metavar="NAME",
    help="What averages make of undefined (0/0) parts: exclude, zero, one or nan. [default: exclude]",
)
ASKED = (
    click.option(
        "--measure", "measures", multiple=True, metavar="NAME", help='A measure in place of the usual ones: "macro f1".'
    ),
    CONVENTION,
    click.option(
        "--ties",
        type=click.Choice(["share", "first", "drop"]),
        metavar="RULE",
        help="The majority of a tied item: share it among the tied classes, first, or drop it. [default: share]",
    ),
    click.option("--coupling", metavar="NAME", help="How soft sides meet, margins kept. [default: independent]"),
    click.option("--tnorm", metavar="NAME", help="How soft sides meet, one t-norm in all four cells."),
    LEVEL,
    click.option(
        "--interval",
        type=click.Choice(["influence", "percentile", "bca"]),
        metavar="METHOD",
        help="Make intervals by linearisation (influence), or by a bootstrap (percentile, bca). [default: influence]",
    ),
    click.option("--draws", type=click.IntRange(2), metavar="N", help="Replicates of a bootstrap. [default: 2000]"),
    click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of a bootstrap. [default: 0]"),
)
LABELS = (
    click.option("--reference-accuracy", type=float, metavar="SHARE", help="How often the labels are right."),
    click.option("--n-reference", type=int, metavar="N", help="How many items that was found on."),
    click.option(
        "--annotations",
        type=PATH,
        metavar="PATH",
        help="Who answered what, in any form of a reference that names annotators: says how often labels are right, "
        "and whether errors go together.",
    ),
)
NOISE = (click.option("-q", "--quiet", is_flag=True, help="Print no notes and no progress."),)
IN_FILES, IN_COLUMNS, OF_ROWS = "Files", "Columns", "Rows and classes"  # titles in the help


def panel(title: str, *groups: Sequence[Callable[[Any], Any]]) -> list[Callable[[Any], Any]]:
    """Return the options of several groups, which stand under one title in the help."""
    options = [option for group in groups for option in group]
    flags = [max(parameter.opts, key=len) for parameter in _parameters(options)]
    return [click.option_panel(title, options=flags), *options]


def add(*groups: Sequence[Callable[[Any], Any]]) -> Callable[[F], F]:
    """Return a decorator that adds options in the order in which they are listed."""

    def decorate(function: F) -> F:
        for option in reversed([option for group in groups for option in group]):
            function = option(function)
        return function

    return decorate


def named(options: Sequence[Callable[[Any], Any]], names: Sequence[str]) -> list[Callable[[Any], Any]]:
    """Return some of the options, by the names of their parameters."""
    return [o for o, parameter in zip(options, _parameters(options), strict=True) if parameter.name in names]


def loading(values: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of `load_problem` among the values of a command."""
    from softtruth.inputs.settings import Settings

    return {name: values[name] for name in Settings.__dataclass_fields__ if name in values}


def as_flags(values: dict[str, Any]) -> list[str]:
    """Return the words that give these values on a command line, for a command to copy."""
    words: list[str] = []
    for parameter in _parameters((*COLUMNS, *VALUES)):
        value: Any = values.get(str(parameter.name))
        if not given(value) or value == parameter.default:
            continue
        flag = max(parameter.opts, key=len)
        if value is True:
            words.append(flag)
        elif parameter.multiple:
            words += [word for one in value for word in (flag, str(one))]
        else:
            words += [flag, ",".join(value) if isinstance(value, tuple) else str(value)]
    return words


def _parameters(options: Sequence[Callable[[Any], Any]]) -> list[click.Option]:
    """Return the options that decorators add."""

    @click.command()
    @add(options)
    def probe() -> None:
        """Carry the options."""

    return [parameter for parameter in probe.params if isinstance(parameter, click.Option)]
