"""What a report is made of: rows, findings and views."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from softtruth.report.plain import number, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.uncertainty.interval import Interval


@dataclass(frozen=True)
class Row:
    """One number of a report, with its interval and the settings that made it.

    Attributes
    ----------
    prediction : str
        The name of the prediction.
    view : str
        What it was compared with: see ``View``.
    measure : str
    operator : str or None
        None for measures of the whole table, and for the values of one class.
    label : str or None
        The class, for the values of one class.
    interval : Interval
        The value and its ends.
    support : float or None
        Reference mass of the class, for the values of one class.
    signature : str
        The settings in one line.
    """

    prediction: str
    view: str
    measure: str
    operator: str | None
    label: str | None
    interval: Interval
    support: float | None
    signature: str

    @property
    def question(self) -> str:
        """Operator and measure, as ``parse`` reads them."""
        return self.measure if self.operator is None else f"{self.operator} {self.measure}"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values, flat; numbers that JSON cannot write are null, and the note says why."""
        i = self.interval
        note = i.note or ("the value is infinite" if math.isinf(i.value) else "")
        return {
            "prediction": self.prediction,
            "view": self.view,
            "measure": self.measure,
            "operator": self.operator,
            "class": self.label,
            "value": number(i.value),
            "low": number(i.low),
            "high": number(i.high),
            "level": i.level,
            "source": i.source,
            "method": i.method,
            "standard_error": number(i.standard_error),
            "assumption": i.assumption,
            "support": None if self.support is None else number(self.support),
            "note": note,
            "signature": self.signature,
        }


class FindingWarning(UserWarning):
    """A finding of severity ``warning``, raised where a test suite asked for it."""


@dataclass(frozen=True)
class Finding:
    """Something that a reader of the numbers should know.

    Attributes
    ----------
    code : str
        A stable name, for programs.
    severity : {"note", "warning"}
    sentence : str
        The same for people.
    numbers : mapping
        The figures in the sentence.
    where : tuple of str
        The predictions and views that it is about; empty for all.
    """

    code: str
    severity: str
    sentence: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    where: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {
            "code": self.code,
            "severity": self.severity,
            "sentence": self.sentence,
            "numbers": plain(dict(self.numbers)),
            "where": list(self.where),
        }


@dataclass(frozen=True)
class View:
    """One way to compare: what stands for the truth, and what of the prediction is looked at.

    Attributes
    ----------
    name : str
        ``reference``, ``majority``, ``soft``, ``soft_decision``, ...
    title : str
        The head of its column.
    sentence : str
        What it compares, in words.
    """

    name: str
    title: str
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """Return the view as JSON values."""
        return {"name": self.name, "title": self.title, "sentence": self.sentence}
