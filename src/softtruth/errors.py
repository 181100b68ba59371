"""The errors of the package, and the sentences they speak.

A sentence says where, what was found, what was expected and what to do, in one line.
"""

from __future__ import annotations


class SofttruthError(Exception):
    """The base of every error that this package raises on purpose."""


class InputError(SofttruthError, ValueError):
    """The data or the settings cannot be used as they are."""


class NotAnswerableError(InputError):
    """The question cannot be answered from what is kept; the sentence says what would answer it."""


class MissingPackageError(SofttruthError, ImportError):
    """An optional package is needed; the sentence gives the line that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        """Name the package, the extra that brings it and what it is needed for."""
        self.parts = (package, extra, purpose)
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed. Run: "
            f'pip install "softtruth[{extra}]" (in a clone of the repository: pip install ".[{extra}]")'
        )

    def __reduce__(self) -> tuple[type[MissingPackageError], tuple[str, str, str]]:
        """Copy the error with what it was made of, as it comes back from another process."""
        return type(self), self.parts


def shown(value: object, limit: int = 60) -> str:
    """Return a value as error messages print it: one line, quoted when text, cut when long."""
    try:
        text = repr(value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value)
    except ValueError:  # Python writes no whole number of more than some thousands of digits
        text = "a number of thousands of digits"
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def listed(names: object, limit: int = 8) -> str:
    """Return names as error messages print them: quoted, comma separated, the rest counted."""
    names = [shown(n) for n in names]  # type: ignore[attr-defined]  # any iterable of printable things
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")
