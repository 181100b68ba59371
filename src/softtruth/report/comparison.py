"""The comparison of predictions: paired differences, a verdict on each, and what would turn it around."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from softtruth._version import __version__
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.report.frames import frame_of
from softtruth.report.plain import number, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.report.parts import Finding, View
    from softtruth.uncertainty.interval import Interval

COMPARISON_VERSION = "1"
COLUMNS = (
    "measure", "view", "group", "first", "second", "first_value", "second_value", "difference", "low", "high", "level",
    "p_value", "p_adjusted", "better", "verdict", "ahead", "items", "items_needed", "method", "standard_error",
    "assumption", "note", "signature",
)  # fmt: skip
_NUMBERS = {
    "first_value", "second_value", "difference", "low", "high", "level", "p_value", "p_adjusted", "items",
    "items_needed", "standard_error",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Two predictions under one question: first minus second, on the same items.

    Attributes
    ----------
    question : str
        Operator and measure.
    view : str
        What they were compared with: see ``View``.
    group : str or None
        Of which items; None for all.
    first, second : str
    values : (float, float)
        The value of each.
    interval : Interval
        First minus second.
    p_value, p_adjusted : float
        Two-sided, of no difference; after Holm's correction over the pairs (and groups) of the question.
    better : {"higher", "lower", "neither"}
        Which way the measure is better.
    verdict : str
        ``first`` or ``second`` is better beyond chance; ``undecided``; ``same``, where both answer alike on every item;
        ``undefined``, where a value is; ``unranked``, where the measure does not say which way is better.
    items : int
    items_needed : int, optional
        How many items would show an undecided difference of this size.
    signature : str
        The settings in one line.
    """

    question: str
    view: str
    group: str | None
    first: str
    second: str
    values: tuple[float, float]
    interval: Interval
    p_value: float
    p_adjusted: float
    better: str
    verdict: str
    items: int
    items_needed: int | None = None
    signature: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the two."""
        return self.first, self.second

    @property
    def beyond_chance(self) -> bool:
        """Whether one of the two is better beyond chance."""
        return self.verdict in {"first", "second"}

    @property
    def ahead(self) -> str:
        """The name of the prediction with the better value, by chance or not; nothing where neither is."""
        gain = self.gain
        if math.isnan(gain) or gain == 0:
            return ""
        return self.first if gain > 0 else self.second

    @property
    def gain(self) -> float:
        """By how much the first is better than the second; negative where it is worse, NaN where nobody can say."""
        sign = {"higher": 1.0, "lower": -1.0}.get(self.better, math.nan)
        return sign * self.interval.value

    @property
    def gain_ends(self) -> tuple[float, float]:
        """The ends of the interval of the gain; where both answer alike, exactly nothing."""
        if self.verdict == "same":
            return 0.0, 0.0
        low, high = self.interval.low, self.interval.high
        return {"higher": (low, high), "lower": (-high, -low)}.get(self.better, (math.nan, math.nan))

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON values, flat; numbers that JSON cannot write are null."""
        i = self.interval
        return {
            "measure": self.question,
            "view": self.view,
            "group": self.group,
            "first": self.first,
            "second": self.second,
            "first_value": number(self.values[0]),
            "second_value": number(self.values[1]),
            "difference": number(i.value),
            "low": number(i.low),
            "high": number(i.high),
            "level": i.level,
            "p_value": number(self.p_value),
            "p_adjusted": number(self.p_adjusted),
            "better": self.better,
            "verdict": self.verdict,
            "ahead": self.ahead,
            "items": self.items,
            "items_needed": self.items_needed,
            "method": i.method,
            "standard_error": number(i.standard_error),
            "assumption": i.assumption,
            "note": i.note,
            "signature": self.signature,
        }


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
                    return turned(row)
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
        return frame_of([row.to_dict() for row in self.rows], COLUMNS, _NUMBERS, backend, "ComparisonReport.to_frame")

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


def turned(row: Difference) -> Difference:
    """Return the same difference with the two predictions in the other order."""
    from dataclasses import replace

    i = row.interval
    other = {"first": "second", "second": "first"}.get(row.verdict, row.verdict)
    return replace(
        row,
        first=row.second,
        second=row.first,
        values=(row.values[1], row.values[0]),
        interval=replace(i, value=0.0 - i.value, low=0.0 - i.high, high=0.0 - i.low),
        verdict=other,
    )
