"""Files of object stores: a small server speaks as much of S3 as reading needs."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from pyarrow import csv, fs, parquet

from engines.conftest import Data
from engines.meeting import WANTED, assert_meets, in_memory, sides
from softtruth import InputError, count_stream, evaluate_stream
from softtruth.engines.pieces import Files
from softtruth.statistics.serialise import to_bytes

pytestmark = pytest.mark.skipif(not hasattr(fs, "S3FileSystem"), reason="this build of Arrow has no S3")
LABELS = ["a", "b", "c", "d"]


class Store(BaseHTTPRequestHandler):
    """Lists, describes and gives the files of one folder, as the bucket ``data``."""

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._give(body=False)

    def do_GET(self):
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        self.asked.append(self.path)
        if path.strip("/") != "data":
            self._give(body=True)
            return
        prefix = query.get("prefix", [""])[0]
        every = [p.relative_to(self.folder).as_posix() for p in sorted(self.folder.rglob("*")) if p.is_file()]
        names = [name for name in every if name.startswith(prefix)]
        rows = "".join(
            f"<Contents><Key>{name}</Key><Size>{(self.folder / name).stat().st_size}</Size>"
            "<LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
            for name in names
        )
        count = f"<KeyCount>{len(names)}</KeyCount><IsTruncated>false</IsTruncated>"
        text = f"<ListBucketResult><Name>data</Name>{count}{rows}</ListBucketResult>"
        self._send(200, text.encode(), {"Content-Type": "application/xml"})

    def _give(self, *, body):
        name = unquote(urlsplit(self.path).path).removeprefix("/data").strip("/")
        path = self.folder / name
        if not path.is_file():
            self._send(404, b"")
            return
        content = path.read_bytes()
        found = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        headers = {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT", "ETag": '"one"'}
        if not body:
            self.send_response(200)
            for key, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(key, value)
            self.end_headers()
        elif found:
            first, last = int(found[1]), min(int(found[2]), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            self._send(206, content[first : last + 1], headers)
        else:
            self._send(200, content, headers)

    def _send(self, code, content, headers=()):
        self.send_response(code)
        for key, value in dict(headers).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """Return a folder that is a bucket, and what stands behind its addresses."""
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(key, "none")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    folder = tmp_path / "bucket"
    (folder / "run").mkdir(parents=True)
    handler = type("Own", (Store,), {"folder": folder, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    where = f"?scheme=http&endpoint_override=127.0.0.1:{server.server_port}&region=us-east-1"
    yield folder, where, handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("pattern", ["run/part-*.{}", "run", "*/part-*.{}"])
def test_objects_are_found_and_counted(bucket, tmp_path, suffix, pattern):
    folder, query, store = bucket
    data = Data("multiclass", "labels", "labels", n=900)
    for i in range(3):
        part = data.table.select(["y", "p"]).slice(i * 300, 300)
        path = folder / "run" / f"part-{i}.{suffix}"
        parquet.write_table(part, path) if suffix == "parquet" else csv.write_csv(part, path)
    options = {"label": "y", "prediction_column": "p", "labels": LABELS, "task": "multiclass"}
    found = count_stream(f"s3://data/{pattern.format(suffix)}{query}", checkpoint=tmp_path / "kept", **options)
    assert to_bytes(found) == to_bytes(count_stream(str(folder / "run"), **options))
    assert any("part-1" in path for path in store.asked)


@pytest.mark.backend
def test_objects_are_joined(bucket, tmp_path):
    folder, query, _ = bucket
    for name, table in zip(("votes", "predictions"), sides(), strict=True):
        parquet.write_table(table, folder / f"{name}.parquet")
    paths = [f"s3://data/{name}.parquet{query}" for name in ("votes", "predictions")]
    assert_meets(evaluate_stream(*paths, **WANTED), in_memory(tmp_path))


def test_what_is_not_there_is_named(bucket):
    folder, query, _ = bucket
    (folder / "run" / "part.csv").write_text("y,p\na,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"s3://data/run/\*\.parquet.* matches no file"):
        Files.of(f"s3://data/run/*.parquet{query}")
    with pytest.raises(InputError, match=r"s3://data/run/none\.parquet.* cannot be (read|reached)"):
        Files.of(f"s3://data/run/none.parquet{query}").sample()
    with pytest.raises(InputError, match=r"none://data/x\.parquet cannot be reached"):
        Files.of("none://data/x.parquet")
    options = {"label": "z", "prediction_column": "p", "labels": LABELS, "task": "multiclass"}
    with pytest.raises(InputError, match=r"s3://data/run/part\.csv"):
        count_stream(f"s3://data/run/part.csv{query}", **options)


def test_addresses_of_this_machine_are_paths(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,p\na,b\n", encoding="utf-8")
    assert Files.of(f"file://{path}").paths == (str(path),)
