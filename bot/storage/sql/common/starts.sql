-- name: start_next
UPDATE counters SET value = value + 1 WHERE name = 'start' RETURNING value

-- name: scope_served
UPDATE scopes SET served = :served WHERE id = :id

-- name: starts_on_day
SELECT used FROM ledgers WHERE key = :key

-- name: starts_add
INSERT INTO ledgers (key, used, since) VALUES (:key, :count, :now)
ON CONFLICT (key) DO UPDATE SET used = ledgers.used + :count
