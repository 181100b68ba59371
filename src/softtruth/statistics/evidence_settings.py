"""The settings of evidence that somebody may have written by hand: what stands in them, and of which kind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

TASKS = ("binary", "multiclass", "multilabel", "ordinal")
TIES = ("share", "first", "drop")
VIEWS = ("reference", "majority", "soft", "soft_decision")


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value)


def _name(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _drawn(value: Any) -> bool:
    if value is None:
        return True
    whole = isinstance(value, dict) and all(type(one) is int for one in value.values())
    return whole and set(value) == {"draws", "seed"}


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "task": (lambda value: value in TASKS, f"one of {', '.join(TASKS)}"),
    "labels": (lambda value: _names(value) and len({str(one) for one in value}) == len(value) > 0, "names, each once"),
    "reference": (lambda value: isinstance(value, str), "a name"),
    "predictions": (
        lambda value: isinstance(value, dict) and bool(value) and all(isinstance(v, str) for v in value.values()),
        "a kind for each prediction",
    ),
    "threshold": (_number, "a finite number"),
    "weight": (_name, "a name or null"),
    "cluster": (_name, "a name or null"),
    "coupling": (_name, "a name or null"),
    "tnorm": (_name, "a name or null"),
    "ties": (lambda value: value in TIES, f"one of {', '.join(TIES)}"),
    "subset": (lambda value: value is None or _names(value), "names or null"),
    "ignore": (_names, "names"),
    "exemplars": (_names, "names"),
}
# These are said only where something was asked for; files that were written by hand may leave them out.
ASKED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "where": (_texts, "a list of texts"),
    "map": (_texts, "a list of texts"),
    "normalize": (lambda value: isinstance(value, bool), "true or false"),
    "drop_missing": (lambda value: isinstance(value, bool), "true or false"),
    "replicates": (_drawn, "whole numbers draws and seed, or null"),
}


def check_settings(settings: Any, sums: Any) -> None:
    """Refuse settings that no count has made.

    Parameters
    ----------
    settings
        Of evidence.
    sums
        What it holds, by prediction and view.

    Raises
    ------
    InputError
        Naming the first setting that is missing or of another kind.
    """
    settings = settings if isinstance(settings, dict) else {}
    for name, (fits, expected) in {**EXPECTED, **ASKED}.items():
        if name not in settings and name in ASKED:
            continue
        if name not in settings:
            msg = f"the statistic is damaged: its settings lack {name!r}, expected {expected}."
            raise InputError(msg)
        if not fits(settings[name]):
            msg = f"the statistic is damaged: its {name} is {shown(settings[name])}, expected {expected}."
            raise InputError(msg)
    said = (settings.get("replicates") or {}).get("draws")
    kept = {one.replicates.cells.shape[1] for one in sums.values() if one.replicates is not None} - {said}
    if kept:
        msg = f"the statistic is damaged: it holds {kept.pop()} replicates, expected {said or 'none'}."
        raise InputError(msg)
    unknown = [key for key in sums if key[0] not in settings["predictions"] or key[1] not in VIEWS]
    if unknown or not sums:
        msg = (
            f"the statistic is damaged: it holds sums of {shown(unknown[0] if unknown else [])}, expected predictions."
        )
        raise InputError(msg)
