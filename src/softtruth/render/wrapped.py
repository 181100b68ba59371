"""Sentences in lines of the terminal's width, each under the indent that it has."""

from __future__ import annotations

import textwrap

from softtruth.render.text import terminal_width


def wrapped(text: str, width: int | None = None) -> str:
    r"""Return text whose lines are no longer than the terminal is wide; words stay whole.

    Parameters
    ----------
    text : str
        A sentence a line; what it goes on with is indented by two more than it is itself.
    width : int, optional
        Columns; those of the terminal by default, up to 120.

    Examples
    --------
    >>> print(wrapped("model\n  Its accuracy is 0.9, and its labels are right.", 30))
    model
      Its accuracy is 0.9, and its
        labels are right.
    """
    columns = terminal_width() if width is None else width
    return "\n".join(_folded(line, columns) for line in text.splitlines())


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
