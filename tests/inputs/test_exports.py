"""Files of annotation tools: every form gives the votes that people gave, and says what is no vote."""

import gzip
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from softtruth.annotations.answer_files import load_answers
from softtruth.errors import InputError, NotAnswerableError
from softtruth.inputs.align import load_problem
from softtruth.inputs.exports import read_export
from softtruth.inputs.settings import Settings


def lines(records):
    return "\n".join(json.dumps(record) for record in records) + "\n"


def choice(name, *picks, kind="choices"):
    return {"from_name": name, "to_name": "text", "type": kind, "value": {kind: list(picks)}}


def annotation(person, *results, **more):
    return {"completed_by": person, "was_cancelled": False, "ground_truth": False, "result": list(results), **more}


TASKS = [
    {
        "id": 7,
        "data": {"text": "x", "key": "a"},
        "annotations": [
            annotation({"id": 1, "email": "one@x.org"}, choice("mood", "good")),
            annotation(2, choice("mood", "bad", "good")),
            annotation(3, was_cancelled=True),
            annotation(4),
            annotation(5, choice("mood", "bad"), ground_truth=True),
        ],
        "drafts": [{"user": "six@x.org", "result": []}],
        "predictions": [{"result": [choice("mood", "bad")]}],
    },
    {"id": 8, "data": {"text": "y", "key": "b"}, "annotations": [annotation(2, choice("mood", "bad"))]},
]
SHORT = [
    {"text": "x", "id": 7, "mood": "good", "annotator": "one@x.org", "annotation_id": 1, "lead_time": 2.5},
    {"text": "x", "id": 7, "mood": {"choices": ["bad", "good"]}, "annotator": 2, "annotation_id": 2, "lead_time": 1.0},
    {"text": "y", "id": 8, "mood": "bad", "annotator": 2, "annotation_id": 3, "lead_time": 1.0},
]
SHORT_CSV = (
    "annotation_id,annotator,id,lead_time,mood,text\n"
    "1,one@x.org,7,2.5,good,x\n"
    '2,2,7,1.0,"{""choices"":[""bad"",""good""]}",x\n'
    "3,2,8,1.0,bad,y\n"
)
CHOICES = [
    {"text": "x", "_input_hash": 7, "_task_hash": 70, "options": [{"id": "bad"}, {"id": "good"}], **more}
    for more in (
        {"accept": ["good"], "answer": "accept", "_annotator_id": "set-one"},
        {"accept": ["bad", "good"], "answer": "accept", "_annotator_id": "set-two"},
        {"accept": [], "answer": "ignore", "_annotator_id": "set-three"},
        {"accept": [], "answer": "accept", "_annotator_id": "set-four"},
        {"accept": ["bad"], "answer": "reject", "_annotator_id": "set-five"},
    )
] + [
    {
        "_input_hash": 8,
        "options": [{"id": "bad"}, {"id": "good"}],
        "accept": ["bad"],
        "answer": "accept",
        "_session_id": "set-two",
    }
]
NESTED = [
    {
        "id": "7",
        "responses": {"mood": [{"value": "good", "user_id": "u1"}, {"value": ["bad", "good"], "user_id": "u2"}]},
    },
    {"id": "8", "responses": {"mood": [{"value": "bad", "user_id": "u2"}]}},
]
FLAT = [
    {
        "id": "7",
        "mood.responses": ["good", ["bad", "good"], "bad", "bad"],
        "mood.responses.users": ["u1", "u2", "u3", "u4"],
        "mood.responses.status": ["submitted", "submitted", "draft", "discarded"],
    },
    {"id": "8", "mood.responses": ["bad"], "mood.responses.users": ["u2"], "mood.responses.status": ["submitted"]},
]
PEOPLE = [
    {
        "id": "7",
        "annotations": [{"annotator_id": "u1", "label": "good"}, {"annotator_id": "u2", "label": ["bad", "good"]}],
    },
    {"id": "8", "annotations": [{"annotator_id": "u2", "label": "bad"}]},
]


