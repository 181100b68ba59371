"""Every measure has a value that was found without the package: tests/golden/measures.json says how."""

import json
from pathlib import Path

import pytest

from softtruth import Cells, Table, list_measures, parse
from softtruth.measures import Averaged
from softtruth.measures.operators import evaluate

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "measures.json").read_text())
ENTRIES = GOLDEN["of_cells"] | GOLDEN["of_table"]


@pytest.mark.parametrize("name", ENTRIES)
def test_a_measure_has_its_published_value(name):
    question = parse(name)
    data = Cells.of(*GOLDEN["cells"]) if name in GOLDEN["of_cells"] else Table.of(GOLDEN["table"])
    assert float(evaluate(question, data)) == pytest.approx(ENTRIES[name]["value"], rel=1e-13)
    assert isinstance(question, Averaged) == (name in GOLDEN["of_cells"])


def test_every_measure_has_an_entry_and_every_entry_its_origin():
    assert {m.name for m in list_measures()} <= set(ENTRIES)
    assert all(entry["found by"] for entry in ENTRIES.values())
