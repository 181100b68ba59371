"""Values of R_K and of streams that were found without the package: tests/golden/r_k.json says how."""

import json
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pytest

from softtruth import Cells, IndicatorMatrix, Table

GOLDEN = json.loads((Path(__file__).parent / "golden" / "r_k.json").read_text(encoding="utf-8"))


def named(part):
    return pytest.mark.parametrize("given", GOLDEN[part], ids=[case["name"] for case in GOLDEN[part]])


def near(given):
    return pytest.approx(float(given["value"]), abs=given["tolerance"], rel=0, nan_ok=True)


@named("tables")
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.float32])
def test_r_k_of_a_table(given, dtype):
    if np.max(given["table"]) > 1e18 and dtype == np.int64:
        dtype = np.float64  # too large for a whole number of any width
    im = IndicatorMatrix.of(Table.of(np.array(given["table"]).astype(dtype)))
    tolerance = 1e-6 if dtype == np.float32 and given["tolerance"] else given["tolerance"]
    assert im.compute("r_k") == near(given | {"tolerance": tolerance})


@pytest.mark.parametrize("k", [2, 5, 50, 500])
def test_r_k_has_no_rounding_where_there_is_no_correlation_or_a_full_one(k):
    assert IndicatorMatrix.of(Table.of(np.ones((k, k)))).compute("r_k") == 0.0
    assert IndicatorMatrix.of(Table.of(np.eye(k))).compute("r_k") == 1.0


def test_r_k_of_two_classes_is_mcc():
    assert IndicatorMatrix.of(Cells.of(35, 5, 10, 50)).compute("r_k") == pytest.approx(0.6975184488828855, abs=1e-13)
    assert IndicatorMatrix.of(Cells.of(35, 5, 10, 50)).compute("mcc") == pytest.approx(0.6975184488828855, abs=1e-13)


def test_r_k_keeps_its_digits_where_one_class_prevails():
    """The textbook form in single precision finds 4.19e7 for the 4.00e7 under the root."""
    table = np.array([[1e7, 1], [1, 1]])
    n = table.sum()
    expected = (1e7 - 1) / (1e7 + 1) / 2
    for dtype in (np.float64, np.float32):
        found = IndicatorMatrix.of(Table.of(table.astype(dtype))).compute("r_k")
        assert found == pytest.approx(expected, rel=1e-12), n


@named("soft")
def test_r_k_of_soft_data(given):
    im = IndicatorMatrix(
        given["reference"], given["prediction"], "multiclass", tnorm="product", sample_weight=given.get("weight")
    )
    assert im.compute("r_k") == near(given)
    if "table" in given:
        np.testing.assert_allclose(im.table.masses, given["table"], atol=1e-14)


@named("streams")
def test_a_stream_is_not_the_mean_of_its_batches(given):
    batches = [IndicatorMatrix(b["reference"], b["prediction"], "binary") for b in given["batches"]]
    for rung in ("cells", "table", "statistic"):
        whole = reduce(add, [getattr(im, rung) for im in batches])
        assert IndicatorMatrix.of(whole).compute(given["measure"]) == near(given)


def test_every_value_says_where_it_comes_from():
    assert all(case["found by"] for part in ("tables", "soft", "streams") for case in GOLDEN[part])
