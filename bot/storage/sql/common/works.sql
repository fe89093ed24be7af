-- name: scope_put
INSERT INTO scopes (id, parent, kind, name) VALUES (:id, :parent, :kind, :name)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, parent = excluded.parent

-- name: scope_by_id
SELECT * FROM scopes WHERE id = :id

-- name: scopes_named
SELECT id FROM scopes WHERE LOWER(name) = :name AND kind = :kind ORDER BY id

-- name: scope_line
WITH RECURSIVE line (id, parent, depth) AS (
    SELECT id, parent, 0 FROM scopes WHERE id = :id
    UNION ALL
    SELECT s.id, s.parent, l.depth + 1 FROM scopes s JOIN line l ON s.id = l.parent
)
SELECT id FROM line ORDER BY depth

-- name: item_put
INSERT INTO items (key, scope, number) VALUES (:key, :scope, :number) ON CONFLICT (key) DO NOTHING

-- name: item_by_key
SELECT * FROM items WHERE key = :key

-- name: item_advance
UPDATE items SET cursor = :cursor WHERE key = :key AND cursor < :cursor

-- name: work_insert
INSERT INTO works (
    id, scope, kind, playbook, item, number, run, state, status, comment, waits, starter, instructions, branch,
    pull_request, attempts, failures, gate_pass, budget_pass, priority, brake, blocked, reason, ended_by, usage,
    failed_seq, created_at, updated_at, ended_at, version, by_label, gone
) VALUES (
    :id, :scope, :kind, :playbook, :item, :number, :run, :state, :status, :comment, :waits, :starter, :instructions,
    :branch, :pull_request, :attempts, :failures, :gate_pass, :budget_pass, :priority, :brake, :blocked, :reason,
    :ended_by, :usage, :failed_seq, :created_at, :updated_at, :ended_at, :version, :by_label, :gone
)

-- name: work_save
UPDATE works SET
    state = :state, status = :status, comment = :comment, waits = :waits, starter = :starter,
    instructions = :instructions, branch = :branch, pull_request = :pull_request, attempts = :attempts,
    failures = :failures, gate_pass = :gate_pass, budget_pass = :budget_pass, priority = :priority, brake = :brake,
    blocked = :blocked, reason = :reason, ended_by = :ended_by, usage = :usage, failed_seq = :failed_seq,
    updated_at = :updated_at, ended_at = :ended_at, gone = :gone, version = :version + 1
WHERE id = :id AND version = :version

-- name: work_by_id
SELECT * FROM works WHERE id = :id

-- name: work_live
SELECT * FROM works WHERE item = :item AND playbook = :playbook AND state NOT IN ('completed', 'cancelled', 'failed')

-- name: works_of_item
SELECT * FROM works WHERE item = :item ORDER BY created_at, run

-- name: work_latest_run
SELECT * FROM works WHERE item = :item AND playbook = :playbook ORDER BY run DESC LIMIT 1

-- name: works_live_by_key
SELECT w.* FROM work_keys k JOIN works w ON w.id = k.work
WHERE k.key = :key AND w.state NOT IN ('completed', 'cancelled', 'failed')
ORDER BY w.created_at

-- name: works_live
SELECT * FROM works WHERE state NOT IN ('completed', 'cancelled', 'failed') ORDER BY created_at

-- name: works_recent
SELECT * FROM works ORDER BY created_at DESC LIMIT :limit

-- name: works_ready
-- The first Work of each repository goes before the second of any; among those, the repository that was not served for
-- the longest time.
SELECT w.id, w.scope, w.playbook, e.pool FROM works w
JOIN scopes s ON s.id = w.scope
LEFT JOIN executions e ON e.work = w.id AND e.phase <> 'finished'
WHERE w.state = 'ready'
    AND EXISTS (SELECT 1 FROM inputs i WHERE i.work = w.id AND i.execution IS NULL)
    AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.work = w.id AND h.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM timers t WHERE t.work = w.id AND t.kind IN ('retry', 'deferred'))
ORDER BY
    w.priority DESC,
    ROW_NUMBER() OVER (PARTITION BY w.priority, w.scope ORDER BY w.created_at, w.id),
    s.served, w.created_at, w.id
LIMIT :limit

-- name: work_key_insert
INSERT INTO work_keys (key, work) VALUES (:key, :work) ON CONFLICT DO NOTHING

-- name: work_keys
SELECT key FROM work_keys WHERE work = :work ORDER BY key

-- name: input_insert
INSERT INTO inputs (work, seq, kind, author, body) VALUES (:work, :seq, :kind, :author, :body)
ON CONFLICT DO NOTHING

-- name: inputs_pending
SELECT i.*, e.id AS event FROM inputs i JOIN events e ON e.seq = i.seq
WHERE i.work = :work AND i.execution IS NULL ORDER BY i.seq

-- name: inputs_of_execution
SELECT i.*, e.id AS event FROM consumed c JOIN inputs i ON i.seq = c.seq AND i.work = :work JOIN events e ON e.seq = i.seq
WHERE c.execution = :execution ORDER BY i.seq

-- name: inputs_presented
SELECT i.*, e.id AS event FROM consumed c JOIN inputs i ON i.seq = c.seq AND i.work = :work JOIN events e ON e.seq = i.seq
WHERE c.execution = :execution AND c.epoch = (SELECT MAX(epoch) FROM consumed WHERE execution = :execution)
ORDER BY i.seq

-- name: inputs_consume
UPDATE inputs SET execution = :execution WHERE work = :work AND seq = :seq AND execution IS NULL

-- name: consumed_insert
INSERT INTO consumed (execution, seq, epoch) VALUES (:execution, :seq, :epoch)

-- name: inputs_restore
UPDATE inputs SET execution = NULL WHERE execution = :execution

-- name: inputs_keep_consumed
UPDATE inputs SET execution = (
    SELECT e.id FROM executions e JOIN consumed c ON c.execution = e.id AND c.seq = inputs.seq
    WHERE e.work = inputs.work ORDER BY e.number DESC LIMIT 1
)
WHERE work = :work AND execution IS NULL

-- name: inputs_keep_consumed_of_kind
UPDATE inputs SET execution = (
    SELECT e.id FROM executions e JOIN consumed c ON c.execution = e.id AND c.seq = inputs.seq
    WHERE e.work = inputs.work ORDER BY e.number DESC LIMIT 1
)
WHERE work = :work AND kind = :kind AND execution IS NULL

-- name: inputs_discard
DELETE FROM inputs WHERE work = :work AND kind = :kind AND execution IS NULL

-- name: inputs_drop
DELETE FROM inputs WHERE work = :work AND execution IS NULL
