-- name: execution_insert
INSERT INTO executions (
    id, work, scope, number, epoch, owner, lease_until, phase, slot, pool, trigger, binding, segments, deadline,
    started_at, ended_at, recovery, declared, result, outcome, status, summary, token, publish_tries, next_at, staged,
    generation
) VALUES (
    :id, :work, :scope, :number, :epoch, :owner, :lease_until, :phase, :slot, :pool, :trigger, :binding, :segments,
    :deadline, :started_at, :ended_at, :recovery, :declared, :result, :outcome, :status, :summary, :token,
    :publish_tries, :next_at, :staged, :generation
)

-- name: execution_write
UPDATE executions SET
    phase = :phase, slot = :slot, segments = :segments, ended_at = :ended_at, recovery = :recovery,
    declared = :declared, result = :result, outcome = :outcome, status = :status, summary = :summary, token = :token,
    publish_tries = :publish_tries, next_at = :next_at, staged = :staged
WHERE id = :id AND epoch = :epoch AND phase NOT IN ('finished', 'parked') AND lease_until > :now

-- name: execution_park
UPDATE executions SET
    phase = 'parked', slot = 0, lease_until = 0, next_at = 0, token = '', recovery = NULL, declared = NULL,
    segments = :segments, remaining = :remaining, suspended = :suspended, staged = :staged
WHERE id = :id AND epoch = :epoch AND phase NOT IN ('finished', 'parked') AND lease_until > :now

-- name: execution_resume
UPDATE executions SET
    phase = 'launching', slot = 1, epoch = epoch + 1, owner = :owner, lease_until = :lease_until,
    segments = :segments, deadline = :deadline, remaining = NULL
WHERE id = :id AND epoch = :epoch AND phase = 'parked'

-- name: execution_release
UPDATE executions SET lease_until = :now, next_at = :due
WHERE id = :id AND epoch = :epoch AND phase NOT IN ('finished', 'parked')

-- name: executions_release_owner
UPDATE executions SET lease_until = :now WHERE owner = :owner AND phase <> 'finished' AND lease_until > :now

-- name: execution_take_over
UPDATE executions SET
    epoch = epoch + 1, owner = :owner, lease_until = :lease_until, phase = :phase, segments = :segments, token = :token
WHERE id = :id AND epoch = :epoch AND phase NOT IN ('finished', 'parked') AND lease_until <= :now

-- name: execution_end
UPDATE executions SET
    phase = 'finished', slot = :slot, ended_at = :now, outcome = :outcome, summary = :summary, segments = :segments,
    staged = :staged, token = ''
WHERE id = :id AND phase <> 'finished'

-- name: execution_free_slot
UPDATE executions SET slot = 0 WHERE id = :id AND epoch = :epoch AND phase = 'finished' AND slot = 1

-- name: execution_by_id
SELECT * FROM executions WHERE id = :id

-- name: execution_by_token
SELECT * FROM executions WHERE token = :token AND phase <> 'finished'

-- name: execution_live_of_work
SELECT * FROM executions WHERE work = :work AND phase <> 'finished'

-- name: executions_of_work
SELECT * FROM executions WHERE work = :work ORDER BY number

-- name: executions_live
SELECT * FROM executions WHERE phase <> 'finished' ORDER BY started_at

-- name: executions_lapsed
SELECT * FROM executions
WHERE phase <> 'finished' AND phase <> 'parked' AND lease_until <= :now AND next_at <= :now
    AND (lease_until, id) > (:lease_until, :id)
ORDER BY lease_until, id LIMIT :limit

-- name: executions_overdue
SELECT * FROM executions
WHERE phase <> 'finished' AND phase NOT IN ('publishing', 'parked') AND deadline <= :now
    AND (deadline, id) > (:deadline, :id)
ORDER BY deadline, id LIMIT :limit

-- name: executions_launching
SELECT * FROM executions
WHERE phase <> 'finished' AND phase IN ('launching', 'recovering') AND (started_at, id) > (:started_at, :id)
ORDER BY started_at, id LIMIT :limit

-- name: executions_unconfirmed
SELECT * FROM executions
WHERE slot = 1 AND phase = 'finished' AND (ended_at, id) > (:ended_at, :id)
ORDER BY ended_at, id LIMIT :limit

-- name: execution_unconfirmed_of_work
SELECT e.id FROM executions e
WHERE e.slot = 1 AND e.phase = 'finished' AND e.work IN (
    SELECT other.id FROM works w JOIN works other ON other.item = w.item AND other.playbook = w.playbook
    WHERE w.id = :work
)
LIMIT 1

-- name: slots_of_pool
SELECT COUNT(*) AS taken FROM executions WHERE slot = 1 AND pool = :pool

-- name: slots_of_scope
WITH RECURSIVE below (id) AS (
    SELECT id FROM scopes WHERE id = :scope
    UNION ALL
    SELECT s.id FROM scopes s JOIN below b ON s.parent = b.id
)
SELECT COUNT(*) AS taken FROM executions e JOIN below b ON b.id = e.scope WHERE e.slot = 1
