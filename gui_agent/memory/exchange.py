"""The memory as JSON Lines, for backups and for sharing, and the rescue of a damaged memory file."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors, private, replace_file, user_path
from gui_agent.memory._database import ENTRY_COLUMNS
from gui_agent.memory.entry import Entry, stamp
from gui_agent.memory.store import Store, read_entry

FORMAT = "guiagent-memory-1"
IMPORTED = "imported and not yet approved"
_BATCH = 500
"""Entries added in one transaction."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The result of an import."""

    added: int
    known: int


def export_jsonl(store: Store, path: Path | str) -> int:
    """Write every entry, quarantined ones too, oldest first; returns their number.

    An existing file is replaced atomically at the end; a pipe or a device is written to.
    """
    target = Path(path)
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        yield json.dumps({"format": FORMAT}).encode() + b"\n"
        for count, entry in enumerate(store.whole_entries(), start=1):  # noqa: B007 - returned at the end
            yield encode(entry) + b"\n"

    with file_errors(f"the memory cannot be exported to {path}"):
        if target.exists() and not target.is_file():
            with open(target, "wb", opener=private) as file:
                file.writelines(lines())
        else:
            replace_file(target.resolve(), lines())  # follows a link, so the file is replaced, not the link
    return count


def import_jsonl(store: Store, path: Path | str, *, trusted: bool = False) -> ImportSummary:
    """Add the entries of an exported file; existing entries are not changed.

    Args:
        trusted: recall them at once. Otherwise they are quarantined until a person approves each,
            because an exemplar's text gets into prompts.
    """
    added = known = 0
    entries = _entries(Path(path))
    while group := _next_batch(entries, added):
        quarantined = [e if trusted or _waits(e) else replace(e, quarantined=IMPORTED) for e in group]
        gained = sum(item.new for item in store.add(quarantined))
        added += gained
        known += len(group) - gained
    return ImportSummary(added, known)


def _next_batch(entries: Iterator[Entry], added: int) -> list[Entry]:
    try:
        return list(islice(entries, _BATCH))
    except ConfigError as error:
        if not added:
            raise
        raise ConfigError(f"{error}; {added} entries before it were added") from error


def _entries(path: Path) -> Iterator[Entry]:
    with file_errors(f"{path} cannot be read"), path.open(encoding="utf-8") as file:
        first = file.readline()
        if FORMAT not in first:
            raise ConfigError(
                f'{path}: the first line must be {{"format": "{FORMAT}"}}: give an exported file'
            )
        for number, line in enumerate(file, start=2):
            if line.strip():
                yield _entry(line, f"{path} line {number}")


def _entry(line: str, source: str) -> Entry:
    try:
        return decode(Entry, line, source=source)
    except ConfigError as error:
        raise ConfigError(f"{error}; take the line out and import the file again") from error


@dataclass(frozen=True, slots=True)
class Rescued:
    """The number of rescued entries, and the path of the damaged file."""

    saved: int
    damaged: Path


def rescue(path: Path | str) -> Rescued:
    """Move a damaged memory aside and start a new one in its place with every readable entry.

    Nothing is deleted. Run it when no other process uses the memory.
    """
    target = user_path(path)
    if not target.is_file():
        raise ConfigError(f"there is no memory {target} to rescue")
    with file_errors(f"the memory {target} cannot be read"), target.open("rb"):
        pass
    damaged = target.with_name(f"{target.name}.damaged-{stamp().replace(':', '')}")
    with file_errors(f"the damaged memory {target} cannot be moved"):
        for ending in ("", "-wal", "-shm"):
            part = target.with_name(target.name + ending)
            if part.exists():
                part.replace(damaged.with_name(damaged.name + ending))
    store = Store(target)
    saved = _copy(damaged, store)
    store.close()
    return Rescued(saved, damaged)


def _copy(damaged: Path, store: Store) -> int:
    """Add every intact entry of a damaged file in its latest version, except forgotten ones."""
    found: dict[int, dict[str, Any]] = {}
    forgotten: dict[int, int] = {}
    for number, values in rows(damaged):
        if len(values) == len(ENTRY_COLUMNS):
            entry: dict[str, Any] = {**dict(zip(ENTRY_COLUMNS, values, strict=True)), "number": number}
            kept = found.get(number)
            change = entry["change"]
            if isinstance(change, int) and (kept is None or kept["change"] < change):
                found[number] = entry
        elif len(values) == 2 and values[0] is None and isinstance(values[1], int):
            forgotten[number] = values[1]
    saved = 0
    for number, entry in sorted(found.items()):
        if forgotten.get(number, -1) >= entry["change"]:
            continue
        try:
            saved += sum(item.new for item in store.add([read_entry(entry)]))
        except (ConfigError, ValueError, TypeError, RecursionError):
            continue  # a foreign row of the same shape, or a damaged one
    return saved


Value = int | float | str | bytes | None
FAULTS = (ValueError, IndexError, KeyError, struct.error, OverflowError)
"""Errors that reading a damaged page may raise."""
SIZES = tuple(512 << n for n in range(7))
"""The page sizes in bytes that SQLite allows."""
USUAL = 4096
"""SQLite's default page size in bytes."""
LEAF = 0x0D
"""The first byte of a page that contains rows."""
LARGEST = 1 << 28
"""Most bytes of a row; anything larger is not a row."""
SERIALS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its type; larger types are texts and blobs, which encode their length."""


def rows(path: Path) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Number and values of every intact row of every table in a file, including old copies of rows."""
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
                continue  # this cell is damaged, but the next one may be intact


def _page_size(data: bytes) -> int:
    """The page size in the header; if that is damaged, SQLite's default."""
    told = int.from_bytes(data[16:18], "big")
    return told if data[:16] == b"SQLite format 3\0" and told in SIZES else USUAL


def _written_ahead(path: Path, size: int) -> dict[int, bytes]:
    """The pages in the write-ahead log beside the file, after its last complete transaction."""
    try:
        log = path.read_bytes()
    except OSError:
        return {}
    done: dict[int, bytes] = {}
    open_: dict[int, bytes] = {}
    for at in range(32, len(log) - size - 23, size + 24):
        if log[at + 8 : at + 16] != log[16:24]:
            break  # the rest belongs to an earlier log
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
    payload = _gather_payload(pages, page, at, length, size)
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


def _gather_payload(pages: dict[int, bytes], page: bytes, at: int, length: int, size: int) -> bytes:
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


def _waits(entry: Entry) -> bool:
    """Whether an entry of a file is not used before a person approves it; one with steps might be at once."""
    return bool(entry.quarantined) and not entry.procedure
