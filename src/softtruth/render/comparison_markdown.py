"""A comparison as Markdown in the manner of GitHub, for comments, summaries of jobs and wikis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth.render import comparison_tables as tables
from softtruth.render import words
from softtruth.render.markdown import bullets, cell, document, escaped, foot, heading, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def to_markdown(comparison: Mapping[str, Any]) -> str:
    """Return the comparison as Markdown.

    Parameters
    ----------
    comparison
        What ``ComparisonReport.to_dict`` gives.
    """
    return document(_parts(comparison))


def _parts(comparison: Mapping[str, Any]) -> Iterator[list[str]]:
    yield heading(comparison["title"], 1)
    yield [escaped(words.size(comparison))]
    yield heading("Which is better")
    yield from _folded(comparison, comparison["verdicts"])
    if len(comparison["views"]) > 1:
        yield bullets(f"**{escaped(view['title'])}**: {escaped(view['sentence'])}" for view in comparison["views"])
    for head, titles, lines in tables.differences(comparison):
        yield heading(head, 3)
        yield table(["", *titles], ([line.head, *map(cell, line.cells)] for line in lines))
    for head, found in tables.sections(comparison):
        if found:
            yield heading(head)
            yield from _folded(comparison, found)
    if comparison["groups"]:
        yield heading(f"Groups of items: {comparison['group_column']}")
        yield from _folded(comparison, comparison["groups"])
    for head, titles, lines in tables.groups(comparison):
        yield heading(head, 3)
        column = str(comparison["group_column"])
        yield table([column, "items", *titles], ([line.head, line.note, *map(cell, line.cells)] for line in lines))
    for head, found in tables.notes(comparison):
        if found:
            yield heading(head)
            yield from _folded(comparison, found)
    yield from foot(comparison)


def _folded(comparison: Mapping[str, Any], findings: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield what a reader needs first, and the others below a line that opens them."""
    first, others = tables.parted(comparison, findings)
    yield _bullets(first)
    if others:
        yield ["<details>", f"<summary>{tables.counted(others)}</summary>"]
        yield _bullets(others)
        yield ["</details>"]


def _bullets(findings: Iterable[dict[str, Any]]) -> list[str]:
    marks = {"warning": "**Warning.** "}
    return bullets(f"{marks.get(f['severity'], '')}{escaped(tables.placed(f))}" for f in findings)
