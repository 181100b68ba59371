"""Interleaved timing: a workload, its limit and its peers take turns, and only ratios are reported."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Workload:
    """One row: what is done, the work that cannot be avoided, and the ratio that is promised.

    ``repeat`` calls are timed together where one is too short for the clock. Peers map a name to (call, floor): the
    floor is how many times slower the peer is promised to be.
    """

    name: str
    what: str
    run: Callable[[], object]
    limit: Callable[[], object]
    ceiling: float | None
    peers: dict[str, tuple[Callable[[], object], float]] = field(default_factory=dict)
    repeat: int = 1


def _timed(call: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def _spread(ratios: list[float]) -> str:
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


def measure(workload: Workload, rounds: int, *, peers: bool) -> str:
    """Return one Markdown row: ratio to the limit, times, memory beyond the inputs, ratios of the peers."""
    calls = {"limit": workload.limit, "run": workload.run}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    gc.disable()
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(_timed(call, workload.repeat))
    gc.enable()
    ratios = [a / b for a, b in zip(times["run"], times["limit"], strict=True)]
    tracemalloc.start()
    workload.run()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    ours = statistics.median(times["run"])
    found = []
    for name, (call, floor) in (workload.peers if peers else {}).items():
        slower = [_timed(call, 1) / _timed(workload.run, workload.repeat) for _ in range(min(rounds, 5))]
        found.append(f"{name} {_spread(slower)}x, promised {floor:g}x")
    ceiling = "" if workload.ceiling is None else f"{workload.ceiling:g}"
    limit = statistics.median(times["limit"])
    return (
        f"| {workload.name} | {workload.what} | {_spread(ratios)} | {ceiling} "
        f"| {1e3 * limit:.3g} ms | {1e3 * ours:.3g} ms | {peak:.1f} MiB | {'; '.join(found)} |"
    )
