"""Valid problems as tables: every kind of reference beside every kind of prediction that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hostile.words import HOSTILE

if TYPE_CHECKING:
    from random import Random

    from hostile.words import Rows

ITEMS = 12
CLASSES = (
    ("cat", "dog"),
    ("cat", "dog", "fish"),
    ("NA", "None", "null"),
    ("\u4e2d", "\u6587", "\u5b57"),
    ("\u0643\u0644\u0628", "\u05d7\u05ea\u05d5\u05dc"),
    ("\U0001f600", "\U0001f622", "=1+1"),
    ("a b", "a,b", 'a"b'),
    ("0", "1"),
)


class Valid(NamedTuple):
    """Two tables that fit each other."""

    prediction: Rows
    reference: Rows


def problem(rng: Random, classes: tuple[str, ...] | None = None, items: list[str] | None = None) -> Valid:
    """Return a problem that every reader understands."""
    classes = rng.choice(CLASSES) if classes is None else classes
    items = [f"i{i:02}" for i in range(ITEMS)] if items is None else items
    references = (labels, votes, answers, shares)
    reference = rng.choice(references)(rng, items, classes)
    prediction = rng.choice((decisions, probabilities))(rng, items, classes)
    return Valid(prediction, reference)


EVERYWHERE = [word for word in HOSTILE if word and word == word.strip() and not set("\0\r") & set(word)]


def hostile_problem(rng: Random, words: list[str] = EVERYWHERE) -> Valid:
    """Return a problem whose classes or items have hostile names, by default such as every format can hold."""
    names = rng.sample([word for word in words if word], rng.choice([2, 2, 3, 5]))
    items = [*rng.sample(words, 4), *(f"i{i}" for i in range(ITEMS - 4))]
    return problem(rng, tuple(names) if rng.random() < 0.7 else None, items if rng.random() < 0.4 else None)


def _cover(rng: Random, n: int, classes: tuple[str, ...]) -> list[str]:
    """Return names of classes, each at least once."""
    found = [*classes, *(rng.choice(classes) for _ in range(n - len(classes)))]
    return rng.sample(found, n)


def labels(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return one label for each item."""
    return {"item": items, "label": _cover(rng, len(items), classes)}


def answers(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return one row for each vote."""
    n = len(items)
    said = _cover(rng, 3 * n, classes)
    return {"item": items * 3, "annotator": ["A"] * n + ["B"] * n + ["C"] * n, "label": said}


def votes(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return counts of votes."""
    counts = [[rng.randrange(1, 4) for _ in classes] for _ in items]
    return {"item": items, **{f"n_{name}": [row[k] for row in counts] for k, name in enumerate(classes)}}


def _parts(rng: Random, n: int) -> list[float]:
    """Return shares in eighths, which sum to one in every format."""
    cuts = sorted(rng.randrange(9) for _ in range(n - 1))
    return [(b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)]


def shares(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return soft labels."""
    rows = [[0.25, 0.75, *[0.0] * (len(classes) - 2)], *(_parts(rng, len(classes)) for _ in items[1:])]
    return {"item": items, **{f"y_{name}": [row[k] for row in rows] for k, name in enumerate(classes)}}


def probabilities(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return one probability for each class."""
    rows = [[0.25, 0.75, *[0.0] * (len(classes) - 2)], *(_parts(rng, len(classes)) for _ in items[1:])]
    return {"item": items, **{f"p_{name}": [row[k] for row in rows] for k, name in enumerate(classes)}}


def decisions(rng: Random, items: list[str], classes: tuple[str, ...]) -> Rows:
    """Return one decision for each item."""
    return {"item": items, "prediction": _cover(rng, len(items), classes)}
