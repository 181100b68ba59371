"""`softtruth compare` on files: what it prints, what it refuses, its exit codes."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from softtruth import compare_predictions
from softtruth.cli import ERROR, GATE, PASS, USAGE, run
from stored import assert_stored

STORED = Path(__file__).parent / "stored"
CLASSES = np.array(["cat", "dog", "owl"])


def write(path, head, *columns):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in zip(*columns, strict=True)), ""]))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Labels, votes, and predictions of 240 items in a folder; the arrays behind them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(6)
    y = rng.choice(3, 240, p=[0.5, 0.3, 0.2])
    items = [f"i{i}" for i in range(240)]
    votes = np.array([rng.multinomial(5, 0.25 / 2 + 0.625 * (np.arange(3) == label)) for label in y])
    shares = {}
    for name, mix in (("old", 0.28), ("new", 0.4)):
        p = mix * (y[:, None] == np.arange(3)) + (1 - mix) * rng.dirichlet([0.7, 0.7, 0.7], 240)
        shares[name] = (p / p.sum(axis=1, keepdims=True)).round(6)
        shares[name][:, 0] += 1 - shares[name].sum(axis=1)
        write(tmp_path / f"{name}.csv", "item,p_cat,p_dog,p_owl", items, *shares[name].round(6).T)
    write(tmp_path / "gold.csv", "item,label", items, CLASSES[y])
    write(tmp_path / "votes.csv", "item,n_cat,n_dog,n_owl", items, *votes.T)
    ward = np.where(np.arange(240) % 3 == 0, "north", "south")
    write(tmp_path / "items.csv", "item,ward", items, ward)
    write(tmp_path / "said.csv", "item,label", items, CLASSES[shares["old"].argmax(axis=1)])
    return {"y": y, "votes": votes, "shares": shares, "ward": ward}


TWO = ["compare", "--prediction", "old.csv", "--prediction", "new.csv", "-q"]
GOLD, VOTES = ["--reference", "gold.csv"], ["--reference", "votes.csv"]


def test_text_of_labels_is_as_stored(data, capsys):
    assert run([*TWO, *GOLD, "--items", "items.csv", "--by", "ward", "--reference-accuracy", "0.97"]) == PASS
    out, err = capsys.readouterr()
    assert_stored(STORED / "labels_80.txt", out)
    assert max(map(len, out.splitlines())) <= 80
    assert err == ""


def test_text_of_votes_is_as_stored(data, capsys):
    assert run([*TWO, *VOTES, "--prediction", "said.csv"]) == PASS
    out = capsys.readouterr().out
    assert_stored(STORED / "votes_80.txt", out)
    assert max(map(len, out.splitlines())) <= 80


def test_of_many_pairs_only_those_of_the_leader_are_told(data, capsys):
    more = [word for name in ("said", "gold") for word in ("--prediction", f"{name}.csv")]
    assert run([*TWO, *GOLD, *more, "--items", "items.csv", "--by", "ward"]) == PASS
    out = capsys.readouterr().out
    assert "accuracy: gold leads with 1.000" in " ".join(out.split())
    assert (
        "about other pairs, single classes and what changes no verdict: in the HTML, Markdown and JSON forms."
        in " ".join(out.split())
    )
    assert "new and said" not in out


def test_it_is_what_python_says(data, capsys):
    assert run([*TWO, *GOLD, "--items", "items.csv", "--by", "ward", "--json", "-"]) == PASS
    facts = json.loads(capsys.readouterr().out)
    report = compare_predictions(
        data["y"],
        data["shares"],
        "multiclass",
        labels=list(CLASSES),
        groups=data["ward"],
        prediction_kind="probabilities",
    )
    mine = report.to_dict()
    assert facts["group_column"] == "ward"
    assert len(facts["rows"]) == len(mine["rows"])
    for one, other in zip(facts["rows"], mine["rows"], strict=True):
        for key in ("measure", "view", "group", "first", "second", "verdict", "items", "items_needed"):
            assert one[key] == other[key]
        for key in ("difference", "low", "high", "p_value"):
            assert one[key] == pytest.approx(other[key], abs=1e-12)
    assert [v["sentence"] for v in facts["verdicts"]] == [v["sentence"] for v in mine["verdicts"]]
    assert [i["role"] for i in facts["provenance"]["inputs"]] == ["reference", "prediction", "prediction", "items"]
    assert facts["settings"]["by"] == "ward"


def test_items_that_a_prediction_lacks_are_left_out_and_counted(data, tmp_path, capsys):
    lines = (tmp_path / "new.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([lines[0], *lines[41:], ""]))
    assert run([*TWO, *GOLD, "--json", "out.json"]) == PASS
    out = capsys.readouterr().out
    facts = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert facts["n"] == 200
    assert facts["provenance"]["accounting"]["reference_only"] == 40
    assert "Items in all files: 200." in out
    y, shares = data["y"][40:], {name: values[40:] for name, values in data["shares"].items()}
    row = compare_predictions(y, shares, "multiclass").row("accuracy", "old", "new")
    assert facts["rows"][0]["difference"] == pytest.approx(row.interval.value)


def test_pages_and_markdown_hold_the_same(data, capsys):
    assert run([*TWO, *VOTES, "--out", "c.html", "--out", "c.md", "--json", "c.json"]) == PASS
    page, text, facts = (Path(f"c.{ending}").read_text(encoding="utf-8") for ending in ("html", "md", "json"))
    assert json.loads(page.partition('id="comparison">')[2].partition("</script>")[0]) == json.loads(facts)
    for finding in json.loads(facts)["verdicts"]:
        assert finding["sentence"] in page
    assert text.startswith("# Comparison of old, new\n")
    assert capsys.readouterr().out.startswith("Comparison of old, new\n")


def test_annotators_say_how_often_labels_are_right(data, tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        (f"i{i}", f"p{who}", CLASSES[label if rng.random() < 0.9 else rng.integers(3)])
        for i, label in enumerate(data["y"])
        for who in range(3)
    ]
    write(tmp_path / "answers.csv", "item,annotator,label", *zip(*rows, strict=True))
    assert run([*TWO, *GOLD, "--annotations", "answers.csv", "--json", "-"]) == PASS
    noise = json.loads(capsys.readouterr().out)["noise"]
    right = next(f for f in noise if f["code"] == "any_label_errors")["numbers"]["reference_accuracy"]
    assert 0.9 < right <= 1
    assert run([*TWO, *GOLD, "--annotations", "answers.csv", "--reference-accuracy", "0.8", "--json", "-"]) == PASS
    noise = json.loads(capsys.readouterr().out)["noise"]
    assert next(f for f in noise if f["code"] == "any_label_errors")["numbers"]["reference_accuracy"] == 0.8


# --- gates ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "code", "failed"),
    [
        (["--fail-under", "macro f1=0"], PASS, ""),
        (["--fail-under", "accuracy=0.5"], GATE, "gate failed: accuracy of new against old (reference) has the gain "),
        (["--fail-under", "new:markedness=-1"], ERROR, "error: The gate 'markedness' can mean 'micro markedness', "),
        (["--fail-under", "macro markedness=-1"], PASS, ""),
        (["--fail-under", "error_rate=0"], ERROR, "error: The gate 'error_rate' can mean "),
        (["--fail-under", "macro error_rate=0"], PASS, ""),
        (["--baseline", "new", "--fail-under", "accuracy=0"], GATE, "gate failed: accuracy of old against new"),
        (
            ["--baseline", "new", "--fail-under", "new:accuracy=0"],
            ERROR,
            "error: The gate on 'new' has nothing to hold",
        ),
        (
            ["--baseline", "new", "--fail-if-worse"],
            GATE,
            "gate failed: old is worse than new in accuracy (reference) by",
        ),
        (["--fail-if-worse"], PASS, ""),
        (["--fail-under", "accuracy"], ERROR, "error: --fail-under 'accuracy' is no gate; expected MEASURE=NUMBER"),
    ],
)
def test_gates(data, more, code, failed, capsys):
    assert run([*TWO, *GOLD, *more]) == code
    err = capsys.readouterr().err
    assert err.startswith(failed)
    assert bool(err) == bool(failed)


def test_a_gate_on_the_low_end_lets_doubt_fail(data, capsys):
    row = compare_predictions(data["y"], data["shares"], "multiclass").row("accuracy", "new", "old")
    between = (row.interval.low + row.interval.value) / 2
    gate = ["--fail-under", f"accuracy={between}"]
    assert run([*TWO, *GOLD, *gate]) == PASS
    capsys.readouterr()
    assert run([*TWO, *GOLD, *gate, "--fail-on", "low"]) == GATE
    assert f"has the low end of the gain {row.interval.low:.4g}" in capsys.readouterr().err


def test_a_gate_in_another_view(data, capsys):
    assert run([*TWO, *VOTES, "--fail-under", "soft:accuracy=0.9"]) == GATE
    assert "accuracy of new against old (soft) has the gain" in capsys.readouterr().err


def test_identical_predictions_keep_a_bound_of_nothing(data, capsys):
    twice = ["compare", *GOLD, "--prediction", "a=old.csv", "--prediction", "b=old.csv", "-q"]
    assert run([*twice, "--fail-under", "macro f1=0", "--fail-on", "low", "--fail-if-worse"]) == PASS
    out = " ".join(capsys.readouterr().out.split())
    assert "a and b give the same answers, so that they are equal in accuracy." in out
    assert run([*twice, "--fail-under", "macro f1=0.001"]) == GATE


def test_nothing_undefined_passes(data, tmp_path, capsys):
    write(tmp_path / "one.csv", "item,label", [f"i{i}" for i in range(30)], ["no"] * 30)
    write(tmp_path / "a.csv", "item,label", [f"i{i}" for i in range(30)], ["no"] * 30)
    write(tmp_path / "b.csv", "item,label", [f"i{i}" for i in range(30)], ["no"] * 29 + ["yes"])
    files = ["compare", "--reference", "one.csv", "--prediction", "a.csv", "--prediction", "b.csv", "-q"]
    assert run([*files, "--labels", "no,yes", "--positive", "yes", "--fail-under", "recall=-1"]) == GATE
    assert "recall of b against a (reference) has no gain, and the bound is -1." in capsys.readouterr().err


def test_gates_are_test_cases(data, capsys):
    assert run([*TWO, *GOLD, "--fail-under", "accuracy=0.5", "--fail-if-worse", "--junit", "gates.xml"]) == GATE
    suite = ET.parse("gates.xml").getroot().find("testsuite")  # noqa: S314  written a line above
    names = [(case.get("name"), case.get("classname"), case.find("failure") is not None) for case in suite]
    assert names == [
        ("gain in accuracy >= 0.5", "new against old (reference)", True),
        ("not worse in accuracy", "new against old (reference)", False),
        ("not worse in macro f1", "new against old (reference)", False),
    ]


# --- what does not fit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["compare"], USAGE, "Give --reference and two or more --prediction, or one table as FILE."),
        (["compare", "--prediction", "old.csv"], USAGE, "--reference is missing"),
        (["compare", *GOLD], USAGE, "--prediction is missing"),
        (["compare", "gold.csv", *GOLD], USAGE, "Give --reference and two or more --prediction"),
        (["compare", *GOLD, "--prediction", "old.csv"], ERROR, "there is only one prediction ('old')"),
        ([*TWO, *GOLD, "--prediction", "old.csv"], ERROR, "Two predictions are named 'old'"),
        (
            [*TWO, *GOLD, "--baseline", "older"],
            ERROR,
            "the baseline 'older' is no prediction; expected one of 'old', 'new'",
        ),
        ([*TWO, *GOLD, "--by", "ward"], ERROR, "--by 'ward': no file has this column"),
        ([*TWO, *GOLD, "--items", "items.csv", "--by", "item"], ERROR, "there are 240 groups for 240 items"),
        ([*TWO, *GOLD, "--out", "old.csv"], USAGE, "--out old.csv"),
        ([*TWO, *GOLD, "--out", "x.html", "--json", "x.html"], USAGE, "Two results would be written to one file"),
        ([*TWO, *GOLD, "--out", "-", "--json", "-"], USAGE, "Only one result can go to stdout."),
        ([*TWO, *GOLD, "--junit", "x.xml"], USAGE, "--junit writes the gates, and there is none"),
        ([*TWO, *GOLD, "--measure", "no_such"], ERROR, "no_such"),
        ([*TWO, *GOLD, "--reference-accuracy", "1.2"], ERROR, "reference_accuracy"),
    ],
)
def test_what_does_not_fit_is_refused(data, words, code, message, capsys):
    assert run([*words, "-q"] if "-q" not in words else words) == code
    out, err = capsys.readouterr()
    assert message in " ".join(err.replace("│", " ").split())
    assert out == ""
    assert not list(Path().glob("x.*"))


def test_predictions_of_other_items_are_refused(data, tmp_path, capsys):
    lines = (tmp_path / "new.csv").read_text().replace("\ni", "\nj")
    (tmp_path / "other.csv").write_text(lines)
    assert run(["compare", *GOLD, "--prediction", "old.csv", "--prediction", "other.csv", "-q"]) == ERROR
    assert capsys.readouterr().err.startswith("error: ")


def test_items_without_a_group_are_refused(data, tmp_path, capsys):
    text = (tmp_path / "items.csv").read_text().replace("i7,south", "i7,")
    (tmp_path / "items.csv").write_text(text)
    assert run([*TWO, *GOLD, "--items", "items.csv", "--by", "ward"]) == ERROR
    assert "item 'i7' has no group in 'ward' (1 in all)" in capsys.readouterr().err


def test_one_table_may_hold_all(data, tmp_path, capsys):
    said = CLASSES[data["shares"]["new"].argmax(axis=1)]
    old = CLASSES[data["shares"]["old"].argmax(axis=1)]
    write(tmp_path / "all.csv", "item,label,old,new", [f"i{i}" for i in range(240)], CLASSES[data["y"]], old, said)
    words = ["compare", "all.csv", "--label", "label", "--prediction-column", "old", "--prediction-column", "new", "-q"]
    assert run([*words, "--json", "-"]) == PASS
    facts = json.loads(capsys.readouterr().out)
    row = compare_predictions(data["y"], data["shares"], "multiclass").row("accuracy", "old", "new")
    assert facts["rows"][0]["difference"] == pytest.approx(row.interval.value)
    assert (facts["rows"][0]["low"], facts["rows"][0]["high"]) == pytest.approx((row.interval.low, row.interval.high))


def test_defaults_may_stand_in_a_file(data, tmp_path, capsys):
    (tmp_path / "softtruth.toml").write_text('[compare]\nmeasure = "macro f1"\nbaseline = "new"\n')
    assert run([*TWO, *GOLD, "--json", "-"]) == PASS
    facts = json.loads(capsys.readouterr().out)
    assert (facts["headline"], facts["baseline"]) == (["macro f1"], "new")
