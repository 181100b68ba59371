"""Keras 3: R_K as a loss and as a metric, on the TensorFlow, JAX and torch backends alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from softtruth._arrays import introduce
from softtruth.errors import MissingPackageError
from softtruth.rk import coefficient, minus_log, one_minus
from softtruth.statistics.batches import RunningCells, cells_of_batch

try:
    import keras
    from keras import ops
except ImportError:
    raise MissingPackageError("keras", "keras", "softtruth.adapters.keras") from None

if TYPE_CHECKING:
    from softtruth.statistics.cells import Cells

__all__ = ["LogRkLoss", "RkLoss", "RkMetric", "log_rk_loss_fn", "rk_loss_fn"]


def _segment_sum(values: Any, codes: Any, n_classes: int) -> Any:
    return ops.cast(ops.segment_sum(ops.cast(values, "float64"), codes, n_classes), values.dtype)


# What the formulas ask of a library, in the words of the array API. Only TensorFlow's tensors need it: those of the
# other backends are known already.
_ARRAY_API = SimpleNamespace(
    astype=ops.cast,
    broadcast_to=ops.broadcast_to,
    concat=ops.concatenate,
    cumulative_sum=ops.cumsum,
    exp=ops.exp,
    flip=ops.flip,
    full_like=ops.full_like,
    int32="int32",
    isfinite=ops.isfinite,
    isnan=ops.isnan,
    log=ops.log,
    matmul=ops.matmul,
    ones_like=ops.ones_like,
    permute_dims=ops.transpose,
    reshape=ops.reshape,
    segment_sum=_segment_sum,
    sqrt=ops.sqrt,
    stack=ops.stack,
    sum=ops.sum,
    take=ops.take,
    take_along_axis=ops.take_along_axis,
    where=ops.where,
    zeros_like=ops.zeros_like,
)
if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

    introduce(tf.Tensor, _ARRAY_API)


def _cells(y_true: Any, y_pred: Any, sample_weight: Any, *, from_logits: bool) -> Cells:
    """Return the cells of a batch, in single precision at least; masked labels weigh nothing."""
    p = ops.convert_to_tensor(y_pred)
    mask = getattr(y_pred, "_keras_mask", None)
    p = p if keras.backend.standardize_dtype(p.dtype) in {"float32", "float64"} else ops.cast(p, "float32")
    if from_logits:
        one = len(p.shape) == 1 or p.shape[-1] == 1
        p = ops.sigmoid(p) if one else ops.softmax(p, axis=-1)
    weight = None if sample_weight is None else ops.cast(ops.convert_to_tensor(sample_weight), p.dtype)
    if mask is not None:
        kept = ops.cast(mask, p.dtype)
        if weight is not None and len(weight.shape) < len(kept.shape):
            weight = ops.expand_dims(weight, -1)
        weight = kept if weight is None else kept * weight
    return cells_of_batch(ops.convert_to_tensor(y_true), p, weight, sums_to_one=from_logits)


@keras.saving.register_keras_serializable(package="softtruth")
class RkLoss(keras.losses.Loss):
    """``1 - R_K`` of the expected table of a batch.

    Labels are class indices (N,) or (N, 1), or distributions (N, K); one column of predictions is the probability of
    the second of two classes. Sample weights and masks go into the table, so that the loss is the R_K of the weighted
    batch (Keras would multiply a finished loss by their mean). ``evaluate()`` reports the mean over batches: the R_K of
    the data is what ``RkMetric`` reports.

    Parameters
    ----------
    from_logits : bool
        Whether the predictions go through a softmax (one column: a sigmoid) first.
    name, dtype
        As in every Keras loss.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], np.float32)
    >>> round(float(RkLoss()([0, 1, 1], p)), 4)
    0.667
    """

    def __init__(self, *, from_logits: bool = False, name: str = "rk_loss", dtype: Any = None, **kwargs: Any) -> None:
        """Take the settings."""
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.from_logits = from_logits

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the loss of a batch."""
        return self._loss(coefficient(_cells(y_true, y_pred, sample_weight, from_logits=self.from_logits)))

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of a batch without weights."""
        return self(y_true, y_pred)

    def _loss(self, value: Any) -> Any:
        return one_minus(value)

    def get_config(self) -> dict[str, Any]:
        """Return the settings, as saved with a model."""
        return {**super().get_config(), "from_logits": self.from_logits}


@keras.saving.register_keras_serializable(package="softtruth")
class LogRkLoss(RkLoss):
    """``-log R_K``, infinite with the gradient 0 unless R_K is positive; or ``-log((1 + R_K) / 2)`` if ``shifted``.

    The rest is as in ``RkLoss``.
    """

    def __init__(
        self,
        *,
        shifted: bool = False,
        from_logits: bool = False,
        name: str = "log_rk_loss",
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        """Take the settings."""
        super().__init__(from_logits=from_logits, name=name, dtype=dtype, **kwargs)
        self.shifted = shifted

    def _loss(self, value: Any) -> Any:
        return minus_log(value, shifted=self.shifted)

    def get_config(self) -> dict[str, Any]:
        """Return the settings, as saved with a model."""
        return {**super().get_config(), "shifted": self.shifted}


def rk_loss_fn(*, from_logits: bool = False) -> RkLoss:
    """Return ``1 - R_K`` as a loss for ``compile``."""
    return RkLoss(from_logits=from_logits)


def log_rk_loss_fn(*, from_logits: bool = False, shifted: bool = False) -> LogRkLoss:
    """Return ``-log R_K``, or ``-log((1 + R_K) / 2)``, as a loss for ``compile``."""
    return LogRkLoss(from_logits=from_logits, shifted=shifted)


@keras.saving.register_keras_serializable(package="softtruth")
class RkMetric(keras.metrics.Metric):
    """R_K of the expected table of everything since the last reset, 0 where it has no value.

    The table is never that of one batch: values of batches are not averaged. The state is in single precision whatever
    the policy is, with what rounding loses kept beside it.

    Parameters
    ----------
    num_classes : int
        2 for one column of predictions.
    from_logits : bool
        Whether the predictions go through a softmax (one column: a sigmoid) first.
    name, dtype
        As in every Keras metric.

    Examples
    --------
    >>> import numpy as np
    >>> metric = RkMetric(num_classes=2)
    >>> metric.update_state([0, 1, 1], np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], np.float32))
    >>> round(float(metric.result()), 4)
    0.333
    """

    def __init__(
        self, num_classes: int, *, from_logits: bool = False, name: str = "rk", dtype: Any = None, **kwargs: Any
    ) -> None:
        """Prepare the state."""
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.num_classes = num_classes
        self.from_logits = from_logits
        self.state = self.add_variable((2, 4, num_classes), initializer="zeros", dtype="float32", name="cells")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch."""
        cells = _cells(y_true, y_pred, sample_weight, from_logits=self.from_logits)
        masses = ops.cast(cells.masses, "float32")
        running = self._running() + type(cells)(masses, cells.task, cells.coupling)
        self.state.assign(ops.stack([running.sums, running.lost]))

    def result(self) -> Any:
        """Return the value over everything that was added."""
        return coefficient(self._running().cells)

    def _running(self) -> RunningCells:
        state = ops.convert_to_tensor(self.state)
        return RunningCells(state[0], state[1])

    def get_config(self) -> dict[str, Any]:
        """Return the settings, as saved with a model."""
        return {**super().get_config(), "num_classes": self.num_classes, "from_logits": self.from_logits}
