"""Streams of batches: hard labels that come a thousand times."""

from __future__ import annotations

import importlib.util
import warnings
from typing import TYPE_CHECKING

import numpy as np
from core import read
from harness import Workload

from softtruth.statistics.pair_counter import PairCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _torchmetrics(batches: list[tuple[np.ndarray, np.ndarray]], k: int, *, checked: bool) -> Callable[[], object]:
    import torch
    from torchmetrics.classification import MulticlassConfusionMatrix

    tensors = [(torch.from_numpy(y), torch.from_numpy(p)) for y, p in batches]

    def run() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric = MulticlassConfusionMatrix(k, validate_args=checked)
            for y, p in tensors:
                metric.update(p, y)
            return metric.compute()

    return run


def workloads() -> Iterator[Workload]:
    """Yield the rows."""
    rng = np.random.default_rng(0)
    k, batches, rows = 100, 1000, 10_000
    y, p = (rng.integers(0, k, batches * rows) for _ in range(2))
    parts = list(zip(np.split(y, batches), np.split(p, batches), strict=True))

    def stream() -> np.ndarray:
        counter = PairCounter(k)
        for one, other in parts:
            counter.add(one, other)
        return counter.table.masses

    limit = read(*(side for part in parts for side in part))  # batch by batch, as they come
    peers = {}
    if importlib.util.find_spec("torchmetrics"):
        peers = {
            "torchmetrics unchecked": (_torchmetrics(parts, k, checked=False), 4.0),
            "torchmetrics default": (_torchmetrics(parts, k, checked=True), 45.0),
        }
    yield Workload("j", "1000 batches of 10,000 hard labels, K=100, labels checked", stream, limit, 4, peers)
