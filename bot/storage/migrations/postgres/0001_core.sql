CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('event', 0);

CREATE TABLE scopes (
    id     TEXT PRIMARY KEY,
    parent TEXT REFERENCES scopes (id),
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL
);
CREATE INDEX scopes_parent ON scopes (parent);
INSERT INTO scopes (id, parent, kind, name) VALUES ('root', NULL, 'root', '');

CREATE TABLE items (
    key        TEXT PRIMARY KEY,
    scope      TEXT    NOT NULL REFERENCES scopes (id),
    number     BIGINT NOT NULL,
    cursor     BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE events (
    seq         BIGINT PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    source      TEXT    NOT NULL,
    type        TEXT    NOT NULL,
    natural_key TEXT    NOT NULL UNIQUE,
    scope       TEXT,
    keys        TEXT    NOT NULL,
    data        TEXT    NOT NULL,
    cause       TEXT,
    accepted_at BIGINT NOT NULL,
    routing     TEXT    NOT NULL,
    tries       BIGINT NOT NULL DEFAULT 0,
    next_at     BIGINT NOT NULL DEFAULT 0,
    note        TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX events_pending ON events (seq) WHERE routing = 'pending';

CREATE TABLE event_keys (
    key TEXT    NOT NULL,
    seq BIGINT NOT NULL REFERENCES events (seq),
    PRIMARY KEY (key, seq)
);

CREATE TABLE deliveries (
    guid        TEXT PRIMARY KEY,
    event       TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    received_at BIGINT NOT NULL,
    seen        BIGINT NOT NULL DEFAULT 1,
    note        TEXT    NOT NULL,
    payload     BYTEA    NOT NULL
);

CREATE TABLE delivery_events (
    guid        TEXT NOT NULL REFERENCES deliveries (guid),
    natural_key TEXT NOT NULL,
    PRIMARY KEY (guid, natural_key)
);

CREATE TABLE works (
    id           TEXT PRIMARY KEY,
    scope        TEXT    NOT NULL REFERENCES scopes (id),
    kind         TEXT    NOT NULL,
    playbook     TEXT    NOT NULL,
    item         TEXT    NOT NULL,
    number       BIGINT NOT NULL,
    run          BIGINT NOT NULL,
    state        TEXT    NOT NULL,
    status       TEXT,
    comment      TEXT    NOT NULL,
    waits        TEXT    NOT NULL,
    starter      TEXT    NOT NULL,
    instructions TEXT    NOT NULL,
    branch       TEXT    NOT NULL,
    pull_request BIGINT,
    attempts     BIGINT NOT NULL,
    failures     BIGINT NOT NULL,
    gate_pass    TEXT,
    blocked      TEXT,
    reason       TEXT    NOT NULL,
    ended_by     TEXT,
    usage        TEXT    NOT NULL,
    failed_seq   BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    version      BIGINT NOT NULL,
    UNIQUE (item, playbook, run)
);
CREATE UNIQUE INDEX works_live ON works (item, playbook)
    WHERE state NOT IN ('completed', 'cancelled', 'failed');
CREATE INDEX works_ready ON works (created_at) WHERE state = 'ready';

CREATE TABLE work_keys (
    key  TEXT NOT NULL,
    work TEXT NOT NULL REFERENCES works (id),
    PRIMARY KEY (key, work)
);
CREATE INDEX work_keys_work ON work_keys (work);

CREATE TABLE inputs (
    work      TEXT    NOT NULL REFERENCES works (id),
    seq       BIGINT NOT NULL REFERENCES events (seq),
    kind      TEXT    NOT NULL,
    author    TEXT    NOT NULL,
    body      TEXT    NOT NULL,
    execution TEXT,
    PRIMARY KEY (work, seq)
);
CREATE INDEX inputs_pending ON inputs (work, seq) WHERE execution IS NULL;

CREATE TABLE executions (
    id           TEXT PRIMARY KEY,
    work         TEXT    NOT NULL REFERENCES works (id),
    scope        TEXT    NOT NULL REFERENCES scopes (id),
    number       BIGINT NOT NULL,
    epoch        BIGINT NOT NULL,
    owner        TEXT    NOT NULL,
    lease_until  BIGINT NOT NULL,
    phase        TEXT    NOT NULL,
    slot         BIGINT NOT NULL,
    pool         TEXT    NOT NULL,
    trigger      TEXT    NOT NULL,
    binding      TEXT    NOT NULL,
    segments     TEXT    NOT NULL,
    deadline     BIGINT NOT NULL,
    started_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    recovery     TEXT,
    declared     TEXT,
    result       TEXT,
    outcome      TEXT,
    status       TEXT,
    summary      TEXT    NOT NULL DEFAULT '',
    token        TEXT    NOT NULL DEFAULT '',
    publish_tries BIGINT NOT NULL DEFAULT 0,
    next_at      BIGINT NOT NULL DEFAULT 0,
    UNIQUE (work, number)
);
CREATE UNIQUE INDEX executions_one_live ON executions (work) WHERE phase <> 'finished';
CREATE INDEX executions_live ON executions (lease_until) WHERE phase <> 'finished';
CREATE INDEX executions_slot ON executions (pool, scope) WHERE slot = 1;
CREATE INDEX executions_token ON executions (token) WHERE phase <> 'finished';

CREATE TABLE consumed (
    execution TEXT    NOT NULL REFERENCES executions (id),
    seq       BIGINT NOT NULL REFERENCES events (seq),
    PRIMARY KEY (execution, seq)
);

CREATE TABLE holds (
    id             TEXT PRIMARY KEY,
    work           TEXT    NOT NULL REFERENCES works (id),
    kind           TEXT    NOT NULL,
    holder         TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    revision       TEXT    NOT NULL,
    details        TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    placed_at      BIGINT NOT NULL,
    settled_at     BIGINT,
    settled_by     TEXT,
    settled_reason TEXT    NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX holds_open ON holds (work, kind, holder) WHERE state = 'open';
CREATE INDEX holds_work ON holds (work, placed_at);

CREATE TABLE decisions (
    source     TEXT PRIMARY KEY,
    hold       TEXT    NOT NULL REFERENCES holds (id),
    person     BIGINT NOT NULL,
    login      TEXT    NOT NULL,
    verb       TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    revision   TEXT    NOT NULL,
    permission BIGINT NOT NULL,
    decided_at BIGINT NOT NULL
);
CREATE INDEX decisions_hold ON decisions (hold, decided_at);

CREATE TABLE timers (
    id         TEXT PRIMARY KEY,
    work       TEXT    NOT NULL REFERENCES works (id),
    kind       TEXT    NOT NULL,
    due_at     BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    cause      TEXT    NOT NULL,
    UNIQUE (work, kind)
);
CREATE INDEX timers_due ON timers (due_at);

CREATE TABLE threads (
    item       TEXT PRIMARY KEY REFERENCES items (key),
    wanted     BIGINT NOT NULL,
    shown      BIGINT NOT NULL,
    tries      BIGINT NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL DEFAULT 0,
    parked     TEXT
);
CREATE INDEX threads_due ON threads (next_at) WHERE wanted > shown AND parked IS NULL;

CREATE TABLE thread_comments (
    item    TEXT    NOT NULL REFERENCES items (key),
    key     TEXT    NOT NULL,
    comment BIGINT NOT NULL,
    digest  TEXT    NOT NULL,
    PRIMARY KEY (item, key)
);
CREATE INDEX thread_comments_comment ON thread_comments (comment);

CREATE TABLE notes (
    id       BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    item     TEXT    NOT NULL REFERENCES items (key),
    kind     TEXT    NOT NULL,
    source   TEXT    NOT NULL,
    target   BIGINT,
    body     TEXT    NOT NULL,
    state    TEXT    NOT NULL,
    tries    BIGINT NOT NULL DEFAULT 0,
    next_at  BIGINT NOT NULL DEFAULT 0,
    error    TEXT    NOT NULL DEFAULT '',
    UNIQUE (source, kind)
);
CREATE INDEX notes_pending ON notes (id) WHERE state = 'pending';

CREATE TABLE cursors (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
