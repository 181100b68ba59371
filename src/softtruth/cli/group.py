"""The command group: subcommands are imported when they run, settings come from option, environment, file, default."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import ClassVar

import rich_click as click

from softtruth._version import __version__
from softtruth.cli.config import FILE, from_environment, load_config
from softtruth.cli.options import PATH


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
        from_environment(command, (cmd_name,))
        return command


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
@click.command_panel("Begin with", commands=["demo", "inspect", "report"])
@click.command_panel("Ask more", commands=["compare", "shift", "noise", "audit"])
@click.command_panel("Files", commands=["convert", "merge"])
@click.version_option(__version__, prog_name="softtruth")
@click.option(
    "--config",
    type=PATH,
    metavar="FILE",
    callback=load_config,
    is_eager=True,
    expose_value=False,
    help=f"TOML file with defaults, one table for each command. {FILE} in this folder is read when it is there.",
)
def cli() -> None:
    """Evaluate classifiers whose ground truth is soft, disputed or mislabelled.

    Begin with `softtruth inspect FILES...`: it says what it understands of your files and prints the next command.
    """
