"""Reads the rows of a damaged SQLite file page by page, without its header, its schema and its indexes.

Each leaf page of a table holds its rows whole, or their beginning and the number of the page that goes on. So
damage to one page costs the rows on it and no others, wherever it is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

Value = int | float | str | bytes | None
FAULTS = (ValueError, IndexError, KeyError, struct.error, OverflowError)
"""What reading a damaged page comes to."""
SIZES = tuple(512 << n for n in range(7))
USUAL = 4096
LEAF = 0x0D
LARGEST = 1 << 28
"""Bytes of a row; a larger one is no row."""
SERIALS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its type; larger types are texts and blobs, whose length they tell."""


def rows(path: Path) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """The number and the values of every whole row of every table in a file; old copies of rows, too."""
    data = path.read_bytes()
    size = _page_size(data)
    pages = {number + 1: data[at : at + size] for number, at in enumerate(range(0, len(data), size))}
    pages |= _written_ahead(path.with_name(f"{path.name}-wal"), size)
    for number, page in pages.items():
        start = 100 if number == 1 else 0
        if len(page) != size or page[start] != LEAF:
            continue
        count = min(int.from_bytes(page[start + 3 : start + 5], "big"), size // 2)
        for cell in range(count):
            place = start + 8 + 2 * cell
            try:
                yield _row(pages, page, int.from_bytes(page[place : place + 2], "big"), size)
            except FAULTS:
                continue  # this cell is damaged; the next one may not be


def _page_size(data: bytes) -> int:
    """The size in the header, or where that is damaged the one that SQLite gives new files."""
    told = int.from_bytes(data[16:18], "big")
    return told if data[:16] == b"SQLite format 3\0" and told in SIZES else USUAL


def _written_ahead(path: Path, size: int) -> dict[int, bytes]:
    """The pages that a log beside the file holds, as its last whole transaction left them."""
    try:
        log = path.read_bytes()
    except OSError:
        return {}
    done: dict[int, bytes] = {}
    open_: dict[int, bytes] = {}
    for at in range(32, len(log) - size - 23, size + 24):
        if log[at + 8 : at + 16] != log[16:24]:
            break  # what follows is of an earlier log
        number, commits = struct.unpack(">II", log[at : at + 8])
        open_[number] = log[at + 24 : at + 24 + size]
        if commits:
            done |= open_
            open_ = {}
    return done


def _row(pages: dict[int, bytes], page: bytes, at: int, size: int) -> tuple[int, tuple[Value, ...]]:
    length, at = _varint(page, at)
    number, at = _varint(page, at)
    if not 0 < length <= LARGEST:
        raise ValueError(length)
    payload = _payload(pages, page, at, length, size)
    header, place = _varint(payload, 0)
    serials = []
    while place < header:
        serial, place = _varint(payload, place)
        serials.append(serial)
    values = []
    for serial in serials:
        value, place = _value(payload, place, serial)
        values.append(value)
    if place != length:
        raise ValueError(place)
    return number, tuple(values)


def _payload(pages: dict[int, bytes], page: bytes, at: int, length: int, size: int) -> bytes:
    """The bytes of a row, gathered from the pages that go on with it."""
    most, least = size - 35, (size - 12) * 32 // 255 - 23
    if length <= most:
        return page[at : at + length]
    here = least + (length - least) % (size - 4)
    here = here if here <= most else least
    found = bytearray(page[at : at + here])
    following = int.from_bytes(page[at + here : at + here + 4], "big")
    while len(found) < length:
        more = pages[following]
        found += more[4 : 4 + length - len(found)]
        following = int.from_bytes(more[:4], "big")
    return bytes(found)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9


def _value(data: bytes, at: int, serial: int) -> tuple[Value, int]:
    length = SERIALS[serial] if serial < 12 else (serial - 12) // 2
    raw, after = data[at : at + length], at + length
    if len(raw) != length:
        raise ValueError(serial)
    if serial == 0:
        return None, after
    if serial in (8, 9):
        return serial - 8, after
    if serial == 7:
        return struct.unpack(">d", raw)[0], after
    if serial < 7:
        return int.from_bytes(raw, "big", signed=True), after
    return (raw.decode("utf-8") if serial % 2 else raw), after
