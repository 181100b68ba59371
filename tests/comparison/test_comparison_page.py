"""A comparison as a page and as Markdown: they stand alone, are accessible, and no name gets out of its place."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from softtruth import compare_predictions
from softtruth.render.arranged import Line
from softtruth.render.comparison_html import Scale, curve_of, scale_of, to_frame_tag, to_html
from softtruth.render.comparison_markdown import to_markdown
from softtruth.render.comparison_text import to_text

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "\" onmouseover='alert(1)'",
    "turn\u202earound",
]
VOID = {"meta", "line", "circle", "polygon", "polyline"}


class Page(HTMLParser):
    """The elements of a page, as (tag, attributes), its words, and the data in it."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.words, self.data = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.data += data
        else:
            self.words.append(data)

    def all(self, tag):
        return [attributes for found, attributes in self.elements if found == tag]


def made(predictions=("ours", "theirs"), classes=("cat", "dog"), places=("here", "there")):
    """What a comparison of soft data with groups holds."""
    rng = np.random.default_rng(0)
    share = rng.beta(0.5, 0.5, 90)
    models = {name: np.clip(share + rng.normal(0, 0.2 + 0.1 * i, 90), 0, 1) for i, name in enumerate(predictions)}
    groups = np.array(places)[rng.integers(0, len(places), 90)]
    report = compare_predictions(
        np.stack([1 - share, share], axis=1),
        {name: np.stack([1 - p, p], axis=1) for name, p in models.items()},
        "multiclass",
        labels=list(classes),
        groups=groups,
        reference_accuracy=0.97,
    )
    return report.to_dict()


@pytest.fixture(scope="module")
def plain():
    return made()


def test_every_element_is_closed(plain):
    assert Page(to_html(plain)).open == []


def test_the_page_needs_nothing_else(plain):
    page = Page(to_html(plain))
    assert not page.all("link")
    assert not page.all("img")
    assert all(attributes.get("type") == "application/json" for attributes in page.all("script"))
    assert not [a for _, attributes in page.elements for a in (attributes.get("src"), attributes.get("href")) if a]
    assert not re.search(r"url\(|@import|https?://", to_html(plain))
    (policy,) = (a["content"] for a in page.all("meta") if "http-equiv" in a)
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'", policy)


def test_tables_and_pictures_are_accessible(plain):
    page = Page(to_html(plain))
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in attributes for attributes in page.all("th"))
    for picture in page.all("svg"):
        assert picture.get("aria-hidden") == "true" or (picture["role"], bool(picture["aria-label"])) == ("img", True)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = [attributes["aria-labelledby"] for _, attributes in page.elements if "aria-labelledby" in attributes]
    assert set(named) <= set(ids)


def test_all_that_is_said_stands_in_the_page(plain):
    page = Page(to_html(plain))
    words = " ".join(" ".join(page.words).split())
    for part in ("verdicts", "swaps", "noise", "groups", "findings"):
        for finding in plain[part]:
            assert finding["sentence"] in words
    assert json.loads(page.data) == plain


def test_no_name_gets_out_of_its_place():
    hostile = made(predictions=HOSTILE[:3], classes=HOSTILE[3:], places=HOSTILE[:2])
    hostile["provenance"] = {"guesses": [HOSTILE[1]], "inputs": [], "accounting": {"sentences": [HOSTILE[0]]}}
    hostile["settings"]["weight"] = HOSTILE[0]
    text = to_html(hostile)
    page = Page(text)
    assert page.open == []
    assert not page.all("img")
    assert len(page.all("script")) == 1
    assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert "\u202e" not in text
    assert any("{{ 7 * 7 }}" in words for words in page.words)
    assert Page(to_frame_tag(hostile)).all("iframe")[0]["sandbox"] == ""
    assert "\u202e" not in to_text(hostile, 80)
    markdown = to_markdown(hostile)
    assert not re.search(r"(?<!\\)<(script|img)", markdown)
    assert "\u202e" not in markdown


def test_markdown_has_the_tables(plain):
    text = to_markdown(plain)
    assert text.startswith("# Comparison of ours, theirs\n")
    assert "## Which is better" in text
    assert "| ours - theirs |" in text
    assert "## Groups of items: group" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for head, rule in pairwise(lines):
        if set(rule) <= set("|:-"):
            assert head.count("|") == rule.count("|")


def test_scales_reach_as_far_to_the_left_as_to_the_right():
    def lines(*ends):
        return [Line("", [{"value": 0.0, "low": low, "high": high}]) for low, high in ends]

    assert scale_of(lines((-0.013, 0.041))) == Scale(0.05)
    assert scale_of(lines((-3.2, 1.0))) == Scale(4.0)
    assert scale_of([]) == Scale(1.0)
    assert Scale(0.05).x(0.0) == "75.0"
    assert (Scale(0.05).x(-0.05), Scale(0.05).x(9)) == ("6.0", "144.0")


def test_curves_are_drawn_where_there_is_one(plain):
    drawn = [f for f in (*plain["swaps"], *plain["noise"]) if curve_of(f) is not None]
    assert {f["code"] for f in drawn} >= {"even_label_errors"}
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    two = {name: np.where(rng.random(100) < right, y, 1 - y) for name, right in (("a", 0.8), ("b", 0.7))}
    swaps = compare_predictions(y, two, "binary").to_dict()["swaps"]
    curve = curve_of(next(f for f in swaps if "class" in f["numbers"]))
    assert curve.what == "frequency of 1"
    assert 0 <= curve.own <= 300
    assert len(curve.line.split()) == 99
    points = [tuple(map(float, point.split(","))) for point in curve.line.split()]
    assert all(0 <= x <= 300 and 0 <= y <= 120 for x, y in points)
    assert curve_of({"code": "simpson", "numbers": {}}) is None
    short = {"rates": [0.0], "values": [0.1], "low": [None], "high": [None]}
    assert curve_of({"code": "even_label_errors", "numbers": {"curve": short}}) is None


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_text_is_no_wider_than_the_terminal(plain, width):
    assert max(map(len, to_text(plain, width).splitlines())) <= width
