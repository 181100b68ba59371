"""Names, numbers and sentences as readers see them, the same in every renderer."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTHING = "\N{EN DASH}"
ROUNDED = 12  # digits after the point: what is less is rounding, which does not say which way a half goes


def clean(text: object) -> str:
    r"""Return a name with everything visible: what would move the cursor or turn the line around is written out.

    Examples
    --------
    >>> print(clean("cat\n\x1b[31m"))
    cat\n\x1b[31m
    """
    return "".join(c if _harmless(c) else c.encode("unicode_escape").decode() for c in str(text))


def _harmless(character: str) -> bool:
    # Cc: control; Cs: half a character; Zl, Zp: line ends; Cf: marks that turn text around, but also joiners of emoji.
    category = unicodedata.category(character)
    if category == "Cf":
        return character in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
    return category not in {"Cc", "Cs", "Zl", "Zp"}


def number(x: float | None, digits: int = 3) -> str:
    """Return a value with three digits.

    Examples
    --------
    >>> number(0.71449), number(-0.0001), number(1234.5), number(0.8375), number(0.8375 - 1e-16)
    ('0.714', '0.000', '1,234.500', '0.838', '0.838')
    """
    if x is None:
        return NOTHING
    text = f"{round(x, ROUNDED):,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text


def interval(row: Mapping[str, Any]) -> str:
    """Return the ends of an interval in brackets; nothing where there is none."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{number(row['low'])}, {number(row['high'])}]"


def count(x: float) -> str:
    """Return a number of items, or a mass that is no whole number.

    Examples
    --------
    >>> count(1200.0), count(3.25)
    ('1,200', '3.2')
    """
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:,.1f}"


def counts(xs: Sequence[float]) -> list[str]:
    """Return numbers of items that stand below each other, all with a decimal if one needs it.

    Examples
    --------
    >>> counts([3.0, 12.25])
    ['3.0', '12.2']
    """
    return [number(x, digits(xs)) for x in xs]


def digits(xs: Sequence[float]) -> int:
    """Return how many decimals numbers of items have where they stand together."""
    return 0 if all(float(x).is_integer() for x in xs) else 1


def percent(level: float) -> str:
    """Return a level as people say it.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"


def share(p: float) -> str:
    """Return a frequency as people say it, to three digits.

    Examples
    --------
    >>> share(0.08), share(0.002), share(0.0817)
    ('8%', '0.2%', '8.17%')
    """
    return f"{100 * p:.3g}%"


def size(report: Mapping[str, Any]) -> str:
    """Return what the report is about, in one line."""
    n, k = report["n"], len(report["classes"])
    what = {
        "binary": "",
        "multiclass": f", {k} classes",
        "multilabel": f", {k} label{'s' if k != 1 else ''}",
        "ordinal": f", {k} grades",
    }[report["task"]]
    if report["task"] == "binary":
        what = f", {clean(report['classes'][1])} against {clean(report['classes'][0])}"
    models = len(report["predictions"])
    items, predictions = (word if m == 1 else f"{word}s" for word, m in (("item", n), ("prediction", models)))
    return f"{report['task']}, {count(n)} {items}{what}, {models} {predictions}"


def shown_question(question: object, task: str) -> str:
    """Return a question as it is shown: binary data have one column, so that ``micro`` says nothing there.

    Examples
    --------
    >>> shown_question("micro f1", "binary"), shown_question("micro f1", "multilabel")
    ('f1', 'micro f1')
    """
    return str(question).removeprefix("micro ") if task == "binary" else str(question)


def question(report: Mapping[str, Any], text: str) -> str:
    """Return a question as this report shows it."""
    return shown_question(text, report["task"])


def account(report: Mapping[str, Any]) -> Sequence[str]:
    """Return what became of the items that were read; nothing where no files were."""
    sentences: Sequence[str] = report["provenance"].get("accounting", {}).get("sentences", ())
    return sentences


def made_with(report: Mapping[str, Any]) -> str:
    """Return the software and the settings of a report, in one line."""
    software = report["software"]
    return "  ".join([f"{software['name']} {software['version']}", *settings(report["settings"])])


def settings(values: Mapping[str, Any]) -> list[str]:
    """Return settings as words.

    Examples
    --------
    >>> settings({"level": 0.95, "coupling": {"majority": "hardened"}})
    ['level=0.95', 'coupling(majority)=hardened']
    """
    found: list[str] = []
    for key, value in values.items():
        inner = value.items() if isinstance(value, dict) else ()
        found += [f"{key}({name})={each}" for name, each in inner] or [f"{key}={value}"]
    return found
