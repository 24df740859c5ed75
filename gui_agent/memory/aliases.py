"""The names that the person gave to controls, kept by application in the memory's file."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from gui_agent.core.clarification import Alias
from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.memory._database import PATIENCE, Database

_LOG = logging.getLogger(__name__)


class AliasStore:
    """Aliases in one SQLite file; a later alias for the same words takes the place of the earlier one."""

    def __init__(self, path: Path | str) -> None:
        self.database = Database(path, PATIENCE)

    def add(self, aliases: Iterable[Alias]) -> None:
        with self.database.writing() as connection:
            connection.executemany(
                "REPLACE INTO aliases VALUES (?, ?, ?, ?)",
                [(one.application, one.words, one.verb, encode(one).decode()) for one in aliases],
            )

    def aliases(self) -> list[Alias]:
        """All of them by application and words; unreadable ones are left out."""
        rows = self.database.rows("SELECT alias FROM aliases ORDER BY application, words, verb")
        found: list[Alias] = []
        for row in rows:
            try:
                found.append(decode(Alias, row["alias"], source="an alias of the memory"))
            except ConfigError as error:  # a newer version may have written it
                _LOG.warning("left out: %s", error)
        return found

    def forget(self, words: str, application: str = "", verb: str = "") -> int:
        """Forget what is called so, in one application or in all; returns how many aliases were forgotten."""
        given = {"words": words, "application": application, "verb": verb}
        kept = {column: value for column, value in given.items() if value}
        where = " AND ".join(f"{column} = ?" for column in kept)
        with self.database.writing() as connection:
            return connection.execute(f"DELETE FROM aliases WHERE {where}", tuple(kept.values())).rowcount
