"""Settings that fit nothing are refused, and never ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from softtruth.cli import run
from softtruth.errors import InputError
from softtruth.inputs.align import load_problem

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "p.csv").write_text("item,prediction\na,x\nb,y\n")
    (tmp_path / "r.csv").write_text("item,label,role\na,x,one\nb,y,two\n")
    return str(tmp_path / "p.csv"), str(tmp_path / "r.csv")


def test_a_filter_on_a_column_of_no_file(paths: tuple[str, str]) -> None:
    prediction, reference = paths
    with pytest.raises(InputError, match="no file has a column 'rolle'"):
        load_problem([prediction], reference, where="rolle=one")
    with pytest.raises(InputError, match="no file has a column 'rolle'"):
        load_problem([prediction], reference, where="rolle!=one")
    assert load_problem([prediction], reference, where="role!=one").n == 1


@pytest.mark.parametrize("sign", ["", "abc", "é", '"', "\n"])
def test_delimiters_that_delimit_nothing(paths: tuple[str, str], sign: str) -> None:
    with pytest.raises(InputError, match="--delimiter is"):
        load_problem([paths[0]], paths[1], delimiter=sign)


@pytest.mark.parametrize("value", ["[0.9, 0.8]", "{a = 1}"])
def test_a_list_in_the_file_of_options(
    paths: tuple[str, str],
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "softtruth.toml").write_text(f"[report]\nlevel = {value}\n")
    assert run(["report", "--prediction", paths[0], "--reference", paths[1]]) == 2
    assert "for 'level' under [report]; expected one value" in " ".join(capsys.readouterr().err.split())
