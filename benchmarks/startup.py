"""What it costs to import the package and to ask for help, in new processes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from harness import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _python(code: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  our own two lines of code


def workloads() -> Iterator[Workload]:
    """Yield the rows."""
    numpy = _python("import numpy")
    yield Workload("imp", "import softtruth", _python("import softtruth"), numpy, 1.15)
    yield Workload(
        "imp_use",
        "import softtruth and touch IndicatorMatrix",
        _python("import softtruth; softtruth.IndicatorMatrix"),
        numpy,
        None,
    )
    # What draws the help cannot be avoided; the rest is ours: commands and their options.
    drawn = _python("import rich_click, rich.console, rich.panel, rich.table")
    help_of_all = _python(
        "import os, sys; sys.stdout = open(os.devnull, 'w'); from softtruth.cli import run; run(['--help'])"
    )
    yield Workload("help", "softtruth --help, against loading what draws it", help_of_all, drawn, None)
