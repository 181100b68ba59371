"""What all displays share: axes to draw on, styles that differ in more than colour, names shown as they are."""

from __future__ import annotations

import io
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from softtruth.errors import InputError, MissingPackageError
from softtruth.render.words import clean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GREY = "#6b6b6b"
FAINT = "#d9d9d9"
SMALL = 9  # points
LONGEST = 26  # signs of a name beside an axis


class Style(NamedTuple):
    """How one series looks."""

    color: str
    line: Any
    marker: str


# Colours of Okabe & Ito (2008, Color universal design), from dark to light as far as they go; each with a line and a
# marker of its own.
STYLES = (
    Style("#0072B2", "-", "o"),
    Style("#D55E00", (0, (5, 2)), "s"),
    Style("#007A5A", (0, (5, 1.5, 1, 1.5)), "^"),
    Style("#A0407E", (0, (1, 1.2)), "D"),
    Style("#8F6200", (0, (8, 2, 1, 1, 1, 2)), "v"),
    Style("#333333", (0, (3, 1)), "P"),
)


class Display(ABC):
    """A picture that can be drawn: the base of all displays.

    Attributes
    ----------
    ax_, figure_
        The axes that it was drawn on, and their figure; there once ``plot`` was called.
    """

    ax_: Any
    figure_: Any
    _own = False

    @abstractmethod
    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on these axes, or on a figure of its own, and return the display."""

    def save(self, path: str | Path, **kwargs: Any) -> None:
        """Draw, where that was not done yet, and write the picture to a file; the ending gives the format.

        Parameters
        ----------
        path : str or Path
        **kwargs
            More of matplotlib's ``savefig``.
        """
        self._drawn().savefig(path, **{"dpi": 150, **kwargs})

    def _drawn(self) -> Any:
        if not hasattr(self, "figure_"):
            self.plot()
        return self.figure_

    def _repr_png_(self) -> bytes | None:
        """Show the picture in a notebook; one on axes that were given is shown by whoever owns them."""
        figure = self._drawn()
        if not self._own:
            return None
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=110)
        return stream.getvalue()

    def _axes(self, ax: Any, size: tuple[float, float]) -> Any:
        """Return the axes to draw on, and keep them."""
        self._own = ax is None
        if ax is None:
            try:
                from matplotlib.figure import Figure
            except ImportError:
                raise MissingPackageError("matplotlib", "plot", type(self).__name__) from None
            ax = Figure(figsize=size, layout="constrained").add_subplot()
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def named(text: object, longest: int = LONGEST) -> str:
    r"""Return a name as matplotlib shows it: in one line, of a length that fits, and never as a formula.

    Examples
    --------
    >>> print(named("$a$"), named("a rather long name of one of the classes"))
    \$a\$ a rather long...he classes
    """
    shown = clean(text)
    if len(shown) > longest:
        shown = f"{shown[: longest // 2]}...{shown[3 - longest // 2 :]}"
    return plain(shown)


def plain(text: object) -> str:
    """Return text that matplotlib shows in full and as it is, never as a formula."""
    return clean(text).replace("$", r"\$")


def titled(ax: Any, title: str, caption: str = "") -> None:
    """Put a title above the axes, and below it in lines of their width what the picture stands on."""
    width = ax.get_window_extent().width / ax.figure.dpi  # inches
    lines = [part for text in (title, caption) if text for part in textwrap.wrap(text, max(24, int(13.5 * width)))]
    ax.set_title("\n".join(map(plain, lines)), loc="left", fontsize=SMALL + 0.5)


def grid(ax: Any, axis: str = "both") -> None:
    """Draw faint lines behind everything."""
    ax.grid(visible=True, axis=axis, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def legend(ax: Any, handles: Sequence[Any], names: Sequence[object], **options: Any) -> None:
    """Say which series is which; names that begin with an underscore too, which matplotlib would leave out."""
    made = ax.legend(handles, ["x"] * len(handles), fontsize=SMALL, framealpha=0.9, edgecolor="none", **options)
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set_text(named(name, 2 * LONGEST))


def by_name(given: Any) -> dict[str, Any]:
    """Return several series by their names; one alone has none."""
    return {str(name): one for name, one in given.items()} if isinstance(given, Mapping) else {"": given}


def styles_for(names: Sequence[object], what: str) -> tuple[Style, ...]:
    """Return a style for each series.

    Raises
    ------
    InputError
        If there are none, or more than can be told apart.
    """
    if not 0 < len(names) <= len(STYLES):
        msg = f"found {len(names)} {what}, expected one to {len(STYLES)}: more cannot be told apart."
        raise InputError(msg)
    return STYLES[: len(names)]
