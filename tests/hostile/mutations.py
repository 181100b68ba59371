"""Changes of bytes and of trees of JSON values that programs, networks and hostile people make."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from hostile.words import HOSTILE, value

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

TOKENS = [
    *(
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\r",
        b"\n",
        b"\r\n",
        b'"',
        b'""',
        b",",
        b";",
        b"\t",
        b"{",
        b"[",
        b"}",
    ),
    *(
        b"]",
        b":",
        b"null",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"\\",
        b"\\u0000",
        b"\\ud800",
        b"PK\x03\x04",
        b"PAR1",
        b"#",
        b"-",
    ),
    *(b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"0", b"1", b"." * 50, b"[" * 200),
    *(b"\xc3\x28", b"\xe4\xb8", b"\xed\xa0\x80", b"\x1a", b"\x0c", b"\x85", b"\xe2\x80\xa8"),
]
ENCODINGS = [
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "latin-1",
    "cp1252",
    "utf-7",
    "shift-jis",
]


def flip(rng: Random, data: bytearray) -> None:
    """Change one bit."""
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def cut(rng: Random, data: bytearray) -> None:
    """Take some bytes out."""
    at = rng.randrange(len(data) + 1)
    del data[at : at + rng.choice([1, 1, 4, 8, 64, 10**6])]


def insert(rng: Random, data: bytearray) -> None:
    """Put a token somewhere."""
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(TOKENS) if rng.random() < 0.6 else rng.choice(HOSTILE).encode("utf-8", "surrogatepass")


def overwrite(rng: Random, data: bytearray) -> None:
    """Put a token over what stands there."""
    at, token = rng.randrange(len(data) + 1), rng.choice(TOKENS)
    data[at : at + len(token)] = token


def repeat(rng: Random, data: bytearray) -> None:
    """Repeat a piece."""
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.choice([1, 8, 40, 200])]
    data[at:at] = piece * rng.choice([1, 1, 2, 50])


def swap(rng: Random, data: bytearray) -> None:
    """Put one piece in the place of another."""
    one, other, n = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1), rng.choice([1, 4, 16])
    data[one : one + n] = data[other : other + n]


def encode(rng: Random, data: bytearray) -> None:
    """Write the text in another encoding."""
    data[:] = data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def pack(rng: Random, data: bytearray) -> None:
    """Compress it, once or more."""
    for _ in range(rng.choice([1, 1, 2])):
        data[:] = gzip.compress(bytes(data), 1)


CHANGES: tuple[Callable[[Random, bytearray], None], ...] = (flip, cut, insert, overwrite, repeat, swap, encode, pack)
OFTEN = (6, 5, 8, 4, 3, 3, 1, 1)


def mutated(rng: Random, content: bytes) -> bytes:
    """Return bytes after one change or a few."""
    data = bytearray(content)
    for change in rng.choices(CHANGES, OFTEN, k=rng.choice([1, 1, 1, 2, 3, 8])):
        change(rng, data)
    return bytes(data)


def mutated_tree(rng: Random, tree: Any, odds: float = 0.08) -> Any:
    """Return JSON values in which some are replaced, dropped, repeated or put into others."""
    if rng.random() < odds * 0.6:
        return rng.choice([value(rng), [tree], {"a": tree}, [tree, tree], None, str(tree)])
    if isinstance(tree, dict):
        changed = {key: mutated_tree(rng, held, odds) for key, held in tree.items() if rng.random() > odds * 0.3}
        if tree and rng.random() < odds * 0.3:
            changed[rng.choice([rng.choice(list(tree)), rng.choice(HOSTILE)])] = value(rng)
        return changed
    if isinstance(tree, list):
        changed_list = [mutated_tree(rng, held, odds) for held in tree if rng.random() > odds * 0.3]
        return changed_list * 2 if rng.random() < odds * 0.1 else changed_list
    return tree
