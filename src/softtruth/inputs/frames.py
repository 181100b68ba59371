"""Frames of columns: their names say which class a column is, so columns meet by name and not by place."""

from __future__ import annotations

from typing import Any

from softtruth.errors import InputError, listed, shown


def column_names(data: Any) -> tuple[str, ...] | None:
    """Return the names of a pandas or polars frame of several columns; None for anything else."""
    names = getattr(data, "columns", None)
    if names is None or len(getattr(data, "shape", ())) != 2:
        return None
    found = tuple(names)
    return found if len(found) > 1 and all(isinstance(name, str) for name in found) else None


def by_name(reference: Any, prediction: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Return both sides with their columns in one order, and the class names where the columns give them.

    Columns are put in the order of ``labels``, else of the reference. Frames that share no name at all (``y_cat`` and
    ``p_cat``) meet by place, as arrays do.

    Raises
    ------
    InputError
        If two frames share some names and not others: which column belongs to which is then a guess.
    """
    names = [column_names(side) for side in (reference, prediction)]
    found = [n for n in names if n is not None]
    if not found:
        return reference, prediction, labels
    if len(found) == 2 and set(found[0]) != set(found[1]):
        shared = set(found[0]) & set(found[1])
        if shared:
            odd = sorted((set(found[0]) | set(found[1])) - shared)
            msg = (
                f"reference and prediction share the column {shown(min(shared))} but not {listed(odd)}; expected the "
                "same columns in both. Pass arrays to take the columns by their place."
            )
            raise InputError(msg)
        return reference, prediction, labels
    order = list(found[0])
    if labels is not None:
        if set(labels) != set(order):
            return reference, prediction, labels
        order = list(labels)
    sides = [
        side if n is None or list(n) == order else side[order]
        for side, n in zip((reference, prediction), names, strict=True)
    ]
    return *sides, order
