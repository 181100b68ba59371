"""Workloads of uncertainty: replicates of a finite sample, against drawing them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import Workload

from softtruth import IndicatorMatrix, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DRAWS = 2000
_FEW = 5  # replicates that a peer makes; its time is scaled up


def _sklearn(y: Any, p: Any, k: int) -> Callable[[], object]:
    """Return replicates as scikit-learn gives them: rows drawn with replacement."""
    from sklearn.metrics import f1_score, matthews_corrcoef

    rng = np.random.default_rng(0)

    def few() -> list[tuple[float, float]]:
        found = []
        for _ in range(_FEW):
            rows = rng.integers(0, y.size, y.size)
            found.append(
                (f1_score(y[rows], p[rows], labels=range(k), average="macro"), matthews_corrcoef(y[rows], p[rows]))
            )
        return found

    return few


def workloads() -> Iterator[Workload]:
    """Yield the rows one by one."""
    rng = np.random.default_rng(0)
    n, k = 10**5, 10
    y = rng.integers(0, k, n)
    p = np.where(rng.random(n) < 0.6, y, rng.integers(0, k, n))
    table = IndicatorMatrix(y, p, "multiclass", n_classes=k).table
    shares = table.masses.ravel() / n

    def both() -> tuple[object, object]:
        im = IndicatorMatrix.of(Table.of(table.masses))
        return tuple(im.interval(question, method="percentile", draws=_DRAWS) for question in ("macro f1", "r_k"))

    yield Workload(
        "e",
        f"B={_DRAWS} bootstrap of macro F1 and R_K, two intervals, N=1e5 K=10",
        both,
        lambda: np.random.default_rng(0).multinomial(n, shares, size=_DRAWS),
        1.5,
        {f"scikit-learn, {_FEW} of {_DRAWS}": (_sklearn(y, p, k), 3000 * _FEW / _DRAWS)}
        if importlib.util.find_spec("sklearn")
        else {},
    )
