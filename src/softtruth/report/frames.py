"""Rows as a frame of pandas, polars or pyarrow, always with the same columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, MissingPackageError, shown
from softtruth.inputs.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def frame_of(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    numbers: Collection[str],
    backend: str | None,
    what: str,
) -> Any:
    """Return rows as a frame.

    Parameters
    ----------
    rows
        As JSON values.
    columns
        The keys that become columns, in their order.
    numbers
        Which of them hold numbers; a missing one is NaN.
    backend : {"pandas", "polars", "pyarrow"}, optional
        By default pandas where it is installed, else polars.
    what
        Who asks, for the message where the package is missing.

    Raises
    ------
    MissingPackageError
        If the package is not installed.
    """
    import narwhals as nw

    found: dict[str, list[Any]] = {key: [row[key] for row in rows] for key in columns}
    for key in numbers:
        found[key] = [math.nan if x is None else float(x) for x in found[key]]
    return nw.from_dict(found, backend=_backend(backend, what)).to_native()


def _backend(name: str | None, what: str) -> Any:
    from importlib.util import find_spec

    if name is None:
        name = next((n for n in FRAMES[:2] if find_spec(n)), "pandas")
    if name not in FRAMES:
        msg = f"backend {shown(name)} is not known; expected one of {', '.join(FRAMES)}."
        raise InputError(msg)
    if find_spec(name) is None:
        raise MissingPackageError(name, name, what)
    return name
