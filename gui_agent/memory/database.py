"""An SQLite file that many processes and threads may use at once, with errors that say what to do."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gui_agent.core import deadline
from gui_agent.core.errors import ConfigError, GuiAgentError, Unavailable
from gui_agent.core.os_errors import private, private_folder, take_back, why
from gui_agent.memory.schema import migrate

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
LEAST = 0.5
"""Seconds of it that are left to a run whose time is over, which takes note of what it proved."""


class Damaged(ConfigError):
    """What is in the file is no memory, or not a whole one; some of it may be saved."""


class Database:
    """The memory's file: one connection per process, reopened after a fork."""

    def __init__(self, path: Path | str, patience: float = PATIENCE) -> None:
        self.path = Path(path).expanduser()
        self._patience = patience
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of a query.

        Raises:
            ConfigError: the file cannot be read; the message names the way out.
            Unavailable: another process kept it locked for too long.
        """
        with self._lock, self._translated():
            return self._open().execute(query, values).fetchall()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, None when there is none; raises like `rows`."""
        found = self.rows(query, values)
        return found[0][0] if found else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the right to write from its start; rolled back on any error.

        When the block is left without an error, what it wrote outlives a killed process and a power cut.
        Raises like `rows`.
        """
        with self._lock, self._translated():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connection of this process; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            # After a fork the parent's connection must be neither used nor closed in the child.
            self._connection = self._connect()
            self._process = os.getpid()
        self._connection.execute(f"PRAGMA busy_timeout = {self._wait()}")
        return self._connection

    def _wait(self) -> int:
        """Milliseconds that a lock is waited for: no longer than the run may last."""
        return int(deadline.left(self._patience, min(LEAST, self._patience)) * 1000)

    def _connect(self) -> sqlite3.Connection:
        try:
            private_folder(self.path.parent)
            self._take_back()
        except OSError as error:
            raise ConfigError(f"cannot make the folder of the memory {self.path}: {why(error)}") from error
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

    def _take_back(self) -> None:
        """Make the file, and what SQLite keeps beside it, for their owner alone."""
        if str(self.path) == ":memory:":
            return
        with contextlib.suppress(PermissionError, IsADirectoryError):  # SQLite says what is wrong with it
            os.close(private(self.path, os.O_RDWR | os.O_CREAT))
        for ending in ("-wal", "-shm"):
            with contextlib.suppress(OSError):
                take_back(f"{self.path}{ending}")

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> GuiAgentError:
        text = str(error)
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
