"""TensorFlow without Keras: R_K as a loss in eager mode, ``tf.function`` and XLA, and as a streaming metric op."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from softtruth._arrays import introduce
from softtruth.errors import InputError, MissingPackageError
from softtruth.rk import coefficient, minus_log, one_minus
from softtruth.statistics.batches import cells_of_batch
from softtruth.statistics.cells import Cells
from softtruth.statistics.margins import table_of_degrees

try:
    import tensorflow as tf
except ImportError:
    raise MissingPackageError("tensorflow", "tensorflow", "softtruth.adapters.tensorflow") from None

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["log_rk_loss_tf", "rk_coeff", "rk_loss_tf", "soft_confusion_matrix_tf"]


def _take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    return tf.gather(x, indices, axis=axis, batch_dims=axis)


def _segment_sum(values: Any, codes: Any, n_classes: int) -> Any:
    sums = tf.math.unsorted_segment_sum(tf.cast(values, tf.float64), codes, n_classes)
    return tf.cast(sums, values.dtype)


# What the formulas ask of a library, in the words of the array API.
_ARRAY_API = SimpleNamespace(
    astype=tf.cast,
    broadcast_to=tf.broadcast_to,
    concat=tf.concat,
    cumulative_sum=tf.cumsum,
    exp=tf.exp,
    float64=tf.float64,
    flip=lambda x, axis: tf.reverse(x, [axis]),
    full_like=lambda x, value: tf.zeros_like(x) + tf.constant(value, x.dtype),
    int32=tf.int32,
    isfinite=tf.math.is_finite,
    isnan=tf.math.is_nan,
    log=tf.math.log,
    matmul=tf.matmul,
    ones_like=tf.ones_like,
    permute_dims=tf.transpose,
    reshape=tf.reshape,
    segment_sum=_segment_sum,
    sqrt=tf.sqrt,
    stack=tf.stack,
    sum=lambda x, axis, keepdims=False: tf.reduce_sum(x, axis, keepdims),
    take=tf.gather,
    take_along_axis=_take_along_axis,
    where=tf.where,
    zeros_like=tf.zeros_like,
)
introduce(tf.Tensor, _ARRAY_API)


def soft_confusion_matrix_tf(labels: Any, probabilities: Any, num_classes: int | None = None) -> tf.Tensor:
    """Which mass of each class goes to each predicted class?

    Parameters
    ----------
    labels : Tensor, shape (N,), (N, 1) or (N, K)
        Class indices, or one-hot or soft labels.
    probabilities : Tensor, shape (N, K)
    num_classes : int, optional
        K, where the shape of the probabilities does not say it.

    Returns
    -------
    Tensor, shape (K, K)
        Rows the labels.
    """
    y, p = _floats(labels, probabilities, num_classes)
    width = p.shape.as_list()[-1]
    if y.shape.as_list()[1:] != [width]:
        y = tf.one_hot(tf.cast(tf.reshape(y, (-1,)), tf.int32), width, dtype=p.dtype)
    return table_of_degrees(tf.cast(y, p.dtype), p)


def rk_loss_tf(labels: Any, probabilities: Any, sample_weight: Any = None) -> tf.Tensor:
    """How far is the R_K of this batch from 1?

    ``1 - R_K`` of the expected table. For logits, apply ``tf.nn.softmax`` first. A batch of one class has the loss 1
    and the gradient 0. The R_K of a batch is not the mean of anything: use large batches.

    Parameters
    ----------
    labels : Tensor, shape (N,), (N, 1) or (N, K)
    probabilities : Tensor, shape (N, K), (N,) or (N, 1)
        One column is the probability of the second of two classes.
    sample_weight : Tensor, shape (N,), optional

    Examples
    --------
    >>> round(float(rk_loss_tf([0, 1, 1], [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])), 4)
    0.667
    """
    return one_minus(coefficient(_cells(labels, probabilities, sample_weight)))


def log_rk_loss_tf(labels: Any, probabilities: Any, sample_weight: Any = None, *, shifted: bool = False) -> tf.Tensor:
    """How far is the R_K of this batch from 1, on a scale that never ends?

    ``-log R_K``, infinite with the gradient 0 unless R_K is positive; or ``-log((1 + R_K) / 2)`` if ``shifted``.
    Parameters as in ``rk_loss_tf``.
    """
    return minus_log(coefficient(_cells(labels, probabilities, sample_weight)), shifted=shifted)


def rk_coeff(
    labels: Any,
    probabilities: Any,
    num_classes: int,
    streaming: bool = True,  # noqa: FBT001, FBT002  by position, as in the metrics of tf.compat.v1
    *,
    weights: Any = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str = "rk_coeff",
) -> tuple[tf.Tensor, tf.Tensor]:
    """Which R_K do the labels and probabilities have that ran through this graph? A metric op of ``tf.compat.v1``.

    Parameters
    ----------
    labels : Tensor, shape (N,), (N, 1) or (N, num_classes)
    probabilities : Tensor, shape (N, num_classes); (N,) or (N, 1) for two classes
    num_classes : int
    streaming : bool
        Whether the table adds up over all evaluations, or starts from nothing in each.
    weights : Tensor, shape (N,), optional
    metrics_collections, updates_collections : list of str, optional
        Where to add the value and the update op.
    name : str
        The variable scope.

    Returns
    -------
    (Tensor, Tensor)
        The value, 0 where it has none, and the op that adds the batch and returns the new value.

    Raises
    ------
    RuntimeError
        In eager mode: ``softtruth.adapters.keras.RkMetric`` is the metric for that.
    """
    v1 = tf.compat.v1
    if tf.executing_eagerly():
        msg = (
            "rk_coeff builds a pair of graph ops and needs graph mode (tf.compat.v1); in eager mode use "
            "softtruth.adapters.keras.RkMetric."
        )
        raise RuntimeError(msg)
    with v1.variable_scope(None, name, (labels, probabilities, weights)):
        batch = _cells(labels, probabilities, weights, num_classes=num_classes, dtype=tf.float64)
        state = v1.get_variable(
            "cells",
            shape=(4, num_classes),
            dtype=tf.float64,
            initializer=v1.zeros_initializer(),
            trainable=False,
            collections=[v1.GraphKeys.LOCAL_VARIABLES, v1.GraphKeys.METRIC_VARIABLES],
            synchronization=v1.VariableSynchronization.ON_READ,
            aggregation=v1.VariableAggregation.SUM,
            use_resource=True,
        )
        change = v1.assign_add if streaming else v1.assign
        value = coefficient(Cells(tf.identity(state.read_value()), batch.task, batch.coupling))
        update_op = coefficient(Cells(tf.identity(change(state, batch.masses)), batch.task, batch.coupling))
        if metrics_collections:
            v1.add_to_collections(metrics_collections, value)
        if updates_collections:
            v1.add_to_collections(updates_collections, update_op)
    return value, update_op


def _floats(labels: Any, probabilities: Any, num_classes: int | None) -> tuple[tf.Tensor, tf.Tensor]:
    """Return both as tensors, the probabilities in single precision at least and of known width."""
    y, p = tf.convert_to_tensor(labels), tf.convert_to_tensor(probabilities)
    p = p if p.dtype in (tf.float32, tf.float64) else tf.cast(p, tf.float32)
    width = p.shape.as_list()[-1] if len(p.shape) > 1 else 1
    if num_classes is not None and width is None:
        p = tf.ensure_shape(p, (None, num_classes))
    elif num_classes is not None and width not in {num_classes, 1 if num_classes == 2 else num_classes}:
        msg = f"probabilities have {width} columns but num_classes is {num_classes}."
        raise InputError(msg)
    return y, p


def _cells(labels: Any, probabilities: Any, weight: Any, num_classes: int | None = None, dtype: Any = None) -> Cells:
    y, p = _floats(labels, probabilities, num_classes)
    p = p if dtype is None else tf.cast(p, dtype)
    w = None if weight is None else tf.cast(tf.convert_to_tensor(weight), p.dtype)
    return cells_of_batch(y, p, w)
