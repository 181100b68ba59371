"""Votes and joins that outgrow memory, on one machine."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from engines.meeting import WANTED, assert_meets, files, in_memory, sides
from softtruth import InputError, evaluate_stream

pytestmark = pytest.mark.backend  # DuckDB


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_votes_meet_predictions(tmp_path, suffix):
    whole = in_memory(tmp_path)
    assert_meets(evaluate_stream(*files(tmp_path, suffix), **WANTED), whole)


def test_the_join_is_kept_beside_the_checkpoint(tmp_path):
    kept = tmp_path / "run.checkpoint"
    first = evaluate_stream(*files(tmp_path), checkpoint=kept, **WANTED)
    (joined,) = tmp_path.glob("run.checkpoint.*.joined.parquet")
    changed = joined.stat().st_mtime_ns
    paths = [str(tmp_path / f"{name}.parquet") for name in ("votes", "predictions")]
    again = evaluate_stream(*paths, checkpoint=kept, **WANTED)
    assert joined.stat().st_mtime_ns == changed
    assert [r.interval for r in first.rows] == [r.interval for r in again.rows]


def test_two_votes_of_one_annotator_are_refused(tmp_path):
    votes, predictions = files(tmp_path)
    table = sides()[0]
    parquet.write_table(pa.concat_tables([table, table.slice(0, 1)]), votes)
    with pytest.raises(InputError, match="has two votes of one annotator"):
        evaluate_stream(votes, predictions, **WANTED)


def test_an_unknown_vote_is_refused(tmp_path):
    votes, predictions = files(tmp_path)
    parquet.write_table(pa.table({"item": [1, 2], "prediction": ["a", "b"]}), predictions)
    with pytest.raises(InputError, match="is none of the classes"):
        evaluate_stream(votes, predictions, labels=["a", "b", "other"], item="item")


def test_columns_whose_order_is_not_told_are_refused(tmp_path):
    with pytest.raises(InputError, match="are of the classes 'a', 'b', 'c', expected 'a', 'b', 'other'; rename them"):
        evaluate_stream(*files(tmp_path), labels=["a", "b", "other"], item="item")
