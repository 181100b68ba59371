"""Dask and Spark give the evidence of one pass, whatever the partitions look like."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from engines.conftest import Data, assert_same
from engines.meeting import WANTED, assert_meets, files, in_memory, sides
from softtruth import InputError, count_stream, evaluate, evaluate_stream
from softtruth.engines import merging
from softtruth.engines.counting import evidence_of, placed
from softtruth.engines.merging import added, merged, pieces_of
from softtruth.engines.told import report_from
from softtruth.statistics.serialise import from_bytes, to_bytes

pytestmark = pytest.mark.backend

CASES = [
    (("multiclass", "labels", "labels"), {}, {"n_classes": None}),
    (("multiclass", "labels", "labels"), {"cluster": True, "weight": True}, {"cluster": "cluster", "weight": "weight"}),
    (("multiclass", "distribution", "probabilities"), {"cluster": True}, {"cluster": "cluster"}),
    (("multilabel", "labels", "probabilities"), {}, {}),
]


def options(data, more):
    sides = [",".join(s.columns) for s in (data.plan.reference, data.plan.predictions[0][1])]
    return {
        "task": data.task,
        "labels": data.labels,
        "label": sides[0],
        "prediction_column": {"model": sides[1]},
        **more,
    }


def skewed(table):
    """Return partitions as no one wants them: empty, of one row, and nearly everything."""
    n = table.num_rows
    ends = [0, 0, 1, 1, n - 3, n - 3, n]
    return [table.slice(a, b - a) for a, b in pairwise(ends)]


@pytest.mark.parametrize(("kind", "made", "more"), CASES)
def test_dask_frames_with_skewed_partitions(kind, made, more):
    import dask
    import dask.dataframe as dd

    data = Data(*kind, **made)
    parts = [dask.delayed(part.to_pandas)() for part in skewed(data.table)]
    frame = dd.from_delayed(parts, meta=data.table.slice(0, 0).to_pandas())
    one = evaluate_stream(iter(data.table.to_batches()), **options(data, more))
    with dask.config.set(scheduler="threads"):
        assert_same(evaluate(frame, **options(data, more)), one, 1e-11)


def test_dask_files_and_a_local_cluster(tmp_path):
    from distributed import Client, LocalCluster

    data = Data("multiclass", "labels", "labels", n=2000)
    for i, part in enumerate(skewed(data.table)):
        parquet.write_table(part, tmp_path / f"part-{i}.parquet")
    where, wanted = str(tmp_path / "*.parquet"), options(data, {})
    one = count_stream(where, **wanted)
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as c,
        Client(c),
    ):
        found = count_stream(where, engine="dask", **wanted)
    assert to_bytes(found) == to_bytes(one)


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index")  # Dask on a newer pandas
def test_addresses_go_to_dask_as_they_are(tmp_path):
    import dask

    data = Data("multiclass", "labels", "labels")
    parquet.write_table(data.table, tmp_path / "all.parquet")
    wanted = options(data, {})
    with dask.config.set(scheduler="threads"):
        found = count_stream(f"file://{tmp_path}/all.parquet", engine="dask", **wanted)
    assert to_bytes(found) == to_bytes(count_stream(str(tmp_path / "all.parquet"), **wanted))


def test_dask_joins_votes(tmp_path):
    import dask
    import dask.dataframe as dd

    ours, theirs = sides()
    votes = dd.from_pandas(ours.to_pandas(), npartitions=3)
    predictions = dd.from_pandas(theirs.to_pandas(), npartitions=2)
    with dask.config.set(scheduler="threads"):
        assert_meets(evaluate_stream(votes, predictions, **WANTED), in_memory(tmp_path))


@pytest.mark.parametrize("most", [1 << 22, 100])
def test_clusters_that_are_spread_over_machines_add_while_they_are_few(monkeypatch, most):
    import dask
    import dask.dataframe as dd

    monkeypatch.setattr(merging, "MOST_KEPT", most)
    data = Data("multiclass", "distribution", "probabilities", cluster=True)
    halves = [data.table.slice(0, 250), data.table.slice(250)]
    wanted = options(data, {"cluster": "cluster"})
    with dask.config.set(scheduler="threads"):
        frame = dd.from_pandas(halves[0].to_pandas(), npartitions=4)
        found = [count_stream(frame, **wanted), count_stream(iter(halves[1].to_batches()), **wanted)]
        whole = count_stream(dd.from_pandas(data.table.to_pandas(), npartitions=4), **wanted)
    alone = evaluate_stream(iter(data.table.to_batches()), **wanted)
    assert_same(report_from(whole), alone, 1e-11)
    if most == 100:
        with pytest.raises(InputError, match="so many clusters that moments between them were kept"):
            merged(found)
        return
    assert_same(report_from(merged(found)), alone, 1e-11)


def gathered(rank, path, halves):
    """Count one half in a process of its own, and add what all processes sent."""
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{path}/store", rank=rank, world_size=2)
    data = Data("multiclass", "distribution", "probabilities", cluster=True)
    sent = [None, None]
    own = evidence_of(data.plan, placed(data.table.slice(*halves[rank]).to_batches(), f"process {rank}"))
    dist.all_gather_object(sent, to_bytes(own))
    whole = merged(map(from_bytes, sent))
    (path / f"{rank}.st").write_bytes(to_bytes(whole))
    dist.destroy_process_group()


@pytest.mark.slow
def test_two_processes_that_gather_their_evidence_have_that_of_one(tmp_path):
    from torch.multiprocessing import spawn

    spawn(gathered, (tmp_path, [(0, 371), (371,)]), nprocs=2)
    data = Data("multiclass", "distribution", "probabilities", cluster=True)
    alone = evidence_of(data.plan, placed(data.table.to_batches(), "one process"))
    for rank in (0, 1):
        assert_same(report_from(from_bytes((tmp_path / f"{rank}.st").read_bytes())), report_from(alone), 1e-11)


def test_one_cluster_that_holds_nearly_everything_is_one_cluster():
    import dask
    import dask.dataframe as dd

    data = Data("multiclass", "labels", "labels", cluster=True)
    sites = ["all"] * 590 + [f"site {i}" for i in range(10)]
    table = data.table.set_column(data.table.schema.get_field_index("cluster"), "cluster", pa.array(sites))
    wanted = options(data, {"cluster": "cluster"})
    with dask.config.set(scheduler="threads"):
        found = evaluate_stream(dd.from_pandas(table.to_pandas(), npartitions=7), **wanted)
    whole = evaluate(data.arrays["y"], {"model": data.arrays["p"]}, "multiclass", labels=data.labels, clusters=sites)
    assert_same(found, whole, 1e-9)


def test_a_failing_dask_partition_names_itself():
    import dask
    import dask.dataframe as dd

    data = Data("multiclass", "labels", "labels")
    table = data.table.select(["y", "p"])
    bad = table.slice(0, 2).set_column(0, "y", pa.array(["a", "zebra"]))
    parts = [dask.delayed(part.to_pandas)() for part in (table, table, bad)]
    frame = dd.from_delayed(parts, meta=table.slice(0, 0).to_pandas())
    with dask.config.set(scheduler="threads"), pytest.raises(InputError, match=r"partition 2, rows 0 to 1 .*zebra"):
        count_stream(frame, **options(data, {}))


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark.*")
class TestSpark:
    @pytest.mark.parametrize(("kind", "made", "more"), [CASES[1], pytest.param(*CASES[2], marks=pytest.mark.slow)])
    def test_skewed_partitions(self, spark, tmp_path, kind, made, more):
        data = Data(*kind, **made)
        for i, part in enumerate(skewed(data.table)):
            parquet.write_table(part, tmp_path / f"part-{i}.parquet")
        frame = spark.read.parquet(str(tmp_path))
        one = evaluate_stream(iter(data.table.to_batches()), **options(data, more))
        assert_same(evaluate(frame, **options(data, more)), one, 1e-11)

    @pytest.mark.slow
    @pytest.mark.usefixtures("spark")
    def test_paths_go_to_the_engine(self, tmp_path):
        data = Data("multiclass", "labels", "labels")
        parquet.write_table(data.table, tmp_path / "all.parquet")
        wanted = options(data, {})
        found = count_stream(f"file://{tmp_path}/all.parquet", engine="spark", **wanted)
        assert to_bytes(found) == to_bytes(count_stream(str(tmp_path / "all.parquet"), **wanted))

    @pytest.mark.slow
    def test_votes_are_joined(self, spark, tmp_path):
        whole = in_memory(tmp_path)
        frames = [spark.read.parquet(path) for path in files(tmp_path)]
        assert_meets(evaluate_stream(*frames, **WANTED), whole)

    @pytest.mark.slow
    def test_a_failing_partition_names_itself(self, spark, tmp_path):
        data = Data("multiclass", "labels", "labels")
        bad = data.table.set_column(0, "y", pa.array(["zebra"] * data.table.num_rows))
        parquet.write_table(bad, tmp_path / "bad.parquet")
        with pytest.raises(InputError, match=r"^partition \d+, rows 0 to \d+ .*'zebra', expected one of the classes"):
            count_stream(spark.read.parquet(str(tmp_path)), **options(data, {}))


def test_a_part_that_comes_twice_counts_once():
    data = Data("multiclass", "distribution", "probabilities", cluster=True)
    rng = np.random.default_rng(0)
    parts = [evidence_of(data.plan, placed([batch], "x")) for batch in data.table.to_batches(150)]
    pieces = [pieces_of(data.plan, part, 3) for part in parts]
    named = [((i, slot), piece) for i, own in enumerate(pieces) for slot, piece in enumerate(own)]
    again = [*named, *(named[i] for i in rng.integers(0, len(named), 5))]
    rng.shuffle(again)
    assert added([(tuple(name), from_bytes(to_bytes(one))) for name, one in again]).rows == data.table.num_rows
