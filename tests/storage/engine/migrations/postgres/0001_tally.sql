-- What the tests of the engine write to.
CREATE TABLE tally (
    name  TEXT PRIMARY KEY,
    count BIGINT NOT NULL,
    data  BYTEA
);

CREATE TABLE mark (
    id    TEXT NOT NULL UNIQUE,
    tally TEXT REFERENCES tally (name) DEFERRABLE INITIALLY DEFERRED
);
