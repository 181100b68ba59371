"""Small tables for notebooks: plain HTML without styles of its own, so that they look like the tables around them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from softtruth.render import words

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ROWS = 20


def small_table(caption: str, head: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Return a table of names and numbers; of many rows the first, and how many there are more.

    Examples
    --------
    >>> print(small_table("binary, 3 items", ["tp", "fp"], [("<b>", [1, 2.5])]))
    <table><caption style="text-align:left">binary, 3 items</caption>
    <thead><tr><th></th><th>tp</th><th>fp</th></tr></thead><tbody>
    <tr><th>&lt;b&gt;</th><td>1.0</td><td>2.5</td></tr>
    </tbody></table>
    """
    titles = "".join(f"<th>{_shown(name)}</th>" for name in ("", *head))
    lines = [
        f"<tr><th>{_shown(name)}</th>{''.join(f'<td>{x}</td>' for x in words.counts(numbers))}</tr>"
        for name, numbers in rows[:MOST_ROWS]
    ]
    if len(rows) > MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(head) + 1}">and {len(rows) - MOST_ROWS:,} more</td></tr>')
    whole = "\n".join(lines)
    return (
        f'<table><caption style="text-align:left">{_shown(caption)}</caption>\n'
        f"<thead><tr>{titles}</tr></thead><tbody>\n{whole}\n</tbody></table>"
    )


def _shown(text: str) -> str:
    return escape(words.clean(text))
