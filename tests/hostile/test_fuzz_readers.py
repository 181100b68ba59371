"""Files of every format, made by a grammar of hostile words and by damage: a table comes out, or one sentence."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from hostile.cases import hostile_file, seeds
from softtruth.errors import InputError
from softtruth.inputs.files import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("chunk", seeds(few=300, slow=60_000, chunks=20))
def test_generated_files_are_read_or_refused(tmp_path: Path, chunk: range) -> None:
    wrong = []
    for seed in chunk:
        kind, content = hostile_file(Random(seed))  # noqa: S311  # no secret
        path = tmp_path / f"f.{kind}"
        path.write_bytes(content)
        try:
            table = read(path).table
            assert len(set(table.column_names)) == table.num_columns
            for column in table.columns:
                column.to_pylist()  # damaged text would show here
        except InputError as error:
            if "f." not in str(error) or "\n" in str(error):
                wrong.append((seed, kind, str(error)))
        except Exception as error:  # noqa: BLE001  # all of them are findings, to be seen together
            wrong.append((seed, kind, repr(error)))
        path.unlink()
    assert not wrong
