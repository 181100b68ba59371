"""A report as a page: it stands alone, it is accessible, and no name gets out of its place."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from softtruth.render.arranged import Line
from softtruth.render.charts import Axis, axis_of
from softtruth.render.html import to_frame_tag, to_html
from stored import assert_stored

STORED = Path(__file__).parent / "stored"
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "\" onmouseover='alert(1)'",
    "&lt;b&gt;",
    "שלום <!-- עולם",
    "turn\u202earound",
    "\ud800",
    "y" * 300,
]
VOID = {"meta", "line", "circle", "path", "br", "input"}


class Page(HTMLParser):
    """The elements of a page, as (depth, tag, attributes), and its text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.words, self.data, self.own = [], [], [], "", {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((len(self.open), tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((len(self.open), tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in {"script", "style"}:
            kind = self.elements[-1][2].get("type", self.open[-1])
            self.data += data if kind == "application/json" else ""
            self.own[kind] = self.own.get(kind, "") + data
        else:
            self.words.append(data)

    def all(self, tag):
        return [attributes for _, found, attributes in self.elements if found == tag]


def outline(page):
    """Return the elements of the page without repeated lines, indented: its skeleton."""
    lines = []
    for depth, tag, attributes in page.elements:
        if tag in {"tr", "td", "li", "line", "circle", "path", "text", "bdi"}:
            continue
        shown = [f"{key}={attributes[key]}" for key in ("id", "class", "scope", "role", "open") if key in attributes]
        lines.append("  " * depth + " ".join([tag, *shown]))
    return "\n".join([*dict.fromkeys(lines), ""])


def test_skeleton_is_as_stored(made):
    assert_stored(STORED / "skeleton.txt", outline(Page(to_html(made()))))


def test_every_element_is_closed(made):
    assert Page(to_html(made())).open == []


def test_the_page_needs_nothing_else(made):
    page = Page(to_html(made()))
    assert not page.all("link")
    assert not page.all("img")
    assert [attributes.get("type") for attributes in page.all("script")] == ["application/json", None]
    addresses = [a for _, _, attributes in page.elements for a in (attributes.get("src"), attributes.get("href")) if a]
    assert all(address.startswith("#") for address in addresses)
    assert not re.search(r"url\(|@import|https?://", to_html(made()))


def test_the_page_allows_itself_its_own_style_and_script_only(made):
    page = Page(to_html(made()))
    (policy,) = (a["content"] for a in page.all("meta") if "http-equiv" in a)
    digests = {
        kind: base64.b64encode(hashlib.sha256(page.own[kind].encode()).digest()).decode()
        for kind in ("style", "script")
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digests['style']}'; script-src 'sha256-{digests['script']}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not any("style" in attributes for _, _, attributes in page.elements)


def test_tables_are_accessible(made):
    page = Page(to_html(made()))
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in attributes for attributes in page.all("th"))
    assert all("aria-hidden" in attributes or attributes["aria-label"] for attributes in page.all("svg"))
    ids = [attributes["id"] for _, _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = [attributes["aria-labelledby"] for _, _, attributes in page.elements if "aria-labelledby" in attributes]
    assert set(named) <= set(ids)


def test_no_name_gets_out_of_its_place(made):
    plain = Page(to_html(made(predictions=["ours"], classes=[f"c{i}" for i in range(len(HOSTILE))])))
    text = to_html(made(predictions=["ours"], classes=HOSTILE))
    page = Page(text)
    assert [(depth, tag) for depth, tag, _ in page.elements] == [(depth, tag) for depth, tag, _ in plain.elements]
    assert not any(key.startswith("on") for _, _, attributes in page.elements for key in attributes)
    assert "<script>alert(1)</script>" in page.words
    assert "{{ 7 * 7 }}" in page.words
    assert "\u202e" not in text
    text.encode("utf-8")


def test_hostile_names_of_predictions_findings_and_files(made):
    report = made(predictions=HOSTILE[:5])
    report["title"] = report["remark"] = HOSTILE[1]
    report["findings"][0]["sentence"] = HOSTILE[0]
    report["provenance"]["inputs"][0]["path"] = HOSTILE[3]
    report["provenance"]["guesses"] = [HOSTILE[1]]
    report["settings"]["weight"] = HOSTILE[0]
    page = Page(to_html(report))
    assert page.open == []
    assert not page.all("img")
    assert len(page.all("script")) == 2


def test_the_data_stand_in_the_page(made):
    report = made(classes=HOSTILE)
    page = Page(to_html(report))
    assert json.loads(page.data) == report


@pytest.mark.parametrize("value", [None, 0.0, 1.0, -0.5, 3.0])
def test_bars_of_any_value(made, value):
    report = made(predictions=["ours"])
    report["rows"][0] |= {"value": value, "low": None, "high": None}
    assert Page(to_html(report)).open == []


def test_a_number_without_an_interval_says_why(made):
    text = to_html(made(predictions=["ours"]))
    assert 'title="the value lies on the edge of its range">no interval</span>' in text


def test_axes():
    def lines(*values):
        return [Line("", [{"value": v, "low": None, "high": None} for v in values])]

    assert axis_of(lines(0.2, 0.9)) == Axis(0.0, 1.0)
    assert axis_of(lines(-0.2, 0.9)) == Axis(-1.0, 1.0)
    assert axis_of(lines(0.2, 7.0)) == Axis(0.0, 7.0)
    assert axis_of(lines(0.76, 0.83), near=True) == Axis(0.75, 0.85)
    assert axis_of(lines(0.31, 0.98), near=True) == Axis(0.0, 1.0)
    assert Axis(0.0, 1.0).x(0.5) == "66.0"
    assert Axis(0.0, 1.0).x(9.0) == Axis(0.0, 1.0).x(1.0)


def test_in_a_notebook_the_page_stands_in_a_frame(made):
    text = to_frame_tag(made(predictions=HOSTILE[:2]))
    (frame,) = Page(text).all("iframe")
    assert frame["sandbox"] == "allow-scripts"
    assert frame["srcdoc"].startswith("<!doctype html>")
