"""`softtruth shift`, `softtruth report --prior`, and the picture: on files, with words and exit codes."""

import json

import numpy as np
import pytest

from softtruth import IndicatorMatrix, under_prior
from softtruth.cli import ERROR, PASS, USAGE, run


def sample(rng, n, prevalence, distance=1.0):
    y = (rng.random(n) < prevalence).astype(int)
    return y, (1 / (1 + np.exp(-rng.normal(np.where(y == 1, distance, -1.0), 1.0)))).round(6)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    y, p = sample(rng, 400, 0.5)
    other = np.clip(p + rng.normal(0, 0.3, 400), 0, 1).round(6)
    names = np.array(["no", "yes"])
    (tmp_path / "gold.csv").write_text("item,label\n" + "".join(f"{i},{names[c]}\n" for i, c in enumerate(y)))
    for name, scores in (("one", p), ("two", other)):
        rows = "".join(f"{i},{1 - x:.6f},{x:.6f}\n" for i, x in enumerate(scores))
        (tmp_path / f"{name}.csv").write_text("item,p_no,p_yes\n" + rows)
    target = sample(rng, 300, 0.2)[1]
    (tmp_path / "target.csv").write_text(
        "item,p_no,p_yes\n" + "".join(f"t{i},{1 - x:.6f},{x:.6f}\n" for i, x in enumerate(target))
    )
    return y, p, target


BOTH = ["shift", "--prediction", "one.csv", "--reference", "gold.csv", "--positive", "yes", "-q"]


def test_a_given_prior(files, capsys):
    y, p, _ = files
    assert run([*BOTH, "--prior", "0.05", "--measure", "precision", "--measure", "recall"]) == PASS
    out = capsys.readouterr().out
    at = under_prior(IndicatorMatrix(y, p, "binary"), 0.05).interval("precision")
    assert f"precision  {IndicatorMatrix(y, p, 'binary').interval('precision').value:.3f}" in out
    assert f"{at.value:.3f} [{at.low:.3f}, {at.high:.3f}]" in out
    assert f"frequency of yes: {y.mean():.4g} in the data, 0.05 here" in out
    assert "Assumption: label shift: the rates within each class are kept." in out


def test_a_prior_by_names_and_a_long_tail(files, capsys):
    y, p, _ = files
    assert run([*BOTH, "--prior", "no=0.9,yes=0.1", "--json", "-"]) == PASS
    by_name = json.loads(capsys.readouterr().out)
    assert run([*BOTH, "--imbalance", "9", "--json", "-"]) == PASS
    tail = json.loads(capsys.readouterr().out)
    found = [[m["shifted"]["value"] for m in facts["predictions"][0]["measures"]] for facts in (by_name, tail)]
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    value = by_name["predictions"][0]["measures"][0]["shifted"]["value"]
    assert value == under_prior(IndicatorMatrix(y, p, "binary"), 0.1).compute("accuracy")


def test_an_estimated_prior_with_its_test(files, capsys, tmp_path):
    assert run([*BOTH, "--target", "target.csv", "--method", "mlls", "--calibrate", "--json", "out.json"]) == PASS
    out = " ".join(capsys.readouterr().out.split())
    facts = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    estimate = facts["predictions"][0]["estimate"]
    low, high = estimate["intervals"][0]["low"], estimate["intervals"][0]["high"]
    assert low < 0.2 < high
    assert estimate["test"]["p_value"] > 0.01
    assert "one: label shift: not refuted by the target's scores, p = " in out
    assert "prior by mlls from 300 target predictions; the probabilities are calibrated on the source" in out
    shifted = {m["measure"]: m["shifted"] for m in facts["predictions"][0]["measures"]}
    assert shifted["f1"]["source"] == "prior"
    assert shifted["recall"]["source"] == "sampling"


def test_two_models_swap_places(files, capsys, tmp_path):
    both = [*BOTH, "--prediction", "two.csv", "--prior", "0.1", "--measure", "accuracy", "--plot", "curve.png"]
    assert run(both) == PASS
    out = capsys.readouterr().out
    assert "one and two: accuracy: " in out
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_has_the_other_prior_beside(files, capsys):
    arguments = ["report", *BOTH[1:], "--json", "-"]
    assert run(arguments) == PASS
    plain = json.loads(capsys.readouterr().out)
    assert run([*arguments, "--prior", "0.05"]) == PASS
    facts = json.loads(capsys.readouterr().out)
    assert [row for row in facts["rows"] if row["view"] != "at_prior"] == plain["rows"]
    rows = {(r["operator"], r["measure"]): r["value"] for r in facts["rows"] if r["view"] == "at_prior"}
    y, p, _ = files
    assert rows["micro", "precision"] == under_prior(IndicatorMatrix(y, p, "binary"), 0.05).compute("precision")
    assert facts["settings"]["prior"] == [0.05]
    codes = [f["code"] for f in facts["findings"]]
    assert "label_shift" in codes
    assert (
        run([*arguments, "--prediction", "two.csv", "--target", "one=target.csv", "--target", "two=target.csv"]) == PASS
    )
    facts = json.loads(capsys.readouterr().out)
    sentences = [f["sentence"] for f in facts["findings"]]
    each = {f["where"][0]: f["numbers"]["prior"] for f in facts["findings"] if f["code"] == "label_shift"}
    assert each["one"] != each["two"]
    assert facts["settings"]["prior"] == each
    assert any("decisions alone cannot test it" in s or "the target's scores" in s for s in sentences)


