"""PyTorch: R_K and any smooth measure as a loss, any measure under any operator as a ``torchmetrics.Metric``.

Nothing is copied from the device while batches come in, so a training never waits for a metric.
"""

from softtruth.errors import MissingPackageError

try:
    import torch
except ImportError:
    raise MissingPackageError("torch", "torch", "softtruth.adapters.torch") from None

from typing import TYPE_CHECKING, Any

from array_api_compat import torch as _namespace

from softtruth._arrays import introduce
from softtruth.adapters.torch.losses import LogRkLoss, MeasureLoss, RkLoss, log_rk_loss, rk_loss

if TYPE_CHECKING:
    from softtruth.adapters.torch.metrics import MeasureMetric
    from softtruth.adapters.torch.rk_metric import RkMetric

introduce(torch.Tensor, _namespace)  # known at once: no look-up in a training step, and none for a compiler to follow

__all__ = ["LogRkLoss", "MeasureLoss", "MeasureMetric", "RkLoss", "RkMetric", "log_rk_loss", "rk_loss"]


def __getattr__(name: str) -> Any:
    """Load the metrics when first used: torchmetrics takes seconds to import."""
    if name not in {"MeasureMetric", "RkMetric"}:
        msg = f"module 'softtruth.adapters.torch' has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        from softtruth.adapters.torch import metrics, rk_metric
    except ModuleNotFoundError as error:
        if error.name != "torchmetrics":
            raise
        raise MissingPackageError("torchmetrics", "torch", f"softtruth.adapters.torch.{name}") from error
    return getattr(rk_metric if name == "RkMetric" else metrics, name)
