"""The pictures of the guides, drawn with the numbers that the guides show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth import (
    IndicatorMatrix,
    crossing_prior,
    plot_prior_curves,
    plot_true_accuracy,
    prevalence_grid,
    prior_curve,
    true_accuracy,
)

if TYPE_CHECKING:
    from pathlib import Path


def draw_pictures(folder: Path) -> None:
    """Write the pictures there, as SVG."""
    y = [1] * 80 + [0] * 120
    bold = IndicatorMatrix(y, [1] * 60 + [0] * 20 + [1] * 30 + [0] * 90, "binary")
    careful = IndicatorMatrix(y, [1] * 48 + [0] * 32 + [1] * 6 + [0] * 114, "binary")
    grid = prevalence_grid(low=0.01, high=0.9)
    pictures = {
        "priors": plot_prior_curves(
            [prior_curve(matrix, "label_accuracy", grid, level=0.95) for matrix in (bold, careful)],
            names=["first", "second"],
            crossings=[crossing_prior(bold, careful, "label_accuracy")],
        ),
        "noise": plot_true_accuracy(result=true_accuracy(0.90, 0.96)),
    }
    for name, figure in pictures.items():
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
