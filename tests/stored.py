"""Compare text with its stored copy. To store what is printed now: STORE=1 python -m pytest tests/render"""

import os
from pathlib import Path

from softtruth import __version__


def assert_stored(path: Path, text: str) -> None:
    """Compare text with the copy in a file; the version of the package is left out of both."""
    text = text.replace(__version__, "VERSION")
    if os.environ.get("STORE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"{path} is not stored; run with STORE=1 and look at what it holds"
    assert text == path.read_text(encoding="utf-8")
