"""Several predictions, facts about items, filters and renamings: a stream says what the files say in memory."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from engines.conftest import assert_same
from engines.meeting import LABELS, sides
from softtruth import InputError, evaluate_stream
from softtruth.evaluation import evaluate_problem
from softtruth.inputs.align import load_problem

pytestmark = pytest.mark.backend  # DuckDB, Dask, Spark

FACTS = ("site", "share")


def written(folder):
    """Write votes, two predictions of overlapping items under the same column names, and facts about the items."""
    votes, first = sides()
    rng = np.random.default_rng(7)
    second = pa.table(
        {
            "item": np.arange(10, 420),
            **{f"p_{x}": p for x, p in zip(LABELS, rng.dirichlet([1, 1, 1], 410).T, strict=True)},
        }
    )
    items = pa.table(
        {
            "item": np.arange(500),
            "site": [f"site {i % 17}" for i in range(500)],
            "share": rng.random(500) + 0.5,
            "role": [("train", "test", "spare")[i % 3] for i in range(500)],
        }
    )
    votes = votes.append_column("expert", pa.array(rng.integers(0, 3, votes.num_rows)))
    tables = {"votes": votes, "first": first, "second": second, "items": items}
    for name, table in tables.items():
        parquet.write_table(table, folder / f"{name}.parquet", row_group_size=150)
    return {name: str(folder / f"{name}.parquet") for name in tables}


CASES = {
    "two predictions": {},
    "filters": {"where": ("reference:expert=1", "reference:expert=2", "annotator!=5", "items:role=test")},
    "facts": {"weight": "share", "cluster": "site"},
    "renamed": {"rename": ("c=zebra",), "labels": ("a", "zebra", "b")},
}


def in_memory(paths, **options):
    options = {"labels": LABELS, **options}
    items = paths["items"] if "items" in str(options) or "cluster" in options else None
    problem = load_problem(
        [("first", paths["first"]), ("second", paths["second"])], paths["votes"], items, item="item", **options
    )
    return evaluate_problem(problem)


def streamed(opened, **options):
    options = {"labels": LABELS, **options}
    items = opened["items"] if "items" in str(options) or "cluster" in options else None
    predictions = {name: opened[name] for name in ("first", "second")}
    return evaluate_stream(opened["votes"], predictions, items, item="item", **options)


def key(row):
    return row.prediction, row.view, row.question, str(row.label)


def assert_says_the_same(found, whole):
    rows = {key(row): row.interval for row in whole.rows}
    assert {key(row) for row in found.rows} == set(rows)
    for row in found.rows:
        pair = [(i.value, i.low, i.high) for i in (row.interval, rows[key(row)])]
        np.testing.assert_allclose(*pair, rtol=1e-9, err_msg=str(key(row)))
    ours, theirs = (report.provenance["accounting"] for report in (found, whole))
    assert ours["items"] == theirs["items"]
    assert ours.get("in the reference only", 0) == theirs["reference_only"]


@pytest.mark.parametrize("case", CASES)
def test_files(tmp_path, case):
    paths = written(tmp_path)
    assert_says_the_same(streamed(paths, **CASES[case]), in_memory(paths, **CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_dask(tmp_path, case):
    import dask
    import dask.dataframe as dd

    paths = written(tmp_path)
    frames = {name: dd.from_pandas(parquet.read_table(path).to_pandas(), npartitions=3) for name, path in paths.items()}
    with dask.config.set(scheduler="threads"):
        assert_says_the_same(streamed(frames, **CASES[case]), in_memory(paths, **CASES[case]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark.*")
@pytest.mark.parametrize("case", CASES)
def test_spark(spark, tmp_path, case):
    paths = written(tmp_path)
    frames = {name: spark.read.parquet(path) for name, path in paths.items()}
    assert_says_the_same(streamed(frames, **CASES[case]), in_memory(paths, **CASES[case]))


def table(folder):
    rng = np.random.default_rng(3)
    n = 300
    p = rng.dirichlet([1, 1, 1], n)
    made = pa.table(
        {
            "item": np.arange(n),
            "label": np.array(["1", "b", "c", ""])[rng.integers(0, 4, n)],
            **{f"p_{x}": p[:, j] for j, x in enumerate(("a", "b", "c"))},
            "fold": rng.integers(0, 4, n),
        }
    )
    parquet.write_table(made, folder / "table.parquet", row_group_size=40)
    return str(folder / "table.parquet")


def test_filters_and_renamings_of_one_table(tmp_path):
    path = table(tmp_path)
    options = {"where": ("fold=1", "fold=2"), "rename": ("reference:1=a",), "labels": ("a", "b", "c")}
    found = evaluate_stream(path, label="label", prediction_column="p_*", **options)
    whole = evaluate_problem(load_problem(table=path, label="label", prediction_column="p_*", **options))
    numbers = [[(row.question, row.label, row.interval) for row in report.rows] for report in (found, whole)]
    assert [one[:2] for one in numbers[0]] == [one[:2] for one in numbers[1]]
    for mine, other in zip(*numbers, strict=True):
        assert mine[2].value == pytest.approx(other[2].value, nan_ok=True)
    assert found.provenance["accounting"]["left out by --where"] > 0
    assert found.settings["where"] == "fold=1, fold=2"


def test_one_table_meets_facts_about_its_items(tmp_path):
    path, items = table(tmp_path), str(tmp_path / "facts.parquet")
    parquet.write_table(pa.table({"item": range(400), "weight": [1 + i % 3 for i in range(400)]}), items)
    options = {"rename": ("reference:1=a",), "labels": ("a", "b", "c"), "weight": "weight"}
    asked = {"label": "label", "prediction_column": "p_*", **options}
    found = evaluate_stream(path, None, items, item="item", **asked)
    whole = evaluate_problem(load_problem(table=path, items=items, item="item", **asked))
    assert_same(found, whole, 1e-9)


def test_rows_without_a_prediction_can_be_left_out(tmp_path):
    path = str(tmp_path / "gaps.parquet")
    made = pa.table({"label": ["a", "b", "c", "a"], "prediction": ["a", None, "", "b"]})
    parquet.write_table(made, path)
    options = {"labels": LABELS, "task": "multiclass", "label": "label", "prediction_column": "prediction"}
    with pytest.raises(InputError, match="prediction 'prediction' is missing in row 1"):
        evaluate_stream(path, **options)
    found = evaluate_stream(path, drop_missing=True, **options)
    assert found.value("accuracy") == 0.5
    assert found.provenance["accounting"]["without a prediction"] == 2


def test_rows_can_be_divided_by_their_sums(tmp_path):
    path = str(tmp_path / "sums.parquet")
    made = pa.table({"n_a": [3, 1], "n_b": [0, 2], "p_a": [0.6, 0.2], "p_b": [0.2, 0.6]})
    parquet.write_table(made, path)
    options = {"label": "n_*", "prediction_column": "p_*", "labels": ("a", "b"), "task": "multiclass"}
    with pytest.raises(InputError, match="sum"):
        evaluate_stream(path, prediction_kind="probabilities", **options)
    found = evaluate_stream(path, normalize=True, prediction_kind="probabilities", **options)
    assert found.value("accuracy", "soft") == pytest.approx((0.75 + 1 / 3 * 0.25 + 2 / 3 * 0.75) / 2)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("colour=red", "--where colour=red: no file has a column 'colour'"),
        ("reference:colour=red", "--where reference:colour=red: there is no column 'colour', only 'item'"),
        ("fold=9", "--where fold=9 leaves no row that counts; drop a filter or change its value"),
        ("fold", "--where 'fold' is no filter"),
    ],
)
def test_filters_that_cannot_be_are_named(tmp_path, where, says):
    with pytest.raises(InputError, match=says):
        evaluate_stream(
            table(tmp_path), label="label", prediction_column="p_*", where=where, rename="1=a", labels=("a", "b", "c")
        )
