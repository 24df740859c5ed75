"""The words in a file: plain text, compressed, or in one of the documents that are archives of XML."""

from __future__ import annotations

import html
import re
import zipfile
import zlib
from pathlib import Path

MOST = 20_000_000
"""Bytes that are read of a file, or of a part of it, at most: an archive may unpack to anything."""
_PARTS = re.compile(
    r"content\.xml|word/document\.xml|xl/sharedStrings\.xml|xl/worksheets/[^/]+\.xml|ppt/slides/[^/]+\.xml"
    r"|.+\.x?html"
)
_TAG = re.compile(r"<[^<>]*>")


def words_in(path: Path) -> str:
    """The text of a file, without the markup of documents; empty when it is missing or damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST)
        if data.startswith(b"PK"):
            with zipfile.ZipFile(path) as archive:
                parts = [name for name in archive.namelist() if _PARTS.fullmatch(name)]
                return "\n".join(_plain(archive.open(name).read(MOST)) for name in parts)
        return _plain(unpacked(data))
    except (OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return ""


def unpacked(data: bytes) -> bytes:
    """The contents of a gzip file, any other data as it is."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, MOST)


def _plain(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    marked_up = text.lstrip("\ufeff \r\n\t").startswith(("<?xml", "<!DOCTYPE", "<html"))
    return html.unescape(_TAG.sub(" ", text)) if marked_up else text
