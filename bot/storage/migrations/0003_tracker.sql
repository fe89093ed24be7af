-- What the bot knows of the tracker, complete.

CREATE INDEX events_dead ON events (seq) WHERE routing = 'dead';

-- Empty for what was written before instances were told apart.
ALTER TABLE thread_comments ADD COLUMN instance TEXT NOT NULL DEFAULT '';

-- All that was started before was started by a label.
ALTER TABLE works ADD COLUMN by_label BIGINT NOT NULL DEFAULT 1;

CREATE TABLE shown_checks (
    item     TEXT   NOT NULL REFERENCES items (key),
    name     TEXT   NOT NULL,
    head     TEXT   NOT NULL,
    external BIGINT NOT NULL,
    digest   TEXT   NOT NULL,
    ended    BIGINT NOT NULL,
    PRIMARY KEY (item, name, head)
);

-- The teams that let a person decide, and the vote that a row takes back.
ALTER TABLE decisions ADD COLUMN teams TEXT NOT NULL DEFAULT '[]';
ALTER TABLE decisions ADD COLUMN revokes TEXT;

-- Until now it was told by these words alone that the item was out of reach.
ALTER TABLE works ADD COLUMN gone BIGINT NOT NULL DEFAULT 0;
UPDATE works SET gone = 1 WHERE state = 'cancelled' AND COALESCE(ended_by, '') = '' AND reason IN (
    'the issue was transferred or deleted', 'the app was uninstalled', 'the app was suspended',
    'the repository was taken from the app', 'the repository was deleted'
);
