"""A report as Markdown in the manner of GitHub, for comments, summaries of jobs and wikis.

Whatever a name holds, it is shown as it is: it opens no tag, no link and no column, and calls nobody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from softtruth.render import arranged, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from softtruth.render.arranged import Line, Row

# What begins emphasis, a link, a cell, a tag, mathematics or an entity. Inside a word "_" does not, and a bracket is a
# link only where "(" follows it: the text holds no definitions of links, which a bracket at its start would open.
_SIGNS = re.compile(r"([\\`*<>|~$&#]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|^!?\[|\](?=\())")
_OF_A_LIST = re.compile(r"^(\d*)([-+.)])(?=[\s-]|$)")
_MENTION = re.compile(r"(?<![0-9A-Za-z])@(?=[0-9A-Za-z])")
_JOINER = "\N{WORD JOINER}"  # cannot be seen, and nobody is named after it


def to_markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    report
        What ``Report.to_dict`` gives.
    """
    return document(_parts(report))


def document(parts: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as one text, a blank line between two of them.

    Examples
    --------
    >>> print(document([["# Title"], [], ["- one", "- two"]]), end="")
    # Title
    <BLANKLINE>
    - one
    - two
    """
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def escaped(text: object) -> str:
    r"""Return text that Markdown shows as it is, in one line.

    Examples
    --------
    >>> print(escaped("<b>|a_b|</b>"), escaped("- 1"), escaped("1. cat"))
    \<b\>\|a_b\|\</b\> \- 1 1\. cat
    """
    shown = _SIGNS.sub(r"\\\1", words.clean(text).strip())
    return _MENTION.sub(f"@{_JOINER}", _OF_A_LIST.sub(r"\1\\\2", shown))


def heading(text: object, level: int = 2) -> list[str]:
    """Return a heading; its text is escaped."""
    return [f"{'#' * level} {escaped(text)}"]


def bullets(sentences: Iterable[str]) -> list[str]:
    """Return a list; its sentences are Markdown already."""
    return [f"- {sentence}" for sentence in sentences]


def table(head: Sequence[object], rows: Iterable[Sequence[object]], *, names: int = 1) -> list[str]:
    r"""Return a table; every cell of it is escaped.

    Parameters
    ----------
    head : sequence
        The titles of the columns.
    rows : iterable of sequences
        As long as the head.
    names : int
        How many columns from the left hold names; the others hold numbers and stand to the right.

    Examples
    --------
    >>> print("\n".join(table(["", "f1"], [["cat|dog", "0.500"]])))
    |  | f1 |
    |:---|---:|
    | cat\|dog | 0.500 |
    """
    rule = "|".join(":---" if i < names else "---:" for i in range(len(head)))
    lines = [[escaped(cell) for cell in row] for row in (head, *rows)]
    shown = [f"| {' | '.join(line)} |" for line in lines]
    return [shown[0], f"|{rule}|", *shown[1:]]


def _parts(report: Mapping[str, Any]) -> Iterator[list[str]]:
    level = words.percent(report["settings"]["level"])
    several, exclusive = len(report["predictions"]) > 1, report["task"] != "binary"
    titles = [view["title"] for view in report["views"]]
    yield heading(report["title"], 1)
    yield [escaped(words.size(report))]
    if len(report["views"]) > 1:
        yield bullets(f"**{escaped(view['title'])}**: {escaped(view['sentence'])}" for view in report["views"])
    yield [escaped(report["remark"])] if report["remark"] else []
    for question in report["headline"] if several else ():
        yield heading(f"{words.question(report, question)} of each prediction, with {level} intervals")
        yield _grid("prediction", titles, arranged.comparison(report, question))
        yield bullets(map(escaped, arranged.differences(report, question)))
    if better := arranged.which_is_better(report):
        yield [escaped(better)]
    for name in report["predictions"]:
        yield heading(f"{name}, with {level} intervals" if several else f"Values with {level} intervals")
        lines, same = arranged.averages(report, name), dict[str, list[str]]()
        if exclusive:  # binary data have no averages: what is the same there is so by chance
            lines, same = arranged.without_repeats(lines)
        yield _grid("measure", titles, lines)
        yield bullets(f"The same number as {escaped(one)}: {escaped(', '.join(rest))}." for one, rest in same.items())
        yield from _classes(report, name)
    for title, sentences in arranged.true_accuracies(report):
        yield heading(title)
        yield bullets(map(escaped, sentences))
    yield from _findings(report)
    yield from foot(report)


def _classes(report: Mapping[str, Any], name: str) -> Iterator[list[str]]:
    """Yield the values of every class: in the first view, and in the soft one where there is one."""
    several = len(report["views"]) > 1
    for view in report["views"]:
        if view["name"] not in {report["views"][0]["name"], "soft"}:
            continue
        measures, lines = arranged.classes(report, name, view["name"])
        if lines:
            yield heading(f"Each class, {view['title']}" if several else "Each class", 3)
            rows = ([line.head, line.note, *map(cell, line.cells)] for line in lines)
            yield table(["class", "items", *measures], rows)


def _findings(report: Mapping[str, Any]) -> Iterator[list[str]]:
    found = arranged.findings(report)
    if found:
        yield heading("Findings")
        yield bullets(
            f"{'**Warning.** ' if f['severity'] == 'warning' else ''}{escaped(arranged.with_place(f))}" for f in found
        )


def foot(report: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield what became of the items, and the software with its settings."""
    account = words.account(report)
    if account:
        yield heading("Items")
        yield bullets(map(escaped, account))
    yield [escaped(words.made_with(report))]


def _grid(head: str, titles: Sequence[str], lines: Sequence[Line]) -> list[str]:
    return table([head, *titles], ([line.head, *map(cell, line.cells)] for line in lines))


def cell(row: Row | None) -> str:
    """Return a value with its interval."""
    if row is None:
        return words.NOTHING
    return f"{words.number(row['value'])} {words.interval(row)}".rstrip()
