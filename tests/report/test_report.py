"""The report as data: its dictionary, its JSON, its frame, and how it shows itself."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from softtruth import InputError, MissingPackageError, Report, evaluate

ROOT = Path(__file__).parents[2]
COLUMNS = [
    "prediction", "view", "measure", "operator", "class", "value", "low", "high", "level", "source", "method",
    "standard_error", "assumption", "support", "note", "signature",
]  # fmt: skip
SETTINGS = ["task", "n", "coupling", "convention", "ties", "intervals", "software"]  # of a frame
KEYS = [
    "schema_version", "software", "title", "task", "classes", "n", "predictions", "views", "remark", "headline",
    "measures", "rows", "findings", "settings", "provenance", "sections",
]  # fmt: skip


@pytest.fixture
def report():
    votes = np.array([[4, 1, 0], [2, 2, 1], [0, 5, 0], [1, 1, 3]])
    prediction = [[0.75, 0.25, 0], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0, 0.5, 0.5]]
    return evaluate(votes, prediction, "multiclass", reference_kind="votes", labels=["a", "b", "<c>"])


def test_the_keys_of_the_schema(report):
    found = report.to_dict()
    assert list(found) == KEYS
    assert found["schema_version"] == "1"
    assert all(list(row) == COLUMNS for row in found["rows"])
    assert all(list(f) == ["code", "severity", "sentence", "numbers", "where"] for f in found["findings"])
    assert all(list(view) == ["name", "title", "sentence"] for view in found["views"])
    assert set(found["measures"]) == {row["measure"] for row in found["rows"]}
    assert {f["severity"] for f in found["findings"]} <= {"note", "warning"}


def test_json_is_strict_and_reads_back(report):
    text = report.to_json()
    assert text.isascii()

    def refuse(name):
        raise AssertionError(name)

    assert json.loads(text, parse_constant=refuse) == report.to_dict()


def test_numbers_that_json_cannot_write_are_null():
    report = evaluate([0, 0], [0, 0], "multiclass", n_classes=2)
    assert math.isnan(report.value("recall", label="1"))
    row = next(row for row in report.to_dict()["rows"] if row["measure"] == "recall" and row["class"] == "1")
    assert row["value"] is row["low"] is None
    assert row["note"] == "the value is undefined"


def test_questions_of_measures_say_what_they_ask(report):
    measures = report.to_dict()["measures"]
    assert measures["recall"] == {"asks": "Which share of the positives is found?", "better": "higher", "range": [0, 1]}
    assert measures["f1"]["asks"].endswith("recall counting as much as precision?")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_are_tidy(report, backend):
    pytest.importorskip(backend)
    frame = report.to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == [*COLUMNS, *SETTINGS]
    assert len(frame) == len(report.rows)
    assert [float(x) for x in np.asarray(frame["value"])] == pytest.approx(
        [row.interval.value for row in report.rows], nan_ok=True
    )


def test_the_frame_is_a_pandas_one_where_pandas_is(report):
    pandas = pytest.importorskip("pandas")
    assert isinstance(report.to_frame(), pandas.DataFrame)


def test_a_missing_package_is_named(report, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"Report.to_frame needs the package 'pandas'.*softtruth\[pandas\]"):
        report.to_frame()
    with pytest.raises(MissingPackageError, match=r'pip install "\.\[polars\]"'):  # in a clone
        report.to_frame("polars")
    with pytest.raises(InputError, match="expected one of pandas, polars, pyarrow"):
        report.to_frame("excel")


def test_rows_are_found_by_what_they_ask(report):
    assert report.row("macro f1", "soft").view == "soft"
    assert report.value("f1", "soft", label="<c>") == report.row("f1", "soft", label="<c>").interval.value
    with pytest.raises(InputError, match="the report has no row 'macro f9'"):
        report.row("macro f9")


def test_it_prints_itself(report, monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    assert str(report) == report.to_text(90)
    assert repr(report).startswith("Report('Evaluation of prediction': prediction; ")
    assert "<iframe" in report._repr_html_()
    assert report.to_html().startswith("<!doctype html>")
    assert "<c>" not in report.to_html().replace("\\u003c", "")


def test_it_is_made_of_plain_data(report):
    assert isinstance(report, Report)
    with pytest.raises(AttributeError):
        report.title = "other"


def test_every_key_and_every_finding_is_documented():
    text = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("report", "comparison", "outputs")
    )
    sources = [*(ROOT / "src/softtruth/report").glob("*.py"), *(ROOT / "src/softtruth/evaluation").glob("*.py")]
    pattern = re.compile(r'Finding\(\s*"([a-z_]+)"')
    codes = {code for path in sources for code in pattern.findall(path.read_text(encoding="utf-8"))}
    assert len(codes) > 10
    assert {name for name in [*KEYS, *COLUMNS, *SETTINGS, *codes] if f"`{name}`" not in text} == set()