def doccano_zip():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("ann.jsonl", lines([{"id": 7, "text": "x", "label": ["good"], "Comments": []}]))
        two = [{"id": 7, "label": ["bad", "good"], "Comments": []}, {"id": 8, "label": ["bad"], "Comments": []}]
        archive.writestr("bob.jsonl", lines([*two, {"id": 9, "label": [], "Comments": []}]))
    return stream.getvalue()


FORMS = {
    "full.json": json.dumps(TASKS),
    "full.jsonl": lines(TASKS),
    "full.json.gz": gzip.compress(json.dumps(TASKS).encode()),
    "min.json": json.dumps(SHORT),
    "min.csv": SHORT_CSV,
    "prodigy.jsonl": lines(CHOICES),
    "nested.json": json.dumps(NESTED),
    "nested.jsonl": lines(NESTED),
    "flat.json": json.dumps(FLAT),
    "doccano.zip": doccano_zip(),
    "people.jsonl": lines(PEOPLE),
}


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def problem(folder, name, content, items=("7", "8"), **options):
    rows = "".join(f"{item},{'good' if i else 'bad'}\n" for i, item in enumerate(items))
    return load_problem(
        [write(folder, "pred.csv", "item,prediction\n" + rows)], write(folder, name, content), **options
    )


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_votes(tmp_path, name):
    found = problem(tmp_path, name, FORMS[name])
    assert found.labels == ("bad", "good")
    np.testing.assert_array_equal(found.soft_reference(), [0.75, 0.0])  # of good: one whole vote and one shared by two
    np.testing.assert_array_equal(found.votes_per_item, [2, 1])


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        (
            "full.json",
            ["3 answers of 2 annotators on 2 items", "1 answer was skipped", "1 answer is a draft",
             "1 answer has no label", "1 answer is marked as gold", "1 predictions of models",
             "1 answer picks several labels"],
        ),
        ("min.json", ["3 answers of 2 annotators on 2 items", "drops skipped answers"]),
        ("prodigy.jsonl", ["1 answer was skipped", "1 answer has no label", "1 item was rejected as a whole"]),
        ("nested.json", ["do not say which responses are drafts"]),
        ("flat.json", ["1 answer is a draft", "1 answer was discarded"]),
        ("doccano.zip", ["3 answers of 2 annotators on 3 items", "1 answer has no label"]),
    ],
)  # fmt: skip
def test_what_is_no_vote_is_counted_and_said(tmp_path, name, facts):
    said = " ".join(problem(tmp_path, name, FORMS[name]).accounting.sentences)
    for fact in facts:
        assert fact in said


def test_several_questions_need_a_choice(tmp_path):
    both = [{**TASKS[0], "annotations": [annotation(1, choice("mood", "good"), choice("tone", "dry"))]}]
    with pytest.raises(InputError, match=r"several questions: 'mood' \(1 answers\), 'tone' \(1 answers\).*--label"):
        problem(tmp_path, "a.json", json.dumps(both))
    assert problem(tmp_path, "a.json", json.dumps(both), label="mood").labels == ("bad", "good")
    with pytest.raises(InputError, match="no answers to 'size'"):
        problem(tmp_path, "a.json", json.dumps(both), label="size")


def test_ratings_numbers_and_taxonomies(tmp_path):
    def labels_of(result):
        tasks = [{"id": 1, "data": {}, "annotations": [annotation(1, result)]}]
        return read_export(write(tmp_path, "a.json", json.dumps(tasks))).submissions[0].labels

    assert labels_of({"from_name": "q", "type": "rating", "value": {"rating": 4}}) == ("4",)
    assert labels_of({"from_name": "q", "type": "number", "value": {"number": 4.0}}) == ("4",)
    taxonomy = {"from_name": "q", "type": "taxonomy", "value": {"taxonomy": [["animal", "cat"], ["plant"]]}}
    assert labels_of(taxonomy) == ("animal/cat", "plant")


