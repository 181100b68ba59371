"""JSON from anywhere: no key twice, no half characters, no values within values without end."""

from __future__ import annotations

import json
from typing import Any

from softtruth.errors import shown


class NoJSONError(ValueError):
    """The text is no JSON that can be used; the words say why, to stand inside a sentence."""


def value_of(text: str) -> Any:
    """Return the value of a JSON text.

    Parameters
    ----------
    text
        The whole text.

    Raises
    ------
    NoJSONError
        If it is no JSON, names a key twice, or holds half of a character.
    """
    try:
        value = json.loads(text, object_pairs_hook=_once)
        if "\\u" in text:  # halves can be written in no other way
            json.dumps(value, ensure_ascii=False).encode()
    except NoJSONError:
        raise
    except UnicodeEncodeError as error:
        msg = f"it holds half of a character, {shown(error.object[error.start])}"
        raise NoJSONError(msg) from error
    except RecursionError as error:
        msg = "it holds values within values without end"
        raise NoJSONError(msg) from error
    except ValueError as error:
        msg = " ".join(str(error).split())
        raise NoJSONError(msg) from error
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a record, of which a key that comes twice would otherwise keep the last value."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"it names the key {shown(twice)} twice"
        raise NoJSONError(msg)
    return record
