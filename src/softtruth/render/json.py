"""A report as JSON text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def to_json(report: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return the report as JSON text, in ASCII so that any file or terminal can hold it.

    Parameters
    ----------
    report
        What ``Report.to_dict`` gives.
    indent
        Spaces for each level; None for one line.
    """
    return json.dumps(report, indent=indent, allow_nan=False)


def to_script(report: Mapping[str, Any]) -> str:
    r"""Return the report as JSON that can stand in a ``<script>`` element: nothing in it can end the element.

    Examples
    --------
    >>> print(to_script({"class": "</script><b>"}))
    {"class": "\u003c/script>\u003cb>"}
    """
    return to_json(report, None).replace("<", "\\u003c")