def test_another_key_for_items(tmp_path):
    found = problem(tmp_path, "a.json", json.dumps(TASKS), items=("a", "b"), item="reference:key")
    assert found.items.tolist() == ["a", "b"]
    with pytest.raises(InputError, match=r"no data\.nowhere \(its data have 'text', 'key'\)"):
        problem(tmp_path, "a.json", json.dumps(TASKS), item="reference:nowhere")


def test_errors_name_the_keys_that_an_id_may_have(tmp_path):
    words = r"full.json also has 'text', 'key': name what holds the ids with --item reference:KEY"
    with pytest.raises(InputError, match=words):
        problem(tmp_path, "full.json", FORMS["full.json"], items=("a", "b"))
    with pytest.raises(InputError, match=r"min.csv also has 'text': name what holds the ids with --item reference:KEY"):
        problem(tmp_path, "min.csv", SHORT_CSV, items=("a", "b"))
    with pytest.raises(
        InputError, match=r"no data.pic \(its data have 'text', 'key'\). Name another with --item refer"
    ):
        problem(tmp_path, "full.json", FORMS["full.json"], item=["reference:pic"])
    with pytest.raises(InputError, match=r"no item id in 'pic' \(it has 'text'\). Name another with --item reference:"):
        problem(tmp_path, "min.csv", SHORT_CSV, item=["reference:pic"])


PAGED = [{**record, "meta": {"page": record["_input_hash"] + 10}, "text": "x", "_pid": 1} for record in CHOICES]
FIELDED = [{**record, "fields": {"text": f"t{record['id']}"}, "metadata": {"row": 1}} for record in NESTED]
ADDRESSED = [{**record, "url": f"u{record['id']}", "mood.suggestion": "good"} for record in FLAT]
NUMBERED = [{"id": n, "text": f"t{n}", "label": ["good" if n == 7 else "bad"], "Comments": []} for n in (7, 8)]


@pytest.mark.parametrize(
    ("name", "records", "keys", "items"),  # the items stand under the last of the keys
    [
        ("prodigy.jsonl", PAGED, ("text", "page"), ("17", "18")),
        ("nested.jsonl", FIELDED, ("row", "text"), ("t7", "t8")),
        ("flat.jsonl", ADDRESSED, ("url",), ("u7", "u8")),
        ("all.jsonl", NUMBERED, ("text",), ("t7", "t8")),
    ],
)
def test_every_tool_names_the_keys_that_an_id_may_have(tmp_path, name, records, keys, items):
    words = f"also has {', '.join(map(repr, keys))}: name what holds the ids with --item reference:KEY"
    with pytest.raises(InputError, match=words):
        problem(tmp_path, name, lines(records), items=("a", "b"))
    found = problem(tmp_path, name, lines(records), items=items, item=f"reference:{keys[-1]}")
    assert found.items.tolist() == list(items)


def test_labels_of_parts_of_an_item_are_refused(tmp_path):
    spans = [{"id": 1, "data": {}, "annotations": [annotation(1, choice("mood", "good"), choice("mood", "bad"))]}]
    with pytest.raises(InputError, match="parts of the item"):
        read_export(write(tmp_path, "a.json", json.dumps(spans)))
    with pytest.raises(InputError, match="spans of a text"):
        read_export(write(tmp_path, "b.jsonl", lines([{"id": 1, "label": [[0, 3, "X"]], "Comments": []}])))
    ranking = [{"id": "1", "responses": {"q": [{"value": [{"value": "a", "rank": 1}], "user_id": "u"}]}}]
    with pytest.raises(InputError, match="a ranking or a span"):
        read_export(write(tmp_path, "c.json", json.dumps(ranking)))


