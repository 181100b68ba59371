"""Workloads of the core: hard tables, soft cells, exemplar averages, many measures, one short call."""

from __future__ import annotations

import importlib.util
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import Workload

from softtruth import IndicatorMatrix
from softtruth.statistics import coupling
from softtruth.statistics.coupled_sums import column_cells
from softtruth.tnorms import godel, lukasiewicz

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEASURES = ("recall", "precision", "f1", "jaccard", "mcc", "kappa", "balanced_accuracy", "gmean")
OPERATORS = ("micro", "macro", "weighted", "exemplar")


def read(*arrays: Any) -> Callable[[], object]:
    """Return the limit: every byte read once, summed as int64."""
    views = [a.reshape(-1).view(np.int64) for a in arrays]
    return lambda: [v.sum() for v in views]


def _labels(n: int, k: int, rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.integers(0, k, n), rng.integers(0, k, n)


def _four_numbers(y: Any, p: Any, k: int) -> list[float]:
    im = IndicatorMatrix(y, p, task="multiclass", n_classes=k)
    return [im.compute("f1"), im.compute("f1", "macro"), im.compute("f1", "weighted"), im.compute("r_k")]


def _sklearn_four(y: Any, p: Any) -> Callable[[], object]:
    from sklearn import metrics

    def run() -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f1 = [metrics.f1_score(y, p, average=a) for a in ("micro", "macro", "weighted")]
            return [*f1, metrics.matthews_corrcoef(y, p)]

    return run


def workloads() -> Iterator[Workload]:
    """Yield the rows one by one, so that their data do not all lie in memory."""
    rng = np.random.default_rng(0)
    has_sklearn = importlib.util.find_spec("sklearn") is not None
    for k, ceiling in ((10, 5.5), (1000, 11)):
        y, p = _labels(10**7, k, rng)
        yield Workload(
            f"a{k}",
            f"1e7 hard labels, K={k}: table, F1 micro, macro, weighted, R_K, labels checked",
            lambda y=y, p=p, k=k: _four_numbers(y, p, k),
            read(y, p),
            ceiling,
            {"scikit-learn, the same four": (_sklearn_four(y, p), 150)} if has_sklearn else {},
        )
    m = 20
    for kind in (np.float32, np.float64):
        y, p = rng.random((10**6, m)).astype(kind), rng.random((10**6, m)).astype(kind)
        for name, ceiling in (("product", 2.7), ("godel", 4.5), ("lukasiewicz", 4.5)):
            yield Workload(
                f"b_{name}_{kind.__name__}",
                f"1e6 x 20 soft entries, {name} cells, values checked",
                lambda y=y, p=p, t=name: IndicatorMatrix(y, p, task="multilabel", tnorm=t).counts,
                read(y, p),
                ceiling,
            )
        three = [
            coupling.INDEPENDENT,
            coupling.Coupling("raw godel", godel, completed=False),
            coupling.Coupling("raw lukasiewicz", lukasiewicz, completed=False),
        ]
        yield Workload(
            f"b_all_{kind.__name__}",
            "1e6 x 20 soft entries, three t-norms in one pass",
            lambda y=y, p=p, three=three: column_cells(three, y, p),
            read(y, p),
            5,
        )
        for name, ceiling in (("product", 3.4), ("godel", 5)):
            im = IndicatorMatrix(y, p, task="multilabel", tnorm=name)
            yield Workload(
                f"c_{name}_{kind.__name__}",
                f"exemplar F1 of 1e6 x 20 soft entries, {name}",
                lambda im=im: im.compute("f1", "exemplar"),
                read(y, p),
                ceiling,
            )
    y, p = ((rng.random((10**6, m)) < 0.3).astype(np.uint8) for _ in range(2))
    im = IndicatorMatrix(y, p, task="multilabel")
    yield Workload(
        "c_hard", "exemplar F1 of 1e6 x 20 hard entries", lambda: im.compute("f1", "exemplar"), read(y, p), 15
    )
    y, p = _labels(10**6, 100, rng)

    def many() -> list[float]:
        matrix = IndicatorMatrix(y, p, task="multiclass", n_classes=100)
        return [matrix.compute(a, b) for a in MEASURES for b in OPERATORS]

    yield Workload("d", "8 measures x 4 operators, 1e6 hard labels, K=100", many, read(y, p), 9)
    u, v = _labels(1000, 10, rng)

    def short() -> float:
        return IndicatorMatrix(u, v, task="multiclass", n_classes=10).compute("f1", "macro")

    from_sklearn = {}
    if has_sklearn:
        from sklearn import metrics

        from_sklearn = {"scikit-learn f1_score": (lambda: metrics.f1_score(u, v, average="macro"), 40)}
    yield Workload(
        "s", "one call: 1000 labels to macro F1, checks included", short, read(u, v), 23, from_sklearn, repeat=500
    )
