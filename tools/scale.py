"""A large data set of hard labels in Parquet, counted in bounded memory against reading its columns.

    python tools/scale.py make FOLDER [--rows 100000000] [--classes 100]
    python tools/scale.py measure FOLDER [--rounds 5]

``make`` writes files of 10^7 rows. ``measure`` starts a new process for every number, so that the peak memory is that
of one task, and takes turns between reading the two columns and counting them.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

PER_FILE = 10_000_000
GROUP = 1_000_000


def make(folder: Path, rows: int, classes: int) -> None:
    """Write the files; 70% of the predictions are right."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([("item", pa.int64()), ("label", pa.int16()), ("prediction", pa.int16())])
    for number, start in enumerate(range(0, rows, PER_FILE)):
        stop = min(start + PER_FILE, rows)
        rng = np.random.default_rng(number)
        with parquet.ParquetWriter(folder / f"part-{number:05d}.parquet", schema, compression="zstd") as writer:
            for first in range(start, stop, GROUP):
                n = min(GROUP, stop - first)
                y = rng.integers(0, classes, n, np.int16)
                p = np.where(rng.random(n) < 0.7, y, rng.integers(0, classes, n, np.int16))
                writer.write_table(pa.table([np.arange(first, first + n), y, p], schema=schema))


def read(folder: Path, files: int) -> int:
    """Read the two columns and do nothing with them."""
    from pyarrow import parquet

    rows = 0
    for path in sorted(folder.glob("*.parquet"))[:files]:
        file = parquet.ParquetFile(path, pre_buffer=False)
        for batch in file.iter_batches(1 << 16, columns=["label", "prediction"]):
            rows += batch.num_rows
    return rows


def count(folder: Path, files: int, classes: int) -> int:
    """Stream the files into a report."""
    from softtruth.engines.pieces import Files
    from softtruth.engines.plan import Plan, Source
    from softtruth.engines.streaming import stream_files
    from softtruth.engines.told import report_from

    paths = tuple(map(str, sorted(folder.glob("*.parquet"))[:files]))
    sides = Source("labels", ("label",)), (("prediction", Source("labels", ("prediction",))),)
    evidence = stream_files(Plan("multiclass", tuple(range(classes)), *sides), Files(paths))
    report_from(evidence)
    return evidence.rows


def _alone(task: str, folder: Path, files: int, classes: int) -> dict[str, float]:
    words = [sys.executable, __file__, task, str(folder), "--files", str(files), "--classes", str(classes)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603  our own words
    return dict(json.loads(done.stdout))


def measure(folder: Path, rounds: int, classes: int) -> None:
    """Print a Markdown table: time, ratio to the read and peak memory at three sizes."""
    files = len(list(folder.glob("*.parquet")))
    print("| rows | read (s) | count (s) | count / read: median (range) | processor time, the same | peak memory |")
    print("| --- | --- | --- | --- | --- | --- |")
    for some in sorted({max(1, files // 4), max(1, files // 2), files}):
        pairs = [[_alone(task, folder, some, classes) for task in ("read", "count")] for _ in range(rounds)]
        ratios = [b["seconds"] / a["seconds"] for a, b in pairs]
        busy = [b["processor"] / a["processor"] for a, b in pairs]
        reads, counts = ([pair[i]["seconds"] for pair in pairs] for i in (0, 1))
        peak = max(pair[1]["peak"] for pair in pairs)
        print(
            f"| {pairs[0][1]['rows']:,.0f} | {statistics.median(reads):.2f} | {statistics.median(counts):.2f} "
            f"| {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"| {statistics.median(busy):.2f} ({min(busy):.2f} to {max(busy):.2f}) | {peak:.0f} MiB |",
            flush=True,
        )


def main() -> None:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["make", "measure", "read", "count"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", type=int, default=10**6)
    options = parser.parse_args()
    if options.task == "make":
        make(options.folder, options.rows, options.classes)
        return
    if options.task == "measure":
        measure(options.folder, options.rounds, options.classes)
        return
    run = read if options.task == "read" else partial(count, classes=options.classes)
    run(options.folder, 1)  # loads what is imported on the way
    begin, processor = time.perf_counter(), time.process_time()
    rows = run(options.folder, options.files)
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {"rows": rows, "seconds": seconds, "processor": time.process_time() - processor}
    print(json.dumps({**found, "peak": used.ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
