-- What the person calls things in an application, from their answers to questions.
CREATE TABLE aliases (
    application TEXT NOT NULL,
    words TEXT NOT NULL,
    verb TEXT NOT NULL,
    alias TEXT NOT NULL,
    PRIMARY KEY (application, words, verb)
) WITHOUT ROWID;
