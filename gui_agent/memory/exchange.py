"""The memory as JSON Lines, for backups and for sharing, and the rescue of a damaged memory file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private, why
from gui_agent.memory.database import ENTRY_COLUMNS
from gui_agent.memory.entry import Entry, stamp
from gui_agent.memory.salvage import rows
from gui_agent.memory.store import Store, read_entry

FORMAT = "guiagent-memory-1"
IMPORTED = "imported and not yet approved"
_BATCH = 500


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import did."""

    added: int
    known: int
    """Entries that were there already."""


def export_jsonl(store: Store, path: Path | str) -> int:
    """Write every entry, quarantined ones too, oldest first; how many these were.

    An existing file is replaced in one step when all is written; a pipe or a device is written to.

    Raises:
        ConfigError: the file cannot be written.
    """
    target = Path(path)
    count = 0
    try:
        special = target.exists() and not target.is_file()
        target = target if special else target.resolve()  # behind a link the file is replaced, not the link
        beside = target if special else target.with_name(f".{target.name}.part")
        with open(beside, "wb", opener=private) as file:
            file.write(json.dumps({"format": FORMAT}).encode() + b"\n")
            for entry in store.whole_entries():
                file.write(encode(entry) + b"\n")
                count += 1
        if not special:
            beside.replace(target)
    except OSError as error:
        raise ConfigError(f"the memory cannot be exported to {path}: {why(error)}") from error
    return count


def import_jsonl(store: Store, path: Path | str, *, trusted: bool = False) -> ImportSummary:
    """Add the entries of an exported file; what is there already is left as it is.

    Args:
        trusted: recall them at once. Otherwise they come in quarantine, to be approved one by one, because
            what an exemplar says ends up in prompts.

    Raises:
        ConfigError: not such a file; names the line, and how many entries before it were added.
    """
    added = known = 0
    entries = _entries(Path(path))
    while group := _next(entries, added):
        quarantined = [e if trusted or e.quarantined else replace(e, quarantined=IMPORTED) for e in group]
        gained = sum(item.new for item in store.add(quarantined))
        added += gained
        known += len(group) - gained
    return ImportSummary(added, known)


def _next(entries: Iterator[Entry], added: int) -> list[Entry]:
    """The next entries of a file; an error in them tells how many of those before are added."""
    try:
        return list(islice(entries, _BATCH))
    except ConfigError as error:
        if not added:
            raise
        raise ConfigError(f"{error}; {added} entries before it were added") from error


def _entries(path: Path) -> Iterator[Entry]:
    try:
        with path.open(encoding="utf-8") as file:
            first = file.readline()
            if FORMAT not in first:
                raise ConfigError(
                    f'{path}: the first line must be {{"format": "{FORMAT}"}}: give an exported file'
                )
            for number, line in enumerate(file, start=2):
                if line.strip():
                    yield _entry(line, f"{path} line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {why(error)}") from error


def _entry(line: str, source: str) -> Entry:
    try:
        return decode(Entry, line, source=source)
    except ConfigError as error:
        raise ConfigError(f"{error}; take the line out and import the file again") from error


@dataclass(frozen=True, slots=True)
class Rescued:
    """What was saved, and where the damaged file is kept."""

    saved: int
    damaged: Path


def rescue(path: Path | str) -> Rescued:
    """Move a damaged memory aside and start a new one at its place with every entry that can be read.

    Nothing is deleted. Run it when no other process uses the memory.

    Raises:
        ConfigError: there is no such file, or it cannot be read or moved; then it is left where it is.
    """
    target = Path(path).expanduser()
    if not target.is_file():
        raise ConfigError(f"there is no memory {target} to rescue")
    try:
        with target.open("rb"):
            pass
    except OSError as error:
        raise ConfigError(f"the memory {target} cannot be read: {why(error)}") from error
    damaged = target.with_name(f"{target.name}.damaged-{stamp().replace(':', '')}")
    try:
        for ending in ("", "-wal", "-shm"):
            part = target.with_name(target.name + ending)
            if part.exists():
                part.replace(damaged.with_name(damaged.name + ending))
    except OSError as error:
        raise ConfigError(f"the damaged memory {target} cannot be moved: {why(error)}") from error
    store = Store(target)
    saved = _copy(damaged, store)
    store.close()
    return Rescued(saved, damaged)


def _copy(damaged: Path, store: Store) -> int:
    """Add every whole entry of a damaged file, in its last form, but for those that were forgotten."""
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
            continue  # a row of the same shape that is none of ours, or a damaged one
    return saved
