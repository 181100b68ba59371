"""JSON records of an export: one list, one record a line, or the members of a zip."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.errors import InputError, shown
from softtruth.inputs.expansion import Allowance
from softtruth.inputs.json_text import NoJSONError, value_of
from softtruth.inputs.typed_tables import check_unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HEAD = 1 << 16  # bytes that are looked at to tell whose file it is


def head_of(plain: str) -> str:
    """Return the beginning of a file as text."""
    with Path(plain).open("rb") as stream:
        return stream.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff").lstrip()


def is_zip(plain: str) -> bool:
    """Whether the file is a zip of JSON lines (and no NumPy archive, which is a zip too)."""
    try:
        with zipfile.ZipFile(plain) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # the reader of its format says what is wrong with it
    return any(n.endswith((".jsonl", ".json")) for n in names)


def read_records(path: str, plain: str) -> list[dict[str, Any]]:
    """Return the records of a JSON list or of JSON lines.

    Raises
    ------
    InputError
        Naming the line that is no record.
    """
    try:
        text = Path(plain).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save the file as UTF-8."
        raise InputError(msg) from error
    if text.lstrip().startswith("["):
        try:
            found = value_of(text)
        except NoJSONError as error:
            msg = f"{path} is not a whole JSON list ({error}). Export it again."
            raise InputError(msg) from error
        return [_record(path, f"entry {i}", entry) for i, entry in enumerate(found, 1)]
    return lines_of(path, text)


def lines_of(path: str, text: str) -> list[dict[str, Any]]:
    """Return one record for each line that is not blank.

    Raises
    ------
    InputError
        Naming the line that is no record.
    """
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry = value_of(line)
        except NoJSONError as error:
            msg = f"{path} line {number} is not a JSON record ({error}). Expected one complete record a line."
            raise InputError(msg) from error
        found.append(_record(path, f"line {number}", entry))
    return found


def members_of(path: str, plain: str) -> dict[str, list[dict[str, Any]]]:
    """Return the records of every member of a zip that holds JSON lines.

    Raises
    ------
    InputError
        If a member is damaged, or no UTF-8 text.
    """
    found = {}
    try:
        with zipfile.ZipFile(plain) as archive:
            Allowance(path, Path(plain).stat().st_size).take(sum(info.file_size for info in archive.infolist()))
            check_unique(path, archive.namelist(), "member")
            for name in archive.namelist():
                if name.endswith((".jsonl", ".json")):
                    text = archive.read(name).decode("utf-8-sig")
                    found[name] = lines_of(f"{path}, {name}", text)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, UnicodeDecodeError, RuntimeError) as error:
        msg = f"{path} cannot be read as a zip of JSON lines ({error}). Export it again, without a password."
        raise InputError(msg) from error
    return found


def _record(path: str, where: str, entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        msg = f"{path} {where} is {shown(entry)}, expected a JSON record {{...}}."
        raise InputError(msg)
    return entry


def text_of(value: Any) -> str | None:
    """Return an id or a label as text; None where there is none.

    Whole numbers lose their point: a rating of 4.0 is the label 4.
    """
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def other_keys(parts: Iterable[Mapping[str, Any]], *taken: str) -> tuple[str, ...]:
    """Return the keys under which an item's id may stand: those of texts and whole numbers.

    Examples
    --------
    >>> other_keys([{"id": 1, "text": "Hello", "_hash": 7, "label.agent": "x", "tags": []}], "id")
    ('text',)
    """
    found = (key for part in parts for key, value in part.items() if type(value) in {str, int})
    return tuple(dict.fromkeys(key for key in found if key not in taken and key[0] != "_" and "." not in key))


def one_question(path: str, found: dict[str, int], asked: str | None) -> str:
    """Return the question to read: the one that was asked for, or the only one.

    Parameters
    ----------
    path
        The file, for messages.
    found
        The questions in the file, and how often each was answered.
    asked
        What the user said.

    Raises
    ------
    InputError
        If it is not there, or there are several and nobody said which.
    """
    words = ", ".join(f"{shown(name)} ({n:,} answers)" for name, n in found.items())
    if asked is not None:
        if asked not in found:
            msg = f"{path} has no answers to {shown(asked)}; it has {words or 'none that can be read'}. Change --label."
            raise InputError(msg)
        return asked
    if len(found) == 1:
        return next(iter(found))
    if not found:
        msg = f"{path} has no answers that are labels: expected choices, ratings, numbers or taxonomies."
        raise InputError(msg)
    msg = f"{path} asks several questions: {words}. Name the one to read with --label."
    raise InputError(msg)
