"""Rows are found by the names that the printed report shows."""

import pytest

from softtruth import InputError, evaluate


def test_a_measure_of_binary_data_needs_no_operator():
    report = evaluate([0, 1, 1, 0], [0, 1, 0, 0], "binary")
    assert report.row("recall") is report.row("micro recall")
    assert report.value("recall") == 0.5


def test_a_measure_of_many_classes_does():
    report = evaluate([0, 1, 2, 0], [0, 1, 1, 0], "multiclass")
    with pytest.raises(InputError, match="it has accuracy, "):
        report.row("recall")
