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
