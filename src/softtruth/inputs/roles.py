"""Which file is on which side, when nobody has said so, and what the files can answer together."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError
from softtruth.inputs.classes import is_number, truth_value
from softtruth.inputs.columns import Columns
from softtruth.inputs.settings import bare_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.inputs.problem import Problem
    from softtruth.inputs.profile import FileProfile

PREDICTED = ("pred", "output", "model", "prob", "score", "logit")
TRUE = ("gold", "truth", "expert", "adjudicated")
GOLD = ("labels", "one-hot", "indicators")
VOTED = ("annotations", "votes")
MANY = 30  # more values than this are no classes that one would name on a command line
FEW_GROUPS = 10  # fewer groups than this are strata, and no clusters to resample


@dataclass(frozen=True)
class Roles:
    """Which file is on which side; `both` is one table with both sides, `spare` are files that found no use."""

    predictions: tuple[FileProfile, ...] = ()
    reference: FileProfile | None = None
    both: FileProfile | None = None
    items: tuple[FileProfile, ...] = ()
    spare: tuple[FileProfile, ...] = ()


def assign(profiles: Sequence[FileProfile], prediction_columns: Sequence[str] = ()) -> Roles:
    """Guess the sides of files from what they hold, then from their names.

    Parameters
    ----------
    profiles
        What was understood of each file.
    prediction_columns
        Columns that the user named: a file that has them is a prediction.
    """
    named = [p for p in profiles if any(_has(p, text) for text in prediction_columns)]
    usable = [p for p in profiles if p in named or (p.serves and not _repeats(p))]
    items = tuple(p for p in profiles if p not in usable and p.reading.kind == "items" and p.item is not None)
    if len(usable) == 1 and (named or _holds_both(usable[0])):
        return Roles(both=usable[0], items=items)
    predictions = named or [p for p in usable if _is_prediction(p)]
    if not predictions and any(
        p.reading.kind in VOTED for p in usable
    ):  # beside votes, shares of no side are a model's
        predictions = [p for p in usable if p.reading.kind == "distribution" and p.reading.side == "either"]
        predictions = [p for p in predictions if _truth_rank(p)]
    others = [p for p in usable if p not in predictions and p.serves]
    if not predictions and len(others) > 1:  # votes can be the prediction where something truer is at hand
        others.sort(key=lambda p: (_truth_rank(p), p.reading.kind not in GOLD, _kind_rank(p)))
        if _truth_rank(others[0]) == 0 or others[0].reading.kind in GOLD:
            predictions = [p for p in others[1:] if _overlap(p, others[0])][:1]
            others = others[:1]
    others.sort(key=lambda p: (-sum(_overlap(p, q) for q in predictions), _truth_rank(p), _kind_rank(p)))
    reference = others[0] if others else None
    used = [*predictions, *others[:1], *items]
    return Roles(tuple(predictions), reference, None, items, tuple(p for p in profiles if p not in used))


def _has(profile: FileProfile, text: str) -> bool:
    """Whether a file has a column that `[NAME:]COLUMN` names."""
    names = {f.name for f in profile.columns}
    return any(fnmatch.filter(names, part) for part in (text, text.partition(":")[2]) if part)


def candidates(profile: FileProfile) -> list[str]:
    """Return columns that no reading uses and that may hold decisions: 0/1, or a few names."""
    used = {profile.item, *(c for r in profile.readings for c in (*r.columns, r.annotator, r.finding))}
    few = [f for f in profile.columns if f.name not in used and (f.indicator or f.kind == "text")]
    return [f.name for f in few if 2 <= f.distinct <= MANY]


def _repeats(profile: FileProfile) -> bool:
    return bool(profile.duplicates) and profile.reading.kind != "annotations"


def why_spare(profile: FileProfile) -> str:
    """Say why a file found no use."""
    if profile.serves and _repeats(profile):
        return f"rows that repeat an item: {profile.duplicates:,}; choose one of each with --where or --duplicates."
    if profile.serves:
        return f"{profile.reading.words()}; another file serves better, or none fits beside it."
    return (
        "nothing in it can be compared."
        if profile.reading.kind == "items"
        else "rankings become a reference by softtruth convert."
    )


def _holds_both(profile: FileProfile) -> bool:
    try:
        reference = profile.reading_for("reference", ("\0",))
        taken = (*reference.columns, *(c for c in (reference.annotator, reference.finding) if c))
        profile.reading_for("prediction", taken)
    except InputError:
        return False
    return True


def _is_prediction(profile: FileProfile) -> bool:
    name = bare_name(profile.path).lower()
    if profile.loaded.name.lower().startswith(PREDICTED) and profile.reading.kind != "annotations":
        return True
    return profile.reading.side == "prediction" and not any(word in name for word in TRUE)


def _truth_rank(profile: FileProfile) -> int:
    return 0 if any(word in profile.loaded.name.lower() for word in TRUE) else 1


def _kind_rank(profile: FileProfile) -> int:
    order = ("annotations", "votes", "distribution", "tags", "labels", "one-hot", "indicators")
    return order.index(profile.reading.kind) if profile.reading.kind in order else len(order)


def _overlap(one: FileProfile, other: FileProfile) -> float:
    """Return the share of the items of one file that another has, 0 when they name no class in common."""
    unnamed = any(
        all(is_number(name) or truth_value(name) is not None for name in side.classes) for side in (one, other)
    )
    if not unnamed and one.classes and other.classes and not set(one.classes) & set(other.classes):
        return 0.0
    if one.item is None or other.item is None:
        return float(one.rows == other.rows)
    ours, theirs = (Columns.of(p.loaded).coded(str(p.item)).values for p in (one, other))
    return float(np.mean(np.asarray(pc.is_in(theirs, value_set=ours)))) if len(theirs) else 0.0


def possible_clusters(profile: FileProfile, problem: Problem) -> list[str]:
    """Return the columns of a file of facts that group the items of a problem: many groups, of a few items each."""
    if profile.item is None or profile.duplicates or profile.items < profile.rows:
        return []
    columns = Columns.of(profile.loaded)
    if not pc.all(pc.is_in(pa.array(problem.items.tolist()), value_set=columns.coded(profile.item).values)).as_py():
        return []
    return [
        f.name
        for f in profile.columns
        if f.name != profile.item
        and f.kind in {"text", "whole"}
        and max(FEW_GROUPS, profile.items / 100) <= f.distinct < profile.items
        and not set(columns.coded(f.name).names) & set(problem.labels)
    ]


def abilities(problem: Problem) -> list[str]:
    """Return what can be computed from a problem, one sentence each."""
    kinds = {prediction.kind for prediction in problem.predictions.values()}
    averages = "micro, macro, weighted and exemplar averages"
    answers = [f"every measure of the {problem.task} decisions, under {averages}, each with an interval"]
    if problem.reference_kind == "labels":
        answers.append("one reference: the labels as they are")
    else:
        source = "votes" if problem.reference_kind == "votes" else "shares"
        answers.append(f"two references, side by side: the {source} as they are (soft), and their majority (hard)")
    if "probabilities" in kinds:
        answers.append("soft predictions: expected counts under a coupling, besides thresholds and top classes")
    if problem.n and problem.clusters is not None:
        answers.append(f"intervals between the {int(problem.clusters.max()) + 1:,} groups of {problem.cluster_name!r}")
    if len(problem.predictions) > 1:
        answers.append(f"{len(problem.predictions)} predictions on the same items")
    return answers
