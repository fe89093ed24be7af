-- A ROLLBACK that does not work, as on a connection whose file went away.

-- name: control_rollback
SELECT 1;
