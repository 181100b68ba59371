"""JAX: R_K and any smooth measure as a loss, statistics as pytrees; under jit, grad, vmap and over shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softtruth._arrays import introduce
from softtruth.conventions import convention_of
from softtruth.errors import MissingPackageError
from softtruth.measures.catalogue import parse
from softtruth.measures.loss import loss_of, loss_question
from softtruth.measures.operators import evaluate
from softtruth.rk import coefficient, minus_log, one_minus
from softtruth.statistics.batches import RunningCells, cells_of_batch
from softtruth.statistics.cells import Cells
from softtruth.statistics.table import Table

try:
    import jax
    from jax import numpy as jnp
except ImportError:
    raise MissingPackageError("jax", "jax", "softtruth.adapters.jax") from None

if TYPE_CHECKING:
    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged

__all__ = [
    "Cells",
    "RunningCells",
    "Table",
    "cells",
    "log_rk_loss",
    "measure_loss",
    "measure_value",
    "rk_coeff",
    "rk_loss",
]

introduce(jax.Array, jnp)  # traced values are instances of it as well
jax.tree_util.register_dataclass(Cells, data_fields=["masses"], meta_fields=["task", "coupling"])
jax.tree_util.register_dataclass(Table, data_fields=["masses"], meta_fields=["task", "coupling", "counts"])
jax.tree_util.register_dataclass(RunningCells, data_fields=["sums", "lost"], meta_fields=[])


@jax.custom_jvp
def _softmax_sums(logits: jax.Array, codes: jax.Array, weight: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the softmax of each row's own class, (N,), and the weighted sums of all classes, (K,)."""
    p = jax.nn.softmax(logits, axis=-1)
    return jnp.take_along_axis(p, codes[:, None], axis=1)[:, 0], weight @ p


@_softmax_sums.defjvp
def _slope_of_softmax_sums(given: Any, moved: Any) -> Any:
    # Written out because XLA computes the softmax again for every use in a derivative that it finds by itself; here it
    # is computed once.
    logits, codes, weight = given
    by_logits, _, by_weight = moved
    p = jax.nn.softmax(logits, axis=-1)
    own = jnp.take_along_axis(p, codes[:, None], axis=1)[:, 0]
    mean = jnp.sum(p * by_logits, axis=1)
    mine = own * (jnp.take_along_axis(by_logits, codes[:, None], axis=1)[:, 0] - mean)
    sums = jnp.sum(p * (weight[:, None] * by_logits), axis=0) - (weight * mean) @ p
    return (own, weight @ p), (mine, sums + by_weight @ p)


def cells(
    prediction: jax.Array,
    target: jax.Array,
    *,
    from_logits: bool = False,
    sample_weight: jax.Array | None = None,
    class_weight: jax.Array | None = None,
    axis_name: str | None = None,
) -> Cells:
    """What does this batch add to the statistic?

    The four masses of every class, prediction and target taken as independent events: a pytree that adds, and that
    ``measure_value`` answers from. Added up over very many batches in single precision, put them into
    ``RunningCells``, which keeps what rounding loses.

    Parameters
    ----------
    prediction : array, shape (N, K), (N, ..., K), (N,) or (N, 1)
        Probabilities; one column is the probability of the second of two classes.
    target : array
        Class indices (N,), (N, 1) or (N, ...), or label distributions of the shape of the prediction.
    from_logits : bool
        Whether the predictions go through a softmax (one column: a sigmoid) first.
    sample_weight : array, shape (N,), optional
    class_weight : array, shape (K,), optional
        Multiplies the reference's mass of each class.
    axis_name : str, optional
        The mapped axis over whose shards to add (``psum``).

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> batch = cells(jnp.array([[0.8, 0.2], [0.3, 0.7]]), jnp.array([0, 1]))
    >>> round(float(measure_value("r_k", batch + batch)), 4)
    0.5025
    """
    p, y = jnp.asarray(prediction), jnp.asarray(target)
    if p.dtype not in (jnp.float32, jnp.float64):
        p = p.astype(jnp.float32)
    indices = p.ndim > 1 and p.shape[-1] > 1 and y.shape != p.shape
    if from_logits and not indices:
        one = p.ndim == 1 or p.shape[-1] == 1
        p = jax.nn.sigmoid(p) if one else jax.nn.softmax(p, axis=-1)
    faster = _softmax_sums if from_logits and indices else None
    weight, by_class = (None if w is None else jnp.asarray(w, p.dtype) for w in (sample_weight, class_weight))
    found = cells_of_batch(y, p, weight, by_class, sums_to_one=from_logits, softmax_sums=faster)
    return found if axis_name is None else jax.lax.psum(found, axis_name)


def rk_coeff(prediction: jax.Array, target: jax.Array, **settings: Any) -> jax.Array:
    """How strongly do target and prediction correlate in this batch? R_K, 0 where it has no value.

    Settings as in ``cells``.
    """
    return coefficient(cells(prediction, target, **settings))


def rk_loss(prediction: jax.Array, target: jax.Array, **settings: Any) -> jax.Array:
    """How far is the R_K of this batch from 1?

    ``1 - R_K`` of the expected table. A batch of one class has the loss 1 and the gradient 0. Over shards, with
    ``axis_name``, the loss is that of all of them together, and gradients are to be averaged (``pmean``) as usual.
    Settings as in ``cells``.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> p = jnp.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    >>> round(float(jax.jit(rk_loss)(p, jnp.array([0, 1, 1]))), 4)
    0.667
    """
    return one_minus(rk_coeff(prediction, target, **settings))


def log_rk_loss(prediction: jax.Array, target: jax.Array, *, shifted: bool = False, **settings: Any) -> jax.Array:
    """How far is the R_K of this batch from 1, on a scale that never ends?

    ``-log R_K``, infinite with the gradient 0 unless R_K is positive; or ``-log((1 + R_K) / 2)`` if ``shifted``.
    Settings as in ``cells``.
    """
    return minus_log(rk_coeff(prediction, target, **settings), shifted=shifted)


def measure_value(
    measure: str | Measure | Averaged, statistic: Cells | Table | RunningCells, convention: str = "exclude"
) -> jax.Array:
    """What is the value of this measure of the catalogue, from a statistic?

    Raises
    ------
    InputError
        If the measure is an average over examples, or needs more than the statistic keeps.
    """
    question = parse(measure)
    kept = statistic.cells if isinstance(statistic, RunningCells) else statistic
    return evaluate(question, kept, convention_of(convention))


def measure_loss(
    measure: str | Measure | Averaged, prediction: jax.Array, target: jax.Array, **settings: Any
) -> jax.Array:
    """How far is this measure of the batch from its best? Any smooth measure of the catalogue as a loss.

    ``best - value``, or the value where lower is better; undefined parts count as 0. Settings as in ``cells``.

    Raises
    ------
    InputError
        If the measure is an average over examples, or has no better end.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> round(float(measure_loss("macro f1", jnp.array([[0.8, 0.2], [0.3, 0.7]]), jnp.array([0, 1]))), 4)
    0.2506
    """
    return loss_of(loss_question(measure), cells(prediction, target, **settings))
