"""The report itself: plain data that prints, saves and turns into a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from softtruth._version import __version__
from softtruth.arguments import checked
from softtruth.errors import InputError, shown
from softtruth.report.frames import frame_of
from softtruth.report.plain import number, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.report.parts import Finding, Row, View

SCHEMA_VERSION = "1"
_NUMBERS = ("value", "low", "high", "level", "standard_error", "support", "n")


@dataclass(frozen=True, eq=False)
class Report:
    """Measures with intervals, what to know about them, and the settings that made them.

    It prints itself in a terminal and shows itself in a notebook. Every table of it is made from ``rows``.

    Attributes
    ----------
    title : str
    task : str
    classes : tuple of str
        All class names in their order.
    n : float
        The number of items that count (the mass, where only sums are known).
    views : tuple of View
    rows : tuple of Row
    findings : tuple of Finding
    settings : mapping
        The options that made the numbers, as JSON values.
    remark : str
        One sentence about how the views may be read together.
    headline : tuple of str
        The questions that sum the report up, the most important first.
    provenance : mapping
        Input files with hashes and row counts, options, guesses and the account of items, where files were read.
    frames : {"pandas", "polars", "pyarrow"}, optional
        The library that the data came from, for ``to_frame``.
    sections : mapping of str to list
        What is shown beside the rows, as JSON values: confusion tables, other priors, wrong labels, suspects.

    Examples
    --------
    >>> from softtruth import evaluate
    >>> report = evaluate([[3, 1], [0, 4], [1, 3]], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], "multiclass",
    ...                   reference_kind="votes", labels=["cat", "dog"])  # fmt: skip
    >>> sorted({row.view for row in report.rows})
    ['majority', 'soft', 'soft_decision']
    >>> report.value("accuracy", "majority"), round(report.value("accuracy", "soft"), 3)
    (0.6666666666666666, 0.65)
    """

    title: str
    task: str
    classes: tuple[str, ...]
    n: float
    views: tuple[View, ...]
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""
    headline: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    frames: str | None = None
    sections: Mapping[str, Any] = field(default_factory=dict)

    @property
    def predictions(self) -> tuple[str, ...]:
        """The names of the predictions, in their order."""
        return tuple(dict.fromkeys(row.prediction for row in self.rows))

    @checked
    def row(
        self, question: str, view: str | None = None, prediction: str | None = None, label: str | None = None
    ) -> Row:
        """Return one row.

        Parameters
        ----------
        question : str
            "macro f1", "accuracy", or with ``label`` the measure of one class. Of binary data "f1" is "micro f1", as
            the printed report has it.
        view, prediction : str, optional
            The first of the report by default.
        label : str, optional
            A class name.

        Raises
        ------
        InputError
            If the report has no such row.
        """
        view = self.views[0].name if view is None else view
        prediction = self.predictions[0] if prediction is None else prediction
        names = {question, f"micro {question}"} if self.task == "binary" else {question}
        for row in self.rows:
            if row.question in names and (row.view, row.prediction, row.label) == (view, prediction, label):
                return row
        questions = list(dict.fromkeys(row.question for row in self.rows))
        msg = (
            f"the report has no row {shown(question)} for view {shown(view)}, prediction {shown(prediction)} and class "
            f"{shown(label)}; it has {', '.join(questions)} for the views {', '.join(v.name for v in self.views)}."
        )
        raise InputError(msg)

    @checked
    def value(
        self, question: str, view: str | None = None, prediction: str | None = None, label: str | None = None
    ) -> float:
        """Return the value of one row; see ``row``."""
        return self.row(question, view, prediction, label).interval.value

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as JSON values.

        The keys are those of ``schema_version``: it changes when one of them goes or changes its meaning.
        """
        from softtruth.report.questions import described

        return {
            "schema_version": SCHEMA_VERSION,
            "software": {"name": "softtruth", "version": __version__},
            "title": self.title,
            "task": self.task,
            "classes": list(self.classes),
            "n": number(self.n),
            "predictions": list(self.predictions),
            "views": [view.to_dict() for view in self.views],
            "remark": self.remark,
            "headline": list(self.headline),
            "measures": described(self.rows),
            "rows": [row.to_dict() for row in self.rows],
            "findings": [finding.to_dict() for finding in self.findings],
            "settings": plain(dict(self.settings)),
            "provenance": plain(dict(self.provenance)),
            "sections": dict(self.sections),
        }

    @checked
    def to_json(self, indent: int | None = 2) -> str:
        """Return the report as JSON text."""
        from softtruth.render.json import to_json

        return to_json(self.to_dict(), indent)

    def to_html(self) -> str:
        """Return the report as one page that needs nothing else: no network, no script, no file beside it."""
        from softtruth.render.html import to_html

        return to_html(self.to_dict())

    def to_markdown(self) -> str:
        """Return the report as Markdown in the manner of GitHub: for comments, job summaries and wikis."""
        from softtruth.render.markdown import to_markdown

        return to_markdown(self.to_dict())

    @checked
    def to_text(self, width: int | None = None, *, color: bool = False) -> str:
        """Return the report as text for a terminal.

        Parameters
        ----------
        width : int, optional
            Columns; those of the terminal by default.
        color : bool
            Whether to use escape codes.
        """
        from softtruth.render.text import to_text

        return to_text(self.to_dict(), width, color=color)

    @checked
    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a frame: one row for each number, with its settings, always with the same columns.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default that of the data that came in; else pandas where it is installed, else polars.

        Raises
        ------
        MissingPackageError
            If the package is not installed.
        """
        rows = [{**row.to_dict(), **self._made_with(row)} for row in self.rows]
        return frame_of(rows, _columns(), _NUMBERS, backend or self.frames, "Report.to_frame")

    def _made_with(self, row: Row) -> dict[str, Any]:
        """Return the settings of a number as columns of their own; empty where one does not apply."""
        settings = self.settings
        return {
            "task": self.task,
            "n": self.n,
            "coupling": settings.get("coupling", {}).get(row.view, ""),
            "convention": settings.get("convention", ""),
            "ties": settings.get("ties", ""),
            "intervals": str(settings.get("interval", "influence")),
            "software": f"softtruth {__version__}",
        }

    def __str__(self) -> str:
        """Return the report as text."""
        return self.to_text()

    def __repr__(self) -> str:
        """Return what the report is about, in one line."""
        names = ", ".join(self.predictions)
        return f"Report({self.title!r}: {names}; {len(self.rows)} rows, {len(self.findings)} findings)"

    def _repr_html_(self) -> str:
        """Show the report in a notebook, shut off from the styles around it."""
        from softtruth.render.html import to_frame_tag

        return to_frame_tag(self.to_dict())


def _columns() -> tuple[str, ...]:
    return (
        "prediction", "view", "measure", "operator", "class", "value", "low", "high", "level", "source", "method",
        "standard_error", "assumption", "support", "note", "signature", "task", "n", "coupling", "convention", "ties",
        "intervals", "software",
    )  # fmt: skip
