-- name: pull_insert
INSERT INTO pulls (
    thread, id, head_ref, head_sha, base_ref, base_sha, draft,
    commits, additions, deletions, changed_files, mergeable)
VALUES (
    :thread, :id, :head_ref, :head_sha, :base_ref, :base_sha, :draft,
    :commits, :additions, :deletions, :changed_files, :mergeable)

-- name: pull_move
UPDATE pulls SET
    head_sha = :head_sha, base_sha = :base_sha, commits = :commits, additions = :additions,
    deletions = :deletions, changed_files = :changed_files, mergeable = :mergeable
WHERE thread = :thread

-- name: pull_ready
UPDATE pulls SET draft = 0 WHERE thread = :thread

-- name: pull_merged
UPDATE pulls SET merged_at = :now, merged_by = :by, merge_sha = :sha WHERE thread = :thread

-- name: pull_of_thread
SELECT * FROM pull_rows WHERE thread = :thread

-- name: pulls_open
SELECT * FROM pull_rows WHERE repository = :repository AND state = 'open' ORDER BY number

-- name: pulls_list
SELECT *, count(*) OVER () AS total FROM pull_rows
WHERE repository = :repository
  AND (:state = 'all' OR state = :state)
  AND (:head IS NULL OR head_ref = :head)
  AND (:base IS NULL OR base_ref = :base)
ORDER BY
    CASE WHEN :descending THEN -1 ELSE 1 END * (CASE :sort WHEN 'updated' THEN updated_at ELSE number END),
    CASE WHEN :descending THEN -1 ELSE 1 END * number
LIMIT :limit OFFSET :offset

-- name: review_insert
INSERT INTO reviews (id, thread, author, state, body, commit_id, submitted_at)
VALUES (:id, :thread, :author, :state, :body, :commit_id, :now)

-- name: review_by_id
SELECT * FROM review_rows WHERE thread = :thread AND id = :id

-- name: review_dismiss
UPDATE reviews SET state = 'DISMISSED' WHERE id = :id

-- name: reviews_list
SELECT *, count(*) OVER () AS total FROM review_rows WHERE thread = :thread
ORDER BY id LIMIT :limit OFFSET :offset
