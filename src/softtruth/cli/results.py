"""What becomes of a report: text on stdout; a page, Markdown or JSON in files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import rich_click as click

from softtruth.cli import GATE, output
from softtruth.cli.config import settings_file
from softtruth.cli.options import PATH, running
from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.render.junit import Case

PAGES = {"": "to_html", ".html": "to_html", ".htm": "to_html", ".md": "to_markdown", ".markdown": "to_markdown"}
WRITTEN = ("out", "json_path", "parquet", "statistic", "junit", "plot", "checkpoint")  # parameters
_ELSEWHERE = {".json": "--json", ".xml": "--junit", ".parquet": "--parquet"}

OUT = click.option(
    "--out",
    "out",
    multiple=True,
    type=PATH,
    metavar="PATH",
    help="Write the report as a page (.html) or as Markdown (.md); repeat it for both. - prints the page.",
)


JUNIT = click.option(
    "--junit",
    type=PATH,
    metavar="PATH",
    help="Write the gates as test cases: XML of JUnit, for continuous integration.",
)


class Shown(Protocol):
    """What can be shown in every form."""

    def to_html(self) -> str:
        """Return a page."""

    def to_markdown(self) -> str:
        """Return Markdown."""

    def to_json(self) -> str:
        """Return JSON."""

    def to_text(self, *, color: bool = False) -> str:
        """Return text for a terminal."""


def check_results() -> None:
    """Refuse results that cannot be written, or would replace a file that is read, before the long work begins.

    Of the options and arguments that name files, those of `WRITTEN` are written and all others read.
    """
    ctx = running()
    named = [(option, path) for option in ctx.command.params if option.type is PATH for path in _paths(ctx, option)]
    written = [(max(option.opts, key=len), path) for option, path in named if option.name in WRITTEN]
    for flag, path in written:
        output.check_target(path)
        if flag == "--plot":
            output.check_picture(path)
    for path in ctx.params["out"] if any(option.name == "out" and option.multiple for option, _ in named) else ():
        _check_page(path)
    if sum(path == "-" for _, path in written) > 1:
        raise click.UsageError("Only one result can go to stdout.")
    read = [path for option, path in named if option.name not in WRITTEN]
    _refuse_overwriting([(flag, path) for flag, path in written if path != "-"], [*read, *settings_file(ctx)])


def _paths(ctx: click.Context, option: click.Parameter) -> Sequence[str]:
    """Return the paths that a parameter has been given."""
    value = ctx.params.get(str(option.name))
    return [value] if isinstance(value, str) else value or ()


def _check_page(path: str) -> None:
    suffix = Path(path).suffix.lower()
    if suffix not in PAGES:
        other = _ELSEWHERE.get(suffix)
        words = f"that is for {other}" if other else "expected .html or .md"
        raise click.UsageError(f"--out {path} has an ending of another form; {words}.")


def _refuse_overwriting(written: Sequence[tuple[str, str]], read: Sequence[str]) -> None:
    """Refuse to write a result over a file that is read, or two results into one."""
    places = [Path(target).resolve() for _, target in written]
    if len(set(places)) < len(places):
        raise click.UsageError("Two results would be written to one file; choose another name for one of them.")
    sources = {Path(path).resolve() for one in read for path in _files(one)} if written else set()
    for (flag, target), place in zip(written, places, strict=True):
        if place.is_file() and place in sources:
            raise click.UsageError(f"{flag} {target} is a file that is read; choose another name.")


def _files(path: str) -> list[str]:
    """Return the files that a path can stand for: as it is, without the name of NAME=PATH, and all of a pattern."""
    from softtruth.inputs.files import expanded

    found = [one for one in (path, path.partition("=")[2]) if one]
    for one in tuple(found):
        with suppress(InputError):  # who reads it says what is wrong with it
            found += expanded(one)
    return found


def write_facts(text: str, facts: dict[str, Any], json_path: str | None) -> None:
    """Write facts where --json says, and print their text, in lines of the terminal, unless they go to stdout."""
    if json_path:
        from softtruth.render.json import to_json
        from softtruth.report.plain import plain

        output.write(json_path, to_json(plain(facts)))
    if json_path != "-":
        output.emit_wrapped(text)


def settle(ctx: click.Context, cases: Sequence[Case], junit: str | None) -> None:
    """Write gates as test cases where that was asked for, say which failed, and end with their code if any did."""
    if junit:
        from softtruth.render.junit import to_junit

        output.write(junit, to_junit(cases))
    failed = [case.failure for case in cases if case.failure]
    for sentence in failed:
        output.note(sentence)
    if failed:
        ctx.exit(GATE)


def to_stdout(values: dict[str, Any]) -> bool:
    """Whether something else than the text goes to stdout."""
    return "-" in {*values["out"], values["json_path"]}


def write_results(result: Shown, values: dict[str, Any]) -> None:
    """Write a report where --out and --json say, and print its text unless something else goes to stdout."""
    write_files(result, values)
    if not to_stdout(values):
        output.emit(result.to_text(color=output.colored()))


def write_files(result: Shown, values: dict[str, Any]) -> None:
    """Write a report where --out and --json say."""
    for path in values["out"]:
        suffix = "" if path == "-" else Path(path).suffix.lower()
        output.write(path, getattr(result, PAGES[suffix])())
    if values["json_path"]:
        output.write(values["json_path"], result.to_json())
