"""Files on one machine: bounded memory, progress, and runs that are killed and started again."""

import gzip
import json
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from engines.conftest import Data, assert_same
from softtruth import IndicatorMatrix, InputError, count_stream, evaluate, evaluate_stream
from softtruth.engines import checkpoint, json_lines, pieces
from softtruth.engines.counting import evidence_of, no_evidence, placed
from softtruth.engines.pieces import Files, Place
from softtruth.engines.streaming import Progress, stream_files
from softtruth.engines.told import report_from
from softtruth.inputs.align import load_problem
from softtruth.statistics.serialise import to_bytes

LABELS = ["a", "b", "c", "d"]


@pytest.fixture
def hard():
    return Data("multiclass", "labels", "labels", n=3000)


def write(table, folder, suffix, parts=3):
    size = -(-table.num_rows // parts)
    for i in range(parts):
        part, path = table.slice(i * size, size), folder / f"part-{i}.{suffix}"
        if suffix == "parquet":
            parquet.write_table(part, path, row_group_size=100)
        elif suffix == "csv":
            csv.write_csv(part, path)
        elif suffix == "arrow":
            feather.write_feather(part, path, chunksize=90)
        else:
            path.write_text("".join(f"{row}\n".replace("'", '"') for row in part.to_pylist()), encoding="utf-8")
    return str(folder / f"*.{suffix}")


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "jsonl"])
def test_every_format_gives_the_same(hard, tmp_path, suffix):
    table = hard.table.select(["y", "p"])
    found = evaluate_stream(write(table, tmp_path, suffix), label="y", prediction_column="p", labels=LABELS)
    whole = evaluate(hard.arrays["y"], {"p": hard.arrays["p"]}, "multiclass", labels=LABELS)
    assert_same(found, whole)


@pytest.mark.parametrize("kind", [("multiclass", "distribution", "probabilities"), ("binary", "votes", "labels")])
def test_steps_do_not_depend_on_where_one_starts(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "STEP", 2000)
    data = Data(*kind, n=3000, weight=True)
    files = Files.of(write(data.table, tmp_path, "parquet"))
    whole = [step.after for step in files.steps()]
    assert len(whole) > 5
    for i, place in enumerate(whole[:-1]):
        assert [step.after for step in files.steps(place)] == whole[i + 1 :]


@pytest.mark.parametrize("compressed", [False, True])
def test_json_lines_go_by_in_blocks(tmp_path, monkeypatch, compressed):
    monkeypatch.setattr(json_lines, "BLOCK", 200)
    rows = [{"label": "1" if i % 3 else "b", "p_1": 1 if i < 50 else 0.25} for i in range(100)]
    rows = [{**row, "p_b": 1 - row["p_1"]} for row in rows]
    rows[60].pop("label")
    text = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    path = tmp_path / ("rows.jsonl.gz" if compressed else "rows.jsonl")
    path.write_bytes(gzip.compress(text) if compressed else text)
    options = {"label": "label", "prediction_column": "p_*", "labels": ["1", "b"], "task": "multiclass"}
    found = count_stream(str(path), **options)
    assert (found.rows, found.left_out) == (100, {"without a label": 1})
    kept = [i for i in range(100) if i != 60]
    right = [(i % 3 != 0) == (i < 50) for i in kept]
    assert report_from(found).value("accuracy") == pytest.approx(np.mean(right))


