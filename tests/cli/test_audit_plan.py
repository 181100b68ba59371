"""A plan of reviews that somebody edited: each row is checked before it is weighed."""

import csv

import numpy as np
import pytest

from softtruth.cli import run

HEADER = ["item", "stratum", "stratum_items", "probability", "truth"]


def write(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


@pytest.fixture
def plan(tmp_path, monkeypatch, capsys):
    """Return the rows of a plan of two strata, reviewed, and the words of `audit apply` for rows like it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    said, labels = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    write(tmp_path / "labels.csv", ["item", "label"], [(i, "ab"[k]) for i, k in enumerate(labels)])
    write(
        tmp_path / "model.csv", ["item", "p_a", "p_b"], [(i, 0.9 - 0.8 * k, 0.1 + 0.8 * k) for i, k in enumerate(said)]
    )
    words = ["--prediction", "model.csv", "--reference", "labels.csv", "-q"]
    assert run(["audit", "plan", *words, "--size", "12", "--out", "plan.csv"]) == 0
    with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as stream:
        rows = [{**row, "truth": "a"} for row in csv.DictReader(stream)]

    def apply(rows):
        write(tmp_path / "done.csv", HEADER, [row.values() for row in rows])
        code = run(["audit", "apply", *words, "--reviewed", "done.csv"])
        return code, capsys.readouterr().err

    assert apply(rows)[0] == 0
    return rows, apply


@pytest.mark.parametrize(
    ("column", "value", "found"),
    [
        *(("stratum", text, text) for text in ("-1", "0.5", "inf", "1e+308", "2e+10", "60")),
        *(("stratum_items", text, text) for text in ("0", "-1", "0.5", "inf", "1e+308", "61")),
        *((name, "", "empty") for name in ("stratum", "stratum_items", "probability")),
        *(("probability", text, text) for text in ("0", "-0.5", "1.5", "inf")),
        ("stratum_items", "7", "7"),
    ],
)
def test_a_plan_that_was_edited_is_refused_by_file_and_row(plan, column, value, found):
    rows, apply = plan
    code, said = apply([*rows[:3], {**rows[3], column: value}, *rows[4:]])
    assert code == 1
    assert f"error: done.csv row 4: {column} is {found}, expected " in said
    assert len(said.splitlines()) == 1


def test_a_plan_says_numbers_in_rows_of_its_own(plan):
    rows, apply = plan
    assert apply([]) == (
        1,
        "error: done.csv has no rows; expected those that `softtruth audit plan` wrote, filled in.\n",
    )
    code, said = apply([{**rows[0], "probability": "zz"}, *rows[1:]])
    assert (code, "done.csv row 1: column 'probability' holds 'zz', expected a number." in said) == (1, True)
    code, said = apply(rows[1:])  # what is left out has had a chance, too
    assert code == 1
    assert "probability is " in said
    assert "items of its stratum are in the file; keep what `softtruth audit plan` wrote, and all of its rows." in said


def test_empty_rows_below_the_last_one_say_nothing_and_others_lack_an_item(plan):
    rows, apply = plan
    empty = dict.fromkeys(HEADER, "")
    assert apply([*rows, empty, empty])[0] == 0
    for odd in (empty, {**rows[3], "item": ""}):
        code, said = apply([*rows[:3], odd, *rows[4:]])
        assert (code, "error: done.csv row 4 has no item; " in said) == (1, True)


def test_an_item_counts_once(plan):
    rows, apply = plan
    code, said = apply([*rows, rows[2]])
    assert (code, f"done.csv holds the item '{rows[2]['item']}' more than once" in said) == (1, True)


def test_a_rounded_chance_is_one_and_a_row_too_few_is_still_found(plan):
    rows, apply = plan
    rounded = [{**row, "probability": f"{float(row['probability']):.3f}"} for row in rows]
    assert apply(rounded)[0] == 0
    for wrong in (rounded[1:], [{**row, "probability": f"{float(row['probability']) + 0.002:.3f}"} for row in rows]):
        code, said = apply(wrong)
        assert (code, "probability is " in said) == (1, True)
