"""Arguments that make no sense end in one sentence."""

from __future__ import annotations

import pickle

import pytest

from softtruth import IndicatorMatrix, InputError, MissingPackageError, dawid_skene


@pytest.mark.parametrize("code", [10**7, 10**12, 10**20])
def test_codes_are_no_indices(code: int) -> None:
    with pytest.raises(InputError, match="labels are taken as indices"):
        IndicatorMatrix([0, 1, code], [0, 1, 1], "multiclass")
    matrix = IndicatorMatrix([5, 1, code], [5, 1, 1], "multiclass", labels=[1, 5, code])
    assert matrix.compute("accuracy") == pytest.approx(2 / 3)


def test_no_step_is_no_answer() -> None:
    with pytest.raises(InputError, match="max_steps"):
        dawid_skene([[0, 1], [1, 1]], max_steps=0)


def test_a_missing_package_can_be_said_by_another_process() -> None:
    error = MissingPackageError("duckdb", "duckdb", "Reading")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301  # made here
