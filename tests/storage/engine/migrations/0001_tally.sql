-- What the tests of the engine write to.
CREATE TABLE tally (
    name  TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    data  BLOB
);

CREATE TABLE mark (
    id    TEXT NOT NULL UNIQUE,
    tally TEXT REFERENCES tally (name) DEFERRABLE INITIALLY DEFERRED
);
