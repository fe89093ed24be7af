-- name: simulation_works
SELECT id, scope, playbook, item, number, run, state, status, waits, starter, instructions, pull_request, attempts,
    failures, gate_pass, budget_pass, brake, ended_by, usage, version
FROM works ORDER BY id

-- name: simulation_executions
SELECT id, work, scope, number, epoch, owner, lease_until, phase, slot, pool, segments, started_at, ended_at, recovery,
    declared, result, outcome, publish_tries, next_at, remaining, suspended,
    json_extract(binding, '$.timeout') AS timeout, json_extract(binding, '$.account') AS account,
    json_extract(binding, '$.estimate') AS estimate
FROM executions ORDER BY id

-- name: simulation_holds
SELECT rowid AS place, id, work, kind, holder, revision, state, placed_at FROM holds ORDER BY id

-- name: simulation_inputs
SELECT work, seq, kind, execution FROM inputs ORDER BY work, seq

-- name: simulation_consumed
SELECT c.execution, c.seq, e.work, e.outcome FROM consumed c JOIN executions e ON e.id = c.execution
ORDER BY c.seq, c.execution

-- name: simulation_unrouted
SELECT DISTINCT w.work FROM events e JOIN event_keys k ON k.seq = e.seq JOIN work_keys w ON w.key = k.key
WHERE e.routing = 'pending' ORDER BY w.work

-- name: simulation_decisions
SELECT source, hold, person, login, verb, revision, permission FROM decisions ORDER BY source

-- name: simulation_parents
SELECT id, parent FROM scopes ORDER BY id

-- name: simulation_retries
SELECT natural_key, seq FROM events WHERE type = 'core.retry.due' ORDER BY seq

-- name: simulation_events
SELECT natural_key, routing FROM events ORDER BY seq

-- name: simulation_threads
SELECT item, wanted, shown, parked FROM threads ORDER BY item

-- name: simulation_ledgers
SELECT key, used FROM ledgers ORDER BY key

-- name: simulation_reservations
SELECT execution, ledger, amount FROM reservations ORDER BY execution, ledger

-- name: simulation_staged
SELECT id, execution, units FROM staged_usage ORDER BY id

-- name: simulation_raises
SELECT source, item, playbook, unit, amount FROM raises ORDER BY source

-- name: simulation_accounts
SELECT name, until, released_at FROM accounts ORDER BY name
