"""Is this UTF-8 text? If not, what is it, and how does it become so?"""

from __future__ import annotations

import codecs

from softtruth.errors import InputError

MARKS = (  # longer ones first: the mark of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Where the zeros of Latin text stand in four bytes.
ZEROS = (
    ((False, True, True, True), "UTF-32LE"),
    ((True, True, True, False), "UTF-32BE"),
    ((False, True, False, True), "UTF-16LE"),
    ((True, False, True, False), "UTF-16BE"),
)
LOOKED_AT = 4096


def text_of_head(head: bytes, path: str) -> str:
    """Return the beginning of a file as text, without a byte order mark.

    Parameters
    ----------
    head
        The first bytes; the last character may be cut in two.
    path
        The name to use in messages.

    Raises
    ------
    InputError
        If it is text in another encoding, or no text; the sentence names the line and the remedy.
    """
    encoding = other_encoding(head)
    if encoding is not None:
        raise InputError(in_another_encoding(path, encoding))
    if (at := head.find(b"\0")) >= 0:
        raise InputError(holds_nul(path, head.count(b"\n", 0, at) + 1))
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError as error:
        raise InputError(not_text(path, head.count(b"\n", 0, error.start) + 1)) from error


def other_encoding(head: bytes) -> str | None:
    """Return the name of the encoding if it is UTF-16 or UTF-32, with a mark or without; None otherwise."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    start = head[: min(LOOKED_AT, len(head) // 4 * 4)]
    if start.count(0) * 4 < len(start) or not start:
        return None
    # Most characters of a header are Latin, so that their zeros stand in the same places.
    shares = [start[i::4].count(0) * 4 / len(start) for i in range(4)]
    found = tuple(share > 0.5 for share in shares)
    return next((name for zeros, name in ZEROS if zeros == found), None)


def in_another_encoding(path: str, encoding: str) -> str:
    """Say in which encoding a text is, and how to change that."""
    return f"{path} is {encoding} text, expected UTF-8: save it as UTF-8, or run: iconv -f {encoding} -t UTF-8."


def holds_nul(path: str, line: int) -> str:
    """Say that a line holds the byte that no text holds."""
    return (
        f"{path} line {line} holds a zero byte, as no text does: the file is damaged, or not what its name says. "
        "Write it again as UTF-8 text."
    )


def not_text(path: str, line: int) -> str:
    """Say which line is no UTF-8."""
    return f"{path} line {line} is not UTF-8 text: save the file as UTF-8, or run: iconv -f LATIN1 -t UTF-8."


def undecodable_line(text: bytes) -> int:
    """Return the first line that is no UTF-8."""
    try:
        text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return text.count(b"\n", 0, error.start) + 1
    return 1
