"""Results go to stdout or to files; notes and progress go to stderr."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from softtruth.plots import Display

PICTURES = ("png", "svg", "pdf")


def emit(text: str) -> None:
    """Write a result to stdout; a reader that has closed the pipe is no error, and the exit code stays what it is."""
    if sys.stdout is None:  # it was closed before the command began
        raise InputError(
            "Standard output is closed, so that the result cannot be shown; name a file with --json or --out."
        )
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still to come goes nowhere, or the interpreter would complain when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_wrapped(text: str) -> None:
    """Write sentences to stdout, in lines no longer than the terminal is wide."""
    from softtruth.render.wrapped import wrapped

    emit(wrapped(text))


def colored() -> bool:
    """Whether the result may hold escape codes: where people look at it, and have not said no."""
    from softtruth.render.text import wants_color

    return sys.stdout is not None and wants_color(sys.stdout)


def note(text: str) -> None:
    """Write a line for people to stderr."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def check_target(path: str | None) -> None:
    """Refuse a file that cannot be written before the long work begins."""
    if path in {None, "-"}:
        return
    target = Path(str(path))
    if target.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file in it.")
    if not target.absolute().parent.is_dir():
        raise InputError(f"The folder {target.parent} does not exist; create it first.")
    if not os.access(target.absolute().parent, os.W_OK):
        raise InputError(f"The folder {target.parent} cannot be written to.")


def check_picture(path: str) -> None:
    """Refuse a picture in a form that nobody draws."""
    import rich_click as click

    if path.rpartition(".")[2].lower() not in PICTURES:
        raise click.UsageError(f"--plot {path} has no known ending; expected one of {', '.join(PICTURES)}.")


def picture(display: Display, path: str) -> None:
    """Write a display as PNG, SVG or PDF, by the ending, whole or not at all."""
    with whole_file(path) as part:
        display.save(part, format=path.rpartition(".")[2].lower())


def write(path: str, text: str) -> None:
    """Write a file whole or not at all: to a temporary file beside it, then renamed. `-` is stdout."""
    if path == "-":
        emit(text)
        return
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def write_csv(path: str, table: Any, *, quiet: bool) -> None:
    """Write a table as CSV, whole or not at all; no spreadsheet runs what is in it."""
    from softtruth.inputs.spreadsheet import as_csv

    text, changed = as_csv(table)
    write(path, text)
    if changed and not quiet:
        note(
            f"note: cells that a spreadsheet would run begin with an apostrophe: {changed:,}; softtruth reads them "
            "back without it."
        )


@contextmanager
def whole_file(path: str) -> Iterator[Path]:
    """Yield a file beside the target; it takes the target's place when all went well, and goes otherwise.

    A link stays and what it points to is replaced. A device or a pipe, such as `/dev/null`, is never replaced: it is
    written to as it is.
    """
    if Path(path).exists() and not Path(path).is_file():
        with _writing(path):
            yield Path(path)
        return
    target = Path(path).resolve()
    with _writing(path), _beside(target) as part:
        yield part


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as stream:
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)  # a temporary file is private, and a report is an ordinary file
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Yield a function that shows the current step on a terminal; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:
        yield status.update
