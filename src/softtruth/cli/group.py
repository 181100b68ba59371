"""The command group: subcommands are imported when they run, settings come from option, environment, file, default."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar

import rich_click as click

from softtruth._version import __version__
from softtruth.cli.config import FILE, from_environment, load_config
from softtruth.cli.options import PATH, refuse_empty_texts


class LazyGroup(click.RichGroup):
    """Subcommands named by module and first line, so that `--help` and completion stay quick."""

    commands_at: ClassVar[dict[str, tuple[str, str]]] = {
        "audit": (
            "softtruth.cli.audit:audit",
            "Learn how often labels and model are right from a sample that is reviewed.",
        ),
        "compare": (
            "softtruth.cli.compare:compare",
            "Say which prediction is better, how sure that is, and what would put another one ahead.",
        ),
        "convert": ("softtruth.cli.convert:convert", "Write one distribution for each item of FILE."),
        "demo": ("softtruth.cli.demo:demo", "Show a report of a small example whose truth is known."),
        "inspect": (
            "softtruth.cli.inspect:inspect",
            "Say what is in FILES, what can be computed from them, and the next command to type.",
        ),
        "merge": (
            "softtruth.cli.merge:merge",
            "Add the sums that `softtruth report --statistic` wrote on several machines, and report on all of them.",
        ),
        "noise": (
            "softtruth.cli.noise:noise",
            "Bound the true accuracy, and estimate it, when labels are wrong at some rate.",
        ),
        "report": (
            "softtruth.cli.report:report",
            "Compare predictions with a reference: measures, intervals, findings.",
        ),
        "shift": (
            "softtruth.cli.shift:shift",
            "Say what the measures would be where the classes are more or less frequent, their rates kept.",
        ),
    }
    _listing = False

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the signature is click's
        """Return the names of the commands."""
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as above
        """Import a command; for the list of all, its name and first line are enough."""
        if cmd_name not in self.commands_at:
            return None
        home, first_line = self.commands_at[cmd_name]
        if self._listing:
            return click.RichCommand(name=cmd_name, help=first_line)
        module, _, attribute = home.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        from_environment(command, (cmd_name,))
        refuse_empty_texts(command)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of a name that is none, say which it may be."""
        name = args[0]
        if name not in self.commands_at and not name.startswith("-"):
            near = get_close_matches(name, self.commands_at, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Commands: {', '.join(self.commands_at)}."
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the list of commands."""
        self._listing = True
        try:
            super().format_options(ctx, formatter)
        finally:
            self._listing = False


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
