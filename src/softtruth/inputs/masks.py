"""What does not count: masked rows and entries, and reference values to leave out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed
from softtruth.inputs.arrays import as_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Visible:
    """Which rows and entries count, and how many were left out for which reason."""

    rows: NDArray[np.bool_] | None = None
    entries: NDArray[np.bool_] | None = None
    masked: int = 0
    ignored: int = 0


def visible_of(reference: NDArray[Any], task: str, mask: Any, ignore: Any) -> Visible:
    """Return what counts under ``mask`` and ``ignore``: whole rows, or single entries of multilabel data.

    Raises
    ------
    InputError
        If the mask has another shape or other values than 0 and 1, or ``ignore`` cannot be looked for.
    """
    given = None if mask is None else _checked_mask(mask, reference.shape, task)
    skipped = None
    if ignore is not None:
        values = _ignored_values(ignore, reference, task)
        skipped = np.isin(reference, values)
        if values.dtype.kind == "f" and reference.dtype.kind == "f" and np.isnan(values).any():
            skipped |= np.isnan(reference)  # NaN is not equal to itself, and can be left out all the same
    if given is None and skipped is None:
        return Visible()
    masked = 0 if given is None else int((~given).sum())
    ignored = 0 if skipped is None else int(skipped.sum())
    by_row = given is not None and given.ndim == 1
    if reference.ndim == 1 or task == "multiclass" or (by_row and skipped is None):
        rows = np.ones(reference.shape[0], bool)
        for part in (given, None if skipped is None else ~skipped):
            if part is not None:
                rows &= part if part.ndim == 1 else part.all(axis=1)
        return Visible(rows, None, masked, ignored)
    entries = np.ones(reference.shape, bool) if skipped is None else ~skipped
    if given is not None:
        entries = entries & (given[:, None] if by_row else given)
    return Visible(np.asarray(entries.any(axis=1)), entries, masked, ignored)  # a row without an entry is no example


def hidden_by(mask: Any) -> NDArray[np.bool_] | None:
    """Return which rows or entries a mask hides, before its shape is checked against the data."""
    if mask is None:
        return None
    given = as_array(mask, "mask")
    return ~given.astype(bool) if given.dtype.kind in "buif" else None


def _checked_mask(mask: Any, shape: tuple[int, ...], task: str) -> NDArray[np.bool_]:
    given = as_array(mask, "mask")
    if given.dtype.kind not in "buif" or not ((given == 0) | (given == 1)).all():
        msg = "mask holds something other than 0 and 1, expected true where an example counts."
        raise InputError(msg)
    allowed = {shape[:1]} if task == "multiclass" else {shape[:1], shape}
    if given.shape not in allowed:
        msg = f"mask has shape {given.shape}, expected {' or '.join(map(str, sorted(allowed, key=len)))}."
        raise InputError(msg)
    return given.astype(bool)


def _ignored_values(ignore: Any, reference: NDArray[Any], task: str) -> NDArray[Any]:
    values = as_array(as_list(ignore), "ignore")
    if (values.dtype.kind == "U") != (reference.dtype.kind == "U"):
        kind = "names" if reference.dtype.kind == "U" else "numbers"
        msg = f"ignore gives {listed(values)}, but the reference holds {kind}; expected values of the same kind."
        raise InputError(msg)
    if task == "multiclass" and reference.ndim == 2:
        msg = (
            "ignore names reference values, but this reference has a distribution in each row; "
            "leave rows out with mask=."
        )
        raise InputError(msg)
    return values


def as_list(values: Any) -> list[Any]:
    """Return one value or several as a list."""
    one = isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0
    return [values] if one else list(values)
