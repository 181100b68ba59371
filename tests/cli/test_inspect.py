"""`softtruth inspect`: what it says, word for word, and that the command it prints works."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from softtruth.cli import run

FILES = {
    "votes.csv": "item,annotator,label\na,A,x\na,B,y\nb,A,y\nb,B,y\nc,A,x\nc,B,\n",
    "my pred.csv": "item,p_x,p_y\na,0.5,0.5\nb,0.25,0.75\nd,1,0\n",
}

SAID = """\
votes.csv
  6 rows, 3 columns: item, annotator, label
  understood as long annotations, one row for each vote (label, annotator)
  3 items in 'item'; 2 annotators; votes on each: 2 to 2, mean 2
  2 classes: x 2, y 3
  rows without a value: 1

my pred.csv
  3 rows, 3 columns: item, p_x, p_y
  understood as wide probabilities, rows sum to one (p_x, p_y)
  3 items in 'item'
  2 classes: x, y

Together
  Items in all files: 2.
  Items of votes.csv without a row in my pred.csv, left out: 1 of 3.
  Items of my pred.csv that are not in votes.csv, left out: 1 of 3.
  Reference items tied between their most likely classes: 1.
  votes.csv, reference: long annotations, one row for each vote (label,
    annotator); items in 'item' (override: --label, --item).
  my pred.csv, prediction: wide probabilities, rows sum to one (p_x, p_y); items
    in 'item' (override: --prediction-column, --item).
  The positive class is 'y', the last in class order (override: --positive).

What can be computed
  - every measure of the binary decisions, under micro, macro, weighted and
    exemplar averages, each with an interval
  - two references, side by side: the votes as they are (soft), and their
    majority (hard)
  - soft predictions: expected counts under a coupling, besides thresholds and
    top classes

Next
  softtruth report --prediction 'my pred.csv' --reference votes.csv --out report.html
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        return list(files)

    return write


def next_command(text):
    lines = text.splitlines()
    *words, flag, page = shlex.split(lines[lines.index("Next") + 1])
    assert (flag, page) == ("--out", "report.html")
    return words


def in_one_line(text):
    return " ".join(text.split())


def test_it_says_what_it_understood_word_for_word(here, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["inspect", *here(FILES)]) == 0
    assert capsys.readouterr() == (SAID, "")


