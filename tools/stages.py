"""What each stage of a stream costs, for plans of large runs: processor time for each row, and bytes of what is sent.

python tools/stages.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from functools import partial
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from softtruth.engines.counting import evidence_of, placed
from softtruth.engines.join import Sides, join_of
from softtruth.engines.out_of_core import join_files
from softtruth.engines.pieces import Files
from softtruth.engines.plan import Plan, Source
from softtruth.engines.told import report_from
from softtruth.engines.wanted import Wanted
from softtruth.statistics.serialise import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from softtruth.statistics.evidence import Evidence

EXEMPLARS = ("f1", "precision", "recall")


def took(call: Callable[[], object], rounds: int) -> float:
    """Return the median processor time of a call in seconds."""
    call()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def hard(n: int, k: int, **more: Any) -> tuple[Plan, pa.Table]:
    """Return hard labels and their plan."""
    rng = np.random.default_rng(0)
    y, p = (rng.integers(0, k, n).astype(np.int16) for _ in range(2))
    table = pa.table({"y": y, "p": p, "w": rng.random(n), "c": rng.integers(0, n // 20, n)})
    sides = Source("labels", ("y",)), (("model", Source("labels", ("p",))),)
    return Plan("multiclass", tuple(range(k)), *sides, exemplars=EXEMPLARS if more else (), **more), table


def soft(n: int, k: int) -> tuple[Plan, pa.Table]:
    """Return shares against probabilities and their plan."""
    rng = np.random.default_rng(0)
    columns: dict[str, NDArray[np.float32]] = {}
    for name in ("y", "p"):
        values = rng.dirichlet(np.ones(k), n).astype(np.float32)
        columns |= {f"{name}{j}": values[:, j] for j in range(k)}
    names = [tuple(f"{name}{j}" for j in range(k)) for name in ("y", "p")]
    sides = Source("distribution", names[0]), (("model", Source("probabilities", names[1])),)
    return Plan("multiclass", tuple(range(k)), *sides, exemplars=EXEMPLARS), pa.table(columns)


def counted(plan: Plan, batches: list[pa.RecordBatch]) -> Evidence:
    """Return what a stream keeps of these batches."""
    return evidence_of(plan, placed(batches, "memory"))


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print("| stage | processor time a row | state sent | add two states | report |")
    print("| --- | --- | --- | --- | --- |")
    cases = {
        "hard labels, K = 10": hard(2_000_000, 10),
        "hard labels, K = 100": hard(2_000_000, 100),
        "hard labels, K = 1000": hard(4_000_000, 1000),
        "hard labels with weights, K = 10": hard(200_000, 10, weight="w"),
        "hard labels in clusters of 20, K = 10": hard(200_000, 10, cluster="c"),
        "soft, three views, K = 10": soft(100_000, 10),
        "soft, three views, K = 100": soft(10_000, 100),
    }
    for name, (plan, table) in cases.items():
        batches = table.to_batches(1 << 17)
        evidence = counted(plan, batches)
        seconds = took(partial(counted, plan, batches), rounds)
        state = to_bytes(evidence.settled())
        kept = cast("Evidence", from_bytes(state))
        added = took(partial(add, kept, kept), rounds)
        told = took(partial(report_from, kept), 1)
        print(
            f"| {name} | {1e9 * seconds / table.num_rows:,.3g} ns | {len(state) / 1024:,.0f} KiB | {1e3 * added:.2g} "
            f"ms | {told:.2g} s |",
            flush=True,
        )
    with tempfile.TemporaryDirectory() as folder:
        print(joined(Path(folder), rounds))


def joined(folder: Path, rounds: int) -> str:
    """Return the row of votes that become distributions and meet their predictions."""
    rng = np.random.default_rng(0)
    items, votes = 400_000, 2_000_000
    labels = [f"c{j}" for j in range(5)]
    p = rng.dirichlet(np.ones(5), items).astype(np.float32)
    reference = pa.table({"item": rng.integers(0, items, votes), "label": np.array(labels)[rng.integers(0, 5, votes)]})
    columns = {f"p_{name}": p[:, j] for j, name in enumerate(labels)}
    prediction = pa.table({"item": np.arange(items), **columns})
    paths = [str(folder / "votes.parquet"), str(folder / "predictions.parquet")]
    for table, path in zip((reference, prediction), paths, strict=True):
        parquet.write_table(table, path)
    wanted = Wanted(labels=tuple(labels), item="item", label="label")
    sides = Sides(Files.of(paths[0]), {"model": Files.of(paths[1])})
    join, after = join_of(sides.map(Files.sample), wanted)
    target = folder / "joined.parquet"

    def run() -> None:
        target.unlink(missing_ok=True)
        join_files(join, sides, target, wanted=after)

    seconds = took(run, min(rounds, 3))
    return f"| votes to counts and the join (DuckDB), K = 5, for each vote | {1e9 * seconds / votes:,.3g} ns | | | |"


if __name__ == "__main__":
    main()
