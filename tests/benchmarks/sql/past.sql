-- name: past_tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'

-- name: past_events
SELECT value FROM counters WHERE name = 'event'

-- name: past_accepted
UPDATE counters SET value = value + :more WHERE name = 'event'
