ALTER TABLE works ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
ALTER TABLE works ADD COLUMN budget_pass BIGINT NOT NULL DEFAULT 0;
ALTER TABLE works ADD COLUMN brake TEXT NOT NULL DEFAULT '{}';

ALTER TABLE scopes ADD COLUMN served BIGINT NOT NULL DEFAULT 0;

ALTER TABLE events ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;

ALTER TABLE consumed ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

ALTER TABLE executions ADD COLUMN remaining BIGINT;
ALTER TABLE executions ADD COLUMN suspended TEXT;
ALTER TABLE executions ADD COLUMN staged TEXT NOT NULL DEFAULT '{}';
ALTER TABLE executions ADD COLUMN generation TEXT NOT NULL DEFAULT '';

INSERT INTO counters (name, value) VALUES ('start', 0);

CREATE TABLE subscriptions (
    work     TEXT   NOT NULL REFERENCES works (id),
    key      TEXT   NOT NULL,
    statuses TEXT   NOT NULL,
    PRIMARY KEY (work, key)
);
CREATE INDEX subscriptions_key ON subscriptions (key);

CREATE TABLE ledgers (
    key   TEXT   PRIMARY KEY,
    used  BIGINT NOT NULL,
    since BIGINT NOT NULL
);

CREATE TABLE reservations (
    execution TEXT   NOT NULL REFERENCES executions (id),
    ledger    TEXT   NOT NULL REFERENCES ledgers (key),
    amount    BIGINT NOT NULL,
    PRIMARY KEY (execution, ledger)
);
CREATE INDEX reservations_ledger ON reservations (ledger);

CREATE TABLE staged_usage (
    id         TEXT   PRIMARY KEY,
    execution  TEXT   NOT NULL REFERENCES executions (id),
    claimed_at BIGINT NOT NULL,
    units      TEXT   NOT NULL,
    staged_at  BIGINT NOT NULL
);

CREATE TABLE raises (
    source    TEXT   PRIMARY KEY,
    item      TEXT   NOT NULL,
    playbook  TEXT   NOT NULL,
    unit      TEXT   NOT NULL,
    amount    BIGINT NOT NULL,
    login     TEXT   NOT NULL,
    raised_at BIGINT NOT NULL
);
CREATE INDEX raises_item ON raises (item, playbook);

CREATE TABLE accounts (
    name        TEXT   PRIMARY KEY,
    until       BIGINT,
    reason      TEXT   NOT NULL,
    credentials TEXT   NOT NULL,
    paused_at   BIGINT NOT NULL,
    released_at BIGINT,
    probed_at   BIGINT
);

CREATE TABLE controls (
    id          TEXT   PRIMARY KEY,
    work        TEXT   NOT NULL REFERENCES works (id),
    execution   TEXT   NOT NULL REFERENCES executions (id),
    epoch       BIGINT NOT NULL,
    kind        TEXT   NOT NULL,
    seq         BIGINT NOT NULL,
    state       TEXT   NOT NULL,
    token       TEXT   NOT NULL,
    lease_until BIGINT NOT NULL,
    tries       BIGINT NOT NULL,
    next_at     BIGINT NOT NULL,
    note        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    settled_at  BIGINT,
    UNIQUE (execution, kind, seq)
);
CREATE INDEX controls_open ON controls (next_at, id) WHERE settled_at IS NULL;
CREATE INDEX controls_open_of_work ON controls (work) WHERE settled_at IS NULL;

CREATE TABLE generations (
    digest     TEXT   PRIMARY KEY,
    document   TEXT   NOT NULL,
    claimed_at BIGINT NOT NULL
);