CASES = {
    "votes and probabilities": (FILES, []),
    "one table": ({"both.csv": "item,gold,p_x,p_y\na,x,0.5,0.5\nb,y,0.25,0.75\n"}, []),
    "gold and votes": ({"gold.csv": "item,gold\na,x\nb,y\n", "votes.csv": FILES["votes.csv"]}, []),
    "flags": (FILES, ["--where", "annotator!=A", "--positive", "x", "--labels", "y,x", "--threshold", "0.25"]),
    "seeds": (
        {
            **FILES,
            "pred_seeds.csv": "item,seed,p_x,p_y\na,1,0.5,0.5\na,2,0.5,0.5\n",
            "items.csv": "item,split\na,t\nb,t\nc,t\nd,t\n",
        },
        ["--where", "items:split=t"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_printed_command_works(here, name, capsys):
    files, flags = CASES[name]
    assert run(["inspect", *here(files), *flags]) == 0
    words = next_command(capsys.readouterr().out)
    assert words[:2] == ["softtruth", "report"]
    assert run([*words[1:], "-q", "--json", "r.json", "--out", "report.html"]) == 0
    assert json.loads(Path("r.json").read_text())["n"] >= 1
    assert Path("report.html").read_text().startswith("<!doctype html>")


def test_a_finished_table_is_recognised(here, capsys):
    assert run(["inspect", *here({"t.csv": ",cat,dog\ncat,5,1\ndog,2,6\n"})]) == 0
    assert next_command(capsys.readouterr().out) == ["softtruth", "report", "--table", "t.csv"]


def test_files_that_find_no_use_are_named_with_the_reason(here, capsys):
    run(["inspect", *here(CASES["seeds"][0])])
    out = in_one_line(capsys.readouterr().out)
    assert "pred_seeds.csv: rows that repeat an item: 1; choose one of each with --where or --duplicates." in out


def test_what_is_missing_is_said(here, capsys):
    assert run(["inspect", *here({"gold.csv": "item,gold\na,x\nb,y\n"})]) == 0
    assert (
        "Only a reference was recognised; add predictions, or name their column: --prediction-column."
        in in_one_line(capsys.readouterr().out)
    )
    assert run(["inspect", *here({"pred.csv": FILES["my pred.csv"]})]) == 0
    assert "Only predictions were recognised; add labels or votes, or name their column: --label." in in_one_line(
        capsys.readouterr().out
    )


def test_a_prediction_column_that_only_a_flag_can_name(here, capsys):
    files = {
        "q.csv": "item,n_no,n_yes,top\na,3,0,1\nb,1,2,1\nc,0,3,0\n",
        "votes.csv": "item,n_no,n_yes\na,1,0\nb,0,1\n",
    }
    assert run(["inspect", *here(files)]) == 0
    said = "Only a reference was recognised; add predictions, or name their column: --prediction-column."
    assert in_one_line(capsys.readouterr().out).endswith(f"{said} Columns that may be one: top.")
    assert run(["inspect", *here(files), "--prediction-column", "top"]) == 0
    words = "softtruth report --prediction q.csv --reference votes.csv --prediction-column top"
    assert next_command(capsys.readouterr().out) == words.split()
    assert run(["inspect", "q.csv", "--prediction-column", "top"]) == 0
    assert next_command(capsys.readouterr().out) == ["softtruth", "report", "q.csv", "--prediction-column", "top"]


def test_a_bad_file_does_not_hide_the_others(here, capsys):
    assert run(["inspect", *here({**FILES, "bad.csv": "a,b\n1\n"})]) == 0
    out = capsys.readouterr().out
    assert "Problems bad.csv line 2 has 1 values, expected 2 as in the header: '1'." in in_one_line(out)
    assert next_command(out) == ["softtruth", "report", "--prediction", "my pred.csv", "--reference", "votes.csv"]
    assert run(["inspect", "bad.csv"]) == 1


def test_clusters_are_proposed_when_items_come_in_groups(here, capsys):
    rng = np.random.default_rng(0)
    ids = [f"i{i}" for i in range(40)]
    here(
        {
            "gold.csv": "item,gold\n"
            + "".join(f"{i},{'xy'[int(k)]}\n" for i, k in zip(ids, rng.integers(0, 2, 40), strict=True)),
            "pred.csv": "item,p_x,p_y\n" + "".join(f"{i},0.25,0.75\n" for i in ids),
            "items.csv": "item,split,talk\n" + "".join(f"{i},{'ab'[k % 2]},t{k // 3}\n" for k, i in enumerate(ids)),
        }
    )
    assert run(["inspect", "gold.csv", "pred.csv", "items.csv"]) == 0
    out = in_one_line(capsys.readouterr().out)
    assert out.endswith("(if items that share 'talk' are not independent, add: --items items.csv --cluster talk)")
    assert run(["inspect", "gold.csv", "pred.csv", "items.csv", "--cluster", "talk"]) == 0
    assert next_command(capsys.readouterr().out)[-4:] == ["--items", "items.csv", "--cluster", "talk"]


def test_the_same_as_json(here, capsys):
    assert run(["inspect", *here(FILES), "--json", "-"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["schema_version"] == 1
    assert [file["kind"] for file in facts["files"]] == ["annotations", "distribution"]
    assert facts["accounting"]["items"] == 2
    assert facts["next"] == "softtruth report --prediction 'my pred.csv' --reference votes.csv --out report.html"


def test_rankings_are_converted_first(here, capsys):
    rankings = "case,reader,rank,condition\nx,1,1,a\nx,1,2,b\ny,1,1,b\ny,2,1,a\n"
    here({"rankings.csv": rankings, "pred.csv": "case,a,b\nx,0.75,0.25\ny,0.5,0.5\n"})
    assert run(["inspect", "rankings.csv", "pred.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    command, then = lines[lines.index("Next") + 1 :]
    assert then == "  Then run this command again with shares.csv in place of the rankings."
    assert run(shlex.split(command)[1:]) == 0
    assert run(["inspect", "shares.csv", "pred.csv"]) == 0
    assert next_command(capsys.readouterr().out)[-1] == "shares.csv"


def test_classes_that_differ_only_in_case_or_blanks_are_said_to(here, capsys):
    files = {
        "gold.csv": "item,label\n1,cat\n2,dog\n3,cat\n4,old dog\n",
        "pred.csv": "item,prediction\n1,Cat\n2,dog \n3,cat\n4,old  dog\n",
    }
    assert run(["inspect", *here(files)]) == 0
    said = in_one_line(capsys.readouterr().out)
    hint = (
        "The classes 'cat' and 'Cat', 'dog' and 'dog ', 'old dog' and 'old  dog' differ only in case or blanks; if "
        "they are one class, pass --map Cat=cat --map 'dog =dog' --map 'old  dog=old dog'."
    )
    assert in_one_line(hint) in said
    flags = shlex.split(hint.partition(" pass ")[2].rstrip("."))
    sides = ["--prediction", "pred.csv", "--reference", "gold.csv"]
    assert run(["report", *sides, "--json", "-"]) == 0
    found = capsys.readouterr()
    assert hint in found.err
    assert len(json.loads(found.out)["classes"]) == 6
    assert run(["report", *sides, *flags, "--json", "-"]) == 0
    found = capsys.readouterr()
    assert "differ only" not in found.err
    assert json.loads(found.out)["classes"] == ["cat", "dog", "old dog"]
    named = ["--labels", "cat,Cat,dog,dog ,old dog,old  dog"]
    assert run(["report", *sides, *named]) in {0, 1}  # whoever names them all knows of them
    assert "differ only" not in capsys.readouterr().err


def test_several_predictions_are_compared_next(here, capsys):
    here({"gold.csv": "item,label\n1,x\n2,y\n3,x\n"})
    here({"pred_b.csv": "item,prediction\n1,x\n2,y\n3,y\n", "pred_a.csv": "item,prediction\n1,x\n2,x\n3,x\n"})
    assert run(["inspect", "gold.csv", "pred_a.csv", "pred_b.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    report, comparison = lines[lines.index("Next") + 1 :][:2]
    assert comparison.startswith("  softtruth compare ")
    assert comparison.split()[2:-1] == report.split()[2:-1]
    assert run([*shlex.split(comparison)[1:-2], "-q"]) == 0
    assert "a and b are equal in accuracy on these items" in " ".join(capsys.readouterr().out.split())
