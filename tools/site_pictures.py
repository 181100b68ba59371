"""The pictures of the guides, drawn with the numbers that the guides show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth import (
    IndicatorMatrix,
    prevalence_grid,
    true_accuracy,
)
from softtruth.plots import NoiseCurveDisplay, PriorCurveDisplay

if TYPE_CHECKING:
    from pathlib import Path


def draw_pictures(folder: Path) -> None:
    """Write the pictures there, as SVG."""
    y = [1] * 80 + [0] * 120
    bold = IndicatorMatrix(y, [1] * 60 + [0] * 20 + [1] * 30 + [0] * 90, "binary")
    careful = IndicatorMatrix(y, [1] * 48 + [0] * 32 + [1] * 6 + [0] * 114, "binary")
    grid = prevalence_grid(low=0.01, high=0.9)
    pictures = {
        "priors": PriorCurveDisplay.from_problems({"first": bold, "second": careful}, "label_accuracy", grid),
        "noise": NoiseCurveDisplay.from_result(true_accuracy(0.90, 0.96)),
    }
    for name, display in pictures.items():
        display.save(folder / f"{name}.svg", metadata={"Date": None})
