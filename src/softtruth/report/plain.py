"""Numbers and settings as JSON can write them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def number(x: Any) -> float | int | None:
    """Return a number that JSON can write; None for NaN and infinity."""
    x = x.item() if hasattr(x, "item") else x
    if isinstance(x, int):
        return x
    return float(x) if math.isfinite(x) else None


def plain(value: Any) -> Any:
    """Return settings as JSON values."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, (str, bool)):
        return str(value) if isinstance(value, str) else value
    return number(value) if isinstance(value, (int, float)) else str(value)
