"""Losses: R_K and any smooth measure of the catalogue, on the expected table of a batch or of more than a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import distributed, nn

from softtruth.adapters.torch.sides import Sides, checked_task, sides_of, two_columns, wide
from softtruth.errors import InputError, shown
from softtruth.measures.catalogue import parse
from softtruth.measures.loss import loss_of, loss_question
from softtruth.measures.operators import formula_of
from softtruth.rk import coefficient, minus_log, one_minus
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupling import INDEPENDENT
from softtruth.statistics.margins import cells_of_codes, cells_of_degrees, table_of_degrees
from softtruth.statistics.table import Table

if TYPE_CHECKING:
    from torch import Tensor

    from softtruth.measures.measure import Measure
    from softtruth.measures.operators import Averaged


def rk_loss(
    prediction: Tensor,
    target: Tensor,
    *,
    from_logits: bool = False,
    sample_weight: Tensor | None = None,
    class_weight: Tensor | None = None,
    ignore_index: int | None = None,
) -> Tensor:
    """How far is the R_K of this batch from 1?

    ``1 - R_K`` of the expected table, between 0 and 2. A batch of one class, or of constant predictions, has the loss 1
    and the gradient 0. The R_K of a batch is not the mean of anything: use large batches, or ``RkLoss`` with a table
    of more than one batch.

    Parameters
    ----------
    prediction : Tensor, shape (N, K), (N, K, ...), (N,) or (N, 1)
        Probabilities; one column is the probability of the second of two classes.
    target : Tensor
        Class indices (N,), (N, 1) or (N, ...), or label distributions of the shape of the prediction.
    from_logits : bool
        Whether the predictions go through a softmax (one column: a sigmoid) first.
    sample_weight : Tensor, shape (N,) or (N, ...), optional
    class_weight : Tensor, shape (K,), optional
        Multiplies the reference's mass of each class.
    ignore_index : int, optional
        Target value of rows that do not count.

    Examples
    --------
    >>> import torch
    >>> p = torch.tensor([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    >>> round(rk_loss(p, torch.tensor([0, 1, 1])).item(), 4)
    0.667
    """
    sides = sides_of(
        prediction,
        target,
        task="multiclass",
        from_logits=from_logits,
        sample_weight=sample_weight,
        ignore_index=ignore_index,
    )
    return one_minus(coefficient(_cells(sides, class_weight, sums_to_one=from_logits)))


def log_rk_loss(
    prediction: Tensor,
    target: Tensor,
    *,
    shifted: bool = False,
    from_logits: bool = False,
    sample_weight: Tensor | None = None,
    class_weight: Tensor | None = None,
    ignore_index: int | None = None,
) -> Tensor:
    """How far is the R_K of this batch from 1, on a scale that never ends?

    ``-log R_K``, infinite with the gradient 0 unless R_K is positive; or ``-log((1 + R_K) / 2)`` if ``shifted``, which
    has a gradient everywhere above -1. Parameters as in ``rk_loss``.

    Examples
    --------
    >>> import torch
    >>> p = torch.tensor([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    >>> round(log_rk_loss(p, torch.tensor([0, 1, 1])).item(), 4)
    1.0997
    """
    sides = sides_of(
        prediction,
        target,
        task="multiclass",
        from_logits=from_logits,
        sample_weight=sample_weight,
        ignore_index=ignore_index,
    )
    return minus_log(coefficient(_cells(sides, class_weight, sums_to_one=from_logits)), shifted=shifted)


class _StatisticLoss(nn.Module):
    """A loss of a statistic: of the batch, of a running one, or of all processes together."""

    running: Tensor | None

    def __init__(
        self,
        *,
        num_classes: int | None = None,
        from_logits: bool = False,
        class_weight: Tensor | None = None,
        ignore_index: int | None = None,
        decay: float | None = None,
        all_reduce: bool = False,
    ) -> None:
        """Take the settings; see ``RkLoss``."""
        super().__init__()
        if decay is not None and not 0 < decay < 1:
            msg = f"decay is {shown(decay)}, expected a number between 0 and 1."
            raise InputError(msg)
        if decay is not None and num_classes is None:
            msg = "decay keeps a table between batches and needs num_classes."
            raise InputError(msg)
        self.from_logits = from_logits
        self.ignore_index = ignore_index
        self.decay = decay
        self.all_reduce = all_reduce
        self.register_buffer("class_weight", class_weight)
        self.register_buffer("running", None if decay is None else self._empty(int(num_classes or 0)))

    def _empty(self, num_classes: int) -> Tensor:
        return torch.zeros(4, max(num_classes, 2))

    def _gathered(self, masses: Tensor) -> Tensor:
        """Return the masses together with those of other processes and of former batches; gradients go to the batch."""
        if self.all_reduce and distributed.is_available() and distributed.is_initialized():
            whole = masses.detach().clone()
            distributed.all_reduce(whole)
            # Data-parallel training averages gradients over the processes, and this is a sum over them.
            mine = masses * distributed.get_world_size()
            masses = mine + (whole - mine.detach())
        if self.running is not None:
            masses = masses + self.running.to(masses.dtype)
            if self.training:
                self.running = (masses.detach() * self.decay).to(self.running.dtype)
        return masses


class RkLoss(_StatisticLoss):
    """``1 - R_K``, as a module.

    Parameters
    ----------
    num_classes : int, optional
        Needed with ``decay``.
    from_logits, class_weight, ignore_index
        As in ``rk_loss``.
    decay : float, optional
        Keep a table between batches, forgetting it by this factor a batch: for batches too small to hold all classes.
        The gradient is that of the current batch.
    all_reduce : bool
        Add the tables of all processes of ``torch.distributed``; the gradients are right for training that averages
        them over the processes, as ``DistributedDataParallel`` does.

    Examples
    --------
    >>> import torch
    >>> loss = RkLoss(from_logits=True)
    >>> z = torch.tensor([[2.0, 0.0], [0.0, 1.0]], requires_grad=True)
    >>> loss(z, torch.tensor([0, 1])).backward()
    >>> bool(z.grad.isfinite().all())
    True
    """

    def forward(self, prediction: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch: see ``rk_loss``."""
        return one_minus(self._value(prediction, target, sample_weight))

    def _value(self, prediction: Tensor, target: Tensor, sample_weight: Tensor | None) -> Tensor:
        sides = sides_of(
            prediction,
            target,
            task="multiclass",
            from_logits=self.from_logits,
            sample_weight=sample_weight,
            ignore_index=self.ignore_index,
        )
        cells = _cells(sides, self.class_weight, sums_to_one=self.from_logits)
        return coefficient(Cells(self._gathered(cells.masses), cells.task, cells.coupling))


class LogRkLoss(RkLoss):
    """``-log R_K``, or ``-log((1 + R_K) / 2)`` if ``shifted``, as a module; the rest as in ``RkLoss``."""

    def __init__(self, *, shifted: bool = False, **settings: Any) -> None:
        """Take the settings of ``RkLoss``."""
        super().__init__(**settings)
        self.shifted = shifted

    def forward(self, prediction: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch: see ``log_rk_loss``."""
        return minus_log(self._value(prediction, target, sample_weight), shifted=self.shifted)


class MeasureLoss(_StatisticLoss):
    """Any smooth measure of the catalogue as a loss: ``MeasureLoss("macro f1")``.

    The soft prediction and the (hard or soft) reference are taken as independent events, so that the measure is a
    smooth function of the prediction.

    Parameters
    ----------
    measure : str or Measure
        As everywhere: "macro f1", "micro jaccard", "cohen_kappa", "weighted_kappa 2", ...
    task : {"multiclass", "binary", "multilabel"}
    **settings
        As in ``RkLoss``.

    Examples
    --------
    >>> import torch
    >>> loss = MeasureLoss("macro f1")
    >>> round(loss(torch.tensor([[0.8, 0.2], [0.3, 0.7]]), torch.tensor([0, 1])).item(), 4)
    0.2506
    """

    def __init__(self, measure: str | Measure | Averaged, *, task: str = "multiclass", **settings: Any) -> None:
        """Read the measure and take the settings."""
        question = loss_question(measure)
        self._table = formula_of(question).rung == "table"
        self.task = checked_task(task)
        super().__init__(**settings)
        self.measure = str(question) if isinstance(measure, str) else question  # by name, which can be pickled

    @property
    def _question(self) -> Averaged | Measure:
        return parse(self.measure)

    def _empty(self, num_classes: int) -> Tensor:
        k = max(num_classes, 2)
        return torch.zeros(k, k) if self._table else torch.zeros(4, 1 if self.task == "binary" else num_classes)

    def forward(self, prediction: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch; shapes as in ``rk_loss``."""
        sides = sides_of(
            prediction,
            target,
            task=self.task,
            from_logits=self.from_logits,
            sample_weight=sample_weight,
            ignore_index=self.ignore_index,
        )
        if self._table:
            return loss_of(self._question, Table(self._gathered(_table(sides, self.class_weight))))
        if self.task == "multiclass":
            cells = _cells(sides, self.class_weight, sums_to_one=self.from_logits)
            return loss_of(self._question, Cells(self._gathered(cells.masses), cells.task, cells.coupling))
        return loss_of(self._question, Cells(self._gathered(_entries(sides)), self.task, INDEPENDENT.name))


def _cells(sides: Sides, class_weight: Tensor | None, *, sums_to_one: bool) -> Cells:
    """Return the cells of classes that exclude each other."""
    y, p, weight = _both(sides)
    if y.ndim == 2:
        return cells_of_degrees(y if class_weight is None else y * class_weight, p, weight)
    if class_weight is not None:
        own = class_weight.to(p.dtype)[y]
        weight = own if weight is None else weight * own
    return cells_of_codes(y, p, weight, sums_to_one=sums_to_one)


def _table(sides: Sides, class_weight: Tensor | None) -> Tensor:
    y, p, weight = _both(sides)
    y = torch.nn.functional.one_hot(y, p.shape[1]).to(p.dtype) if y.ndim == 1 else y
    return table_of_degrees(y if class_weight is None else y * class_weight, p, weight)


def _both(sides: Sides) -> tuple[Tensor, Tensor, Tensor | None]:
    y, p, weight = sides.reference, sides.prediction, sides.weight
    if p.ndim == 1:
        y = two_columns(y) if y.is_floating_point() else y
        p = two_columns(p)
    return y.long() if y.ndim == 1 else y, p, weight


def _entries(sides: Sides) -> Tensor:
    """Return the cells (4, K) of labels that may hold together, or (4, 1) of one column."""
    y, p = wide(sides.reference), sides.prediction
    y, p = (y[:, None], p[:, None]) if p.ndim == 1 else (y, p)
    cells = torch.stack(INDEPENDENT.entries(y, p))
    w = sides.weight
    return (cells if w is None else cells * (w if w.ndim == 2 else w[:, None])).sum(dim=1)
