-- Ways to lose a transaction or a connection, and what a session says of itself.

-- name: fault_rollback
ROLLBACK;

-- name: session_pid
SELECT pg_backend_pid() AS pid;

-- name: session_terminate
SELECT pg_terminate_backend(:pid::int, 10000) AS done;

-- name: session_terminate_own
SELECT pg_terminate_backend(pg_backend_pid()) AS done;

-- name: session_transaction
SELECT pg_current_xact_id()::text AS number;

-- name: session_setting
SELECT current_setting(:name) AS value;

-- name: session_sleeps
SELECT pg_sleep(60);

-- name: session_percent
SELECT 7 % 4 AS rest, 'a%b' LIKE 'a\%%' AS same, :text::text AS text;

-- name: tally_is_even
SELECT count % 2 = 0 AS even FROM tally WHERE name = :name;
