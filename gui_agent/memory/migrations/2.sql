-- What is compiled from entries goes with them: nothing derived outlives what it came from.
CREATE TABLE compiled (name TEXT PRIMARY KEY, content TEXT NOT NULL, programs TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER entries_removed_with_compiled AFTER DELETE ON entries BEGIN
    DELETE FROM compiled WHERE name = old.family;
END;
