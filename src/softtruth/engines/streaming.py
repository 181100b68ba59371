"""One machine, any size: files go by chunk after chunk, and only sums stay."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.engines import checkpoint
from softtruth.engines.counting import evidence_of, no_evidence, placed
from softtruth.engines.pieces import STEP, Place, rows_of_batch
from softtruth.engines.pile import Pile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from softtruth.engines.counting import Placed
    from softtruth.engines.pieces import Files
    from softtruth.engines.plan import Plan
    from softtruth.statistics.evidence import Evidence

_AHEAD = 4  # batches that are read while one is counted


@dataclass(frozen=True)
class Progress:
    """How far a stream is.

    Attributes
    ----------
    rows : int
        Rows read, those before an interruption included.
    total : int, optional
        All rows, where the files say so.
    per_second : float
        Rows a second since this run began.
    seconds_left : float, optional
    """

    rows: int
    total: int | None
    per_second: float
    seconds_left: float | None

    def __str__(self) -> str:
        """Return one line."""
        done = f"{self.rows:,} rows" if self.total is None else f"{self.rows:,} of {self.total:,} rows"
        left = "" if self.seconds_left is None else f", {_duration(self.seconds_left)} left"
        return f"{done}, {self.per_second:,.0f} a second{left}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def stream_files(
    plan: Plan,
    files: Files,
    *,
    resume_from: str | Path | None = None,
    save_every: float = 10.0,
    progress: Callable[[Progress], None] | None = None,
) -> Evidence:
    """Return the evidence of files, in bounded memory.

    Parameters
    ----------
    plan
        What the columns are.
    files
        What to read, in this order.
    resume_from
        A checkpoint: written every ``save_every`` seconds, and read when the run starts again. The result is the same
        to the last bit as without an interruption.
    save_every
        Seconds between two checkpoints; 0 writes one after every step.
    progress
        Called after every step.
    """
    files = replace(files, columns=tuple(plan.columns), width=plan.width)
    target = None if resume_from is None else Path(resume_from)
    identity = {"settings": plan.settings(), "columns": plan.columns, "files": files.fingerprint() if target else []}
    found = None if target is None else checkpoint.load(target, identity)
    place, pile = (Place(0, 0), Pile()) if found is None else (found[0], Pile(found[1]))
    clock = _Clock(files, pile, progress)
    saved = time.monotonic()
    for step in files.steps(place):
        pile.add(evidence_of(plan, ahead(step.batches)))
        place = step.after
        clock.tell(pile)
        if target is not None and time.monotonic() - saved >= save_every:
            checkpoint.save(target, identity, place, pile.open)
            saved = time.monotonic()
    if target is not None:
        checkpoint.save(target, identity, Place(len(files.paths), 0), pile.open)
    return pile.total(no_evidence(plan))


def stream_batches(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Evidence:
    """Return the evidence of Arrow batches that come one after another."""
    pile = Pile()
    pending: list[Placed] = []
    values, most = 0, rows_of_batch(plan.width)
    small = (b.slice(start, most) for b in batches for start in range(0, max(b.num_rows, 1), most))
    for one in placed(small, "the stream"):
        pending.append(one)
        values += one.batch.num_rows * plan.width
        if values >= STEP:
            pile.add(evidence_of(plan, pending))
            pending, values = [], 0
    pile.add(evidence_of(plan, pending))
    return pile.total(no_evidence(plan))


class _Clock:
    """Rows a second, and the time that is left."""

    def __init__(self, files: Files, pile: Pile, progress: Callable[[Progress], None] | None) -> None:
        self.progress = progress
        self.total = None if progress is None else files.rows()
        self.before = self._rows(pile)
        self.start = time.monotonic()

    @staticmethod
    def _rows(pile: Pile) -> int:
        return sum(evidence.rows for _, evidence in pile.open)

    def tell(self, pile: Pile) -> None:
        if self.progress is None:
            return
        rows = self._rows(pile)
        speed = (rows - self.before) / max(time.monotonic() - self.start, 1e-9)
        left = None if self.total is None or not speed else (self.total - rows) / speed
        self.progress(Progress(rows, self.total, speed, left))


def ahead(batches: Iterator[Placed]) -> Iterator[Placed]:
    """Yield batches that another thread reads meanwhile; its errors come out here."""
    ready: queue.Queue[Any] = queue.Queue(_AHEAD)
    stop = threading.Event()
    reader = threading.Thread(target=_read, args=(batches, ready, stop), daemon=True)
    reader.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        reader.join()


def _read(batches: Iterator[Placed], ready: queue.Queue[Any], stop: threading.Event) -> None:
    """Put batches into a queue, then what went wrong, or None at the end; give up where nobody takes them."""

    def offer(item: Any) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    try:
        if all(offer(batch) for batch in batches):
            offer(None)
    except BaseException as error:  # noqa: BLE001  raised again where the batches are counted
        offer(error)
