"""The tables of the memory's file, and the steps from each older form to the next."""

from __future__ import annotations

import sqlite3

from gui_agent.core.errors import ConfigError

_FIRST = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    task TEXT NOT NULL,
    app TEXT NOT NULL,
    screen TEXT NOT NULL,
    kind TEXT NOT NULL,
    family TEXT NOT NULL,
    demonstration TEXT NOT NULL,
    procedure TEXT NOT NULL,
    outlines TEXT NOT NULL,
    origin TEXT NOT NULL,
    entry_values TEXT NOT NULL,
    created TEXT NOT NULL,
    wins REAL NOT NULL,
    losses REAL NOT NULL,
    used TEXT NOT NULL,
    quarantined TEXT NOT NULL,
    change INTEGER NOT NULL
);
CREATE INDEX entries_by_digest ON entries (digest);
CREATE INDEX entries_by_change ON entries (change);
CREATE TABLE vectors (
    number INTEGER NOT NULL REFERENCES entries (number) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (number, embedder)
);
CREATE TABLE removals (number INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE INDEX removals_by_change ON removals (change);
CREATE TABLE facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES ('change', 0), ('identity', lower(hex(randomblob(8))));
CREATE VIRTUAL TABLE words USING fts5 (
    task, content='entries', content_rowid='number', tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN
    INSERT INTO words (rowid, task) VALUES (new.number, new.task);
END;
CREATE TRIGGER entries_removed AFTER DELETE ON entries BEGIN
    INSERT INTO words (words, rowid, task) VALUES ('delete', old.number, old.task);
END;
"""

# What is compiled from entries goes with them: nothing derived outlives what it came from.
_COMPILED = """
CREATE TABLE compiled (name TEXT PRIMARY KEY, content TEXT NOT NULL, programs TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER entries_removed_with_compiled AFTER DELETE ON entries BEGIN
    DELETE FROM compiled WHERE name = old.family;
END;
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _COMPILED)
"""Migration n leads from form n to form n + 1; a released one is never edited."""


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the file to the present form; safe when several processes open a new file at once.

    Raises:
        ConfigError: the file was written by a newer program.
    """
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
    """The statements of a script one by one, because executescript would commit the transaction."""
    found: list[str] = []
    pending = ""
    for piece in script.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return [statement for statement in found if statement != ";"]