@pytest.mark.parametrize(
    ("more", "code", "sentence"),
    [
        ([], USAGE, "Give --prior, --imbalance or --target"),
        (["--prior", "0.1", "--imbalance", "3"], USAGE, "Give one of --prior, --imbalance and --target."),
        (["--prior", "often"], USAGE, "--prior often is neither a number nor NAME=NUMBER"),
        (["--prior", "1.5"], ERROR, "prior contains 1.5, expected frequencies between 0 and 1"),
        (["--prior", "0.1", "--plot", "x.bmp"], USAGE, "has no known ending"),
        (["--target", "two=target.csv"], ERROR, "is of no prediction; expected one of 'one'"),
        (["--target", "gold.csv", "--method", "mlls"], ERROR, "mlls needs predicted probabilities"),
    ],
)
def test_what_cannot_be_done_is_said(files, capsys, more, code, sentence):
    assert run([*BOTH, *more]) == code
    err = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert sentence in err


def test_one_number_is_no_prior_of_three_classes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.csv").write_text("item,label\na,cat\nb,dog\nc,fox\n")
    (tmp_path / "hard.csv").write_text("item,model\na,cat\nb,fox\nc,fox\n")
    assert run(["shift", "--prediction", "hard.csv", "--reference", "gold.csv", "-q", "--prior", "0.05"]) == USAGE
    err = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "--prior 0.05 is one number, but there are 3 classes" in err
    assert "--prior cat=0.1,dog=0.2,fox=0.7." in err


def test_a_picture_that_cannot_be_drawn_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.csv").write_text("item,label\na,cat\nb,dog\nc,fox\n")
    (tmp_path / "hard.csv").write_text("item,model\na,cat\nb,fox\nc,fox\n")
    words = ["shift", "--prediction", "hard.csv", "--reference", "gold.csv", "-q", "--imbalance", "1"]
    assert run(words) == PASS
    capsys.readouterr()
    assert run([*words, "--plot", "curve.png"]) == ERROR
    assert "there is no picture: the other prior is that of the data" in capsys.readouterr().err
    assert not (tmp_path / "curve.png").exists()


def test_frequencies_of_votes_say_that_they_are_shares(tmp_path, capsys):
    (tmp_path / "votes.csv").write_text("item,n_no,n_yes\n" + "".join(f"{i},{i % 4},{3 - i % 4}\n" for i in range(40)))
    (tmp_path / "pred.csv").write_text("item,label\n" + "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(40)))
    files = ["--reference", str(tmp_path / "votes.csv"), "--prediction", str(tmp_path / "pred.csv")]
    assert run(["shift", *files, "--prior", "0.2"]) == 0
    out = capsys.readouterr().out
    assert "Frequencies are those of the shares of the reference." in out


def test_a_refuted_assumption_is_marked_and_the_estimate_has_its_interval(files, capsys, tmp_path):
    y = np.random.default_rng(5).random(300)
    rows = "".join(f"t{i},{1 - x:.6f},{x:.6f}\n" for i, x in enumerate(0.4 + 0.2 * y))  # as no class looks here
    (tmp_path / "other.csv").write_text("item,p_no,p_yes\n" + rows)
    words = ["--target", "other.csv", "--method", "bbse_soft", "--level", "0.8"]
    assert run([*BOTH, *words, "--json", "out.json"]) == PASS
    out = capsys.readouterr().out
    assert "! one: label shift: refuted by the target's scores, p < 0.0001 (chi2 = " in " ".join(out.split())
    facts = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (interval,) = facts["predictions"][0]["estimate"]["intervals"]
    assert interval["level"] == 0.8
    assert f"in the data, {interval['value']:.3f} [{interval['low']:.3f}, {interval['high']:.3f}] in the target" in out
    assert run(["report", *BOTH[1:], *words]) == PASS
    said = " ".join(capsys.readouterr().out.split())
    moved = f"to {interval['value']:.3g} [{interval['low']:.3g}, {interval['high']:.3g}]) the numbers of one assume"
    assert moved in said
    assert "is refuted by the target's scores, p < 0.0001" in said


def test_classes_without_a_frequency_keep_their_proportions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text("item,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate("aaaabbc" * 3)))
    (tmp_path / "p.csv").write_text("item,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate("aabcbcc" * 3)))
    sides = ["--prediction", "p.csv", "--reference", "r.csv", "-q"]
    assert run(["shift", *sides, "--prior", "a=0.7", "--json", "-"]) == PASS
    assert json.loads(capsys.readouterr().out)["predictions"][0]["prior"] == pytest.approx([0.7, 0.2, 0.1])
    for engine in ("memory", "stream"):
        assert (
            run(["report", *sides, "--labels", "a,b,c", "--prior", "a=0.7", "--engine", engine, "--json", "-"]) == PASS
        )
        assert json.loads(capsys.readouterr().out)["settings"]["prior"] == pytest.approx([0.7, 0.2, 0.1])
    assert run(["shift", *sides, "--prior", "z=0.7"]) == ERROR
    assert "prior names 'z', expected frequencies of 'a', 'b', 'c'." in capsys.readouterr().err


def test_an_estimate_beyond_the_simplex_names_the_flag(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text("item,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate("aaaabbbb" * 5)))
    (tmp_path / "p.csv").write_text("item,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate("aaabbbba" * 5)))
    (tmp_path / "t.csv").write_text("item,label\n" + "".join(f"{i},b\n" for i in range(40)))
    words = ["shift", "--prediction", "p.csv", "--reference", "r.csv", "-q", "--target", "t.csv"]
    assert run(words) == ERROR
    said = capsys.readouterr().err
    assert "prior contains " in said
    assert "the nearest prior is that of --project (project() in Python)." in said
    assert run([*words, "--project"]) == PASS
    assert run([*words, "--project", "--method", "bbse_soft"]) == ERROR
    assert "choose bbse_hard as the method" in capsys.readouterr().err.splitlines()[-1]
