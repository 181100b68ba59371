"""A report as text for a terminal, a log or a pipe."""

from __future__ import annotations

import io
import os
import shutil
from typing import TYPE_CHECKING, Any, TextIO

from softtruth.render import arranged, words
from softtruth.render.text_tables import PAD, Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import RenderableType

FALLBACK_WIDTH, WIDEST = 100, 120
MOST_CLASSES = 20  # of a table; the rest is in the other forms of the report
MOST_PREDICTIONS = 4  # with tables of classes


def to_text(report: Mapping[str, Any], width: int | None = None, *, color: bool = False) -> str:
    """Return the report as text.

    Parameters
    ----------
    report
        What ``Report.to_dict`` gives.
    width
        Columns; by default those of the terminal, up to 120.
    color
        Whether to use escape codes.
    """
    return printed(lambda columns: _parts(report, columns), width, color=color)


def printed(parts: Callable[[int], Iterable[RenderableType]], width: int | None = None, *, color: bool = False) -> str:
    """Return what a console of some width prints.

    Parameters
    ----------
    parts
        Makes what is printed, for a number of columns.
    width, color
        As for ``to_text``.
    """
    from rich.console import Console

    width = terminal_width() if width is None else width
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts(width):
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().replace(PAD, " ").splitlines())


def terminal_width() -> int:
    """Return how many columns text may take: those of the terminal, up to 120."""
    return min(shutil.get_terminal_size((FALLBACK_WIDTH, 24)).columns, WIDEST)


def wants_color(stream: TextIO) -> bool:
    """Whether escape codes are welcome: on a terminal, unless NO_COLOR is set; anywhere if FORCE_COLOR is."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def _parts(report: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(words.clean(report["title"]), style="bold")
    yield Text(words.size(report))
    yield from legend(report["views"])
    if report["remark"]:
        yield from ("", Text(words.clean(report["remark"])))
    titles = [view["title"] for view in report["views"]]
    level = words.percent(report["settings"]["level"])
    several = len(report["predictions"]) > 1
    for question in report["headline"] if several else ():
        yield from head_line(f"{words.question(report, question)} of each prediction")
        yield from Grid("", titles, arranged.comparison(report, question)).fitted(width)
        for sentence in arranged.differences(report, question):
            yield Text(words.clean(sentence))
    if better := arranged.which_is_better(report):
        yield from ("", Text(words.clean(better)))
    for name in report["predictions"]:
        yield from head_line(f"{name}, with {level} intervals" if several else f"Values with {level} intervals")
        lines = arranged.averages(report, name)
        # Binary data have no averages: what is the same there is so by chance.
        lines, same = (lines, {}) if report["task"] == "binary" else arranged.without_repeats(lines)
        yield from Grid("", titles, lines).fitted(width)
        for head, others in same.items():
            yield Text(words.clean(f"The same number as {head}: {', '.join(others)}."), style="dim")
        if len(report["predictions"]) <= MOST_PREDICTIONS:
            yield from _classes(report, name, width)
    if len(report["predictions"]) > MOST_PREDICTIONS and any(row["class"] is not None for row in report["rows"]):
        yield from ("", "The values of each class are in the HTML, Markdown and JSON forms.")
    for title, sentences in arranged.true_accuracies(report):
        yield from head_line(title)
        yield bullets((Text("-", style="dim"), sentence) for sentence in sentences)
    yield from _findings(report)
    yield from foot(report)


def head_line(text: str) -> Iterator[RenderableType]:
    """Yield the head of a section."""
    from rich.text import Text

    yield from ("", Text(words.clean(text), style="bold"))


def legend(views: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Say what the columns compare, where there are several."""
    from rich.table import Table
    from rich.text import Text

    if len(views) > 1:
        grid = Table.grid(padding=(0, 2))
        for view in views:
            grid.add_row(Text(words.clean(view["title"])), Text(words.clean(view["sentence"])))
        yield from ("", grid)


def _classes(report: Mapping[str, Any], name: str, width: int) -> Iterator[RenderableType]:
    """Yield the values of every class: in the first view, and in the soft one where there is one."""
    for view in report["views"]:
        if view["name"] not in {report["views"][0]["name"], "soft"}:
            continue
        measures, lines = arranged.classes(report, name, view["name"])
        if not lines:
            continue
        yield from ("", f"Each class, {view['title']}:" if len(report["views"]) > 1 else "Each class:")
        yield from Grid("", measures, lines[:MOST_CLASSES], notes="items").fitted(width)
        if len(lines) > MOST_CLASSES:
            yield f"and {len(lines) - MOST_CLASSES} more classes, in the HTML, Markdown and JSON forms."


def _findings(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    from rich.text import Text

    bold, dim = Text("!", style="bold yellow"), Text("-", style="dim")
    ordered = arranged.findings(report)
    if ordered:
        yield from head_line("Findings")
        yield bullets((bold if f["severity"] == "warning" else dim, arranged.with_place(f)) for f in ordered)


def bullets(lines: Iterator[tuple[Any, str]] | Any) -> RenderableType:
    """Return marks with a sentence each."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    for mark, sentence in lines:
        grid.add_row(mark, Text(words.clean(sentence)))
    return grid


def foot(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield what became of the items, and the software with its settings."""
    from rich.text import Text

    account = words.account(report)
    if account:
        yield from head_line("Items")
        yield bullets((Text("-", style="dim"), sentence) for sentence in account)
    yield from ("", Text(words.clean(words.made_with(report)), style="dim"))
