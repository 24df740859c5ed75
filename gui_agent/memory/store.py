"""The table of remembered runs: add, read, score, quarantine and forget, in transactions."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Demonstration
from gui_agent.memory._database import ENTRY_COLUMNS, PATIENCE, Damaged, Database
from gui_agent.memory.entry import Entry, family_of, new_id, score_after_use, stamp

_PLAIN = (
    *("id", "task", "app", "screen", "kind", "family", "procedure"),
    *("origin", "created", "wins", "losses", "used", "quarantined"),
)
"""Fields of an entry stored in its row without conversion."""
_INSERT = "INSERT INTO entries ({}) VALUES (:{})".format(
    ", ".join(ENTRY_COLUMNS[1:]), ", :".join(ENTRY_COLUMNS[1:])
)
_LEAN = (
    "number, id, task, app, screen, kind, family, '' AS demonstration, '' AS procedure, outlines, origin, "
    "entry_values, created, wins, losses, used, quarantined"
)
_WHOLE = _LEAN.replace("'' AS demonstration, '' AS procedure", "demonstration, procedure")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stats:
    """The memory in figures."""

    entries: int
    quarantined: int
    kinds: dict[str, int]
    apps: dict[str, int]
    """The ten most frequent programs or hosts."""
    wins: float
    losses: float
    bytes: int
    """Size of the file."""
    vectors: dict[str, int]


@dataclass(frozen=True, slots=True)
class Added:
    """The id of an entry, and whether it is new."""

    id: str
    new: bool


class Store:
    """Remembered runs in one SQLite file. Safe for many processes; added entries are durable."""

    def __init__(self, path: Path | str, patience: float = PATIENCE) -> None:
        self.database = Database(path, patience)

    @property
    def path(self) -> Path:
        return self.database.path

    def add(self, entries: Iterable[Entry]) -> tuple[Added, ...]:
        """Add entries and return their ids, all or none.

        An entry with an existing experience (`Entry.digest`) is not added again; the existing entry's id is
        returned.
        """
        ids: list[Added] = []
        with self.database.writing() as connection:
            change = _next_change(connection)
            for entry in entries:
                present = connection.execute(
                    "SELECT id FROM entries WHERE digest = ? OR id = ?", (entry.digest, entry.id)
                ).fetchone()
                if present is not None:
                    ids.append(Added(present[0], new=False))
                    continue
                ids.append(Added(_insert(connection, entry, change), new=True))
        return tuple(ids)

    def entry(self, id: str) -> Entry:
        """The entry with this id, or the only one whose id begins with it."""
        query = f"SELECT {_WHOLE} FROM entries WHERE"
        found = self.database.rows(f"{query} id = ?", (id,))
        if not found and id:
            found = self.database.rows(f"{query} id > ? AND id < ? LIMIT 2", (id, f"{id}\U0010ffff"))
        if not found:
            raise ConfigError(f"the memory has no entry {id!r}: see `guiagent memory list`")
        if len(found) > 1:
            raise ConfigError(f"several entries begin with {id!r}: give more of the id")
        return read_entry(found[0])

    def readable(self, ids: Iterable[str]) -> list[Entry]:
        """The entries with these ids; one that this version cannot read is left out and logged.

        An unrelated task must not fail because a newer version wrote to the same memory.
        """
        found = []
        for id in ids:
            try:
                found.append(self.entry(id))
            except Damaged:
                raise  # the person has to rescue the others
            except ConfigError as error:
                _LOG.warning("left out: %s", error)
        return found

    def entries(self, query: str = "", *, kind: str = "", family: str = "", limit: int = -1) -> list[Entry]:
        """Entries with all words of the query, newest first, without their demonstrations and procedures."""
        clauses, values = _filters(query, kind=kind, family=family)
        rows = self.database.rows(
            f"SELECT {_LEAN} FROM entries {clauses} ORDER BY number DESC LIMIT ?", (*values, limit)
        )
        return [read_entry(row) for row in rows]

    def whole_entries(self) -> Iterator[Entry]:
        """All entries in full, oldest first, read in batches."""
        last = 0
        while rows := self.database.rows(
            f"SELECT {_WHOLE} FROM entries WHERE number > ? ORDER BY number LIMIT 100", (last,)
        ):
            yield from map(read_entry, rows)
            last = rows[-1]["number"]

    def by_number(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Entries without demonstrations and procedures, by their number in the table."""
        given = list(numbers)
        marks = ", ".join("?" * len(given))
        rows = self.database.rows(f"SELECT {_LEAN} FROM entries WHERE number IN ({marks})", given)
        return {row["number"]: read_entry(row) for row in rows}

    def note(self, ids: Iterable[str], won: bool, now: datetime) -> None:
        """Count a win or a loss for each of these entries; ids forgotten meanwhile are skipped."""
        with self.database.writing() as connection:
            for id in ids:
                row = connection.execute(f"SELECT {_LEAN} FROM entries WHERE id = ?", (id,)).fetchone()
                if row is None:
                    continue
                wins, losses, reason = score_after_use(read_entry(row), won, now)
                connection.execute(
                    "UPDATE entries SET wins = ?, losses = ?, used = ? WHERE id = ?",
                    (wins, losses, now.strftime("%Y-%m-%dT%H:%M:%SZ"), id),
                )
                if reason != row["quarantined"]:
                    _set_quarantine(connection, id, reason)

    def quarantine(self, id: str, reason: str) -> None:
        """Keep an entry from being recalled; an empty reason lifts the quarantine."""
        whole = self.entry(id).id
        with self.database.writing() as connection:
            _set_quarantine(connection, whole, reason)

    def rename(self, family: str, name: str) -> None:
        """Give the entries of a family another name."""
        with self.database.writing() as connection:
            values = (name, _next_change(connection), family)
            connection.execute("UPDATE entries SET family = ?, change = ? WHERE family = ?", values)

    def forget(self, id: str) -> Entry:
        """Remove one entry and everything derived from it. Returns the removed entry."""
        entry = self.entry(id)
        self._remove("id = ?", (entry.id,))
        return entry

    def forget_matching(self, query: str = "", *, origin: str = "", family: str = "") -> int:
        """Remove the entries that match all given filters. Returns their number."""
        clauses, values = _filters(query, origin=origin, family=family)
        if not clauses:
            raise ConfigError("say what to forget: words of the task, an origin or a family")
        return self._remove(clauses.removeprefix("WHERE "), values)

    def content(self, ids: Iterable[str]) -> str:
        """A digest of the demonstrations of some entries in this order; any change gives another digest."""
        digest = hashlib.sha256()
        for id in ids:
            text = self.database.value("SELECT demonstration FROM entries WHERE id = ?", (id,)) or ""
            digest.update(f"{len(text)}:{text}".encode())
        return digest.hexdigest()

    def compiled_form(self, name: str, content: str) -> str:
        """The programs compiled from this content under a name; empty if there are none, or from other
        content.
        """
        query = "SELECT programs FROM compiled WHERE name = ? AND content = ?"
        return str(self.database.value(query, (name, content)) or "")

    def keep_compiled(self, name: str, content: str, programs: str) -> None:
        """Store compiled programs, replacing those under the same name."""
        with self.database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO compiled VALUES (?, ?, ?)", (name, content, programs))

    def stats(self) -> Stats:
        total = self.database.rows(
            "SELECT count(*), coalesce(sum(quarantined != ''), 0), coalesce(sum(wins), 0), "
            "coalesce(sum(losses), 0) FROM entries"
        )[0]
        return Stats(
            entries=total[0],
            quarantined=total[1],
            kinds=self._counts("SELECT kind, count(*) FROM entries GROUP BY kind ORDER BY 2 DESC"),
            apps=self._counts("SELECT app, count(*) FROM entries GROUP BY app ORDER BY 2 DESC LIMIT 10"),
            wins=total[2],
            losses=total[3],
            bytes=self.path.stat().st_size,
            vectors=self._counts("SELECT embedder, count(DISTINCT number) FROM vectors GROUP BY embedder"),
        )

    def check(self) -> list[str]:
        """What is wrong with the file, found by SQLite's full check; empty if it is intact."""
        try:
            found = [str(row[0]) for row in self.database.rows("PRAGMA integrity_check(20)")]
        except Damaged as error:
            return [str(error)]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        self.database.close()

    def _remove(self, clause: str, values: Sequence[object]) -> int:
        with self.database.writing() as connection:
            change = _next_change(connection)
            connection.execute(
                f"INSERT INTO removals SELECT number, {change} FROM entries WHERE {clause}", values
            )
            return connection.execute(f"DELETE FROM entries WHERE {clause}", values).rowcount

    def _counts(self, query: str) -> dict[str, int]:
        return {row[0]: row[1] for row in self.database.rows(query)}


