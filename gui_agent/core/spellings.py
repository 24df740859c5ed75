"""All ways in which a page, an address or a program may write a text, as regular expressions."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator

SHORTEST = 4
"""A secret with fewer characters is only found as a separate word."""
SPACED = 6
"""From this many characters on, blanks between them are ignored."""
PIECE = 4
"""How many consecutive characters of a secret count as a piece of it."""
LINE = 12
"""From this many characters on, a line of a secret counts as a secret too."""
_BETWEEN = r"(?:[\s+\u00ad\u200b-\u200d\u2060\ufeff]|%(?:25)*(?:20|0a|0d)|&(?:nbsp|\#0*32|\#x0*20);"
_BETWEEN += r"|\\+(?:[nrt]|u0020|x20)){0,8}"
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}


def has_piece(text: str, value: str) -> bool:
    """Whether the text contains `PIECE` consecutive characters of a value."""
    lower, pieces = text.casefold(), range(max(1, len(value) - PIECE + 1))
    return any(value[at : at + PIECE].casefold() in lower for at in pieces)


def spellings(value: str) -> Iterator[str]:
    """Patterns for all forms of a secret, the whole before its lines."""
    lines = [line for line in value.splitlines() if len(line) >= LINE]
    for form in dict.fromkeys((value, *(lines if len(lines) > 1 else ()))):
        if len(form.strip()) < SHORTEST:
            yield rf"(?<![^\W_]){re.escape(form)}(?![^\W_])"
            continue
        yield re.escape(form)
        for spelling in dict.fromkeys(unicodedata.normalize(kind, form) for kind in ("NFC", "NFD", "NFKC")):
            letters = [_letter(letter) for letter in "".join(spelling.split())]
            between = _BETWEEN if len(letters) >= SPACED else ""
            blanks = _BETWEEN if any(map(str.isspace, spelling)) else between
            yield f"(?i:{(between or blanks).join(letters)})"
        yield from _encodings(form.encode("utf-8", "replace"))


def _letter(letter: str) -> str:
    """A pattern for one letter as it is, or escaped (repeatedly) for an address, HTML or JSON."""
    number = ord(letter)
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in letter.encode("utf-8", "replace"))
    ways = [re.escape(letter), percent, rf"&(?:amp;)?\#0*{number};", rf"&(?:amp;)?\#x0*{number:x};"]
    units = letter.encode("utf-16-be", "surrogatepass")
    ways.append("".join(rf"\\+u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)))
    if number < 256:
        ways.append(rf"\\+x{number:02x}")
    if letter in _ENTITIES:
        ways.append(rf"&(?:amp;)?{_ENTITIES[letter]};")
    if letter in "\"'\\/":
        ways.append(rf"\\{{1,8}}{re.escape(letter)}")
    return f"(?:{'|'.join(ways)})"


def _encodings(data: bytes) -> Iterator[str]:
    """Patterns for hexadecimal digits, and for Base64 at each of the three possible alignments."""
    between = r"(?:[\s:,;-]{0,2}(?:0x|\\x)?)"
    yield f"(?i:{between.join(f'{byte:02x}' for byte in data)})"
    for ahead in range(3):
        code = base64.b64encode(b"\0" * ahead + data).decode()
        begin, whole = (0, 2, 3)[ahead], (ahead + len(data)) * 8 // 6
        core = "".join(_BASE64.get(letter, letter) for letter in code[begin:whole])
        edge = r"[A-Za-z0-9+/_-]?"
        yield f"{edge if ahead else ''}{core}{edge if (ahead + len(data)) % 3 else ''}"


_BASE64 = {"+": r"(?:[+-]|%2[bB])", "/": r"(?:[/_]|%2[fF])"}
