"""One item, one label, and binary measures are called as the table calls them."""

import numpy as np

from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.measures import parse
from softtruth.render.words import size
from softtruth.report.findings import clustering


def test_one_item_and_one_label_are_singular():
    report = {"task": "multilabel", "n": 1, "classes": ["AF"], "predictions": ["a"]}
    assert size(report) == "multilabel, 1 item, 1 label, 1 prediction"
    assert size({**report, "n": 2, "predictions": ["a", "b"]}) == "multilabel, 2 items, 1 label, 2 predictions"


def test_a_finding_of_binary_data_says_f1_as_the_table_does():
    rng = np.random.default_rng(0)
    reference, prediction = rng.integers(0, 2, (2, 200))
    matrix = IndicatorMatrix(reference, prediction, task="binary", clusters=np.arange(200) // 4)
    (found,) = clustering(matrix, parse("micro f1"), 0.95)
    assert "that of f1 is" in found.sentence
