"""Items that one file knows by a path, and another by the name of the file."""

from __future__ import annotations

import json

import pytest

from softtruth.annotations.answer_files import load_answers
from softtruth.cli import run
from softtruth.errors import InputError
from softtruth.inputs.align import load_problem
from softtruth.inputs.file_names import file_name
from softtruth.inputs.settings import Settings

NAMES = ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An upload of Label Studio, predictions by file name, and facts by address."""
    monkeypatch.chdir(tmp_path)
    tasks = [
        {
            "id": 7 + i,
            "data": {"image": f"/data/upload/1/{i:08x}-{name}"},
            "annotations": [
                {
                    "completed_by": person,
                    "result": [
                        {
                            "from_name": "animal",
                            "to_name": "image",
                            "type": "choices",
                            "value": {"choices": ["cat" if (i + person) % 3 else "dog"]},
                        }
                    ],
                }
                for person in (1, 2)
            ],
        }
        for i, name in enumerate(NAMES)
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    (tmp_path / "pred.csv").write_text("image,cat,dog\n" + "".join(f"{name},0.75,0.25\n" for name in NAMES))
    facts = "".join(f"s3://box/{name},p{i // 2}\n" for i, name in enumerate(NAMES))
    (tmp_path / "items.csv").write_text("path,patient\n" + facts)
    return tmp_path


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("a.jpg", "a.jpg"),
        ("17", "17"),
        ("x/y/a.jpg", "a.jpg"),
        ("C:\\x\\a.jpg", "a.jpg"),
        ("https://host/x/a.jpg", "a.jpg"),
        ("/data/local-files/?d=a.jpg", "a.jpg"),
        ("/data/upload/12/0a1b2c3d-a.jpg", "a.jpg"),
        ("/data/upload/12/0a1b2c3d-a-b.jpg", "a-b.jpg"),
        ("0a1b2c3d-a.jpg", "0a1b2c3d-a.jpg"),  # no upload: the name itself may begin so
    ],
)
def test_the_name_at_the_end(item, name):
    assert file_name(item) == name


def test_items_facts_and_answers_meet_by_their_file_names(here):
    flags = {"item": "reference:image", "file_names": True}
    problem = load_problem(["pred.csv"], "export.json", "items.csv", cluster="patient", **flags)
    assert problem.items.tolist() == NAMES
    assert problem.clusters.tolist() == [0, 0, 1, 1]
    assert problem.options["file_names"] is True
    some = load_problem(["pred.csv"], "export.json", "items.csv", where="items:patient=p1", **flags)
    assert some.items.tolist() == NAMES[2:]
    answers = load_answers("export.json", Settings(item=("reference:image",), file_names=True), items=NAMES).answers
    assert len(answers.item) == 2 * len(NAMES)


def test_without_the_flag_it_is_named(here):
    with pytest.raises(InputError, match=r"Their file names are the same: pass --file-names\."):
        load_problem(["pred.csv"], "export.json", item="reference:image")


def test_two_items_of_one_name_are_refused(here):
    (here / "pred.csv").write_text("image,cat,dog\nx/a.jpg,0.5,0.5\ny/a.jpg,0.5,0.5\n")
    with pytest.raises(InputError, match=r"pred\.csv: the items 'x/a\.jpg' and 'y/a\.jpg' have the same file name"):
        load_problem(["pred.csv"], "export.json", item="reference:image", file_names=True)


def test_the_command(here, capsys):
    flags = ["--item", "reference:image", "--file-names"]
    assert run(["inspect", "export.json", "pred.csv", *flags]) == 0
    assert "--item reference:image --file-names" in capsys.readouterr().out
    assert run(["report", "--reference", "export.json", "--prediction", "pred.csv", *flags]) == 0
    assert "Items in all files: 4." in capsys.readouterr().out
    stream = ["--engine", "stream", "--labels", "cat,dog"]
    assert run(["report", "--reference", "export.json", "--prediction", "pred.csv", *flags, *stream]) == 1
    assert "--file-names compares each item with all others" in capsys.readouterr().err
