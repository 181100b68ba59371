"""`softtruth convert`: one distribution for each item, readable by `softtruth report`, with an account of the rest."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from softtruth.cli import run
from softtruth.inputs.align import load_problem

LONG = "item,annotator,label\na,x,yes\na,y,no\na,z,yes\nb,x,no\nc,x,\n"
RANKS = (
    "case,reader,rank,condition\n1,1,1,flu\n1,1,2,cold\n1,1,2,croup\n"
    "1,2,1,cold\n1,2,2,flu\n1,2,3,cough\n1,3,1,croup\n1,3,1,flu\n"
)


def converted(tmp_path, capsys, content, *arguments, name="in.csv"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    out = tmp_path / "out.csv"
    code = run(["convert", str(path), "--out", str(out), *arguments])
    told = capsys.readouterr().err
    if code:
        return code, told
    text = csv.ConvertOptions(column_types={"item": pa.string()})
    return csv.read_csv(out, convert_options=text).to_pydict(), told


def test_long_votes_become_shares_and_keep_their_number(tmp_path, capsys):
    table, told = converted(tmp_path, capsys, LONG)
    assert table["item"] == ["a", "b", "c"]
    assert table["share_no"] == [1 / 3, 1.0, None]
    assert table["votes"] == [3, 1, 0]
    assert "Items without votes, left empty: 1." in told


def test_smoothing_leaves_unobserved_items_empty(tmp_path, capsys):
    table, _ = converted(tmp_path, capsys, LONG, "--smoothing", "1")
    assert table["share_no"] == pytest.approx([2 / 5, 2 / 3, None])


def test_ties_and_repeated_rows_are_said(tmp_path, capsys):
    table, told = converted(tmp_path, capsys, LONG + "b,y,yes\nb,y,yes\n", "--duplicates", "first")
    assert table["share_no"][1] == 0.5
    assert "Rows that repeat another one, settled by --duplicates: 1." in told
    assert "Items tied between their most likely classes: 1." in told
    code, told = converted(tmp_path, capsys, LONG + "b,y,yes\nb,y,yes\n")
    assert code == 1
    assert "--duplicates first or last" in told


def test_rankings_become_plausibilities(tmp_path, capsys):
    table, told = converted(tmp_path, capsys, RANKS, "--label", "condition")
    weights = {"flu": 1 + 1 / 2 + 1, "cold": 1 / 2 + 1, "croup": 1 / 2 + 1, "cough": 1 / 3}
    for name, weight in weights.items():
        assert table[f"share_{name}"] == pytest.approx([weight / sum(weights.values())])
    assert table["votes"] == [3]
    assert "3 rankings of 1 items by inverse rank normalisation" in told
    code, told = converted(tmp_path, capsys, RANKS, "--label", "condition", "--smoothing", "1")
    assert code == 1
    assert "--smoothing 1 is for votes" in told


def test_labels_give_the_order_and_must_be_complete(tmp_path, capsys):
    table, _ = converted(tmp_path, capsys, LONG, "--labels", "yes,no")
    assert list(table) == ["item", "share_yes", "share_no", "votes"]
    code, told = converted(tmp_path, capsys, LONG, "--labels", "yes,maybe")
    assert code == 1
    assert "leaves out 'no'" in told


def test_labels_that_hold_together_have_a_share_each(tmp_path, capsys):
    rows = "item,finding,annotator,label\n1,a,x,1\n1,b,x,0\n1,a,y,0\n2,b,y,1\n"
    table, told = converted(tmp_path, capsys, rows)
    assert table == {
        "item": ["1", "2"],
        "share_a": [0.5, None],
        "share_b": [0.0, 1.0],
        "answers_a": [2, 0],
        "answers_b": [1, 1],
    }
    assert "Entries (an item and a label) without votes, left empty: 1." in told


def test_exports_of_tools(tmp_path, capsys):
    records = [{"_input_hash": 5, "accept": ["b"], "options": [{"id": "a"}, {"id": "b"}], "answer": "accept"}]
    records += [{"_input_hash": 5, "accept": [], "options": [], "answer": "ignore"}]
    table, told = converted(tmp_path, capsys, "\n".join(map(json.dumps, records)), name="in.jsonl")
    assert table == {"item": ["5"], "share_a": [0.0], "share_b": [1.0], "votes": [1]}
    assert "1 answer was skipped: not counted." in told


def test_what_comes_out_goes_in_again(tmp_path, capsys):
    converted(tmp_path, capsys, LONG)
    predictions = tmp_path / "p.csv"
    predictions.write_text("item,p_no,p_yes\na,0.5,0.5\nb,0.9,0.1\nc,0.2,0.8\n", encoding="utf-8")
    ours = load_problem([str(predictions)], str(tmp_path / "out.csv"))
    theirs = load_problem([str(predictions)], str(tmp_path / "in.csv"))
    assert (ours.task, ours.labels) == (theirs.task, theirs.labels)
    np.testing.assert_allclose(ours.soft_reference(), theirs.soft_reference())
    np.testing.assert_array_equal(ours.mask, theirs.mask)


def test_parquet_and_standard_output(tmp_path, capsys):
    path = tmp_path / "in.csv"
    path.write_text(LONG, encoding="utf-8")
    assert run(["convert", str(path), "--out", str(tmp_path / "out.parquet"), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert parquet.read_table(tmp_path / "out.parquet").column_names == ["item", "share_no", "share_yes", "votes"]
    assert run(["convert", str(path), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith('"item","share_no","share_yes","votes"\n"a",0.333')


def test_scores_are_no_votes(tmp_path, capsys):
    code, told = converted(tmp_path, capsys, "item,score\na,0.5\nb,2.5\n")
    assert code == 1
    assert "expected votes, rankings, or one share for each class" in told
