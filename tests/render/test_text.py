"""A report as text: what it looks like at two widths, and that it always fits."""

import io
from pathlib import Path

import pytest
from rich.cells import cell_len

from softtruth.render.markdown import to_markdown
from softtruth.render.text import to_text, wants_color
from stored import assert_stored

STORED = Path(__file__).parent / "stored"
HOSTILE = [
    "[red]markup[/red]",
    "\x1b[31mred\x1b[0m",
    "two\nlines",
    "turn\u202earound",
    "שלום",
    "😀👩‍👩‍👧",
    "x" * 200,
    "\ud800",
]


@pytest.mark.parametrize("width", [80, 120])
def test_looks_as_stored(made, width):
    assert_stored(STORED / f"report_{width}.txt", to_text(made(), width))


def test_one_view_looks_as_stored(made):
    report = made(predictions=["ours"])
    report["views"] = report["views"][:1]
    report["remark"] = ""
    report["rows"] = [row for row in report["rows"] if row["view"] == "majority"]
    assert_stored(STORED / "one_view.txt", to_text(report, 80))


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
@pytest.mark.parametrize("names", [("a",), ("ours", "theirs"), ("a rather long name of a prediction",)])
def test_fits_the_terminal(made, names, width):
    text = to_text(made(predictions=names), width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_no_line_ends_in_blanks(made):
    assert not any(line.endswith(" ") for line in to_text(made(), 100).splitlines())


def test_many_columns_stand_in_several_tables(made):
    views = [{"name": f"v{i}", "title": f"view {i}", "sentence": "One more."} for i in range(6)]
    text = to_text(made(predictions=["ours"], views=views), 80)
    assert all(f"view {i}" in text for i in range(6))


def test_numbers_that_are_the_same_by_nature_stand_once(made):
    text = to_text(made(predictions=["ours"]), 120)
    assert "The same number as accuracy: multiclass_balanced_accuracy, micro f1." in text
    assert "\nmicro f1 " not in text


def test_binary_data_show_every_number(made):
    report = made(predictions=["ours"], classes=["no", "yes"]) | {"task": "binary"}
    text = to_text(report, 120)
    assert "The same number" not in text
    assert "yes against no" in text
    assert "micro" not in text


def test_hostile_names_cannot_move_the_cursor_or_turn_the_line(made):
    text = to_text(made(predictions=["ours"], classes=HOSTILE), 100)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]markup[/red]" in text
    assert r"two\nlines" in text
    assert r"turn\u202earound" in text
    text.encode("utf-8")
    assert max(map(cell_len, text.splitlines())) <= 100


def test_long_lists_of_classes_are_cut_and_say_so(made):
    text = to_text(made(predictions=["ours"], classes=[f"class {i:02d}" for i in range(33)]), 100)
    assert "and 13 more classes, in the HTML, Markdown and JSON forms." in text


def test_many_predictions_come_without_their_classes(made):
    text = to_text(made(predictions=[f"model {i}" for i in range(9)]), 100)
    assert "Each class" not in text
    assert "The values of each class are in the HTML, Markdown and JSON forms." in text


def test_color_only_when_asked(made):
    assert "\x1b" not in to_text(made(), 80)
    assert "\x1b" in to_text(made(), 80, color=True)


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_when_color_is_welcome(monkeypatch, environment, terminal, expected):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    assert wants_color(stream) is expected


@pytest.mark.parametrize("names", [("ours",), ("ours", "theirs")])
def test_the_true_accuracy_is_told_where_it_was_asked_for(made, names):
    report = made(predictions=names)
    report["sections"]["true_accuracy"] = [{"prediction": name, "sentences": ["It lies below."]} for name in names]
    for text in (to_text(report, 80), to_markdown(report)):
        assert text.count("- It lies below.") == len(names)
        assert ("True accuracy of theirs" in text) == (len(names) > 1)
