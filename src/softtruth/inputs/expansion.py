"""How large a compressed file may become: what grows beyond measure was made to fill the memory or the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from softtruth.errors import InputError

FREE = 1 << 30  # bytes that any file may become
MOST_TIMES = 250  # its own size; text of labels and probabilities compresses five to fifty times


@dataclass
class Allowance:
    """Counts what comes out of a compressed file, and ends when it is too much.

    Attributes
    ----------
    path
        The name to use in messages.
    size
        Bytes of the file; those on the disk by default.
    taken
        Bytes that came out so far.
    """

    path: str
    size: int | None = None
    taken: int = 0

    def take(self, n: int) -> None:
        """Count bytes.

        Raises
        ------
        InputError
            When they are more than a file of its size may become.
        """
        self.taken += n
        if self.taken <= FREE:
            return
        size = Path(self.path).stat().st_size if self.size is None else self.size
        if self.taken > MOST_TIMES * size:
            raise InputError(
                f"{self.path} has {size:,} bytes and becomes more than {self.taken - 1:,}, over {MOST_TIMES} times as "
                "many: such files are made to fill memory. If you trust it, unpack it or write it again uncompressed."
            )
