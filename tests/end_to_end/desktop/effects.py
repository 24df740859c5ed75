"""What a task left behind, read from outside of the program that did it."""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

PATIENCE = 10.0
"""Seconds that a program may take to write what it was told to write."""
Effect = Callable[[Path], object]
"""Looks into the home folder; true when the task was done. May fail while a file is half written."""


def wait_for(effect: Effect, home: Path) -> bool:
    """Whether an effect shows within a while."""
    deadline = time.monotonic() + PATIENCE
    while not _shows(effect, home):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _shows(effect: Effect, home: Path) -> bool:
    try:
        return bool(effect(home))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return False


def holds(name: str, text: str) -> Effect:
    """A text file has exactly this content, but for white space at its end."""
    return lambda home: (home / name).read_bytes().decode().rstrip() == text


def has_bytes(name: str, part: bytes) -> Effect:
    """A file has these bytes in it."""
    return lambda home: part in (home / name).read_bytes()


def exists(name: str) -> Effect:
    """A file or folder is there."""
    return lambda home: (home / name).exists()


def all_of(*effects: Effect) -> Effect:
    """Several effects at once."""
    return lambda home: all(effect(home) for effect in effects)


def gone(name: str) -> Effect:
    """A file or folder is there no more."""
    return lambda home: not (home / name).exists()


def inside(name: str, member: str, pattern: str) -> Effect:
    """A part of a document (which is an archive) matches a pattern."""

    def effect(home: Path) -> object:
        with zipfile.ZipFile(home / name) as archive:
            return re.search(pattern, archive.read(member).decode(), re.DOTALL)

    return effect


def cells(name: str, expected: dict[str, object], sheet: str = "") -> Effect:
    """Cells of a workbook hold these values; formulas are compared as they were written."""

    def effect(home: Path) -> object:
        from openpyxl import load_workbook

        book = load_workbook(home / name)
        page = book[sheet] if sheet else book.worksheets[0]
        return {place: page[place].value for place in expected} == expected

    return effect


def picture(name: str, size: tuple[int, int], pixel: tuple[int, int, int] | None = None) -> Effect:
    """A picture has this size, and this colour in its top left corner."""

    def effect(home: Path) -> object:
        from PIL import Image

        with Image.open(home / name) as found:
            corner = found.convert("RGB").getpixel((0, 0))
            return found.size == size and pixel in (None, corner)

    return effect
