-- name: thread_touch
INSERT INTO threads (item, wanted, shown) VALUES (:item, 1, 0)
ON CONFLICT (item) DO UPDATE SET wanted = threads.wanted + 1, parked = NULL

-- name: threads_touch_waiting
-- Those of Work that waits for this item: they tell where it stands.
UPDATE threads SET wanted = wanted + 1, parked = NULL
WHERE item IN (SELECT w.item FROM subscriptions s JOIN works w ON w.id = s.work WHERE s.key = :item)

-- name: threads_touch_ready
UPDATE threads SET wanted = wanted + 1, parked = NULL
WHERE item IN (SELECT w.item FROM works w WHERE w.state = 'ready')

-- name: threads_due
SELECT * FROM threads WHERE wanted > shown AND parked IS NULL AND next_at <= :now ORDER BY next_at, item LIMIT :limit

-- name: thread_by_item
SELECT * FROM threads WHERE item = :item

-- name: thread_shown
UPDATE threads SET shown = :version, tries = 0, next_at = 0 WHERE item = :item AND shown < :version

-- name: thread_postpone
UPDATE threads SET tries = :tries, next_at = :next_at WHERE item = :item

-- name: thread_park
UPDATE threads SET parked = :reason WHERE item = :item

-- name: threads_unpark
UPDATE threads SET parked = NULL WHERE parked IS NOT NULL

-- name: thread_unpark
UPDATE threads SET parked = NULL, tries = 0, next_at = 0 WHERE item = :item AND parked IS NOT NULL

-- name: threads_unpark_scope
UPDATE threads SET parked = NULL, tries = 0, next_at = 0
WHERE parked IS NOT NULL AND item IN (
    SELECT i.key FROM items i JOIN scopes s ON s.id = i.scope WHERE s.id = :scope OR s.parent = :scope
)

-- name: threads_parked
SELECT * FROM threads WHERE parked IS NOT NULL ORDER BY item

-- name: thread_comment_put
INSERT INTO thread_comments (item, key, comment, digest, instance) VALUES (:item, :key, :comment, :digest, :instance)
ON CONFLICT (item, key) DO UPDATE SET comment = excluded.comment, digest = excluded.digest, instance = excluded.instance

-- name: thread_comments
SELECT * FROM thread_comments WHERE item = :item

-- name: thread_comment_by_id
SELECT * FROM thread_comments WHERE comment = :comment

-- name: note_insert
INSERT INTO notes (item, kind, source, target, body, state) VALUES (:item, :kind, :source, :target, :body, 'pending')
ON CONFLICT (source, kind) DO NOTHING

-- name: notes_due
SELECT * FROM notes WHERE state = 'pending' AND next_at <= :now ORDER BY id LIMIT :limit

-- name: note_settle
UPDATE notes SET state = :state, error = :error WHERE id = :id

-- name: note_postpone
UPDATE notes SET tries = :tries, next_at = :next_at, error = :error WHERE id = :id

-- name: notes_pending
SELECT * FROM notes WHERE state = 'pending' ORDER BY id

-- name: cursor_get
SELECT value FROM cursors WHERE name = :name

-- name: cursor_put
INSERT INTO cursors (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value
