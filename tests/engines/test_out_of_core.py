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


REFERENCE = "item,label\n" + "".join(f"i{i},{'ab'[i % 2]}\n" for i in range(8))
SCORES = "item,score\n" + "".join(f"i{i},0.{i + 1}\n" for i in range(8))
VOTED = "item,annotator,label\n" + "".join(f"i{i},{who},{'ab'[i % 2]}\n" for i in range(8) for who in "AB")


def two_files(folder, ours, theirs):
    (folder / "ours.csv").write_text(ours)
    (folder / "theirs.csv").write_text(theirs)
    return str(folder / "ours.csv"), {"p": str(folder / "theirs.csv")}


@pytest.mark.parametrize("ours", [REFERENCE, VOTED], ids=["labels", "votes"])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_row_without_an_item_is_refused_by_its_file(tmp_path, ours, side):
    files = {"ours": ours, "theirs": SCORES}
    files[side] = files[side].replace("\ni3,", "\n,", 1)
    with pytest.raises(InputError, match=rf"{side}\.csv has a row without an item id in 'item'\. Give each row an id"):
        evaluate_stream(*two_files(tmp_path, files["ours"], files["theirs"]), labels=["a", "b"])


def test_a_fact_without_an_item_is_about_none(tmp_path):
    facts = tmp_path / "facts.csv"
    facts.write_text("item,g\n,x\n" + "".join(f"i{i},{i // 2}\n" for i in range(8)))
    report = evaluate_stream(*two_files(tmp_path, REFERENCE, SCORES), str(facts), labels=["a", "b"], cluster="g")
    assert report.n == 8


def test_sides_without_a_common_item_are_refused(tmp_path):
    files = two_files(tmp_path, REFERENCE, SCORES.replace("\ni", "\nx"))
    with pytest.raises(InputError, match=r"No item id is on every side \(.*ours\.csv, .*theirs\.csv\)\. Name the ids"):
        evaluate_stream(*files, labels=["a", "b"])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("i5,0.6", "i5,1.7", "item 'i5': prediction is 1.7, expected a finite value in [0, 1]."),
        ("i5,0.6", "i5,", "item 'i5': prediction is nan, expected a finite value in [0, 1]."),
        ("i5,0.6", "i5,0.6\ni5,0.6", "item 'i5' stands more than once on one side"),
        ("i5,b", "i5,z", "item 'i5': reference is 'z', expected one of the classes 'a', 'b'."),
    ],
)
@pytest.mark.parametrize("kept", [False, True], ids=["at once", "from a checkpoint"])
def test_what_is_wrong_in_joined_rows_is_told_by_files_and_item(tmp_path, old, new, sentence, kept):
    ours, theirs = two_files(tmp_path, REFERENCE.replace(old, new), SCORES.replace(old, new))
    with pytest.raises(InputError) as caught:
        evaluate_stream(ours, theirs, labels=["a", "b"], checkpoint=tmp_path / "c.bin" if kept else None)
    assert str(caught.value).startswith(f"{ours} with {theirs['p']}: {sentence}")


def test_a_vote_for_no_class_is_told_by_its_file(tmp_path):
    files = two_files(tmp_path, VOTED.replace("i5,A,b", "i5,A,z"), SCORES)
    with pytest.raises(InputError, match=r"^\S*ours\.csv: vote z is none of the classes\.$"):
        evaluate_stream(*files, labels=["a", "b"])
