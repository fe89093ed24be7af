-- What the PostgreSQL backend says to its own connections. Repositories use none of these.

-- name: control_limits
SELECT
    set_config('lock_timeout', :lock, false),
    set_config('idle_in_transaction_session_timeout', :idle, false),
    set_config('statement_timeout', :statement, false)

-- name: control_begin_write
-- The lock is the same for every host, so that write transactions take turns. What is read after it was waited for is
-- what the one before has committed: each statement has a snapshot of its own here.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT pg_advisory_xact_lock(7310579482);

-- name: control_begin_read
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- name: control_commit
-- Other hosts hear of it at the moment that it is committed. The name tells a host which of them are its own.
SELECT pg_notify('trackside', current_setting('application_name'));
COMMIT;

-- name: control_listen
LISTEN trackside;

-- name: control_rollback
ROLLBACK;

-- name: control_savepoint
SAVEPOINT one_change;

-- name: control_savepoint_keep
RELEASE one_change;

-- name: control_savepoint_undo
ROLLBACK TO one_change;

-- name: control_has_schema
SELECT to_regclass('schema_migrations') IS NOT NULL AS found

-- name: control_migration_text
SELECT set_config('trackside.migration', :text, true)

-- name: control_migrate
-- Run by a function, a migration cannot end the transaction that it is part of.
DO $$ BEGIN EXECUTE current_setting('trackside.migration'); END $$;
