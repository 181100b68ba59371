"""The command line: files in, report out; no decision of its own.

Exit codes: 0 pass, 1 error, 2 usage, 3 a gate failed, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

PASS, ERROR, USAGE, GATE, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and end the process.

    The process ends without the interpreter's clean-up: some compiled packages abort in it after all work is done
    (apache/arrow issue 34314), which would turn a pass into a failure.
    """
    streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]  # None where it was closed
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know the signs of a class name
            stream.reconfigure(errors="backslashreplace")
    code = run(arguments)
    for stream in streams:
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):  # the reader has gone
            continue
        except OSError as error:  # what was printed is not whole, as on a full disk
            code = code or _told(error)
    os._exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; every failure becomes one line on stderr."""
    words = None if arguments is None else list(arguments)
    try:
        from softtruth.cli.group import cli

        code = cli.main(args=words, prog_name="softtruth", standalone_mode=False)
    except SystemExit as stop:  # shell completion ends this way, and click where the reader of the output has gone
        code = PASS if isinstance(stop.__context__, BrokenPipeError) else stop.code
    except BrokenPipeError:
        code = PASS
    except BaseException as error:
        if os.environ.get("SOFTTRUTH_DEBUG"):
            raise
        return _told(error)
    return code if isinstance(code, int) else PASS


def _told(error: BaseException) -> int:
    """Say in one line on stderr what went wrong, and return the exit code."""
    import click

    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    from softtruth.render.words import clean

    sentence, code = _sentence(error)
    sentence = clean(sentence)  # names of files and columns may hold anything
    if sys.stderr is None:  # closed: the code alone has to say it
        return code
    try:
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201  # the last line before the process ends
    except OSError:
        return code
    return code


def _sentence(error: BaseException) -> tuple[str, int]:
    import click

    from softtruth.errors import SofttruthError

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted", INTERRUPTED
    if isinstance(error, SofttruthError):
        return f"error: {error}", ERROR
    if isinstance(error, MemoryError):
        return "error: the memory of this machine does not suffice for these files.", ERROR
    if isinstance(error, OSError):
        return f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}.", ERROR
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return f"internal error: {words}. Set SOFTTRUTH_DEBUG=1 to see where, and report it.", ERROR
