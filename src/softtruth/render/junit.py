"""Gates as test cases in the XML of JUnit, which systems of continuous integration show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from softtruth.render import words

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_XML = re.compile("[\ufffe\uffff]")  # XML has no such signs; words.clean takes the other ones


class Case(NamedTuple):
    """One gate.

    Attributes
    ----------
    name : str
        What has to hold: "macro f1 >= 0.8".
    group : str
        What it is asked of: the prediction and the view.
    failure : str
        Why it does not hold; empty if it does.
    told : str
        The number with its interval and settings.
    """

    name: str
    group: str
    failure: str = ""
    told: str = ""


def to_junit(cases: Sequence[Case]) -> str:
    """Return the gates as the XML of JUnit.

    Parameters
    ----------
    cases : sequence of Case

    Examples
    --------
    >>> print(to_junit([Case("f1 >= 0.8", "ours (soft)", "the value is 0.7")]), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="softtruth" tests="1" failures="1" errors="0">
      <testsuite name="softtruth" tests="1" failures="1" errors="0" skipped="0">
        <testcase name="f1 &gt;= 0.8" classname="ours (soft)">
          <failure message="the value is 0.7" type="gate">the value is 0.7</failure>
        </testcase>
      </testsuite>
    </testsuites>
    """
    counts = {"tests": str(len(cases)), "failures": str(sum(bool(case.failure) for case in cases)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "softtruth", **counts})
    parent = ET.SubElement(root, "testsuite", {"name": "softtruth", **counts, "skipped": "0"})
    for case in cases:
        element = ET.SubElement(parent, "testcase", {"name": _clean(case.name), "classname": _clean(case.group)})
        if case.failure:
            failure = ET.SubElement(element, "failure", {"message": _clean(case.failure), "type": "gate"})
            failure.text = _clean(case.failure)
        if case.told:
            ET.SubElement(element, "system-out").text = _clean(case.told)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _clean(text: object) -> str:
    return _NO_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), words.clean(text))
