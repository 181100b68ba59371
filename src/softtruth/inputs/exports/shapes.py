"""What stands where in an export: the record or the list that belongs there, or a sentence that says what does not."""

from __future__ import annotations

from typing import Any

from softtruth.errors import InputError, shown


class Shapes:
    """Takes the values of one file apart; nothing (null, or a key that is not there) is an empty record or list."""

    def __init__(self, path: str) -> None:
        """Take the name of the file, for messages."""
        self.path = path

    def record(self, holder: dict[str, Any], key: str) -> dict[str, Any]:
        """Return the record under a key."""
        value = holder.get(key)
        return {} if value is None else self._is(value, dict, f"{key!r} is", "a JSON record {...}")

    def entries(self, holder: dict[str, Any], key: str) -> list[Any]:
        """Return the list under a key."""
        value = holder.get(key)
        return [] if value is None else self._is(value, list, f"{key!r} is", "a list")

    def records(self, holder: dict[str, Any], key: str) -> list[dict[str, Any]]:
        """Return the list of records under a key."""
        entries = self.entries(holder, key)
        return [self._is(entry, dict, f"{key!r} holds", "JSON records {...}") for entry in entries]

    def _is(self, value: Any, kind: type, what: str, expected: str) -> Any:
        if not isinstance(value, kind):
            msg = f"{self.path}: {what} {shown(value)}, expected {expected}. Export the file again."
            raise InputError(msg)
        return value
