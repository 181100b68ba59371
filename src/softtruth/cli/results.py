"""What becomes of a report: text on stdout; a page, Markdown or JSON in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import rich_click as click

from softtruth.cli import GATE, output
from softtruth.cli.options import PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.render.junit import Case

PAGES = {"": "to_html", ".html": "to_html", ".htm": "to_html", ".md": "to_markdown", ".markdown": "to_markdown"}
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


def check_results(values: dict[str, Any], others: Sequence[str] = (), read: Sequence[str | None] = ()) -> None:
    """Refuse results that cannot be written, before the long work begins.

    Parameters
    ----------
    values
        Of a command with --out and --json.
    others
        Names of more parameters whose value is a file to write.
    read
        The files that the command reads.
    """
    written = [("--out", path) for path in values["out"]]
    written += [(_flag(name), values[name]) for name in ("json_path", *others) if values[name]]
    for flag, path in written:
        output.check_target(path)
        if flag == "--out" and Path(path).suffix.lower() not in PAGES:
            other = _ELSEWHERE.get(Path(path).suffix.lower())
            words = f"that is for {other}" if other else "expected .html or .md"
            raise click.UsageError(f"--out {path} has an ending of another form; {words}.")
    if sum(path == "-" for _, path in written) > 1:
        raise click.UsageError("Only one result can go to stdout.")
    _refuse_overwriting([(flag, path) for flag, path in written if path != "-"], [path for path in read if path])


def _flag(name: str) -> str:
    return f"--{name.removesuffix('_path')}"


def _refuse_overwriting(written: Sequence[tuple[str, str]], read: Sequence[str]) -> None:
    """Refuse to write a result over a file that is read, or two results into one."""
    # A prediction may be named: NAME=PATH.
    sources = {Path(path).resolve() for one in read for path in (one, one.partition("=")[2]) if path}
    for flag, target in written:
        if Path(target).is_file() and Path(target).resolve() in sources:
            raise click.UsageError(f"{flag} {target} is a file that is read; choose another name.")
    places = [Path(target).resolve() for _, target in written]
    if len(set(places)) < len(places):
        raise click.UsageError("Two results would be written to one file; choose another name for one of them.")


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
