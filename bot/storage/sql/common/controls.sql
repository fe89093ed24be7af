-- name: control_insert
INSERT INTO controls (
    id, work, execution, epoch, kind, seq, state, token, lease_until, tries, next_at, note, created_at, settled_at
) VALUES (
    :id, :work, :execution, :epoch, :kind, :seq, :state, :token, :lease_until, :tries, :next_at, :note, :created_at,
    :settled_at
)
ON CONFLICT DO NOTHING

-- name: control_write
UPDATE controls SET
    state = :state, token = :token, lease_until = :lease_until, tries = :tries, next_at = :next_at, note = :note,
    settled_at = :settled_at
WHERE id = :id

-- name: control_by_id
SELECT * FROM controls WHERE id = :id

-- name: controls_of_execution
SELECT * FROM controls WHERE execution = :execution ORDER BY seq, kind

-- name: controls_due
SELECT * FROM controls
WHERE settled_at IS NULL AND next_at <= :now AND lease_until <= :now
    AND (next_at, id) > (:next_at, :id)
ORDER BY next_at, id
LIMIT :limit

-- name: controls_stale
UPDATE controls SET state = 'stale', token = '', settled_at = :now WHERE work = :work AND settled_at IS NULL
