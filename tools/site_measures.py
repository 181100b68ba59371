"""The catalogue as pages of the site: every measure with its traits, and which measures answer which worry."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from softtruth import Cells, IndicatorMatrix, Table
from softtruth.measures import Measure, list_measures

if TYPE_CHECKING:
    from collections.abc import Callable

DOI = re.compile(r"doi:(10\.[\w./-]+\w)(?=[\s.,;]|$)")  # those with other signs stay text
RUNGS = {
    "cells": "of the four cells of a class, under an operator",
    "classes": "of the cells of all classes together",
    "table": "of the whole table",
}
JOINT = {
    "rises": "rises with the mass that reference and prediction share",
    "falls": "falls with the mass that reference and prediction share",
    "constant": "does not depend on the mass that reference and prediction share",
    "dips": "is zero at independence and rises away from it",
    "varies": "may rise or fall with the mass that reference and prediction share",
}
TRAITS = {
    "skew_invariant": "does not move with the class frequencies",
    "class_symmetric": "the same when the two classes are exchanged",
    "symmetric": "the same when reference and prediction are exchanged",
    "decomposable": "micro is the denominator-weighted macro",
}


def title(text: str, line: str = "=") -> str:
    """Return a heading."""
    return f"{text}\n{line * len(text)}\n\n"


def link(m: Measure) -> str:
    """Return a link to the entry of a measure."""
    return f":ref:`{m.name} <measure-{m.name}>`"


def number(x: float) -> str:
    """Return the end of a range as people write it."""
    return {float("inf"): "∞", -float("inf"): "-∞"}.get(x, f"{x:.4g}")


def measure_entry(m: Measure) -> str:
    """Return what is to know about a measure: its traits, and its docstring."""
    question, _, rest = inspect.cleandoc(m.__doc__ or "").partition("\n")
    rest = re.split(r"^\w+\n-{3,}$", rest, maxsplit=1, flags=re.MULTILINE)[0].strip()
    rest = DOI.sub(r"`doi:\1 <https://doi.org/\1>`__", rest)
    facts = {
        "Range": f"{number(m.range[0])} to {number(m.range[1])}",
        "Better": {"neither": "neither way"}.get(m.better, m.better),
        "Asked": "of the cells of all classes; it averages by itself" if m.folds else RUNGS[m.rung],
        "Traits": "; ".join([JOINT[m.joint], *(words for trait, words in TRAITS.items() if getattr(m, trait))]),
    }
    if m.aliases:
        facts["Also called"] = ", ".join(f"``{a}``" for a in m.aliases)
    fields = "".join(f":{name}: {said}\n" for name, said in facts.items())
    return f".. _measure-{m.name}:\n\n{title(m.name, '~')}**{question}**\n\n{fields}\n{rest}\n\n"


def heading(trait: str) -> str:
    """Return the name of a trait as the heading of a narrow column; it may be broken at the soft hyphen."""
    return {"decomposable": "decom\N{SOFT HYPHEN}posable"}.get(trait, trait.replace("_", " "))


def measures_page() -> str:
    """Return the catalogue: a table of traits, then every measure."""
    table = ".. list-table::\n   :header-rows: 1\n   :widths: 36 16 12 12 12 12\n\n   * - measure\n     - range\n"
    table += "".join(f"     - {heading(trait)}\n" for trait in TRAITS)
    for m in list_measures():
        table += f"   * - {link(m)}\n     - {number(m.range[0])} to {number(m.range[1])}\n"
        table += "".join(f"     - {'yes' if getattr(m, trait) else ''}\n" for trait in TRAITS)
    words = [title("All measures"), "Every declared measure, with what it promises; the promises are tested.\n\n"]
    words.append(title("Traits at a glance", "-"))
    words.append("".join(f"- *{t.replace('_', ' ')}*: {said}\n" for t, said in TRAITS.items()) + f"\n{table}\n")
    for rung, said in RUNGS.items():
        words.append(title(f"Measures {said}", "-"))
        words += [measure_entry(m) for m in list_measures(rung=rung)]
    return "".join(words)


# --- which measures answer which worry -----------------------------------------------------------------------------

CHANCE = ((0.3, 0.5), (0.1, 0.1), (0.6, 0.2))  # shares of positives in the reference and in the prediction


def zero_by_chance(m: Measure) -> bool:
    """Return whether a prediction that does not depend on the reference gets 0, whatever the shares of both."""
    if m.better == "neither":
        return False
    return all(abs(_one(m, y * p, (1 - y) * p, y * (1 - p), (1 - y) * (1 - p))) < 1e-9 for y, p in CHANCE)


def without_negatives(m: Measure) -> bool:
    """Return whether the value stays the same when more true negatives are counted."""
    return m.takes_operator and m.better != "neither" and _one(m, 5, 2, 3, 7) == _one(m, 5, 2, 3, 700)


def _one(m: Measure, tp: float, fp: float, fn: float, tn: float) -> float:
    """Return the value for one class, or for two classes as a table."""
    two_classes = Table.of([[tn, fp], [fn, tp]], task="multiclass")
    return IndicatorMatrix.of(Cells.of(tp, fp, fn, tn) if m.takes_operator else two_classes).compute(m)


def of_grades(m: Measure) -> bool:
    """Return whether a miss by one class is better than a miss by two."""
    if m.rung != "table":
        return False
    near, far = [[8, 2, 0], [2, 8, 0], [0, 0, 10]], [[8, 0, 2], [0, 10, 0], [2, 0, 8]]
    a, b = (IndicatorMatrix.of(Table.of(rows, task="multiclass")).compute(m) for rows in (near, far))
    return (a - b) * {"higher": 1, "lower": -1}[m.better] > 1e-9


def known_threshold(m: Measure) -> bool:
    """Return whether the best threshold depends on no data, and is not to say yes, or no, to all."""
    threshold = m.bayes_threshold()
    return threshold is not None and 0 < threshold < 1


# What worries a reader, and which measures answer it.
WORRIES: tuple[tuple[str, Callable[[Measure], bool]], ...] = (
    ("Classes are more or less frequent where the model will work", lambda m: m.skew_invariant),
    ("A prediction by chance should get 0, however frequent the classes are", zero_by_chance),
    ("True negatives cannot be counted, or swamp everything (detection, retrieval)", without_negatives),
    ("It must not matter which class is called positive", lambda m: m.class_symmetric and m.rung == "cells"),
    ("Neither side is the truth: two annotators, two models", lambda m: m.symmetric),
    ("One number over all classes, without choosing an average", lambda m: not m.takes_operator),
    ("Classes are grades: a near miss is better than a far one", of_grades),
    ("The best threshold should be known beforehand", known_threshold),
)


def worries_table() -> str:
    """Return which measures answer which worry."""
    table = ".. list-table::\n   :header-rows: 1\n   :widths: 30 70\n\n   * - worry\n     - measures\n"
    for worry, answers in WORRIES:
        table += f"   * - {worry}\n     - {', '.join(link(m) for m in list_measures() if answers(m))}\n"
    return table
