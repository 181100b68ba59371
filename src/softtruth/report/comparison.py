"""The comparison of predictions: paired differences, a verdict on each, and what would turn it around."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from softtruth._version import __version__
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.report.difference import COLUMNS, NUMBERS
from softtruth.report.frames import frame_of
from softtruth.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.report.difference import Difference
    from softtruth.report.parts import Finding, View

COMPARISON_VERSION = "1"


@dataclass(frozen=True, eq=False)
class ComparisonReport:
    """Which of these predictions is better, how sure that is, and what would turn it around.

    It prints itself in a terminal and shows itself in a notebook. What it says is in ``rows`` (numbers) and in the five
    lists of findings (sentences with their numbers).

    Attributes
    ----------
    title, task : str
    classes : tuple of str
    n : int
        The number of items.
    predictions : tuple of str
    baseline : str or None
        With which the others are compared; None where each two are.
    views : tuple of View
        The first is that of the verdicts.
    headline : tuple of str
        The questions with a verdict.
    rows : tuple of Difference
    verdicts : tuple of Finding
        One sentence for each question and pair; for more than two predictions also which one leads.
    swaps : tuple of Finding
        What puts another prediction ahead: priors, dependence, measures, conventions, ways to look at the reference.
    noise : tuple of Finding
        Whether wrong labels can turn the order.
    groups : tuple of Finding
        Where groups of items disagree with the whole.
    findings : tuple of Finding
        What else a reader should know, and which questions could not be asked.
    group_column : str or None
        What the groups are called.
    settings, provenance : mapping
        As in ``Report``.
    frames : {"pandas", "polars", "pyarrow"}, optional
        As in ``Report``.

    Examples
    --------
    >>> from softtruth import compare_predictions
    >>> y = [0, 1, 1, 0, 1, 0, 1, 1] * 20
    >>> report = compare_predictions(y, {"A": [0, 1, 0, 0, 0, 0, 1, 1] * 20, "B": [0, 1, 1, 0, 1, 1, 1, 1] * 20})
    >>> print(report.verdicts[0].sentence)
    B is better than A in accuracy by 0.125 [0.032, 0.218].
    >>> report.row("accuracy", "B", "A").gain
    0.125
    """

    title: str
    task: str
    classes: tuple[str, ...]
    n: int
    predictions: tuple[str, ...]
    baseline: str | None
    views: tuple[View, ...]
    headline: tuple[str, ...]
    rows: tuple[Difference, ...]
    verdicts: tuple[Finding, ...] = ()
    swaps: tuple[Finding, ...] = ()
    noise: tuple[Finding, ...] = ()
    groups: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    group_column: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    frames: str | None = None

    @checked
    def row(
        self, question: str, first: str, second: str, view: str | None = None, group: str | None = None
    ) -> Difference:
        """Return the difference of two predictions, in the order that is asked for.

        Parameters
        ----------
        question : str
            "macro f1", "accuracy". Of binary data "f1" is "micro f1", as the printed report has it.
        first, second : str
        view : str, optional
            The first of the report by default.
        group : str, optional
            All items by default.

        Raises
        ------
        InputError
            If the report has no such row.
        """
        view = self.views[0].name if view is None else view
        names = {question, f"micro {question}"} if self.task == "binary" else {question}
        for row in self.rows:
            if row.question in names and (row.view, row.group) == (view, group):
                if row.pair == (first, second):
                    return row
                if row.pair == (second, first):
                    return row.turned()
        asked = list(dict.fromkeys(row.question for row in self.rows))
        msg = (
            f"the comparison has no {shown(question)} of {shown(first)} and {shown(second)} for view {shown(view)} and "
            f"group {shown(group)}; it has {', '.join(asked)} of {', '.join(self.predictions)} for the views "
            f"{', '.join(v.name for v in self.views)}."
        )
        raise InputError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as JSON values.

        The keys are those of ``schema_version``: it changes when one of them goes or changes its meaning.
        """
        return {
            "schema_version": COMPARISON_VERSION,
            "kind": "comparison",
            "software": {"name": "softtruth", "version": __version__},
            "title": self.title,
            "task": self.task,
            "classes": list(self.classes),
            "n": self.n,
            "predictions": list(self.predictions),
            "baseline": self.baseline,
            "views": [view.to_dict() for view in self.views],
            "headline": list(self.headline),
            "group_column": self.group_column,
            "rows": [row.to_dict() for row in self.rows],
            **{
                name: [finding.to_dict() for finding in getattr(self, name)]
                for name in ("verdicts", "swaps", "noise", "groups", "findings")
            },
            "settings": plain(dict(self.settings)),
            "provenance": plain(dict(self.provenance)),
        }

    @checked
    def to_json(self, indent: int | None = 2) -> str:
        """Return the comparison as JSON text."""
        from softtruth.render.json import to_json

        return to_json(self.to_dict(), indent)

    def to_html(self) -> str:
        """Return the comparison as one page that needs nothing else: no network, no script, no file beside it."""
        from softtruth.render.comparison_html import to_html

        return to_html(self.to_dict())

    def to_markdown(self) -> str:
        """Return the comparison as Markdown in the manner of GitHub."""
        from softtruth.render.comparison_markdown import to_markdown

        return to_markdown(self.to_dict())

    @checked
    def to_text(self, width: int | None = None, *, color: bool = False) -> str:
        """Return the comparison as text for a terminal; see ``Report.to_text``."""
        from softtruth.render.comparison_text import to_text

        return to_text(self.to_dict(), width, color=color)

    @checked
    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a frame, one for each difference, always with the same columns; as ``Report.to_frame``."""
        return frame_of(
            [row.to_dict() for row in self.rows], COLUMNS, NUMBERS, backend or self.frames, "ComparisonReport.to_frame"
        )

    def __str__(self) -> str:
        """Return the comparison as text."""
        return self.to_text()

    def __repr__(self) -> str:
        """Return what the comparison is about, in one line."""
        return f"ComparisonReport({self.title!r}: {len(self.rows)} rows, {len(self.verdicts)} verdicts)"

    def _repr_html_(self) -> str:
        """Show the comparison in a notebook, shut off from the styles around it."""
        from softtruth.render.comparison_html import to_frame_tag

        return to_frame_tag(self.to_dict())