def test_a_bad_json_line_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "BLOCK", 60)
    path = tmp_path / "rows.jsonl"
    path.write_text('{"label": "a", "prediction": "b"}\n' * 9 + "[1]\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"rows\.jsonl \(counting from line 9\) line 2 "):
        count_stream(str(path), labels=["a", "b"], task="multiclass", label="label", prediction_column="prediction")


def test_a_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "BLOCK", 60)
    monkeypatch.setattr(json_lines, "LONGEST", 1000)
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"label": "a", "prediction": "b"}\n' * 9 + b'{"label": "' + b"a" * 100_000))
    with pytest.raises(InputError, match=r"rows\.jsonl\.gz line 10 is longer than 0 MiB, expected one record a line"):
        count_stream(str(path), labels=["a", "b"], task="multiclass", label="label", prediction_column="prediction")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_every_damage_of_compressed_rows_is_noticed(tmp_path, suffix):
    options = {"labels": ["a", "b"], "task": "multiclass", "label": "label", "prediction_column": "prediction"}
    lines = {"csv": "label,prediction\n" + "a,b\nb,a\n" * 20, "jsonl": '{"label": "a", "prediction": "b"}\n' * 20}
    path = tmp_path / f"rows.{suffix}.gz"
    whole = gzip.compress(lines[suffix].encode(), mtime=0)
    path.write_bytes(whole)
    wanted = to_bytes(count_stream(str(path), **options))
    head = 10  # time and name of the file, which no checksum covers
    damaged = [whole[:at] for at in range(head, len(whole))]
    damaged += [whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :] for at in range(head, len(whole))]
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            assert to_bytes(count_stream(str(path), **options)) == wanted
        except InputError:
            refused += 1
    assert refused > 0.9 * len(damaged)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "jsonl"])
def test_an_interrupted_run_goes_on_and_ends_the_same(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(pieces, "STEP", 1500)
    data = Data("multiclass", "distribution", "probabilities", n=3000, weight=True)
    files = Files.of(write(data.table, tmp_path, suffix))
    whole = stream_files(data.plan, files)

    class StoppedError(Exception):
        pass

    seen = []

    def stop(progress):
        seen.append(progress.rows)
        if len(seen) % 2 == 0:
            raise StoppedError

    kept = tmp_path / "run.checkpoint"
    for _ in range(100):
        try:
            found = stream_files(data.plan, files, resume_from=kept, save_every=0, progress=stop)
        except StoppedError:
            continue
        break
    assert to_bytes(found) == to_bytes(whole)
    assert to_bytes(stream_files(data.plan, files, resume_from=kept)) == to_bytes(whole)  # there is nothing left to do


RUN = """
import sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}]
from engines.conftest import Data
from softtruth.engines import pieces
from softtruth.engines.pieces import Files
from softtruth.engines.streaming import stream_files
from softtruth.statistics.serialise import to_bytes
pieces.STEP = 1500
data = Data("multiclass", "distribution", "probabilities", n=3000, weight=True)
found = stream_files(data.plan, Files.of({where!r}), resume_from={kept!r}, save_every=0,
                     progress=lambda _: time.sleep(0.02))
Path({out!r}).write_bytes(to_bytes(found))
"""


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments_and_the_result_is_the_same(tmp_path, monkeypatch, kills):
    monkeypatch.setattr(pieces, "STEP", 1500)
    data = Data("multiclass", "distribution", "probabilities", n=3000, weight=True)
    where = write(data.table, tmp_path, "parquet")
    files = Files.of(where)
    kept, out = tmp_path / "run.checkpoint", tmp_path / "result.st"
    tests = str(Path(__file__).parents[1])
    script = RUN.format(tests=tests, where=where, kept=str(kept), out=str(out))
    chance = random.Random(0)  # noqa: S311  any moments will do
    one = Files(files.paths, tuple(data.plan.columns), width=data.plan.width)
    identity = {"settings": data.plan.settings(), "columns": data.plan.columns, "files": one.fingerprint()}
    places = []
    for _ in range(kills):
        before = kept.read_bytes() if kept.exists() else b""
        run = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
        while run.poll() is None and (kept.read_bytes() if kept.exists() else b"") == before:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.05)
        run.send_signal(signal.SIGKILL)
        run.wait()
        place, _ = checkpoint.load(kept, identity)  # whole, whatever it was doing
        places.append(place)
        if out.exists():
            break
    assert places == sorted(places)
    assert len(set(places)) > min(kills, 4) - 1
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)
    assert out.read_bytes() == to_bytes(stream_files(data.plan, files))
    assert not list(tmp_path.glob(".*part"))


