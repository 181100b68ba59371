"""The pictures of the guides, drawn with the numbers that the guides show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softtruth import IndicatorMatrix, evaluate, plots, prevalence_grid, true_accuracy

if TYPE_CHECKING:
    from pathlib import Path


def draw_pictures(folder: Path) -> None:
    """Write the pictures there, as SVG."""
    pictures = {**_of_two_classes(), **_of_three_classes(), "noise": _noise()}
    for name, display in pictures.items():
        display.save(folder / f"{name}.svg", metadata={"Date": None})


def _noise() -> plots.Display:
    return plots.NoiseCurveDisplay.from_result(true_accuracy(0.90, 0.96))


def _of_two_classes() -> dict[str, plots.Display]:
    """Return the picture of the guide to other priors."""
    y = [1] * 80 + [0] * 120
    bold = IndicatorMatrix(y, [1] * 60 + [0] * 20 + [1] * 30 + [0] * 90, "binary")
    careful = IndicatorMatrix(y, [1] * 48 + [0] * 32 + [1] * 6 + [0] * 114, "binary")
    models, grid = {"first": bold, "second": careful}, prevalence_grid(low=0.01, high=0.9)
    return {"priors": plots.PriorCurveDisplay.from_problems(models, "label_accuracy", grid)}


def _of_three_classes() -> dict[str, plots.Display]:
    """Return the pictures of the guide to pictures."""
    rng = np.random.default_rng(0)
    votes = rng.multinomial(5, [0.5, 0.3, 0.2], 20) + rng.multinomial(5, [0.1, 0.8, 0.1], 20)
    shares = np.concatenate([votes / 10, np.roll(votes, 1, axis=1) / 10])
    models = {
        "sharp": 0.8 * shares + 0.2 * rng.dirichlet([1, 1, 1], 40),
        "blunt": 0.3 * shares + 0.7 * rng.dirichlet([1, 1, 1], 40),
    }
    labels = ["cat", "dog", "bird"]
    report = evaluate(shares, models, "multiclass", labels=labels)
    matrices = {
        name: IndicatorMatrix(shares, p, "multiclass", labels=labels, coupling="independent")
        for name, p in models.items()
    }
    return {
        "intervals": plots.IntervalDisplay.from_report(report, ["accuracy", "macro f1", "r_k"]),
        "confusion": plots.ConfusionDisplay.from_matrix(matrices["sharp"]),
        "dependence": plots.DependenceDisplay.from_matrix(matrices, "macro f1"),
        "coverage": plots.CoverageDisplay.from_topk(models, shares),
    }
