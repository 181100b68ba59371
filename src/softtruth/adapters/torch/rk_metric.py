"""R_K as a streaming metric, with one column of predictions for two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from softtruth.adapters.torch.metrics import MeasureMetric
from softtruth.adapters.torch.sides import two_columns

if TYPE_CHECKING:
    from torch import Tensor


class RkMetric(MeasureMetric):
    """R_K of the expected table, over all batches and all processes; 0 where it has no value.

    Parameters
    ----------
    num_classes : int
    **settings
        As in ``MeasureMetric``; predictions are used as they are unless ``coupling=None``.

    Examples
    --------
    >>> import torch
    >>> metric = RkMetric(num_classes=3)
    >>> p = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]])
    >>> round(metric(p, torch.tensor([0, 1, 2, 2])).item(), 4)
    0.4001
    """

    def __init__(self, num_classes: int, **settings: Any) -> None:
        """Prepare the state."""
        chosen = {"coupling": "independent", "convention": "zero", **settings}
        super().__init__("r_k", task="multiclass", num_classes=num_classes, **chosen)

    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Add a batch: as in ``MeasureMetric``; one column is the probability of the second of two classes."""
        if self.num_classes == 2 and preds.is_floating_point() and (preds.ndim == 1 or preds.shape[1] == 1):
            preds = preds.reshape(-1)
            other = torch.zeros_like(preds) if self.from_logits else 1 - preds
            preds = torch.stack([other, preds], dim=1)
            if target.is_floating_point():
                target = two_columns(target.reshape(-1))
        super().update(preds, target.reshape(-1) if target.shape == (preds.shape[0], 1) else target, sample_weight)