def test_a_rejected_label_is_a_vote_against_it(tmp_path):
    def offered(label, answer, person):
        return {"_input_hash": 7, "label": label, "answer": answer, "_session_id": person}

    one = [offered("good", "accept", "a"), offered("good", "reject", "b"), offered("good", "accept", "c")]
    rows = write(tmp_path, "p.csv", "item,p_good\n7,0.9\n")
    found = load_problem([rows], write(tmp_path, "one.jsonl", lines(one)))
    assert (found.task, found.labels) == ("binary", ("not good", "good"))
    assert found.soft_reference() == pytest.approx(2 / 3)
    two = [*one, offered("new", "reject", "a"), offered("new", "accept", "b")]
    several = write(tmp_path, "q.csv", "item,p_good,p_new\n7,0.9,0.4\n")
    found = load_problem([several], write(tmp_path, "two.jsonl", lines(two)))
    assert (found.task, found.labels) == ("multilabel", ("good", "new"))
    np.testing.assert_allclose(found.soft_reference(), [[2 / 3, 1 / 2]])


def test_picks_may_be_labels_that_hold_together(tmp_path):
    path = write(tmp_path, "a.jsonl", FORMS["prodigy.jsonl"])
    rows = write(tmp_path, "p.csv", "item,p_bad,p_good\n7,0.9,0.8\n8,0.9,0.1\n")
    found = load_problem([rows], path, task="multilabel")
    np.testing.assert_allclose(found.soft_reference(), [[0.5, 1.0], [1.0, 0.0]])


def test_repeated_answers_need_a_word(tmp_path):
    again = [*NESTED, {"id": "8", "responses": {"mood": [{"value": "good", "user_id": "u2"}]}}]
    with pytest.raises(InputError, match="'u2' answers item '8' more than once"):
        problem(tmp_path, "a.json", json.dumps(again))
    for word, share in (("first", 0.0), ("last", 1.0), ("keep", 0.5)):
        found = problem(tmp_path, "a.json", json.dumps(again), duplicates=word)
        assert found.soft_reference()[1] == share
        assert found.accounting.duplicated == 1


def test_maps_filters_and_ignored_labels_work_as_everywhere(tmp_path):
    found = problem(tmp_path, "a.json", json.dumps(FLAT), where=["reference:annotator=u2"])
    np.testing.assert_array_equal(found.soft_reference(), [0.5, 0.0])
    found = problem(tmp_path, "a.json", json.dumps(NESTED), rename=["reference:good=fine", "prediction:good=fine"])
    assert found.labels == ("bad", "fine")
    found = problem(tmp_path, "a.json", json.dumps(NESTED), ignore=["bad"], positive="good", labels=["bad", "good"])
    assert found.mask.tolist() == [True, False]  # what is left of the shared answer is a whole vote
    assert found.votes_per_item[0] == 2


def test_an_item_that_all_skipped_is_there_without_votes(tmp_path):
    tasks = [*TASKS, {"id": 9, "data": {}, "annotations": [annotation(2, was_cancelled=True)]}]
    found = problem(tmp_path, "a.json", json.dumps(tasks), items=("7", "8", "9"))
    assert found.mask.tolist() == [True, True, False]
    assert found.accounting.without_votes == 1


def test_a_file_without_a_vote_is_refused(tmp_path):
    tasks = [{"id": 9, "data": {}, "annotations": [annotation(2, choice("q", "a"), was_cancelled=True)]}]
    with pytest.raises(InputError, match=r"no answer that counts.*1 answer was skipped"):
        problem(tmp_path, "a.json", json.dumps(tasks))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cut.json", json.dumps(TASKS)[:-20], "not a whole JSON list"),
        ("cut.jsonl", lines(CHOICES)[:-20], "line 6 is not a JSON record"),
        ("other.jsonl", lines(CHOICES) + "3\n", "line 7 is 3, expected a JSON record"),
        (
            "flat.json",
            json.dumps([{**FLAT[0], "mood.responses.status": ["submitted"]}]),
            "4 responses, 4 users and 1 statuses",
        ),
        ("empty.jsonl", lines([{"_input_hash": 1, "answer": "accept"}]), "neither choices"),
    ],
)
def test_damaged_files_are_named(tmp_path, name, content, words):
    with pytest.raises(InputError, match=words):
        read_export(write(tmp_path, name, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.csv", "task,worker,label\n1,a,cat\n"),
        ("counter.jsonl", '{"uid": "1", "label_counter": {"e": 60, "n": 40}}\n'),
        ("tags.jsonl", '{"id": "1", "labels": ["a", "b"]}\n'),
        ("model.jsonl", '{"id": "1", "annotator_count": 3, "p": [0.1, 0.9]}\n'),
    ],
)
def test_other_files_are_left_to_their_readers(tmp_path, name, content):
    assert read_export(write(tmp_path, name, content)) is None


