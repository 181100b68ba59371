"""Files in: every format gives the same table, nothing is changed on the way, and bad files are named in one line."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from softtruth.errors import InputError
from softtruth.inputs.files import natural, read

ROWS = {"item": ["001", "2", "x"], "label": ["NA", "None", "null"], "p": ["0.25", "", "1"]}
CSV = "item,label,p\n001,NA,0.25\n2,None,\nx,null,1\n"


def make(folder: Path, name: str, content: bytes | str) -> str:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(path)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.txt"])
def test_every_csv_column_is_text_and_stays_as_written(tmp_path, name):
    assert read(make(tmp_path, name, CSV)).table.to_pydict() == ROWS


def test_tsv_semicolons_byte_order_mark_and_windows_line_ends(tmp_path):
    assert read(make(tmp_path, "a.tsv", CSV.replace(",", "\t"))).table.to_pydict() == ROWS
    assert read(make(tmp_path, "b.csv", CSV.replace(",", ";"))).table.to_pydict() == ROWS
    assert read(make(tmp_path, "c.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode())).table.to_pydict() == ROWS
    assert read(make(tmp_path, "d.csv", "\n\n" + CSV)).table.to_pydict() == ROWS


def test_line_ends_of_old_systems_are_read(tmp_path):
    assert read(make(tmp_path, "a.csv", CSV.replace("\n", "\r"))).table.to_pydict() == ROWS


def test_quoted_values_may_hold_delimiters_and_line_ends(tmp_path):
    table = read(make(tmp_path, "a.csv", 'item,"text, long"\n1,"a\nb ""c"", d"\n')).table
    assert table.to_pydict() == {"item": ["1"], "text, long": ['a\nb "c", d']}


def test_the_blank_name_of_an_index_column_gets_a_name(tmp_path):
    assert read(make(tmp_path, "a.csv", ",x\n0,1\n")).table.column_names == ["column 1", "x"]


def test_a_class_that_comes_after_a_million_numbers_is_read(tmp_path):
    path = make(tmp_path, "a.csv", "label\n" + "1\n" * 1_000_000 + "1b\n")
    assert read(path).table["label"][-1].as_py() == "1b"


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    for name, text in (("a.csv", "item,label"), ("b.csv", "item,label\n")):
        table = read(make(tmp_path, name, text)).table
        assert (table.num_rows, table.column_names) == (0, ["item", "label"])


def test_typed_formats_give_the_same_columns(tmp_path):
    table = pa.table({"item": ["a", "b"], "p": [0.25, 0.75]})
    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    make(tmp_path, "a.jsonl", '{"item":"a","p":0.25}\n{"item":"b","p":0.75}\n')
    make(tmp_path, "a.json", '[{"item":"a","p":0.25},{"item":"b","p":0.75}]')
    np.savez(tmp_path / "a.npz", item=np.array(["a", "b"]), p=np.array([0.25, 0.75]))
    for name in ("a.parquet", "a.feather", "stream.arrow", "a.jsonl", "a.json", "a.npz"):
        assert read(tmp_path / name).table.to_pydict() == table.to_pydict(), name
        packed = make(tmp_path, name + ".gz", (tmp_path / name).read_bytes())
        assert read(packed).table.to_pydict() == table.to_pydict(), packed


def test_files_without_a_known_suffix_are_told_by_their_first_bytes(tmp_path):
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "one")
    make(tmp_path, "two", '{"a":"x"}\n')
    make(tmp_path, "three", "a\nx\n")
    for name in ("one", "two", "three"):
        assert read(tmp_path / name).table.to_pydict() == {"a": ["x"]}, name


def test_json_dates_and_leading_zeros_stay_text(tmp_path):
    path = make(tmp_path, "a.jsonl", '{"item":"2024-01-01","label":"007"}\n{"item":"2024-01-02","label":"8"}\n')
    assert read(path).table.to_pydict() == {"item": ["2024-01-01", "2024-01-02"], "label": ["007", "8"]}


def test_records_and_lists_inside_a_column_are_spread_out(tmp_path):
    path = make(tmp_path, "a.jsonl", '{"id":1,"votes":{"cat":3,"dog":1}}\n{"id":2,"votes":{"cat":2}}\n')
    assert read(path).table.to_pydict() == {"id": [1, 2], "votes.cat": [3, 2], "votes.dog": [1, 0]}
    path = make(tmp_path, "b.jsonl", '{"id":1,"p":[0.5,0.5]}\n{"id":2,"p":[0.25,0.75]}\n')
    assert read(path).table.to_pydict() == {"id": [1, 2], "p.0": [0.5, 0.25], "p.1": [0.5, 0.75]}
    np.save(tmp_path / "c.npy", np.array([[0.5, 0.5], [0.25, 0.75]], dtype=np.float32))
    assert read(tmp_path / "c.npy").table.to_pydict() == {"value.0": [0.5, 0.25], "value.1": [0.5, 0.75]}


def test_class_names_in_the_schema_replace_codes(tmp_path):
    names = {"info": {"features": {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}
    table = pa.table({"item": ["a", "b", "c"], "label": [1, 0, -1]})
    table = table.replace_schema_metadata({"huggingface": json.dumps(names)})
    parquet.write_table(table, tmp_path / "a.parquet")
    loaded = read(tmp_path / "a.parquet")
    assert loaded.table["label"].to_pylist() == ["pos", "neg", None]
    assert loaded.class_order == {"label": ("neg", "pos")}


def test_parts_are_joined_in_natural_order_whatever_their_column_order(tmp_path):
    make(tmp_path, "part-10.csv", "item,label\nc,z\n")
    make(tmp_path, "part-2.csv", "label,item\ny,b\n")
    make(tmp_path, "part-1.csv", "item,label\na,x\n")
    want = {"item": ["a", "b", "c"], "label": ["x", "y", "z"]}
    assert read(str(tmp_path / "part-*.csv")).table.to_pydict() == want
    assert read(tmp_path).table.to_pydict() == want
    assert read([tmp_path / "part-1.csv", tmp_path / "part-2.csv"]).table.num_rows == 2
    assert sorted(["a10", "a2", "b1"], key=natural) == ["a2", "a10", "b1"]


def test_hash_and_rows_of_each_part_are_kept(tmp_path):
    path = make(tmp_path, "a.csv.gz", CSV)
    record = read(path).records[0]
    content = Path(path).read_bytes()
    assert record.to_dict() == {
        "path": path,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "rows": 3,
    }


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    loaded = read("-")
    assert loaded.table.to_pydict() == ROWS
    assert loaded.path == "standard input"


BAD = {
    "ragged.csv": (
        b"a,b\n1,2\n3\n",
        (
            "{p} line 3 has 1 values, expected 2 as in the header: '3'. Put values that hold the delimiter between "
            "quotation marks, or complete the row."
        ),
    ),
    "latin.csv": (
        b"a,b\n1,2\n3,\xff\n",
        "{p} line 3 is not UTF-8 text: save the file as UTF-8, or run: iconv -f LATIN1 -t UTF-8.",
    ),
    "header.csv": (
        b"a,\xe9t\xe9\n1,2\n",
        "{p} line 1 is not UTF-8 text: save the file as UTF-8, or run: iconv -f LATIN1 -t UTF-8.",
    ),
    "wide.csv": (
        "a,b\n1,2\n".encode("utf-16"),
        "{p} is UTF-16 text, expected UTF-8: save it as UTF-8, or run: iconv -f UTF-16 -t UTF-8.",
    ),
    "empty.csv": (b"", "{p} is empty: expected a header line and one row for each item."),
    "blank.csv": (b"\n \n", "{p} is empty: expected a header line and one row for each item."),
    "twice.csv": (b"a,b,a\n1,2,3\n", "{p}: the header names 'a' more than once; give each column a name of its own."),
    "quote.csv": (
        b'a,b\n1,"2\n3,4\n',
        (
            "{p}: the quotation mark opened near line 2 is never closed, so the rows after it were read as one value. "
            'Close it, or write a quotation mark inside a value as "".'
        ),
    ),
    "bad.jsonl": (
        b'{"a":1}\n{"a":x}\n',
        (
            "{p} line 2 is not a JSON record (Expecting value: line 1 column 6 (char 5)). "
            "Expected one complete record a line."
        ),
    ),
    "list.jsonl": (
        b'{"a":1}\n[1]\n',
        "{p} line 2 is not a JSON record. Expected {{...}} with the same keys on each line.",
    ),
    "empty.jsonl": (b"", "{p} is empty (0 bytes)."),
    "not.gz": (b"a,b\n", "{p} is named .gz but holds no gzip data. Rename it, or compress it again."),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named_in_one_line(tmp_path, name):
    path = tmp_path / name
    content, sentence = BAD[name]
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == sentence.format(p=path)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.parquet.gz"])
def test_a_truncated_gzip_file_is_named(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-20])
    with pytest.raises(InputError, match=r"cut") as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(("name", "expected"), [("a.parquet", "Parquet"), ("a.feather", "Arrow"), ("a.npy", "NumPy")])
def test_a_file_with_the_wrong_suffix_is_named(tmp_path, name, expected):
    (tmp_path / name).write_bytes(b"item,label\n1,2\n")
    with pytest.raises(InputError, match=f"cannot be read as an? {expected}"):
        read(tmp_path / name)


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="NumPy file without pickled objects"):
        read(tmp_path / "a.npy")


def test_missing_files_patterns_and_folders_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = f"Check the path; it is looked up from {tmp_path}."
    for path, what in (("no.csv", "does not exist"), ("no*.csv", "matches no file")):
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value) == f"{path} {what}. {where}"
    with pytest.raises(InputError, match="holds no file of a known kind"):
        read(tmp_path)


def test_parts_with_other_columns_are_refused(tmp_path):
    first, second = make(tmp_path, "a.csv", "item,label\n1,x\n"), make(tmp_path, "b.csv", "item,gold\n1,x\n")
    with pytest.raises(InputError) as caught:
        read([first, second])
    assert str(caught.value) == (
        f"{second} lacks 'label' and adds 'gold' compared with {first}; the parts of one table need the same columns. "
        "If these are different kinds of file, say which is which with --prediction, --reference and --items."
    )
