-- What the SQLite backend says to its own connections. Repositories use none of these.

-- name: control_wal
PRAGMA journal_mode = WAL;

-- name: control_wal_limit
-- A burst may grow the log; after the next checkpoint the file is cut back to 64 MiB.
PRAGMA journal_size_limit = 67108864;

-- name: control_durable
-- In WAL mode only FULL syncs the log at each commit, so that an answered change survives a power cut.
PRAGMA synchronous = FULL;

-- name: control_volatile
PRAGMA synchronous = OFF;

-- name: control_foreign_keys
PRAGMA foreign_keys = ON;

-- name: control_no_foreign_keys
PRAGMA foreign_keys = OFF;

-- name: control_foreign_key_faults
PRAGMA foreign_key_check;

-- name: control_read_only
PRAGMA query_only = ON;

-- name: control_quick_check
PRAGMA quick_check;

-- name: control_begin_write
BEGIN IMMEDIATE;

-- name: control_begin_read
BEGIN DEFERRED;

-- name: control_begin_migration
BEGIN EXCLUSIVE;

-- name: control_commit
COMMIT;

-- name: control_rollback
ROLLBACK;

-- name: control_savepoint
SAVEPOINT one_change;

-- name: control_savepoint_keep
RELEASE one_change;

-- name: control_savepoint_undo
ROLLBACK TO one_change;

-- name: control_has_schema
SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations';

-- name: control_affected
SELECT changes() AS affected;
