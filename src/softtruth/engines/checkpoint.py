"""A file from which an interrupted stream goes on: whole or absent, never half-written."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.engines.pieces import Place
from softtruth.errors import InputError
from softtruth.statistics.evidence import Evidence
from softtruth.statistics.serialise import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

MAGIC = b"softtruth checkpoint 1\n"
_SIZE = struct.Struct(">Q")
Open = list[tuple[int, Evidence]]


def save(path: Path, identity: Mapping[str, Any], place: Place, parts: Open) -> None:
    """Write a checkpoint in one move: beside the target, flushed to the disk, then renamed over it."""
    head = json.dumps({"identity": identity, "place": list(place), "sizes": [n for n, _ in parts]}).encode()
    blocks = [head, *(to_bytes(evidence) for _, evidence in parts)]
    content = MAGIC + b"".join(_SIZE.pack(len(block)) + block for block in blocks)
    write_whole(path, content + hashlib.sha256(content).digest())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; what a link points to is replaced, and a device or a pipe is written to."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    with suppress(OSError):  # some systems cannot open folders; the rename holds without it
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def load(path: Path, identity: Mapping[str, Any]) -> tuple[Place, Open] | None:
    """Return where a former run stopped and what it had; None where there was none.

    Raises
    ------
    InputError
        If the file is something else, or belongs to other data or settings.
    """
    for left in path.absolute().parent.glob(f".{path.name}.*.part"):  # of a run that was killed while it wrote
        with suppress(FileNotFoundError):
            left.unlink()
    if not path.exists():
        return None
    content = path.read_bytes()
    if not content.startswith(MAGIC) or hashlib.sha256(content[:-32]).digest() != content[-32:]:
        msg = f"{path} is no checkpoint of softtruth, or damaged; delete it or name another file."
        raise InputError(msg)
    blocks, at = [], len(MAGIC)
    while at < len(content) - 32:
        (size,) = _SIZE.unpack_from(content, at)
        at += _SIZE.size
        blocks.append(content[at : at + size])
        at += size
    head = json.loads(blocks[0])
    theirs, mine = head["identity"], json.loads(json.dumps(identity))
    if theirs != mine:
        differs = sorted(key for key in {*theirs, *mine} if theirs.get(key) != mine.get(key))
        msg = (
            f"the checkpoint {path} belongs to a run with other {', '.join(differs)}; delete it to start again, or "
            "name another file."
        )
        raise InputError(msg)
    parts: Open = []
    for size, block in zip(head["sizes"], blocks[1:], strict=True):
        found = from_bytes(block)
        assert isinstance(found, Evidence)  # noqa: S101  only evidence is written above
        parts.append((size, found))
    return Place(*head["place"]), parts
