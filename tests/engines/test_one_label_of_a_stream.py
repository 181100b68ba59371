"""A stream does not read the yes and no of one label as class numbers, and the flags that it names work."""

from softtruth.cli import run

ROWS = "a,1,0,0,0.5,0.25,0.25\nb,0,1,0,0.25,0.5,0.25\nc,0,0,1,0,0,1\nd,1,0,0,0.75,0.25,0\n"


def test_one_label_is_refused_with_the_flags_that_ask_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("item,AF,ST,SB,p_AF,p_ST,p_SB\n" + ROWS)
    words = ["report", "t.csv", "--label", "AF", "-q", "--statistic", "sum.arrow"]
    assert run([*words, "--prediction-column", "p_*"]) != 0
    told = capsys.readouterr().err
    assert "'AF' holds 0 and 1" in told
    assert "--prediction-column p_AF --labels 'not AF,AF'" in told
    assert run([*words, "--prediction-column", "p_AF", "--labels", "not AF,AF"]) == 0
    assert "binary, 4 items, AF against not AF" in capsys.readouterr().out
