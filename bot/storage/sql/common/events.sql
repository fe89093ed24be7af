-- name: event_next_seq
UPDATE counters SET value = value + 1 WHERE name = 'event' RETURNING value

-- name: event_newest
SELECT value FROM counters WHERE name = 'event'

-- name: event_insert
INSERT INTO events (seq, id, source, type, natural_key, scope, keys, data, cause, depth, accepted_at, routing, next_at)
VALUES (
    :seq, :id, :source, :type, :natural_key, :scope, :keys, :data, :cause, :depth, :accepted_at, :routing, :next_at
)
RETURNING *

-- name: event_key_insert
INSERT INTO event_keys (key, seq) VALUES (:key, :seq)

-- name: event_by_natural_key
SELECT * FROM events WHERE natural_key = :natural_key

-- name: event_depth
SELECT depth FROM events WHERE id = :id

-- name: event_by_id
SELECT * FROM events WHERE id = :id

-- name: events_pending
SELECT * FROM events WHERE routing = 'pending' AND seq > :after ORDER BY seq LIMIT :limit

-- name: events_by_routing
SELECT * FROM events WHERE routing = :routing ORDER BY seq LIMIT :limit

-- name: events_dead_count
SELECT COUNT(*) AS count FROM events WHERE routing = 'dead'

-- name: events_with_key
SELECT e.* FROM event_keys k JOIN events e ON e.seq = k.seq WHERE k.key = :key ORDER BY k.seq

-- name: events_of_type_with_key
SELECT e.* FROM event_keys k JOIN events e ON e.seq = k.seq WHERE k.key = :key AND e.type = :type ORDER BY k.seq

-- name: events_pending_with_key
SELECT e.* FROM event_keys k JOIN events e ON e.seq = k.seq
WHERE k.key = :key AND k.seq > :after AND e.type = :type AND e.routing = 'pending' ORDER BY k.seq

-- name: event_settle
UPDATE events SET routing = :routing, note = :note WHERE seq = :seq AND routing = 'pending'

-- name: event_postpone
UPDATE events SET tries = :tries, next_at = :next_at, note = :note WHERE seq = :seq AND routing = 'pending'

-- name: event_revive
UPDATE events SET routing = 'pending', tries = 0, next_at = :next_at, note = ''
WHERE natural_key = :natural_key AND routing IN ('pending', 'dead')

-- name: event_pending_for_work
SELECT e.seq FROM events e
WHERE e.routing = 'pending' AND EXISTS (
    SELECT 1 FROM event_keys k JOIN work_keys w ON w.key = k.key WHERE k.seq = e.seq AND w.work = :work
)
LIMIT 1

-- name: delivery_insert
INSERT INTO deliveries (guid, event, action, received_at, note, payload)
VALUES (:guid, :event, :action, :received_at, :note, :payload)
ON CONFLICT (guid) DO NOTHING

-- name: delivery_seen
UPDATE deliveries SET seen = seen + 1 WHERE guid = :guid

-- name: delivery_by_guid
SELECT * FROM deliveries WHERE guid = :guid

-- name: delivery_event_insert
INSERT INTO delivery_events (guid, natural_key) VALUES (:guid, :natural_key) ON CONFLICT DO NOTHING

-- name: delivery_event_keys
SELECT natural_key FROM delivery_events WHERE guid = :guid