# --- the answers, person by person -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in FORMS if n not in {"full.jsonl", "full.json.gz", "nested.jsonl"}])
def test_who_answered_what(tmp_path, name):
    found = load_answers(write(tmp_path, name, FORMS[name]), Settings(), items=["7", "8"], classes=["bad", "good"])
    assert found.answers.counts.tolist() == [[0, 1], [1, 0]]
    assert "pick several labels, left out of comparisons between people: 1" in found.sentences[0]


def test_one_column_for_each_annotator(tmp_path):
    path = write(tmp_path, "wide.csv", "id,ann,bob,cy\n1,cat,dog,\n2,cat,,cat\n")
    found = load_answers(path, Settings(label=("ann,bob,cy",)))
    assert found.answers.annotators == ("ann", "bob", "cy")
    assert found.answers.classes == ("cat", "dog")
    assert found.answers.counts.tolist() == [[1, 1], [2, 0]]


def test_class_numbers_in_columns_of_annotators(tmp_path):
    path = write(tmp_path, "wide.csv", "item,v1,v2\na,0.0,2.0\nb,1.0,\n")
    answers = load_answers(path, Settings(), items=["a", "b"], classes=("cat", "dog", "fox")).answers
    np.testing.assert_array_equal(answers.counts, [[1, 0, 1], [0, 1, 0]])
    with pytest.raises(InputError, match="holds '0', '1', '2', but the classes are 'cat', 'dog'; use --map"):
        load_answers(path, Settings(), items=["a", "b"], classes=("cat", "dog"))


def test_long_answers_to_several_questions(tmp_path):
    rows = "item,finding,annotator,label\n1,a,x,1\n1,b,x,0\n1,a,y,0\n2,b,y,1\n"
    found = load_answers(write(tmp_path, "a.csv", rows), Settings())
    assert {name: a.counts.tolist() for name, a in found.answers.items()} == {
        "a": [[1, 1], [0, 0]],
        "b": [[1, 0], [0, 1]],
    }


def test_answers_about_other_items_and_other_classes(tmp_path):
    path = write(tmp_path, "a.csv", "item,annotator,label\n1,x,cat\n1,y,dog\n2,x,cat\n")
    found = load_answers(path, Settings(), items=["1"])
    assert found.answers.counts.tolist() == [[1, 1]]
    assert found.sentences == ("a.csv: answers about other items, left out: 1.",)
    with pytest.raises(InputError, match="holds 'dog', but the classes are 'cat', 'cow'"):
        load_answers(path, Settings(), classes=["cat", "cow"])
    rest = load_answers(path, Settings(positive="cat"), classes=["not cat", "cat"])
    assert rest.answers.counts.tolist() == [[1, 1], [0, 1]]


def test_files_that_do_not_say_who_answered(tmp_path):
    with pytest.raises(NotAnswerableError, match="does not say who answered"):
        load_answers(write(tmp_path, "a.csv", "item,n_cat,n_dog\n1,3,1\n"), Settings())


def test_shares_of_a_hugging_face_column(tmp_path):
    shares = pa.array([[0.25, 0.75], [1.0, 0.0]], pa.list_(pa.float32(), 2))
    parquet.write_table(pa.table({"id": ["7", "8"], "soft": shares}), tmp_path / "hf.parquet")
    rows = write(tmp_path, "p.csv", "item,prediction\n7,1\n8,0\n")
    found = load_problem([rows], str(tmp_path / "hf.parquet"))
    np.testing.assert_allclose(found.soft_reference(), [0.75, 0.0])
