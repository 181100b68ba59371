"""Finished confusion tables and counts."""

from __future__ import annotations

import numpy as np
import pytest

from softtruth.errors import InputError
from softtruth.inputs.finished import load_table


def load(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return load_table(path, **options)


@pytest.mark.parametrize(
    "text",
    [
        ",cat,dog,cow\ncat,5,1,0\ndog,2,6,0\ncow,0,3,4\n",
        "actual,cat,dog,cow\ncow,0,3,4\ncat,5,1,0\ndog,2,6,0\n",
        "prediction,cat,dog,cow\ncat,5,2,0\ndog,1,6,3\ncow,0,0,4\n",
        "true,pred_cat,pred_dog,pred_cow\ntrue_cat,5,1,0\ntrue_dog,2,6,0\ntrue_cow,0,3,4\n",
        "cat,dog,cow\n5,1,0\n2,6,0\n0,3,4\n",
        "reference,prediction,count\ncat,cat,5\ncat,dog,1\ndog,cat,2\ndog,dog,6\ncow,dog,3\ncow,cow,4\n",
    ],
)
def test_a_table_comes_in_many_shapes(tmp_path, text):
    table = load(tmp_path, text)
    assert (table.form, table.labels) == ("table", ("cat", "dog", "cow"))
    np.testing.assert_array_equal(table.counts, [[5, 1, 0], [2, 6, 0], [0, 3, 4]])
    assert len(table.inputs[0].sha256) == 64


def test_a_table_without_a_header_and_a_matrix(tmp_path):
    table = load(tmp_path, "5,1,0\n2,6,0\n0,3,4\n")
    np.testing.assert_array_equal(table.counts, [[5, 1, 0], [2, 6, 0], [0, 3, 4]])
    assert table.labels == ("0", "1", "2")
    np.save(tmp_path / "t.npy", table.counts)
    np.testing.assert_array_equal(load_table(tmp_path / "t.npy").counts, table.counts)


@pytest.mark.parametrize("text", ["tp,fp,fn,tn\n7,1,2,90\n", "cell,count\nfp,1\ntn,90\ntp,7\nfn,2\n"])
def test_four_counts(tmp_path, text):
    table = load(tmp_path, text)
    np.testing.assert_array_equal(table.counts, [[90, 1], [2, 7]])
    assert table.labels == ("negative", "positive")


def test_four_counts_of_each_label(tmp_path):
    table = load(tmp_path, "label,TP,FP,FN,TN\nAF,7,1,2,90\nST,5,0,0,95\n")
    assert (table.form, table.labels) == ("cells", ("AF", "ST"))
    np.testing.assert_array_equal(table.counts, [[7, 1, 2, 90], [5, 0, 0, 95]])


def test_the_positive_class_order_and_orientation(tmp_path):
    text = ",yes,no\nyes,5,1\nno,2,6\n"
    table = load(tmp_path, text)
    assert table.labels == ("no", "yes")
    np.testing.assert_array_equal(table.counts, [[6, 2], [1, 5]])
    assert table.guesses == (
        "The rows of the table are the reference (override: --transpose).",
        "The positive class is 'yes', by its name (override: --positive).",
    )
    np.testing.assert_array_equal(load(tmp_path, text, transpose=True).counts, [[6, 1], [2, 5]])
    assert load(tmp_path, text, positive="no").labels == ("yes", "no")
    three = ",a,b,c\na,5,1,0\nb,2,6,0\nc,0,3,4\n"
    np.testing.assert_array_equal(load(tmp_path, three, positive="b").counts, [[9, 4], [2, 6]])
    np.testing.assert_array_equal(load(tmp_path, three, labels=["c", "b", "a"]).counts[0], [4, 3, 0])
    assert load(tmp_path, "5,1\n2,6\n", labels=["off", "on"]).labels == ("off", "on")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            ",a,b\na,1,2\nc,3,4\n",
            (
                "t.csv: the rows are named 'a', 'c' and the columns 'a', 'b'; "
                "a confusion table needs the same classes on both."
            ),
        ),
        (
            ",a,b\na,1,-2\nb,3,4\n",
            "t.csv: the count in row 1, column 2 is -2.0, expected a finite number that is not negative.",
        ),
        (
            "a,b\n1,2\n3,4\n5,6\n",
            (
                "t.csv has 3 rows and 2 columns, which is no confusion table. Expected K rows and K columns (and a "
                "first column of names), the columns reference, prediction and count, or the columns tp, fp, fn, tn."
            ),
        ),
        (
            ",a,b\na,1,x\nb,3,4\n",
            "t.csv row 1: column 'b' holds 'x', expected a number. Leave it empty, correct it, or filter the row.",
        ),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, sentence):
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert str(caught.value) == sentence


def test_labels_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(InputError, match="has 2 classes but --labels names 3"):
        load(tmp_path, "5,1\n2,6\n", labels=["a", "b", "c"])
