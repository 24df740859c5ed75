-- A vector for each program of a run: vectors are derived, so the next search makes them anew for all entries.
DROP TABLE vectors;
CREATE TABLE vectors (
    number INTEGER NOT NULL REFERENCES entries (number) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    place TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (number, embedder, place)
);
CREATE INDEX vectors_by_place ON vectors (embedder, place);
-- The search by words is gone.
DROP TRIGGER entries_added;
DROP TRIGGER entries_removed;
DROP TABLE vocabulary;
DROP TABLE words;
