"""The command group: subcommands are imported when they run, settings come from option, environment, file, default."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import rich_click as click

from softtruth._version import __version__

CONFIG = "softtruth.toml"


class LazyGroup(click.RichGroup):
    """Subcommands named by module and attribute, so that `--help` and completion stay quick."""

    commands_at: ClassVar[dict[str, str]] = {
        "audit": "softtruth.cli.audit:audit",
        "compare": "softtruth.cli.compare:compare",
        "convert": "softtruth.cli.convert:convert",
        "demo": "softtruth.cli.demo:demo",
        "inspect": "softtruth.cli.inspect:inspect",
        "merge": "softtruth.cli.merge:merge",
        "noise": "softtruth.cli.noise:noise",
        "report": "softtruth.cli.report:report",
        "shift": "softtruth.cli.shift:shift",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the signature is click's
        """Return the names of the commands whose modules are there."""
        here = Path(__file__).parent
        return [
            n
            for n, at in self.commands_at.items()
            if (here / f"{at.partition(':')[0].rpartition('.')[2]}.py").is_file()
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, attribute = self.commands_at[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


def load_config(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    """Take defaults from a TOML file: one table for each command, one key for each option."""
    path = Path(value or CONFIG)
    if not path.is_file():
        if value:
            raise click.BadParameter(f"{value} does not exist.")
        return
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} is not a TOML file ({error}).") from error
    group = ctx.command
    assert isinstance(group, click.RichGroup)  # noqa: S101  # the option belongs to the group
    for name, table in tables.items():
        command = group.get_command(ctx, name)
        if command is None or not isinstance(table, dict):
            raise click.BadParameter(f"{path} has [{name}], which is no command; expected {group.list_commands(ctx)}.")
        known = {p.name: p for p in command.params}
        unknown = sorted(key for key in table if key.replace("-", "_") not in known)
        if unknown:
            raise click.BadParameter(f"{path} has the unknown key {unknown[0]!r} under [{name}].")
        wrong = [k for k, v in table.items() if not _can_be(known[k.replace("-", "_")], v)]
        if wrong:
            raise click.BadParameter(
                f"{path} gives {table[wrong[0]]!r} for {wrong[0]!r} under [{name}]; expected one value."
            )
        tables[name] = {key.replace("-", "_"): _listed(known[key.replace("-", "_")], v) for key, v in table.items()}
    ctx.default_map = tables


def _can_be(parameter: click.Parameter, value: Any) -> bool:
    """Whether a value of the file can be that of an option: lists are for options that can be repeated."""
    return not isinstance(value, dict) and (not isinstance(value, list) or getattr(parameter, "multiple", False))


def _listed(parameter: click.Parameter, value: Any) -> Any:
    """Let an option that can be repeated take a single value too."""
    return [value] if getattr(parameter, "multiple", False) and not isinstance(value, list) else value


HELP = click.RichHelpConfiguration(options_table_column_types=["opt_all", "metavar_short", "help"], max_width=100)


@click.group(
    cls=LazyGroup,
    context_settings={
        "auto_envvar_prefix": "SOFTTRUTH",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
    },
)
@click.rich_config(help_config=HELP)
@click.version_option(__version__, prog_name="softtruth")
@click.option(
    "--config",
    metavar="FILE",
    callback=load_config,
    is_eager=True,
    expose_value=False,
    help=f"TOML file with defaults, one table for each command. {CONFIG} in this folder is read when it is there.",
)
def cli() -> None:
    """Evaluate classifiers whose ground truth is soft, disputed or mislabelled.

    Begin with `softtruth inspect FILES...`: it says what it understands of your files and prints the next command.
    """