def test_a_checkpoint_of_other_data_is_refused(hard, tmp_path):
    files = Files.of(write(hard.table, tmp_path, "parquet"))
    kept = tmp_path / "run.checkpoint"
    stream_files(hard.plan, files, resume_from=kept)
    other = Data("multiclass", "labels", "labels", weight=True)
    with pytest.raises(InputError, match="belongs to a run with other columns, settings"):
        stream_files(other.plan, files, resume_from=kept)
    parquet.write_table(hard.table.slice(0, 10), tmp_path / "part-0.parquet")
    with pytest.raises(InputError, match="belongs to a run with other files"):
        stream_files(hard.plan, files, resume_from=kept)
    kept.write_bytes(kept.read_bytes()[:-3])
    with pytest.raises(InputError, match="is no checkpoint"):
        stream_files(hard.plan, files, resume_from=kept)


def test_progress_says_rows_speed_and_time(hard, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "STEP", 800)
    told = []
    stream_files(hard.plan, Files.of(write(hard.table, tmp_path, "parquet")), progress=told.append)
    assert [p.rows for p in told] == sorted({p.rows for p in told})
    assert told[-1].rows == told[-1].total == 3000
    assert told[0].seconds_left > 0
    assert told[-1].seconds_left == 0
    assert str(Progress(1500, 6000, 250.0, 4000.0)) == "1,500 of 6,000 rows, 250 a second, 1 h 6 min left"


def test_an_iterator_of_batches_streams():
    rng = np.random.default_rng(0)
    sides = [{name: rng.integers(0, 3, n) for name in ("label", "prediction")} for n in (5, 0, 70)]
    batches = [pa.record_batch(side) for side in sides]
    found = evaluate(iter(batches), task="multiclass", n_classes=3)
    table = pa.Table.from_batches(batches)
    whole = evaluate(np.asarray(table["label"]), np.asarray(table["prediction"]), "multiclass", n_classes=3)
    assert_same(found, whole)


def test_paths_go_through_the_front_door(hard, tmp_path):
    where = write(hard.table.select(["y", "p"]).rename_columns(["label", "prediction"]), tmp_path, "parquet")
    assert evaluate(where, task="multiclass", labels=LABELS).value("accuracy") == pytest.approx(
        evaluate(hard.arrays["y"], hard.arrays["p"], "multiclass", labels=LABELS).value("accuracy")
    )


