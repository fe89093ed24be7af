-- name: clock_now
-- The database is a library here: its clock is that of the machine.
SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS now
