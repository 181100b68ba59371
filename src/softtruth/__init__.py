"""How good is a classifier when the ground truth is not hard truth?

Labels that are annotators' shares, disputed, wrong at some rate, or drawn at another class frequency than where the
model will work: any measure, under any average, each with its interval and the assumption that it stands on.

>>> from softtruth import IndicatorMatrix
>>> im = IndicatorMatrix([0.8, 0.3, 1.0, 0.0], [0.6, 0.5, 0.25, 0.9], task="binary", tnorm="product")
>>> round(im.compute("f1"), 4)
0.4046
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softtruth._version import __version__

if TYPE_CHECKING:
    from softtruth import tnorms
    from softtruth.conventions import Convention
    from softtruth.errors import InputError, MissingPackageError, NotAnswerableError, SofttruthError
    from softtruth.evaluation import evaluate
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures import Measure, list_measures, parse
    from softtruth.report import Report
    from softtruth.statistics import Cells, Means, Moments, Table
    from softtruth.tnorms import marginal_defect
    from softtruth.uncertainty import Interval

# Names are loaded when first used, so that importing the package costs nothing.
_HOMES = {
    "Cells": "statistics",
    "Convention": "conventions",
    "IndicatorMatrix": "indicator_matrix",
    "InputError": "errors",
    "Interval": "uncertainty",
    "Means": "statistics",
    "Measure": "measures",
    "MissingPackageError": "errors",
    "Moments": "statistics",
    "NotAnswerableError": "errors",
    "Report": "report",
    "SofttruthError": "errors",
    "Table": "statistics",
    "evaluate": "evaluation",
    "list_measures": "measures",
    "marginal_defect": "tnorms",
    "parse": "measures",
    "tnorms": "tnorms",
}

__all__ = [
    "Cells",
    "Convention",
    "IndicatorMatrix",
    "InputError",
    "Interval",
    "Means",
    "Measure",
    "MissingPackageError",
    "Moments",
    "NotAnswerableError",
    "Report",
    "SofttruthError",
    "Table",
    "__version__",
    "evaluate",
    "list_measures",
    "marginal_defect",
    "parse",
    "tnorms",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        msg = f"module 'softtruth' has no attribute {name!r}"
        raise AttributeError(msg)
    module = import_module(f"softtruth.{_HOMES[name]}")
    return module if name == _HOMES[name] else getattr(module, name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
