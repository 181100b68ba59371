"""A report as Markdown: what it looks like, and that no name becomes anything but text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from softtruth import evaluate
from softtruth.render import words
from softtruth.render.markdown import bullets, document, escaped, heading, table, to_markdown
from stored import assert_stored

STORED = Path(__file__).parent / "stored"
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = [
    "<script>alert(1)</script>",
    "<!-- x",
    "a|b",
    "`code`",
    "**bold**",
    "[link](http://x.y)",
    "![picture](http://x.y/z.png)",
    "two\nlines",
    "- 1",
    "1. one",
    "# head #",
    "---",
    "&lt;",
    "a\\",
    "a\\|b",
    "~~gone~~",
    "$x$",
    "turn\u202earound",
    " padded ",
    "@admin",
    "=",
    "",
]


class Seen(HTMLParser):
    """The tags of a page, and the text of each cell, item, paragraph and heading."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002  the signature is the parser's
        self.tags.append(tag)
        if tag in {"td", "th", "li", "p", "h2"}:
            self.texts.append("")

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data


def seen(markdown):
    return Seen(PARSER.render(markdown))


def plain(text):
    return words.clean(text).strip()


def shown(text):
    return text.replace("\N{WORD JOINER}", "").strip()


def test_looks_as_stored(made):
    assert_stored(STORED / "report.md", to_markdown(made()))


def test_one_view_looks_as_stored(made):
    report = made(predictions=["ours"], classes=["a|b", "<b>c</b>"])
    report["views"] = report["views"][:1]
    report["remark"] = ""
    report["rows"] = [row for row in report["rows"] if row["view"] == "majority"]
    assert_stored(STORED / "one_view.md", to_markdown(report))


def test_what_is_not_there_is_a_dash_and_no_heading(made):
    report = made(predictions=["ours"])
    report["rows"] = [
        row for row in report["rows"] if row["class"] is None and (row["view"], row["measure"]) != ("soft", "accuracy")
    ]
    report["findings"], report["provenance"], report["sections"] = [], {}, {}
    text = to_markdown(report)
    assert "| accuracy | 0.750 [0.700, 0.800] | \N{EN DASH} |" in text
    assert [line for line in text.splitlines() if line[:1] == "#"] == [
        "# Evaluation of ours",
        "## Values with 95% intervals",
    ]


texts = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.sampled_from("ab1 \t\n\\`*_[]()<>|~$&#!-+.=:@\u202e"), max_size=9)
)


@pytest.mark.parametrize(
    "within",
    [
        lambda text: document([bullets([escaped(text)])]),
        lambda text: document([[escaped(text)]]),
        lambda text: document([heading(text)]),
        lambda text: document([table([text], [[text]])]),
    ],
    ids=["list", "paragraph", "heading", "table"],
)
@given(text=texts)
@example(text="a\\|")
@example(text="-")
@example(text="    code")
def test_any_text_is_shown_as_it_is(within, text):
    found = seen(within(text))
    assert set(found.tags) <= {"ul", "li", "p", "h2", "table", "thead", "tbody", "tr", "th", "td"}
    assert {shown(one) for one in found.texts} <= {plain(text)}
    assert shown("".join(found.texts[:1])) == plain(text)


@given(names=st.lists(texts, min_size=2, max_size=5, unique=True), numbers=st.integers(1, 3))
def test_a_table_has_the_cells_that_went_in(names, numbers):
    head, rows = ["class", *["f1"] * numbers], [[name, *["0.5"] * numbers] for name in names]
    found = seen(document([table(head, rows)]))
    assert [shown(text) for text in found.texts] == [plain(cell) for row in (head, *rows) for cell in row]
    assert found.tags.count("tr") == len(names) + 1


def test_a_name_calls_nobody():
    assert "@\N{WORD JOINER}admin" in escaped("@admin and (@admin)")
    assert escaped("a@b.c") == "a@b.c"


def test_hostile_names_in_a_whole_report(made):
    report = made(predictions=HOSTILE[:3], classes=HOSTILE)
    for place in ("sentence", "where"):
        report["findings"][1][place] = HOSTILE[0] if place == "sentence" else HOSTILE[:2]
    report["remark"] = report["title"] = HOSTILE[0]
    text = to_markdown(report)
    page = PARSER.render(text)
    assert not re.search("<script|<!--|<img|<a |<del|<code|<em", page)
    columns = {line.replace("\\\\", "").replace("\\|", "").count("|") for line in text.splitlines() if line[:1] == "|"}
    assert columns == {5}  # three views or two measures and items, beside the names


def test_numbers_are_those_of_the_report():
    report = evaluate([0, 1, 1, 0, 2, 2, 1], [0, 1, 1, 1, 2, 0, 1], "multiclass", labels=["cat", "dog", "a_b"])
    cells = {shown(text) for text in seen(report.to_markdown()).texts}
    for row in report.rows:
        if row.label is not None or row.question in {"accuracy", "macro f1"}:
            assert f"{words.number(row.interval.value)} {words.interval(row.to_dict())}".strip() in cells
    assert {"cat", "dog", "a_b"} <= cells


def test_only_brackets_that_open_a_link_are_escaped():
    for text in ("0.853 [0.8, 0.9]: a difference", "[a] [b]", "x[1][2]"):
        assert escaped(text).replace("\\[", "[", 1) == text
        assert shown(seen(escaped(text)).texts[0]) == text
    link = "x [a](http://x.y)"
    assert "a" not in seen(escaped(link)).tags
    assert shown(seen(escaped("[a]: http://x.y")).texts[0]) == "[a]: http://x.y"
