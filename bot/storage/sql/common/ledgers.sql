-- name: ledger_open
INSERT INTO ledgers (key, used, since) VALUES (:key, 0, :since)
ON CONFLICT (key) DO UPDATE SET since = excluded.since WHERE excluded.since < ledgers.since

-- name: ledger_charge
UPDATE ledgers SET used = CASE WHEN used + :amount < 0 THEN 0 ELSE used + :amount END
WHERE key = :key AND since <= :claimed_at

-- name: ledger_by_key
SELECT * FROM ledgers WHERE key = :key

-- name: reservation_put
INSERT INTO reservations (execution, ledger, amount) VALUES (:execution, :ledger, :amount)
ON CONFLICT (execution, ledger) DO UPDATE SET amount = excluded.amount

-- name: reserved_in_ledger
SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount FROM reservations WHERE ledger = :ledger

-- name: reservations_of_execution
SELECT * FROM reservations WHERE execution = :execution ORDER BY ledger

-- name: reservations_release
DELETE FROM reservations WHERE execution = :execution

-- name: staged_usage_insert
INSERT INTO staged_usage (id, execution, claimed_at, units, staged_at)
VALUES (:id, :execution, :claimed_at, :units, :staged_at)
ON CONFLICT (id) DO NOTHING

-- name: staged_usage_all
SELECT staged_usage.*, e.work AS work
FROM staged_usage JOIN executions e ON e.id = staged_usage.execution
ORDER BY staged_usage.staged_at, staged_usage.id

-- name: staged_usage_remove
DELETE FROM staged_usage WHERE id = :id

-- name: raise_insert
INSERT INTO raises (source, item, playbook, unit, amount, login, raised_at)
VALUES (:source, :item, :playbook, :unit, :amount, :login, :raised_at)
ON CONFLICT (source) DO NOTHING

-- name: raised
SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount FROM raises
WHERE item = :item AND playbook = :playbook AND unit = :unit
