"""Streaming metrics: any measure under any operator as a ``torchmetrics.Metric``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import one_hot
from torchmetrics import Metric

from softtruth.adapters.torch.sides import Sides, checked_task, sides_of
from softtruth.conventions import average, convention_of, settle
from softtruth.errors import InputError, shown
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures.catalogue import parse
from softtruth.measures.operators import Averaged, evaluate, exemplar, formula_of
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupling import HARDENED, coupling_of
from softtruth.statistics.table import LARGEST_TABLE, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from softtruth.measures.measure import Measure

_OUTSIDE = (
    1e-6  # how far a degree may lie outside [0, 1], and a row sum off one, by rounding; more for single precision
)


class MeasureMetric(Metric):
    """Any measure of the catalogue under any operator, over all batches and all processes.

    Counts on the device in double precision and copies nothing from it in ``update``. Values that cannot be used are
    left out, counted, and reported by ``compute`` as an error. Metrics of the same settings keep the same state, so
    that a ``MetricCollection`` of them counts once.

    Parameters
    ----------
    measure : str or Measure
        "macro f1", "weighted jaccard", "exemplar f1", "r_k", "fbeta 2", ...
    task : {"binary", "multiclass", "multilabel"}
    num_classes : int, optional
        Classes, or labels; not needed for binary data.
    threshold : float
        A binary or multilabel prediction is positive above it.
    from_logits : bool
        Whether the predictions go through a softmax or sigmoid first. Never guessed.
    tnorm, coupling : str, optional
        As in ``IndicatorMatrix``: without either, the prediction becomes hard (ties go to the first class); with
        ``coupling="independent"`` it is used as it is. A soft target is never hardened.
    convention : {"exclude", "zero", "one", "nan"}
        What becomes of undefined (0/0) parts.
    ignore_index : int, optional
        Target value of rows (labels, for multilabel data) that do not count.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Examples
    --------
    >>> import torch
    >>> metric = MeasureMetric("macro f1", task="multiclass", num_classes=3)
    >>> metric.update(torch.tensor([0, 2, 2, 1]), torch.tensor([0, 1, 2, 1]))
    >>> round(metric.compute().item(), 4)
    0.7778
    """

    full_state_update = False
    masses: Tensor
    averaged: Tensor
    invalid: Tensor

    def __init__(
        self,
        measure: str | Measure | Averaged,
        *,
        task: str,
        num_classes: int | None = None,
        threshold: float = 0.5,
        from_logits: bool = False,
        tnorm: Any = None,
        coupling: Any = None,
        convention: str = "exclude",
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Read the measure and prepare the state."""
        super().__init__(**kwargs)
        self.task = checked_task(task)
        if task != "binary" and (num_classes is None or num_classes < 1):
            msg = f"task {task!r} needs num_classes, found {shown(num_classes)}."
            raise InputError(msg)
        question = parse(measure)
        # By name where it has one: functions of the catalogue are not pickled.
        self.measure = str(question) if isinstance(measure, str) else question
        self.num_classes = 1 if task == "binary" else int(num_classes or 0)
        self.threshold = threshold
        self.from_logits = from_logits
        self.tnorm, self.coupling = tnorm, coupling
        self.convention = str(convention_of(convention))
        self.ignore_index = ignore_index
        joint = coupling_of(tnorm, coupling)
        self._of_examples = isinstance(question, Averaged) and question.operator is exemplar
        k = self.num_classes
        self._tabled = task == "multiclass" and joint.independent and k <= LARGEST_TABLE
        if self._of_examples:  # weighted sum of the defined values, their weight, and the weight of the others
            self.add_state("averaged", torch.zeros(3, dtype=torch.float64), dist_reduce_fx="sum")
        else:
            shape = (k, k) if self._tabled else (4, k)
            self.add_state("masses", torch.zeros(shape, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("invalid", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool | None:
        """Which end of the measure is the better one, or None."""
        return {"higher": True, "lower": False}.get(formula_of(parse(self.measure)).better)

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient flows to the predictions, which it does where they are used as they are."""
        return self.tnorm is not None or self.coupling is not None

    @property
    def plot_lower_bound(self) -> float | None:
        """The lower end of the range, if it has one."""
        return _finite(formula_of(parse(self.measure)).range[0])

    @property
    def plot_upper_bound(self) -> float | None:
        """The upper end of the range, if it has one."""
        return _finite(formula_of(parse(self.measure)).range[1])

    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : Tensor, shape (N,), (N, 1), (N, K) or (N, K, ...)
            Labels, probabilities or logits.
        target : Tensor
            Class indices, 0/1 labels, or distributions of the shape of ``preds``.
        sample_weight : Tensor, shape (N,), optional
            Weight 0 leaves a row out, such as one that only fills a shard up.
        """
        sides = sides_of(
            preds,
            target,
            task=self.task,
            from_logits=self.from_logits,
            sample_weight=sample_weight,
            ignore_index=self.ignore_index,
        )
        given = [torch.finfo(side.dtype).eps for side in (preds, target) if side.is_floating_point()]
        joint = coupling_of(self.tnorm, self.coupling)
        y, p, w = self._valid(sides, max([_OUTSIDE, *(16 * eps for eps in given)]), soft=joint is not HARDENED)
        if joint is HARDENED and p.is_floating_point():
            p = p.argmax(dim=1) if self.task == "multiclass" and p.ndim == 2 else (p > self.threshold).to(torch.uint8)
        if self._of_examples:
            self._add_examples(y, p, w, sides.examples)
        elif self.task == "multiclass" and y.ndim == 1 and p.ndim == 1:
            self._count(y, p, w)
        elif self._tabled:
            self.masses = self.masses + (self._degrees(y) * w[:, None]).T @ self._degrees(p)
        else:
            self.masses = self.masses + (self._entries(y, p) * (w if w.ndim == 2 else w[:, None])).sum(dim=1)

    def compute(self) -> Tensor:
        """Return the value over everything that was added.

        Raises
        ------
        InputError
            If something that was added could not be used.
        """
        invalid = int(self.invalid)
        if invalid:
            msg = (
                f"{invalid} of the values given to {type(self).__name__} were no class index or degree in [0, 1], or "
                "their row did not sum to one, or their weight was negative; pass from_logits=True for logits, or "
                "leave rows out with sample_weight 0 or ignore_index."
            )
            raise InputError(msg)
        convention = convention_of(self.convention)
        if not self._of_examples:
            return evaluate(parse(self.measure), self.statistic, convention)
        value, defined, undefined = self.averaged
        parts = torch.stack([value / torch.where(defined == 0, 1.0, defined), torch.full_like(value, float("nan"))])
        return settle(average(parts, torch.stack([defined, undefined]), convention), convention)

    @property
    def statistic(self) -> Table | Cells:
        """What has been added up so far, on the device."""
        name = coupling_of(self.tnorm, self.coupling).name
        if self._tabled:
            return Table(self.masses, self.task, name)
        return Cells(self.masses, self.task, name)

    @property
    def indicator_matrix(self) -> IndicatorMatrix:
        """What has been added up so far, on the host: for intervals and other questions."""
        found = self.statistic
        masses = found.masses.detach().cpu().numpy()
        kept = Table(masses, found.task, found.coupling) if self._tabled else Cells(masses, found.task, found.coupling)
        return IndicatorMatrix.of(kept)

    def plot(self, val: Tensor | Sequence[Tensor] | None = None, ax: Any = None) -> Any:
        """Draw one value, or several over time."""
        return self._plot(val, ax)

    # --- on the device: nothing below looks at a value -----------------------------------------------------------

    def _valid(self, sides: Sides, rounding: float, *, soft: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Return both sides and the weights, where what cannot be used is replaced, weighs nothing and is counted."""
        y, p, by_entry = sides.reference, sides.prediction, self.task == "multilabel"
        weight = torch.ones(p.shape[0], device=p.device) if sides.weight is None else sides.weight
        weight = weight.double()
        if by_entry:
            weight = (weight if weight.ndim == 2 else weight[:, None]).expand(p.shape)
        good = torch.isfinite(weight) & (weight >= 0)
        good = good & self._usable(y, rounding, soft=True) & self._usable(p, rounding, soft=soft)
        self.invalid = self.invalid + (~good & (weight != 0)).sum()
        kept = good & (weight != 0)
        row = kept if by_entry or y.ndim == 1 else kept[:, None]
        column = kept if by_entry or p.ndim == 1 else kept[:, None]
        return torch.where(row, y, 0), torch.where(column, p, 0), torch.where(kept, weight, 0.0)

    def _usable(self, side: Tensor, rounding: float, *, soft: bool) -> Tensor:
        """Return which rows (entries, for multilabel data) hold what they should."""
        multiclass = self.task == "multiclass"
        if not side.is_floating_point():
            inside = (side >= 0) & (side < (self.num_classes if multiclass and side.ndim == 1 else 2))
            return inside.all(dim=1) & (side.sum(dim=1) == 1) if multiclass and side.ndim == 2 else inside
        if multiclass and not soft:
            return torch.isfinite(side).all(dim=1)
        inside = (side >= -rounding) & (side <= 1 + rounding)
        return inside.all(dim=1) & ((side.sum(dim=1) - 1).abs() <= rounding) if multiclass else inside

    def _degrees(self, side: Tensor) -> Tensor:
        return one_hot(side.long(), self.num_classes).double() if side.ndim == 1 else side.double()

    def _count(self, y: Tensor, p: Tensor, w: Tensor) -> None:
        k = self.num_classes
        y, p = y.long(), p.long()
        if self._tabled:
            counts = w.new_zeros(k * k).index_add(0, y * k + p, w)
            self.masses = self.masses + counts.reshape(k, k)
            return
        nothing = w.new_zeros(k)
        tp = nothing.index_add(0, y, torch.where(y == p, w, 0.0))
        fn, fp = nothing.index_add(0, y, w) - tp, nothing.index_add(0, p, w) - tp
        self.masses = self.masses + torch.stack([tp, fp, fn, w.sum() - tp - fp - fn])

    def _entries(self, y: Tensor, p: Tensor) -> Tensor:
        """Return the cells of every entry, (4, M, K)."""
        if self.task == "multiclass":
            y, p = self._degrees(y), self._degrees(p)
        y, p = (side.double()[:, None] if side.ndim == 1 else side.double() for side in (y, p))
        joint = coupling_of(self.tnorm, self.coupling)
        return torch.stack([cell.expand_as(y * p) for cell in joint.entries(y, p)])

    def _add_examples(self, y: Tensor, p: Tensor, w: Tensor, examples: int) -> None:
        question = parse(self.measure)
        assert isinstance(question, Averaged)  # noqa: S101  it is, or this state would not be kept
        # The weight of a pixel is that of its image, or 0: what is pooled counts pixels, the average weighs images.
        by_row = w if w.ndim == 2 else w[:, None]
        cells = (self._entries(y, p) * (by_row != 0)).sum(dim=2).reshape(4, examples, -1).sum(dim=2)
        own = by_row.amax(dim=1).reshape(examples, -1).amax(dim=1)
        values = question.measure.formula(Cells(cells, "binary"), *question.measure.parameters)
        undefined = torch.isnan(values)
        weighted = torch.where(undefined | (own == 0), 0.0, values * own)
        new = [weighted.sum(), torch.where(undefined, 0.0, own).sum(), torch.where(undefined, own, 0.0).sum()]
        self.averaged = self.averaged + torch.stack(new)


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
