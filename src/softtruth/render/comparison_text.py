"""A comparison as text for a terminal, a log or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.render import comparison_tables as tables
from softtruth.render import words
from softtruth.render.text import bullets, foot, head_line, legend, printed
from softtruth.render.text_tables import Grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

MOST_GROUPS = 20  # lines of a table of groups; the rest is in the other forms


def to_text(comparison: Mapping[str, Any], width: int | None = None, *, color: bool = False) -> str:
    """Return the comparison as text.

    Parameters
    ----------
    comparison
        What ``ComparisonReport.to_dict`` gives.
    width, color
        As for a report.
    """
    return printed(lambda columns: _parts(comparison, columns), width, color=color)


def _parts(comparison: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(words.clean(comparison["title"]), style="bold")
    yield Text(words.size(comparison))
    yield from _section("Which is better", comparison, comparison["verdicts"])
    yield from legend(comparison["views"])
    for head, titles, lines in tables.differences(comparison):
        yield from head_line(head)
        yield from Grid("", titles, lines).fitted(width)
    if _marked(comparison):
        yield from ("", "! marks what can put another prediction ahead, or leaves a verdict little to rest on.")
    for head, found in tables.sections(comparison):
        yield from _section(head, comparison, found)
    yield from _groups(comparison, width)
    for head, found in tables.notes(comparison):
        yield from _section(head, comparison, found)
    yield from foot(comparison)


def _groups(comparison: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    pairs = len(tables.pairs(comparison["rows"]))
    column = comparison["group_column"]
    yield from _section(f"Groups of items: {column}", comparison, comparison["groups"])
    for head, titles, lines in tables.groups(comparison) if pairs <= tables.MOST_PAIRS else ():
        yield from head_line(head)
        yield from Grid(words.clean(column), titles, lines[:MOST_GROUPS], notes="items").fitted(width)
        if len(lines) > MOST_GROUPS:
            yield f"and {len(lines) - MOST_GROUPS} more groups, in the HTML, Markdown and JSON forms."


def _section(head: str, comparison: Mapping[str, Any], findings: list[dict[str, Any]]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not findings:
        return
    yield from head_line(head)
    bold, dim = Text("!", style="bold yellow"), Text("-", style="dim")
    first, others = tables.parted(comparison, findings)
    lines = [(bold if f["severity"] == "warning" else dim, tables.placed(f)) for f in first]
    if others:
        lines.append(
            (dim, f"{'And' if first else ''} {tables.counted(others)}: in the HTML, Markdown and JSON forms.".strip())
        )
    yield bullets(lines)


def _marked(comparison: Mapping[str, Any]) -> bool:
    """Whether a sentence stands behind an exclamation mark."""
    parts = (comparison[part] for part in ("swaps", "noise", "groups", "findings"))
    return any(f["severity"] == "warning" for part in parts for f in tables.parted(comparison, part)[0])
