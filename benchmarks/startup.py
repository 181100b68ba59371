"""What it costs to import the package, in new processes, against importing NumPy."""

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
