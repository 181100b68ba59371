"""Names and values that break readers, and tables made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

Rows = dict[str, list[Any]]  # the values of each column; the columns may differ in length, as hostile ones do

NOTHING = ["", " ", "NA", "N/A", "None", "null", "NULL", "nan", "NaN", "-", "?", "\u00a0", "\ufeff", "\u200b"]
NUMBERS = [
    *("0", "1", "-1", "2", "0.5", ".5", "1.", "+1", "1e3", "1e-400", "1e400", "-0", "0,7", "1,000.5", "1.000,5", "50%"),
    *(
        "inf",
        "-inf",
        "Infinity",
        "1_000",
        "0x10",
        "\uff11",
        "\u0661",
        "1" * 400,
        "9007199254740993",
        "1e",
        "--1",
        "1 2",
    ),
]
SCRIPTS = [
    "\u4e2d\u6587",
    "\u0634\u062e\u0635",
    "\U0001f600",
    "\u202eabc",
    "e\u0301",
    "\u0130",
    "\u00df",
    "\u2028",
    "\U000e0001",
]
CODE = [
    *(
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        '=HYPERLINK("x")',
        "<script>alert(1)</script>",
        "</script>",
        "'\"><img>",
    ),
    *(
        "../../x",
        "/etc/passwd",
        "C:\\x",
        "%s%n",
        "{0}",
        "${HOME}",
        "`id`",
        "[bold]x[/bold]",
        "[/",
        "\\",
        "{{7*7}}",
        "#",
    ),
]
SIGNS = [
    '"',
    "'",
    ",",
    ";",
    "\t",
    "|",
    "a,b",
    "a;b",
    'a"b',
    '"a',
    "a\nb",
    "a\r\nb",
    "\r",
    "\x00",
    "a\x00b",
    "\x1b[31m",
    "x" * 3000,
]
BOOLS = ["true", "false", "True", "yes", "no", "y", "n", "t", "f"]
DATES = ["2024-01-01", "2024-01-01T00:00:00Z", "12:30"]
HOSTILE = [*NOTHING, *NUMBERS, *SCRIPTS, *CODE, *SIGNS, *BOOLS, *DATES]

TYPED: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2**31,
        2**53 + 1,
        2**63,
        2**64,
        10**400,
        0.5,
        -0.0,
        1e308,
        float("nan"),
        float("inf"),
    ),
    *([], {}, [[]], [None], [1, "a"], {"a": 1}, {"": None}, {"a": {"b": [1]}}, [0.5, 0.5], ["x", "x"], "\ud800"),
]

COLUMNS = [
    *(
        "item",
        "id",
        "item_id",
        "label",
        "labels",
        "gold",
        "prediction",
        "pred",
        "score",
        "annotator",
        "worker",
        "finding",
    ),
    *(
        "p_a",
        "p_b",
        "n_a",
        "n_b",
        "votes.a",
        "votes.b",
        "y_a",
        "y_b",
        "share_a",
        "tp",
        "fp",
        "fn",
        "tn",
        "count",
        "rank",
    ),
    *(
        "weight",
        "group",
        "text",
        "stratum",
        "truth",
        "reference",
        "answer",
        "submission",
        "a",
        "b",
        "c",
        "0",
        "1",
        "value",
    ),
]


def word(rng: Random) -> str:
    """Return a word, more often an ordinary one."""
    return rng.choice(HOSTILE) if rng.random() < 0.4 else rng.choice(["a", "b", "c", "cat", "dog", "0", "1", "0.25"])


def value(rng: Random) -> Any:
    """Return a value of a format that has types."""
    return rng.choice(TYPED) if rng.random() < 0.3 else rng.choice([word(rng), rng.randrange(3), rng.random()])


def name(rng: Random) -> str:
    """Return the name of a column."""
    return rng.choice(HOSTILE) if rng.random() < 0.1 else rng.choice(COLUMNS)


def table(rng: Random) -> Rows:
    """Return a table: each column of one mood, sometimes with a strange value in it."""
    n = rng.choice([0, 1, 2, 3, 5, 12, 12, 30])
    found: Rows = {}
    for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 6, 12])):
        found[name(rng)] = column(rng, n)
    return found


def column(rng: Random, n: int) -> list[Any]:
    """Return the values of a column."""
    classes = [word(rng) for _ in range(rng.choice([1, 2, 2, 3, 6]))]
    moods = (
        lambda i: f"i{i}",
        lambda _: rng.choice(classes),
        lambda _: rng.randrange(3),
        lambda _: rng.randrange(2),
        lambda _: round(rng.random(), rng.randrange(1, 9)),
        lambda _: rng.gauss(0, 3),
        lambda _: 0.5,
        lambda _: value(rng),
    )
    mood = rng.choices(moods, [4, 4, 2, 2, 3, 1, 2, 1])[0]
    odd = rng.choice([0, 0, 0, 0.1])
    return [value(rng) if rng.random() < odd else mood(i) for i in range(n)]
