"""An SQLite file that many processes and threads may share: its schema, and errors that say what to do."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.errors import ConfigError, GuiAgentError, Unavailable
from gui_agent.core.os_errors import file_errors, private, private_folder, take_back, user_path
from gui_agent.core.texts import shorten

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
LEAST = 0.5
"""Lock wait (s) still allowed after the deadline, to save the result."""


class Damaged(ConfigError):
    """The file is not a memory, or a damaged one; a part of it may be rescued."""


class Database:
    """The memory's file: one connection per process, reopened after a fork."""

    def __init__(self, path: Path | str, patience: float = PATIENCE) -> None:
        self.path = user_path(path)
        self._patience = patience
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with self._lock, self._translate_errors():
            return self._open().execute(query, values).fetchall()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None; raises like `rows`."""
        found = self.rows(query, values)
        return found[0][0] if found else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start; rolled back on any error.

        After a block without an error, its changes survive a killed process and a power cut. Raises like
        `rows`.
        """
        with self._lock, self._translate_errors():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close this process's connection; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            # After a fork, the child must neither use nor close the parent's connection.
            self._connection = self._connect()
            self._process = os.getpid()
        self._connection.execute(f"PRAGMA busy_timeout = {self._wait()}")
        return self._connection

    def _wait(self) -> int:
        """Milliseconds to wait for a lock, limited by the run's deadline."""
        return int(deadline.remaining(self._patience, min(LEAST, self._patience)) * 1000)

    def _connect(self) -> sqlite3.Connection:
        with file_errors(f"cannot make the folder of the memory {self.path}"):
            private_folder(self.path.parent)
            self._make_private()
        connection = sqlite3.connect(
            self.path, timeout=self._wait() / 1000, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "cache_size = -32000",
            "mmap_size = 268435456",
        ):
            connection.execute(f"PRAGMA {pragma}")
        migrate(connection, str(self.path))
        return connection

    def _make_private(self) -> None:
        if str(self.path) == ":memory:":
            return
        with contextlib.suppress(PermissionError, IsADirectoryError):  # SQLite reports what is wrong
            os.close(private(self.path, os.O_RDWR | os.O_CREAT))
        for ending in ("-wal", "-shm"):
            with contextlib.suppress(OSError):
                take_back(f"{self.path}{ending}")

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        # raised for a name in the file while SQLite reports a damaged schema
        except UnicodeDecodeError as error:
            raise self._explain(sqlite3.DatabaseError("malformed schema")) from error
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> GuiAgentError:
        text = shorten(str(error), 200)
        if "locked" in text or "busy" in text:
            return Unavailable(
                f"the memory {self.path} was kept locked by another process for too long: "
                "wait until it has finished, or end it"
            )
        if "malformed" in text or "not a database" in text or "no such table" in text:
            return Damaged(
                f"the memory {self.path} is damaged or not a memory ({text}): run `guiagent memory rescue` "
                "to save what can be read into a new file, or move it away and start with an empty one"
            )
        return ConfigError(
            f"the memory {self.path} cannot be used ({text}): check the disk and the file's rights, "
            "or choose another memory file"
        )


ENTRY_COLUMNS = (
    *("number", "id", "digest", "task", "app", "screen", "kind", "family", "demonstration", "procedure"),
    *("outlines", "origin", "entry_values", "created", "wins", "losses", "used", "quarantined", "change"),
)
"""The columns of an entry's row, in order."""

_FOLDER = files("gui_agent.memory").joinpath("migrations")
MIGRATIONS = tuple(_FOLDER.joinpath(f"{form}.sql").read_text("utf-8") for form in (1, 2, 3, 4))
"""`migrations/n.sql` upgrades from version n - 1 to version n; a released one is never edited."""


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Upgrade the file to the current version; safe if several processes open a new file at once."""
    if _form(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        form = _form(connection)
        if form > len(MIGRATIONS):
            raise ConfigError(
                f"{path} was written by a newer guiagent (form {form}, this one knows {len(MIGRATIONS)}): "
                "update guiagent, or choose another memory file"
            )
        for step in MIGRATIONS[form:]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _form(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> list[str]:
    """The single statements of a script, because executescript would commit the transaction."""
    found: list[str] = []
    pending = ""
    for piece in script.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return [statement for statement in found if statement != ";"]
