"""What a file is recognised as, from its names and its values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from softtruth.errors import InputError
from softtruth.inputs.files import read
from softtruth.inputs.profile import profile
from softtruth.inputs.recognise import Hints
from softtruth.inputs.roles import assign


def look(tmp_path, text, name="a.csv", **hints):
    path = tmp_path / name
    path.write_text(text)
    return profile(read(path), Hints(**hints))


CASES = {
    "annotations": (
        "item,annotator,label\n1,A,x\n1,B,y\n2,A,x\n",
        "long annotations, one row for each vote (label, annotator)",
        ("x", "y"),
    ),
    "crowd tool": (
        "task,worker,label\n1,A,x\n1,B,y\n",
        "long annotations, one row for each vote (label, worker)",
        ("x", "y"),
    ),
    "findings": (
        "item,finding,annotator,label\n1,AF,A,0\n1,ST,A,1\n",
        "long annotations, one row for each vote (label, annotator, finding)",
        ("AF", "ST"),
    ),
    "anonymous votes": (
        "item,label\n1,x\n1,y\n2,x\n",
        "long annotations, one row for each vote (label)",
        ("x", "y"),
    ),
    "counts": (
        "item,n_annotators,n_dog,n_cat\n1,3,3,0\n2,2,1,1\n",
        "vote counts, one column for each class (n_dog, n_cat)",
        ("dog", "cat"),
    ),
    "counts without prefix": (
        "item,dog,cat\n1,3,0\n2,1,1\n",
        "vote counts, one column for each class (dog, cat)",
        ("dog", "cat"),
    ),
    "probabilities": (
        "item,p_dog,p_not_a_cat\n1,0.25,0.75\n2,1,0\n",
        "wide probabilities, rows sum to one (p_dog, p_not_a_cat)",
        ("dog", "not_a_cat"),
    ),
    "probabilities without prefix": (
        "item,text,dog,cat\n1,q,0.25,0.75\n2,r,1,0\n",
        "one column for each class, rows sum to one (dog, cat)",
        ("dog", "cat"),
    ),
    "soft labels": (
        "item,y_dog,y_cat\n1,0.25,0.75\n2,0.5,0.5\n",
        "soft labels, rows sum to one (y_dog, y_cat)",
        ("dog", "cat"),
    ),
    "independent probabilities": (
        "item,p_a,p_b\n1,0.2,0.1\n2,0.9,0.8\n",
        "wide probabilities, rows do not sum to one (multilabel, or scores) (p_a, p_b)",
        ("a", "b"),
    ),
    "indicators": (
        "item,a,b\n1,0,0\n2,1,1\n",
        "one 0/1 column for each label (multilabel) (a, b)",
        ("a", "b"),
    ),
    "one-hot": (
        "item,a,b\n1,0,1\n2,1,0\n",
        "one 0/1 column for each class, one 1 in each row (a, b)",
        ("a", "b"),
    ),
    "logits": ("item,logit_a,logit_b\n1,-3,2.5\n2,4,0\n", "one score for each class (logit_a, logit_b)", ("a", "b")),
    "gold": ("item,gold\n1,2\n2,10\n3,2\n", "gold labels (gold)", ("2", "10")),
    "prediction": ("item,prediction\n1,b\n2,a\n", "hard predictions (prediction)", ("a", "b")),
    "models": (
        "item,resnet,vgg\n1,cat,dog\n2,dog,dog\n3,cat,cat\n",
        "labels, one column for each annotator or model (resnet, vgg)",
        ("cat", "dog"),
    ),
    "score": ("item,score\n1,0.5\n2,0.25\n", "one score for each item (score)", ()),
    "one class": ("item,p_yes\n1,0.5\n2,0.25\n", "one score for each item (p_yes)", ("yes",)),
    "facts": ("item,split,lang,age\n1,test,de,30\n2,dev,fr,40\n3,dev,it,50\n", "facts about the items", ()),
    "rankings": ("case,reader,rank,condition\n1,1,1,5\n1,1,2,6\n", "rankings (rank, reader)", ()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_recognised(tmp_path, name):
    text, words, classes = CASES[name]
    found = look(tmp_path, text)
    assert (found.reading.words(), found.classes) == (words, classes)


def test_lists_and_records_are_recognised(tmp_path):
    found = look(tmp_path, '{"id":1,"label":["x","x","y"]}\n{"id":2,"label":["y"]}\n', "a.jsonl")
    assert found.reading.words() == "a list of labels for each item (label)"
    found = look(
        tmp_path, '{"uid":"a","label_counter":{"e":60,"n":40}}\n{"uid":"b","label_counter":{"e":1}}\n', "b.jsonl"
    )
    assert (found.reading.words(), found.item) == (
        "vote counts, one column for each class (label_counter.e, label_counter.n)",
        "uid",
    )
    np.save(tmp_path / "c.npy", np.array([[0.25, 0.75], [0.5, 0.5]]))
    found = profile(read(tmp_path / "c.npy"))
    assert (found.reading.kind, found.item, found.classes) == ("distribution", None, ("0", "1"))


def test_counts_of_items_votes_repeats_and_gaps(tmp_path):
    found = look(tmp_path, "item,annotator,label\n1,A,x\n1,A,y\n2,A,\n2,B,x\n2,C,x\n")
    assert (found.items, found.annotators, found.duplicates, found.missing) == (2, 3, 1, 1)
    assert found.votes_per_item == (2, 2.5, 3)
    assert dict(zip(found.classes, found.counts, strict=True)) == {"x": 3, "y": 1}
    assert found.serves == ("reference", "prediction")


def test_flags_replace_guesses(tmp_path):
    text = "key,who,answer,extra\n1,A,x,p\n1,B,y,q\n"
    found = look(tmp_path, text, item="key", annotator="who", label="extra")
    assert found.reading.words() == "long annotations, one row for each vote (extra, who)"
    assert look(tmp_path, "a,b,c\n1,2,3\n", item="c").item == "c"
    with pytest.raises(InputError) as caught:
        look(tmp_path, text, item="id")
    assert str(caught.value) == "a.csv has no column 'id'; it has 'key', 'who', 'answer', 'extra'. Change --item."


def test_classes_that_differ_only_in_case_are_reported(tmp_path):
    found = look(tmp_path, "item,label\n1,yes\n2,Yes\n")
    assert found.problem == (
        "a.csv: the classes 'Yes' and 'yes' differ only in case or blanks; if they are one class, pass --map yes=Yes."
    )


def test_text_among_numbers_is_reported_with_its_row(tmp_path):
    found = look(tmp_path, 'item,p_a,p_b,p_c\n1,0.2,0.7,0.1\n2,0.5,"0,5",0\n')
    assert found.problem == ("a.csv row 2: column 'p_b' holds '0,5', expected a number. Write it with a decimal point.")


def test_profiles_are_json_values(tmp_path):
    facts = look(tmp_path, CASES["annotations"][0]).to_dict()
    assert facts["kind"] == "annotations"
    assert facts["columns"] == {"item": "whole", "annotator": "text", "label": "text"}
    assert facts["files"][0]["rows"] == 3


def roles(tmp_path, **files):
    found = []
    for name, text in files.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        found.append(profile(read(path)))
    return assign(found)


def names(profiles):
    return [p.loaded.name for p in profiles]


def test_sides_are_guessed_from_what_files_hold(tmp_path):
    found = roles(
        tmp_path,
        annotations="item,annotator,label\n1,A,x\n1,B,y\n2,A,x\n",
        votes="item,n_x,n_y\n1,1,1\n2,1,0\n",
        pred_one="item,p_x,p_y\n1,0.5,0.5\n2,1,0\n",
        pred_hard="item,model\n1,x\n2,y\n",
        items="item,split,group,age\n1,a,g,3\n2,b,g,4\n",
        pred_seeds="item,seed,p_x,p_y\n1,1,0.5,0.5\n1,2,1,0\n",
    )
    assert names(found.predictions) == ["pred_one.csv", "pred_hard.csv"]
    assert found.reference is not None
    assert found.reference.loaded.name == "annotations.csv"
    assert names(found.items) == ["items.csv"]
    assert names(found.spare) == ["votes.csv", "pred_seeds.csv"]


def test_votes_are_the_prediction_where_gold_is_at_hand(tmp_path):
    found = roles(tmp_path, annotations="item,annotator,label\n1,A,x\n1,B,y\n", gold="item,gold\n1,x\n")
    assert names(found.predictions) == ["annotations.csv"]
    assert found.reference is not None
    assert found.reference.loaded.name == "gold.csv"


def test_shares_beside_votes_are_predictions_whatever_their_names(tmp_path):
    votes = "item,annotator,label\n1,A,cat\n1,B,dog\n2,A,cat\n"
    shares = "item,cat,dog\n1,0.5,0.5\n2,1,0\n"
    found = roles(tmp_path, votes=votes, small=shares, large=shares)
    assert names(found.predictions) == ["small.csv", "large.csv"]
    assert found.reference is not None
    assert found.reference.loaded.name == "votes.csv"
    found = roles(tmp_path, votes=votes, expert=shares, large=shares)
    assert names(found.predictions) == ["large.csv"]
    assert names(roles(tmp_path, votes=votes, small=shares, pred_large=shares).predictions) == ["pred_large.csv"]


def test_one_table_may_hold_both_sides(tmp_path):
    found = roles(tmp_path, both="item,gold,p_x,p_y\n1,x,0.5,0.5\n2,y,1,0\n")
    assert found.both is not None
    assert roles(tmp_path, alone="item,gold\n1,x\n2,y\n").both is None


def test_integer_labels_of_parquet_files_are_classes(tmp_path):
    parquet.write_table(pa.table({"item": [7, 8], "label": [1, 0]}), tmp_path / "a.parquet")
    found = profile(read(tmp_path / "a.parquet"))
    assert (found.item, found.classes) == ("item", ("0", "1"))
