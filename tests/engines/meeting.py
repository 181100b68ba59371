"""Votes and predictions that meet by item, and what the readers make of them in memory."""

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

LABELS = ["a", "b", "c"]
WANTED = {"labels": LABELS, "item": "item"}


def sides(n=400, seed=0):
    """Return votes (several a person never gives one item) and predictions of other, overlapping items."""
    rng = np.random.default_rng(seed)
    item = rng.integers(0, n, 5 * n)
    votes = pa.table(
        {"item": item, "annotator": np.arange(5 * n) % 997, "label": np.array(LABELS)[rng.integers(0, 3, 5 * n)]}
    )
    first = np.unique(np.stack([item, np.arange(5 * n) % 997]), axis=1, return_index=True)[1]
    p = rng.dirichlet([1, 1, 1], n)
    columns = {f"p_{label}": p[:, j] for j, label in enumerate(LABELS)}
    return votes.take(np.sort(first)), pa.table({"item": np.arange(n) + 20, **columns})


def files(folder, suffix="parquet"):
    """Write both sides and return their paths."""
    paths = [str(folder / f"{name}.{suffix}") for name in ("votes", "predictions")]
    for table, path in zip(sides(), paths, strict=True):
        (parquet.write_table if suffix == "parquet" else csv.write_csv)(table, path)
    return paths


def in_memory(folder):
    """Return the report of the files, read whole."""
    from softtruth.evaluation import evaluate_problem
    from softtruth.inputs.align import load_problem

    votes, predictions = files(folder)
    return evaluate_problem(load_problem([predictions], votes, item="item", labels=LABELS))


def assert_meets(found, whole):
    """Assert that a joined stream says what the files say in memory."""
    rows = {(r.question, r.view, r.label): r.interval for r in whole.rows}
    assert set(rows) == {(r.question, r.view, r.label) for r in found.rows}
    for row in found.rows:
        theirs = rows[row.question, row.view, row.label]
        ends = [(i.value, i.low, i.high) for i in (row.interval, theirs)]
        np.testing.assert_allclose(*ends, rtol=1e-9, err_msg=row.question)
    theirs = whole.provenance["accounting"]
    ours = found.provenance["accounting"]
    assert ours["items"] == theirs["items"]
    assert ours.get("in the reference only", 0) == theirs["reference_only"]
    assert ours.get("in the predictions only", 0) == theirs["prediction_only"]["predictions"]
