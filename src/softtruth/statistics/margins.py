"""Cells on any device, made in one pass from the margins: what losses and streaming metrics add up.

Everything here is traced and differentiated by whoever calls it: no value is looked at, so nothing is copied to the
host and compiled code stays compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth._arrays import namespace, running_total, sum_by_class, total
from softtruth.statistics.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth._arrays import Array


def cells_of_codes(
    codes: Array,
    p: Array,
    weight: Array | None = None,
    *,
    sums_to_one: bool = False,
    softmax_sums: Callable[[Array, Array, Array], tuple[Array, Array]] | None = None,
) -> Cells:
    """Return the cells of class indices (N,) against probabilities (N, K), as independent events.

    They are those of the table, whatever the rows sum to, so that a gradient by free entries is that of the table. Only
    its margins and one entry of each row are needed; behind a softmax (``sums_to_one``) one pass less is. An adapter
    that has a faster way from logits to both brings it as ``softmax_sums``; ``p`` are then logits.
    """
    xp = namespace(p)
    k = int(p.shape[-1])
    if softmax_sums is not None:
        w = xp.ones_like(p[:, 0]) if weight is None else weight
        own, columns = softmax_sums(p, codes, w)
    else:
        own = xp.take_along_axis(p, codes[:, None], axis=1)[:, 0]
        w = xp.ones_like(own) if weight is None else weight
        columns = xp.sum(p if weight is None else p * w[:, None], axis=0)
    row = 1 if sums_to_one or softmax_sums is not None else total(p)
    return _independent(sum_by_class(w * own, codes, k), sum_by_class(w * (row - own), codes, k), columns)


def cells_of_degrees(y: Array, p: Array, weight: Array | None = None) -> Cells:
    """Return the cells of label distributions (N, K) against probabilities (N, K), as independent events.

    They are those of the table ``y' p``, whatever the rows of either side sum to.
    """
    xp = namespace(p)
    y = y if weight is None else y * weight[:, None]
    mass = total(y, keepdims=True)
    return _independent(
        xp.sum(y * p, axis=0), xp.sum(y * (total(p, keepdims=True) - p), axis=0), xp.sum(mass * p, axis=0)
    )


def _independent(hit: Array, miss: Array, columns: Array) -> Cells:
    return Cells(cells_from_margins(hit, miss, columns), "multiclass", "independent")


def table_of_degrees(y: Array, p: Array, weight: Array | None = None) -> Array:
    """Return the masses (K, K) of label distributions against probabilities, as independent events."""
    xp = namespace(p)
    y = y if weight is None else y * weight[:, None]
    return xp.matmul(xp.permute_dims(y, (1, 0)), p)


def cells_from_margins(hit: Array, miss: Array, columns: Array) -> Array:
    """Return the cells (4, K) from what each class of the reference has right and wrong, and the predicted masses.

    A small number is never the difference of two large ones: of a rare class ``fp`` is its column less its hits; of a
    class that has nearly everything it follows from the columns of the others.
    """
    xp = namespace(hit)
    elsewhere, others = rest(hit + miss), rest(columns)
    fp = xp.where(columns <= others, columns - hit, elsewhere - (others - miss))
    return xp.stack([hit, fp, miss, elsewhere - fp])


def rest(x: Array) -> Array:
    """Return, for each class, the sum over all the others (last axis), added up and never subtracted."""
    xp = namespace(x)
    nothing = xp.zeros_like(x[..., :1])
    before = xp.concat([nothing, running_total(x[..., :-1])], axis=-1)
    after = xp.concat([nothing, running_total(xp.flip(x, axis=-1)[..., :-1])], axis=-1)
    return before + xp.flip(after, axis=-1)