def _insert(connection: sqlite3.Connection, entry: Entry, change: int) -> str:
    whole = replace(entry, id=entry.id or new_id(), created=entry.created or stamp())
    values = {name: getattr(whole, name) for name in _PLAIN} | {
        "digest": whole.digest,
        "family": whole.family or family_of(whole.task),
        "demonstration": encode(whole.demonstration).decode() if whole.demonstration else "",
        "outlines": json.dumps(whole.outlines, ensure_ascii=False),
        "entry_values": json.dumps(dict(whole.values), ensure_ascii=False),
        "change": change,
    }
    connection.execute(_INSERT, values)
    return whole.id


def read_entry(row: sqlite3.Row | Mapping[str, Any]) -> Entry:
    try:
        return _entry(row)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(
            f"entry {row['number']} of the memory is damaged: run `guiagent memory rescue` to save the others"
        ) from error


def _entry(row: sqlite3.Row | Mapping[str, Any]) -> Entry:
    source = row["demonstration"]
    plain: dict[str, Any] = {name: row[name] for name in _PLAIN}
    return Entry(
        **plain,
        demonstration=_demonstration(source, row["id"]) if source else None,
        outlines=tuple(parse_json(row["outlines"])),
        values=parse_json(row["entry_values"]),
    )


@lru_cache(maxsize=64)
def _demonstration(source: str, id: str) -> Demonstration:
    return decode(Demonstration, source, source=f"entry {id}")


def _set_quarantine(connection: sqlite3.Connection, id: str, reason: str) -> None:
    connection.execute(
        "UPDATE entries SET quarantined = ?, change = ? WHERE id = ?", (reason, _next_change(connection), id)
    )


def _next_change(connection: sqlite3.Connection) -> int:
    rows = connection.execute("UPDATE facts SET value = value + 1 WHERE name = 'change' RETURNING value")
    return int(rows.fetchall()[0][0])


def _filters(query: str, **columns: str) -> tuple[str, list[object]]:
    words, wanted = query.split(), {column: value for column, value in columns.items() if value}
    clauses = ["instr(lower(task), lower(?)) > 0"] * len(words) + [f"{column} = ?" for column in wanted]
    return (f"WHERE {' AND '.join(clauses)}" if clauses else ""), [*words, *wanted.values()]
