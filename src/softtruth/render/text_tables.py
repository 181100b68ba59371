"""Tables of values and intervals that fit a terminal: in full, tighter, or in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from softtruth.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from softtruth.render.arranged import Line, Row

LONGEST_NAME = 28  # terminal cells; longer names are cut
GAP = 2  # between columns
PAD = "\ue000"  # a blank that rich does not strip, of private use; the text has ordinary ones in its place

Cell = tuple[str, str]  # a value, and what stands after it or below it
Style = Callable[["Row | None"], Cell]


def full(row: Row | None) -> Cell:
    """Return value and interval as they are written where there is room."""
    return (words.NOTHING, "") if row is None else (words.number(row["value"]), words.interval(row))


def tight(row: Row | None) -> Cell:
    """Return value and interval, the ends without the zero before the point."""
    value, ends = full(row)
    return value, ends.replace("[0.", "[.").replace("-0.", "-.").replace(" 0.", " .")


def stacked(row: Row | None) -> Cell:
    """Return value and interval on two lines."""
    value, ends = tight(row)
    return value, f"\n{ends}" if ends else ""


@dataclass(frozen=True)
class Grid:
    """A table before it is known how wide it may be.

    Attributes
    ----------
    head : str
        Of the column of names.
    titles : list of str
        Of the columns of values.
    lines : list of Line
    notes : str
        The head of a column of notes after the names; none if empty.
    """

    head: str
    titles: Sequence[str]
    lines: Sequence[Line]
    notes: str = ""

    def fitted(self, width: int) -> Iterator[Table]:
        """Yield the table in the first style that fits, or as few tables beside each other's names as do fit."""
        for style, broken in ((full, False), (tight, False), (tight, True)):
            if self._width(style, broken=broken) <= width:
                yield self._table(style, self.titles, slice(None), broken=broken)
                return
        if self.notes:
            yield self._table(stacked, self.titles, slice(None), broken=True)
            return
        fit = max(1, (width - self._names(broken=False)) // (self._cells(full) + GAP))
        for start in range(0, len(self.titles), fit):
            part = slice(start, start + fit)
            yield self._table(full, self.titles[part], part, broken=False)

    def _names(self, *, broken: bool) -> int:
        shown = [self.head, *(part for line in self.lines for part in _name(line.head, broken=broken).split("\n"))]
        return min(max(map(_cells, shown)), LONGEST_NAME)

    def _cells(self, style: Style) -> int:
        """Return the width of a column: that of its widest value and its widest interval beside each other."""
        cells = [style(cell) for line in self.lines for cell in line.cells]
        value, ends = (max((_cells(cell[i].lstrip("\n")) for cell in cells), default=0) for i in (0, 1))
        beside = max(value, ends) if style is stacked else value + bool(ends) + ends
        return max([beside, *(_cells(word) for title in self.titles for word in title.split())])

    def _width(self, style: Style, *, broken: bool) -> int:
        aside = max([len(self.notes), *(len(line.note) for line in self.lines)]) + GAP if self.notes else 0
        return self._names(broken=broken) + aside + len(self.titles) * (self._cells(style) + GAP)

    def _table(self, style: Style, titles: Sequence[str], part: slice, *, broken: bool) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, collapse_padding=True)
        table.add_column(Text(self.head), overflow="fold", max_width=LONGEST_NAME)
        for title in [self.notes, *titles] if self.notes else titles:
            table.add_column(Text(words.clean(title)), justify="right", overflow="fold")
        shown = range(len(self.titles))[part]
        columns = [list(_aligned([style(line.cells[i]) for line in self.lines])) for i in shown]
        for line, *cells in zip(self.lines, *columns, strict=True):
            notes = [Text(line.note)] if self.notes else []
            table.add_row(_short(_name(line.head, broken=broken)), *notes, *cells)
        return table


def _name(text: str, *, broken: bool) -> str:
    """Return a name, on two lines if it may be broken and is long: after the first of its words."""
    shown = words.clean(text)
    first, sign, rest = shown.partition("_")
    return f"{first}{sign}\n{rest}" if broken and sign and _cells(shown) > LONGEST_NAME - 8 else shown


def _short(text: str) -> Any:
    """Return text for a table, each line cut to the width of names: in the middle, as names often differ at the end."""
    from rich.cells import set_cell_size
    from rich.text import Text

    half = LONGEST_NAME // 2
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if _cells(line) > LONGEST_NAME:
            tail = set_cell_size(line[::-1], half - 1)[::-1] if _cells(line) == len(line) else ""
            lines[i] = f"{set_cell_size(line, half if tail else LONGEST_NAME - 1)}\N{HORIZONTAL ELLIPSIS}{tail}"
    return Text("\n".join(lines))


def _aligned(cells: Sequence[Cell]) -> Iterator[Any]:
    """Yield the cells of a column so that values stand below values, and intervals below intervals."""
    from rich.text import Text

    left = max((len(value) for value, _ in cells), default=0)
    right = max((len(ends) for _, ends in cells), default=0)
    below = any(ends.startswith("\n") for _, ends in cells)
    for value, ends in cells:
        if below or not right:
            yield Text.assemble(value, (ends, "dim"))
        else:
            yield Text.assemble(value.rjust(left), " ", (ends.ljust(right, PAD), "dim"))


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
