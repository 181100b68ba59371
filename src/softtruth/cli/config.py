"""Settings from a file or the environment: tables are commands, keys are flags, and both are checked as flags are."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli.options import comma_list
from softtruth.errors import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "softtruth.toml"
_READ = "softtruth.settings"  # where a context keeps the name of the file


def load_config(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    """Take defaults from a TOML file: one table for each command, one key for each flag.

    A command of a command has a table of its own: ``[audit.plan]``.
    """
    path = Path(value or FILE)
    if not path.is_file():
        if value:
            raise click.BadParameter(f"{value} does not exist.")
        return
    import tomllib

    ctx.meta[_READ] = str(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError as error:
        raise click.BadParameter(f"{path} holds lists or tables too deep in each other to be settings.") from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise click.BadParameter(f"{path} is not a TOML file ({error}).") from error
    group = ctx.command
    assert isinstance(group, click.Group)  # noqa: S101  # the option belongs to the group
    ctx.default_map = {name: _of_command(ctx, group, (name,), table, path) for name, table in tables.items()}


def settings_file(ctx: click.Context) -> list[str]:
    """Return the file that settings were taken from, if there is one."""
    return [ctx.meta[_READ]] if _READ in ctx.meta else []


def from_environment(command: click.Command, words: tuple[str, ...]) -> None:
    """Let each option have a variable named by its flag: ``--fail-on`` of report is ``SOFTTRUTH_REPORT_FAIL_ON``."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            parameter.envvar = "_".join(["SOFTTRUTH", *words, flag_of(parameter)]).upper().replace("-", "_")
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            from_environment(below, (*words, name))


def flag_of(option: click.Option) -> str:
    """Return the long flag of an option, without its dashes."""
    return max(option.opts, key=len).lstrip("-")


def _of_command(ctx: click.Context, group: click.Group, names: tuple[str, ...], table: Any, path: Path) -> Any:
    """Return the settings of a command by the names of its parameters."""
    from softtruth.render.words import clean  # here, since most folders have no settings

    where = clean(".".join(names))  # a table may have any name
    command = group.get_command(ctx, names[-1])
    if command is None or not isinstance(table, dict):
        commands = group.list_commands(ctx)
        what = (
            f"has [{where}], which is no command"
            if isinstance(table, dict)
            else f"has {shown(where)} outside of a table"
        )
        near = _nearest(names[-1], commands)
        raise click.BadParameter(f"{path} {what}. {near or f'The commands are {listed(commands)}.'}")
    if isinstance(command, click.Group):
        return {name: _of_command(ctx, command, (*names, name), below, path) for name, below in table.items()}
    known = {flag_of(p): p for p in command.params if isinstance(p, click.Option) and flag_of(p) != "help"}
    found: dict[str, Any] = {}
    for key, value in table.items():
        option = known.get(key.replace("_", "-"))
        if option is None:
            near = _nearest(key, known) or f"Its keys are the flags of `softtruth {' '.join(names)} --help`."
            raise click.BadParameter(f"{path} has the unknown key {shown(key)} under [{where}]. {near}")
        if option.name in found:
            raise click.BadParameter(f"{path} has {key!r} twice under [{where}], with - and with _.")
        try:
            found[str(option.name)] = _checked(option, value, click.Context(command))
        except click.BadParameter as error:
            said = error.message.rstrip(".")
            raise click.BadParameter(f"{path} gives {shown(value)} for {key!r} under [{where}]; {said}.") from error
    return found


def _nearest(name: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.replace("_", "-"), list(names), 1)
    return f"Did you mean {near[0]!r}?" if near else ""


def _checked(option: click.Option, value: Any, ctx: click.Context) -> Any:
    """Return a value of the file as the option takes it from the command line.

    Raises
    ------
    click.BadParameter
        If it would not take it there.
    """
    if option.is_flag:
        if not isinstance(value, bool):
            raise click.BadParameter("expected true or false")
        return value
    if option.callback is comma_list and isinstance(value, list):
        value = _comma_separated([_text(one) for one in value])
    if option.multiple:
        values = [_text(one) for one in (value if isinstance(value, list) else [value])]
    else:
        values = [_text(value)]
    for one in values:
        option.type.convert(one, option, ctx)
    return values if option.multiple else values[0]


def _text(value: Any) -> str:
    if isinstance(value, (bool, list, dict)):
        raise click.BadParameter("expected one value")
    try:
        return str(value)
    except ValueError as error:  # a number of thousands of digits
        raise click.BadParameter("expected a shorter number") from error


def _comma_separated(names: list[str]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(names)
    return stream.getvalue()
