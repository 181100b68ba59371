"""Bootstraps of streams: replicates are drawn by item or cluster, so that no split and no order changes them."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from engines.conftest import Data, assert_same
from softtruth import InputError, evaluate, evaluate_stream
from softtruth.engines.counting import evidence_of, no_evidence, placed
from softtruth.engines.told import report_from
from softtruth.engines.units import units_of
from softtruth.statistics.serialise import from_bytes, from_json, to_bytes, to_json
from softtruth.uncertainty.keyed import poisson_weights

DRAWS = 300


def drawn(data, seed=0, draws=DRAWS):
    return replace(data.plan, draws=draws, seed=seed, unit=data.plan.cluster or "item")


def counted(plan, batches):
    return evidence_of(plan, placed(batches, "the test"))


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
def test_any_split_in_any_order_draws_the_same(kind, weight, cluster):
    data = Data(*kind, weight=weight, cluster=cluster)
    plan, rng = drawn(data), np.random.default_rng(1)
    ends = np.sort(rng.integers(0, data.table.num_rows + 1, 20))
    parts = [data.table.slice(a, b - a) for a, b in zip([0, *ends], [*ends, data.table.num_rows], strict=True)]
    rng.shuffle(parts)
    whole = counted(plan, data.table.to_batches())
    split = sum((counted(plan, part.to_batches()) for part in parts), no_evidence(plan))
    assert_same(report_from(split), report_from(whole), 1e-11)
    for key, sums in whole.sums.items():
        if sums.replicates is not None and data.kinds == ("labels", "labels") and not weight:
            assert (split.sums[key].replicates.cells == sums.replicates.cells).all()
    assert_same(report_from(from_json(to_json(whole))), report_from(from_bytes(to_bytes(whole))), 0)


@pytest.mark.parametrize("cluster", [False, True])
def test_a_replicate_counts_each_item_as_often_as_its_hash_says(cluster):
    data = Data("multiclass", "distribution", "probabilities", weight=True, cluster=cluster)
    found = counted(drawn(data, seed=5), data.table.to_batches(111)).sums["model", "soft"].replicates
    names = data.table["cluster" if cluster else "item"].combine_chunks()
    often = poisson_weights(5, units_of(names, "item"), DRAWS) * np.asarray(data.table["weight"])[:, None]
    if cluster:
        same = np.asarray(names.to_pylist())
        assert all(len(np.unique(often[same == one] > 0, axis=0)) <= 2 for one in same[:3])
    y, p = data.arrays["y"], data.arrays["p"]
    tp, fp, fn = ((often.T @ part) for part in (y * p, (1 - y) * p, y * (1 - p)))
    np.testing.assert_allclose(found.cells[:3], [tp, fp, fn], rtol=1e-10)


def test_the_same_items_written_otherwise_are_the_same():
    texts = units_of(pa.array(["1", "20", "300000000000"]), "item")
    for other in (
        pa.array([1, 20, 300000000000]),
        pa.array([1.0, 20.0, 3e11]),
        pa.array(["1", "20"]).dictionary_encode(),
    ):
        assert (units_of(other, "item") == texts[: len(other)]).all()
    whole = pa.array(["x", "1", "20", "300000000000"])
    assert (units_of(whole.slice(1), "item") == texts).all()
    with pytest.raises(InputError, match="column 'item' is empty in row 1"):
        units_of(pa.array(["a", None]), "item")


def test_ids_of_any_length_differ():
    words = [str(i) * (1 + i % 40) for i in range(30_000)]
    found = units_of(pa.array(words), "item")
    assert len(set(found.tolist())) == len(set(words))
    bits = (found[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert abs(bits.mean(axis=0) - 0.5).max() < 0.02


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
def test_they_are_about_as_wide_as_by_linearisation(kind, weight, cluster):
    data = Data(*kind, weight=weight, cluster=cluster, n=1500)
    evidence = counted(drawn(data, draws=1000), data.table.to_batches())
    wide = {(r.question, r.view): r.interval for r in report_from(evidence).rows if r.label is None}
    lines = report_from(evidence, interval="influence")
    for row in (r for r in lines.rows if r.label is None and np.isfinite(r.interval.width)):
        if row.measure == "subset_accuracy":  # a share of whole rows has Wilson's interval, here and in memory
            continue
        ours = wide[row.question, row.view]
        assert ours.method.startswith("percentile")
        assert ours.value == row.interval.value
        assert ours.assumption == row.interval.assumption
        assert 0.8 < ours.width / row.interval.width < 1.25, row.question


def test_plain_counts_are_drawn_from_their_table():
    data = Data("multiclass", "labels", "labels")
    options = {"interval": "percentile", "draws": DRAWS, "seed": 3, "labels": data.labels}
    batches = data.table.select(["y", "p"]).to_batches(50)
    ours = evaluate_stream(iter(batches), task="multiclass", label="y", prediction_column="p", **options)
    theirs = evaluate(data.arrays["y"], {"p": data.arrays["p"]}, "multiclass", **options)
    for mine, other in zip(ours.rows, theirs.rows, strict=True):
        if mine.operator == "exemplar":  # here from the table, there from how many rows are right
            assert mine.interval.width == pytest.approx(other.interval.width, rel=0.2)
        else:
            assert mine.interval == other.interval


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"interval": "bca", "item": "item"}, "interval 'bca' needs the influence of every example"),
        ({"interval": "percentile"}, r"no column of items was recognised; name it with item= \(--item\)"),
        ({"interval": "percentile", "item": "item", "draws": 100_000}, "ask for 32,768 draws at most"),
    ],
)
def test_what_a_stream_cannot_draw_is_said(more, says):
    data = Data("multiclass", "labels", "labels", weight=True)
    columns = ["y", "p", "weight", *(["item"] if "item" in more else [])]
    with pytest.raises(InputError, match=says):
        evaluate_stream(
            iter(data.table.select(columns).to_batches()), task="multiclass", label="y", prediction_column="p",
            labels=data.labels, weight="weight", **more,
        )  # fmt: skip


def test_other_draws_than_those_made_are_refused():
    data = Data("binary", "votes", "labels")
    evidence = counted(drawn(data), data.table.to_batches())
    report = report_from(evidence, interval="percentile", draws=7)
    assert "300 draws of seed 0 were made while the rows went by" in report.rows[0].interval.note
    bare = counted(data.plan, data.table.to_batches())
    notes = {row.interval.note for row in report_from(bare, interval="percentile").rows}
    assert any("no replicates were drawn while the rows went by" in note for note in notes)
    with pytest.raises(InputError, match="evidence with replicates"):
        evidence + counted(drawn(data, seed=1), data.table.to_batches())
