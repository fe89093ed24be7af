-- name: thread_insert
INSERT INTO threads (id, repository, number, title, body, author, state, pull, created_at, updated_at)
VALUES (:id, :repository, :number, :title, :body, :author, 'open', :pull, :now, :now)

-- name: thread_by_number
SELECT * FROM thread_rows WHERE repository = :repository AND number = :number

-- name: thread_touch
UPDATE threads SET updated_at = :now, version = version + 1 WHERE id = :id

-- name: thread_stir
UPDATE threads SET version = version + 1 WHERE id = :id

-- name: thread_text
UPDATE threads SET title = :title, body = :body WHERE id = :id

-- name: thread_close
UPDATE threads SET state = 'closed', state_reason = :reason, closed_at = :now, closed_by = :by WHERE id = :id

-- name: thread_reopen
UPDATE threads SET state = 'open', state_reason = 'reopened', closed_at = NULL, closed_by = NULL WHERE id = :id

-- name: thread_lock
UPDATE threads SET locked = :locked WHERE id = :id

-- name: threads_list
SELECT *, count(*) OVER () AS total FROM thread_rows t
WHERE repository = :repository
  AND (:state = 'all' OR state = :state)
  AND updated_at >= :since
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:labels) wanted WHERE NOT EXISTS (
        SELECT 1 FROM thread_labels tl JOIN labels l ON l.id = tl.label
        WHERE tl.thread = t.id AND l.name = wanted.value COLLATE NOCASE))
ORDER BY
    CASE WHEN :descending THEN -1 ELSE 1 END * (CASE :sort
        WHEN 'updated' THEN updated_at WHEN 'comments' THEN comment_count ELSE created_at END),
    CASE WHEN :descending THEN -1 ELSE 1 END * number
LIMIT :limit OFFSET :offset

-- name: label_insert
INSERT INTO labels (id, repository, name, color, description)
VALUES (:id, :repository, :name, :color, :description)

-- name: label_by_name
SELECT * FROM labels WHERE repository = :repository AND name = :name

-- name: labels_list
SELECT *, count(*) OVER () AS total FROM labels WHERE repository = :repository
ORDER BY name LIMIT :limit OFFSET :offset

-- name: thread_label_put
INSERT INTO thread_labels (thread, label) VALUES (:thread, :label) ON CONFLICT DO NOTHING

-- name: thread_label_delete
DELETE FROM thread_labels WHERE thread = :thread AND label = :label

-- name: thread_assignee_put
INSERT INTO thread_assignees (thread, account) VALUES (:thread, :account) ON CONFLICT DO NOTHING

-- name: thread_assignee_delete
DELETE FROM thread_assignees WHERE thread = :thread AND account = :account

-- name: history_insert
INSERT INTO history (id, repository, thread, actor, kind, detail, commit_id, created_at)
VALUES (:id, :repository, :thread, :actor, :kind, :detail, :commit_id, :now)

-- name: history_of_thread
SELECT *, count(*) OVER () AS total FROM history_rows WHERE thread = :thread
ORDER BY id LIMIT :limit OFFSET :offset

-- name: history_of_repository
SELECT *, count(*) OVER () AS total FROM history_rows WHERE repository = :repository
ORDER BY id DESC LIMIT :limit OFFSET :offset

-- name: comment_insert
INSERT INTO comments (id, repository, thread, author, body, created_at, updated_at)
VALUES (:id, :repository, :thread, :author, :body, :now, :now)

-- name: comment_by_id
SELECT * FROM comment_rows WHERE repository = :repository AND id = :id

-- name: comment_update
UPDATE comments SET body = :body, updated_at = :now WHERE id = :id

-- name: comment_delete
DELETE FROM comments WHERE id = :id

-- name: comments_of_thread
SELECT *, count(*) OVER () AS total FROM comment_rows WHERE thread = :thread AND updated_at >= :since
ORDER BY id LIMIT :limit OFFSET :offset

-- name: comments_of_repository
SELECT *, count(*) OVER () AS total FROM comment_rows WHERE repository = :repository AND updated_at >= :since
ORDER BY
    CASE WHEN :descending THEN -1 ELSE 1 END * (CASE :sort WHEN 'updated' THEN updated_at ELSE created_at END),
    CASE WHEN :descending THEN -1 ELSE 1 END * id
LIMIT :limit OFFSET :offset

-- name: reaction_insert
INSERT INTO reactions (id, subject, account, content, created_at)
VALUES (:id, :subject, :account, :content, :now)

-- name: reaction_find
SELECT * FROM reaction_rows WHERE subject = :subject AND account = :account AND content = :content

-- name: reaction_by_id
SELECT * FROM reaction_rows WHERE subject = :subject AND id = :id

-- name: reaction_delete
DELETE FROM reactions WHERE id = :id

-- name: reactions_delete
DELETE FROM reactions WHERE subject = :subject

-- name: reactions_list
SELECT *, count(*) OVER () AS total FROM reaction_rows
WHERE subject = :subject AND (:content IS NULL OR content = :content)
ORDER BY id LIMIT :limit OFFSET :offset
