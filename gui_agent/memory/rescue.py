"""Saving what can still be read from a damaged memory into a new file."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.memory.entry import stamp
from gui_agent.memory.store import Store, read_entry


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
    saved = 0
    connection = sqlite3.connect(damaged)
    connection.row_factory = sqlite3.Row
    try:
        highest = _highest(connection)
        for number in range(1, highest + 1):
            try:
                row = connection.execute("SELECT * FROM entries WHERE number = ?", (number,)).fetchone()
                if row is not None:
                    saved += sum(item.new for item in store.add([read_entry(row)]))
            except (sqlite3.Error, ConfigError, ValueError):
                continue  # This row lies on a damaged page; the next one may not.
    finally:
        connection.close()
    return saved


def _highest(connection: sqlite3.Connection) -> int:
    """The largest number in use, from whichever place can still be read; 0 when none can."""
    for query in (
        "SELECT max(number) FROM entries",
        "SELECT seq FROM sqlite_sequence WHERE name = 'entries'",
    ):
        try:
            row = connection.execute(query).fetchone()
        except sqlite3.Error:
            continue
        if row and row[0]:
            return int(row[0])
    return 0
