"""Every random problem that the tests draw: data of each task, weights, masks, tables, cells, t-norms, couplings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from softtruth import IndicatorMatrix, tnorms
from softtruth.measures import OPERATORS, list_measures
from softtruth.measures.catalogue import measure_of

TASKS = ("binary", "multiclass", "multilabel", "ordinal")
BY_CLASS = ("multiclass", "ordinal")  # tasks whose classes exclude each other
# Every measure of the catalogue, and members of its families that have no name of their own.
MEMBERS = ("fbeta 0", "fbeta 3", "tversky 0.3 0.7", "tversky 2 0.5", "recall_gmean 0.01", "weighted_kappa 0.5")
MEASURES = {m.name: m for m in [*list_measures(), *map(measure_of, MEMBERS)]}
CELL_MEASURES = {name: m for name, m in MEASURES.items() if m.takes_operator}
TABLE_MEASURES = {name: m for name, m in MEASURES.items() if not m.takes_operator}
QUESTIONS = [o(m) for m in CELL_MEASURES.values() for o in OPERATORS.values()] + list(TABLE_MEASURES.values())
CONVENTIONS = ("exclude", "zero", "one", "nan")

# --- t-norms and couplings ------------------------------------------------------------------------------------------


def clayton(a, b):
    """Return a copula that the package has no name for: 1 / (1/a + 1/b - 1), zero on the axes."""
    positive = (a > 0) & (b > 0)
    return np.where(positive, 1 / (1 / np.where(positive, a, 1) + 1 / np.where(positive, b, 1) - 1), 0.0)


def drastic(a, b):
    """Return the smallest t-norm, which is no copula."""
    return np.where(a == 1, b, np.where(b == 1, a, 0.0)) + np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)))


COPULAS = {
    "product": tnorms.product,
    "godel": tnorms.godel,
    "lukasiewicz": tnorms.lukasiewicz,
    "hamacher 0": tnorms.hamacher(0),
    "hamacher 0.5": tnorms.hamacher(0.5),
    "hamacher 2": tnorms.hamacher(2),
    "frank 0.1": tnorms.frank(0.1),
    "frank 50": tnorms.frank(50),
    "aczel_alsina 2": tnorms.aczel_alsina(2),
    "a callable": clayton,
}
TNORMS = COPULAS | {
    "hamacher 3": tnorms.hamacher(3),
    "yager 0.5": tnorms.yager(0.5),
    "nilpotent_minimum": tnorms.nilpotent_minimum,
    "drastic": tnorms.drastic,
    "a callable that is no copula": drastic,
}
COUPLINGS = {name: name for name in ("independent", "most", "least", "rho 0.4", "rho -0.7")} | COPULAS

HARDENED: dict[str, Any] = {}
SETTINGS = (
    [HARDENED] + [{"tnorm": t} for t in TNORMS.values()] + [{"coupling": c} for c in COUPLINGS.values()]
)  # what IndicatorMatrix takes to put two soft sides together
settings_of_coupling = st.sampled_from(SETTINGS)
sure_of_margins = st.sampled_from([{"coupling": c} for c in COUPLINGS.values()])

# --- numbers --------------------------------------------------------------------------------------------------------

shares = st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.4, 0.5, 0.6, 0.8, 1.0])
degrees = st.one_of(shares, st.floats(1e-6, 1))
weights = st.one_of(st.sampled_from([0.0, 0.0, 1.0, 2.0]), st.floats(0.01, 100))
masses = st.one_of(st.sampled_from([0.0, 0.0, 1.0, 2.0, 7.0, 1000.0]), st.floats(0.01, 1e4))
positive_masses = st.one_of(st.integers(1, 50).map(float), st.floats(0.1, 1e3))


def four_masses(elements=masses):
    """Draw one cell quadruple tp, fp, fn, tn."""
    return hnp.arrays(np.float64, 4, elements=elements)


def cell_masses(elements=masses, most_classes=4):
    """Draw cells (4, K) of columns that need not fit together: what multilabel data give."""
    return st.integers(1, most_classes).flatmap(lambda k: hnp.arrays(np.float64, (4, k), elements=elements))


def table_masses(elements=masses, least_classes=2, most_classes=4):
    """Draw a K x K table."""
    return st.integers(least_classes, most_classes).flatmap(lambda k: hnp.arrays(np.float64, (k, k), elements=elements))


# --- problems -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """The arguments of one IndicatorMatrix, of which rows can be taken."""

    task: str
    n_classes: int
    reference: np.ndarray
    prediction: np.ndarray
    coupling: dict[str, Any] = field(default_factory=dict)
    weight: np.ndarray | None = None
    mask: np.ndarray | None = None
    clusters: np.ndarray | None = None

    def __len__(self):
        return len(self.reference)

    def take(self, rows):
        """Return the problem of some rows, in the order asked for."""
        given = {key: getattr(self, key) for key in ("reference", "prediction", "weight", "mask", "clusters")}
        return replace(self, **{key: None if a is None else a[rows] for key, a in given.items()})

    def build(self, **more):
        """Return the IndicatorMatrix."""
        arguments = {
            "task": self.task,
            "n_classes": None if self.task == "binary" else self.n_classes,
            "sample_weight": self.weight,
            "mask": self.mask,
            "clusters": self.clusters,
            **self.coupling,
        }
        if (
            self.task in {"multiclass", "ordinal"} and max(self.reference.ndim, self.prediction.ndim) > 2
        ):  # crisp rows could be indices
            arguments["reference_kind"] = "labels" if self.reference.dtype.kind == "i" else "distribution"
            arguments["prediction_kind"] = "labels" if self.prediction.dtype.kind == "i" else "probabilities"
        return IndicatorMatrix(self.reference, self.prediction, **arguments | more)

    @property
    def counts_only(self):
        """Whether every cell is a whole number of examples."""
        statistic = self.build().statistic
        return statistic.hard and statistic.weight is None

    @property
    def single(self):
        """Whether a side came in single precision."""
        return np.float32 in (self.reference.dtype, self.prediction.dtype)


def distributions(n, k, dtype):
    """Draw rows that sum to one: shares of votes, sometimes all on one class."""
    votes = hnp.arrays(np.int64, (n, k), elements=st.sampled_from([0, 0, 1, 1, 2, 3, 5]))

    def shares_of(counts):
        counts = np.where(counts.sum(axis=1, keepdims=True) == 0, 1, counts)
        return (counts / counts.sum(axis=1, keepdims=True)).astype(dtype)

    return votes.map(shares_of)


@st.composite
def problems(
    draw,
    *,
    tasks=TASKS,
    couplings=settings_of_coupling,
    least=0,
    most=9,
    weighted=None,
    masked=None,
    dtypes=(np.float64,),
    parts=False,
):
    """Draw a problem of any task, each side hard or soft, with or without weights and mask.

    With ``parts`` every example has as many parts as an image has points, between its row and its classes.
    """
    task = draw(st.sampled_from(tasks))
    n = draw(st.integers(least, most))
    k = 1 if task == "binary" else draw(st.integers(1 if task == "multilabel" else 2, 4))
    coupling = draw(couplings)
    rows = (n, draw(st.integers(1, 3)), 2) if parts else (n,)
    sides = []
    for _ in range(2):
        hard, dtype = draw(st.booleans()), draw(st.sampled_from(dtypes))
        if task in {"multiclass", "ordinal"}:
            indices = hnp.arrays(np.int64, rows, elements=st.integers(0, k - 1))
            rows_of_shares = distributions(int(np.prod(rows)), k, dtype).map(lambda a: a.reshape(*rows, k))
            sides.append(draw(indices if hard else rows_of_shares))
        else:
            shape = rows if task == "binary" else (*rows, k)
            kind = np.int64 if hard else np.float64
            side = draw(hnp.arrays(kind, shape, elements=st.integers(0, 1) if hard else degrees))
            sides.append(side if hard else side.astype(dtype))
    weight = mask = None
    if draw(st.booleans()) if weighted is None else weighted:
        weight = draw(hnp.arrays(np.float64, n, elements=weights))
    if draw(st.booleans()) if masked is None else masked:
        whole_rows = task != "multilabel" or parts or draw(st.booleans())
        mask = draw(hnp.arrays(bool, rows if whole_rows else (*rows, k)))
    return Problem(task, k, *sides, coupling, weight, mask)


def splits(n):
    """Draw the numbers 0..n-1 in any order, cut into up to four lists, some of them empty."""
    cuts = st.lists(st.integers(0, n), max_size=3).map(sorted)
    return st.tuples(st.permutations(range(n)), cuts).map(lambda drawn: [list(part) for part in _cut(*drawn)])


def _cut(order, cuts):
    ends = [0, *cuts, len(order)]
    return [order[a:b] for a, b in itertools.pairwise(ends)]
