-- name: hold_insert
INSERT INTO holds (id, work, kind, holder, reason, revision, details, state, placed_at)
VALUES (:id, :work, :kind, :holder, :reason, :revision, :details, :state, :placed_at)

-- name: hold_settle
UPDATE holds SET state = :state, settled_at = :now, settled_by = :by, settled_reason = :reason
WHERE id = :id AND state = 'open'

-- name: hold_by_id
SELECT * FROM holds WHERE id = :id

-- name: holds_open
SELECT * FROM holds WHERE work = :work AND state = 'open' ORDER BY placed_at

-- name: holds_open_of_kind
SELECT * FROM holds WHERE state = 'open' AND kind = :kind ORDER BY work

-- name: holds_of_work
SELECT * FROM holds WHERE work = :work ORDER BY placed_at

-- name: decision_insert
INSERT INTO decisions (source, hold, person, login, verb, reason, revision, permission, teams, revokes, decided_at)
VALUES (:source, :hold, :person, :login, :verb, :reason, :revision, :permission, :teams, :revokes, :decided_at)

-- name: decision_by_source
SELECT * FROM decisions WHERE source = :source

-- name: decisions_of_hold
SELECT * FROM decisions WHERE hold = :hold ORDER BY decided_at

-- name: timer_put
INSERT INTO timers (id, work, kind, due_at, generation, cause)
VALUES (:id, :work, :kind, :due_at, :generation, :cause)
ON CONFLICT (work, kind) DO UPDATE SET
    id = excluded.id, due_at = excluded.due_at, generation = excluded.generation, cause = excluded.cause

-- name: timer_of_work
SELECT * FROM timers WHERE work = :work AND kind = :kind

-- name: timers_due
SELECT * FROM timers WHERE due_at <= :now AND (due_at, id) > (:due_at, :id) ORDER BY due_at, id LIMIT :limit

-- name: timer_next
SELECT MIN(due_at) AS due_at FROM timers

-- name: timer_remove
DELETE FROM timers WHERE id = :id

-- name: timers_of_work_remove
DELETE FROM timers WHERE work = :work