def test_memory_does_not_grow_with_the_rows(tmp_path):
    code = (
        "import resource, sys; from softtruth import count_stream; "
        "e = count_stream(sys.argv[1], n_classes=100, task='multiclass'); "
        "print(e.rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    rng = np.random.default_rng(0)
    peaks = []
    for parts in (1, 12):
        folder = tmp_path / str(parts)
        folder.mkdir()
        for i in range(parts):
            y, p = (rng.integers(0, 100, 500_000) for _ in range(2))
            table = pa.table({"label": y, "prediction": p})
            parquet.write_table(table, folder / f"{i}.parquet", row_group_size=100_000)
        done = subprocess.run([sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True)
        rows, peak = map(int, done.stdout.split())
        assert rows == parts * 500_000
        peaks.append(peak)
    assert peaks[1] < 1.35 * peaks[0]


def test_a_damaged_file_is_named(hard, tmp_path):
    where = write(hard.table, tmp_path, "parquet")
    path = tmp_path / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match=r"part-1\.parquet cannot be read"):
        stream_files(hard.plan, Files.of(where))


def test_a_bad_row_is_named_by_file_and_rows(hard, tmp_path):
    where = write(hard.table, tmp_path, "parquet")
    bad = hard.table.slice(0, 50).set_column(0, "y", pa.array(["a"] * 49 + ["zebra"]))
    parquet.write_table(bad, tmp_path / "part-2.parquet")
    with pytest.raises(InputError, match=r"part-2\.parquet, rows 0 to 49 .*: reference row 49 is 'zebra'"):
        stream_files(hard.plan, Files.of(where))


def test_classes_must_be_known_before_the_first_row(hard, tmp_path):
    where = write(hard.table.select(["y", "p"]), tmp_path, "parquet")
    with pytest.raises(InputError, match="needs the classes before the first row: pass labels="):
        count_stream(where, label="y", prediction_column="p")


def test_place_zero_is_the_beginning(hard, tmp_path):
    files = Files.of(write(hard.table, tmp_path, "parquet"))
    assert Place(0, 0) < next(iter(files.steps())).after
    parts = [evidence_of(hard.plan, placed(hard.table.to_batches(), "x")), no_evidence(hard.plan)]
    assert (parts[0] + parts[1]).rows == files.rows()


@pytest.mark.parametrize("none", [None, float("nan"), float("inf"), "", "nan"])
def test_a_row_without_a_cluster_is_refused(none):
    sites = ["1", "2", none] if isinstance(none, str) else [1.0, 2.0, none]
    table = pa.table({"label": ["a", "b", "a"], "prediction": ["a", "b", "b"], "site": sites})
    with pytest.raises(InputError, match="the cluster column 'site' is empty in 1 rows; give each row a cluster"):
        evaluate_stream(table.to_batches(), labels=["a", "b"], cluster="site")


@pytest.mark.parametrize(
    "rows",
    [
        [[2.3, 1.4], [1, 2.2], [3, 0.7], [0.4, 0.1]],  # larger than one
        [[0.4, 0.5], [0.1, 0.2], [0.9, 0.7], [0.4, 0.1]],  # each could be a probability
        [[0, 1], [1, 1], [0, 0], [0, 1]],
        [[-2.0, 1], [-1, -3], [4, -1], [0.5, 1]],
        [[0.4, 0.6], [0.1, 0.9], [0.9, 0.1], [0.4, 0.6]],
    ],
)
def test_the_highest_column_wins_in_a_stream_as_in_memory(rows, tmp_path):
    gold, values = ["a", "b", "a", "b"], np.array(rows)
    expected = np.mean(values.argmax(axis=1) == [0, 1, 0, 1])
    table = pa.table({"item": list("wxyz"), "label": gold, "p_a": values[:, 0], "p_b": values[:, 1]})
    assert evaluate_stream(table.to_batches(), labels=["a", "b"]).value("accuracy") == expected
    csv.write_csv(table.select(["item", "label"]), tmp_path / "gold.csv")
    csv.write_csv(table.select(["item", "p_a", "p_b"]), tmp_path / "pred.csv")
    problem = load_problem([tmp_path / "pred.csv"], tmp_path / "gold.csv", labels=["a", "b"])
    assert IndicatorMatrix(**problem.arguments("pred", "soft")).compute("accuracy") == expected
    assert evaluate([0, 1, 0, 1], values, "binary").value("accuracy") == expected


@pytest.mark.parametrize("labels", [["1.0", "2.0"], ["01", "02"], ["10", "11"], ["-1", "1"]])
@pytest.mark.parametrize("column", [[0, 1], ["0", "1"], [0.0, 1.0]])
def test_class_numbers_are_no_places_among_other_numbers_in_a_stream(labels, column):
    table = pa.table({"label": column, "prediction": column})
    with pytest.raises(InputError, match=r"reference row 0 is '0(\.0)?', expected one of the classes"):
        evaluate_stream(table.to_batches(), labels=labels, label="label", prediction_column="prediction")
    words = evaluate_stream(table.to_batches(), labels=["no", "yes"], label="label", prediction_column="prediction")
    assert words.value("accuracy") == 1
