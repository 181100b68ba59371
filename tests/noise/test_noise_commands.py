"""`softtruth noise` and `softtruth audit`, from files to sentences."""

import csv
import json
import re

import numpy as np
import pytest

from softtruth.cli import run

SAID = """\
Observed accuracy 0.9, accuracy of the labels 0.96, 2 classes.
The true accuracy lies between 0.86 and 0.94, however the errors go together.
If the model errs independently of the labels it is 0.9348.
The rule of thumb, observed plus or minus the label errors, gives 0.86 to 0.94: here that is the sharp range.
Errors are rarely independent: what misleads the people who label often misleads the model too. Then the truth is \
nearer the lower end, 0.86. Several annotations of each item can tell: softtruth noise --annotations.
"""


def write(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Return truth by item, and the names of the files: answers of five annotators, labels, two models."""
    rng = np.random.default_rng(0)
    n = 2000
    truth = rng.integers(0, 2, n)
    votes = np.where(rng.random((n, 5)) < 0.8, truth[:, None], 1 - truth[:, None])
    label = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    models = {name: np.where(rng.random(n) < right, truth, 1 - truth) for name, right in (("good", 0.9), ("poor", 0.6))}
    names = np.array(["cat", "dog"])
    items = [f"i{i:04}" for i in range(n)]
    paths = {
        "answers": write(
            tmp_path / "answers.csv",
            ["item", "annotator", "label"],
            [(items[i], f"a{r}", names[votes[i, r]]) for i in range(n) for r in range(5)],
        ),
        "labels": write(tmp_path / "labels.csv", ["item", "label"], zip(items, names[label], strict=True)),
    }
    for name, said in models.items():
        sure = rng.uniform(0.55, 0.99, n)
        chance = np.where(said, sure, 1 - sure)
        paths[name] = write(
            tmp_path / f"{name}.csv", ["item", "p_cat", "p_dog"], zip(items, 1 - chance, chance, strict=True)
        )
    return dict(zip(items, names[truth], strict=True)), paths


def words_of(text):
    return " ".join(text.split())


def test_two_numbers(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert run(["noise", "0.90", "0.96"]) == 0
    said = capsys.readouterr().out
    assert words_of(said) == words_of(SAID)
    assert max(map(len, said.splitlines())) <= 70


def test_two_numbers_with_sizes_and_settings(capsys):
    words = ["0.9", "0.96", "--n", "500", "--n-reference", "300", "--rho", "0.5", "--overlap", "0.25", "--classes", "2"]
    assert run(["noise", *words]) == 0
    said = words_of(capsys.readouterr().out)
    assert "With sampling error: 0.8" in said
    assert "At rho 0.5: 0.8958." in said
    assert "25 % of the label errors: 0.9200." in said
    assert run(["noise", "0.99", "0.96", "--rho", "0"]) == 0
    said = words_of(capsys.readouterr().out)
    assert "refuted: they would put the true accuracy at 1.0326" in said
    assert "the data refute it" in said
    assert "0.95 to 1.03: not sharp here" in said


def test_json_of_two_numbers(capsys):
    assert run(["noise", "0.90", "0.96", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema_version"] == 1
    assert found["estimate"] == pytest.approx(43 / 46)
    assert found["refuted"] is False


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["0.9"], 2, "two numbers"),
        ([], 2, "Give two numbers"),
        (["90", "0.96"], 1, "Write 0.9 for 90 %"),
        (["0.9", "0.96", "--plot", "x.gif"], 2, "no known ending"),
    ],
)
def test_wrong_words_are_told(words, code, said, capsys):
    assert run(["noise", *words]) == code
    assert said in capsys.readouterr().err


def test_a_problem_of_unknown_accuracy_is_refused(files, capsys):
    _, paths = files
    assert run(["noise", "--prediction", paths["good"], "--reference", paths["labels"], "-q"]) == 1
    assert "--reference-accuracy" in capsys.readouterr().err


def test_files_with_a_known_accuracy(files, capsys, tmp_path):
    _, paths = files
    words = ["--prediction", paths["good"], "--prediction", paths["poor"], "--reference", paths["labels"], "-q"]
    more = ["--reference-accuracy", "0.9", "--n-reference", "200", "--measure", "f1", "--suspects", "4"]
    target = tmp_path / "found.json"
    assert run(["noise", *words, *more, "--positive", "dog", "--json", str(target)]) == 0
    said = words_of(capsys.readouterr().out)
    assert said.count("The true accuracy lies between") == 2
    assert "good, against the labels Observed accuracy" in said
    assert re.search(r"f1: 0\.\d+, true between 0\.\d+ and 0\.\d+ if 90 % of the labels are right good and", said)
    assert "good and poor Against the labels good is ahead of poor by" in said
    assert "the true difference good - poor lies between" in said
    assert "Label errors cannot turn this order." in said
    assert "it does not measure how many there are. For that draw a sample: softtruth audit plan, or" in said
    found = json.loads(target.read_text(encoding="utf-8"))
    assert found["rankings"][0]["robust"] is True
    assert len(found["suspects"]) == 4
    assert found["predictions"][0]["bounds"]["f1"]["low"] < found["predictions"][0]["bounds"]["f1"]["high"]


def test_the_annotators_say_how_often_labels_are_right(files, capsys):
    _, paths = files
    assert (
        run(["noise", "--prediction", paths["good"], "--reference", paths["answers"], "-q", "--positive", "dog"]) == 0
    )
    of_votes = words_of(capsys.readouterr().out)
    assert of_votes.startswith("good, against the majority of the votes")
    assert "By the answers of the annotators:" in of_votes
    assert "independent errors are tenable" in of_votes
    words = ["--prediction", paths["good"], "--reference", paths["labels"], "--annotations", paths["answers"], "-q"]
    assert run(["noise", *words, "--suspects", "2", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    labels = found["predictions"][0]["true_accuracy"]["reference_accuracy"]
    assert labels == pytest.approx(0.9, abs=0.05)
    assert found["predictions"][0]["shared_errors"]["independent"] is True


def test_items_without_a_label_are_left_out_and_one_question_is_taken_at_a_time(capsys, tmp_path):
    rows = [("a", "x"), ("b", "y"), ("c", ""), ("d", "y")]
    labels = write(tmp_path / "some.csv", ["item", "label"], rows)
    model = write(tmp_path / "model.csv", ["item", "label"], [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")])
    words = ["--prediction", model, "--reference", labels, "-q"]
    assert run(["noise", *words, "--reference-accuracy", "0.9", "--suspects", "9", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["predictions"][0]["true_accuracy"]["observed"] == pytest.approx(2 / 3)
    assert {row["item"] for row in found["suspects"]} == {"a", "b", "d"}
    many = write(
        tmp_path / "many.csv", ["item", "y_a", "y_b", "p_a", "p_b"], [("1", 0, 1, 0.2, 0.9), ("2", 1, 1, 0.6, 0.7)]
    )
    assert run(["noise", many, "--task", "multilabel", "--reference-accuracy", "0.9", "-q"]) == 1
    assert "name one: --labels" in capsys.readouterr().err


def test_json_has_no_nan(files, capsys, tmp_path):
    truth, _ = files
    same = write(tmp_path / "same.csv", ["item", "label"], list(truth.items()))
    answers = write(
        tmp_path / "agreed.csv",
        ["item", "annotator", "label"],
        [(i, f"a{r}", t) for i, t in truth.items() for r in range(3)],
    )
    words = ["--prediction", same, "--reference", same, "--annotations", answers, "-q", "--json", "-"]
    assert run(["noise", *words]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["predictions"][0]["true_accuracy"]["low"] == pytest.approx(1, abs=1e-3)
    assert run(["noise", *words[:-2]]) == 0


def test_answers_of_other_classes_are_refused(files, capsys, tmp_path):
    _, paths = files
    odd = write(tmp_path / "odd.csv", ["item", "annotator", "label"], [("i0000", "a", "cow"), ("i0000", "b", "cat")])
    words = ["--prediction", paths["good"], "--reference", paths["labels"], "--annotations", odd, "-q"]
    assert run(["noise", *words]) == 1
    assert "'cow'" in capsys.readouterr().err
    assert run(["noise", *words[:-3], "--annotations", paths["labels"], "-q"]) == 1
    assert "does not say who answered" in capsys.readouterr().err


def test_annotations_beside_a_reference_have_columns_of_their_own(files, capsys, tmp_path):
    truth, paths = files
    gold = write(tmp_path / "gold.csv", ["item", "gold", "old"], [(i, t, "cat") for i, t in truth.items()])
    answers = write(
        tmp_path / "wide.csv",
        ["item", "ann", "bob", "cy"],
        [(i, t, t, "cat" if at % 9 == 0 else t) for at, (i, t) in enumerate(truth.items())],
    )
    words = ["--prediction", f"A={paths['good']}", "--reference", gold, "--annotations", answers, "-q"]
    assert run(["noise", *words, "--label", "reference:gold", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["predictions"][0]["shared_errors"] is not None
    assert run(["noise", *words, "--label", "A:p_*", "--label", "gold"]) == 0


def test_a_picture(tmp_path):
    target = tmp_path / "curve.svg"
    assert run(["noise", "0.90", "0.96", "--plot", str(target)]) == 0
    assert "<svg" in target.read_text(encoding="utf-8")


def test_an_audit_from_plan_to_result(files, capsys, tmp_path):
    truth, paths = files
    words = ["--prediction", paths["good"], "--reference", paths["labels"], "-q"]
    plan, done = tmp_path / "plan.csv", tmp_path / "done.csv"
    assert run(["audit", "plan", *words, "--size", "80", "--seed", "3", "--out", str(plan)]) == 0
    with plan.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 80
    assert set(rows[0]) == {"item", "stratum", "stratum_items", "probability", "truth"}
    assert run(["audit", "apply", *words, "--reviewed", str(plan)]) == 1
    assert "truth is empty for 80 items" in capsys.readouterr().err
    for row in rows:
        row["truth"] = truth[row["item"]]
    write(done, list(rows[0]), [row.values() for row in rows])
    assert run(["audit", "apply", *words, "--reviewed", str(done)]) == 0
    said = words_of(capsys.readouterr().out)
    assert "Reviewed 80 of 2000 items." in said
    assert "suspicious items were preferred" in said
    assert "True accuracy of the model: 0." in said
    assert "its own uncertainty included (95 % interval)" in said
    bare = tmp_path / "bare.csv"
    write(bare, ["item", "truth"], [(row["item"], row["truth"]) for row in rows])
    assert run(["audit", "apply", *words, "--reviewed", str(bare)]) == 1
    assert "a review of suspects alone is biased" in capsys.readouterr().err
    assert run(["audit", "plan", *words, "--size", "30", "--simple"]) == 0
    assert capsys.readouterr().out.count("\n") == 31


def test_all_commands_say_one_accuracy_where_votes_are_tied(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    rows = [(i, a, "xyz"[v]) for i in range(60) for a, v in enumerate(rng.integers(0, 3, 2))]  # many ties
    write(tmp_path / "votes.csv", ["item", "annotator", "label"], rows)
    write(tmp_path / "pred.csv", ["item", "prediction"], [(i, "xyz"[v]) for i, v in enumerate(rng.integers(0, 3, 60))])
    words = ["--prediction", "pred.csv", "--reference", "votes.csv", "-q"]
    assert run(["report", *words, "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    value = next(row["value"] for row in rows if (row["measure"], row["view"]) == ("accuracy", "majority"))
    assert run(["noise", *words, "--reference-accuracy", "0.9", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"][0]["true_accuracy"]["observed"] == pytest.approx(value)
    assert run(["audit", "plan", *words, "--size", "20", "--out", "plan.csv"]) == 0
    with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as stream:
        plan = list(csv.DictReader(stream))
    write(tmp_path / "plan.csv", list(plan[0]), [{**row, "truth": "x"}.values() for row in plan])
    assert run(["audit", "apply", *words, "--reviewed", "plan.csv"]) == 0
    assert f"against the labels it was {value:.4f}." in words_of(capsys.readouterr().out)


def test_the_flag_that_is_advised_works_on_long_annotations(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [(i, f, w, int((i + len(w) * (f == "AF")) % 3 == 0)) for i in range(60) for f in ("AF", "ST") for w in "ABC"]
    text = "item,finding,annotator,label\n" + "".join(f"{i},{f},{w},{a}\n" for i, f, w, a in rows)
    (tmp_path / "long.csv").write_text(text)
    (tmp_path / "pred.csv").write_text(
        "item,p_AF,p_ST\n" + "".join(f"{i},{0.8 if i % 4 == 0 else 0.1},0.9\n" for i in range(60))
    )
    words = ["noise", "--prediction", "pred.csv", "--reference", "long.csv"]
    assert run(words) == 1
    told = capsys.readouterr().err
    assert "name one: --labels AF, without --task." in told
    for more in (["--labels", "AF"], ["--where", "reference:finding=AF"]):
        assert run([*words, *more, "-q"]) == 0
        assert "By the answers of the annotators" in capsys.readouterr().out


def test_tied_items_are_no_suspects_and_are_counted(tmp_path, capsys):
    """Without a majority there is no label that could be wrong."""
    rng = np.random.default_rng(3)
    votes = [
        ["a", "b"] if i % 10 == 0 else ["a", "a", "a"] if rng.random() < 0.5 else ["b", "b", "b"] for i in range(80)
    ]
    votes = [[*v[:-1], "b" if v[0] == "a" else "a"] if i % 7 == 0 and len(v) > 2 else v for i, v in enumerate(votes)]
    rows = [(f"i{i}", "XYZ"[k], label) for i, v in enumerate(votes) for k, label in enumerate(v)]
    labels = write(tmp_path / "long.csv", ["item", "annotator", "label"], rows)
    model = write(tmp_path / "model.csv", ["item", "p_a", "p_b"], [(f"i{i}", 0.3, 0.7) for i in range(80)])
    assert run(["noise", "--prediction", model, "--reference", labels, "-q", "--suspects", "80"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "8 items are tied: each is shared among the tied classes in the observed accuracy." in told
    assert "8 items are tied and have no label to doubt: left out of this list" in told
    assert "On the 72 items with a label of their own the true accuracy lies between" in told
    assert not any(f"i{i} " in told for i in range(0, 80, 10))
    assert "i1 " in told


def test_what_a_review_should_find_is_told_with_what_it_rests_on(files, capsys):
    _, paths = files
    words = ["noise", "--prediction", paths["good"], "--reference", paths["labels"], "-q", "--suspects", "5"]
    assert run([*words, "--reference-accuracy", "0.9"]) == 0
    said = words_of(capsys.readouterr().out)
    assert "wrong, if the model's probabilities are right, and 90 % of all labels are right, as given; where" in said
    assert "if 90 % of their labels are right, and between" in said
    assert run([*words, "--reference-accuracy", "0.9", "--n-reference", "100"]) == 0
    assert "if 82.6 to 94.5 % of their labels are right (95 % interval), and" in words_of(capsys.readouterr().out)
    assert run([*words[:-1], "1", "--reference-accuracy", "0.9"]) == 0
    assert "This label is wrong with probability 1.00, if" in words_of(capsys.readouterr().out)
    assert run([*words, "--annotations", paths["answers"]]) == 0
    said = words_of(capsys.readouterr().out)
    assert "if the model's probabilities are right, and the annotators err independently; where that is off" in said


def test_a_rate_that_the_annotators_contradict_is_told(files, capsys):
    _, paths = files
    words = ["noise", "--prediction", paths["good"], "--reference", paths["answers"], "-q"]
    assert run([*words, "--reference-accuracy", "0.6"]) == 0
    said = words_of(capsys.readouterr().out)
    assert "The annotators contradict that 0.6 of the labels are right: by their answers it is 0.9" in said
    assert run([*words, "--reference-accuracy", "0.6", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"][0]["contradiction"] in said
    assert run(words) == 0
    said = words_of(capsys.readouterr().out)
    assert "contradict" not in said
    assert "Several annotations" not in said  # they are there
    assert run(["noise", "0.9", "0.96"]) == 0
    assert "Several annotations of each item can tell: softtruth noise" in words_of(capsys.readouterr().out)


def test_numbers_may_be_percentages_and_exchanged_shares_are_asked_for(capsys):
    assert run(["noise", "90%", "96%"]) == 0
    assert words_of(capsys.readouterr().out) == words_of(SAID)
    assert run(["noise", "0.9", "0.05"]) == 0
    said = words_of(capsys.readouterr().out)
    assert "if 0.05 is the share of wrong labels, the accuracy of the labels is 0.95." in said
